"""Python functions for operators of a library: signature and text follow from the operator."""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from typing import Any

from paddle.core import native
from paddle.core.op import REGISTRY, REQUIRED, C, OpDef, py
from paddle.ops.native_operators import load_library, native_of
from paddle.tensor.inplace import replace

__all__: list[str] = []


def operators_of(path: str, safe: bool = False) -> list[OpDef]:
    """Loads a library and returns the operators that it registered, without gradients.

    Args:
        path (str): the library.
        safe (bool): try it in a child process first.
    """
    library = load_library(path, safe)
    found = [REGISTRY.get(op.name) for op in library.operators]
    return [op for op in found if op is not None and op.base is None]


def module_of(name: str, path: str, safe: bool = False) -> types.ModuleType:
    """Makes a module of the operators of a library."""
    module = types.ModuleType(name, f"Operators of {os.path.basename(path)}.")
    module.__file__ = path
    fill(module.__dict__, path, safe)
    return module


def fill(scope: dict[str, Any], path: str, safe: bool = False) -> None:
    """Puts a function for each operator of a library into the names of a module."""
    names = []
    for op in operators_of(path, safe):
        scope[op.name] = function_of(op, scope.get("__name__", ""))
        names.append(op.name)
    scope["__all__"] = names


def function_of(op: OpDef, module: str = "") -> Callable:
    """The function that calls an operator: inputs, then attributes, by position or by name."""
    told = native_of(op)
    attrs = [py(name) for name in op.attrs]
    scope: dict[str, Any] = {"C": C, "replace": replace}
    required = [i for i, s in enumerate(op.inputs) if not s.optional]
    last = max(required, default=-1)
    free = any(default is REQUIRED for default in op.attrs.values())
    parts = [n if i <= last or free else f"{n}=None" for i, n in enumerate(op.params)]
    seen_default = False
    for name, default in op.attrs.items():
        if default is REQUIRED and not seen_default:
            parts.append(py(name))
            continue
        seen_default = True
        scope[f"default_{py(name)}"] = None if default is REQUIRED else default
        parts.append(f"{py(name)}=default_{py(name)}")
    given = ", ".join([*op.params, *(f"{a}={a}" for a in attrs)])
    written = {i: s.inplace for i, s in enumerate(told.outputs) if s.inplace >= 0}
    lines = [f"made = C.{op.name}({given})"]
    if written:
        single = len(op.outputs) == 1
        for out, into in written.items():
            source = "made" if single else f"made[{out}]"
            target = op.params[into]
            done = f"replace({target}, {source})"
            if told.outputs[out].many:
                done = f"[replace(a, b) for a, b in zip({target}, {source})]"
            lines.append(f"r{out} = {done}")
        results = [f"r{i}" if i in written else f"made[{i}]" for i in range(len(op.outputs))]
        lines.append(f"return {', '.join(results)}")
    else:
        lines.append("return made")
    source = f"def {op.name}({', '.join(parts)}):\n    " + "\n    ".join(lines) + "\n"
    exec(compile(source, f"<operator {op.name}>", "exec"), scope)
    function = scope[op.name]
    function.__module__ = module
    function.__doc__ = _text(op, told)
    return function


def _text(op: OpDef, told: Any) -> str:
    """The docstring: the operator's own words, its slots and attributes."""
    lines = [told.doc or f"The operator {op.name} of {os.path.basename(told.library.path)}.", ""]
    lines.append("Args:")
    for name, slot in zip(op.params, told.inputs):
        kind = "list[Tensor]" if slot.many else "Tensor"
        kind += ", optional" if slot.optional else ""
        lines.append(f"    {name} ({kind}): {slot.doc or f'the input {slot.name}.'}")
    for attribute in told.attributes:
        kind = native.TYPES[attribute.type][0]
        default = "" if attribute.initial is REQUIRED else f" Default: {attribute.initial!r}."
        text = attribute.doc or f"the attribute {attribute.name}."
        lines.append(f"    {py(attribute.name)} ({kind}): {text}{default}")
    lines += ["", "Returns:"]
    kinds = ["list[Tensor]" if s.many else "Tensor" for s in told.outputs]
    names = ", ".join(f"{s.name} ({k})" for s, k in zip(told.outputs, kinds))
    lines.append(f"    {names or 'nothing'}.")
    if op.gradient is None:
        lines += ["", "It has no gradient."]
    return "\n".join(lines) + "\n"
