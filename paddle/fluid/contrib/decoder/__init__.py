"""Decoders of 1.x's contrib: a cell with named states, for training and for beam search."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
