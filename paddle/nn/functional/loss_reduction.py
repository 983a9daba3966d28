"""What losses share: checks of their arguments, and the reduction at the end."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.tensor import Tensor
from paddle.tensor.dims import shapes_fit

REDUCTIONS = ("mean", "sum", "none")
FLOATING = frozenset({VarType.FP16, VarType.BF16, VarType.FP32, VarType.FP64})


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
        return tensor.mean(loss)
    return tensor.sum(loss) if reduction == "sum" else loss


def check_same_shape(api: str, **given: Any) -> None:
    """Refuses anything but two Tensors of one shape, given by their arguments' names."""
    check_tensors(api, **given)
    (first, x), (second, y) = given.items()
    if not shapes_fit(x.shape, y.shape):
        raise InvalidArgumentError(
            f"{api}: expected {first} and {second} of one shape, "
            f"but received {x.shape} and {y.shape}."
        )


def check_class_numbers(api: str, label: Tensor) -> None:
    """Refuses labels that are no integers."""
    if label.dtype in FLOATING:
        raise TypeError(
            f"{api}(label): expected integer class numbers, but received {label.dtype}."
        )
