"""A small runtime for `.nb` files: needs NumPy alone, and a C compiler only to be faster."""

from paddlelite import lite
from paddlelite.errors import LiteError

__version__ = "0.1.0"
__all__ = ["LiteError", "lite"]
