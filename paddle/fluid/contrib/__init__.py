"""What 1.x tried out; each name comes from its module."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
