"""Data normalization of wide sparse data, by statistics summed over all batches."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op

_ABSENT = 1e-7  # a slot whose first element is closer to 0 than this was not shown


def _check(x, size, total, squares, scale, bias, epsilon, enable_scale_and_shift) -> None:
    if x.dim() != 2:
        raise InvalidArgumentError(
            f"data_norm: expected X of shape [N, C], but received {list(x.shape)}."
        )
    named = {"BatchSize": size, "BatchSum": total, "BatchSquareSum": squares}
    if enable_scale_and_shift:
        named |= {"scale_w": scale, "bias": bias}
    for name, value in named.items():
        if value is None or list(value.shape) != [x.shape[1]]:
            got = None if value is None else list(value.shape)
            raise InvalidArgumentError(
                f"data_norm: expected {name} of shape [{x.shape[1]}], an element for each column "
                f"of X, but received {got}."
            )
    if not 0.0 <= epsilon <= 0.001:
        raise InvalidArgumentError(
            f"data_norm(epsilon): expected a value in [0, 0.001], but received {epsilon}."
        )


def _shown(x: torch.Tensor, slot_dim: int) -> torch.Tensor:
    """Which elements belong to a slot that was shown; its first element counts the shows."""
    column = torch.arange(x.shape[1], device=x.device)
    first = column - torch.remainder(column, slot_dim)
    return torch.abs(x.detach()[:, first]) >= _ABSENT


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x, size = inputs[0], inputs[1]
    return [x, Spec(size.shape, x.dtype), Spec(size.shape, x.dtype)]


@op(
    "data_norm",
    "X BatchSize BatchSum BatchSquareSum scale_w? bias? -> Y Means~ Scales~",
    lod="X",
    infer=_rule,
)
def data_norm(
    x, size, total, squares, scale, bias, *, epsilon=1e-4, slot_dim=-1,
    summary_decay_rate=0.9999999, enable_scale_and_shift=False, data_layout="NCHW",
    sync_stats=False,
):  # fmt: skip
    """(x - BatchSum / BatchSize) * sqrt(BatchSize / BatchSquareSum); slots not shown give 0.

    summary_decay_rate and sync_stats say how several processes bring their counts together;
    there is nothing to bring together within one. A matrix has one layout only.
    """
    _check(x, size, total, squares, scale, bias, epsilon, enable_scale_and_shift)
    means = torch.div(total, size)
    scales = torch.sqrt(torch.div(size, squares))
    out = torch.mul(torch.sub(x, means), scales)
    if enable_scale_and_shift:
        out = torch.add(torch.mul(out, scale), bias)
    if slot_dim > 0:
        out = torch.mul(out, _shown(x, slot_dim))
    return out, means.detach(), scales.detach()


@data_norm.grad("X BatchSize BatchSum BatchSquareSum scale_w bias")
def _(d_out, x, size, total, squares, scale, bias, *, epsilon, slot_dim, enable_scale_and_shift,
      needs_grad):  # fmt: skip
    """The counts get what this batch adds to them in place of a derivative, as in PaddlePaddle."""
    means, scales = torch.div(total, size), torch.sqrt(torch.div(size, squares))
    normal = torch.mul(torch.sub(x, means), scales)
    shown = _shown(x, slot_dim).to(x.dtype) if slot_dim > 0 else None
    d_x = torch.mul(d_out, scales)
    d_scale = d_bias = None
    if enable_scale_and_shift:
        # Only here PaddlePaddle keeps gradients from reaching slots that were not shown.
        seen = d_out if shown is None else torch.mul(d_out, shown)
        d_x = torch.mul(torch.mul(seen, scales), scale)
        d_scale = torch.sum(torch.mul(seen, normal), 0) if needs_grad[4] else None
        d_bias = torch.sum(seen, 0) if needs_grad[5] else None
    if not any(needs_grad[1:4]):
        return d_x, None, None, None, d_scale, d_bias
    return d_x, *_summary(x, means, shown, epsilon), d_scale, d_bias


def _summary(x, means, shown, epsilon):
    """What a batch counts: rows, their sum, their squared distance from the mean; or means."""
    distance = torch.square(torch.sub(x, means))
    if shown is None:
        rows = torch.full_like(means, x.shape[0])
        return rows, torch.sum(x, 0), torch.sum(distance, 0) + rows * epsilon
    shows = torch.sum(shown, 0)
    count = torch.clamp(shows, min=1.0)
    return (
        torch.gt(shows, 0).to(x.dtype),
        torch.sum(torch.mul(x, shown), 0) / count,
        torch.sum(torch.mul(distance, shown), 0) / count + shows * epsilon,
    )
