"""The fixtures of board.py, for every test of this folder."""

from tests.visualdl.browser.board import browser, running, serve, server, view

__all__ = ["browser", "running", "serve", "server", "view"]
