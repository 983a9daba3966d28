"""Noise-contrastive estimation (NCE): a loss over many classes that looks at a few of them."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.random.draws import generator

UNIFORM, LOG_UNIFORM, CUSTOM = 0, 1, 2  # values of the attribute sampler


def _chance(classes: torch.Tensor, sampler: int, total: int, probs: Any, like: torch.dtype) -> Any:
    """How likely the sampler draws each of the classes."""
    if sampler == UNIFORM:
        return torch.full_like(classes, 1.0 / total, dtype=like)
    if sampler == CUSTOM:
        return probs.reshape(-1)[classes].to(like)
    value = classes.to(like)
    # log(total) belongs to total - 1 classes: PaddlePaddle never draws the last one.
    return torch.log((value + 2.0) / (value + 1.0)) / math.log(total)


def _draw(shape, like, sampler: int, total: int, alias, alias_probs, seed: int) -> torch.Tensor:
    """Draws classes from the sampler's distribution."""
    source = generator(like.device, seed)

    def uniform() -> torch.Tensor:
        return torch.empty(shape, dtype=torch.float64, device=like.device).uniform_(
            generator=source
        )

    if sampler == LOG_UNIFORM:
        drawn = torch.exp(uniform() * math.log(total)).long() - 1
        return torch.remainder(drawn, max(total - 1, 1))
    drawn = (uniform() * total).long().clamp(max=total - 1)
    if sampler == UNIFORM:
        return drawn
    keep = uniform() < alias_probs.reshape(-1)[drawn]  # Walker's method: one of two per column
    return torch.where(keep, drawn, alias.reshape(-1)[drawn].long())


def _check(x, label, w, sample_weight, probs, alias, alias_probs, sampler, total, count, given):
    if x.dim() != 2 or label.dim() not in (1, 2) or label.shape[0] != x.shape[0]:
        raise InvalidArgumentError(
            "nce: expected Input of shape [N, D] and Label of shape [N, true classes], but "
            f"received {list(x.shape)} and {list(label.shape)}."
        )
    if list(w.shape) != [total, x.shape[1]]:
        raise InvalidArgumentError(
            f"nce: expected Weight of shape [{total}, {x.shape[1]}], a row for each class, but "
            f"received {list(w.shape)}."
        )
    if sample_weight is not None and sample_weight.numel() != x.shape[0]:
        raise InvalidArgumentError(
            f"nce: expected one SampleWeight for each of {x.shape[0]} rows, but received shape "
            f"{list(sample_weight.shape)}."
        )
    if sampler not in (UNIFORM, LOG_UNIFORM, CUSTOM):
        raise InvalidArgumentError(
            "nce(sampler): expected 0 (uniform), 1 (log_uniform) or 2 (custom_dist), but "
            f"received {sampler}."
        )
    if sampler == CUSTOM and any(
        t is None or t.numel() != total for t in (probs, alias, alias_probs)
    ):
        raise InvalidArgumentError(
            "nce: sampler 2 expects CustomDistProbs, CustomDistAlias and CustomDistAliasProbs of "
            f"{total} elements each."
        )
    if given and len(given) != count:
        raise InvalidArgumentError(
            f"nce(custom_neg_classes): expected num_neg_samples ({count}) classes, but received "
            f"{len(given)}."
        )
    if not label.is_meta and label.numel():
        low, high = int(label.min()), int(label.max())
        if low < 0 or high >= total:
            raise OutOfRangeError(
                f"nce: expected labels in [0, {total}), but they span [{low}, {high}]."
            )


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x, label = inputs[:2]
    true = label.shape[1] if len(label.shape) == 2 else 1
    width = -1 if true == -1 else true + attrs["num_neg_samples"]
    rows = x.shape[0]
    return [
        Spec((rows, 1), x.dtype), Spec((rows, width), x.dtype), Spec((rows, width), VarType.INT64)
    ]  # fmt: skip


def _scores(x, w, bias, classes, noise):
    """Logits of the sampled classes, and how much log odds each has over being noise."""
    logits = torch.einsum("nd,nkd->nk", x, w[classes])
    if bias is not None:
        logits = logits + bias.reshape(-1)[classes]
    return logits, F.logsigmoid(logits) - torch.log(noise)


@op(
    "nce",
    "Input Label~ Weight Bias? SampleWeight?~ CustomDistProbs?~ CustomDistAlias?~ "
    "CustomDistAliasProbs?~ -> Cost SampleLogits~ SampleLabels~",
    infer=_rule,
    random=True,
)
def nce(
    x, label, w, bias, sample_weight, probs, alias, alias_probs, *, num_total_classes=REQUIRED,
    num_neg_samples=10, sampler=0, seed=0, is_sparse=False, custom_neg_classes=(),
):  # fmt: skip
    """-log(p / (p + k q)) of the true classes, -log(k q / (p + k q)) of k drawn ones, p = sigmoid.

    In logarithms, so that neither vanishing nor saturated chances give infinities. SampleLogits
    holds p, as in PaddlePaddle. is_sparse changes nothing: gradients are dense.
    """
    total = num_total_classes
    _check(x, label, w, sample_weight, probs, alias, alias_probs, sampler, total, num_neg_samples,
           custom_neg_classes)  # fmt: skip
    label = label.flatten(1).long() if label.dim() > 1 else label.reshape(-1, 1).long()
    shape = (x.shape[0], num_neg_samples)
    if custom_neg_classes:
        drawn = torch.tensor(list(custom_neg_classes), device=x.device).expand(shape)
    else:
        drawn = _draw(shape, x, sampler, total, alias, alias_probs, seed)
    classes = torch.cat([label, drawn], 1)
    noise = _chance(classes, sampler, total, probs, x.dtype) * num_neg_samples
    logits, odds = _scores(x, w, bias, classes, noise)
    true = label.shape[1]
    cost = torch.cat([F.softplus(-odds[:, :true]), F.softplus(odds[:, true:])], 1)
    if sample_weight is not None:
        cost = cost * sample_weight.reshape(-1, 1)
    return torch.sum(cost, 1, keepdim=True), torch.sigmoid(logits).detach(), classes


@nce.grad("Input Label.shape Weight Bias SampleWeight CustomDistProbs SampleLabels")
def _(
    d_cost, x, label_shape, w, bias, sample_weight, probs, classes, *, num_total_classes,
    num_neg_samples, sampler, needs_grad,
):  # fmt: skip
    """Differentiates at the classes that were drawn: drawing again would give others."""
    noise = _chance(classes, sampler, num_total_classes, probs, x.dtype) * num_neg_samples
    logits, odds = _scores(x, w, bias, classes, noise)
    true = label_shape[1] if len(label_shape) == 2 else 1
    slope = torch.cat([-torch.sigmoid(-odds[:, :true]), torch.sigmoid(odds[:, true:])], 1)
    slope = slope * torch.sigmoid(-logits) * d_cost
    if sample_weight is not None:
        slope = slope * sample_weight.reshape(-1, 1)
    d_x = torch.einsum("nk,nkd->nd", slope, w[classes]) if needs_grad[0] else None
    d_w = d_bias = None
    if needs_grad[2]:
        parts = slope.unsqueeze(-1) * x.unsqueeze(1)
        d_w = torch.zeros_like(w).index_add(0, classes.reshape(-1), parts.flatten(0, 1))
    if needs_grad[3]:
        flat = torch.zeros_like(bias.reshape(-1)).index_add(0, classes.reshape(-1), slope.flatten())
        d_bias = flat.reshape(bias.shape)
    return d_x, None, d_w, d_bias, None, None, None, None
