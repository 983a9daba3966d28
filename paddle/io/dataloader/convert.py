"""Turns collated batches into Tensors on the device the loader serves."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from paddle.core import backends
from paddle.core.backends import backend_for, backend_on
from paddle.core.dtype import FROM_TORCH, NAMES
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import Place, current_device, expected_names, named_place
from paddle.core.tensor import Tensor, wrap

CPU = backends.CPU.device()


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


def without_tensors(batch: Any) -> Any:
    """Replaces plain CPU Tensors of a batch by arrays on their memory, which travel uncopied.

    :func:`to_tensors` undoes it. A Tensor that is more than its values stays what it is.
    """

    def change(field: Any) -> Any:
        if type(field) is not Tensor or field.__dict__ or not field.stop_gradient:
            return field
        buf = field._buf
        if buf.device != CPU or buf.layout != torch.strided or buf.dtype == torch.bfloat16:
            return field  # NumPy has no bfloat16
        return buf.contiguous().numpy()

    return map_leaves(batch, change)


def to_device(batch: Any, device: torch.device) -> Any:
    """Starts copying the Tensors of a batch to ``device``; the copy may still run on return.

    From page-locked memory the copy runs beside the computation, on the current stream of the
    caller, so whatever uses the result on that stream waits for it.
    """
    backend = backend_on(device)

    def change(field: Any) -> Any:
        if not isinstance(field, Tensor) or (buf := field._buf).device == device:
            return field
        return wrap(backend.copied(buf, device), field.stop_gradient)

    return map_leaves(batch, change)


def loader_device(places: Any, feeds: Any) -> torch.device | None:
    """Returns the device meant by a ``places`` argument; None stands for the current one.

    Args:
        places (Place|str|list|tuple|None): a place, or a list of them.
        feeds (list|None): the Variables that are fed, if it is known that a Program reads them.

    Raises:
        NotImplementedError: several GPUs, or several places where no Program is fed.
    """
    if places is None:
        return None
    devices = [_device(p) for p in _listed(places)]
    from paddle.framework.mode import in_dynamic_mode

    for_program = feeds is not None or not in_dynamic_mode()
    if len(devices) > 1 and not (for_program and set(devices) == {CPU}):
        raise NotImplementedError(
            f"DataLoader(places): expected one place, but received {len(devices)}: several CPU "
            "places serve a static Program that was compiled with_data_parallel. Elsewhere run one "
            "process per device (python -m paddle.distributed.launch) with a "
            "DistributedBatchSampler."
        )
    return devices[0]


def place_count(places: Any) -> int:
    """Returns how many places a ``places`` argument means."""
    return 1 if places is None else len(_listed(places))


def _listed(places: Any) -> list[Any]:
    found = list(places) if isinstance(places, (list, tuple)) else [places]
    if not found:
        raise InvalidArgumentError("DataLoader(places): expected a place, but received none.")
    return found


def for_places(batches: Iterator[Any], count: int, keep_rest: bool) -> Iterator[Any]:
    """Yields lists with a batch for each of several places, as ``Executor.run`` takes them.

    Args:
        batches (Iterator): dicts of fields, or lists of them.
        count (int): the number of places.
        keep_rest (bool): whether batches that do not suffice for every place make a last list.
    """
    while group := list(itertools.islice(batches, count)):
        if len(group) == count or keep_rest:
            yield group


def _device(place: Any) -> torch.device:
    if isinstance(place, str):
        named = named_place(place)
        if named is None:
            raise InvalidArgumentError(
                f"DataLoader(places): expected {expected_names()}, but received {place!r}."
            )
        place = named
    if not isinstance(place, Place):
        raise TypeError(
            "DataLoader(places): expected a place such as paddle.CPUPlace(), "
            f"but received {type(place).__name__}."
        )
    backend = backend_for(place)
    return CPU if backend is None else backend.device(place.get_device_id())


def target_device(device: torch.device | None) -> torch.device:
    """Returns ``device``, or the framework's current one for None."""
    return current_device() if device is None else device
