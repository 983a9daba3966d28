"""Quantised Programs that the Executor computes with bytes, where FLAGS_executor_int8 asks for it.

They go through the passes of inference, as in a Predictor, so weights are packed once. The scope
stays the user's: weights that are set or loaded anew are packed anew.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from paddle.analysis.frozen import frozen_variables
from paddle.core.user_frame import outside
from paddle.executor.held import buffer_or_none
from paddle.executor.inference import InferencePlan
from paddle.executor.memo import versions
from paddle.executor.scope import Scope
from paddle.ir.cloning import prune
from paddle.ir.program import Program
from paddle.ops.quantization.int8 import why_in_floats
from paddle.passes.inference import GRAPH, INT8, passes_of, prepare_inference

PRODUCTS = frozenset(["int8_conv2d", "int8_conv2d_transpose", "int8_linear"])


def plan_by_bytes(
    program: Program,
    feeds: Sequence[str],
    fetches: list[str],
    use_prune: bool,
    op_callback: Callable | None,
    device: torch.device,
) -> Int8Plan | None:
    """Returns the plan of a quantised Program by bytes; None: no product has a form in bytes.

    Args:
        program (Program): stays as it is.
        feeds (Sequence[str]): variables that are given.
        fetches (list[str]): variables to return.
        use_prune (bool): run only what leads to the fetched variables.
        op_callback (callable, optional): called after every operator.
        device (torch.device): where it runs.
    """
    reason = why_in_floats(device)
    if reason:
        warnings.warn(
            f"FLAGS_executor_int8: 8 bits were asked for, but the Program runs in floats, for "
            f"{reason}.",
            stacklevel=outside(),
        )
        return None
    given = prune(program, list(feeds), fetches) if use_prune and fetches else program
    passes = passes_of([GRAPH, INT8])
    made = prepare_inference(given, feeds, fetches, passes, device=device.type)
    if PRODUCTS.isdisjoint(op.type for op in made.global_block().ops):
        return None
    return Int8Plan(made, feeds, fetches, op_callback)


class Int8Plan(InferencePlan):
    """A plan whose packed weights follow those of the scope."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        frozen = frozen_variables(self.program, self.feeds)
        self._weights = [i for i, name in enumerate(self.scope_names) if name in frozen]
        self._seen: weakref.WeakKeyDictionary[Scope, tuple] = weakref.WeakKeyDictionary()

    def bound(self, scope: Scope) -> Any:
        """Returns the function that works on the values of a scope, as they are now."""
        step = super().bound(scope)
        held = self._bound[scope][1]
        buffers = [buffer_or_none(held[i]) for i in self._weights]
        now = step, buffers, versions(buffers)
        seen = self._seen.get(scope)
        if seen is None or seen[0] is not step:
            self._seen[scope] = now
            return step
        if seen[2] == now[2] and all(a is b for a, b in zip(seen[1], buffers, strict=True)):
            return step
        self._bound.pop(scope, None)
        return self.bound(scope)
