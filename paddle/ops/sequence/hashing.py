"""Numbers of rows by xxHash, https://xxhash.com, as 1.x's operator hash gives them."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op


def _signed(value: int, bits: int = 64) -> int:
    """An unsigned number as the signed one of the same bits, which is what tensors hold."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


_P = [
    _signed(p) for p in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5,
    )
]  # fmt: skip


def _shifted(x: torch.Tensor, count: int) -> torch.Tensor:
    """x >> count of unsigned numbers."""
    return (x >> count) & ((1 << (64 - count)) - 1)


def _rolled(x: torch.Tensor, count: int) -> torch.Tensor:
    return (x << count) | _shifted(x, 64 - count)


def _round(total: torch.Tensor, lane: torch.Tensor) -> torch.Tensor:
    return _rolled(total + lane * _P[1], 31) * _P[0]


def _merged(total: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return (total ^ _round(torch.zeros_like(value), value)) * _P[0] + _P[3]


def xxh64(words: torch.Tensor, seed: int) -> torch.Tensor:
    """The hash of each row of 32-bit words, int64 of the same bits.

    Args:
        words (torch.Tensor): int64 [rows, words], each from 0 to 2**32 - 1.
        seed (int): the seed.
    """
    count = words.shape[1]
    pairs = words[:, 0 : count // 2 * 2 : 2] | (words[:, 1 : count // 2 * 2 : 2] << 32)
    blocks = pairs.shape[1] // 4
    if blocks:
        lanes = [
            torch.full_like(words[:, 0], _signed(seed + start))
            for start in (_P[0] + _P[1], _P[1], 0, -_P[0])
        ]
        for i in range(blocks):
            lanes = [_round(lane, pairs[:, 4 * i + k]) for k, lane in enumerate(lanes)]
        rolled = zip(lanes, (1, 7, 12, 18), strict=True)
        total = sum((_rolled(lane, n) for lane, n in rolled), torch.zeros_like(words[:, 0]))
        for lane in lanes:
            total = _merged(total, lane)
    else:
        total = torch.full((len(words),), _signed(seed + _P[4]), device=words.device)
    total = total + 4 * count
    for i in range(4 * blocks, pairs.shape[1]):
        total = total ^ _round(torch.zeros_like(total), pairs[:, i])
        total = _rolled(total, 27) * _P[0] + _P[3]
    if count % 2:
        total = _rolled(total ^ (words[:, -1] * _P[0]), 23) * _P[1] + _P[2]
    total = (total ^ _shifted(total, 33)) * _P[1]
    total = (total ^ _shifted(total, 29)) * _P[2]
    return total ^ _shifted(total, 32)


def remainder(x: torch.Tensor, divisor: int) -> torch.Tensor:
    """x % divisor of unsigned numbers."""
    return (_shifted(x, 1) % divisor * 2 + (x & 1)) % divisor


def words_of(rows: torch.Tensor) -> torch.Tensor:
    """The bytes of rows of integers as 32-bit words."""
    rows = rows.contiguous()
    return rows.view(torch.int32).long() & 0xFFFFFFFF


def _rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [Spec((*x.shape[:-1], int(attrs["num_hash"]), 1), x.dtype)]


@op("hash", "X -> Out", infer=_rule, differentiable=False, lod="X")
def hash_(x, *, num_hash=1, mod_by=100000):
    """``num_hash`` numbers below ``mod_by`` for each row of X, by bytes and seeds 0, 1 ..."""
    if x.dim() < 2 or num_hash < 1 or mod_by < 1 or x.dtype not in (torch.int32, torch.int64):
        raise InvalidArgumentError(
            "hash: expected int32 or int64 X [N, ..., D] and num_hash and mod_by of at least 1, "
            f"but received {str(x.dtype)[6:]} {list(x.shape)}, {num_hash} and {mod_by}."
        )
    shape = (*x.shape[:-1], num_hash, 1)
    if x.is_meta or not x.numel():
        return x.new_zeros(shape)
    words = words_of(x.reshape(-1, x.shape[-1]))
    found = [remainder(xxh64(words, seed), mod_by) for seed in range(num_hash)]
    return torch.stack(found, 1).reshape(shape).to(x.dtype)
