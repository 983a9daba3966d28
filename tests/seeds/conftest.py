"""The guide's numbers are compared on the CPU; tests/device holds what runs on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import paddle


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    before = paddle.get_device()
    paddle.set_device("cpu")
    yield
    paddle.set_device(before)
