"""Quanters for training: factories that a QuantConfig is made of."""

from paddle.quantization.quanters.abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
