"""Every pass is followed by the checker in the tests of static Programs."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def checked_passes(monkeypatch):
    """Turns the checker on."""
    import paddle.passes.running

    monkeypatch.setattr(paddle.passes.running, "checking", True)
