"""Initializers: how a parameter gets its first value."""

from paddle.nn.initializer.assign import Assign
from paddle.nn.initializer.base import Initializer
from paddle.nn.initializer.constant import Constant
from paddle.nn.initializer.default import set_global_initializer
from paddle.nn.initializer.fan_scaled import (
    KaimingNormal,
    KaimingUniform,
    XavierNormal,
    XavierUniform,
)
from paddle.nn.initializer.patterned import Bilinear, Dirac, Orthogonal
from paddle.nn.initializer.random import Normal, TruncatedNormal, Uniform

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "set_global_initializer",
]
