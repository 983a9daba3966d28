"""convert_for_loop, and range, enumerate and zip over values that only a run knows."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.ir.variable import Variable
from paddle.jit.dy2static import tensor_arrays
from paddle.jit.dy2static.ifelse import recorded_choice
from paddle.jit.dy2static.logical import convert_logical_not
from paddle.jit.dy2static.loops import as_values, recorded_loop
from paddle.jit.dy2static.symbols import (
    as_number,
    cast,
    filled,
    is_array,
    is_symbolic,
    location,
    names_of,
    truth,
    used_after,
    variable,
)
from paddle.jit.dy2static.values import convert_len
from paddle.jit.explaining import events

UNROLLED = 128  # so many rows of a Tensor are written out; more become a loop of the Program
_GUARDED = 1000  # so many iterations are written out that a Tensor may cut short


class Steps:
    """A sequence of which only a run knows the length.

    Subclasses say how long it is and what stands at a position.
    """

    def convert_length(self) -> Any:
        """Returns the number of items: an int, or a Variable."""
        raise NotImplementedError

    def at(self, index: Any) -> Any:
        """Returns an item.

        Args:
            index (int|Variable): its position.
        """
        raise NotImplementedError

    def bound(self) -> int | None:
        """Returns how many items there are at most; None: only a run knows."""
        length = self.convert_length()
        return None if is_symbolic(length) else int(length)

    def __len__(self) -> int:
        return int(self.convert_length())

    def __iter__(self) -> Iterator[Any]:
        count = self.bound()
        if count is None:
            raise InvalidArgumentError(
                "a sequence whose length only a run knows can be gone over by a 'for' statement "
                f"only.{location()}",
                hint="write 'for item in ...:' in a converted function",
            )
        return iter([self.at(i) for i in range(count)])


class Range(Steps):
    """``range`` with Variables among its arguments."""

    def __init__(self, *args: Any) -> None:
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        self.start, self.stop, self.step = (_whole(v) for v in (start, stop, step))
        self._length: Any = None

    def convert_length(self) -> Any:
        """Returns the number of items, at least 0."""
        distance, step = self.stop - self.start, self.step
        if isinstance(step, int):
            if step == 0:
                raise ValueError("range() arg 3 must not be zero")
            if step < 0:
                distance, step = self.start - self.stop, -step
        else:
            sign: Any = cast(step > 0, VarType.INT64)
            sign = sign * 2 - 1
            distance, step = distance * sign, step * sign
        if isinstance(step, int) and step == 1:
            count = distance
        else:
            count = (distance + (step - 1)) // step
        return C.elementwise_max(count, filled(0, VarType.INT64))

    def at(self, index: Any) -> Any:
        """Returns a number of the range."""
        moved = index if isinstance(self.step, int) and self.step == 1 else index * self.step
        plain = isinstance(self.start, int) and self.start == 0
        return as_number(moved if plain else moved + self.start)


class RowSteps(Steps):
    """The rows of a Tensor, or the elements of a tensor array."""

    def __init__(self, source: Any) -> None:
        self.source = source

    def convert_length(self) -> Any:
        """Returns the number of rows."""
        found = convert_len(self.source)
        return cast(found, VarType.INT64) if is_symbolic(found) else found

    def at(self, index: Any) -> Any:
        """Returns a row."""
        if is_array(self.source):
            return tensor_arrays.read(self.source, index)
        return self.source[index]


class Listed(Steps):
    """Items of Python beside others of which only a run knows the number."""

    def __init__(self, items: list) -> None:
        self.items = items

    def convert_length(self) -> int:
        """Returns the number of items."""
        return len(self.items)

    def at(self, index: Any) -> Any:
        """Returns an item."""
        return tensor_arrays.convert_getitem(self.items, index)


class Zip(Steps):
    """``zip`` with Variables among its arguments."""

    def __init__(self, *sources: Any) -> None:
        self.sources = [steps_of(source, listed=True) for source in sources]

    def convert_length(self) -> Any:
        """Returns the smallest of the lengths."""
        lengths = [source.convert_length() for source in self.sources]
        symbolic = [v for v in lengths if is_symbolic(v)]
        known = [v for v in lengths if not is_symbolic(v)]
        if not symbolic:
            return min(known)
        smallest = symbolic[0]
        for other in symbolic[1:]:
            smallest = C.elementwise_min(smallest, other)
        return C.elementwise_min(smallest, filled(min(known), VarType.INT64)) if known else smallest

    def at(self, index: Any) -> Any:
        """Returns a tuple of items."""
        return tuple(source.at(index) for source in self.sources)

    def bound(self) -> int | None:
        """Returns the smallest number of items that is known, if one is of Python's objects."""
        listed = [s.bound() for s in self.sources if not isinstance(s, (Range, RowSteps))]
        if all(b is not None for b in (s.bound() for s in self.sources)):
            return min(s.bound() for s in self.sources)  # type: ignore[type-var]
        return min((b for b in listed if b is not None), default=None)


class Enumerate(Steps):
    """``enumerate`` over Variables."""

    def __init__(self, source: Any, start: Any = 0) -> None:
        self.source, self.start = steps_of(source, listed=True), start

    def convert_length(self) -> Any:
        """Returns the number of items."""
        return self.source.convert_length()

    def at(self, index: Any) -> Any:
        """Returns a pair of number and item."""
        start = self.start
        plain = isinstance(start, int)
        number = index if plain and start == 0 else index + (start if plain else _whole(start))
        return as_number(number), self.source.at(index)

    def bound(self) -> int | None:
        """Returns how many items there are at most."""
        return self.source.bound()


def _whole(value: Any) -> Any:
    """A bound of a range: an int, or a Variable of int64."""
    if not is_symbolic(value):
        return value.__index__()
    var = variable(value)
    if any(n not in (1, -1) for n in var.shape) or not _is_integer(var):
        raise InvalidArgumentError(
            f"range: expected ints, or Tensors of one integer, but received a {var.dtype} Tensor "
            f"of shape {list(var.shape)}.{location()}",
            hint="convert it by int()",
        )
    return cast(var, VarType.INT64)


def _is_integer(var: Variable) -> bool:
    return var.dtype in (
        VarType.INT64, VarType.INT32, VarType.INT16, VarType.INT8, VarType.UINT8
    )  # fmt: skip


def steps_of(value: Any, listed: bool = False) -> Any:
    """Returns a sequence of a Program for a Variable; None, or with ``listed`` a list, else."""
    if isinstance(value, Steps):
        return value
    if is_symbolic(value):
        return RowSteps(variable(value))
    return Listed(_finite(value)) if listed else None


def _finite(value: Any) -> list:
    items = []
    for item in value:
        items.append(item)
        if len(items) > _GUARDED:
            raise InvalidArgumentError(
                f"zip or enumerate: a Tensor of unknown length goes beside more than {_GUARDED} "
                f"items of Python.{location()}",
                hint="make a Tensor of them, or loop over paddle.shape(x)[0]",
            )
    return items


# -- what converted code calls ---------------------------------------------------------------------


def convert_range(*args: Any) -> Any:
    """``range(*args)``; with Variables among the arguments a loop of the Program will go over it.

    Args:
        *args: stop; start and stop; or start, stop and step.
    """
    if any(is_symbolic(arg) for arg in args) and 1 <= len(args) <= 3:
        return Range(*args)
    return builtins.range(*args)


def convert_enumerate(iterable: Any, start: Any = 0) -> Any:
    """``enumerate(iterable, start)``, also for Tensors.

    Args:
        iterable: what is counted.
        start (int): the first number. Default: 0.
    """
    if is_symbolic(iterable) or isinstance(iterable, Steps) or is_symbolic(start):
        return Enumerate(iterable, start)
    return builtins.enumerate(iterable, start)


def convert_zip(*iterables: Any, **kwargs: Any) -> Any:
    """``zip(*iterables)``, also for Tensors.

    Args:
        *iterables: what is gone over side by side.
        **kwargs: ``strict``, where all are of Python.
    """
    if not any(is_symbolic(i) or isinstance(i, Steps) for i in iterables):
        return builtins.zip(*iterables, **kwargs)
    if kwargs.get("strict"):
        raise NotImplementedError(
            "zip(strict=True) over Tensors: a Program does not compare lengths; leave strict out."
        )
    return Zip(*iterables)


def convert_for_loop(
    iterable: Any, body: Callable, loop_vars: Sequence[Any], stop: Callable | None = None
) -> tuple:
    """Calls a function for each item.

    Args:
        iterable: what is gone over; for Variables of unknown length a loop of the Program does it.
        body (callable): ``body(item, *loop_vars)`` returns the new values of the variables.
        loop_vars (tuple): the values before the loop.
        stop (callable, optional): ``stop(*loop_vars)`` says whether to leave the loop.

    Returns:
        tuple: the values after the loop.

    Examples:
        .. code-block:: python

            import paddle
            total, = paddle.jit.dy2static.convert_for_loop(
                range(4), lambda i, total: (total + i,), (0,))
            print(total)  # 6
    """
    values = tuple(loop_vars)
    steps = steps_of(iterable)
    if steps is None:
        events.control("for", False)
        return _in_python(iter(iterable), body, values, stop)
    bound = steps.bound()
    if bound is None or bound > UNROLLED:
        events.control("for", True)
        return _in_program(steps, body, values, stop)
    events.control("for", False, f"unrolled {bound} times")
    length = steps.convert_length()
    if not is_symbolic(length):
        return _in_python((steps.at(i) for i in range(bound)), body, values, stop)
    return _cut_short(steps, bound, length, body, values, stop)


def _in_python(items: Iterator[Any], body: Callable, values: tuple, stop: Callable | None) -> tuple:
    """A loop that Python runs; once a Variable may end it, every further item is guarded."""
    over: Any = False
    for count, item in enumerate(items):
        if is_symbolic(over):
            if count > _GUARDED:
                raise InvalidArgumentError(
                    f"a loop over more than {_GUARDED} items of Python is left on the condition of "
                    f"a Tensor: each item would become a part of the Program.{location()}",
                    hint="loop over a Tensor, or over range() with a Tensor as its end",
                )
            values = _guarded(convert_logical_not(over), partial(_same, item), body, values)
        else:
            values = as_values(body(item, *values), len(values))
        over = False if stop is None else stop(*values)
        if not is_symbolic(over) and over:
            break
    return values


def _same(item: Any) -> Any:
    return item


def _guarded(going: Any, item: Callable, body: Callable, values: tuple) -> tuple:
    """One iteration under a condition; the variables keep their values where it does not hold.

    The item is made under the condition too, that is where it is known to exist.
    """

    def run(*args: Any) -> Any:
        found = as_values(body(item(), *args), len(args))
        return found[0] if len(found) == 1 else found

    def keep(*args: Any) -> Any:
        return args[0] if len(args) == 1 else args

    run.carried_names = names_of(body, 1)  # type: ignore[attr-defined]
    return as_values(recorded_choice(going, run, keep, values, values), len(values))


def _cut_short(
    steps: Steps, bound: int, length: Any, body: Callable, values: tuple, stop: Callable | None
) -> tuple:
    """At most so many items: each is an iteration under the condition that there are as many."""
    for i in range(bound):
        going = length > i
        over = False if stop is None or not i else stop(*values)
        if is_symbolic(over):
            going = C.logical_and(going, convert_logical_not(over))
        elif over:
            break
        values = _guarded(going, partial(steps.at, i), body, values)
    return values


def _in_program(steps: Steps, body: Callable, values: tuple, stop: Callable | None) -> tuple:
    """A loop of the Program with a counter of its own."""
    length = steps.convert_length()
    if not is_symbolic(length):
        length = filled(length, VarType.INT64)

    def going(count: Any, *args: Any) -> Any:
        inside = count < length
        over = False if stop is None else stop(*args)
        if is_symbolic(over):
            return C.logical_and(inside, C.logical_not(truth(over)))
        return False if over else inside

    def step(count: Any, *args: Any) -> tuple:
        return (count + 1, *as_values(body(steps.at(count), *args), len(args)))

    start = (as_number(filled(0, VarType.INT64)), *values)
    names = ["the counter of the loop", *names_of(body, 1)]
    first = going(*start)
    if not is_symbolic(first):
        return values
    used = [False, *used_after(body, names[1:])]
    return recorded_loop(first, going, step, start, names, used)[1:]
