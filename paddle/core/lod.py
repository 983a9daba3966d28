"""LoDTensor: a Tensor together with the offsets that split its rows into sequences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.tensor import Tensor


class LoDTensor:
    """What a scope holds under a name: contents that may be missing, and LoD.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            scope = paddle.static.Scope()
            t = scope.var("x").get_tensor()
            t.set(np.ones([2, 3], "float32"), paddle.CPUPlace())
            print(t.shape(), np.array(t).sum())  # [2, 3] 6.0
    """

    __slots__ = ("_lod", "tensor")

    def __init__(self, tensor: Tensor | None = None, lod: Any = ()) -> None:
        self.tensor: Any = tensor  # None while it holds nothing
        self._lod: list[list[int]] = [list(level) for level in lod]

    def _filled(self) -> Tensor:
        if self.tensor is None:
            raise PreconditionNotMetError("the LoDTensor holds no memory: nothing was set yet.")
        return self.tensor

    def set(self, array: Any, place: Any = None, zero_copy: bool = False) -> None:
        """Puts contents in.

        Args:
            array (np.ndarray|Tensor|list): the contents.
            place (Place, optional): the device; None means the current one.
            zero_copy (bool): only a hint; the contents are always copied.
        """
        made = tensor_of(array, None if hasattr(array, "dtype") else "float32", place)
        if self.tensor is None:
            self.tensor = made
        else:
            self.tensor._rebind(made._buf)

    def put(self, buffer: Any) -> None:
        """Lets the Tensor stand for another buffer; the handle stays the same."""
        if self.tensor is None:
            from paddle.core.tensor import wrap

            self.tensor = wrap(buffer)
        else:
            self.tensor._rebind(buffer)

    def shape(self) -> list[int]:
        """Returns the sizes."""
        return [0] if self.tensor is None else self.tensor.shape

    def _dtype(self) -> Any:
        return self._filled().dtype

    def _place(self) -> Any:
        return self._filled().place

    def _is_initialized(self) -> bool:
        return self.tensor is not None

    def numpy(self) -> np.ndarray:
        """Returns the contents as an array of its own memory."""
        return self._filled().numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self._filled().__array__(dtype)

    def __len__(self) -> int:
        return len(self._filled())

    # -- LoD -------------------------------------------------------------------

    def lod(self) -> list[list[int]]:
        """Returns the offsets of every level."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Any) -> None:
        """Sets the offsets of every level: each starts with 0 and never falls."""
        levels = [[int(n) for n in level] for level in lod]
        for level in levels:
            if not level or level[0] != 0 or any(a > b for a, b in itertools.pairwise(level)):
                raise InvalidArgumentError(
                    f"set_lod: expected offsets that start with 0 and rise, but received {level}."
                )
        self._lod = levels

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """Returns the lengths of the sequences of every level."""
        return [[b - a for a, b in itertools.pairwise(level)] for level in self._lod]

    def set_recursive_sequence_lengths(self, lengths: Any) -> None:
        """Sets the levels by the lengths of their sequences."""
        levels = []
        for given in lengths:
            offsets = [0]
            for n in given:
                offsets.append(offsets[-1] + int(n))
            levels.append(offsets)
        self.set_lod(levels)

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Says whether the levels fit together and the rows."""
        if not self._lod:
            return True
        for upper, lower in zip(self._lod, self._lod[1:]):
            if upper[-1] != len(lower) - 1:
                return False
        return self.tensor is not None and self._lod[-1][-1] == self.tensor.shape[0]

    def __repr__(self) -> str:
        if self.tensor is None:
            return "LoDTensor(not initialized)"
        return f"LoDTensor(lod={self._lod}, {self.tensor!r})"
