"""The fixtures of board.py, for every test of this folder, and which of them are slow.

`make test` opens every page once; the rest of what a browser can show takes minutes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.visualdl.browser.board import browser, running, serve, server, view

__all__ = ["browser", "running", "serve", "server", "view"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow all but the tests of every page."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.stem != "test_every_page":
            item.add_marker(pytest.mark.slow)
