"""A small runtime for `.nb` files: needs NumPy alone, and a C compiler only to be faster."""

from paddlelite import lite
from paddlelite.lite import __version__
from paddlelite.reader import LiteError

__all__ = ["LiteError", "__version__", "lite"]
