"""LoDTensor: a Tensor together with the offsets that split its rows into sequences."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from paddle.core.convert import tensor_of
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.levels import levels_on, put_levels
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

    __slots__ = ("_dims", "_lod", "tensor")

    def __init__(self, tensor: Tensor | Any = None, lod: Any = ()) -> None:
        self.tensor: Any = tensor  # None while it holds nothing
        self._lod: list[list[int]] = [list(level) for level in lod]
        self._dims: list[int] = [0]  # the sizes while it holds nothing
        if isinstance(tensor, (list, tuple)):  # 1.x: the lengths of what is to come
            self.tensor = None
            self.set_recursive_sequence_lengths(tensor)

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
            made._share_buffer_to(self.tensor)

    def put(self, buffer: Any) -> None:
        """Lets the Tensor stand for another buffer; the handle stays the same."""
        if self.tensor is None:
            from paddle.core.tensor import wrap

            self.tensor = wrap(buffer)
        else:
            self.tensor._rebind(buffer)

    @property
    def buffer(self) -> Any:
        """The memory of the contents."""
        return self._filled()._buf

    def shape(self) -> list[int]:
        """Returns the sizes."""
        return list(self._dims) if self.tensor is None else self.tensor.shape

    def _dtype(self) -> Any:
        return self._filled().dtype

    def _place(self) -> Any:
        return self._filled().place

    def _is_initialized(self) -> bool:
        return self.tensor is not None

    # -- as tests of 1.x fill it -----------------------------------------------

    def _get_dims(self) -> list[int]:
        return self.shape()

    def _set_dims(self, dims: Any) -> None:
        """Sets the sizes; contents of as many elements stay, others are dropped."""
        self._dims = [int(n) for n in dims]
        if self.tensor is not None:
            same = int(np.prod(self._dims)) == int(np.prod(self.tensor.shape))
            if same:
                self.set(self.numpy().reshape(self._dims), self._place())
            else:
                self.tensor = None

    def _alloc(self, dtype: str, place: Any) -> None:
        self.set(np.zeros(self.shape(), dtype), place)

    def _alloc_float(self, place: Any = None) -> None:
        self._alloc("float32", place)

    def _alloc_double(self, place: Any = None) -> None:
        self._alloc("float64", place)

    def _alloc_int(self, place: Any = None) -> None:
        self._alloc("int32", place)

    def _clear(self) -> None:
        self._dims, self.tensor = self.shape(), None

    def _get_element(self, i: int, dtype: str) -> float:
        array = self.numpy()
        if array.dtype != dtype:
            raise InvalidArgumentError(
                f"LoDTensor: expected an element of {dtype}, but its contents are of {array.dtype}."
            )
        return float(array.flat[i])

    def _set_element(self, i: int, e: float, dtype: str) -> None:
        self._get_element(i, dtype)  # refuses another type
        array = self.numpy()
        array.flat[i] = e
        self.set(array, self._place())

    def _get_float_element(self, i: int) -> float:
        return self._get_element(i, "float32")

    def _set_float_element(self, i: int, e: float) -> None:
        self._set_element(i, e, "float32")

    def _get_double_element(self, i: int) -> float:
        return self._get_element(i, "float64")

    def _set_double_element(self, i: int, e: float) -> None:
        self._set_element(i, e, "float64")

    def _copy(self, place: Any) -> LoDTensor:
        """The same contents and levels in memory of their own, at a place."""
        made = LoDTensor(lod=self.lod())
        if self.tensor is not None:
            made.set(self.numpy(), place)
        return made

    def numpy(self) -> np.ndarray:
        """Returns the contents as an array of its own memory."""
        return self._filled().numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.tensor is None:  # as in 1.x, where libraries copy variables that have no value yet
            return np.empty([0], dtype or "float64")
        return self._filled().__array__(dtype)

    def __len__(self) -> int:
        return len(self._filled())

    # -- LoD -------------------------------------------------------------------

    def lod(self) -> list[list[int]]:
        """Returns the offsets of every level."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Any) -> None:
        """Sets the offsets of every level, the outermost first.

        Args:
            lod (list[list[int]]): each level starts with 0 and never falls; the last one ends at
                the number of rows, those above at the number of sequences below.
        """
        self._lod = self._checked("set_lod", "offsets", lod, [_integers(n, "set_lod") for n in lod])

    def _checked(self, call: str, what: str, given: Any, levels: list[list[int]]) -> list:
        rows = None if self.tensor is None else self.tensor.shape[0]
        wrong = invalid_levels(levels, rows)
        if wrong:
            raise InvalidArgumentError(
                f"{call}: expected {what} that split {'the' if rows is None else rows} rows, but "
                f"received {_shortened(given)}: {wrong}."
            )
        return levels

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """Returns the lengths of the sequences of every level."""
        return [[b - a for a, b in itertools.pairwise(level)] for level in self._lod]

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Any) -> None:
        """Sets the levels by the lengths of their sequences.

        Args:
            recursive_sequence_lengths (list[list[int]]): the outermost level first; those of the
                last one count rows, those above sequences of the next level.
        """
        call, given = "set_recursive_sequence_lengths", recursive_sequence_lengths
        levels = [[0, *itertools.accumulate(_integers(n, call))] for n in given]
        self._lod = self._checked(call, "lengths", given, levels)

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Says whether the levels fit together and the rows."""
        if self.tensor is None:
            return not self._lod
        return not invalid_levels(self._lod, self.tensor.shape[0])

    def __getitem__(self, item: Any) -> LoDTensor:
        array = self.numpy()[item]
        return LoDTensor(tensor_of(array if array.ndim else array.reshape(1), None, self._place()))

    def __str__(self) -> str:
        if self.tensor is None:
            return repr(self)
        levels = "".join("{" + ", ".join(map(str, level)) + "}" for level in self._lod)
        array = self.numpy()
        kind = _PRINTED.get(array.dtype.name, array.dtype.name)
        data = " ".join(f"{v:.6g}" if array.dtype.kind == "f" else str(int(v)) for v in array.flat)
        sizes = ", ".join(map(str, array.shape))
        return (f"\tlod: {{{levels}}}\n\tdim: {sizes}\n\tlayout: NCHW\n\tdtype: {kind}\n"
                f"\tdata: [{data}]\n")  # fmt: skip

    def __repr__(self) -> str:
        if self.tensor is None:
            return "LoDTensor(not initialized)"
        return f"LoDTensor(lod={self._lod}, {self.tensor!r})"


class HeldTensor(LoDTensor):
    """What an eager Tensor holds, with the levels on its buffer, where operators look for them.

    Args:
        tensor (Tensor): it.
    """

    __slots__ = ()

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._dims = [0]

    @property
    def _lod(self) -> list[list[int]]:  # type: ignore[override]
        return levels_on(self.buffer) or []

    @_lod.setter
    def _lod(self, levels: list[list[int]]) -> None:
        put_levels(self.buffer, levels)


class LoDTensorArray(list):
    """A list of LoDTensors: what a tensor array of a Program holds.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle.fluid as fluid
            array = fluid.LoDTensorArray()
            array.append(fluid.create_lod_tensor(np.ones([3, 1]), [[1, 2]], fluid.CPUPlace()))
            print(len(array), array[0].shape())  # 1 [3, 1]
    """

    def append(self, tensor: Any) -> None:
        """Adds a LoDTensor at the end.

        Args:
            tensor (LoDTensor): it.
        """
        if not isinstance(tensor, (LoDTensor, Tensor)):
            raise TypeError(
                "LoDTensorArray.append(tensor): expected a LoDTensor, but received "
                f"{type(tensor).__name__}."
            )
        super().append(tensor)


_PRINTED = {
    "float32": "float", "float64": "double", "int64": "int64_t", "int32": "int", "bool": "bool",
    "float16": "::paddle::platform::float16", "uint8": "uint8_t", "int8": "int8_t",
    "int16": "int16_t",
}  # fmt: skip


def _shortened(value: Any) -> str:
    text = str(value)
    return text if len(text) < 80 else text[:76] + " ..."


def _integers(level: Any, call: str) -> list[int]:
    if isinstance(level, (str, bytes)) or not hasattr(level, "__iter__"):
        raise TypeError(
            f"{call}: expected a list of lists of numbers, but received {level!r} as a level."
        )
    return [int(n) for n in level]


def invalid_levels(levels: list[list[int]], rows: int | None) -> str:
    """What is wrong with levels; nothing: they are right.

    Args:
        levels (list[list[int]]): offsets, the outermost level first.
        rows (int, optional): how many rows they split. Default: any number.
    """
    for i, level in enumerate(levels):
        if not level or level[0] != 0:
            return f"level {i} does not start with 0"
        if any(a > b for a, b in itertools.pairwise(level)):
            return f"a sequence of level {i} has a negative length"
        ends = len(levels[i + 1]) - 1 if i + 1 < len(levels) else rows
        if ends is not None and level[-1] != ends:
            what = "rows" if i + 1 == len(levels) else f"sequences of level {i + 1}"
            return f"level {i} ends at {level[-1]}, but there are {ends} {what}"
    return ""
