"""Smaller models: channels that go, what that costs, and learning from a larger model."""

from paddle.incubate.compress.distillation import Distillation, DistillLoss, distill
from paddle.incubate.compress.pruning import PrunedParameter, Pruning, prune
from paddle.incubate.compress.sensitivity import Sensitivity, sensitivity

__all__ = [
    "DistillLoss", "Distillation", "PrunedParameter", "Pruning", "Sensitivity", "distill", "prune",
    "sensitivity",
]  # fmt: skip
