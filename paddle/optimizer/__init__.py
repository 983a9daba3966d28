"""Optimizers and learning-rate schedules."""

from paddle.optimizer import lr
from paddle.optimizer.adam import Adam, AdamW
from paddle.optimizer.adam_variants import Adamax, Lamb
from paddle.optimizer.adaptive import Adadelta, Adagrad, RMSProp
from paddle.optimizer.optimizer import Optimizer
from paddle.optimizer.plain import SGD, Momentum

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "Optimizer",
    "RMSProp", "lr",
]  # fmt: skip
