"""The fixtures of board.py, for every test of this folder."""

from tests.visualdl.browser.board import browser, running, serve, view

__all__ = ["browser", "running", "serve", "view"]
