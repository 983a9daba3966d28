"""Optimizers of 1.x with a decay of the weights that does not go through the gradient."""

from paddle._module_paths import names_of

__all__ = names_of(__name__)
