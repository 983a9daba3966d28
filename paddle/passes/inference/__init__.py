"""Rewrites of Programs whose weights stay as they are.

A Program for inference is optimised further than one that trains: no gradient reads what is in
between, and whatever depends on stored variables alone is computed once, when the plan is bound
(:mod:`paddle.passes.inference.freeze`). So a pass may turn a weight into any form: it adds an
operator that makes it, and never sees a buffer itself.

Each pass has a name, for which PaddlePaddle's is taken where it has one that does the same, and
belongs to a switch of ``paddle.inference.Config``. ``Config.pass_builder()`` lists the names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from paddle.ir.cloning import clone
from paddle.ir.program import Program
from paddle.ir.validation import check_uses
from paddle.ir.versions import to_current
from paddle.passes.custom_gradients import drop_custom_gradients
from paddle.passes.dead_code import remove_dead_code
from paddle.passes.in_place import mark_in_place
from paddle.passes.inference.convolution import overwrite_residuals
from paddle.passes.inference.freeze import fix_statistics
from paddle.passes.inference.integer_programs import to_values
from paddle.passes.inference.table import (
    BFLOAT16,
    BFLOAT16_OPS,
    GRAPH,
    INT8,
    ONEDNN,
    TABLE,
    InferencePass,
    passes_of,
)
from paddle.passes.int8_weights import widen_weights
from paddle.passes.lifetimes import mark_lifetimes
from paddle.passes.running import Pass, run_passes

_BEFORE: list[tuple[str, Pass]] = [
    ("custom_gradients", drop_custom_gradients),
    ("versions", to_current),
    ("integer_programs", to_values),
    ("fix_statistics", fix_statistics),
    ("dead_code", remove_dead_code),
]
_AFTER: list[tuple[str, Pass]] = [
    ("int8_weights", widen_weights),
    ("dead_code", remove_dead_code),
    ("overwrite_residuals", overwrite_residuals),
    ("in_place", mark_in_place),
    ("lifetimes", mark_lifetimes),
]


def prepare_inference(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    passes: Sequence[str],
    after: Callable[[str, Program], None] | None = None,
    device: str = "cpu",
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Program:
    """Returns the optimised copy of a Program for inference.

    Args:
        program (Program): stays as it is.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.
        passes (Sequence[str]): names of the passes to run, in this order; what has to be done in
            any case is done besides, and what is for other devices is left out.
        after (callable, optional): called as ``after(name, program)`` after each pass.
        device (str): the kind of device that it runs on, as torch calls it. Default: "cpu".
        options (Mapping[str, Any]): what some passes are told, by name (``BFLOAT16_OPS``).
    """
    if program.num_blocks > 1:
        check_uses([[b.idx for op in block.ops for b in op.sub_blocks] for block in program.blocks])
    made = clone(program)
    named = {entry.name: entry for entry in TABLE if entry.fits(device)}
    chosen = [(name, named[name].bound(options, device)) for name in passes if name in named]
    run_passes([*_BEFORE, *chosen, *_AFTER], made, feeds, fetches, after)
    return made


__all__ = [
    "BFLOAT16", "BFLOAT16_OPS", "GRAPH", "INT8", "ONEDNN", "TABLE", "InferencePass", "passes_of",
    "prepare_inference",
]  # fmt: skip
