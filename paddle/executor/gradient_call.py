"""The call of a gradient kernel: what it takes, what was saved, which results are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from paddle.core.derive import gradient_of, is_generic
from paddle.core.op import OpDef, py
from paddle.ir.autodiff.higher_order import inherited_flags
from paddle.ir.operator import EMPTY, Operator

if TYPE_CHECKING:
    from paddle.executor.codegen import Emitter


def write_gradient(e: Emitter, op: Operator, base: OpDef) -> None:
    """Writes one gradient operator.

    Args:
        e (Emitter): takes the lines.
        op (Operator): the gradient operator.
        base (OpDef): what it is the gradient of.
    """
    gradient = gradient_of(base)
    known = op.definition
    assert known is not None
    count = len(base.grad_outputs)
    args = [e.argument(op, s) for s in known.inputs[:count]]
    slots = {s.name: s for s in known.inputs[count:]}
    for token in gradient.saves:
        name, _, what = token.partition(".")
        if what == "shape":
            args.append(_shape(e, op, name))
        else:
            args.append(e.argument(op, slots[name]))
    words = []
    inherited = inherited_flags(op)
    for key in gradient.attrs:
        if "." in key:  # the shape of what an operator of lower order saved
            words.append(f"{py(key)}={_shape(e, op, key.partition('.')[0])}")
            continue
        value = inherited.get(key, op.attrs.get(key, base.attrs[key]))
        words.append(f"{py(key)}={e.literal(value, key)}")
    parts: list[str] = []
    flags: list[bool | tuple[bool, ...]] = []
    after: list[str] = []
    for forward, slot in zip(base.inputs, known.outputs, strict=True):
        names = op.outputs.get(slot.name) or []
        if forward.many:
            sources = op.inputs.get(forward.name) or []
            names = [*names, *[EMPTY] * (len(sources) - len(names))]
            made = ", ".join(_result(e, n) for n in names)
            parts.append(f"[{made}]" if made.strip("_, ") else "_")
            flags.append(tuple(n != EMPTY for n in names))
        else:
            parts.append(_result(e, names[0]) if names else "_")
            flags.append(bool(names) and names[0] != EMPTY)
        if not e.keep_rank_0:
            after += [e.at_least_1(n) for n in names if n != EMPTY and e.may_be_0(n)]
    if gradient.takes_needs_grad:
        words.append(f"needs_grad={tuple(flags)!r}")
    function = e.constant(gradient.kernel, op.type)
    target = parts[0] if len(base.inputs) == 1 else ", ".join(parts)
    e.line(f"{target} = {function}({', '.join([*args, *words])})")
    for text in after:
        e.line(text)
    if is_generic(gradient):
        _fill_missing(e, op, base, known)


def _fill_missing(e: Emitter, op: Operator, base: OpDef, known: OpDef) -> None:
    """Zeros for the gradients of inputs that a result turns out not to depend on."""
    zeros = e.constant(torch.zeros_like, "zeros_like")
    for forward, slot in zip(base.inputs, known.outputs, strict=True):
        sources = op.inputs.get(forward.name) or []
        for name, source in zip(op.outputs.get(slot.name) or [], sources, strict=False):
            if name != EMPTY:
                local = e.python_name(name)
                e.line(f"if {local} is None: {local} = {zeros}({e.read(source)})")


def _result(e: Emitter, name: str) -> str:
    return "_" if name == EMPTY else e.write(name)


def _shape(e: Emitter, op: Operator, slot: str) -> str:
    names = op.inputs.get(slot) or []
    parts = [e.shape_of(name) for name in names]
    base = op.definition.base if op.definition else None
    found = slot_named(base, slot)
    while found is None and base is not None:  # a slot of an operator of lower order
        base = base.base
        found = slot_named(base, slot)
    if found is not None and found.many:
        return "[" + ", ".join(parts) + "]"
    return parts[0] if parts else "None"


def slot_named(known: OpDef | None, name: str) -> Any:
    """The slot of an operator that has a name, or None."""
    if known is None:
        return None
    return next((s for s in [*known.outputs, *known.inputs] if s.name == name), None)
