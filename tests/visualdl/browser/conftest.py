"""The fixtures of board.py, for every test of this folder."""

from tests.visualdl.browser.board import browser, serve, view

__all__ = ["browser", "serve", "view"]
