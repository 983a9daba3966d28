"""Each test of fluid begins with an open mode, as a process that has just imported it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import paddle
from paddle.fluid import mode


@pytest.fixture(autouse=True)
def open_mode() -> Iterator[None]:
    mode.reopen()
    yield
    paddle.disable_static()
