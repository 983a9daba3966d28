"""What was new in 2.0: optimizers around other optimizers; and the state of training runs."""

from paddle.incubate import optimizer
from paddle.incubate.optimizer import LookAhead, ModelAverage
from paddle.incubate.training_state import TrainingState
from paddle.utils.op_library import load_op_library

__all__ = ["LookAhead", "ModelAverage", "TrainingState", "load_op_library", "optimizer"]
