"""Shapes and dtypes of an operator's outputs without running it.

Operators name a rule below, or give a function of their own
``rule(inputs, attrs) -> [Spec, ...]``; without one, the kernel runs on shapes alone, twice, with
two different stand-ins for every unknown dimension: what differs between the runs is unknown in the
result. It runs dry (:mod:`paddle.core.dry_run`), and where that does not tell, on torch's meta
device, which is also the oracle that tests every rule.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from paddle.core import dry_run
from paddle.core.attribute_errors import too_large
from paddle.core.dtype import FLOATING, FROM_TORCH, VarType, check_dtypes, torch_dtype
from paddle.core.errors import (
    AxisError,
    FrameworkError,
    InvalidArgumentError,
    UnimplementedError,
    kernel_error,
)
from paddle.core.op import USERS, OpDef

# Highly composite, so that reshapes, splits and groups of an unknown dimension divide evenly.
_STAND_INS = (5040, 55440)
# For so many unknown dimensions that a tensor would have more bytes than torch counts.
_SMALLER = (840, 1680)


@dataclass(frozen=True)
class Spec:
    """Shape (-1 for an unknown dimension) and dtype of a tensor."""

    shape: tuple[int, ...]
    dtype: VarType


def in_range(axis: int, rank: int, name: str = "axis") -> int:
    """Returns a dimension's number counted from the front, or raises the error for a wrong one."""
    if not isinstance(axis, (int, np.integer)):
        kind = type(axis).__name__
        raise TypeError(f"{name} is expected to be an int, but received {kind} {axis!r:.60}.")
    if not -rank <= axis < rank:
        raise AxisError(
            f"{name} is expected to be in range of [{-rank}, {rank - 1}], but received {axis}."
        )
    return axis + rank if axis < 0 else axis


def fits(tensor: Any, shape: tuple[int, ...]) -> bool:
    """Whether a tensor can have a shape: -1 on either side stands for any size."""
    sizes = tuple(tensor.shape)
    same_rank = len(sizes) == len(shape)
    return same_rank and all(-1 in (a, b) or a == b for a, b in zip(sizes, shape, strict=True))


def same(inputs: list, attrs: dict) -> list[Spec]:
    """Every output looks like the first input; an axis is one of its."""
    axis, rank = attrs.get("axis"), len(inputs[0].shape) or 1
    for given in axis if isinstance(axis, (list, tuple)) else (axis,):
        if given is not None:
            in_range(given, rank)
    return [inputs[0]]


def floating(inputs: list, attrs: dict) -> list[Spec]:
    """The shape of the input; integers and booleans become float32, as the kernels make them."""
    x = same(inputs, attrs)[0]
    keeps = x.dtype in FLOATING or x.dtype in (VarType.COMPLEX64, VarType.COMPLEX128)
    return [x if keeps else Spec(x.shape, VarType.FP32)]


def numbers(inputs: list, attrs: dict) -> list[Spec]:
    """Like the input; booleans become int64."""
    x = same(inputs, attrs)[0]
    return [Spec(x.shape, VarType.INT64) if x.dtype is VarType.BOOL else x]


def broadcast_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the shape two operands broadcast to; -1 stands for an unknown dimension."""
    rank = max(len(a), len(b))
    out = []
    for i in range(rank):
        m = a[i - rank + len(a)] if i - rank + len(a) >= 0 else 1
        n = b[i - rank + len(b)] if i - rank + len(b) >= 0 else 1
        if m == n or n == 1:
            out.append(m)
        elif m == 1:
            out.append(n)
        elif -1 in (m, n):
            out.append(max(m, n))
        else:
            raise InvalidArgumentError(
                f"Broadcast dimension mismatch. Shapes {list(a)} and {list(b)} differ in dimension "
                f"{i}: expected {m} and {n} to be equal, or one of them 1."
            )
    return tuple(out)


def broadcast(inputs: list, attrs: dict) -> list[Spec]:
    """The output has the broadcast shape of two inputs and the dtype of the first."""
    x, y = inputs[:2]
    axis = attrs.get("axis", -1)
    shapes = x.shape, y.shape
    rank = max(map(len, shapes))
    if axis not in (-1, None) and len(x.shape) != len(y.shape):
        if not -rank <= axis < rank:
            raise InvalidArgumentError(
                f"expected axis to be -1 or a dimension of the first operand, 0 to "
                f"{rank - 1}, but it is {axis}."
            )
        shapes = _begins_at(x.shape, axis, rank), _begins_at(y.shape, axis, rank)
    return [Spec(broadcast_shapes(*shapes), x.dtype)]


def _begins_at(shape: tuple[int, ...], axis: int, rank: int) -> tuple[int, ...]:
    """The shape of an operand that begins at a dimension of the other one, of rank ``rank``."""
    return shape if len(shape) == rank else shape + (1,) * (rank - axis - len(shape))


def compare(inputs: list, attrs: dict) -> list[Spec]:
    """Like :func:`broadcast`, with boolean results."""
    return [Spec(broadcast(inputs, attrs)[0].shape, VarType.BOOL)]


def to_bool(inputs: list, attrs: dict) -> list[Spec]:
    """The shape of the first input, boolean."""
    return [Spec(inputs[0].shape, VarType.BOOL)]


def of_dimensions(rule: Callable) -> Callable:
    """Marks a rule of operators whose results always have dimensions, so that no call looks.

    That is a promise about kernels: given inputs with dimensions, none returns a number alone.
    The rules with names below promise it too; a test goes over all samples.
    """
    rule.of_dimensions = True  # type: ignore[attr-defined]
    return rule


# All of these go element by element.
RULES: dict[str, Callable] = {
    "same": same,
    "floating": floating,
    "numbers": numbers,
    "broadcast": broadcast,
    "compare": compare,
    "to_bool": to_bool,
}


def infer(op: OpDef, inputs: list, attrs: dict[str, Any]) -> list[Any]:
    """Returns one Spec per output (a list of them for a list slot, None for a missing one).

    Args:
        op (OpDef): the operator.
        inputs (list): one Spec per input slot, a list of Specs for a list slot, or None.
        attrs (dict): attributes; missing ones take their defaults.
    """
    full = {**op.attrs, **attrs}
    if op.dtypes or op.takes:
        check_dtypes(op, inputs[0])
    rule = RULES[op.infer] if isinstance(op.infer, str) else op.infer
    if rule is None:
        return infer_by_kernel(op, inputs, full)
    specs = rule(inputs, full)
    if op.infer in ("same", "floating", "numbers"):
        specs = specs * len(op.outputs)
    return specs


class NeedsData(UnimplementedError):
    """Only a run can tell: the shape depends on data, or a plan hands over more than the inputs."""


# Rules that refuse all shapes that their kernels refuse, so that nothing needs to run.
_COMPLETE = ("broadcast", "compare")
# What kernels have taken before: layers of a network often have the same shapes.
_passed: set[tuple[str, str, str]] = set()
_REMEMBERED = 4096

_checking: contextvars.ContextVar[bool] = contextvars.ContextVar("checking", default=True)


def checked_infer(op: OpDef, inputs: list, attrs: dict[str, Any]) -> list[Any]:
    """Like :func:`infer`, and refuses what the kernel would refuse, in the words of eager mode.

    Where every size is known the kernel runs on shapes alone, even beside a shape rule; what it can
    only say of data is left to the run.
    """
    try:
        results = infer(op, inputs, attrs)
    except NeedsData:
        raise
    except Exception as error:
        if not isinstance(error, FrameworkError):
            _run_checks(op, inputs, attrs)
        raise kernel_error(op, _described(inputs), attrs, error) from error
    if op.infer is not None and op.infer not in _COMPLETE and _checking.get():
        key = op.name, repr(inputs), repr(attrs)
        if key not in _passed:
            _run_checks(op, inputs, attrs)
            if len(_passed) >= _REMEMBERED:
                _passed.clear()
            _passed.add(key)
    return results


@contextlib.contextmanager
def unchecked() -> Iterator[None]:
    """Inside, :func:`checked_infer` trusts shape rules: recorded operators run at once anyway."""
    token = _checking.set(False)
    try:
        yield
    finally:
        _checking.reset(token)


def _run_checks(op: OpDef, inputs: list, attrs: dict[str, Any]) -> None:
    flat = _flat(inputs)
    if not flat or any(-1 in s.shape for s in flat):
        return  # nothing to compare, or not known yet
    full = {**op.attrs, **attrs}
    if dry_run.pays():
        try:
            _run_dry(op, inputs, full, dry_run.STAND_INS[0])
            return
        except dry_run.ReadsData:
            return
        except dry_run.NotTold:
            pass
    try:
        _run_meta(op, inputs, full, _STAND_INS[0])
    except NeedsData:
        return
    except Exception as error:
        if "meta" in str(error).lower():  # the kernel looks at data
            return
        raise kernel_error(op, _described(inputs), attrs, error) from error


class _Shown:
    """Stands for a tensor in an error message: its shape and type."""

    def __init__(self, spec: Spec) -> None:
        self._buf = self
        self.shape = spec.shape
        self.dtype = torch_dtype(spec.dtype)


def _described(inputs: list) -> tuple:
    return tuple(
        None if i is None else [_Shown(s) for s in i] if isinstance(i, list) else _Shown(i)
        for i in inputs
    )


def infer_by_kernel(op: OpDef, inputs: list, attrs: dict[str, Any]) -> list[Any]:
    """Runs the kernel on shapes alone, in the way that is quicker in this process."""
    if dry_run.pays():
        try:
            return _by_runs(op, inputs, attrs, _run_dry, dry_run.STAND_INS)
        except dry_run.NotTold:
            pass
    return infer_by_meta(op, inputs, attrs)


def infer_by_meta(op: OpDef, inputs: list, attrs: dict[str, Any]) -> list[Any]:
    """Runs the kernel on torch's meta device, whose first use takes a second."""
    for sizes in (_STAND_INS, _SMALLER):
        try:
            return _by_runs(op, inputs, attrs, _run_meta, sizes)
        except RuntimeError as error:
            if not too_large(error, str(error)):
                raise
    return _by_runs(op, inputs, attrs, _run_meta, dry_run.STAND_INS)


def _by_runs(op: OpDef, inputs: list, attrs: dict, run: Callable, sizes: tuple) -> list[Any]:
    first = run(op, inputs, attrs, sizes[0])
    if not any(-1 in s.shape for s in _flat(inputs)):
        return [_spec(o, o) for o in first]
    second = run(op, inputs, attrs, sizes[1])
    return [_spec(a, b) for a, b in zip(first, second, strict=True)]


def _flat(inputs: list) -> list[Spec]:
    flat = []
    for item in inputs:
        flat += item if isinstance(item, list) else [item]
    return [s for s in flat if s is not None]


def _run_meta(op: OpDef, inputs: list, attrs: dict[str, Any], stand_in: int) -> tuple:
    try:
        with torch.no_grad():
            outs = op.kernel(*_shapes_alone(inputs, stand_in), **_python_names(attrs))
    except UnimplementedError:  # the kernel's own words
        raise
    except (NotImplementedError, RuntimeError) as error:
        users = op.proto == USERS
        reads = isinstance(error, NotImplementedError) or "cannot be called on meta" in str(error)
        if not reads or not (users or isinstance(error, NotImplementedError)):
            raise
        raise NeedsData(
            f"the shape of operator {op.name}'s result depends on the data of its inputs.",
            hint="the function reads values, so that it cannot be run on shapes alone; give "
            "register_op a shape rule as infer=" if users else None,
        ) from error  # fmt: skip
    return (outs,) if len(op.outputs) == 1 else tuple(outs)


def _run_dry(op: OpDef, inputs: list, attrs: dict[str, Any], stand_in: int) -> tuple:
    outs = dry_run.run(op.kernel, _shapes_alone(inputs, stand_in), _python_names(attrs))
    return (outs,) if len(op.outputs) == 1 else tuple(outs)


def _shapes_alone(inputs: list, stand_in: int) -> list[Any]:
    """Tensors of the meta device, as a kernel takes them."""

    def empty(spec: Spec) -> torch.Tensor:
        shape = [stand_in if n == -1 else n for n in spec.shape]
        return torch.empty(shape, dtype=torch_dtype(spec.dtype), device="meta")

    return [
        None
        if item is None
        else [empty(s) for s in item]
        if isinstance(item, list)
        else empty(item)
        for item in inputs
    ]


def _python_names(attrs: dict[str, Any]) -> dict[str, Any]:
    from paddle.core.op import py

    return {py(k): v for k, v in attrs.items()}


def _spec(a: Any, b: Any) -> Any:
    if a is None:
        return None
    if isinstance(a, (list, tuple)):
        return [_spec(x, y) for x, y in zip(a, b, strict=True)]
    shape = tuple(m if m == n else -1 for m, n in zip(a.shape, b.shape, strict=True)) or (1,)
    return Spec(shape, FROM_TORCH[a.dtype])
