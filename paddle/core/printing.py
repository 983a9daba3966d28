"""The printed form of a Tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError


@dataclass
class PrintOptions:
    """How Tensors are printed."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    sci_mode: bool = False


OPTIONS = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how Tensors are printed; None leaves a setting as it is.

    Args:
        precision (int|None): digits behind the point; 8 at first.
        threshold (int|None): Tensors with more elements are summarised; 1000 at first.
        edgeitems (int|None): elements shown at each end of a summarised axis; 3 at first.
        sci_mode (bool|None): scientific notation; False at first.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_printoptions(precision=4)
            print(paddle.to_tensor([0.123456]))
            paddle.set_printoptions(precision=8)
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems}
    for name, value in given.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(
                f"set_printoptions({name}): expected an int, but received {type(value).__name__}."
            )
        if value < 0:
            raise InvalidArgumentError(
                f"set_printoptions({name}): expected at least 0, but received {value}."
            )
        setattr(OPTIONS, name, value)
    if sci_mode is not None:
        if not isinstance(sci_mode, bool):
            raise TypeError(
                "set_printoptions(sci_mode): expected a bool, "
                f"but received {type(sci_mode).__name__}."
            )
        OPTIONS.sci_mode = sci_mode


def _item(value: Any, width: int = 0) -> str:
    """One element; whole floats end in a point, all are right-aligned to ``width``."""
    if isinstance(value, np.floating):
        if OPTIONS.sci_mode:
            text = f"{value:.{OPTIONS.precision}e}"
        elif np.ceil(value) == value:  # infinity counts as whole, as in PaddlePaddle
            text = f"{value:.0f}."
        else:
            text = f"{value:.{OPTIONS.precision}f}"
    else:
        text = str(value)
    return text.rjust(width)


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements that a summary shows."""
    for axis in range(array.ndim):
        if array.shape[axis] > 2 * OPTIONS.edgeitems:
            keep = np.r_[
                0 : OPTIONS.edgeitems, array.shape[axis] - OPTIONS.edgeitems : array.shape[axis]
            ]
            array = np.take(array, keep, axis=axis)
    return array


def _rows(array: np.ndarray, summary: bool, indent: int, width: int) -> str:
    shorten = summary and array.shape[0] > 2 * OPTIONS.edgeitems
    n = OPTIONS.edgeitems
    shown = (
        [*range(n), *range(array.shape[0] - n, array.shape[0])] if shorten else range(len(array))
    )
    if array.ndim == 1:
        items = [_item(array[i], width) for i in shown]
        if shorten:
            items.insert(n, "...")
        return "[" + ", ".join(items) + "]"
    parts = [_rows(array[i], summary, indent + 1, width) for i in shown]
    if shorten:
        parts.insert(n, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def array_to_string(array: np.ndarray, indent: int = 0) -> str:
    """Returns the nested-bracket form of an array."""
    summary = array.size > OPTIONS.threshold
    shown = _edges(array) if summary else array
    width = max((len(_item(v)) for v in shown.reshape(-1)), default=0)
    return _rows(array, summary, indent, width)


def tensor_to_string(tensor: Any, prefix: str = "Tensor") -> str:
    """Returns what ``print(tensor)`` shows."""
    if tensor.dtype is VarType.BF16:
        array = tensor._buf.float().cpu().numpy()
    else:
        array = tensor.numpy()
    indent = len(prefix) + 1
    text = (
        f"{prefix}(shape={tensor.shape}, dtype={dtype_name(tensor.dtype)}, place={tensor.place}, "
        f"stop_gradient={tensor.stop_gradient},\n{' ' * indent}{array_to_string(array, indent)})"
    )
    return "Parameter containing:\n" + text if tensor.is_parameter else text
