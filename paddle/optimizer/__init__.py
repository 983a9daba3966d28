"""Optimizers and learning-rate schedules."""

from paddle.optimizer import lr
from paddle.optimizer.adam import Adam, Adamax, AdamW, Lamb
from paddle.optimizer.adaptive import Adadelta, Adagrad, RMSProp
from paddle.optimizer.optimizer import Optimizer
from paddle.optimizer.plain import SGD, Momentum

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "Optimizer",
    "RMSProp", "lr",
]  # fmt: skip
