"""Turns collated batches into Tensors on the device the loader serves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from paddle.core.dtype import FROM_TORCH, NAMES
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import CUDAPlace, Place, current_device
from paddle.core.tensor import Tensor, wrap

CPU = torch.device("cpu")


def array_buffer(array: np.ndarray, share: bool) -> torch.Tensor:
    """Returns a torch buffer with the values of an array.

    Args:
        array (np.ndarray): numbers or booleans.
        share (bool): True lets the buffer stand on the array's memory: for arrays that nobody
            else holds.

    Raises:
        TypeError: no Tensor can hold this dtype.
    """
    ours = share and array.flags.writeable and array.flags.c_contiguous
    try:
        buf = torch.from_numpy(array if ours else np.array(array, order="C"))
    except TypeError:
        buf = None
    if buf is None or buf.dtype not in FROM_TORCH:
        raise TypeError(
            f"DataLoader: an array of dtype {array.dtype} cannot become a Tensor; expected one of "
            f"{', '.join(NAMES)}."
        )
    return buf


def map_leaves(batch: Any, change: Any) -> Any:
    """Applies ``change`` to every field of a batch; tuples become lists."""
    if type(batch) is list or type(batch) is tuple:
        return [map_leaves(field, change) for field in batch]
    if isinstance(batch, Mapping):
        return {key: map_leaves(value, change) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*[map_leaves(field, change) for field in batch])
    if isinstance(batch, (list, tuple)):
        return [map_leaves(field, change) for field in batch]
    return change(batch)


def to_tensors(batch: Any, share: bool) -> Any:
    """Replaces the arrays of a batch by CPU Tensors.

    Args:
        batch (Any): nested lists, tuples and dicts.
        share (bool): whether the arrays were made for this batch alone, so that no copy is due.
    """

    def change(field: Any) -> Any:
        if isinstance(field, np.ndarray):
            return wrap(array_buffer(field, share))
        if isinstance(field, np.generic) and field.dtype.kind in "biufc":
            return wrap(array_buffer(np.array([field]), share=True))
        return field

    return map_leaves(batch, change)


def to_device(batch: Any, device: torch.device) -> Any:
    """Starts copying the Tensors of a batch to ``device``; the copy may still run on return.

    From page-locked memory the copy runs beside the computation, on the current stream of the
    caller, so whatever uses the result on that stream waits for it.
    """

    def change(field: Any) -> Any:
        if not isinstance(field, Tensor) or field._buf.device == device:
            return field
        buf = field._buf
        if device.type == "cuda" and buf.device.type == "cpu":
            buf = buf.pin_memory().to(device, non_blocking=True)
        else:
            buf = buf.to(device)
        return wrap(buf, field.stop_gradient)

    return map_leaves(batch, change)


def loader_device(places: Any) -> torch.device | None:
    """Returns the device meant by a ``places`` argument; None stands for the current one.

    Args:
        places (Place|str|list|tuple|None): a place, or a list of just one.

    Raises:
        NotImplementedError: several places.
    """
    if places is None:
        return None
    given = list(places) if isinstance(places, (list, tuple)) else [places]
    if not given:
        raise InvalidArgumentError("DataLoader(places): expected a place, but received none.")
    if len(given) > 1:
        raise NotImplementedError(
            f"DataLoader(places): expected one place, but received {len(given)}. Run one process "
            "per device (python -m paddle.distributed.launch) with a DistributedBatchSampler."
        )
    return _device(given[0])


def _device(place: Any) -> torch.device:
    if isinstance(place, str):
        name = place.lower().replace("gpu", "cuda")
        try:
            return torch.device("cuda:0" if name == "cuda" else name)
        except RuntimeError:
            raise InvalidArgumentError(
                f"DataLoader(places): expected 'cpu', 'gpu' or 'gpu:n', but received {place!r}."
            ) from None
    if not isinstance(place, Place):
        raise TypeError(
            "DataLoader(places): expected a place such as paddle.CPUPlace(), "
            f"but received {type(place).__name__}."
        )
    if isinstance(place, CUDAPlace):
        return torch.device("cuda", place.get_device_id())
    return CPU


def target_device(device: torch.device | None) -> torch.device:
    """Returns ``device``, or the framework's current one for None."""
    return current_device() if device is None else device
