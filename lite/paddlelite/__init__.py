"""A small runtime for `.nb` files: needs NumPy alone, and a C compiler only to be faster."""

from paddlelite import lite
from paddlelite.errors import LiteError
from paddlelite.lite import __version__

__all__ = ["LiteError", "__version__", "lite"]
