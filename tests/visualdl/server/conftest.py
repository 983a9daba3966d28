"""Boards over folders of logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.visualdl.server.boards import Client
from visualdl.server.options import Options


@pytest.fixture
def board() -> Iterator[Callable[..., Client]]:
    """Makes clients of applications over some folders; closes them."""
    made: list[Client] = []

    def make(*folders: Any, **options: Any) -> Client:
        made.append(Client(Options(logdir=[str(folder) for folder in folders], **options)))
        return made[-1]

    yield make
    for client in made:
        client.api.close()
