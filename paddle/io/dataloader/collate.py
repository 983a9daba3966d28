"""Makes a batch out of samples: stacks field by field, once per field and batch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from paddle.core import backends
from paddle.core.dtype import FROM_TORCH, numpy_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor, wrap

CPU = backends.CPU.device()
_NUMBERS = (int, float, complex, np.number, np.bool_)
# Below this size it does not matter in what memory a field is made.
_LARGE = 1 << 16

Empty = Callable[[tuple[int, ...], np.dtype], "np.ndarray | None"]
"""Provides memory for a field of a batch; see :func:`collate_into`."""


class UnequalSamples(InvalidArgumentError):
    """Samples of one batch do not fit together; ``position`` tells which one in the batch."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(
            message,
            hint="pad or crop the samples to one size, or pass your own collate_fn",
        )
        self.position = position

    def place(self, numbers: Sequence[Any], whole: str) -> None:
        """Adds to the message which samples of the dataset (or stream) these are."""
        self.args = (
            f"{self.args[0]}\n  sample {self.position} of the batch is number "
            f"{numbers[self.position]} of the {whole}, sample 0 is number {numbers[0]}.",
        )

    def __reduce__(self) -> Any:
        return InvalidArgumentError, (self.args[0].partition(") ")[2],)


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Stacks samples into a batch; what samples are made of stays as it is.

    Args:
        batch (list): samples of the same structure: arrays and Tensors of equal shapes, numbers,
            PIL images, strings, and lists, tuples and dicts of them.

    Returns:
        What one sample looks like, with a batch in place of each field: a new first dimension on
        arrays and Tensors, arrays of shape ``[N]`` for numbers (int64, float64, bool), float32
        arrays ``[N, C, H, W]`` for PIL images, lists of strings.

    Raises:
        ValueError: shapes, lengths or keys differ between the samples.
        TypeError: a field is nothing of the above.

    Examples:
        .. code-block:: python

            import numpy as np
            from paddle.io.dataloader.collate import default_collate_fn

            image, label = default_collate_fn([(np.zeros([2, 2]), 0), (np.ones([2, 2]), 1)])
            print(image.shape, label)  # (2, 2, 2) [0 1]
    """
    return _collate(batch, "", _nowhere)


def collate_into(empty: Empty) -> Callable[[Sequence[Any]], Any]:
    """Returns :func:`default_collate_fn` that makes large fields in memory somebody provides.

    Args:
        empty (callable): returns an array of a shape and dtype whose values do not matter, or
            None where there is no such memory.
    """
    return lambda batch: _collate(batch, "", empty)


def _nowhere(shape: tuple[int, ...], dtype: np.dtype) -> None:
    return None


def _collate(batch: Sequence[Any], path: str, empty: Empty) -> Any:
    first = batch[0]
    kind = type(first)
    if kind is np.ndarray or isinstance(first, np.ndarray):
        return _stack_arrays(batch, path, empty)
    if isinstance(first, Tensor):
        return _stack_tensors(batch, path, empty)
    if isinstance(first, _NUMBERS):
        return _numbers(batch, path)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return _collate_mappings(batch, path, empty)
    if isinstance(first, Sequence):
        return _collate_sequences(batch, path, empty)
    if _is_pil_image(first):
        return _stack_arrays([image_array(image) for image in batch], path, empty)
    raise TypeError(
        f"DataLoader: a sample{_at(path)} is {kind.__name__}; expected NumPy arrays, Tensors, "
        "numbers, strings, PIL images, or lists, tuples and dicts of them. "
        "Convert it in the dataset, or pass your own collate_fn."
    )


def _stack_arrays(batch: Sequence[Any], path: str, empty: Empty) -> np.ndarray:
    try:
        stacked = np.stack(batch, out=_place_for(batch, empty))
    except (ValueError, TypeError):
        _explain(batch, path, np.ndarray)
        raise
    if stacked.dtype.kind not in "biufc":
        raise TypeError(
            f"DataLoader: arrays{_at(path)} have dtype {stacked.dtype}, which no Tensor can hold; "
            "expected numbers or booleans."
        )
    return stacked


def _place_for(batch: Sequence[Any], empty: Empty) -> np.ndarray | None:
    """Returns memory for arrays of one shape and dtype, where it is worth while."""
    if empty is _nowhere:
        return None
    shape, dtype = batch[0].shape, batch[0].dtype
    if len(batch) * batch[0].nbytes < _LARGE or dtype.kind not in "biufc":
        return None
    for array in batch:
        if type(array) is not np.ndarray or array.shape != shape or array.dtype != dtype:
            return None
    return empty((len(batch), *shape), dtype)


def _stack_tensors(batch: Sequence[Any], path: str, empty: Empty) -> Tensor:
    try:
        buffers = [tensor._buf for tensor in batch]
        return wrap(torch.stack(buffers, out=_buffer_for(buffers, empty)))
    except (RuntimeError, AttributeError, TypeError):
        _explain(batch, path, Tensor)
        raise


def _buffer_for(buffers: Sequence[torch.Tensor], empty: Empty) -> torch.Tensor | None:
    """The same for Tensors."""
    if empty is _nowhere:
        return None
    first = buffers[0]
    if len(buffers) * first.nbytes < _LARGE or first.device != CPU or first.dtype is torch.bfloat16:
        return None
    for buffer in buffers:
        if buffer.shape != first.shape or buffer.dtype is not first.dtype:
            return None
    made = empty((len(buffers), *first.shape), numpy_dtype(FROM_TORCH[first.dtype]))
    return None if made is None else torch.from_numpy(made)


def _numbers(batch: Sequence[Any], path: str) -> np.ndarray:
    try:
        made = np.array(batch)
    except (ValueError, OverflowError, TypeError):
        made = np.empty(0, dtype=object)
    if made.ndim != 1 or made.dtype.kind not in "biufc":
        _explain(batch, path, _NUMBERS)
        raise InvalidArgumentError(
            f"DataLoader: expected numbers{_at(path)} of at most 64 bits, but received "
            f"{[str(number)[:40] for number in batch[:4]]}."
        ) from None
    return made


def _explain(batch: Sequence[Any], path: str, kind: Any) -> None:
    """Raises the error that names the first sample which differs from sample 0."""
    names = " or ".join(k.__name__ for k in kind[:2]) if isinstance(kind, tuple) else kind.__name__
    for i, sample in enumerate(batch):
        if not isinstance(sample, kind):
            raise UnequalSamples(
                f"DataLoader: expected {names}{_at(path)} in every sample of the batch, as in "
                f"sample 0, but sample {i} has {type(sample).__name__}.",
                i,
            ) from None
        if isinstance(kind, tuple):
            continue
        if list(sample.shape) != list(batch[0].shape):
            raise UnequalSamples(
                "DataLoader: expected equal shapes in a batch, but sample "
                f"{i} has shape {list(sample.shape)}{_at(path)} where sample 0 has "
                f"{list(batch[0].shape)}.",
                i,
            ) from None
        if isinstance(sample, Tensor) and sample.dtype != batch[0].dtype:
            raise UnequalSamples(
                f"DataLoader: expected equal data types in a batch, but sample {i} has "
                f"{sample.dtype}{_at(path)} where sample 0 has {batch[0].dtype}.",
                i,
            ) from None


def _collate_mappings(batch: Sequence[Any], path: str, empty: Empty) -> dict[Any, Any]:
    first = batch[0]
    for i, sample in enumerate(batch):
        if not isinstance(sample, Mapping) or sample.keys() != first.keys():
            got = sorted(map(str, sample)) if isinstance(sample, Mapping) else type(sample).__name__
            raise UnequalSamples(
                f"DataLoader: expected the keys {sorted(map(str, first))}{_at(path)} in every "
                f"sample of the batch, as in sample 0, but sample {i} has {got}.",
                i,
            )
    return {key: _collate([s[key] for s in batch], f"{path}[{key!r}]", empty) for key in first}


def _collate_sequences(batch: Sequence[Any], path: str, empty: Empty) -> Any:
    first = batch[0]
    size = len(first)
    for i, sample in enumerate(batch):
        if not isinstance(sample, Sequence) or isinstance(sample, str) or len(sample) != size:
            got = f"{len(sample)}" if isinstance(sample, Sequence) else type(sample).__name__
            raise UnequalSamples(
                f"DataLoader: expected {size} fields{_at(path)} in every sample of the batch, as "
                f"in sample 0, but sample {i} has {got}.",
                i,
            )
    columns = zip(*batch, strict=True)
    fields = [_collate(field, f"{path}[{i}]", empty) for i, field in enumerate(columns)]
    return type(first)(*fields) if hasattr(first, "_fields") else fields


def default_convert_fn(batch: Any) -> Any:
    """Prepares one sample that is not batched: PIL images become arrays, the rest stays.

    Args:
        batch (Any): one sample.

    Returns:
        The sample with lists for tuples and float32 arrays ``[C, H, W]`` for PIL images.

    Examples:
        .. code-block:: python

            from paddle.io.dataloader.collate import default_convert_fn
            print(default_convert_fn((1, {"name": "a"})))  # [1, {'name': 'a'}]
    """
    if isinstance(batch, (np.ndarray, Tensor, str, bytes)):
        return batch
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(value) for key, value in batch.items()}
    if isinstance(batch, Sequence):
        fields = [default_convert_fn(field) for field in batch]
        return type(batch)(*fields) if hasattr(batch, "_fields") else fields
    return image_array(batch) if _is_pil_image(batch) else batch


def _is_pil_image(value: Any) -> bool:
    # Whoever holds an image has imported Pillow already; nobody else should have to.
    pil = sys.modules.get("PIL.Image")
    return pil is not None and isinstance(value, pil.Image)


def image_array(image: Any) -> np.ndarray:
    """Returns a PIL image as a float32 array ``[C, H, W]`` of its own values, 0 to 255.

    Channels go first, also where there is only one, because that is what the vision models take.
    An image with a palette gives its indices: it is most often a mask of classes.
    """
    array = np.asarray(image, dtype=np.float32)
    return array[None] if array.ndim == 2 else array.transpose(2, 0, 1)


def _at(path: str) -> str:
    return f" at sample{path}" if path else ""
