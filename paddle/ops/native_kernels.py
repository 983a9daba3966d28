"""Kernels of compiled operators, generated as the callers of :mod:`paddle.core.dispatch` are.

For inputs that look like earlier ones a kernel fills nothing but pointers into structs that are
ready, allocates the results and calls the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from paddle.core import native
from paddle.core.debug import enabled
from paddle.core.levels import levels_on
from paddle.core.native import NativeOperator
from paddle.core.native_slots import LIST, OPTIONAL
from paddle.core.op import REQUIRED, py
from paddle.ops.native_buffers import Caller

_SCALARS = range(1, 7)


def kernel_of(caller: Caller) -> Callable:
    """The kernel of an operator: source for its number of inputs, outputs and attributes."""
    op = caller.op
    simple = (
        op.inputs
        and not any(s.flags & (LIST | OPTIONAL) for s in [*op.inputs, *op.outputs])
        and not any(s.inplace >= 0 for s in op.outputs)
        and not op.flags & native.STRIDES
        and all(a.type in _SCALARS for a in op.attributes)
    )
    names = [f"b{i}" for i in range(len(op.inputs))]
    attrs = [py(a.name) for a in op.attributes]
    scope: dict[str, Any] = {
        "caller": caller, "slowly": caller.slowly, "plans": caller.plans,
        "empty": torch.empty_strided, "empty_like": torch.empty_like,
        "call": op.library.call, "index": op.index, "prepare": caller.prepare,
        "finish": caller.finish,
        "levels_on": levels_on, "levelled": caller.levelled,
    }  # fmt: skip
    for a, told in zip(attrs, op.attributes):
        scope[f"default_{a}"] = told.initial
    defaults = ", ".join(
        a if told.initial is REQUIRED else f"{a}=default_{a}"
        for a, told in zip(attrs, op.attributes)
    )
    header = f"def kernel({', '.join(names)}{', *, ' + defaults if attrs else ''}):"
    passed = "".join(f", {a}={a}" for a in attrs)
    if not simple:
        lines = [f"return slowly({', '.join(names)}{passed})"]
    else:
        lines = _lines(op, names, attrs, passed)
    source = "\n    ".join([header, *lines]) + "\n"
    if enabled("calls"):
        print(source)
    exec(compile(source, f"<native kernel {op.name}>", "exec"), scope)
    return scope["kernel"]


def _lines(op: NativeOperator, names: list[str], attrs: list[str], passed: str) -> list[str]:
    """The lines of a kernel whose inputs and outputs are single tensors."""
    outs = [f"o{i}" for i in range(len(op.outputs))]
    places = [f"p{i}" for i in range(len(names))]
    places += [f"{letter}{i}" for letter in "qm" for i in range(len(outs))]
    buffers = "".join(f"{n}, " for n in names)
    given = "{" + ", ".join(f"{a.name!r}: {py(a.name)}" for a in op.attributes) + "}"
    key = "".join(f"{n}.shape, {n}.dtype, {n}.get_device(), " for n in names)
    # 0.0 and -0.0 are equal, 1 and True too, but they are not the same attribute.
    key += "".join(f"type({a}), {a} or repr({a}), " for a in attrs)
    listed = ", ".join(n for n in names)
    call = f"{listed}{passed}"
    lines = [
        # Structs that are free, of calls that look like this one; None: those go the long way.
        "try:",
        f"    block = plans.get(({key})).pop()",
        "except (IndexError, AttributeError, TypeError):",
        f"    block = prepare(({key}), ({buffers}), {given})",
        f"    if block is None: return slowly({call})",
        f"told, free, owner, {', '.join(places)} = block",
    ]
    for i, name in enumerate(names):
        lines += [
            f"if not {name}.is_contiguous() or {name}.is_neg(): "
            f"{name} = {name}.resolve_neg().contiguous()",
            f"p{i}.value = a{i} = {name}.data_ptr()",
        ]
    # Nothing is there: no elements, or shapes alone.
    lines.append(
        f"if not ({' and '.join(f'a{i}' for i in range(len(names)))}): return slowly({call})"
    )
    if op.flags & (native.OWN_LOD | native.SHARES_LOD):
        split = " or ".join(f"levels_on({n})" for n in names)
        lines.append(f"if {split}: return slowly({call})")
    for i, out in enumerate(outs):
        lines += [
            f"alike, shape, steps, dtype = m{i}",
            f"{out} = empty_like(b0) if alike else empty(shape, steps, dtype=dtype)",  # cheapest
            f"q{i}.value = {out}.data_ptr()",
        ]
    offers = "".join(f"{o}, " for o in outs)
    lines += [
        "code = call(index, told)",
        f"if code: return finish(code, owner, ({buffers}), ({offers}))",
    ]
    if op.flags & native.OWN_LOD:
        lines.append(f"if owner.levels: return levelled(owner, ({offers}))")
    lines += ["free.append(block)", f"return {', '.join(outs)}"]
    return lines
