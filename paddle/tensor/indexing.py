"""Tensor.__getitem__ and __setitem__: from Python's and NumPy's index forms to the operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.attribute_errors import in_our_words
from paddle.core.dtype import VarType
from paddle.core.errors import ArgumentTypeError, InvalidArgumentError, OutOfRangeError
from paddle.core.mode import GRAD, current_hook, get_mode, grad_enabled, recording
from paddle.core.op import C
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import replace_buffer, writable
from paddle.ops.manipulation.indexing import HOLE, assign_at
from paddle.tensor.to_tensor import to_tensor

_PLAIN = frozenset({int, type(None), type(Ellipsis)})


def _simple(item: Any) -> bool:
    """True for what goes to the kernel as it is: ints, forward slices, None and Ellipsis."""
    kind = type(item)
    if kind is slice:
        step = item.step
        return step is None or (type(step) is int and step > 0)
    return kind in _PLAIN


def __getitem__(self: Tensor, item: Any) -> Tensor:
    """Reads by int, slice, Ellipsis, None, mask, integer Tensor or list, or a tuple of these."""
    if type(item) is tuple:
        simple, pattern = True, item
        for part in item:
            # Spelled out: a call per part would cost as much as the indexing itself.
            kind = type(part)
            if kind is not int and not (kind is slice and part.step is None):
                simple = all(map(_simple, item)) and item.count(Ellipsis) < 2
                break
    else:
        simple, pattern = type(item) is int or _simple(item), (item,)
    if simple:
        mode = get_mode()
        if mode <= GRAD and (self.stop_gradient or not mode):  # nobody wants to know of this call
            try:
                return wrap(self._buf[item])
            except Exception:
                pass  # the operator finds out what is wrong
        return C.getitem(self, None, pattern=pattern)
    if get_mode() > GRAD and recording():  # an eager Tensor for which a Variable stands
        from paddle.ir.recording.lowering_indexing import read

        return read(self, item)  # type: ignore[return-value]  # what is recorded is a Variable
    pattern, tensors, flips, turned = parse(self, item)
    source = C.flip(self, axis=turned) if turned else self
    return C.getitem(source, tensors or None, pattern=pattern, flips=flips)


def __setitem__(self: Tensor, item: Any, value: Any) -> None:
    """Writes a number, array or Tensor at an index, in place."""
    if get_mode() > GRAD:
        if recording():
            from paddle.ir.recording.lowering_setitem import assign_item

            assign_item(self, item, value)
            return
        log = getattr(
            current_hook(), "assign_item", None
        )  # of operators that are noted as they run
        if log is not None:
            log(self, item, value)
            return
    if type(item) is tuple:
        simple = all(_simple(part) for part in item) and item.count(Ellipsis) < 2
    else:
        simple = _simple(item)
        if simple:
            item = (item,)
    pattern, tensors, flips, turned = (item, (), (), ()) if simple else parse(self, item)
    if type(value) not in (int, float, bool) and not isinstance(value, Tensor):
        value = _value(self, value)
    recorded = grad_enabled() and not (
        self.stop_gradient and (not isinstance(value, Tensor) or value.stop_gradient)
    )
    if recorded and self._edge is None and not self.stop_gradient:
        raise InvalidArgumentError(
            f"Tensor.__setitem__: {self.name} is a leaf that requires a gradient; writing to it "
            "while operators are recorded would lose it.",
            hint="write under paddle.no_grad(), or to a copy: x = x.clone()",
        )
    write = _set_recorded if recorded else _set_directly
    if not turned:
        write(self, pattern, tensors, flips, value)
        return
    other = C.flip(self, axis=turned)
    write(other, pattern, tensors, flips, value)
    out = C.flip(other, axis=turned)
    if recorded:
        _become(self, out)
    else:
        self.copy_(out, True)


def _set_directly(self: Tensor, pattern: tuple, tensors: Any, flips: tuple, value: Any) -> None:
    """The form that no gradient flows through: into the buffer."""
    raw = value._buf if isinstance(value, Tensor) else value
    _check_bounds(self, pattern, tensors)
    try:
        assign_at(writable(self), pattern, [t._buf for t in tensors], raw, flips)
    except IndexError as error:
        raise OutOfRangeError(f"Tensor.__setitem__ on shape {self.shape}: {error}") from error
    except RuntimeError as error:
        got = value.shape if isinstance(value, Tensor) else value
        raise InvalidArgumentError(
            f"Tensor.__setitem__: expected a value that broadcasts to the indexed part of a Tensor "
            f"of shape {self.shape}, but received {got}: {in_our_words(str(error))}"
        ) from error


def _check_bounds(self: Tensor, pattern: tuple, tensors: Any) -> None:
    """Looks at index Tensors before anything is written: the kernel notices only while writing."""
    if not tensors:
        return
    shape, rest = self._buf.shape, iter(tensors)
    used = sum(_axes(next(rest)) if part is HOLE else _axes(part) for part in pattern)
    axis, rest = 0, iter(tensors)
    for part in pattern:
        if part is HOLE:
            index = next(rest)
            if not _is_bool(index) and index._buf.numel():
                low, high = index._buf.min().item(), index._buf.max().item()
                if low < -shape[axis] or high >= shape[axis]:
                    raise OutOfRangeError(
                        f"Tensor.__setitem__: expected indices in [{-shape[axis]}, {shape[axis]}) "
                        f"for axis {axis} of shape {self.shape}, but received {low} to {high}."
                    )
            axis += _axes(index)
        else:
            axis += len(shape) - used if part is Ellipsis else _axes(part)


def _set_recorded(self: Tensor, pattern: tuple, tensors: Any, flips: tuple, value: Any) -> None:
    """The differentiable form: the Tensor goes on as the result of an operator."""
    if not isinstance(value, Tensor):
        value = to_tensor(value, dtype=self.dtype, place=self.place)
    elif value._dt is not self._dt:
        value = value.astype(self.dtype)
    _become(self, C.setitem(self, value, list(tensors) or None, pattern=pattern, flips=flips))


def _become(self: Tensor, out: Tensor) -> None:
    replace_buffer(self, out._buf)
    self._edge, self.stop_gradient = out._edge, out.stop_gradient


def _value(self: Tensor, value: Any) -> Tensor:
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise ArgumentTypeError(
            "Tensor.__setitem__: expected a number, array or Tensor as value, "
            f"but received {type(value).__name__}."
        )
    return to_tensor(array, place=self.place)


def parse(self: Tensor, item: Any) -> tuple[tuple, list[Tensor], tuple, tuple]:
    """Turns any index into (pattern, tensors, flips, turned).

    ``pattern`` is what torch's own indexing takes, with HOLE for tensors; ``flips`` are the
    result's dimensions to reverse, for slices with negative steps. Beside tensors, where a slice
    ends up in the result is not as plain, and ``turned`` are the Tensor's own axes to reverse
    before.
    """
    items = list(item) if isinstance(item, tuple) else [item]
    items = [_normalise(self, part) for part in items]
    used = sum(_axes(part) for part in items)
    rank = self._buf.dim()
    if used > rank:
        raise OutOfRangeError(
            f"too many indices: a Tensor of shape {self.shape} takes at most {rank}, got {used}."
        )
    if sum(part is Ellipsis for part in items) > 1:
        raise OutOfRangeError("an index can hold at most one ellipsis '...'.")
    beside = any(isinstance(part, Tensor) and part._buf.dim() for part in items)
    pattern: list[Any] = []
    tensors: list[Tensor] = []
    reverse: list[int] = []
    turned: list[int] = []
    axis = out_axis = 0
    for part in items:
        if isinstance(part, Tensor):
            pattern.append(HOLE)
            tensors.append(part)
            axis += _axes(part)
            out_axis += 1
            continue
        if part is Ellipsis:
            axis += rank - used
            out_axis += rank - used
        elif isinstance(part, slice):
            part, backward = _forward(part, self._buf.shape[axis], turned=beside)
            if backward:
                reverse.append(out_axis)
                turned.append(axis)
            axis += 1
            out_axis += 1
        elif part is None:
            out_axis += 1
        else:
            axis += 1
            if beside:  # as in NumPy, an int beside an array is an array that broadcasts
                tensors.append(to_tensor([part], dtype="int64", place=self.place))
                part = HOLE
        pattern.append(part)
    if beside:
        return tuple(pattern), tensors, (), tuple(turned)
    return tuple(pattern), tensors, tuple(reverse), ()


def _normalise(self: Tensor, part: Any) -> Any:
    """Brings one part of an index to int, slice, None, Ellipsis or an index Tensor."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if isinstance(part, slice):
        return slice(*(None if v is None else _int(v) for v in (part.start, part.stop, part.step)))
    if isinstance(part, (bool, np.bool_)):
        if part:
            return None
        nothing = to_tensor(False, place=self.place)
        nothing._rebind(nothing._buf[0])  # rank 0: a new axis of length 0
        return nothing
    if isinstance(part, Tensor):
        _checked(part)
        if part._buf.numel() == 1 and part._buf.dim() == 1 and not _is_bool(part):
            return int(part._buf.item())  # a scalar of 2.0, so the axis goes away
        return part if _is_bool(part) else part.astype("int64")
    if isinstance(part, (list, tuple, np.ndarray, range)):
        if isinstance(part, (list, tuple)):
            part = [p.item() if isinstance(p, Tensor) and p.size == 1 else p for p in part]
        array = np.asarray(part)
        if array.size == 0:
            array = array.astype("int64")
        if array.dtype.kind not in "biu":
            raise ArgumentTypeError(
                f"an index list must hold integers or booleans, but it holds {array.dtype}."
            )
        if array.dtype.kind in "iu":
            array = array.astype("int64")
            if array.ndim == 0:
                return int(array)
        return to_tensor(array, place=self.place)
    return _int(part)


def _checked(index: Tensor) -> None:
    if index._dt.is_floating_point or index._dt.is_complex:
        raise ArgumentTypeError(
            f"an index Tensor must be of integers or booleans, not {index.dtype}."
        )


def _is_bool(index: Tensor) -> bool:
    return index.dtype is VarType.BOOL


def _int(value: Any) -> int:
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise ArgumentTypeError(
            "an index must be an int, slice, None, ..., bool, list, array or Tensor of these, "
            f"but received {type(value).__name__} {value!r}."
        ) from None


def _axes(part: Any) -> int:
    """How many axes of the Tensor one part of the index uses up."""
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, Tensor) and _is_bool(part):
        return part._buf.dim()
    return 1


def _forward(part: slice, size: int, turned: bool) -> tuple[slice, bool]:
    """Turns a slice of negative step into a forward one, and says whether something is reversed.

    It gives the same elements in reverse order, or with ``turned`` those of the reversed axis.
    """
    if part.step is None or part.step > 0:
        return part, False
    if part.step == 0:
        raise InvalidArgumentError("the step of a slice must not be 0.")
    picked = range(*part.indices(size))
    if not picked:
        return slice(0, 0), False
    if turned:
        return slice(size - 1 - picked[0], size - picked[-1], -part.step), True
    return slice(picked[-1], picked[0] + 1, -part.step), True
