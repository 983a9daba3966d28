"""What follows from an operator's definition: its generic gradient and its gradient operator.

The generic gradient is the one place where torch's own differentiation is used: for a single
kernel, on its buffers. Applied to gradient kernels, themselves operators, it gives derivatives of
every order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from paddle.core.levels import levels_on, put_levels
from paddle.core.op import REGISTRY, Gradient, OpDef, Slot
from paddle.core.traits import Slots

_depth = threading.local()
# What torch.autograd.grad ends in; it has this form in torch 2.11 to 2.13.
_engine = getattr(torch.autograd.graph, "_engine_run_backward", None)


def gradient_of(op: OpDef) -> Gradient:
    """Returns the operator's gradient, the generic one if it was given none."""
    if op.gradient is None:
        op.gradient = Gradient(
            _generic_kernel(op), [s.name for s in op.inputs], list(op.attrs), takes_needs_grad=True
        )
    return op.gradient


def is_generic(gradient: Gradient) -> bool:
    """Says whether a gradient is derived, so that it gives None for what it does not depend on."""
    return gradient.kernel.__module__ == __name__


def _generic_kernel(op: OpDef) -> Callable:
    """A gradient kernel that differentiates ``op``'s kernel with torch."""
    count = len(op.grad_outputs)

    def kernel(*values: Any, needs_grad: Any, **attrs: Any) -> Any:
        d_outs, inputs = values[:count], values[count:]
        return vjp(op, list(inputs), list(d_outs), attrs, needs_grad)

    return kernel


def vjp(op: OpDef, inputs: list, d_outs: list, attrs: dict, needs_grad: Any) -> Any:
    """Runs a kernel again with torch recording and returns the gradients of its inputs.

    Inside another ``vjp`` (a derivative of higher order) the recording goes on, so that the outer
    one can differentiate through this one.
    """
    nested = getattr(_depth, "value", 0) > 0
    _depth.value = getattr(_depth, "value", 0) + 1
    try:
        with torch.enable_grad():
            leaves: list[torch.Tensor] = []
            places: list[Any] = []
            args = [
                _track(value, want, leaves, places, nested)
                for value, want in zip(inputs, needs_grad, strict=True)
            ]
            outs = op.kernel(*args, **attrs)
            pairs = _pairs(op, outs, d_outs)
            grads: Any = iter(())
            if leaves and pairs:
                outputs, d_outputs = zip(*pairs, strict=True)
                grads = iter(_differentiate(outputs, d_outputs, tuple(leaves), nested))
    finally:
        _depth.value -= 1
    # torch may hand out a lazy zero; it cannot leave this place.
    grads = (torch.zeros_like(g) if g is not None and g._is_zerotensor() else g for g in grads)
    result: list[Any] = []
    for place in places:
        if isinstance(place, list):
            result.append([next(grads, None) if tracked else None for tracked in place])
        else:
            result.append(next(grads, None) if place else None)
    return result[0] if len(result) == 1 else tuple(result)


def _differentiate(outputs: tuple, d_outputs: tuple, leaves: tuple, again: bool) -> Any:
    """The engine of torch, without the checks of its public function.

    Those import torch.fx and sympy, 0.3 s, to compare shapes that :func:`_pairs` has made equal.
    """
    if _engine is None:
        return torch.autograd.grad(
            outputs, leaves, d_outputs, create_graph=again, allow_unused=True
        )
    return _engine(outputs, d_outputs, again, again, leaves, True, accumulate_grad=False)


def _track(value: Any, want: Any, leaves: list, places: list, nested: bool) -> Any:
    """Marks an input for torch where its gradient is needed."""
    if isinstance(value, (list, tuple)):
        made, flags = [], []
        for part, wish in zip(value, want, strict=True):
            flags.append(bool(wish and _can(part)))
            made.append(_leaf(part, leaves, nested) if flags[-1] else part)
        places.append(flags)
        return made
    tracked = bool(want and value is not None and _can(value))
    places.append(tracked)
    return _leaf(value, leaves, nested) if tracked else value


def _can(buf: torch.Tensor) -> bool:
    return buf.dtype.is_floating_point or buf.dtype.is_complex


def _leaf(buf: torch.Tensor, leaves: list, nested: bool) -> torch.Tensor:
    if nested and buf.requires_grad:
        made = buf.view_as(buf)  # a node of its own, should one buffer be two inputs
    else:
        made = buf.detach().requires_grad_()
    levels = levels_on(buf)
    if levels:  # which rows are one sequence, for kernels that work on sequences
        put_levels(made, levels)
    leaves.append(made)
    return made


def _pairs(op: OpDef, outs: Any, d_outs: list) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Matches outputs that torch could differentiate with the gradients that came."""
    outs = (outs,) if len(op.outputs) == 1 else outs
    pairs = []
    for position, d_out in zip(op.grad_outputs, d_outs, strict=True):
        out = outs[position]
        if out is None or d_out is None:
            continue
        listed = zip(out, d_out, strict=True) if op.outputs[position].many else [(out, d_out)]
        for o, d in listed:
            if o is not None and d is not None and o.requires_grad:
                pairs.append((o, d.reshape(o.shape) if d.shape != o.shape else d))
    return pairs


def gradient_operator(op: OpDef) -> OpDef:
    """Returns ``<name>_grad`` as an operator of its own, so that it can be recorded too.

    Inputs are the gradients of the outputs and the saved buffers; saved shapes, attributes and
    ``needs_grad`` are attributes; outputs are the gradients of the inputs.
    """
    found = op._derived.get("gradient_operator")
    if found is not None:
        return found
    gradient = gradient_of(op)
    many = {s.name for s in [*op.inputs, *op.outputs] if s.many}
    optional = {s.name for s in [*op.inputs, *op.outputs] if s.optional}
    carried = [op.outputs[i] for i in op.grad_outputs]
    buffers = [t for t in gradient.saves if "." not in t]
    taken = set(buffers)
    inputs = [Slot(_grad_name(s, taken), s.many, s.optional) for s in carried]
    inputs += [Slot(t, t in many, t in optional) for t in buffers]
    outputs = [Slot(_grad_name(s, taken), s.many, True) for s in op.inputs]
    shapes = [t for t in gradient.saves if "." in t]
    attrs = dict.fromkeys(shapes) | {a: op.attrs[a] for a in gradient.attrs}
    if gradient.takes_needs_grad:
        attrs[needs_grad_name(op)] = None
    found = OpDef(
        name=f"{op.name}_grad",
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        kernel=_gradient_call(op, gradient, len(carried)),
        params=[s.name.replace("@", "_") for s in inputs],
        base=op,
        random=op.random and is_generic(gradient),
        no_alias=_of_gradients(gradient.no_alias),
        inplace=gradient.inplace,
    )
    op._derived["gradient_operator"] = found
    dict.setdefault(REGISTRY, found.name, found)
    return found


def _of_gradients(slots: Slots | None) -> Slots | None:
    """The outputs of a gradient operator, for the inputs that a gradient was declared with."""
    if slots is None or isinstance(slots, str):
        return slots and " ".join(f"{name}@GRAD" for name in slots.split())
    return lambda inputs, attrs: str(_of_gradients(slots(inputs, attrs)))


def _grad_name(slot: Slot, taken: set[str]) -> str:
    """A name for the slot's gradient; from the third order on the plain one may be in use."""
    name = f"{slot.name}@GRAD"
    while name in taken:
        name += "@AGAIN"
    taken.add(name)
    return name


def needs_grad_name(op: OpDef) -> str:
    """The attribute of ``op``'s gradient operator that holds its flags, one name per order."""
    order, base = 1, op.base
    while base is not None:
        order, base = order + 1, base.base
    return f"needs_grad_{order}"


def _gradient_call(op: OpDef, gradient: Gradient, count: int) -> Callable:
    """Adapts a gradient kernel to the calling form of an operator."""
    from paddle.core.op import py

    flags = needs_grad_name(op)

    def kernel(*buffers: Any, **attrs: Any) -> Any:
        kept = iter(buffers[count:])
        values = [attrs.pop(py(token)) if "." in token else next(kept) for token in gradient.saves]
        if gradient.takes_needs_grad:
            attrs["needs_grad"] = attrs.pop(flags)
        grads = gradient.kernel(*buffers[:count], *values, **attrs)
        used = {id(b) for b in buffers}
        if len(op.inputs) == 1:
            return _own(grads, used)
        return tuple(_own(grad, used) for grad in grads)

    return kernel


def _own(grad: Any, used: set[int]) -> Any:
    """A handle of its own for a gradient that is an input, or another gradient, as it is.

    Gradient kernels may hand those on, but two Tensors must not be around one buffer object: a
    write to one would show in the other.
    """
    if isinstance(grad, (list, tuple)):
        return [_own(part, used) for part in grad]
    if grad is None:
        return None
    if id(grad) in used:
        grad = grad.view_as(grad)
    used.add(id(grad))
    return grad
