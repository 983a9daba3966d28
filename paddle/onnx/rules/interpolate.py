"""Rules of resizing: ``Resize`` with the coordinates that each method has."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import channels_first, channels_last, is_last

_METHODS = ("linear", "bilinear", "nearest", "bicubic", "trilinear")


@rule(*[f"{m}_interp{v}" for m in _METHODS for v in ("", "_v2")])
def _(g: Any, op: Any) -> str:
    rank, last = op.rank("X"), is_last(op.attr("data_layout"))
    method = op.op.type.partition("_interp")[0]
    x = channels_first(g, op["X"], rank) if last else op["X"]
    sizes, scales = _extent(g, op, rank - 2)
    flat = rank == 3  # runtimes resize planes and volumes
    if flat:
        x = g.unsqueeze(x, [2])
        sizes = None if sizes is None else g.Concat([1], sizes, axis=0)
        if scales is not None:
            scales = g.Concat(np.ones(1, np.float32), scales, axis=0)
    whole = None
    if sizes is not None:
        shape = op.shape("X")
        whole = g.Concat(g.sizes(x, [shape[0], shape[-1 if last else 1]], [0, 1]), sizes, axis=0)
    if scales is not None:
        scales = g.Concat(np.ones(2, np.float32), scales, axis=0)
    elif g.opset < 13:
        scales = g.value(np.zeros(0, np.float32))
    roi = g.value(np.zeros(0, np.float32)) if g.opset < 13 else None
    made = g.Resize(x, roi, scales, whole, **_attributes(op, method))
    made = g.squeeze(made, [2]) if flat else made
    return channels_last(g, made, rank) if last else made


def _extent(g: Any, op: Any, count: int) -> tuple[str | None, str | None]:
    """The sizes of the result, or else the factors."""
    if op.has("SizeTensor"):
        return g.value(op.vector("SizeTensor")), None
    if op.has("OutSize"):
        return g.value(op.vector("OutSize")), None
    if op.has("Scale"):
        factor = g.Reshape(g.cast(op["Scale"], VarType.FP32), [-1])
        if op.shape("Scale") in ([1], []):
            factor = g.Expand(factor, [count])
        return None, factor
    given = op.attr("scale")
    listed = [given] if isinstance(given, (int, float)) else list(given or ())
    if listed and min(listed) > 0:
        listed = listed * count if len(listed) == 1 else listed
        return None, g.value(np.asarray(listed, np.float32))
    names = ("out_d", "out_h", "out_w")[3 - count :]
    return g.value([int(op.attr(n)) for n in names]), None


def _attributes(op: Any, method: str) -> dict[str, Any]:
    corners = bool(op.attr("align_corners"))
    mode = "align_corners" if corners else "half_pixel"
    if method == "nearest":
        return {
            "mode": "nearest",
            "coordinate_transformation_mode": mode if corners else "asymmetric",
            "nearest_mode": "round_prefer_ceil" if corners else "floor",
        }
    if method == "bicubic":
        return {
            "mode": "cubic", "coordinate_transformation_mode": mode, "cubic_coeff_a": -0.75,
        }  # fmt: skip
    if not corners and int(op.attr("align_mode")) == 1:
        mode = "asymmetric"
    return {"mode": "linear", "coordinate_transformation_mode": mode}
