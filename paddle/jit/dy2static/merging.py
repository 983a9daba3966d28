"""Merging: the values of a variable after two branches of which a run takes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle.core import constants
from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.op import C
from paddle.ir.recording.control_flow_shapes import common_shape
from paddle.ir.variable import Variable
from paddle.jit.dy2static import tensor_arrays
from paddle.jit.dy2static.container_copies import Copies, is_pytree, items_of, like, refilled
from paddle.jit.dy2static.precision import joint_type
from paddle.jit.dy2static.symbolic_union import SymbolicUnion
from paddle.jit.dy2static.symbols import (
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
    UndefinedVar,
    conflict,
    is_undefined,
    note_zeros,
    partial_value,
)

# From the values that a run will have chosen to what the variable is.
Build = Callable[[list[Any]], Any]
NOTHING = object()  # in place of a value that one branch does not have: zeros


@dataclass
class Pair:
    """Two values of which a run takes one.

    Attributes:
        values: what the two branches have: Variables, numbers, lists for arrays, or NOTHING.
        dtype: the element type of both.
        dims: the sizes that the branches' constants take.
        array: whether it is a tensor array.
    """

    values: tuple[Any, Any]
    dtype: VarType
    dims: tuple[int, ...]
    array: bool = False

    @property
    def present(self) -> list[int]:
        """Which of the branches have a value."""
        return [i for i, value in enumerate(self.values) if value is not NOTHING]

    def inside(self, which: int) -> Variable:
        """Records the value of a branch in its block."""
        value = self.values[which]
        if self.array:
            found = [] if value is NOTHING else value
            if is_array(found):
                return variable(found)
            return tensor_arrays.from_list(found, self.dtype)
        if value is NOTHING:
            return filled(0, self.dtype, self.dims)
        if is_number(value):
            return filled(value, self.dtype, self.dims)
        if isinstance(value, np.ndarray):
            made: Variable = constants.array(value, self.dtype)
            return made
        var = variable(value)
        if self.dims and len(var.shape) != len(self.dims):
            spread: Variable = C.elementwise_add(filled(0, self.dtype, self.dims), var)
            return spread
        return cast(var, self.dtype)


class Merger:
    """Compares what two branches leave in a variable, and finds what a run has to choose.

    Args:
        copies: the containers that each branch was given copies of.
        lazy (bool): values that do not go together are an error only when they are used.
        condition (Variable, optional): by it the caller picks values that do not go together.
    """

    def __init__(
        self, copies: tuple[Copies, Copies], lazy: bool = True, condition: Any = None
    ) -> None:
        self.copies = copies
        self.lazy = lazy
        self.condition = condition
        self.pairs: list[Pair] = []
        self._line = line()

    def merge(self, path: str, a: Any, b: Any) -> Build:
        """Returns the function that makes the value of a variable from those that were chosen.

        Args:
            path (str): the variable, for messages.
            a: what it is after the first branch.
            b: what it is after the second one.
        """
        if a is b:
            return _always(a)
        if is_undefined(a) or is_undefined(b):
            return self._half_defined(path, a, b)
        if isinstance(a, SymbolicUnion) or isinstance(b, SymbolicUnion):
            return self._alternatives(a, b)
        if is_array(a) or is_array(b):
            return self._arrays(path, a, b)
        if is_pytree(a) and is_pytree(b):
            return self._nests(path, a, b)
        if (is_symbolic(a) or is_number(a) or isinstance(a, np.ndarray)) and (
            is_symbolic(b) or is_number(b) or isinstance(b, np.ndarray)
        ):
            return self._tensors(path, a, b)
        if type(a) is type(b) and same(a, b):
            origin = self.copies[0].origin(a)
            return _always(a if origin is None or not same(origin, a) else origin)
        return self._conflict(path, a, b, "only Tensors and numbers can depend on a Tensor")

    def _conflict(self, path: str, a: Any, b: Any, why: str) -> Build:
        name = f"variable {path!r}" if path and self.lazy else f"the result{path}"
        text = (
            f"{name} is {described(a)} if the condition of {self._line} holds, and {described(b)} "
            f"if not: {why}; make it the same kind in both"
        )
        made = conflict(path, text)
        if self.condition is not None:
            return self._alternatives(a, b)
        if not self.lazy:
            raise_now(made)
        return _always(made)

    def _alternatives(self, a: Any, b: Any) -> Build:
        """Both values are computed, zeros in the branch that has it not; the condition picks."""
        condition = self.condition
        yes, no = self._with_zeros("", a, NOTHING), self._with_zeros("", NOTHING, b)
        return lambda chosen: SymbolicUnion(condition, yes(chosen), no(chosen))

    def _choose(self, pair: Pair) -> Build:
        self.pairs.append(pair)
        at = len(self.pairs) - 1
        return lambda chosen: chosen[at]

    # -- kinds of values ------------------------------------------------------------------------

    def _half_defined(self, path: str, a: Any, b: Any) -> Build:
        """One branch assigned it: an error if it is used, but its value is kept for loops."""
        for value in (a, b):
            if is_undefined(value):
                note_zeros(value)
        held = [partial_value(v) if is_undefined(v) else v for v in (a, b)]
        if held[0] is None and held[1] is None:
            return _always(b if is_undefined(a) else a)
        a, b = (NOTHING if v is None and is_undefined(u) else v
                for u, v in zip((a, b), held, strict=True))  # fmt: skip
        inner = Merger(self.copies)
        inner.pairs = self.pairs
        missing = a is NOTHING or b is NOTHING
        build = inner._with_zeros(path, a, b) if missing else inner.merge(path, a, b)
        reason = f"it is assigned in one branch only, of the condition in {self._line}"
        return lambda chosen: UndefinedVar(path or "the result", reason, value=build(chosen))

    def _with_zeros(self, path: str, a: Any, b: Any) -> Build:
        """A value that only one branch has; zeros stand for it in the other."""
        value = b if a is NOTHING else a
        if is_pytree(value):
            parts = [
                (key, self._with_zeros(path, *((NOTHING, p) if a is NOTHING else (p, NOTHING))))
                for key, p in items_of(value)
            ]
            return lambda chosen: like(value, [(k, build(chosen)) for k, build in parts])
        if not is_symbolic(value):
            return _always(value)
        var = variable(value)
        return self._choose(Pair((a, b), VarType(var.dtype), var.shape, is_array(var)))

    def _nests(self, path: str, a: Any, b: Any) -> Build:
        if isinstance(a, dict) != isinstance(b, dict) or isinstance(a, list) != isinstance(b, list):
            return self._conflict(path, a, b, "the structures differ")
        if isinstance(a, dict):
            parts = self._dicts(path, a, b)
        elif len(a) != len(b):
            if isinstance(a, list) and _fit_array(a) and _fit_array(b):
                return self._arrays(path, a, b)
            return self._conflict(path, a, b, "the lengths differ")
        else:
            pairs = enumerate(zip(a, b, strict=True))
            parts = [(i, self.merge(f"{path}[{i}]", x, y)) for i, (x, y) in pairs]
        origin = self.copies[0].origin(a)
        if origin is not None and origin is not self.copies[1].origin(b):
            origin = None

        def build(chosen: list[Any]) -> Any:
            made = like(a, [(key, part(chosen)) for key, part in parts])
            return made if origin is None else refilled(origin, made)

        return build

    def _dicts(self, path: str, a: dict, b: dict) -> list[tuple[Any, Build]]:
        keys = [*a, *(k for k in b if k not in a)]
        parts = []
        for key in keys:
            where = f"{path}[{key!r}]"
            x = a[key] if key in a else UndefinedVar(where)
            y = b[key] if key in b else UndefinedVar(where)
            parts.append((key, self.merge(where, x, y)))
        return parts

    def _arrays(self, path: str, a: Any, b: Any) -> Build:
        kinds = {_element_type(v) for v in (a, b)} - {None}
        fine = all(is_array(v) or (isinstance(v, list) and _fit_array(v)) for v in (a, b))
        if not fine or len(kinds) > 1:
            why = "the element types differ" if fine else "it cannot become a tensor array"
            return self._conflict(path, a, b, why)
        dtype = next((k for k in kinds if k is not None), VarType.FP32)
        return self._choose(Pair((a, b), dtype, (), True))

    def _tensors(self, path: str, a: Any, b: Any) -> Build:
        if not is_symbolic(a) and not is_symbolic(b):
            return self._plain(path, a, b)
        pair = [variable(v) if is_symbolic(v) else v for v in (a, b)]
        if pair[0] is pair[1]:
            return _always(a)
        tensors = [v for v in pair if isinstance(v, Variable)]
        firm = [v for v in tensors if not v._weak] or tensors
        dtype = VarType(firm[0].dtype)
        joint = joint_type(dtype, VarType(tensors[-1].dtype))
        if joint is not None:
            dtype = joint
        elif any(VarType(v.dtype) is not dtype and not _loose(v, dtype) for v in tensors):
            return self._conflict(path, a, b, "the element types differ")
        for value in pair:
            if is_number(value) and not fits(value, dtype):
                why = f"a {dtype_name(dtype)} Tensor cannot hold {value!r}"
                return self._conflict(path, a, b, why)
        dims = [tuple(v.shape) for v in pair if not is_number(v)]
        if len({len(d) for d in dims}) > 1:
            # A Variable that stands for a number spreads, as the number itself would.
            dims = [d for v, d in zip(pair, dims, strict=False) if not is_weak(v)] or dims
        if len({len(d) for d in dims}) > 1:
            return self._conflict(path, a, b, "the numbers of dimensions differ")
        shape = common_shape(dims)
        return self._choose(Pair((pair[0], pair[1]), dtype, shape or (1,)))

    def _plain(self, path: str, a: Any, b: Any) -> Build:
        """Numbers and arrays of NumPy: they become Tensors if they differ."""
        if is_number(a) and is_number(b):
            if type(a) is type(b) and same(a, b):
                return _always(a)
            return self._choose(Pair((a, b), common_number_type(a, b), (1,)))
        arrays = [np.asarray(v) for v in (a, b)]
        if same(*arrays):
            return _always(a)
        kinds = {number_type(v) if is_number(v) else to_vartype(v.dtype) for v in (a, b)}
        if len(kinds) > 1 or len({v.ndim for v in arrays if v.ndim}) > 1:
            return self._conflict(path, a, b, "element types or dimensions differ")
        dims = next(v.shape for v in arrays if v.ndim)
        return self._choose(Pair((a, b), kinds.pop(), dims))


def _loose(value: Variable, dtype: VarType) -> bool:
    """Whether a Variable stands for a whole number that can become an element of this type."""
    return value._weak and value.dtype is VarType.INT64 and dtype_name(dtype).startswith("float")


def _always(value: Any) -> Build:
    return lambda chosen: value


def raise_now(value: UndefinedVar) -> None:
    """Raises what a use of the value would raise."""
    bool(value)


def same(a: Any, b: Any) -> bool:
    """Whether two values of Python are equal; where that cannot be said they are not."""
    try:
        if isinstance(a, np.ndarray):
            return a.shape == b.shape and a.dtype == b.dtype and bool(np.all(a == b))
        if isinstance(a, float) and a != a:
            return bool(b != b)
        return bool(a == b)
    except Exception:
        return False


def _fit_array(value: Any) -> bool:
    """Whether a list can become a tensor array."""
    return tensor_arrays.can_hold(value)


def _element_type(value: Any) -> VarType | None:
    if is_array(value):
        return VarType(value.dtype)
    if isinstance(value, list) and value and _fit_array(value):
        return tensor_arrays.element_type(value)
    return None
