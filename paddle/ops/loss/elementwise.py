"""Losses of one value per sample or element; reductions are operators of their own."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from paddle.core.backends import holds
from paddle.core.errors import OutOfRangeError
from paddle.core.infer import Spec, in_range
from paddle.core.op import REQUIRED, op
from paddle.ops.linalg.matrices import as_matrix


def _classes_last(x: torch.Tensor, axis: int) -> torch.Tensor:
    """Brings the class dimension to the end and folds the others."""
    if axis % x.dim() != x.dim() - 1:
        x = x.movedim(axis, -1)
    return x if x.dim() == 2 else as_matrix(x)


def _picked(
    x: torch.Tensor, label: torch.Tensor, weight: Any, ignore_index: int, reduction: str
) -> torch.Tensor:
    """Minus the value at each label, with an error that says which label is none."""
    try:
        return F.nll_loss(x, label, weight, ignore_index=ignore_index, reduction=reduction)
    except IndexError:
        raise _no_class(x, label, ignore_index) from None


def _no_class(x: torch.Tensor, label: torch.Tensor, ignore_index: int) -> OutOfRangeError:
    """Says which of the labels is no class of ``x``."""
    classes = x.shape[1]
    wrong = torch.logical_or(torch.lt(label, 0), torch.ge(label, classes))
    wrong = label[torch.logical_and(wrong, torch.ne(label, ignore_index))]
    return OutOfRangeError(
        f"label value is expected to be in [0, {classes}), the classes, or the ignore_index "
        f"{ignore_index}, but received {int(wrong[0])}."
    )


def _cross_entropy_rule(inputs: list, attrs: dict) -> list[Spec]:
    logits = inputs[0]
    shape = list(logits.shape)
    shape[in_range(attrs["axis"], len(shape))] = 1
    return [logits, Spec(tuple(shape), logits.dtype)]


@op(
    "softmax_with_cross_entropy",
    "Logits Label -> Softmax~ Loss",
    lod="Logits",
    infer=_cross_entropy_rule,
    amp="black",
)
def softmax_with_cross_entropy(
    logits,
    label,
    *,
    soft_label=False,
    use_softmax=True,
    numeric_stable_mode=True,
    ignore_index=-100,
    axis=-1,
):
    if use_softmax:
        logp = torch.log_softmax(logits, axis)
        probability = torch.exp(logp)
    else:
        logp = torch.log(logits)
        probability = logits.detach()
    if soft_label:
        return probability, torch.neg(torch.sum(torch.mul(label, logp), axis, keepdim=True))
    target = label.reshape(-1) if label.dtype is torch.int64 else label.reshape(-1).long()
    flat = _classes_last(logp, axis)
    loss = _picked(flat, target, None, ignore_index, "none")
    shape = list(logits.shape)
    shape[axis] = 1
    return probability, loss.reshape(shape)


@softmax_with_cross_entropy.grad("Softmax Logits Label")
def _(d_loss, softmax, logits, label, *, soft_label, use_softmax, ignore_index, axis, needs_grad):
    if logits.requires_grad:  # a derivative of this one: Softmax is a constant to the tape
        softmax = torch.softmax(logits, axis) if use_softmax else logits
    d_label = None
    if soft_label:
        if needs_grad[1]:
            tiny = torch.finfo(softmax.dtype).tiny  # softmax may have rounded to 0
            d_label = torch.neg(torch.mul(d_loss, torch.log(softmax.clamp(min=tiny))))
        if not use_softmax:
            return torch.neg(torch.div(torch.mul(d_loss, label), softmax)), d_label
        total = torch.sum(label, axis, keepdim=True)
        return torch.mul(d_loss, torch.sub(torch.mul(softmax, total), label)), d_label
    shape = list(softmax.shape)
    shape[axis] = 1
    target = label.reshape(shape).long()
    ignored = torch.eq(target, ignore_index)
    d_loss = d_loss.masked_fill(ignored, 0)
    if ignore_index < 0 or ignore_index >= softmax.shape[axis]:
        target = target.masked_fill(ignored, 0)
    if not use_softmax:
        picked = torch.gather(softmax, axis, target)
        return torch.zeros_like(softmax).scatter(axis, target, torch.neg(d_loss / picked)), None
    grad = torch.mul(softmax, d_loss)
    return grad.scatter_add(axis, target, torch.neg(d_loss)), None


# The last axis is slow where it does not fill a vector register; see _log_softmax.
_LANES = 16 if "AVX512" in torch.backends.cpu.get_cpu_capability() else 8
_aten = torch.ops.aten
_FORMS = {"none": 0, "mean": 1, "sum": 2}  # of reducing, as ATen numbers them


def _log_softmax(x: torch.Tensor) -> torch.Tensor:
    """Log-softmax of rows; of few classes down the columns of a turned copy, as a view of that.

    One thread, 10 classes: 64 rows 10.7 -> 4.6 us, 4096 rows 614 -> 71 us.
    """
    if x.shape[1] < _LANES and holds.column_softmax(x) and x.dtype is torch.float32:
        return torch.log_softmax(x.t().contiguous(), 0).t()
    return torch.log_softmax(x, 1)


def _log_softmax_backward(grad: torch.Tensor, logp: torch.Tensor) -> torch.Tensor:
    """The gradient, in the order of memory that ``logp`` has."""
    if logp.stride(0) == 1 and logp.shape[0] > 1:
        return torch._log_softmax_backward_data(grad.t(), logp.t(), 0, logp.dtype).t()
    return torch._log_softmax_backward_data(grad, logp, 1, logp.dtype)


def _hard_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, label = inputs
    shape = label.shape if attrs["reduction"] == "none" else (1,)
    return [Spec(shape, x.dtype), x, Spec((1,), x.dtype)]


@op(
    "hard_cross_entropy",
    "Logits Label~ -> Loss LogP~ Count~",
    infer=_hard_rule,
    proto="softmax_with_cross_entropy for rows of logits, and its reduction, in one call; a "
    "Program holds that operator, then mean or reduce_sum, instead",
    amp="black",
)
def hard_cross_entropy(logits, label, *, ignore_index=-100, reduction="mean"):
    """``mean`` divides by all samples, those that are ignored too, as the operator mean does."""
    logp = _log_softmax(logits)
    target = label.reshape(-1) if label.dtype is torch.int64 else label.reshape(-1).long()
    form = _FORMS["none" if reduction == "none" else "sum"]
    try:
        loss, count = _aten.nll_loss_forward.default(logp, target, None, form, ignore_index)
    except IndexError:
        raise _no_class(logp, target, ignore_index) from None
    if reduction == "none":
        return loss.reshape(label.shape), logp, count
    if reduction == "mean":  # ATen's own would leave out the ignored
        rows = logits.shape[0]
        loss, count = loss.div_(rows), torch.full_like(count, rows)
    return loss, logp, count


@hard_cross_entropy.grad("LogP Count Logits Label")
def _(d_loss, logp, count, logits, label, *, ignore_index, reduction):
    if logits.requires_grad:  # a derivative of this one: LogP is a constant to the tape
        logp = _log_softmax(logits)
    target = label.reshape(-1) if label.dtype is torch.int64 else label.reshape(-1).long()
    # of rank 0 where it is one number: torch's derivative of what follows insists on that
    d_loss = d_loss.reshape(-1 if reduction == "none" else ())
    grad = _aten.nll_loss_backward.default(
        d_loss, logp, target, None, _FORMS[reduction], ignore_index, count
    )
    return _log_softmax_backward(grad, logp), None


def _nll_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    if attrs["reduction"] == "none":
        return [Spec((x.shape[0], *x.shape[2:]), x.dtype), Spec((1,), x.dtype)]
    return [Spec((1,), x.dtype), Spec((1,), x.dtype)]


@op("nll_loss", "X Label~ Weight?~ -> Out Total_weight~", infer=_nll_rule, amp="black")
def nll_loss(x, label, weight, *, ignore_index=-100, reduction="mean"):
    out = _picked(x, label.long(), weight, ignore_index, reduction)
    total = torch.zeros(1, dtype=x.dtype, device=x.device)
    if reduction == "mean":
        kept = torch.ne(label, ignore_index)
        if weight is None:
            total = torch.sum(kept).to(x.dtype).reshape(1)
        else:
            safe = label.long().masked_fill(~kept, 0)
            total = torch.sum(torch.mul(weight[safe], kept)).reshape(1)
        out = torch.where(total[0] == 0, torch.zeros_like(out), out)  # everything is ignored
    return out, total


@op("bce_loss", "X Label -> Out", infer="same")
def bce_loss(x, label):
    return F.binary_cross_entropy(x, label, reduction="none")


@op("sigmoid_cross_entropy_with_logits", "X Label pos_weight? -> Out", infer="same", amp="black")
def sigmoid_cross_entropy_with_logits(x, label, pos_weight, *, normalize=False, ignore_index=-100):
    """``(1 - label) * x + w * log(1 + exp(-x))``; 2.6.2 hands over ``w = label * (p - 1) + 1``."""
    if pos_weight is None:
        out = F.binary_cross_entropy_with_logits(x, label, reduction="none")
    else:
        below = torch.neg(F.logsigmoid(x))
        out = torch.add(torch.mul(torch.rsub(label, 1), x), torch.mul(pos_weight, below))
    ignored = torch.eq(label, ignore_index)
    out = out.masked_fill(ignored, 0)
    if normalize:
        out = torch.div(out, torch.clamp(torch.sum(torch.logical_not(ignored)), min=1))
    return out


@sigmoid_cross_entropy_with_logits.grad("X Label pos_weight")
def _(d_out, x, label, pos_weight, *, normalize, ignore_index, needs_grad):
    ignored = torch.eq(label, ignore_index)
    d_out = d_out.masked_fill(ignored, 0)
    if normalize:
        d_out = torch.div(d_out, torch.clamp(torch.sum(torch.logical_not(ignored)), min=1))
    chance = torch.sigmoid(x)
    d_x = d_label = d_weight = None
    if needs_grad[0]:
        factor = torch.sub(chance, label)
        if pos_weight is not None:
            rest = torch.mul(pos_weight, torch.sub(chance, 1))
            factor = torch.add(torch.rsub(label, 1), rest)
        d_x = torch.mul(d_out, factor)
    if needs_grad[1]:
        d_label = torch.neg(torch.mul(d_out, x))
    if needs_grad[2] and pos_weight is not None:
        below = torch.neg(F.logsigmoid(x))
        d_weight = torch.mul(d_out, below).sum_to_size(pos_weight.shape)
    return d_x, d_label, d_weight


def _kl_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0] if attrs["reduction"] == "none" else Spec((1,), inputs[0].dtype)]


@op("kldiv_loss", "X Target~ -> Loss", infer=_kl_rule)
def kldiv_loss(x, target, *, reduction="mean"):
    loss = torch.where(torch.gt(target, 0), target * (torch.log(target) - x), torch.zeros_like(x))
    if reduction == "none":
        return loss
    total = torch.sum(loss)
    if reduction == "mean":
        return torch.div(total, loss.numel())
    return torch.div(total, loss.shape[0]) if reduction == "batchmean" else total


@kldiv_loss.grad("X Target")
def _(d_loss, x, target, *, reduction):
    if reduction == "mean":
        d_loss = torch.div(d_loss, x.numel())
    elif reduction == "batchmean":
        d_loss = torch.div(d_loss, x.shape[0])
    positive = torch.gt(target, 0)
    return torch.mul(torch.neg(torch.where(positive, target, torch.zeros_like(x))), d_loss), None


@op(
    "huber_loss",
    "X Y -> Out Residual~",
    lod="X",
    infer=lambda inputs, attrs: [inputs[0], inputs[0]],
)
def huber_loss(x, y, *, delta=REQUIRED):
    residual = torch.sub(y, x)
    return F.huber_loss(x, y, reduction="none", delta=delta), residual


@huber_loss.grad("X Y")
def _(d_out, x, y, *, delta):
    slope = torch.mul(torch.clamp(torch.sub(y, x), -delta, delta), d_out)
    return torch.neg(slope), slope


@op("margin_rank_loss", "X1 X2 Label -> Activated~ Out", infer=lambda i, a: [i[0], i[0]])
def margin_rank_loss(x1, x2, label, *, margin=0.0):
    out = torch.relu(torch.add(torch.mul(torch.neg(label), torch.sub(x1, x2)), margin))
    return torch.gt(out, 0).to(x1.dtype), out


@op("log_loss", "Predicted Labels -> Loss", infer="floating")
def log_loss(predicted, labels, *, epsilon=REQUIRED):
    hit = torch.mul(labels, torch.log(torch.add(predicted, epsilon)))
    miss = torch.mul(1 - labels, torch.log(torch.add(1 - predicted, epsilon)))
    return torch.neg(torch.add(hit, miss))


@op("label_smooth", "X PriorDist? -> Out", infer="floating", rank0=False)
def label_smooth(x, prior_dist, *, epsilon=0.0):
    kept = torch.mul(x, 1.0 - epsilon)
    if prior_dist is None:
        return torch.add(kept, epsilon / x.shape[-1])
    return torch.add(kept, torch.mul(prior_dist.reshape(-1), epsilon))
