"""Kernels that users write, of Tensors or arrays, as the kernels of buffers they become."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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


class Result(NamedTuple):
    """One value that a kernel returns.

    Attributes:
        name (str): of the slot.
        many (bool): it is a list.
        optional (bool): it may be None.
        into (int): the input that it is written into; -1: none.
    """

    name: str
    many: bool
    optional: bool
    into: int = -1


def adapted(
    name: str, function: Callable, form: str | None, cpu: Callable | None,
    results: Sequence[Any], infer: Any = None,
) -> Callable:  # fmt: skip
    """Makes a kernel of buffers of a function.

    Args:
        name (str): what messages call it.
        function (callable): takes what an operator's kernel takes, in the form given.
        form (str, optional): ``torch`` or ``numpy`` for buffers in that form; None: Tensors.
        cpu (callable, optional): takes its place for buffers in main memory.
        results (list): a Result for each value that comes back.
        infer (str|callable, optional): the shape rule. What a rule with a name says is held against
            every result, as callers take it for granted.

    Returns:
        callable: of buffers; its signature is the function's.
    """
    run = _FORMS[form]
    check = _as_told(name, infer, results) if isinstance(infer, str) else _unchecked
    if form == "torch" and cpu is None and len(results) == 1 and results[0].into < 0:
        return _plain(name, function, results, check)

    @functools.wraps(function)
    def kernel(*buffers: Any, **attrs: Any) -> Any:
        chosen = function
        if cpu is not None:
            first = _first(buffers)
            if first is None or first.is_cpu or first.is_meta:
                chosen = cpu
        outs = run(chosen, buffers, attrs)
        outs = _checked(name, outs, buffers, results)
        check(outs, buffers, attrs)
        return outs

    return kernel


def _plain(name: str, function: Callable, results: Sequence[Any], check: Callable) -> Callable:
    """The shortest way, for a function of buffers with one result: it is called as it is."""

    @functools.wraps(function)
    def kernel(*buffers: Any, **attrs: Any) -> Any:
        out = function(*buffers, **attrs)
        if type(out) is torch.Tensor:
            for given in buffers:
                if given is out:
                    return _another(out)
        else:
            out = _checked(name, out, buffers, results)
        check(out, buffers, attrs)
        return out

    return kernel


def _unchecked(outs: Any, buffers: tuple, attrs: dict) -> None:
    """Nothing is known of the results."""


def _as_told(name: str, infer: str, results: Sequence[Any]) -> Callable:
    """A function that refuses results which are not what a shape rule with a name says."""

    def check(outs: Any, buffers: tuple, attrs: dict) -> None:
        listed = [outs] if len(results) == 1 else outs
        if infer == "same":
            x = buffers[0]
            if all(o.dtype is x.dtype and o.shape == x.shape for o in listed if _is_one(o)):
                return
        specs = RULES[infer]([_told(b) for b in buffers], attrs)
        for i, (out, (slot, *_)) in enumerate(zip(listed, results, strict=True)):
            spec = specs[i] if i < len(specs) else specs[0]
            kind = torch_dtype(spec.dtype)
            if _is_one(out) and (out.dtype is not kind or (tuple(out.shape) or (1,)) != spec.shape):
                raise InvalidArgumentError(
                    f"{name}: {slot} is {_shown(out.dtype)}{list(out.shape)}, but by the shape "
                    f"rule {infer!r} it is {_shown(kind)}{list(spec.shape)}.",
                    hint="let the function return that, or give register_op another rule as infer=",
                )

    return check


def _is_one(out: Any) -> bool:
    return isinstance(out, torch.Tensor)


def _told(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_told(one) for one in value]
    return value if value is None else Spec(tuple(value.shape) or (1,), FROM_TORCH[value.dtype])


def _shown(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


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
    """NumPy has no bfloat16: such values come as float32, and go back where the first is one."""
    first = _first(buffers)
    device = torch.device("cpu") if first is None else first.device
    narrow = first is not None and first.dtype is torch.bfloat16
    arrays: list[np.ndarray] = []

    def array(buf: torch.Tensor) -> np.ndarray:
        if buf.dtype is torch.bfloat16:
            buf = buf.float()
        slow = not buf.is_cpu or buf.requires_grad
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
        if bits:
            made = made.view(torch.bfloat16)
        elif narrow and made.dtype is torch.float32:
            made = made.bfloat16()
        return made if device.type == "cpu" else made.to(device)

    outs = function(*(_each(value, array) for value in buffers), **attrs)
    return tuple(map(back, outs)) if isinstance(outs, tuple) else back(outs)


_FORMS: dict[str | None, Callable] = {
    None: _with_tensors, "torch": _with_buffers, "numpy": _with_arrays,
}  # fmt: skip


def _checked(name: str, outs: Any, buffers: tuple, results: Sequence[Any]) -> Any:
    """The results, one for each slot, none of them the very object that came in."""
    if len(results) != 1:
        count = len(outs) if isinstance(outs, (list, tuple)) else 1
        if not isinstance(outs, (list, tuple)) or count != len(results):
            raise InvalidArgumentError(
                f"{name}: expected {len(results)} results, {', '.join(r[0] for r in results)}, but "
                f"it returned {count}."
            )
    elif isinstance(outs, tuple) and len(outs) == 1 and not results[0].many:
        outs = outs[0]
    given = {id(b) for v in buffers for b in (v if isinstance(v, (list, tuple)) else (v,))}
    listed = [outs] if len(results) == 1 else list(outs)
    for i, (value, (slot, many, optional, into)) in enumerate(zip(listed, results, strict=True)):
        parts = value if many and isinstance(value, (list, tuple)) else [value]
        for one in parts:
            if not isinstance(one, torch.Tensor) and not (one is None and optional):
                expected = "a list of tensors" if many else "a tensor"
                raise TypeError(
                    f"{name}: {slot} is expected to be {expected}, but it returned {_what(one)}."
                )
            if one is not None and one.dtype not in FROM_TORCH:
                raise TypeError(
                    f"{name}: {slot} is {_shown(one.dtype)}, which no Tensor can have; convert it "
                    "before it is returned."
                )
        if into >= 0:
            listed[i] = _written(name, slot, buffers[into], value)
            continue
        fresh = [_another(one) if id(one) in given else one for one in parts]
        listed[i] = fresh if many and value is not None else fresh[0]
    return listed[0] if len(results) == 1 else tuple(listed)


def _written(name: str, slot: str, buffer: Any, value: Any) -> Any:
    """The buffers of an input that a result is written into."""
    if isinstance(buffer, (list, tuple)):
        return [_written(name, slot, b, v) for b, v in zip(buffer, value, strict=True)]
    if buffer is None or value is None or buffer is value:
        return buffer
    if buffer.shape != value.shape or buffer.dtype is not value.dtype:
        raise InvalidArgumentError(
            f"{name}: {slot} is {_shown(value.dtype)}{list(value.shape)}, but the input that it is "
            f"written into is {_shown(buffer.dtype)}{list(buffer.shape)}."
        )
    return buffer.copy_(value)


def _what(value: Any) -> str:
    kind = type(value).__name__
    if value is None:
        return "None"
    if isinstance(value, (list, tuple)):
        return f"a {kind} of {len(value)}"
    if isinstance(value, np.ndarray):
        return "an array; buffers='numpy' is for functions of arrays"
    return f"{kind} {value!r:.40}"


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
        try:
            outs = kernel(*buffers, **{py(k): v for k, v in attrs.items()})
        except Exception as error:
            text = str(error.args[0] if isinstance(error, FrameworkError) else error)
            raise InvalidArgumentError(
                text.split("\n")[0], hint=f"to find the shapes of its results, {name} was run on "
                "ones; give register_op a shape rule as infer=",
            ) from error  # fmt: skip
        return [outs] if len(outputs) == 1 else list(outs)

    def joined(a: Any, b: Any) -> Any:
        if a is None or isinstance(a, list):
            return a and [joined(x, y) for x, y in zip(a, b, strict=True)]
        if a.dim() != b.dim():
            raise InvalidArgumentError(
                f"operator {name} has no shape rule, and how many dimensions its results have "
                "depends on the size of its inputs.",
                hint="give register_op a function as infer=",
            )
        pairs = zip(a.shape, b.shape, strict=True)
        return Spec(tuple(m if m == n else -1 for m, n in pairs) or (1,), FROM_TORCH[a.dtype])

    def rule(inputs: list, attrs: dict) -> list:
        flat = [s for i in inputs for s in (i if isinstance(i, list) else [i]) if s is not None]
        unknown = any(-1 in s.shape for s in flat)
        first = once(inputs, attrs, dry_run.STAND_INS[0])
        second = once(inputs, attrs, dry_run.STAND_INS[1]) if unknown else first
        return [joined(a, b) for a, b in zip(first, second, strict=True)]

    return rule
