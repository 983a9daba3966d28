"""Differentiation for users: backward, grad, PyLayer."""

from paddle.autograd.functional import backward, grad
from paddle.autograd.py_layer import PyLayer, PyLayerContext

__all__ = ["PyLayer", "PyLayerContext", "backward", "grad"]
