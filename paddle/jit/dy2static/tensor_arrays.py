"""Lists that change under a Tensor's control: tensor arrays, and what is done to them."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.ir.control.functions import cond, while_loop
from paddle.ir.variable import LIST_METHODS, Variable
from paddle.jit.dy2static.container_copies import is_pytree
from paddle.jit.dy2static.symbols import (
    block,
    called_inside,
    cast,
    described,
    filled,
    is_array,
    is_number,
    is_symbolic,
    is_weak,
    location,
    number_type,
    traced_depth,
    variable,
)
from paddle.jit.dy2static.watching import note_change
from paddle.tensor.array import array_length, array_read, array_write, create_array


def can_hold(values: Any) -> bool:
    """Says whether all elements of a list may go into one tensor array."""
    if not isinstance(values, list):
        return False
    if any(not (is_symbolic(v) or is_number(v)) or is_array(v) for v in values):
        return False
    tensors = [v for v in values if is_symbolic(v)]
    if not tensors:
        return len({number_type(v) for v in values}) <= 1
    return len({v.dtype for v in tensors}) == 1


def element_type(values: list) -> VarType:
    """The element type of the array that a list becomes."""
    for value in values:
        if is_symbolic(value):
            return VarType(value.dtype)
    return number_type(values[0]) if values else VarType.FP32


def from_list(values: list, dtype: VarType) -> Variable:
    """Records a tensor array with the elements of a list."""
    array: Variable = create_array(dtype)
    # A later release keeps the length of the run before: an array that nothing was ever written to
    # resets it.
    empty = create_array(dtype)
    empty.stop_gradient = True
    block().append_op(type="assign", inputs={"X": [empty]}, outputs={"Out": [array]})
    for i, value in enumerate(values):
        array_write(_element(value, dtype), i, array)
    return array


def _element(value: Any, dtype: VarType) -> Variable:
    return filled(value, dtype) if is_number(value) else variable(value)


def _for_array(array: Variable, value: Any, what: str) -> Variable:
    """Brings a value to an element of an array."""
    if is_number(value) and number_type(value) is VarType(array.dtype):
        return filled(value, VarType(array.dtype))
    if not is_symbolic(value) or is_array(value):
        hint = "keep nested lists out of loops and branches that depend on Tensors, or use one "
        raise InvalidArgumentError(
            f"{what}: a list that changes under the control of a Tensor holds Tensors only, but "
            f"received {described(value)}.{location()}",
            hint=f"{hint}list per level",
        )
    var = variable(value)
    # An empty array has no element type of its own yet.
    if VarType(var.dtype) is not VarType(array.dtype) and array.shape:
        raise InvalidArgumentError(
            f"{what}: the list holds {dtype_name(array.dtype)} Tensors, but received "
            f"{described(value)}.{location()}",
            hint="cast it first",
        )
    return var


# -- what converted code calls ---------------------------------------------------------------------


def convert_append(target: Any, value: Any) -> Any:
    """``target.append(value)``; returns the target.

    Args:
        target: a list, a tensor array, or anything with ``append``.
        value: what is added at the end.
    """
    if is_array(target):
        array_write(_for_array(target, value, "append"), array_length(target), target)
        return target
    note_change(target)
    target.append(value)
    return target


def extend(target: Variable, values: Any) -> None:
    """Adds the elements of a list, or of another array, at the end of an array."""
    if not is_array(values):
        for value in values:
            convert_append(target, value)
        return

    def body(i: Any) -> list:
        array_write(array_read(values, i), array_length(target), target)
        return [i + 1]

    count = C.assign(array_length(values))  # of before, should both be the same
    while_loop(lambda i: i < count, body, [filled(0, VarType.INT64)])


def joined(a: Any, b: Any) -> Variable:
    """``a + b`` for arrays and lists, as another array."""
    kind = VarType((a if is_array(a) else b).dtype)
    made = from_list([], kind)
    for part in (a, b):
        extend(made, part)
    return made


def convert_pop(target: Any, *args: Any) -> Any:
    """``target.pop(*args)``, also for tensor arrays.

    Args:
        target (list|dict|Variable): what an element is taken out of.
        *args: a position (an int or a Tensor), or what ``pop`` of another class takes.

    Returns:
        The element.
    """
    if not is_array(target):
        note_change(target)
        return target.pop(*args)
    if len(args) > 1:
        raise TypeError(f"pop: expected at most one position, but received {len(args)}.")
    index = args[0] if args else -1
    value = read(target, index)
    zero, count = filled(0, VarType.INT64), array_length(target)
    if is_number(index) and index == -1:
        kept = _picked(target, zero, count - 1, None)
    else:
        kept = _picked(target, zero, count, _index(position(target, index)))
    block().append_op(type="assign", inputs={"X": [kept]}, outputs={"Out": [target]})
    return value


# What a list has and an array has too; statements are written as calls of the above.
def position(array: Any, index: Any) -> Any:
    """A position counted from the start, for one that may count from the end."""
    if is_number(index):
        return int(index) if index >= 0 else array_length(array) + int(index)
    at = cast(variable(index), VarType.INT64)
    return C.where(at < 0, at + array_length(array), at)


def read(array: Variable, index: Any) -> Any:
    """``array[index]``: an element, or for a slice another array."""
    if isinstance(index, slice):
        return cut(array, index)
    if not is_number(index) and not is_symbolic(index):
        raise TypeError(
            f"an index of a tensor array is expected to be an int, a slice or a Tensor of one "
            f"integer, but received {described(index)}.{location()}"
        )
    return array_read(array, position(array, index))


def cut(array: Variable, part: slice) -> Variable:
    """``array[start:stop]`` as another array."""
    if part.step not in (None, 1):
        raise InvalidArgumentError(
            f"a slice of a tensor array is expected to have the step 1, but received "
            f"{part.step!r}.{location()}"
        )
    count = array_length(array)
    first = 0 if part.start is None else position(array, part.start)
    last = count if part.stop is None else position(array, part.stop)
    zero = filled(0, VarType.INT64)
    first = C.elementwise_max(_index(first), zero)
    return _picked(array, first, C.elementwise_min(_index(last), count), None)


def _index(value: Any) -> Variable:
    return value if isinstance(value, Variable) else filled(value, VarType.INT64)


def _picked(array: Variable, first: Variable, last: Variable, left_out: Any) -> Variable:
    """The elements of an array from one position to another, copied by a loop of the Program."""
    made: Variable = create_array(array.dtype)
    made.stop_gradient = array.stop_gradient

    def copy(i: Any) -> None:
        array_write(array_read(array, i), array_length(made), made)

    def body(i: Any) -> list:
        if left_out is None:
            copy(i)
        else:
            cond(C.not_equal(i, left_out), lambda: copy(i), None)
        return [i + 1]

    while_loop(lambda i: i < last, body, [first])
    return made


def convert_setitem(target: Any, index: Any, value: Any) -> Any:
    """``target[index] = value``; returns what the name stands for afterwards.

    Args:
        target: a list, dict, array or Tensor, written in place; a Variable inside of a converted
            branch or loop, of which a copy is written; a list at a Tensor's position becomes a
            tensor array.
        index: the position or key.
        value: what is stored.
    """
    if is_array(target):
        at = position(target, index)
        array_write(_for_array(target, value, "item assignment"), at, target)
        return target
    if isinstance(target, list) and is_symbolic(index):
        if not can_hold(target) or is_pytree(value):
            raise InvalidArgumentError(
                f"item assignment: a list is written at a Tensor's position, which works only "
                f"where it holds Tensors of one element type, but it is {described(target)}."
                f"{location()}",
                hint="paddle.stack the values and write into the Tensor",
            )
        return convert_setitem(from_list(target, element_type(target)), index, value)
    if isinstance(target, Variable) and traced_depth():
        target = _copied(target)
    if isinstance(target, dict) and is_weak(index) and is_symbolic(index):
        raise InvalidArgumentError(
            f"item assignment: the key of a dict is a number that only a run knows.{location()}",
            hint="use a Tensor and write its elements",
        )
    note_change(target)
    target[index] = value
    return target


def _copied(target: Variable) -> Variable:
    """A copy to be written, which knows what it stands for."""
    _not_the_callers(target)
    made: Variable = C.assign(target)
    made._weak = target._weak
    made.written_from = target.__dict__.get("written_from", target)  # type: ignore[attr-defined]
    return made


def _not_the_callers(target: Variable) -> None:
    """Raises where a function would change what belongs to the branch or loop that calls it."""
    if called_inside() and target.block is not block():
        raise InvalidArgumentError(
            f"{target.name!r} is changed in place by a function that is called under a condition "
            f"or in a loop that a Tensor decides about, but it was made outside of it.{location()}",
            hint="let the function change x.clone() and return it",
        )


def convert_changed(target: Any) -> Any:
    """Returns what is about to be changed in place: in a branch or loop body a copy of a Variable.

    So a Variable of the surroundings keeps its value where the branch does not run.

    Args:
        target: anything.
    """
    if isinstance(target, Variable) and not is_array(target) and traced_depth():
        return _copied(target)
    return target


def convert_getitem(target: Any, index: Any) -> Any:
    """``target[index]``, also for a list at the position that a Tensor tells.

    Args:
        target: anything with items.
        index: the position or key.
    """
    if is_array(target):
        return read(target, index)
    if isinstance(target, (list, tuple)) and is_symbolic(index):
        values = list(target)
        if not values or not can_hold(values):
            raise InvalidArgumentError(
                f"an element of {described(target)} is read at a Tensor's position, which works "
                f"only where all elements are Tensors of one element type.{location()}",
                hint="write an if for each position, or paddle.stack the values",
            )
        return read(from_list(values, element_type(values)), index)
    return target[index]


LIST_METHODS.update({
    "__add__": joined, "__getitem__": read, "__setitem__": convert_setitem,
    "append": convert_append, "extend": extend, "pop": convert_pop,
})  # fmt: skip
