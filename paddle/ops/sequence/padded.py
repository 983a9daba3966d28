"""Row convolution, position encoding and edit distance of sequences."""

from __future__ import annotations

import torch

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.levels import levels_on
from paddle.core.op import op
from paddle.ops.sequence.levels import last_level, lengths_of, padded, positions, unpadded


def _check_padded(name: str, x: torch.Tensor) -> None:
    if x.dim() != 3:
        raise InvalidArgumentError(
            f"{name}: expected X of shape [N, steps, width], or rows [N, width] that are split "
            f"into sequences, but received {list(x.shape)}."
        )


@op("row_conv", "X Filter -> Out", infer="same")
def row_conv(x, weight):
    """Each step sees itself and the next ``rows of Filter - 1`` steps, every column by itself.

    X is a padded batch, or rows that are split into sequences (LoD).
    """
    if x.dim() == 2:
        offsets = last_level("row_conv", "X", x)
        return unpadded(row_conv.kernel(padded(x, offsets), weight), offsets)
    _check_padded("row_conv", x)
    if weight.dim() != 2 or weight.shape[1] != x.shape[2]:
        raise InvalidArgumentError(
            f"row_conv: expected Filter of shape [future steps + 1, {x.shape[2]}], but received "
            f"{list(weight.shape)}."
        )
    ahead, width = weight.shape
    if not ahead:
        raise InvalidArgumentError("row_conv: expected a Filter of at least one row.")
    longer = torch.nn.functional.pad(x, (0, 0, 0, ahead - 1)).transpose(1, 2)
    kernel = weight.t().unsqueeze(1)
    return torch.conv1d(longer, kernel, groups=width).transpose(1, 2)


@op("add_position_encoding", "X -> Out", infer="floating", dtypes="floats")
def add_position_encoding(x, *, alpha=1.0, beta=1.0):
    """alpha * x + beta * waves: sines in the first half of the columns, cosines in the second.

    X is a padded batch, or rows that are split into sequences (LoD).
    """
    if x.dim() == 2:
        offsets = last_level("add_position_encoding", "X", x)
        rows = add_position_encoding.kernel(padded(x, offsets), alpha=alpha, beta=beta)
        return unpadded(rows, offsets)
    _check_padded("add_position_encoding", x)
    steps, width = x.shape[1:]
    if width % 2:
        raise InvalidArgumentError(
            f"add_position_encoding: expected an even last dimension, but received {list(x.shape)}."
        )
    half = width // 2
    # Positions of long sequences in half precision would fall together.
    kind = torch.float64 if x.dtype is torch.float64 else torch.float32
    column = torch.arange(half, dtype=kind, device=x.device)
    exponent = column / (half - 1) if half > 1 else torch.ones_like(column)
    place = torch.arange(steps, dtype=kind, device=x.device).unsqueeze(1)
    angle = place / torch.pow(torch.full_like(exponent, 10000.0), exponent)
    wave = torch.cat([torch.sin(angle), torch.cos(angle)], 1)
    return torch.add(torch.mul(x, alpha), torch.mul(wave, beta).to(x.dtype))


def _distance_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec((1,), VarType.INT64), Spec((inputs[0].shape[0], 1), VarType.FP32)]


@op(
    "edit_distance",
    "Hyps Refs HypsLength? RefsLength? -> SequenceNum Out",
    infer=_distance_rule,
    differentiable=False,
    lod="",
)
def edit_distance(hyps, refs, hyps_length, refs_length, *, normalized=False):
    """Levenshtein's distance of each pair of rows; normalized by the reference's length.

    Without lengths, rows [N, 1] that are split into sequences (LoD) are compared.
    """
    if hyps_length is None and refs_length is None and levels_on(hyps) and levels_on(refs):
        hyps, hyps_length = _padded_rows("Hyps", hyps)
        refs, refs_length = _padded_rows("Refs", refs)
    if hyps.dim() != 2 or refs.dim() != 2 or hyps.shape[0] != refs.shape[0]:
        raise InvalidArgumentError(
            "edit_distance: expected Hyps and Refs of shapes [N, steps], but received "
            f"{list(hyps.shape)} and {list(refs.shape)}."
        )
    hyps_length = _lengths("HypsLength", hyps, hyps_length)
    refs_length = _lengths("RefsLength", refs, refs_length)
    if normalized and not refs.is_meta and bool((refs_length == 0).any()):
        empty = int(torch.nonzero(refs_length == 0)[0])
        raise InvalidArgumentError(
            f"edit_distance(normalized): expected references of at least one element, but "
            f"reference {empty} is empty."
        )
    found = _levenshtein(hyps, refs, hyps_length, refs_length).to(torch.float32)
    if normalized:
        found = found / refs_length.to(torch.float32)
    count = torch.full((1,), hyps.shape[0], dtype=torch.int64, device=hyps.device)
    return count, found.unsqueeze(1)


def _padded_rows(slot: str, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    offsets = last_level("edit_distance", slot, rows, 1)
    if rows.numel() != rows.shape[0]:
        raise InvalidArgumentError(
            f"edit_distance: expected {slot} of shape [N, 1] with levels, but received "
            f"{list(rows.shape)}."
        )
    return padded(rows.reshape(-1), offsets), positions(lengths_of(offsets), rows)


def _lengths(name: str, rows: torch.Tensor, length: torch.Tensor | None) -> torch.Tensor:
    """The lengths as a vector; without any, every row is full."""
    if length is None:
        return torch.full((rows.shape[0],), rows.shape[1], device=rows.device)
    if length.numel() != rows.shape[0]:
        raise InvalidArgumentError(
            f"edit_distance: expected {name} with an element for each of {rows.shape[0]} rows, but "
            f"received shape {list(length.shape)}."
        )
    return length.reshape(-1).long().clamp(0, rows.shape[1])


def _levenshtein(hyps, refs, hyps_length, refs_length) -> torch.Tensor:
    """Fills the table of distances between prefixes row by row, all pairs at once."""
    columns = torch.arange(refs.shape[1] + 1, device=refs.device)
    row = columns.expand(refs.shape[0], -1)
    last = row
    for i in range(hyps.shape[1]):
        differs = torch.ne(refs, hyps[:, i : i + 1]).to(row.dtype)
        above = row + 1
        change = torch.cat([above[:, :1], torch.minimum(above[:, 1:], row[:, :-1] + differs)], 1)
        # An insertion adds one per column to the left, so it is a running minimum.
        row = torch.cummin(change - columns, 1).values + columns
        last = torch.where((hyps_length == i + 1).unsqueeze(1), row, last)
    return torch.gather(last, 1, refs_length.unsqueeze(1)).squeeze(1)
