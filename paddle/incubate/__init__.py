"""What was new in 2.0: optimizers around other optimizers, and reading ahead."""

from paddle.incubate import optimizer
from paddle.incubate.optimizer import LookAhead, ModelAverage
from paddle.utils.op_library import load_op_library

__all__ = ["LookAhead", "ModelAverage", "load_op_library", "optimizer"]
