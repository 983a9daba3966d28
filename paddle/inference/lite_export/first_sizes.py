"""Whose first size each variable has: a batch goes unchanged through most of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from paddle.inference.lite_export.layout import Step

_KEEP_IT = frozenset([
    "conv2d", "conv2d_transpose", "pool2d", "activation", "layer_norm", "softmax", "cast",
    "interpolate",
])  # fmt: skip
_FIRST = -2  # in sizes of a reshape: that of axis 0 of the input


def first_sizes(steps: Sequence[Step], constants: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Returns for results of steps an earlier variable that certainly has the same first size.

    Args:
        steps (Sequence[Step]): in their order.
        constants (Mapping[str, ndarray]): values of constants.
    """
    found: dict[str, str] = {}
    for step in steps:
        kept = _keeps(step, constants)
        if step.name == "binary" and not kept:
            first, second = (found.get(name, name) for name in step.ins)
            kept = first == second
        for out in step.outs:
            found[out] = found.get(step.ins[0], step.ins[0]) if kept else out
    return found


def _keeps(step: Step, constants: Mapping[str, np.ndarray]) -> bool:
    """Whether the results of a step have the first size of its first operand."""
    name, ints = step.name, step.ints
    if name in ("matmul", "binary"):
        value = constants.get(step.ins[1])
        if value is None:
            return False
        if name == "matmul":
            return value.ndim == 2 and not ints[0]
        return value.size == 1 or (value.ndim == 1 and ints[1] > 0)
    if name in ("reshape", "transpose", "concat"):
        return bool(ints) and {
            "reshape": ints[0] == _FIRST, "transpose": ints[0] == 0, "concat": ints[0] > 0,
        }[name]  # fmt: skip
    if name == "slice":
        return all(axis > 0 for axis in ints[::4])
    if name == "pad":
        return not any(ints[1:3])
    return name in _KEEP_IT
