"""The guide's numbers are compared on the CPU; tests/device holds what runs on a GPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import paddle
from paddle.core import unique_name
from paddle.passes import running


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    before = paddle.get_device()
    paddle.set_device("cpu")
    yield
    paddle.set_device(before)


@pytest.fixture
def fresh_static(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a new process has: empty default Programs, an empty scope, names from the start.

    Programs are checked after every pass.
    Static mode is left to the test, as the guide's scripts turn it on themselves.
    """
    monkeypatch.setattr(running, "checking", True)
    main, startup = paddle.static.Program(), paddle.static.Program()
    with (
        paddle.static.program_guard(main, startup),
        paddle.static.scope_guard(paddle.static.Scope()),
        unique_name.guard(),
    ):
        yield
    paddle.disable_static()
