"""Gathers sums over processes in buckets: many small exchanges become a few large ones.

The pass looks at the Program alone and never at what is fed or fetched, so that all processes of a
job find the same buckets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from paddle.analysis.def_use import made_from
from paddle.core import flags
from paddle.core.dtype import VarType, torch_dtype
from paddle.ir.block import Block
from paddle.ir.cloning import reads
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ops.collective import WAITS
from paddle.passes.dead_code import outer_writes

BUCKET_MB = "_bucket_mb"  # attribute: how large the bucket of a sum may be
MEAN = "_mean"  # attribute: the sum is divided by the number of processes
_DEFAULT_MB = 32.0
_FIRST_MB = 1.0  # the first bucket is closed early, so that exchange begins early
AVERAGE = 4  # number of a reduction, as :class:`paddle.distributed.ReduceOp` has it
_DENSE = (VarType.LOD_TENSOR,)


def fuse_all_reduce(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Replaces sums over one ring by one sum of a list, where the last of them stands.

    Matches ``c_allreduce_sum`` of variables of known size and one dtype, in every block;
    a bucket is closed where its size is reached, and where something reads or writes what it
    holds. Not matched: gradients of look-ups with ``is_sparse``, which are row numbers and values.
    """
    for block in program.blocks:
        if sum(op.type == "c_allreduce_sum" for op in block.ops) > 1:
            _Buckets(block).fill()
    program.note_change()


def touched(op: Operator) -> set[str]:
    """What an operator and its blocks read and write."""
    inner = [outer_writes(sub) for sub in op.sub_blocks]
    return {*reads(op), *op.output_arg_names}.union(*inner)


def is_optimizing(op: Operator) -> bool:
    """Whether an operator belongs to the optimizer."""
    return op.role != Role.NOT_SPECIFIED and bool(op.role & Role.OPTIMIZE)


def is_backward(op: Operator) -> bool:
    """Whether an operator belongs to the gradients."""
    return op.role != Role.NOT_SPECIFIED and bool(op.role & Role.BACKWARD)


def waits(op: Operator) -> bool:
    """Whether an operator only waits for a stream: whoever reads a value waits for it anyway."""
    return op.type in WAITS and op.inputs.get("X") == op.outputs.get("Out")


class _Buckets:
    """Sums of one block that wait for more of their kind."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.made: list[Operator] = []
        self.waiting: dict[tuple, list[Operator]] = {}
        self.bytes: dict[tuple, int] = {}
        self.closed: set[tuple] = set()  # kinds of which a bucket was closed
        writers = [(n, op) for op in block.ops for n in op.output_arg_names]
        self.writer = {n: op for n, op in writers if op.type != "c_allreduce_sum"}

    def fill(self) -> None:
        """Rewrites the block."""
        backward = False
        for op in self.block.ops:
            if not backward and is_backward(op):
                # A converted function is cut here: results of forward are there before.
                backward = True
                for kind in list(self.waiting):
                    self._close(kind)
            size = self._bytes(op)
            if not waits(op):
                self._close_for(touched(op))
            if size is None:
                self.made.append(op)
                continue
            kind = self._kind(op)
            self.waiting.setdefault(kind, []).append(op)
            self.bytes[kind] = self.bytes.get(kind, 0) + size
            limit = kind[-1] * 2**20
            if kind not in self.closed:
                limit = min(limit, _FIRST_MB * 2**20)
            if self.bytes[kind] >= limit:
                self._close(kind)
        for kind in list(self.waiting):
            self._close(kind)
        self.block.ops = self.made

    def _bytes(self, op: Operator) -> int | None:
        """How many bytes a sum exchanges; None for what joins no bucket."""
        if op.type != "c_allreduce_sum" or op.attrs.get("use_model_parallel"):
            return None
        for name in (*op.inputs["X"], *op.outputs["Out"]):
            var = self.block._find_var_recursive(name)
            if var is None or var.type not in _DENSE or any(n < 0 for n in var.shape):
                return None
        name = op.inputs["X"][0]
        writer = self.writer.get(name)
        if writer is not None and writer.attrs.get("is_sparse"):
            return None
        var = self.block._var_recursive(name)
        return math.prod(var.shape) * torch_dtype(var.dtype).itemsize

    def _kind(self, op: Operator) -> tuple:
        """What sums of one bucket have in common."""
        mb = op.attrs.get(BUCKET_MB)
        if mb is None:
            given = float(flags.get("FLAGS_fuse_parameter_memory_size"))
            mb = given if given > 0 else _DEFAULT_MB
        dtype = self.block._var_recursive(op.inputs["X"][0]).dtype
        mean = bool(op.attrs.get(MEAN))
        return op.attr("ring_id"), dtype, is_optimizing(op), mean, float(mb)

    def _close_for(self, names: set[str]) -> None:
        """Closes the buckets that hold what somebody is about to look at."""
        for kind, ops in list(self.waiting.items()):
            if any(not names.isdisjoint({*o.inputs["X"], *o.outputs["Out"]}) for o in ops):
                self._close(kind)

    def _close(self, kind: tuple) -> None:
        ops = self.waiting.pop(kind)
        self.bytes.pop(kind)
        self.closed.add(kind)
        if len(ops) == 1:
            self.made.append(ops[0])
            return
        given = {"X": [n for op in ops for n in op.inputs["X"]]}
        got = {"Out": [n for op in ops for n in op.outputs["Out"]]}
        attrs = {"ring_id": kind[0], "reduction": AVERAGE if kind[3] else 0}
        self.made.append(made_from(ops[-1], "all_reduce_list", given, got, attrs))
