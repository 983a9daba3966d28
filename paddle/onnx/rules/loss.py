"""Rules of losses and of accuracy, as far as models for inference have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.rules.registry import rule

_LARGEST = 1e20  # what the logarithm of 0 counts


def _label(g: Any, op: Any, slot: str = "Label") -> str:
    return g.int64(op[slot], op.dtype(slot))


@rule("softmax_with_cross_entropy")
def _(g: Any, op: Any) -> Any:
    logits, rank = op["Logits"], op.rank("Logits")
    axis = int(op.attr("axis")) % rank
    if op.attr("use_softmax"):
        logs = g.softmax(logits, axis, rank, log=True)
        shares = g.Exp(logs)
    else:
        logs, shares = g.Log(logits), logits
    if op.attr("soft_label"):
        total = g.reduce("ReduceSum", g.Mul(op["Label"], logs), [axis], keepdims=True)
        return shares, g.Neg(total)
    ignored = np.array(int(op.attr("ignore_index")), np.int64)
    label = _label(g, op)
    if op.rank("Label") < rank:
        label = g.unsqueeze(label, [axis])
    left_out = g.Equal(label, ignored)
    zero = op.number(0, "Logits")
    picked = g.GatherElements(logs, g.Where(left_out, np.array(0, np.int64), label), axis=axis)
    return shares, g.Where(left_out, zero, g.Neg(picked))


def _minus_log(g: Any, op: Any, x: str) -> str:
    """Minus the logarithm; of 0 a large number."""
    most = op.number(_LARGEST)
    return g.Neg(g.clip(g.Log(x), g.Neg(most), most, op.dtype("X")))


@rule("cross_entropy", "cross_entropy2")
def _(g: Any, op: Any) -> Any:
    x, rank = op["X"], op.rank("X")
    if op.attr("soft_label"):
        logs = _minus_log(g, op, x)
        return g.reduce("ReduceSum", g.Mul(op["Label"], logs), [rank - 1], keepdims=True)
    label = _label(g, op)
    if op.rank("Label") < rank:
        label = g.unsqueeze(label, [rank - 1])
    left_out = g.Equal(label, np.array(int(op.attr("ignore_index")), np.int64))
    found = g.GatherElements(x, g.Where(left_out, np.array(0, np.int64), label), axis=rank - 1)
    loss = g.Where(left_out, op.number(0), _minus_log(g, op, found))
    if op.rank("Y") < rank:
        loss = g.squeeze(loss, [rank - 1])
        found = g.squeeze(found, [rank - 1])
    if op.op.type == "cross_entropy":
        return loss
    return {"Y": loss}


@rule("nll_loss")
def _(g: Any, op: Any) -> Any:
    x, reduction = op["X"], op.attr("reduction")
    label = _label(g, op)
    left_out = g.Equal(label, np.array(int(op.attr("ignore_index")), np.int64))
    safe = g.Where(left_out, np.array(0, np.int64), label)
    zero, one = op.number(0), op.number(1)
    weight = g.Gather(op["Weight"], safe, axis=0) if op.has("Weight") else one
    weight = g.Where(left_out, zero, weight)
    picked = g.squeeze(g.GatherElements(x, g.unsqueeze(safe, [1]), axis=1), [1])
    loss = g.Mul(g.Neg(picked), weight)
    if reduction == "none":
        return {"Out": loss}
    total = g.reduce("ReduceSum", loss, None)
    if reduction == "sum":
        return {"Out": op.scalar(total)}
    count = g.reduce("ReduceSum", weight, None)
    mean = g.Where(g.Equal(count, zero), zero, g.Div(total, count))
    return op.scalar(mean), op.scalar(count, "Total_weight")


@rule("bce_loss")
def _(g: Any, op: Any) -> str:
    x, label, one = op["X"], op["Label"], op.number(1)
    least = op.number(-100.0)
    hit = g.Mul(label, g.Max(g.Log(x), least))
    miss = g.Mul(g.Sub(one, label), g.Max(g.Log(g.Sub(one, x)), least))
    return g.Neg(g.Add(hit, miss))


@rule("sigmoid_cross_entropy_with_logits")
def _(g: Any, op: Any) -> str:
    x, label, zero = op["X"], op["Label"], op.number(0)
    below = g.Softplus(g.Neg(x))
    if op.has("pos_weight"):
        below = g.Mul(op["pos_weight"], below)
    loss = g.Add(g.Mul(g.Sub(op.number(1), label), x), below)
    left_out = g.Equal(label, op.number(int(op.attr("ignore_index"))))
    loss = g.Where(left_out, zero, loss)
    if not op.attr("normalize"):
        return loss
    count = g.reduce("ReduceSum", g.cast(g.Not(left_out), op.dtype("X")), None)
    return g.Div(loss, g.Max(count, op.number(1)))


@rule("kldiv_loss")
def _(g: Any, op: Any) -> str:
    x, target, reduction = op["X"], op["Target"], op.attr("reduction")
    some = g.Greater(target, op.number(0))
    safe = g.Where(some, target, op.number(1))
    loss = g.Where(some, g.Mul(target, g.Sub(g.Log(safe), x)), op.number(0))
    if reduction == "none":
        return loss
    total = g.reduce("ReduceSum", loss, None)
    if reduction == "mean":
        total = g.Div(total, g.cast(g.Size(loss), op.dtype("X")))
    elif reduction == "batchmean":
        total = g.Div(total, g.cast(g.rank0(op.sizes("X", [0])), op.dtype("X")))
    return op.scalar(total, "Loss")


@rule("huber_loss")
def _(g: Any, op: Any) -> Any:
    residual = g.Sub(op["Y"], op["X"])
    delta, half = op.number(float(op.attr("delta"))), op.number(0.5)
    size = g.Abs(residual)
    near = g.Mul(g.Mul(residual, residual), half)
    far = g.Mul(delta, g.Sub(size, g.Mul(delta, half)))
    return g.Where(g.Greater(size, delta), far, near), residual


@rule("smooth_l1_loss")
def _(g: Any, op: Any) -> Any:
    apart = g.Sub(op["X"], op["Y"])
    if op.has("InsideWeight"):
        apart = g.Mul(apart, op["InsideWeight"])
    square = float(op.attr("sigma")) ** 2
    size = g.Abs(apart)
    near = g.Mul(g.Mul(apart, apart), op.number(0.5 * square))
    far = g.Sub(size, op.number(0.5 / square))
    loss = g.Where(g.Less(size, op.number(1.0 / square)), near, far)
    if op.has("OutsideWeight"):
        loss = g.Mul(loss, op["OutsideWeight"])
    return apart, g.reduce("ReduceSum", g.Flatten(loss, axis=1), [1], keepdims=True)


@rule("margin_rank_loss")
def _(g: Any, op: Any) -> Any:
    apart = g.Mul(g.Neg(op["Label"]), g.Sub(op["X1"], op["X2"]))
    loss = g.Relu(g.Add(apart, op.number(float(op.attr("margin")), "X1")))
    return g.cast(g.Greater(loss, op.number(0, "X1")), op.dtype("X1")), loss


@rule("log_loss")
def _(g: Any, op: Any) -> str:
    x, label, one = op["Predicted"], op["Labels"], op.number(1, "Predicted")
    epsilon = op.number(float(op.attr("epsilon")), "Predicted")
    hit = g.Mul(label, g.Log(g.Add(x, epsilon)))
    miss = g.Mul(g.Sub(one, label), g.Log(g.Add(g.Sub(one, x), epsilon)))
    return g.Neg(g.Add(hit, miss))


@rule("label_smooth")
def _(g: Any, op: Any) -> str:
    epsilon, classes = float(op.attr("epsilon")), op.shape("X")[-1]
    kept = g.Mul(op["X"], op.number(1.0 - epsilon))
    if op.has("PriorDist"):
        prior = g.Reshape(op["PriorDist"], [-1])
        return g.Add(kept, g.Mul(prior, op.number(epsilon)))
    if classes < 0:
        raise op.refuse("a number of classes that only a run can tell")
    return g.Add(kept, op.number(epsilon / classes))


@rule("hinge_loss")
def _(g: Any, op: Any) -> str:
    two, one = op.number(2, "Logits"), op.number(1, "Logits")
    side = g.Sub(g.Mul(two, op["Labels"]), one)
    return g.Relu(g.Sub(one, g.Mul(side, op["Logits"])))


@rule("rank_loss")
def _(g: Any, op: Any) -> str:
    ahead = g.Sub(op["Left"], op["Right"])
    return g.Sub(g.Softplus(ahead), g.Mul(op["Label"], ahead))


@rule("modified_huber_loss")
def _(g: Any, op: Any) -> Any:
    one, two = op.number(1), op.number(2)
    value = g.Mul(op["X"], g.Sub(g.Mul(two, op["Y"]), one))
    short = g.Relu(g.Sub(one, value))
    far = g.Mul(value, op.number(-4))
    return value, g.Where(g.Less(value, op.number(-1)), far, g.Mul(short, short))


@rule("bpr_loss")
def _(g: Any, op: Any) -> str:
    x, rank, classes = op["X"], op.rank("X"), op.shape("X")[-1]
    if classes < 0:
        raise op.refuse("a number of classes that only a run can tell")
    label = _label(g, op)
    if op.rank("Label") < rank:
        label = g.unsqueeze(label, [rank - 1])
    loss = g.Softplus(g.Sub(x, g.GatherElements(x, label, axis=rank - 1)))
    other = g.Not(g.Equal(g.value(list(range(classes))), label))
    total = g.reduce("ReduceSum", g.Mul(loss, g.cast(other, op.dtype("X"))), [rank - 1], True)
    return g.Div(total, op.number(classes - 1))


@rule("sigmoid_focal_loss")
def _(g: Any, op: Any) -> str:
    x, classes, dtype = op["X"], op.shape("X")[1], op.dtype("X")
    if classes < 0:
        raise op.refuse("a number of classes that only a run can tell")
    label = g.Reshape(_label(g, op), [-1, 1])
    hit = g.Equal(label, g.value(list(range(1, classes + 1))))
    miss = g.And(g.Not(hit), g.Not(g.Equal(label, np.array(-1, np.int64))))
    chance, one = g.Sigmoid(x), op.number(1)
    gamma, alpha = op.number(float(op.attr("gamma"))), float(op.attr("alpha"))
    count = g.Max(g.rank0(g.cast(op["FgNum"], dtype)), one)
    yes = g.Mul(g.Mul(op.number(alpha), g.Pow(g.Sub(one, chance), gamma)), g.Softplus(g.Neg(x)))
    no = g.Mul(g.Mul(op.number(1 - alpha), g.Pow(chance, gamma)), g.Softplus(x))
    total = g.Add(g.Mul(yes, g.cast(hit, dtype)), g.Mul(no, g.cast(miss, dtype)))
    return g.Div(total, count)


@rule("accuracy")
def _(g: Any, op: Any) -> Any:
    indices = g.int64(op["Indices"], op.dtype("Indices"))
    hits = g.cast(g.Equal(indices, _label(g, op)), VarType.INT32)
    correct = g.reduce("ReduceSum", g.reduce("ReduceMax", hits, [1]), None)
    rows = g.cast(op.sizes("Label", [0]), VarType.INT32)
    some = g.largest(rows, g.constant(1, VarType.INT32), VarType.INT32)
    share = g.Div(g.cast(correct, VarType.FP32), g.cast(some, VarType.FP32))
    return share, op.scalar(correct, "Correct"), rows


@rule("mean_iou")
def _(g: Any, op: Any) -> Any:
    classes = g.value(np.arange(int(op.attr("num_classes")), dtype=np.int64)[:, None])
    found, label = (
        g.Equal(g.Reshape(g.int64(op[s], op.dtype(s)), [1, -1]), classes)
        for s in ("Predictions", "Labels")
    )

    def count(mask: str) -> str:
        return g.reduce("ReduceSum", g.cast(mask, VarType.INT32), [1])

    correct, wrong = (
        count(g.And(found, label)),
        g.Add(count(g.And(found, g.Not(label))), count(g.And(label, g.Not(found)))),
    )
    for earlier in op.values("InWrongs"):
        wrong = g.Add(wrong, earlier)
    for earlier in op.values("InCorrects"):
        correct = g.Add(correct, earlier)
    union = g.Add(wrong, correct)
    zero, one = g.constant(0, VarType.INT32), g.constant(1, VarType.INT32)
    seen = g.reduce("ReduceSum", g.cast(g.Greater(union, zero), VarType.INT32), None)
    shares = g.Div(
        g.cast(correct, VarType.FP32), g.cast(g.largest(union, one, VarType.INT32), VarType.FP32)
    )
    total = g.reduce("ReduceSum", shares, None)
    mean = g.Div(total, g.cast(g.largest(seen, one, VarType.INT32), VarType.FP32))
    mean = g.Reshape(mean, [1])
    for earlier in op.values("InMeanIou"):
        mean = g.Add(mean, earlier)
    return mean, wrong, correct
