"""Mathematical functions; written down by kind in the modules that are collected here."""

from paddle.tensor import arithmetic, elementary, reduction
from paddle.tensor.arithmetic import *  # noqa: F403
from paddle.tensor.arithmetic import addcmul  # noqa: F401  (not in the namespace paddle)
from paddle.tensor.elementary import *  # noqa: F403
from paddle.tensor.linalg import addmm, inverse, kron, mm, trace  # noqa: F401
from paddle.tensor.reduction import *  # noqa: F403

__all__ = sorted({*arithmetic.__all__, *elementary.__all__, *reduction.__all__})
