"""Probability distributions: sampling, densities, entropy and divergence."""

from paddle.distribution.base import Distribution
from paddle.distribution.categorical import Categorical
from paddle.distribution.normal import Normal
from paddle.distribution.uniform import Uniform

__all__ = ["Categorical", "Distribution", "Normal", "Uniform"]
