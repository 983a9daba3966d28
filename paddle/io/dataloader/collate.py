"""Makes a batch out of samples: stacks field by field, once per field and batch."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor, wrap

_NUMBERS = (int, float, complex, np.number, np.bool_)


class UnequalSamples(InvalidArgumentError):
    """Samples of one batch do not fit together; ``position`` tells which one in the batch."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(
            message,
            hint="pad or crop the samples to one size, or pass your own collate_fn",
        )
        self.position = position

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
    return _collate(batch, "")


def _collate(batch: Sequence[Any], path: str) -> Any:
    first = batch[0]
    kind = type(first)
    if kind is np.ndarray or isinstance(first, np.ndarray):
        return _stack_arrays(batch, path)
    if isinstance(first, Tensor):
        return _stack_tensors(batch, path)
    if isinstance(first, _NUMBERS):
        return _numbers(batch, path)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return _collate_mappings(batch, path)
    if isinstance(first, Sequence):
        return _collate_sequences(batch, path)
    if _is_pil_image(first):
        return _stack_arrays([image_array(image) for image in batch], path)
    raise TypeError(
        f"DataLoader: a sample{_at(path)} is {kind.__name__}; expected NumPy arrays, Tensors, "
        "numbers, strings, PIL images, or lists, tuples and dicts of them. "
        "Convert it in the dataset, or pass your own collate_fn."
    )


def _stack_arrays(batch: Sequence[Any], path: str) -> np.ndarray:
    try:
        stacked = np.stack(batch)
    except (ValueError, TypeError):
        _explain(batch, path, np.ndarray)
        raise
    if stacked.dtype.kind not in "biufc":
        raise TypeError(
            f"DataLoader: arrays{_at(path)} have dtype {stacked.dtype}, which no Tensor can hold; "
            "expected numbers or booleans."
        )
    return stacked


def _stack_tensors(batch: Sequence[Any], path: str) -> Tensor:
    try:
        return wrap(torch.stack([tensor._buf for tensor in batch]))
    except (RuntimeError, AttributeError, TypeError):
        _explain(batch, path, Tensor)
        raise


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


def _collate_mappings(batch: Sequence[Any], path: str) -> dict[Any, Any]:
    first = batch[0]
    for i, sample in enumerate(batch):
        if not isinstance(sample, Mapping) or sample.keys() != first.keys():
            got = sorted(map(str, sample)) if isinstance(sample, Mapping) else type(sample).__name__
            raise UnequalSamples(
                f"DataLoader: expected the keys {sorted(map(str, first))}{_at(path)} in every "
                f"sample of the batch, as in sample 0, but sample {i} has {got}.",
                i,
            )
    return {key: _collate([s[key] for s in batch], f"{path}[{key!r}]") for key in first}


def _collate_sequences(batch: Sequence[Any], path: str) -> Any:
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
    fields = [_collate(field, f"{path}[{i}]") for i, field in enumerate(zip(*batch, strict=True))]
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
