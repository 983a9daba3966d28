"""Layers of 1.x's contrib: recurrent networks of padded sequences, and others."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
