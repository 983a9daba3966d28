"""Tools of 1.x's contrib."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
