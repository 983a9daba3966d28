"""What losses share: the reduction at the end, and the check of shapes."""

from __future__ import annotations

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(api: str, reduction: str, allowed: tuple = REDUCTIONS) -> None:
    """Refuses a reduction that there is none of."""
    if reduction not in allowed:
        raise InvalidArgumentError(
            f"{api}(reduction): expected one of {', '.join(map(repr, allowed))}, "
            f"but received {reduction!r}."
        )


def reduce(loss: Tensor, reduction: str) -> Tensor:
    """Reduces one value per sample as asked for."""
    if reduction == "mean":
        return paddle.mean(loss)
    return paddle.sum(loss) if reduction == "sum" else loss


def check_same_shape(api: str, x: Tensor, y: Tensor, names: str = "input and label") -> None:
    """Refuses two Tensors of different shapes."""
    if x._buf.shape != y._buf.shape:
        raise InvalidArgumentError(
            f"{api}: expected {names} of one shape, but received {x.shape} and {y.shape}."
        )
