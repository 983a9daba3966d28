"""What tests of passes of inference share: the operators that are left, and equal numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import torch

from paddle.executor.inference import InferenceProgram
from paddle.passes.inference import GRAPH, passes_of, prepare_inference
from tests.executor.building import building, names_of, started


class Built:
    """A small Program with its weights.

    Args:
        net (callable): makes the Program; returns what to fetch.
        feed (dict): name -> array.
        weights (callable, optional): ``weights(scope)`` puts other values into the scope.
    """

    def __init__(self, net: Callable, feed: dict, weights: Callable | None = None) -> None:
        with building() as (self.main, startup):
            out = net()
        self.fetches = names_of(list(out) if isinstance(out, (list, tuple)) else [out])
        self.feed = feed
        self.scope = started(startup)
        if weights is not None:
            weights(self.scope)

    def prepared(self, passes: Collection[str], **more: Any) -> InferenceProgram:
        """The Program made ready with some passes."""
        return InferenceProgram(
            self.main, list(self.feed), self.fetches, self.scope, passes, **more
        )

    def types(self, passes: Collection[str], **more: Any) -> list[str]:
        """The types of the operators that are left; ``more`` is for :func:`prepare_inference`."""
        made = prepare_inference(self.main, list(self.feed), self.fetches, list(passes), **more)
        return [op.type for op in made.global_block().ops]

    def run(self, passes: Collection[str], feed: dict | None = None, **more: Any) -> list:
        """The results, as arrays of float64."""
        return results(self.prepared(passes, **more), (feed or self.feed).values())


def results(program: InferenceProgram, arrays: Sequence | Any) -> list[np.ndarray]:
    """Runs a Program on arrays."""
    buffers = [torch.from_numpy(np.array(a)) for a in arrays]
    return [np.asarray(out.float().numpy(), "float64") for out in program(buffers)]


def every_pass(*but: str, switches: Collection[str] = (GRAPH,)) -> list[str]:
    """The names of the passes of some switches, without a few."""
    return [name for name in passes_of(switches) if name not in but]


def close(found: list, expected: list, tolerance: float) -> None:
    """Asserts that results differ by no more than a part of the largest number."""
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert np.abs(a - b).max(initial=0) <= tolerance * max(np.abs(b).max(initial=0), 1e-6)
