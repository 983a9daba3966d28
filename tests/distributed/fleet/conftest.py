"""A fleet that nobody has initialised, and an environment without a job, for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from paddle.distributed.fleet.base import fleet_base, roles

_PREFIXES = ("PADDLE_", "TRAINING_ROLE", "POD_IP", "TRAINER_", "PSERVER_", "SYS_JOB_ID")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = dict(os.environ)
    for name in list(os.environ):
        if name.startswith(_PREFIXES):
            monkeypatch.delenv(name)
    fleet_base._forget_environment()
    fleet_base.fleet.__init__()  # type: ignore[misc]
    roles.UTIL.__init__()  # type: ignore[misc]
    yield
    fleet_base.fleet.__init__()  # type: ignore[misc]
    roles.UTIL.__init__()  # type: ignore[misc]
    os.environ.clear()
    os.environ.update(before)
