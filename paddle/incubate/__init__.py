"""What was new in 2.0: optimizers around others, help for operators of one's own; training runs."""

from paddle.hapi.training_state import TrainingState
from paddle.incubate import compress, data, optimizer
from paddle.incubate.layer_helper import LayerHelper
from paddle.incubate.optimizer import LookAhead, ModelAverage
from paddle.utils.op_library import load_op_library

__all__ = [
    "LayerHelper", "LookAhead", "ModelAverage", "TrainingState", "compress", "data",
    "load_op_library", "optimizer",
]  # fmt: skip
