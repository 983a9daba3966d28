"""Layers that call Python."""

from __future__ import annotations

from paddle.static.py_func import py_func

__all__ = ["py_func"]
