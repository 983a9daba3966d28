"""Logits of the true classes and of some others, drawn or given, for a softmax over these alone."""

from __future__ import annotations

import math

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import REQUIRED, op
from paddle.ops.random.draws import generator

_NEVER = 1e20  # what a class that was hit by accident loses


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    logits, labels = inputs[:2]
    rows, true = labels.shape
    _enough(logits.shape[1], len(inputs) > 2 and inputs[2] is not None, attrs)
    wide = (rows, true + int(attrs["num_samples"]))
    return [
        Spec(wide, VarType.INT64), Spec(wide, logits.dtype), Spec((*logits.shape, 0), logits.dtype),
        Spec((*labels.shape, 0), labels.dtype), Spec(wide, logits.dtype),
        Spec((rows, true), VarType.INT64),
    ]  # fmt: skip


def _enough(classes: int, given: bool, attrs: dict) -> None:
    if not given and attrs.get("uniq", True) and -1 < classes < attrs["num_samples"]:
        raise InvalidArgumentError(
            f"sample_logits: expected at most {classes} different num_samples, but received "
            f"{attrs['num_samples']}."
        )


def _check(logits, labels, samples, chances, count: int) -> None:
    if logits.dim() != 2 or labels.dim() != 2 or labels.shape[0] != logits.shape[0]:
        raise InvalidArgumentError(
            "sample_logits: expected Logits [N, classes] and Labels [N, true classes], but "
            f"received {list(logits.shape)} and {list(labels.shape)}."
        )
    if (samples is None) != (chances is None):
        raise InvalidArgumentError(
            "sample_logits: expected CustomizedSamples and CustomizedProbabilities, or neither."
        )
    wide = (labels.shape[0], labels.shape[1] + count)
    if samples is not None and not samples.shape == chances.shape == wide:
        raise InvalidArgumentError(
            f"sample_logits: expected CustomizedSamples and CustomizedProbabilities {list(wide)}, "
            f"but received {list(samples.shape)} and {list(chances.shape)}."
        )


def _chance(place: torch.Tensor, classes: int) -> torch.Tensor:
    """How likely a class is to be drawn: the log-uniform distribution, frequent classes first."""
    return torch.log((place + 2.0) / (place + 1.0)) / math.log(classes + 1.0)


def _drawn(classes: int, count: int, uniq: bool, source) -> tuple[torch.Tensor, int]:
    """Different classes, or any, and how many draws that took."""
    found: dict[int, None] = {}
    values: list[int] = []
    tries = 0
    while len(found) < count if uniq else not values:
        parts = torch.rand(max(2 * count, 16), generator=source, dtype=torch.float64)
        drawn = (torch.exp(parts * math.log(classes + 1.0)) - 1).long() % classes
        if not uniq:
            return drawn[:count], count
        for value in drawn.tolist():
            if len(found) == count:
                break
            tries += 1
            found[value] = None
    return torch.tensor(list(found), dtype=torch.int64), tries


@op(
    "sample_logits",
    "Logits Labels~ CustomizedSamples?~ CustomizedProbabilities?~ -> Samples~ Probabilities~ "
    "LogitsDim~ LabelsDim~ SampledLogits SampledLabels~",
    infer=_rule,
    dtypes="full",
    random=True,
)
def sample_logits(
    logits, labels, samples=None, chances=None, *, use_customized_samples=False, uniq=True,
    remove_accidental_hits=True, num_samples=REQUIRED, seed=0
):  # fmt: skip
    """Logits less the logarithm of how likely their class is to be chosen; true classes first."""
    _check(logits, labels, samples, chances, num_samples)
    rows, classes = logits.shape
    true = labels.shape[1]
    # Their shapes, without data, as 1.8.5 has them for the gradient.
    sizes = logits.new_empty((*logits.shape, 0)), labels.new_empty((*labels.shape, 0))
    if logits.is_meta:
        wide = (rows, true + num_samples)
        first = logits.new_empty(wide, dtype=torch.int64), logits.new_empty(wide)
        return *first, *sizes, logits.new_empty(wide), logits.new_empty((rows, true)).long()
    if labels.numel() and not 0 <= int(labels.min()) <= int(labels.max()) < classes:
        raise OutOfRangeError(
            f"sample_logits: expected Labels in [0, {classes}), but received values from "
            f"{int(labels.min())} to {int(labels.max())}."
        )
    if samples is None or not use_customized_samples:
        _enough(classes, False, {"uniq": uniq, "num_samples": num_samples})
        others, tries = _drawn(classes, num_samples, uniq, generator(torch.device("cpu"), seed))
        others = others.to(labels.device).expand(rows, num_samples)
        samples = torch.cat([labels.long(), others], 1)
        chances = _chance(samples.to(logits.dtype), classes)
        if uniq and tries != num_samples:
            chances = -torch.expm1(tries * torch.log1p(-chances))
        else:
            chances = chances * num_samples
    else:
        samples, chances = samples.long().clone(), chances.clone()
    picked = torch.gather(logits, 1, samples)
    if remove_accidental_hits:
        hit = torch.any(samples[:, true:, None] == labels[:, None, :], 2)
        hit = torch.cat([torch.zeros_like(labels, dtype=torch.bool), hit], 1)
        picked = picked - hit.to(picked.dtype) * _NEVER
    picked = picked - torch.log(chances).clamp(-_NEVER, _NEVER)
    place = torch.arange(true, device=labels.device).expand(rows, true).contiguous()
    return samples, chances, *sizes, picked, place


@sample_logits.grad("Logits.shape Samples")
def _(d_out, logits_shape, samples):
    d_logits = torch.zeros(logits_shape, dtype=d_out.dtype, device=d_out.device)
    return d_logits.scatter_add(1, samples, d_out), None, None, None
