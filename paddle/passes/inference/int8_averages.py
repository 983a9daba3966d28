"""Which average pools can be computed with bytes."""

from __future__ import annotations

from typing import Any

from paddle.ir.operator import Operator


def average_form(op: Operator) -> dict[str, Any] | None:
    """Returns the attributes of ``int8_avg_pool2d`` for an average pool; None where it has none.

    Each of its windows has to have as many values: its padding counts as values or is not there,
    ``ceil_mode`` is off, and the parts of an adaptive pool are even where sizes are known.

    Args:
        op (Operator): a ``pool2d``.
    """
    attrs, var = op.attrs, op.block._find_var_recursive(op.inputs["X"][0])
    if var is None or len(var.shape) != 4 or attrs.get("pooling_type", "max") != "avg":
        return None
    if str(attrs.get("data_format", "NCHW")) not in ("NCHW", "AnyLayout"):
        return None
    parts = [1, 1] if attrs.get("global_pooling") else list(attrs.get("ksize", []))
    if len(parts) != 2:
        return None
    if attrs.get("global_pooling") or attrs.get("adaptive"):
        known = [(n, count) for n, count in zip(var.shape[2:], parts, strict=True) if n != -1]
        even = all(not n % count for n, count in known)
        return {"ksize": parts, "adaptive": True} if even else None
    algorithm = attrs.get("padding_algorithm", "EXPLICIT")
    paddings = list(attrs.get("paddings", [0, 0]))
    padded = algorithm == "SAME" or (algorithm == "EXPLICIT" and any(paddings))
    if attrs.get("ceil_mode") or (padded and attrs.get("exclusive", True)):
        return None
    return {
        "ksize": parts,
        "strides": list(attrs.get("strides", [1, 1])),
        "paddings": paddings,
        "padding_algorithm": algorithm,
    }
