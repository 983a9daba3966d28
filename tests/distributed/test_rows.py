"""Gradients of tables by rows over two processes: never made dense, equal to one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.core import selected_rows
from paddle.nn import functional as F
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


class _Tables(nn.Layer):
    """Three tables of two widths and dtypes, one of them read twice, and a dense layer."""

    def __init__(self, rows: int = 50) -> None:
        super().__init__()
        paddle.seed(4)
        self.a = nn.Embedding(rows, 4, sparse=True)
        self.b = nn.Embedding(rows, 3, sparse=True)
        self.c = nn.Embedding(rows, 4, padding_idx=0, sparse=True)
        self.w = self.create_parameter([rows, 4])  # no layer tells that it is looked up by rows
        self.out = nn.Linear(15, 1)

    def forward(self, ids: Any, way: str = "abcw") -> Any:
        parts = [
            self.a(ids) + self.a(ids + 1) if "a" in way else paddle.zeros([*ids.shape, 4]),
            self.b(ids) if "b" in way else paddle.zeros([*ids.shape, 3]),
            self.c(ids) if "c" in way else paddle.zeros([*ids.shape, 4]),
            F.embedding(ids, self.w, sparse=True) if "w" in way else paddle.zeros([*ids.shape, 4]),
        ]
        loss = (self.out(paddle.concat(parts, axis=-1)) ** 2).mean()
        return loss + (self.a.weight**2).mean() if "t" in way else loss


def _ids(step: int) -> np.ndarray:
    return np.random.RandomState(step).randint(0, 20, [16, 2]).astype("int64")


def _dense(net: Any) -> list:
    return [None if p.grad is None else p.grad.numpy() for p in net.parameters()]


def _trained(lazy: bool) -> None:
    wrapped, plain = paddle.DataParallel(_Tables()), _Tables()
    optimizers = [
        paddle.optimizer.Adam(0.01, parameters=net.parameters(), lazy_mode=lazy)
        for net in (wrapped, plain)
    ]
    to_dense = selected_rows.Rows.to_dense
    for step in range(5):
        ids, rank = _ids(step), dist.get_rank()
        _count(dense_made := [])
        wrapped(paddle.to_tensor(ids[rank * 8 :][:8])).backward()
        selected_rows.Rows.to_dense = to_dense
        plain(paddle.to_tensor(ids)).backward()
        assert not dense_made
        for p in (wrapped._layers.a.weight, wrapped._layers.w):
            assert p._grad.is_rows
        for optimizer in optimizers:
            optimizer.step()
            optimizer.clear_grad()
        assert wrapped._layers.w not in wrapped._exchange._layout.dense
        for p, q in zip(wrapped.parameters(), plain.parameters(), strict=True):
            np.testing.assert_allclose(p.numpy(), q.numpy(), atol=1e-5)


def _count(into: list) -> None:
    made = selected_rows.Rows.to_dense

    def to_dense(self: Any) -> Any:
        into.append(self.shape)
        return made(self)

    selected_rows.Rows.to_dense = to_dense  # type: ignore[method-assign]


@pytest.mark.parametrize("lazy", [True, False])
def test_equals_one_process(job: Ranks, lazy: bool) -> None:
    job.run(_trained, lazy)


def _ways() -> None:
    wrapped, plain = paddle.DataParallel(_Tables()), _Tables()
    rank = dist.get_rank()
    pairs = [("abcw", "abcw"), ("a", "b"), ("t", "a"), ("at", "w"), ("", "c"), ("", "")]
    for step, ways in enumerate(pairs):
        ids = _ids(step)
        for again in (False, True):  # two backwards before a step, some of them without exchange
            if again and step % 2:
                with wrapped.no_sync():
                    wrapped(paddle.to_tensor(ids[rank * 8 :][:8]), ways[rank]).backward()
                for i, way in enumerate(ways):
                    (plain(paddle.to_tensor(ids[i * 8 :][:8]), way) / 2).backward()
            wrapped(paddle.to_tensor(ids[rank * 8 :][:8]), ways[rank]).backward()
            for i, way in enumerate(ways):
                (plain(paddle.to_tensor(ids[i * 8 :][:8]), way) / 2).backward()
        for a, b in zip(_dense(wrapped), _dense(plain), strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, atol=1e-6)
        for net in (wrapped, plain):
            for p in net.parameters():
                p._grad = None


def test_ranks_use_other_tables(job: Ranks) -> None:
    job.run(_ways)
