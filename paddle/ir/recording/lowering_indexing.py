"""How ``x[...]`` and ``x[...] = value`` are recorded: as slices, gathers and set_value.

An index is first brought to one :class:`Part` per axis (and per new axis). Numbers and slices
become one operator ``slice`` or ``strided_slice``; what a step below 0 turns round is flipped
before, since ``x[a:b:-k]`` is ``flip(x)[-1-a:-1-b:k]`` whatever the size. Index tensors and masks
become ``gather`` or ``gather_nd``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from paddle.core import constants
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.op import C
from paddle.ir.recording.lowering import as_variable
from paddle.ir.recording.record import lowering
from paddle.ir.variable import Variable

END = 2**31 - 1  # as the end of a slice: up to the last element
_SINGLE = ((1,), (), (-1,))  # shapes of a Variable that may hold one number
_INTEGERS = (VarType.INT32, VarType.INT64, VarType.INT16, VarType.INT8, VarType.UINT8)


class IndexPart(NamedTuple):
    """What an index says of one axis.

    Attributes:
        kind: ``"int"`` (the axis goes away), ``"slice"``, ``"new"`` (an axis that is added),
            ``"index"`` (a tensor of integers), ``"mask"`` (a boolean tensor, over several axes).
        value: an int or Variable, a slice, None, or an array or Variable.
    """

    kind: str
    value: Any

    @property
    def axes(self) -> int:
        """How many axes of the tensor it uses up."""
        if self.kind == "mask":
            return len(self.value.shape)
        return 0 if self.kind == "new" else 1


ALL = IndexPart("slice", slice(None))


def parse(x: Variable, item: Any) -> list[IndexPart]:
    """Brings an index to parts that cover all axes of ``x``."""
    items = list(item) if isinstance(item, tuple) else [item]
    if sum(part is Ellipsis for part in items) > 1:
        raise OutOfRangeError("an index can hold at most one ellipsis '...'.")
    parts: list[Any] = []
    for part in items:
        parts += [part] if part is Ellipsis else _parts(part)
    used = sum(p.axes for p in parts if p is not Ellipsis)
    rank = len(x.shape)
    if used > rank:
        raise OutOfRangeError(
            f"too many indices: a Variable of shape {list(x.shape)} takes at most {rank}, "
            f"got {used}."
        )
    rest = [ALL] * (rank - used)
    if not any(part is Ellipsis for part in items):
        return parts + rest
    at = next(i for i, p in enumerate(parts) if p is Ellipsis)
    return parts[:at] + rest + parts[at + 1 :]


def _parts(part: Any) -> list[IndexPart]:
    if isinstance(part, IndexPart):
        return [part]
    if part is None:
        return [IndexPart("new", None)]
    if isinstance(part, slice):
        if part.step is not None and not isinstance(part.step, Variable) and part.step == 0:
            raise InvalidArgumentError("the step of a slice must not be 0.")
        bounds = (part.start, part.stop, part.step)
        return [IndexPart("slice", slice(*(None if b is None else _bound(b) for b in bounds)))]
    if isinstance(part, (bool, np.bool_)):
        return [IndexPart("new", None if part else slice(0, 0))]
    if isinstance(part, Variable) or hasattr(part, "_buf"):
        return [_tensor_part(as_variable(part))]
    if isinstance(part, (list, tuple, np.ndarray, range)):
        return _array_parts(part)
    return [IndexPart("int", _bound(part))]


def _tensor_part(index: Variable) -> IndexPart:
    if index.dtype is VarType.BOOL:
        return IndexPart("mask", index)
    if index.dtype not in _INTEGERS:
        raise TypeError(f"an index Variable must be of integers or booleans, not {index.dtype}.")
    # One element is a scalar of 2.0, so the axis goes away.
    return IndexPart("int" if index.shape in ((1,), ()) else "index", index)


def _array_parts(part: Any) -> list[IndexPart]:
    if isinstance(part, (list, tuple)) and any(isinstance(p, Variable) for p in part):
        wrong = [p for p in part if isinstance(p, Variable) and p.shape not in _SINGLE]
        if wrong:
            raise TypeError(
                "an index list may hold ints and Variables of one element, but it holds "
                f"a Variable of shape {list(wrong[0].shape)}."
            )
        return [IndexPart("index", C.concat([_whole(p) for p in part], axis=0))]
    array = np.asarray(part)
    if array.size == 0:
        array = array.astype("int64")
    if array.dtype.kind == "b":
        return [IndexPart("index", column) for column in np.nonzero(array)]
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"an index list must hold integers or booleans, but it holds {array.dtype}."
        )
    return [
        IndexPart("int", int(array))
        if array.ndim == 0
        else IndexPart("index", array.astype("int64"))
    ]


def _whole(value: Any) -> Variable:
    """An int or a Variable of integers as an int64 Variable."""
    if not isinstance(value, Variable):
        return constants.array(np.asarray(value, "int64"))
    if value.dtype is VarType.INT64:
        return value
    return C.cast(value, in_dtype=int(value.dtype), out_dtype=int(VarType.INT64))


def _bound(value: Any) -> Any:
    """An int, or the Variable of one element that says it at run time."""
    if isinstance(value, Variable) or hasattr(value, "_buf"):
        var = as_variable(value)
        if var.shape not in _SINGLE or var.dtype not in _INTEGERS:
            raise TypeError(
                "an index or a bound of a slice must be an int or a Variable of one integer, but "
                f"received a Variable of shape {list(var.shape)} and type {var.dtype}."
            )
        return var
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(
            "an index must be an int, slice, None, ..., bool, list, array or Variable of these, "
            f"but received {type(value).__name__} {value!r}."
        ) from None


# -- slices -------------------------------------------------------------------------------------


class Cut:
    """Collects the slices of several axes for one operator."""

    def __init__(self, x: Variable) -> None:
        self.x = x
        self.axes: list[int] = []
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.steps: list[Any] = []
        self.dropped: list[int] = []
        self.turned: list[int] = []

    def take(self, axis: int, part: IndexPart) -> None:
        """Adds what one part says of an axis."""
        if part.kind == "int":
            self._add(axis, part.value, _next(part.value), 1)
            self.dropped.append(axis)
            size = self.x.shape[axis]
            if isinstance(part.value, int) and size >= 0 and not -size <= part.value < size:
                raise OutOfRangeError(
                    f"index {part.value} is out of range for axis {axis} of size {size} of a "
                    f"Variable of shape {list(self.x.shape)}."
                )
            return
        start, stop, step = part.value.start, part.value.stop, part.value.step
        step = 1 if step is None else step
        if isinstance(step, int) and step < 0:
            self.turned.append(axis)
            start = None if start is None else _mirrored(start)
            stop = None if stop is None else _mirrored(stop)
            step = -step
        if start is not None or stop is not None or isinstance(step, Variable) or step != 1:
            self._add(axis, 0 if start is None else start, END if stop is None else stop, step)

    def _add(self, axis: int, start: Any, end: Any, step: Any) -> None:
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.steps.append(step)

    def apply(self) -> Variable:
        """Records the operators and returns the part of the tensor."""
        x = C.flip(self.x, axis=self.turned) if self.turned else self.x
        if not self.axes:
            return x
        plain = all(isinstance(s, int) and s == 1 for s in self.steps)
        starts, ends, steps = self.bounds()
        lists = [None if n is None else n[1] for n in (starts, ends, steps)]
        attrs: dict[str, Any] = {
            "axes": self.axes,
            "starts": starts[0],
            "ends": ends[0],
            "infer_flags": self._flags(),
            "decrease_axis": self.dropped,
        }
        if plain:
            return C.slice(x, None, None, lists[0], lists[1], **attrs)
        return C.strided_slice(x, None, None, None, *lists, strides=steps[0], **attrs)

    def bounds(self) -> list[tuple[list[int], list[Variable] | None]]:
        """Starts, ends and steps: ints and, where Variables say them, those."""
        return [_ints(self.starts), _ints(self.ends), _ints(self.steps)]

    def _flags(self) -> list[int]:
        """-1 for an axis whose size a Variable decides; an axis that goes away has size 1."""
        flags = []
        for axis, *bounds in zip(self.axes, self.starts, self.ends, self.steps, strict=True):
            by_variable = any(isinstance(b, Variable) for b in bounds)
            flags.append(-1 if by_variable and axis not in self.dropped else 1)
        return flags


def _next(value: Any) -> Any:
    """The end of the slice of one element."""
    if isinstance(value, Variable):
        return C.scale(value, bias=1.0)
    return END if value == -1 else value + 1


def _mirrored(value: Any) -> Any:
    """A position counted from the other end."""
    return C.scale(value, scale=-1.0, bias=-1.0) if isinstance(value, Variable) else -1 - value


def _ints(values: list[Any]) -> tuple[list[int], list[Variable] | None]:
    """The attribute and, where Variables are among the values, one Variable for each."""
    if not any(isinstance(v, Variable) for v in values):
        return values, None
    ints = [-1 if isinstance(v, Variable) else v for v in values]
    return ints, [
        v if isinstance(v, Variable) else constants.number(v, VarType.INT32, True) for v in values
    ]


def cut_of(x: Variable, parts: list[IndexPart]) -> Cut:
    """Collects the ints and slices of an index; applied, the axes of the ints are gone."""
    cut, axis = Cut(x), 0
    for part in parts:
        if part.kind in ("int", "slice"):
            cut.take(axis, part)
        axis += part.axes
    return cut


def _with_new_axes(x: Variable, parts: list[IndexPart]) -> Variable:
    """Adds the axes of None; ``x`` has no axes of ints any more."""
    kept = [p for p in parts if p.kind != "int"]
    added = [i for i, at in _placed(kept) if kept[at].kind == "new"]
    if not added:
        return x
    if all(p.kind == "new" for p in kept):  # x has shape [1] for want of any axis
        out = C.unsqueeze2(x, axes=added[1:])[0] if added[1:] else x
    else:
        out = C.unsqueeze2(x, axes=added)[0]
    empty = [i for i, at in _placed(kept) if kept[at].kind == "new" and kept[at].value is not None]
    if empty:
        zeros = [0] * len(empty)
        out = C.slice(out, axes=empty, starts=zeros, ends=zeros)
    return out


def _placed(parts: list[IndexPart]) -> list[tuple[int, int]]:
    """(axis in a result where new axes are there, position of the part) for each part."""
    placed, axis = [], 0
    for at, part in enumerate(parts):
        placed.append((axis, at))
        axis += max(part.axes, 1)
    return placed


# -- index tensors ------------------------------------------------------------------------------


def read(x: Any, item: Any) -> Variable:
    """Records ``x[item]``."""
    x = as_variable(x)
    parts = parse(x, item)
    out = _with_new_axes(cut_of(x, parts).apply(), parts)
    if not any(p.kind in ("index", "mask") for p in parts):
        return out if out is not x else C.assign(x)
    chosen = [i for i, p in enumerate(parts) if p.kind in ("index", "mask", "int")]
    together = chosen == list(range(chosen[0], chosen[-1] + 1))
    left = sum(1 for p in parts[: chosen[0]] if p.kind != "int")
    kept = [p for p in parts if p.kind != "int"]
    return _gather(out, kept, left if together else 0)


def _gather(x: Variable, parts: list[IndexPart], at: int) -> Variable:
    """Picks by index tensors; the axes of the result that they make stand at ``at``."""
    axes = [
        axis + i for axis, k in _placed(parts) if parts[k].kind in ("index", "mask")
        for i in range(parts[k].axes)
    ]  # fmt: skip
    picks = [p for p in parts if p.kind in ("index", "mask")]
    rank = len(x.shape)
    first = picks[0]
    if len(picks) == 1 and first.kind == "mask" and first.axes == rank:
        return C.masked_select(x, first.value)
    if len(picks) == 1 and first.kind == "index" and len(first.value.shape) == 1 and at == axes[0]:
        return C.gather(x, counted(first.value, x, axes[0]), axis=axes[0], overwrite=False)
    rest = [a for a in range(rank) if a not in axes]
    if axes != list(range(len(axes))):
        x = C.transpose2(x, axis=axes + rest)[0]
    index, ranks = _index_matrix(x, picks)
    out = C.gather_nd(x, index)
    if at == 0:
        return out
    moved = [*range(ranks, ranks + at), *range(ranks), *range(ranks + at, ranks + len(rest))]
    return C.transpose2(out, axis=moved)[0]


def _index_matrix(x: Variable, picks: list[IndexPart]) -> tuple[Variable, int]:
    """Returns the index of gather_nd for the first axes of ``x``, and its rank without the last."""
    if len(picks) == 1 and picks[0].kind == "mask":
        return C.where_index(picks[0].value), 1
    columns: list[Any] = []
    for pick in picks:
        if pick.kind == "mask":
            found = C.where_index(pick.value)
            count = len(pick.value.shape)
            split = C.split(found, num=count, axis=1) if count > 1 else [found]
            columns += [C.squeeze2(c, axes=[1])[0] for c in split]
        else:
            columns.append(counted(pick.value, x, len(columns)))
    rank = max(len(c.shape) for c in columns)
    if any(c.shape != columns[0].shape or -1 in c.shape for c in columns[1:]):
        nothing = C.scale(columns[0], scale=0.0)
        for column in columns[1:]:
            nothing = C.elementwise_add(nothing, C.scale(column, scale=0.0))
        columns = [C.elementwise_add(nothing, c) for c in columns]
    return C.stack(columns, axis=-1), rank


def counted(index: Any, x: Variable, axis: int) -> Variable:
    """Index numbers of an axis as int64, those below 0 counted from its end."""
    size = x.shape[axis]
    if not isinstance(index, Variable):
        if size >= 0 and index.size and (index.min() < -size or index.max() >= size):
            raise OutOfRangeError(
                f"expected indices in [{-size}, {size}) for axis {axis} of shape {list(x.shape)}, "
                f"but received {index.min()} to {index.max()}."
            )
        if not (index < 0).any():
            return _whole(index)
        if size >= 0:
            return _whole(np.where(index < 0, index + size, index))
    index = _whole(index)
    below = C.less_than(index, _whole(np.zeros(1, "int64")))
    turn = C.cast(below, in_dtype=int(VarType.BOOL), out_dtype=int(VarType.INT64))
    if size >= 0:
        return C.elementwise_add(index, C.scale(turn, scale=float(size)))
    length = _whole(C.slice(C.shape(x), axes=[0], starts=[axis], ends=[axis + 1]))
    return C.elementwise_add(index, C.elementwise_mul(turn, length))


@lowering("getitem")
def _getitem(args: tuple, attrs: dict[str, Any]) -> Any:
    x, tensors = args
    out = read(x, item_of(attrs["pattern"], tensors))
    return C.flip(out, axis=list(attrs["flips"])) if attrs["flips"] else out


def item_of(pattern: tuple, tensors: Any) -> tuple:
    """The index that a pattern with holes and its tensors came from."""
    from paddle.ops.manipulation.indexing import HOLE

    rest = iter(tensors or ())
    return tuple(_hole(next(rest)) if part is HOLE else part for part in pattern)


def _hole(tensor: Any) -> IndexPart:
    index = as_variable(tensor)
    return IndexPart("mask" if index.dtype is VarType.BOOL else "index", index)
