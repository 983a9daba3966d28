"""Smaller models: channels that go, what that costs, and learning from a larger model."""

from paddle.incubate.compress.pruning import PrunedParameter, Pruning, prune
from paddle.incubate.compress.sensitivity import Sensitivity, sensitivity

__all__ = ["PrunedParameter", "Pruning", "Sensitivity", "prune", "sensitivity"]
