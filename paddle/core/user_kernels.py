"""Kernels that users write, of Tensors or arrays, as the kernels of buffers they become."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from paddle.core import dry_run
from paddle.core.dtype import FROM_TORCH, to_vartype, torch_dtype
from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.core.infer import RULES, Spec
from paddle.core.levels import levels_on, put_levels
from paddle.core.mode import hooked, no_grad
from paddle.core.op import py
from paddle.core.tensor import Tensor, _host_array, wrap

FORMS = ("torch", "numpy")
# So many numbers are made at most to find the shapes of a kernel's results.
_LIMIT = 1 << 20


def adapted(
    function: Callable, form: str | None, cpu: Callable | None, results: Sequence[Any]
) -> Callable:
    """Makes a kernel of buffers of a function.

    Args:
        function (callable): takes what an operator's kernel takes, in the form given.
        form (str, optional): ``torch`` or ``numpy`` for buffers in that form; None: Tensors.
        cpu (callable, optional): takes its place for buffers in main memory.
        results (list): the name and whether it is a list and whether it may be None, for each value
            that comes back.

    Returns:
        callable: of buffers; its signature is the function's.
    """
    run = _FORMS[form]
    if form == "torch" and cpu is None and len(results) == 1:
        return _plain(function, results)

    @functools.wraps(function)
    def kernel(*buffers: Any, **attrs: Any) -> Any:
        chosen = function
        if cpu is not None:
            first = _first(buffers)
            if first is None or first.is_cpu or first.is_meta:
                chosen = cpu
        outs = run(chosen, buffers, attrs)
        return _checked(chosen, outs, buffers, results)

    return kernel


def _plain(function: Callable, results: Sequence[Any]) -> Callable:
    """The shortest way, for a function of buffers with one result: it is called as it is."""

    @functools.wraps(function)
    def kernel(*buffers: Any, **attrs: Any) -> Any:
        out = function(*buffers, **attrs)
        if type(out) is torch.Tensor:
            for given in buffers:
                if given is out:
                    return _another(out)
            return out
        return _checked(function, out, buffers, results)

    return kernel


def _first(buffers: tuple) -> torch.Tensor | None:
    for value in buffers:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, torch.Tensor):
                return one
    return None


def _each(value: Any, change: Callable) -> Any:
    """Changes a buffer, or those in a list; shapes, flags and None stay."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor):
        return [_each(one, change) for one in value]
    return list(value) if isinstance(value, torch.Size) else value


def _with_buffers(function: Callable, buffers: tuple, attrs: dict) -> Any:
    return function(*buffers, **attrs)


def _with_tensors(function: Callable, buffers: tuple, attrs: dict) -> Any:
    """Operators that the function calls run at once; nothing records them."""

    def back(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [back(one) for one in value]
        return value._buf if isinstance(value, Tensor) else value

    with hooked(None), no_grad():
        outs = function(*(_each(value, wrap) for value in buffers), **attrs)
    return tuple(map(back, outs)) if isinstance(outs, tuple) else back(outs)


def _with_arrays(function: Callable, buffers: tuple, attrs: dict) -> Any:
    first = _first(buffers)
    device = torch.device("cpu") if first is None else first.device
    arrays: list[np.ndarray] = []

    def array(buf: torch.Tensor) -> np.ndarray:
        slow = not buf.is_cpu or buf.dtype is torch.bfloat16 or buf.requires_grad
        made = _host_array(buf) if slow or buf.is_conj() or buf.is_neg() else buf.numpy().view()
        made.flags.writeable = False  # a kernel that writes into its inputs is told so by NumPy
        arrays.append(made)
        return made

    def back(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [back(one) for one in value]
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        value = np.ascontiguousarray(value)
        if not value.flags.writeable or any(np.may_share_memory(value, a) for a in arrays):
            value = value.copy()
        bits = value.dtype == np.uint16
        made = torch.from_numpy(value.view(np.int16) if bits else value)
        made = made.view(torch.bfloat16) if bits else made
        return made if device.type == "cpu" else made.to(device)

    outs = function(*(_each(value, array) for value in buffers), **attrs)
    return tuple(map(back, outs)) if isinstance(outs, tuple) else back(outs)


_FORMS: dict[str | None, Callable] = {
    None: _with_tensors, "torch": _with_buffers, "numpy": _with_arrays,
}  # fmt: skip


def _checked(function: Callable, outs: Any, buffers: tuple, results: Sequence[Any]) -> Any:
    """The results, one for each slot, none of them the very object that came in."""
    name = getattr(function, "__qualname__", repr(function))
    if len(results) != 1:
        count = len(outs) if isinstance(outs, (list, tuple)) else 1
        if not isinstance(outs, (list, tuple)) or count != len(results):
            raise InvalidArgumentError(
                f"{name}: expected {len(results)} results, {' '.join(r[0] for r in results)}, but "
                f"it returned {count}."
            )
    elif isinstance(outs, tuple) and len(outs) == 1 and not results[0][1]:
        outs = outs[0]
    given = {id(b) for v in buffers for b in (v if isinstance(v, (list, tuple)) else (v,))}
    listed = [outs] if len(results) == 1 else list(outs)
    for i, (value, (slot, many, optional)) in enumerate(zip(listed, results, strict=True)):
        parts = value if many and isinstance(value, (list, tuple)) else [value]
        for one in parts:
            if not isinstance(one, torch.Tensor) and not (one is None and optional):
                expected = "a list of tensors" if many else "a tensor"
                raise TypeError(
                    f"{name}: {slot} is expected to be {expected}, but it returned "
                    f"{type(one).__name__} {one!r:.40}."
                )
        fresh = [_another(one) if id(one) in given else one for one in parts]
        listed[i] = fresh if many and value is not None else fresh[0]
    return listed[0] if len(results) == 1 else tuple(listed)


def _another(buf: Any) -> Any:
    """Another tensor of the same memory, for one that came in goes out."""
    if buf is None:
        return None
    made = buf.view_as(buf)
    levels = levels_on(buf)
    if levels:
        put_levels(made, levels)
    return made


# -- shape rules -----------------------------------------------------------------------------------


def shape_rule(name: str, given: Any, outputs: Sequence[Any]) -> Any:
    """A user's shape rule as operators have it: it returns a Spec for each output.

    Args:
        name (str): the operator.
        given (str|callable): the name of a rule, or ``rule(inputs, attrs)`` that returns, for each
            output, what has a shape and a dtype, or a pair of these.
        outputs (list): the output slots.
    """
    if isinstance(given, str):
        if given not in RULES:
            raise InvalidArgumentError(
                f"register_op(infer): expected one of {sorted(RULES)} or a function, but received "
                f"{given!r}."
            )
        return given
    if not callable(given):
        raise TypeError(
            f"register_op(infer): expected the name of a rule or a function, but received "
            f"{type(given).__name__}."
        )

    @functools.wraps(given)
    def rule(inputs: list, attrs: dict) -> list:
        try:
            found = given(inputs, attrs)
        except FrameworkError:
            raise
        except ValueError as error:  # what the rule refuses is told in its own words
            raise InvalidArgumentError(str(error)) from error
        single = len(outputs) == 1 and (_is_spec(found) or not outputs[0].many)
        listed = [found] if single and not _listed_specs(found) else list(found)
        if len(listed) != len(outputs):
            raise InvalidArgumentError(
                f"the shape rule of {name} is expected to return {len(outputs)} shapes with their "
                f"data types, but it returned {len(listed)}."
            )
        return [_spec(name, value) for value in listed]

    return rule


def _is_spec(value: Any) -> bool:
    pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], (list, tuple))
    plain = pair and all(isinstance(n, (int, np.integer)) for n in value[0])
    return plain or (hasattr(value, "shape") and hasattr(value, "dtype"))


def _listed_specs(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and not _is_spec(value)


def _spec(name: str, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, list) and not _is_spec(value):
        return [_spec(name, one) for one in value]
    if not _is_spec(value):
        raise TypeError(
            f"the shape rule of {name} is expected to return pairs of a shape and a data type, or "
            f"what has both, but it returned {type(value).__name__} {value!r:.60}."
        )
    shape, dtype = value if isinstance(value, tuple) else (value.shape, value.dtype)
    return Spec(tuple(int(n) for n in shape), to_vartype(dtype))


def by_running(name: str, kernel: Callable, outputs: Sequence[Any]) -> Callable:
    """A shape rule that runs a kernel of arrays on ones; unknown sizes are tried twice."""

    def once(inputs: list, attrs: dict, size: int) -> list:
        def ones(spec: Any) -> Any:
            if spec is None or isinstance(spec, list):
                return spec and [ones(s) for s in spec]
            shape = [size if n == -1 else n for n in spec.shape]
            if np.prod(shape, dtype="float64") > _LIMIT:
                raise InvalidArgumentError(
                    f"operator {name} has no shape rule, and its inputs are too large to try.",
                    hint="give register_op a function as infer=",
                )
            return torch.ones(shape, dtype=torch_dtype(spec.dtype))

        buffers = [ones(spec) for spec in inputs]
        outs = kernel(*buffers, **{py(k): v for k, v in attrs.items()})
        return [outs] if len(outputs) == 1 else list(outs)

    def joined(a: Any, b: Any) -> Any:
        if a is None or isinstance(a, list):
            return a and [joined(x, y) for x, y in zip(a, b, strict=True)]
        pairs = zip(a.shape, b.shape, strict=True)
        return Spec(tuple(m if m == n else -1 for m, n in pairs) or (1,), FROM_TORCH[a.dtype])

    def rule(inputs: list, attrs: dict) -> list:
        flat = [s for i in inputs for s in (i if isinstance(i, list) else [i]) if s is not None]
        unknown = any(-1 in s.shape for s in flat)
        first = once(inputs, attrs, dry_run.STAND_INS[0])
        second = once(inputs, attrs, dry_run.STAND_INS[1]) if unknown else first
        return [joined(a, b) for a, b in zip(first, second, strict=True)]

    return rule
