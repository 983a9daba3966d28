"""Padding: batches of arrays whose lengths differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import Guarded, guarded
from paddle.core.tensor import Tensor
from paddle.io.dataloader.collate import UnequalSamples, default_collate_fn
from paddle.io.dataloader.sampler import is_count

__all__ = ["PadCollate", "pad_batch"]


@guarded
def pad_batch(
    batch: Sequence[Any],
    pad_value: float = 0,
    axis: int = 0,
    pad_to_multiple_of: int | None = None,
    return_length: bool = False,
) -> Any:
    """Stacks arrays of unequal length; the shorter ones are filled up at their end.

    Args:
        batch (list): arrays, Tensors or lists of numbers, with equal numbers of dimensions; all
            sizes but that of ``axis`` are equal.
        pad_value (number): what is filled in. Default 0.
        axis (int): the dimension, counted in one array, in which lengths differ. Default 0.
        pad_to_multiple_of (int|None): the common length is rounded up to a multiple of this.
            Default None: it is that of the longest.
        return_length (bool): whether to return the lengths too. Default False.

    Returns:
        numpy.ndarray: shape ``[N, ...]``; with ``return_length`` a tuple of it and the lengths, an
        int64 array of shape ``[N]``.

    Raises:
        ValueError: the batch is empty, or the arrays differ in more than the length.
        TypeError: an element holds something else than numbers, or ``pad_value`` is none.

    Examples:
        .. code-block:: python

            from paddle.incubate.data import pad_batch

            words, lengths = pad_batch([[1, 2, 3], [4]], pad_value=9, return_length=True)
            print(words.tolist(), lengths.tolist())  # [[1, 2, 3], [4, 9, 9]] [3, 1]
    """
    _check_settings("pad_batch", axis, pad_to_multiple_of)
    padded, lengths = _padded(batch, "", pad_value, axis, pad_to_multiple_of)
    return (padded, lengths) if return_length else padded


class PadCollate(Guarded):
    """A ``collate_fn`` of DataLoader that pads fields of unequal length, see :func:`pad_batch`.

    Args:
        fields (list|None): which fields of a sample are padded: positions in a tuple or list, keys
            of a dict. None pads every field that is an array or Tensor with dimensions, or a list
            of numbers. The others become batches as without a ``collate_fn``.
        pad_value (number|dict): what is filled in, for all padded fields or for each by its
            position or key (0 for those that are not in the dict). Default 0.
        axis (int): the dimension in which lengths differ. Default 0.
        pad_to_multiple_of (int|None): see :func:`pad_batch`. Default None.
        return_length (bool): whether lengths are added: one more field at the end for each padded
            field, or under ``"<key>_length"`` in a dict. Default False.

    Raises:
        TypeError, ValueError: an argument is wrong; when called, samples that do not fit together,
            with the number and the field in the message.

    Examples:
        .. code-block:: python

            from paddle.incubate.data import PadCollate
            from paddle.io import DataLoader

            sentences = [([1, 2, 3], 0), ([4], 1)]
            pad = PadCollate(fields=[0], return_length=True)
            for words, label, lengths in DataLoader(sentences, batch_size=2, collate_fn=pad):
                print(words.shape, label.numpy(), lengths.numpy())  # [2, 3] [0 1] [3 1]
    """

    def __init__(
        self,
        fields: Sequence[Any] | None = None,
        pad_value: Any = 0,
        axis: int = 0,
        pad_to_multiple_of: int | None = None,
        return_length: bool = False,
    ) -> None:
        _check_settings("PadCollate", axis, pad_to_multiple_of)
        if fields is not None and (isinstance(fields, str) or not isinstance(fields, Sequence)):
            raise TypeError(
                "PadCollate(fields): expected a list of positions or keys, "
                f"but received {type(fields).__name__}."
            )
        if not isinstance(return_length, bool):
            raise TypeError(
                "PadCollate(return_length): expected a bool, "
                f"but received {type(return_length).__name__}."
            )
        for value in pad_value.values() if isinstance(pad_value, Mapping) else [pad_value]:
            _check_pad_value("PadCollate", value)
        self.fields = None if fields is None else list(fields)
        self.pad_value = pad_value
        self.axis = axis
        self.pad_to_multiple_of = pad_to_multiple_of
        self.return_length = return_length

    def __call__(self, batch: Sequence[Any]) -> Any:
        """Makes a batch.

        Args:
            batch (list): samples.

        Returns:
            list|dict|numpy.ndarray: what a sample looks like, with a batch for each field.
        """
        first = batch[0]
        if isinstance(first, Mapping):
            return self._mapping(batch)
        if _is_row(first) or not isinstance(first, Sequence) or isinstance(first, str):
            return self._single(batch)
        self._check_fields(range(len(first)))
        for i, sample in enumerate(batch):
            if not isinstance(sample, Sequence) or len(sample) != len(first):
                raise UnequalSamples(
                    f"PadCollate: expected {len(first)} fields in every sample of the batch, as in "
                    f"sample 0, but sample {i} has "
                    f"{len(sample) if isinstance(sample, Sequence) else type(sample).__name__}.",
                    i,
                )
        made, lengths = [], []
        for position, column in enumerate(zip(*batch, strict=True)):
            field, length = self._field(position, list(column), f"[{position}]")
            made.append(field)
            lengths += [] if length is None else [length]
        if self.return_length:
            return [*made, *lengths]
        return type(first)(*made) if hasattr(first, "_fields") else made

    def _mapping(self, batch: Sequence[Any]) -> dict[Any, Any]:
        first = batch[0]
        self._check_fields(first)
        made: dict[Any, Any] = {}
        for i, sample in enumerate(batch):
            if not isinstance(sample, Mapping) or sample.keys() != first.keys():
                raise UnequalSamples(
                    f"PadCollate: expected the keys {sorted(map(str, first))} in every sample of "
                    f"the batch, as in sample 0, but sample {i} differs.",
                    i,
                )
        for key in first:
            field, length = self._field(key, [sample[key] for sample in batch], f"[{key!r}]")
            made[key] = field
            if length is not None and self.return_length:
                made[f"{key}_length"] = length
        return made

    def _single(self, batch: Sequence[Any]) -> Any:
        if self.fields is not None:
            raise InvalidArgumentError(
                f"PadCollate(fields): expected samples with the fields {self.fields}, but they are "
                f"single values of type {type(batch[0]).__name__}.",
                hint="leave fields out, and they are padded",
            )
        field, length = self._field(None, list(batch), "")
        return [field, length] if self.return_length and length is not None else field

    def _field(self, name: Any, column: list[Any], path: str) -> tuple[Any, np.ndarray | None]:
        wanted = _is_row(column[0]) if self.fields is None else name in self.fields
        if not wanted:
            return default_collate_fn(column), None
        value = self.pad_value
        if isinstance(value, Mapping):
            value = value.get(name, 0)
        return _padded(column, path, value, self.axis, self.pad_to_multiple_of)

    def _check_fields(self, there: Any) -> None:
        named = list(self.fields or [])
        named += self.pad_value if isinstance(self.pad_value, Mapping) else []
        missing = [name for name in named if name not in there]
        if missing:
            raise InvalidArgumentError(
                f"PadCollate: expected fields {list(there)} of the samples, "
                f"but received {missing} in fields or pad_value."
            )


def _is_row(value: Any) -> bool:
    """Whether something has a length that may differ from sample to sample."""
    if isinstance(value, (np.ndarray, Tensor)):
        return len(value.shape) > 0
    return type(value) is list and all(isinstance(v, (int, float, np.number)) for v in value)


def _padded(
    batch: Sequence[Any], path: str, value: Any, axis: int, multiple: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the padded batch and the lengths; errors name ``path``, the field."""
    _check_pad_value("pad_batch", value)
    if not len(batch):
        raise InvalidArgumentError("pad_batch(batch): expected at least one array, but got none.")
    rows = [_array(sample, path, i) for i, sample in enumerate(batch)]
    # An empty list says nothing about its type.
    dtype = np.result_type(*([row.dtype for row in rows if row.size] or [rows[0].dtype]))
    if dtype.kind in "iu" and float(value) != int(value):
        raise InvalidArgumentError(
            f"pad_batch(pad_value): expected an integer for data of type {dtype}, "
            f"but received {value}."
        )
    first = rows[0]
    if not -first.ndim <= axis < first.ndim:
        raise InvalidArgumentError(
            f"pad_batch(axis): expected an axis of samples of shape {list(first.shape)}"
            f"{_at(path)}, but received {axis}."
        )
    axis %= first.ndim
    rest = _without(first.shape, axis)
    for i, row in enumerate(rows):
        if row.ndim != first.ndim or _without(row.shape, axis) != rest:
            raise UnequalSamples(
                f"pad_batch: expected shapes that differ in axis {axis} only, but sample {i} has "
                f"shape {list(row.shape)}{_at(path)} where sample 0 has {list(first.shape)}.",
                i,
            )
    lengths = np.array([row.shape[axis] for row in rows], np.int64)
    longest = int(lengths.max())
    if multiple is not None:
        longest = -(-longest // multiple) * multiple
    shape = (len(rows), *first.shape[:axis], longest, *first.shape[axis + 1 :])
    made = np.full(shape, value, dtype)
    before: tuple[Any, ...] = (slice(None),) * axis
    for i, row in enumerate(rows):
        window: Any = (i, *before, slice(row.shape[axis]))
        made[window] = row
    return made, lengths


def _array(sample: Any, path: str, position: int) -> np.ndarray:
    try:
        made = np.asarray(sample)
    except ValueError:  # rows of a list that differ in length
        made = np.empty(0, dtype=object)
    if made.dtype.kind not in "biufc":
        raise TypeError(
            f"pad_batch: expected numbers{_at(path)}, but sample {position} is "
            f"{type(sample).__name__} {str(sample)[:40]!r}."
        )
    return made


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _at(path: str) -> str:
    return f" at sample{path}" if path else ""


def _check_pad_value(api: str, value: Any) -> None:
    if not isinstance(value, (int, float, np.number)):
        raise TypeError(
            f"{api}(pad_value): expected a number, but received {type(value).__name__}."
        )


def _check_settings(api: str, axis: Any, multiple: Any) -> None:
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise TypeError(f"{api}(axis): expected an int, but received {type(axis).__name__}.")
    if multiple is not None and not is_count(multiple):
        raise InvalidArgumentError(
            f"{api}(pad_to_multiple_of): expected a positive int or None, "
            f"but received {multiple!r}."
        )
