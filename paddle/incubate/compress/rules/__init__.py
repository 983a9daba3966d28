"""How channels go through operators; a file for each family."""

from paddle.incubate.compress.rules import elementwise, shapes, weights, windows

__all__ = ["elementwise", "shapes", "weights", "windows"]
