"""Embeddings of words, pairs of words and so on by hashes, as search engines have them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.core.infer import NeedsData, Spec, fits
from paddle.core.op import op
from paddle.ops.random.draws import generator
from paddle.ops.sequence.levels import last_level, marked

_MASK = 0xFFFFFFFF
_P = (2654435761, 2246822519, 3266489917, 668265263, 374761393)


def _rolled(x: torch.Tensor, count: int) -> torch.Tensor:
    return ((x << count) & _MASK) | (x >> (32 - count))


def _times(x: torch.Tensor, factor: int) -> torch.Tensor:
    """x * factor of 32 bits; int64 would run over, so the factor goes in two halves."""
    return (x * (factor & 0xFFFF) + ((x * (factor >> 16) & 0xFFFF) << 16)) & _MASK


def xxh32(words: torch.Tensor, seed: int) -> torch.Tensor:
    """The 32-bit xxHash of each row of 32-bit words.

    Args:
        words (torch.Tensor): int64 [rows, words], each from 0 to 2**32 - 1.
        seed (int): the seed.
    """
    count = words.shape[1]
    blocks = count // 4
    if blocks:
        starts = (seed + _P[0] + _P[1], seed + _P[1], seed, seed - _P[0])
        lanes = [torch.full_like(words[:, 0], s & _MASK) for s in starts]
        for i in range(blocks):
            for k in range(4):
                mixed = (lanes[k] + _times(words[:, 4 * i + k], _P[1])) & _MASK
                lanes[k] = _times(_rolled(mixed, 13), _P[0])
        total = torch.zeros_like(words[:, 0])
        for lane, n in zip(lanes, (1, 7, 12, 18), strict=True):
            total = (total + _rolled(lane, n)) & _MASK
    else:
        total = torch.full_like(words[:, 0], (seed + _P[4]) & _MASK)
    total = (total + 4 * count) & _MASK
    for i in range(4 * blocks, count):
        total = (total + _times(words[:, i], _P[2])) & _MASK
        total = _times(_rolled(total, 17), _P[3])
    total = _times(total ^ (total >> 15), _P[1])
    total = _times(total ^ (total >> 13), _P[2])
    return total ^ (total >> 16)


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x, w = inputs[:2]
    _check(x, w, attrs)
    drop = Spec((-1, 1), x.dtype)
    return [Spec((-1, attrs["num_emb"]), w.dtype), drop, Spec(x.shape, w.dtype)]


def _check(x, w, attrs: dict) -> None:
    width, part, size = attrs["num_emb"], attrs["rand_len"], attrs["space_len"]
    if part < 1 or width < 1 or width % part or size < 1:
        raise InvalidArgumentError(
            "pyramid_hash: expected num_emb to be a multiple of rand_len, and space_len of at "
            f"least 1, but received {width}, {part} and {size}."
        )
    if not fits(x, (-1, 1)) or not fits(w, (size + part, 1)):
        raise InvalidArgumentError(
            f"pyramid_hash: expected X [rows, 1] and W [{size + part}, 1], but received "
            f"{list(x.shape)} and {list(w.shape)}."
        )


@op(
    "pyramid_hash",
    "X~ W WhiteList?~ BlackList?~ -> Out DropPos~ X_Temp_Out~",
    infer=_rule,
    lod="own",
    random=True,
)
def pyramid_hash(
    x, w, white, black, *, num_emb=0, space_len=0, pyramid_layer=2, rand_len=0,
    drop_out_percent=0.0, is_training=0, use_filter=True, white_list_len=0, black_list_len=0,
    seed=0, lr=0.0
):  # fmt: skip
    """For 2 up to ``pyramid_layer`` words in a row the weights that their hashes point to."""
    name = "pyramid_hash"
    given = {"num_emb": num_emb, "rand_len": rand_len, "space_len": space_len}
    _check(x, w, given)
    if x.is_meta:
        raise NeedsData(f"{name}: the levels (LoD) of a meta tensor; no data")
    if use_filter and (white_list_len or black_list_len):
        raise UnimplementedError(
            f"{name}(use_filter): expected no white and black lists; they are Bloom filters of "
            "another program.",
            hint="filter the words before, or call it with use_filter=False",
        )
    source = generator(x.device, seed) if is_training and drop_out_percent > 0 else None
    outs, ends, kept, marks = [], [0], [], [0]
    for windows in _windows(x, pyramid_layer):
        flags = []
        parts = []
        for found in windows:
            used = torch.ones(len(found), dtype=torch.bool, device=x.device)
            if source is not None:
                draw = torch.rand(len(found), generator=source, device=x.device)
                used = draw >= drop_out_percent
            flags.append(used)
            parts.append(w.reshape(-1)[_places(found[used], num_emb, rand_len, space_len)])
        made = torch.cat(parts) if parts else w.new_zeros(0, num_emb)
        if not len(made):
            made = w.new_zeros(1, num_emb)  # a text always has a row
        outs.append(made)
        ends.append(ends[-1] + len(made))
        kept += flags
        marks.append(marks[-1] + sum(len(f) for f in flags))
    out = torch.cat(outs) if outs else w.new_zeros(0, num_emb)
    if not is_training:
        out = out * drop_out_percent  # so does 1.8.5
    drop = torch.cat(kept).to(x.dtype) if kept else x.new_zeros(0)
    numbers = x.reshape(-1, 1).to(w.dtype)
    return marked(out, [ends]), marked(drop.unsqueeze(1), [marks]), numbers


@pyramid_hash.grad("X W.shape DropPos")
def _(d_out, x, w_shape, drop, *, num_emb, rand_len, space_len, pyramid_layer, is_training,
      drop_out_percent):  # fmt: skip
    d_w = torch.zeros(w_shape, dtype=d_out.dtype, device=d_out.device).reshape(-1)
    flags = drop.reshape(-1).bool()
    row = at = 0
    for windows in _windows(x, pyramid_layer):
        start = row
        for found in windows:
            words = found[flags[at : at + len(found)]]
            at += len(found)
            places = _places(words, num_emb, rand_len, space_len)
            given = d_out[row : row + len(words)]
            d_w = d_w.index_add(0, places.reshape(-1), given.reshape(-1))
            row += len(words)
        row = max(row, start + 1)  # the zeros of a text without any
    if not is_training:
        d_w = d_w * drop_out_percent
    return None, d_w.reshape(w_shape), None, None


def _windows(x: torch.Tensor, largest: int) -> Iterator[list[torch.Tensor]]:
    """For each text the pairs of words next to each other, then three, and so on."""
    words = x.reshape(-1).to(torch.float32).view(torch.int32).long() & _MASK
    for a, b in pairwise(last_level("pyramid_hash", "X", x)):
        yield [words[a:b].unfold(0, size, 1) for size in range(2, min(largest, b - a) + 1)]


def _places(words: torch.Tensor, width: int, part: int, space: int) -> torch.Tensor:
    """Where weights [rows, width] are: ``part`` in a row from each place of a hash."""
    seeds = [0, part, *(j + 2 * part for j in range(0, width, part))]
    places = [xxh32(words, s) % space for s in seeds[: width // part]]
    first = torch.stack(places, 1).unsqueeze(2)
    return (first + torch.arange(part, device=words.device)).flatten(1)
