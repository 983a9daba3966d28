"""Rewrites of Programs before they are compiled, in one ordered table."""

from __future__ import annotations

from collections.abc import Sequence

from paddle.ir.cloning import clone
from paddle.ir.program import Program
from paddle.ir.validation import check_uses
from paddle.ir.versions import to_current
from paddle.passes.attention import fuse_attention
from paddle.passes.bias import fuse_conv_bias, fuse_fc
from paddle.passes.constants import fold_constants
from paddle.passes.conv_bn import fuse_conv_bn
from paddle.passes.custom_gradients import drop_custom_gradients
from paddle.passes.dead_code import remove_dead_code
from paddle.passes.flat_gradients import part_flat_gradients
from paddle.passes.fuse_all_reduce import fuse_all_reduce
from paddle.passes.gather_rows import gather_rows
from paddle.passes.gru_pairs import pair_grus
from paddle.passes.in_place import mark_in_place
from paddle.passes.int8_weights import widen_weights
from paddle.passes.lifetimes import mark_lifetimes
from paddle.passes.loss import fuse_loss
from paddle.passes.merge_optimizers import merge_optimizers
from paddle.passes.outer_epsilon import write_epsilon
from paddle.passes.overlap_exchanges import overlap_exchanges
from paddle.passes.running import Pass, run_passes
from paddle.passes.sparse_updates import update_rows

# They run from top to bottom: (name, whether operators are no longer run one by one, pass).
# Marks come last: they hold for the operators as they stand then.
TABLE: list[tuple[str, bool, Pass]] = [
    ("custom_gradients", False, drop_custom_gradients),
    ("versions", False, to_current),
    ("flat_gradients", False, part_flat_gradients),
    ("gather_rows", False, gather_rows),
    ("fuse_all_reduce", False, fuse_all_reduce),
    ("overlap_exchanges", False, overlap_exchanges),
    ("dead_code", False, remove_dead_code),
    ("int8_weights", False, widen_weights),
    ("fc", True, fuse_fc),
    ("conv_bias", True, fuse_conv_bias),
    ("conv_bn", True, fuse_conv_bn),
    ("attention", True, fuse_attention),
    ("loss", True, fuse_loss),
    ("gru_pairs", True, pair_grus),
    ("constants", True, fold_constants),
    ("sparse_updates", False, update_rows),
    ("merge_optimizers", True, merge_optimizers),
    ("outer_epsilon", False, write_epsilon),
    ("in_place", True, mark_in_place),
    ("lifetimes", False, mark_lifetimes),
]


def prepare(
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    use_prune: bool = False,
    fuse: bool = True,
    skipped: Sequence[str] = (),
) -> Program:
    """Returns the rewritten copy of a Program that is compiled for given feeds and fetches.

    Args:
        program (Program): stays as it is.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.
        use_prune (bool): keep only what leads to the fetched variables.
        fuse (bool): False keeps every operator by itself.
        skipped (Sequence[str]): names of passes to leave out.
    """
    if program.num_blocks > 1:
        check_uses([[b.idx for op in block.ops for b in op.sub_blocks] for block in program.blocks])
    made = clone(program)
    if use_prune and fetches:
        from paddle.ir.cloning import prune

        made = prune(made, list(feeds), list(fetches))
    chosen = (
        (name, rewrite)
        for name, joins, rewrite in TABLE
        if name not in skipped and (fuse or not joins)
    )
    run_passes(chosen, made, feeds, fetches)
    return made
