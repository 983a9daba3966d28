"""What tests of the passes for inference share: one Program, optimised and plain."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
import torch

import paddle
from paddle.executor.inference import InferenceProgram
from paddle.static import Program, Scope
from tests.executor.building import building, names_of, started


class Built(NamedTuple):
    """A Program for inference with its weights."""

    program: Program
    scope: Scope
    feed: dict[str, np.ndarray]
    fetches: list[str]

    def optimised(self, passes: Collection[str]) -> InferenceProgram:
        """The bound function after some passes."""
        return InferenceProgram(self.program, list(self.feed), self.fetches, self.scope, passes)

    def types(self, passes: Collection[str]) -> list[str]:
        """The operators of all blocks after some passes."""
        blocks = self.optimised(passes).optimised.blocks
        return [op.type for block in blocks for op in block.ops]

    def run(self, passes: Collection[str], feed: dict[str, np.ndarray] | None = None) -> list:
        """The fetched arrays of one run."""
        values = [torch.from_numpy(v.copy()) for v in (feed or self.feed).values()]
        return [out.float().numpy() for out in self.optimised(passes)(values)]


def built(net: Callable[..., Any], trains: bool = False, **feed: np.ndarray) -> Built:
    """Records a network, in test mode or not; its arguments are Variables called as the feeds.

    A feed of [n, ...] is data of any n.
    """
    with building() as (main, startup):
        data = [
            paddle.static.data(name, [None, *value.shape[1:]], str(value.dtype))
            for name, value in feed.items()
        ]
        outs = net(*data)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    return Built(
        main if trains else main.clone(for_test=True), started(startup), feed, names_of(outs)
    )


def same(got: list, expected: list, tolerance: float) -> None:
    """Asserts that arrays are equal within a part of their largest number."""
    for a, b in zip(got, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(np.abs(b).max(), 1e-3))
