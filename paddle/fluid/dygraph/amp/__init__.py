"""Mixed precision in dygraph, by the names of 2.0's fluid."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
