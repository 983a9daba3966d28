"""Learning rate schedules: what an optimizer asks for its rate and training code steps."""

from paddle.optimizer.lr.constant_pieces import MultiStepDecay, PiecewiseDecay, StepDecay
from paddle.optimizer.lr.formulas import (
    CosineAnnealingDecay,
    ExponentialDecay,
    InverseTimeDecay,
    LambdaDecay,
    NaturalExpDecay,
    NoamDecay,
    PolynomialDecay,
)
from paddle.optimizer.lr.plateau import ReduceOnPlateau
from paddle.optimizer.lr.scheduler import LRScheduler
from paddle.optimizer.lr.warmup import LinearWarmup

__all__ = [
    "LRScheduler",
    "NoamDecay",
    "PiecewiseDecay",
    "NaturalExpDecay",
    "InverseTimeDecay",
    "PolynomialDecay",
    "LinearWarmup",
    "ExponentialDecay",
    "MultiStepDecay",
    "StepDecay",
    "LambdaDecay",
    "ReduceOnPlateau",
    "CosineAnnealingDecay",
]
