"""Optimizers of 1.x: the arguments, names and Programs of 1.8.5, on the updates of this release."""

from paddle.fluid.optimizer.adaptive import (
    Adadelta,
    AdadeltaOptimizer,
    Adagrad,
    AdagradOptimizer,
    Adam,
    Adamax,
    AdamaxOptimizer,
    AdamOptimizer,
    DecayedAdagrad,
    DecayedAdagradOptimizer,
    Lamb,
    LambOptimizer,
    RMSProp,
    RMSPropOptimizer,
)
from paddle.fluid.optimizer.averages import ExponentialMovingAverage, ModelAverage
from paddle.fluid.optimizer.base import Optimizer
from paddle.fluid.optimizer.dgc import DGCMomentumOptimizer
from paddle.fluid.optimizer.plain import (
    SGD,
    Dpsgd,
    DpsgdOptimizer,
    Ftrl,
    FtrlOptimizer,
    LarsMomentum,
    LarsMomentumOptimizer,
    Momentum,
    MomentumOptimizer,
    SGDOptimizer,
)
from paddle.fluid.optimizer.wrappers import (
    LookaheadOptimizer,
    PipelineOptimizer,
    RecomputeOptimizer,
)

__all__ = [
    "SGD",
    "Adadelta",
    "AdadeltaOptimizer",
    "Adagrad",
    "AdagradOptimizer",
    "Adam",
    "AdamOptimizer",
    "Adamax",
    "AdamaxOptimizer",
    "DGCMomentumOptimizer",
    "DecayedAdagrad",
    "DecayedAdagradOptimizer",
    "Dpsgd",
    "DpsgdOptimizer",
    "ExponentialMovingAverage",
    "Ftrl",
    "FtrlOptimizer",
    "Lamb",
    "LambOptimizer",
    "LarsMomentum",
    "LarsMomentumOptimizer",
    "LookaheadOptimizer",
    "ModelAverage",
    "Momentum",
    "MomentumOptimizer",
    "Optimizer",
    "PipelineOptimizer",
    "RMSProp",
    "RMSPropOptimizer",
    "RecomputeOptimizer",
    "SGDOptimizer",
]
