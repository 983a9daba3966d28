"""Loop variables: what a loop of a Program carries, learnt from recording its body."""

from __future__ import annotations

import copy
from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.op import C
from paddle.ir.recording.control_flow_shapes import common_shape
from paddle.ir.variable import Variable
from paddle.jit.dy2static import tensor_arrays
from paddle.jit.dy2static.container_copies import CHANGING, is_pytree, items_of, like, refilled
from paddle.jit.dy2static.merging import raise_now, same
from paddle.jit.dy2static.precision import joint_type
from paddle.jit.dy2static.symbols import (
    block,
    cast,
    common_number_type,
    described,
    filled,
    fits,
    is_array,
    is_number,
    is_symbolic,
    is_weak,
    line,
    number_type,
    variable,
)
from paddle.jit.dy2static.undefined import (
    conflict,
    is_undefined,
    note_zeros,
    partial_value,
    undefined,
    was_zeroed,
)


class Again(Exception):
    """The body has to be recorded once more: something about its variables was learnt."""


class LoopVar:
    """A variable of a loop, or a part of one that is a list, tuple or dict.

    Args:
        path (str): the variable, for messages.
        start: its value before the loop.

    Attributes:
        kind (str): ``"held"``: stays what it is; ``"carried"``: a Variable that goes from iteration
            to iteration; ``"array"``: a tensor array; ``"missing"``: no value before the body gives
            it one; ``"pytree"``: a container, whose parts are LoopVars.
    """

    def __init__(self, path: str, start: Any) -> None:
        self.path = path
        self.start = start
        self.kind = "held"
        self.parts: list[tuple[Any, LoopVar]] = []
        self.dtype = VarType.FP32
        self.dims: tuple[int, ...] = (1,)
        self.weak = is_weak(start) if not is_undefined(start) else True
        self.passed: Any = None  # what the body gets
        self.new: Any = None  # what the body returned, as the next iteration sees it
        self.problem: Any = None  # why values do not go together; an error if one is used
        self.none_first = False  # None before the loop, a value after an iteration
        self._where = line()
        self._classify()

    def _classify(self) -> None:
        start = self.start
        if is_undefined(start):
            self.kind = "missing"
        elif is_array(start):
            self.kind, self.dtype = "array", VarType(start.dtype)
        elif is_symbolic(start):
            var = variable(start)
            self.kind, self.dtype, self.dims = "carried", VarType(var.dtype), tuple(var.shape)
        elif is_pytree(start):
            self.kind = "pytree"
            self.parts = [(k, LoopVar(f"{self.path}[{k!r}]", v)) for k, v in items_of(start)]

    def begins_with_none(self) -> bool:
        """Whether it, or a part of it, is None until the first iteration gives it a value."""
        return self.none_first or any(part.begins_with_none() for _, part in self.parts)

    # -- before the body is recorded -----------------------------------------------------------

    def open(self) -> Any:
        """Records the value before the loop; returns what the body gets."""
        if self.kind == "pytree":
            pairs = [(key, part.open()) for key, part in self.parts]
            same_parts = all(p is q for (_, p), (_, q) in zip(pairs, items_of(self.start)))
            fixed = isinstance(self.start, tuple) and same_parts
            self.passed = self.start if fixed else like(self.start, pairs)
        elif self.kind == "held":
            changing = isinstance(self.start, CHANGING)
            self.passed = copy.copy(self.start) if changing else self.start
        elif self.kind == "missing":
            self.passed = undefined(self.path) if self.problem is None else self.problem()
        elif self.kind == "array":
            self.passed = self._array()
        else:
            self.passed = self._first()
            self.passed._dims = self.dims
            self.passed._weak = self.weak
        return self.passed

    def _array(self) -> Variable:
        if is_array(self.start):
            found: Variable = self.start
            return found
        if is_undefined(self.start):
            note_zeros(self.start)
        return tensor_arrays.from_list([] if is_undefined(self.start) else self.start, self.dtype)

    def _first(self) -> Variable:
        if is_undefined(self.start):
            note_zeros(self.start)  # of a loop around, the iteration before may have a value
            return filled(0, self.dtype, self.dims)
        if is_number(self.start):
            return filled(self.start, self.dtype, self.dims)
        start = variable(self.start)
        if len(start.shape) == len(self.dims):
            made: Variable = C.assign(start) if start.dtype is self.dtype else start
            return cast(made, self.dtype)
        # One number, which the body makes a Tensor of more dimensions: it spreads over them.
        shape = self.dims if is_weak(start) and min(self.dims) > 0 else (1,) * len(self.dims)
        return cast(C.elementwise_add(filled(0, self.dtype, shape), start), self.dtype)

    # -- what the body returned ----------------------------------------------------------------

    def take(self, new: Any) -> Any:
        """Compares what the body returned with what is carried; returns the next value.

        Raises:
            Again: the two do not agree, and the plan has been changed.
        """
        if self.kind == "pytree":
            self.new = self._take_nest(new)
        elif new is self.passed and self.kind != "missing":
            if self.kind == "held" and new is not self.start and not same(new, self.start):
                raise self._clash(new, "only Tensors and numbers can change in a loop on a Tensor")
            self.new = new
        elif self.kind == "missing":
            self.new = self._take_missing(new)
        else:
            if is_undefined(new):
                raise_now(new)
            self.new = getattr(self, f"_take_{self.kind}")(new)
        return self.new

    def _again(self, kind: str, dtype: Any = None, dims: Any = None, new: Any = None) -> Again:
        self.kind = kind
        self.dtype = self.dtype if dtype is None else VarType(dtype)
        self.dims = self.dims if dims is None else tuple(dims)
        self.weak = self.weak and (new is None or is_weak(new))
        return Again()

    def _clash(self, new: Any, why: str) -> Exception:
        """The values before the loop and after the body do not go together.

        That is an error only if one of them is used: the name may serve for something else.
        """
        text = (
            f"variable {self.path!r} is {described(self.start)} before the loop of {self._where} "
            f"and {described(new)} after an iteration: {why}"
        )
        self.problem = lambda: conflict(self.path, text)
        self.kind = "missing"
        return Again()

    def _take_held(self, new: Any) -> Any:
        if type(new) is type(self.start) and not is_symbolic(new) and same(self.start, new):
            return self.start
        if is_number(self.start) and (is_number(new) or is_symbolic(new)):
            if is_number(new):
                raise self._again("carried", common_number_type(self.start, new), (1,))
            var = variable(new)
            if not fits(self.start, VarType(var.dtype)):
                raise self._clash(new, f"make it {dtype_name(var.dtype)} before the loop")
            raise self._again("carried", var.dtype, var.shape, var)
        if self.start is None and (is_symbolic(new) or is_pytree(new) or is_number(new)):
            self.none_first = True
            raise Again
        raise self._clash(new, "only Tensors and numbers can change in a loop on a Tensor")

    def _take_carried(self, new: Any) -> Any:
        if is_number(new):
            return self._take_number(new)
        if not is_symbolic(new) or is_array(new):
            raise self._clash(new, "only Tensors and numbers can change in a loop on a Tensor")
        var = variable(new)
        joint = joint_type(self.dtype, VarType(var.dtype))
        if joint is self.dtype:
            var = cast(var, joint)
        elif joint is not None:
            raise self._again("carried", joint, None, var)
        if VarType(var.dtype) is not self.dtype:
            if self._fits_start(VarType(var.dtype)):
                if self.dtype in (VarType.INT64, VarType.BOOL):
                    raise self._again("carried", var.dtype, var.shape, var)
            why = f"cast it, or start with {dtype_name(var.dtype)}"
            raise self._clash(new, f"the element types differ; {why}")
        if len(var.shape) != len(self.dims):
            if self._may_spread() and len(var.shape) > len(self.dims):
                plain = is_undefined(self.start) or is_weak(self.start)
                spread = var.shape if plain else (-1,) * len(var.shape)
                raise self._again("carried", None, spread, var)
            why = "start with a Tensor of as many dimensions, or reshape it in the body"
            raise self._clash(new, f"the numbers of dimensions differ; {why}")
        dims = common_shape([self.dims, tuple(var.shape)])
        if dims != self.dims or (self.weak and not var._weak):
            raise self._again("carried", None, dims, var)
        return var

    def _fits_start(self, dtype: VarType) -> bool:
        """Whether the value before the loop stands for a number that can be of another type."""
        if is_number(self.start):
            return fits(self.start, dtype)
        return is_weak(self.start) and not dtype_name(dtype).startswith(("int", "uint", "bool"))

    def _may_spread(self) -> bool:
        """Whether the value before the loop is one number, whatever its dimensions are."""
        if not is_symbolic(self.start) or is_weak(self.start):
            return True
        return self.dtype is not VarType.BOOL and tuple(variable(self.start).shape) == (1,)

    def _take_number(self, new: Any) -> Any:
        if fits(new, self.dtype):
            return filled(new, self.dtype, self.dims)
        if is_number(self.start):
            raise self._again("carried", common_number_type(self.start, new))
        raise self._clash(new, f"a {dtype_name(self.dtype)} Tensor cannot hold {new!r}")

    def _take_array(self, new: Any) -> Any:
        if is_array(new):
            return new
        if tensor_arrays.can_hold(new):
            return tensor_arrays.from_list(new, self.dtype)
        raise self._clash(new, "it cannot become a tensor array")

    def _take_nest(self, new: Any) -> Any:
        if is_undefined(new):
            raise_now(new)
        if isinstance(self.start, list) and (is_array(new) or self._grows(new)):
            if not tensor_arrays.can_hold(self.start):
                raise self._clash(new, "it cannot become a tensor array")
            kind = VarType(new.dtype) if is_array(new) else tensor_arrays.element_type(new)
            if self.start:
                kind = tensor_arrays.element_type(self.start)
            raise self._again("array", kind)
        if not is_pytree(new) or isinstance(new, dict) != isinstance(self.start, dict):
            raise self._clash(new, "the structures differ")
        if isinstance(new, dict):
            self._same_keys(new)
        elif len(new) != len(self.parts):
            raise self._clash(new, "the lengths differ")
        return like(new, [(key, part.take(new[key])) for key, part in self.parts])

    def _grows(self, new: Any) -> bool:
        if not isinstance(new, list) or len(new) == len(self.parts):
            return False
        return tensor_arrays.can_hold(new)

    def _same_keys(self, new: dict) -> None:
        keys = [key for key, _ in self.parts]
        added = [key for key in new if key not in keys]
        if added:  # from the start, without a value
            for key in added:
                where = f"{self.path}[{key!r}]"
                self.parts.append((key, LoopVar(where, undefined(where))))
            raise Again
        gone = [key for key in keys if key not in new]
        if gone:
            raise self._clash(new, f"the keys {gone} are gone")

    def _take_missing(self, new: Any) -> Any:
        if is_undefined(new):
            held = partial_value(new)
            if held is None or self.problem is not None:
                return new
            new, partial = held, True
        else:
            partial = was_zeroed(self.passed)
        if not partial or self.problem is not None:
            return new
        # Where the body does not assign it, what the iteration before left goes on.
        if is_array(new):
            raise self._again("array", new.dtype)
        if is_pytree(new):
            self._start_as(new)
            raise Again
        if is_symbolic(new):
            var = variable(new)
            raise self._again("carried", var.dtype, var.shape, var)
        if is_number(new):
            raise self._again("carried", number_type(new), (1,))
        return new

    def _start_as(self, new: Any) -> None:
        """Becomes a pytree of parts that have no value yet."""
        if is_undefined(self.start):
            note_zeros(self.start)
        self.kind = "pytree"
        where = [(key, f"{self.path}[{key!r}]", v) for key, v in items_of(new)]
        self.start = like(new, [(key, undefined(path)) for key, path, _ in where])
        self.parts = []
        for key, path, value in where:
            part = LoopVar(path, undefined(path))
            if is_pytree(value):
                part._start_as(value)
            elif is_symbolic(value):
                var = variable(value)
                part.kind, part.dtype = ("array" if is_array(var) else "carried"), var.dtype
                part.dims, part.weak = tuple(var.shape), var._weak
            else:
                part.kind, part.start = "held", value
            self.parts.append((key, part))

    # -- after the body -------------------------------------------------------------------------

    def stores(self) -> list[tuple[Variable, Variable]]:
        """The pairs of variable and new value that the end of the body has to store."""
        if self.kind == "pytree":
            return [pair for _, part in self.parts for pair in part.stores()]
        if self.kind in ("carried", "array") and self.new is not self.passed:
            return [(self.passed, self.new)]
        return []

    def unborn(self) -> bool:
        """Whether the body gives it a value of the Program, which it had not before the loop."""
        return self.kind == "missing" and not is_undefined(self.new) and self.problem is None

    def bear(self) -> list[tuple[Variable, Variable]]:
        """Records zeros before the loop for what only the body assigns; returns what to store."""
        pairs = []
        if self.kind == "pytree":
            return [pair for _, part in self.parts for pair in part.bear()]
        if not self.unborn():
            return []
        if is_undefined(self.start):
            note_zeros(self.start)

        def outside(value: Any) -> Any:
            if is_pytree(value):
                return like(value, [(k, outside(v)) for k, v in items_of(value)])
            if not is_symbolic(value):
                return value
            var = variable(value)
            if is_array(var):
                first = tensor_arrays.from_list([], VarType(var.dtype))
            else:
                first = filled(0, VarType(var.dtype), tuple(var.shape))
                first._dims, first._weak = tuple(var.shape), var._weak
            pairs.append((first, var))
            return first

        self.new = outside(self.new)
        return pairs

    def result(self) -> Any:
        """The value after the loop."""
        if self.kind == "pytree":
            pairs = [(key, part.result()) for key, part in self.parts]
            old = items_of(self.start)
            if len(old) == len(pairs) and all(p is q for (_, p), (_, q) in zip(pairs, old)):
                return self.start
            made = like(self.start, pairs)
            return refilled(self.start, made) if self.new is self.passed else made
        if self.kind == "missing":
            return self.new if self.problem is None else self.problem()
        if self.kind == "held" and self.new is self.passed:
            return self.start
        if self.new is self.passed and self.kind == "carried":
            return self.start
        return self.passed


def as_values(result: Any, count: int) -> tuple:
    """What a body returned as a tuple of so many values."""
    if isinstance(result, tuple) and len(result) == count:
        return result
    return () if count == 0 else (result,)


def remember(pairs: list[tuple[Variable, Variable]]) -> None:
    """Records that variables take new values, all at once."""
    held = {id(old) for old, _ in pairs}
    # One that is a loop variable itself is about to be overwritten.
    pairs = [(o, C.assign(n) if id(n) in held and not is_array(n) else n) for o, n in pairs]
    for old, new in pairs:
        dims = old._dims
        block().append_op(type="assign", inputs={"X": [new]}, outputs={"Out": [old]})
        old._dims = dims if not is_array(old) else new._dims
        if not new.stop_gradient:
            old.stop_gradient = False
