"""Optimizers around other optimizers: LookAhead, ModelAverage."""

from paddle.incubate.optimizer.lookahead import LookAhead
from paddle.incubate.optimizer.modelaverage import ModelAverage

__all__ = ["LookAhead", "ModelAverage"]
