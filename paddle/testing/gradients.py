"""Gradients of the tape beside differences: along a direction, or element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle import tensor
from paddle.autograd import grad
from paddle.core.op import REGISTRY
from paddle.core.random import seed
from paddle.testing.cases import call, tensors, with_levels


def float_slots(case: Any, wanted: Any = None) -> list[int]:
    """Positions of the floating input slots; only of those that are named, where names are given.

    Args:
        case (Case): the call.
        wanted (list[str], optional): names of slots.
    """
    chosen = []
    for i, slot in enumerate(REGISTRY[case.op].inputs):
        value = case.inputs.get(slot.name)
        if value is None or (wanted is not None and slot.name not in wanted):
            continue
        first = value[0] if isinstance(value, list) else value
        if np.asarray(first).dtype.kind == "f":
            chosen.append(i)
    return chosen


def flat(args: list[Any], chosen: list[int]) -> list[Any]:
    """The Tensors of some slots, those of lists one by one."""
    out: list[Any] = []
    for i in chosen:
        out += args[i] if isinstance(args[i], list) else [args[i]]
    return out


def weighted_sum(case: Any, args: list[Any]) -> Any:
    """A smooth number of all differentiable outputs, with fixed random weights; None: of none."""
    slots = [s for s in REGISTRY[case.op].outputs if not s.writes]
    total = None
    for slot, out in zip(slots, call(case, args), strict=True):
        if not slot.differentiable or out is None:
            continue
        for k, one in enumerate(out if isinstance(out, list) else [out]):
            if str(one.dtype) not in ("VarType.FP64", "VarType.COMPLEX128"):
                continue
            weight = np.random.RandomState(k + 7).uniform(0.5, 1.5, one.shape)
            real = tensor.real(one) if str(one.dtype) == "VarType.COMPLEX128" else one
            term = tensor.sum(real * tensor.to_tensor(weight))
            total = term if total is None else total + term
    return total


def derivative(case: Any, order: int, directions: list, wanted: Any = None) -> Callable:
    """A function from shifted inputs to a number and its gradients.

    The number is the weighted sum of the outputs, or for a higher ``order`` the derivative of one
    order less along the directions.

    Args:
        case (Case): the call.
        order (int): of the gradients, 1 for the first.
        directions (list): for each order below, one array for each floating input.
        wanted (list[str], optional): the slots that are differentiated. Default: all that float.
    """
    chosen = float_slots(case, wanted)

    def functional(shift: float, direction: list) -> tuple[float, list]:
        seed(7)
        args = tensors(case)
        leaves = flat(args, chosen)
        for leaf, d in zip(leaves, direction, strict=True):
            leaf.set_value(leaf.numpy() + shift * d)
            leaf.stop_gradient = False
        with_levels(case, args)  # they lay on the buffers that were replaced
        value = weighted_sum(case, args)
        for depth in range(order - 1):
            if value is None or value.stop_gradient:
                return 0.0, [None] * len(leaves)
            grads = grad(value, leaves, create_graph=True, allow_unused=True)
            terms = [
                tensor.sum(g * tensor.to_tensor(w))
                for g, w in zip(grads, directions[depth], strict=True)
                if g is not None
            ]
            value = sum(terms[1:], terms[0]) if terms else None
        if value is None or value.stop_gradient:
            return (0.0 if value is None else float(value)), [None] * len(leaves)
        grads = grad(value, leaves, allow_unused=True)
        return float(value), grads

    return functional


def along(functional: Callable, direction: list, delta: float) -> tuple[float, float]:
    """The derivative along a direction: by the tape, and by central differences.

    Args:
        functional (callable): of :func:`derivative`.
        direction (list): one array for each input.
        delta (float): how far the inputs are moved to either side.
    """
    _, grads = functional(0.0, direction)
    analytic = sum(
        float(np.sum(g.numpy() * d)) for g, d in zip(grads, direction, strict=True) if g is not None
    )
    up, _ = functional(delta, direction)
    down, _ = functional(-delta, direction)
    return analytic, (up - down) / (2 * delta)


def by_element(value: Callable[[], float], at: Any, delta: float) -> np.ndarray:
    """The gradient of a number by central differences, one element of a Tensor after the other.

    Args:
        value (callable): computes the number from the Tensor as it is.
        at (Tensor): is changed, and what it was behind that; floating or complex.
        delta (float): how far an element is moved to either side.
    """
    elements = at._buf.view(-1)
    steps = [delta, delta * 1j] if elements.is_complex() else [delta]
    found = np.zeros(elements.numel(), "complex128" if len(steps) > 1 else "float64")
    for i in range(found.size):
        before = elements[i].item()
        for step in steps:
            elements[i] = before + step
            top, up = elements[i].item(), value()
            elements[i] = before - step
            bottom, down = elements[i].item(), value()
            # What the format holds of the step, which in 32 bits is not what was asked for.
            found[i] += (up - down) / abs(top - bottom) * (step / delta)
        elements[i] = before
    return found.reshape(tuple(at.shape))
