"""Tables are closed after each test; gRPC's handlers of forks are off before it is imported."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

with contextlib.suppress(ImportError):
    import paddle.distributed.ps.client  # noqa: F401
from paddle.distributed.ps.table import Table


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes the tables that a test left open: each holds a dozen files."""
    made: list[Table] = []
    create = Table.__init__

    def remembered(self: Table, *args: Any, **options: Any) -> None:
        create(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(Table, "__init__", remembered)
    yield
    for table in made:
        table.close()
