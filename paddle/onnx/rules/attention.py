"""Rules of attention and other parts of transformers that are one operator.

A model predicts: nothing is dropped, and what dropout leaves is its expected share.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.norm import normalized
from paddle.onnx.rules.registry import rule


@rule("scaled_dot_product_attention")
def _(g: Any, op: Any) -> Any:
    rank = op.rank("K")
    order = [*range(rank - 2), rank - 1, rank - 2]
    query = g.Mul(op["Q"], op.number(float(op.attr("scale")), "Q"))
    scores = g.MatMul(query, g.Transpose(op["K"], perm=order))
    if op.has("Mask"):
        scores = g.Add(scores, op["Mask"])
    return {"Out": g.MatMul(g.softmax(scores, -1, op.rank("Q")), op["V"])}


@rule("flash_attn")
def _(g: Any, op: Any) -> Any:
    if op.attr("return_softmax"):
        raise op.refuse("the weights as a result (return_softmax)")
    heads, size = op.shape("q")[2:]
    shared = op.shape("k")[2]
    if -1 in (heads, size, shared):
        raise op.refuse("numbers or sizes of heads that only a run can tell")

    def turned(slot: str) -> str:
        return g.Transpose(_repeated(g, op, slot, heads // shared), perm=[0, 2, 1, 3])

    query = g.Mul(turned("q"), op.number(1.0 / math.sqrt(size), "q"))
    scores = g.MatMul(query, g.Transpose(turned("k"), perm=[0, 1, 3, 2]))
    if op.has("attn_mask"):
        mask, dtype = op["attn_mask"], op.dtype("q")
        scores = g.Add(scores, mask if op.dtype("attn_mask") == dtype else g.cast(mask, dtype))
    if op.attr("causal"):
        scores = g.Where(_later(g, op), op.number(-math.inf, "q"), scores)
    made = g.MatMul(g.softmax(scores, -1, 4), turned("v"))
    return {"out": g.Transpose(made, perm=[0, 2, 1, 3])}


def _repeated(g: Any, op: Any, slot: str, times: int) -> str:
    """[batch, steps, heads, size] with heads of k and v as often as heads of q share them."""
    if slot == "q" or times == 1:
        return op[slot]
    _, _, heads, size = op.shape(slot)
    each = g.Expand(g.unsqueeze(op[slot], [3]), [1, 1, 1, times, 1])
    return g.Reshape(each, [0, 0, heads * times, size])


def _later(g: Any, op: Any) -> str:
    """Which steps come behind the one that looks at them, [steps, steps]."""
    steps, keys = op.shape("q")[1], op.shape("k")[1]
    if steps != keys and -1 not in (steps, keys):
        raise op.refuse(f"causal attention of {steps} steps over {keys}")
    zero, one = np.array(0, np.int64), np.array(1, np.int64)
    line = g.Range(zero, g.rank0(op.sizes("q", [1])), one)
    return g.Greater(g.unsqueeze(line, [0]), g.unsqueeze(line, [1]))


@rule("fused_dropout_add")
def _(g: Any, op: Any) -> Any:
    made = op["x"]
    if op.attr("mode") != "upscale_in_train":
        made = g.Mul(made, _kept(g, op))
    return {"out": g.Add(made, op["y"])}


def _kept(g: Any, op: Any) -> str:
    """The share that dropout keeps; the chance to drop comes as a tensor or an attribute."""
    if not op.has("PTensor"):
        return op.number(1.0 - float(op.attr("p")), "x")
    chance = g.cast(g.rank0(op["PTensor"]), op.dtype("x"))
    return g.Sub(op.number(1.0, "x"), chance)


@rule("fused_bias_dropout_residual_layer_norm")
def _(g: Any, op: Any) -> Any:
    x, dtype, rank = op["X"], op.dtype("X"), op.rank("X")
    if op.has("Bias"):
        x = g.Add(x, g.Reshape(op["Bias"], [-1]))
    if op.attr("dropout_implementation") != "upscale_in_train":
        x = g.Mul(x, op.number(1.0 - float(op.attr("dropout_rate"))))
    total = g.Add(x, op["Residual"])
    wide = VarType.FP64 if dtype == VarType.FP64 else VarType.FP32  # statistics of half precision

    def widened(value: str, kind: VarType) -> str:
        return value if kind == wide else g.cast(value, wide)

    def parameter(slot: str) -> str | None:
        given = op.get(slot)
        return None if given is None else widened(g.Reshape(given, [-1]), op.dtype(slot))

    epsilon = g.constant(float(op.attr("ln_epsilon")), wide)
    made, mean, variance = normalized(
        g, widened(total, dtype), [rank - 1], epsilon, parameter("LnScale"), parameter("LnBias")
    )
    return {
        "Y": made if dtype == wide else g.cast(made, dtype),
        "BiasDropoutResidualOut": total, "LnMean": mean, "LnVariance": variance,
    }  # fmt: skip
