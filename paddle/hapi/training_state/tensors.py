"""Parts of a training state: Tensors of layers with the gradients that wait at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.dtype import numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.selected_rows import RowsGradient, rows_of
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor
from paddle.hapi.training_state.checks import expect_dict, expect_tensor, mismatch
from paddle.serialization.pickles.writer import Deferred
from paddle.tensor.creation import empty


def array_of(tensor: Tensor) -> Deferred:
    """The value of a Tensor, fetched when it is written; bfloat16 as the uint16 of its bits."""
    return Deferred(tensor.numpy)


class Tensors:
    """Parameters and buffers with their gradients, by name.

    Args:
        name (str): the part, for messages.
        tensors (callable): returns the Tensors by name.
    """

    def __init__(self, name: str, tensors: Any) -> None:
        self.name = name
        self._tensors = tensors

    def collect(self) -> dict[str, Any]:
        """Returns values, and the gradients that wait for an update."""
        held = self._tensors()
        return {
            "values": {name: array_of(t) for name, t in held.items()},
            "gradients": {
                name: _gradient(t)
                for name, t in held.items()
                if t._edge is None and t._grad is not None
            },
        }

    def check(self, saved: Any) -> None:
        held = self._tensors()
        saved = expect_dict(self.name, saved, ["values", "gradients"])
        values = expect_dict(self.name, saved["values"], held)
        for name, tensor in held.items():
            expect_tensor(f"{self.name}, {name!r}", values[name], tensor)
        if not isinstance(saved["gradients"], dict) or not set(saved["gradients"]) <= set(held):
            raise mismatch(self.name, "expected gradients of the same Tensors.")
        for name, gradient in saved["gradients"].items():
            _check_gradient(f"{self.name}, gradient of {name!r}", gradient, held[name])

    def apply(self, saved: Any) -> None:
        for name, tensor in self._tensors().items():
            tensor.set_value(saved["values"][name])
            if tensor._edge is None:
                tensor._grad = _made_gradient(saved["gradients"].get(name), tensor)


def _gradient(tensor: Tensor) -> Any:
    """A gradient as data: an array, rows of one, or that it was cleared."""
    held = tensor._grad
    if held is CLEARED:
        return "cleared"
    if type(held) is RowsGradient and held.is_rows:
        return {"index": held.rows.index.cpu().numpy(), "rows": array_of(held.values())}
    return array_of(held)


def _check_gradient(part: str, saved: Any, tensor: Tensor) -> None:
    if isinstance(saved, str) and saved == "cleared":
        return
    if not isinstance(saved, dict):
        expect_tensor(part, saved, tensor)
        return
    index, rows = (expect_dict(part, saved, ["index", "rows"])[k] for k in ("index", "rows"))
    fits = (
        isinstance(index, np.ndarray)
        and isinstance(rows, np.ndarray)
        and index.dtype == np.int64
        and index.ndim == 1
        and rows.dtype == numpy_dtype(tensor.dtype)
        and list(rows.shape) == [len(index), *tensor.shape[1:]]
        and (not len(index) or (index.min() >= 0 and index.max() < tensor.shape[0]))
    )
    if not fits:
        raise mismatch(part, f"expected rows of a table of shape {tensor.shape}.")


def _made_gradient(saved: Any, tensor: Tensor) -> Any:
    if saved is None:
        return None
    if isinstance(saved, str):
        return CLEARED
    if isinstance(saved, dict):
        return rows_of(Tensor(saved["index"]), _tensor(saved["rows"], tensor), tensor)
    return _tensor(saved, tensor)


def _tensor(array: np.ndarray, like: Tensor) -> Tensor:
    """An array as a Tensor of the dtype of another one."""
    made = empty(list(array.shape), like.dtype)
    made.set_value(array)
    return made


def members(layer: Any) -> Callable[[], dict[str, Any]]:
    """Returns a function that gives the parameters and all buffers of a layer by their names.

    Raises:
        InvalidArgumentError: they are variables of a Program.
    """

    def found() -> dict[str, Any]:
        named = [*layer.named_parameters(), *layer.named_buffers()]
        return {name: tensor for name, tensor in named if tensor is not None}

    for name, tensor in found().items():
        if not isinstance(tensor, Tensor):
            raise InvalidArgumentError(
                f"TrainingState(layers): {name!r} is a variable of a Program.",
                hint="in static mode pass programs=...",
            )
    return found
