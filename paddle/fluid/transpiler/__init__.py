"""Transpilers of 1.x: Programs for trainers and parameter servers."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
