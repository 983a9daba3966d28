"""Emitters of operators that do something besides computing: print, assert, py_func."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from paddle.core.backends import backend_of
from paddle.core.convert import tensor_of
from paddle.core.dtype import FROM_TORCH, VarType, dtype_name, torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.levels import levels_on, put_levels
from paddle.core.lod import LoDTensor
from paddle.core.tensor import wrap
from paddle.executor.callables import function_of
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import EMPTY, Operator, Role

# Element types as PaddlePaddle 2.0 prints them: the names C++ has for them.
_TYPES = {
    VarType.FP32: "float", VarType.FP64: "double", VarType.INT32: "int", VarType.INT64: "long",
    VarType.INT16: "short", VarType.INT8: "signed char", VarType.UINT8: "unsigned char",
    VarType.FP16: "paddle::platform::float16", VarType.BF16: "paddle::platform::bfloat16",
}  # fmt: skip


# -- print -----------------------------------------------------------------------------------------


class Printer:
    """Prints a value each time it is called, the first few times.

    Args:
        name (str): of the variable.
        attrs (dict): attributes of the operator.
        of_1x (bool): whether it prints as 1.8.5 does.
    """

    def __init__(self, name: str, attrs: dict[str, Any], of_1x: bool = False) -> None:
        self.name = name
        self._described = description_1x if of_1x else description
        self.attrs = attrs
        self.count = 0
        phase = str(attrs.get("print_phase", "BOTH")).upper()
        forward = attrs.get("is_forward", True)
        self.silent = phase == ("BACKWARD" if forward else "FORWARD")

    def __call__(self, value: Any) -> None:
        first = self.attrs.get("first_n", -1)
        self.count += 1
        if self.silent or value is None or (first > 0 and self.count > first):
            return
        if isinstance(value, list):
            for i, part in enumerate(value):
                if part is not None:
                    print(self._described(f"{self.name}[{i}]", part, self.attrs), flush=True)
            return
        print(self._described(self.name, value, self.attrs), flush=True)


def description(name: str, value: torch.Tensor, attrs: dict[str, Any]) -> str:
    """A value as the operator print shows it."""
    lines = []
    if attrs.get("print_tensor_name", True):
        lines.append(f"Variable: {name}")
    if attrs.get("message"):
        lines.append(f"  - message: {attrs['message']}")
    if attrs.get("print_tensor_lod", True):
        levels = "".join(f"{{{', '.join(map(str, level))}}}" for level in levels_on(value) or ())
        lines.append(f"  - lod: {{{levels}}}")
    lines.append(f"  - place: {backend_of(value).place(value.device.index or 0)}")
    if attrs.get("print_tensor_shape", True):
        lines.append(f"  - shape: [{', '.join(map(str, value.shape))}]")
    if attrs.get("print_tensor_layout", True):
        lines.append("  - layout: NCHW")
    if attrs.get("print_tensor_type", True):
        kind = FROM_TORCH[value.dtype]
        lines.append(f"  - dtype: {_TYPES.get(kind, dtype_name(kind))}")
    lines.append(f"  - data: {elements(value, attrs.get('summarize', 20))}")
    return "\n".join(lines)


_LETTERS = {
    torch.float32: "f", torch.float64: "d", torch.int64: "l", torch.int32: "i",
}  # fmt: skip


def description_1x(name: str, value: torch.Tensor, attrs: dict[str, Any]) -> str:
    """A value as the operator print of 1.8.5 shows it."""
    place = str(backend_of(value).place(value.device.index or 0))
    lines = [f"{int(time.time())}\t{attrs.get('message') or ''}\tThe place is:{place}"]
    if attrs.get("print_tensor_name", True):
        lines.append(f"Tensor[{name}]")
    if attrs.get("print_tensor_shape", True):
        lines.append(f"\tshape: [{''.join(f'{n},' for n in value.shape)}]")
    if attrs.get("print_tensor_type", True):
        lines.append(f"\tdtype: {_LETTERS.get(value.dtype) or dtype_name(FROM_TORCH[value.dtype])}")
    levels = levels_on(value)
    if attrs.get("print_tensor_lod", True) and levels:
        told = "".join(f"[ {','.join(map(str, level))}, ]" for level in levels)
        lines.append(f"\tLoD: [{told}]")
    data = elements(value, attrs.get("summarize", 20))[1:-1].split()
    lines.append(f"\tdata: {''.join(f'{n},' for n in data)}")
    return "\n".join(lines)


def elements(value: torch.Tensor, count: int) -> str:
    """The first elements in a list, floats with six digits; all of them if ``count`` is -1."""
    flat = value.detach().reshape(-1)
    flat = flat if count < 0 else flat[:count]
    if value.dtype is torch.bool:
        flat = flat.int()
    if flat.is_floating_point():
        return "[" + " ".join(f"{x:g}" for x in flat.tolist()) + "]"
    return "[" + " ".join(map(str, flat.tolist())) + "]"


@emitter("print")
def _print(em: Emitter, op: Operator) -> None:
    source = op.inputs["In"][0]
    value = em.read(source)
    printer = Printer(source, dict(op.attrs), op.block.program.of_1x)
    em.line(f"{em.constant(printer, 'printer')}({value})")
    for target in op.outputs.get("Out", []):
        if target != EMPTY:
            em.line(f"{em.write(target)} = {em.alias(source)}")


# -- assert ----------------------------------------------------------------------------------------


def insist(
    condition: Any, name: str, data: Any, names: tuple[str, ...], count: int, note: str = ""
) -> None:
    """Raises where a condition is false; the message shows the user's own and the data."""
    if condition is not None and condition.numel() == 1 and bool(condition):
        return
    if condition is None or condition.numel() != 1:
        found = None if condition is None else list(condition.shape)
        raise InvalidArgumentError(
            f"Assert(cond): expected {name!r} to have one element, but its shape is {found}."
        )
    shown = []
    for label, value in zip(names, data, strict=True):
        for i, part in enumerate(value if isinstance(value, list) else [value]):
            if part is not None:
                label_i = f"{label}[{i}]" if isinstance(value, list) else label
                shape = ", ".join(map(str, part.shape))
                shown.append(f"\n  {label_i} of shape [{shape}]: {elements(part, count)}")
    raise InvalidArgumentError(
        (f"Assert: {note}\n  " if note else "Assert: ")
        + f"the condition {name!r} is expected to be true, but it is false."
        + (" The data:" + "".join(shown) if shown else "")
    )


@emitter("assert")
def _assert(em: Emitter, op: Operator) -> None:
    condition = op.inputs["Cond"][0]
    names = tuple(op.inputs.get("Data", []))
    data = "".join(f"{em.read(n)}, " for n in names)
    count = int(op.attrs.get("summarize", -1))
    function = em.constant(insist, "insist")
    note = op.location.note if op.location is not None else ""
    args = f"{condition!r}, ({data}), {names!r}, {count}, {note!r}"
    em.line(f"{function}({em.read(condition)}, {args})")


# -- py_func ---------------------------------------------------------------------------------------


def _handed(value: Any) -> LoDTensor:
    return LoDTensor(wrap(value), levels_on(value) or ())


class PythonCall:
    """Calls a Python function on the values of variables.

    Args:
        function (callable): gets one LoDTensor (or None) per input.
        outputs (list): name and element type of each result.
        optional (bool): results may be None: it is a backward function.
    """

    def __init__(
        self, function: Callable, outputs: list[tuple[str, VarType]], optional: bool
    ) -> None:
        self.function = function
        self.outputs = outputs
        self.optional = optional

    def __call__(self, *values: Any) -> list:
        found = self.function(*[None if v is None else _handed(v) for v in values])
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        if not self.outputs:
            return []
        if len(results) != len(self.outputs):
            name = getattr(self.function, "__name__", repr(self.function))
            raise InvalidArgumentError(
                f"py_func: {name} is expected to return {len(self.outputs)} results, "
                f"but it returned {len(results)}."
            )
        pairs = zip(results, self.outputs, strict=True)
        return [self._buffer(value, name, kind) for value, (name, kind) in pairs]

    def _buffer(self, value: Any, name: str, kind: VarType) -> Any:
        if value is None:
            if self.optional or name == EMPTY:
                return None
            raise InvalidArgumentError(
                f"py_func: a value is expected for {name!r}, but the function returned None."
            )
        if isinstance(value, LoDTensor):
            made = value._filled()._buf
            if value._lod:
                put_levels(made := made.detach(), value._lod)
            return made
        if hasattr(value, "_buf"):
            return value._buf
        return tensor_of(np.asarray(value), None, None)._buf


@emitter("py_func")
def _py_func(em: Emitter, op: Operator) -> None:
    names = op.inputs.get("X", [])
    args = ", ".join("None" if n == EMPTY else em.read(n) for n in names)
    outs = op.outputs.get("Out", [])
    kinds = [(n, VarType.FP32 if n == EMPTY else em.variable(n).dtype) for n in outs]
    backward = bool(op.role & Role.BACKWARD) and any(n.endswith("@GRAD") for n in names)
    call = PythonCall(function_of(op.attr("forward_callable_id")), kinds, backward)
    text = f"{em.constant(call, 'python_call')}({args})"
    targets = "".join("_, " if n == EMPTY else f"{em.write(n)}, " for n in outs)
    em.line(f"{targets}= {text}" if targets else text)
    if backward:
        like = next(em.read(n) for n in names if n.endswith("@GRAD"))
        for out, source in _forward_values(op):
            local = em.python_name(out)
            shape = em.shape_of(source)
            dtype = em.constant(torch_dtype(em.variable(out).dtype), "dtype")
            em.line(f"if {local} is None: {local} = {like}.new_zeros({shape}, dtype={dtype})")


def _forward_values(op: Operator) -> list[tuple[str, str]]:
    """Gradients that a backward function computes, with variables of the same form."""
    pairs = []
    for out in op.outputs.get("Out", []):
        source = out.partition("@GRAD")[0]
        if out != EMPTY and op.block._find_var_recursive(source) is not None:
            pairs.append((out, source))
    return pairs
