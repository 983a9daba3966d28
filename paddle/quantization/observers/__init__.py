"""Observers for calibration: factories that a QuantConfig is made of."""

from paddle.quantization.observers.abs_max import AbsmaxObserver
from paddle.quantization.observers.groupwise import GroupWiseWeightObserver

__all__ = ["AbsmaxObserver", "GroupWiseWeightObserver"]
