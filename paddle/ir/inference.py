"""Programs for inference: pruned to what leads from inputs to outputs, which they state themselves.

A ``feed`` operator stands before everything for each input and a ``fetch`` operator behind
everything for each output; their attribute ``col`` is the position in the caller's list.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.ir.block import Block
from paddle.ir.cloning import for_testing, prune, reads
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable

FEED, FETCH = "feed", "fetch"
_SCALED = "save_infer_model/scale_"  # PaddlePaddle's name for the copy of an output
# Variables that a Block keeps for its own workings; there is nothing in them to store.
NO_VALUES = frozenset({
    VarType.FEED_MINIBATCH, VarType.FETCH_LIST, VarType.READER, VarType.RAW, VarType.STEP_SCOPES,
})  # fmt: skip


def is_stored(var: Variable) -> bool:
    """Whether the value of a variable outlives a run and can be saved."""
    return bool(var.persistable) and var.type not in NO_VALUES


def persistables(program: Program) -> list[Variable]:
    """Returns the variables of a Program whose values are stored, in order of their names."""
    found = {v.name: v for v in program.list_vars() if is_stored(v)}
    return [found[name] for name in sorted(found)]


def normalize(
    program: Program, feeds: Sequence[Variable], fetches: Sequence[Variable], scaled: bool = True,
    partial: bool = False,
) -> Program:  # fmt: skip
    """Returns a copy of a Program for inference.

    Args:
        program (Program): what it is made of; stays as it is.
        feeds (Sequence[Variable]): the inputs. What computes them falls away.
        fetches (Sequence[Variable]): the outputs.
        scaled (bool): fetch a copy of each output, which is called ``save_infer_model/scale_<i>``.
            Default: True.
        partial (bool): some inputs may be missing, as in 1.x; then it warns. Default: False.

    Raises:
        InvalidArgumentError: a variable is not of the Program, an input leads to no output, or an
            output needs data that is no input.
    """
    names = [v.name for v in feeds]
    outputs = [v.name for v in fetches]
    _check_given(program, names, outputs)
    made = for_testing(_without_marks(program))
    made = prune(made, names, outputs)
    block = made.global_block()
    missing = _check_connected(block, names, outputs)
    if missing and not partial:
        raise InvalidArgumentError(missing)
    if missing:
        warnings.warn(missing, stacklevel=outside())
    if scaled:
        outputs = [_scaled(block, name, i) for i, name in enumerate(outputs)]
    mark(made, names, outputs)
    _keep_mentioned(made)
    return made


def _check_given(program: Program, feeds: list[str], fetches: list[str]) -> None:
    known = program.global_block().vars
    for kind, names in (("feed_vars", feeds), ("fetch_vars", fetches)):
        for i, name in enumerate(names):
            if name not in known:
                raise InvalidArgumentError(
                    f"{kind}[{i}]: the Program has no variable {name!r} in its global block; its "
                    f"data variables are {sorted(v.name for v in known.values() if v.is_data)}.",
                    hint="give the Program it belongs to: program=...; the default is the default "
                    "main Program",
                )
    for i, name in enumerate(feeds):
        if name in feeds[:i]:
            raise InvalidArgumentError(f"feed_vars[{i}]: {name!r} is given twice.")


def _without_marks(program: Program) -> Program:
    """A copy without feed and fetch operators, and with no operator marked as a target."""
    made = program.clone()
    for block in made.blocks:
        block.ops = [op for op in block.ops if op.type not in (FEED, FETCH)]
        for op in block.ops:
            op.is_target = False
    return made


def _check_connected(block: Block, feeds: list[str], fetches: list[str]) -> str:
    """Checks that inputs lead to outputs; returns what to say where some are missing."""
    needed = set(fetches).union(*(reads(op) for op in block.ops))
    for i, name in enumerate(feeds):
        if name not in needed:
            raise InvalidArgumentError(
                f"feed_vars[{i}]: {name!r} is not needed to compute fetch_vars {fetches}.",
                hint="leave it out of feed_vars",
            )
    written = {n for op in block.ops for n in op.output_arg_names}
    open_ = [n for n, v in block.vars.items()
             if v.is_data and n in needed and n not in feeds and n not in written]  # fmt: skip
    if not open_:
        return ""
    return (
        f"feed_vars: expected every input of fetch_vars {fetches}, but they need {open_} too; "
        f"given are {feeds}."
    )


def _scaled(block: Block, name: str, at: int) -> str:
    """Adds a copy of an output; returns its name."""
    var = block.vars[name]
    if var.type != VarType.LOD_TENSOR or var.dtype == VarType.BOOL or name.startswith(_SCALED):
        return name
    count = 0
    while (made := f"{_SCALED}{at}.tmp_{count}") in block.vars:
        count += 1
    block.vars[made] = Variable(
        block, name=made, shape=var.shape, dtype=var.dtype, lod_level=var.lod_level
    )
    attrs = {"scale": 1.0, "bias": 0.0, "bias_after_scale": True, "op_role": Role.FORWARD}
    block.ops.append(Operator(block, "scale", {"X": [name]}, {"Out": [made]}, attrs))
    return made


def mark(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
    """Adds the feed and fetch operators for inputs and outputs."""
    block = program.global_block()
    for name, kind in ((FEED, VarType.FEED_MINIBATCH), (FETCH, VarType.FETCH_LIST)):
        block.vars.pop(name, None)
        block.vars[name] = Variable(block, type=kind, name=name, persistable=True)

    def made(type: str, source: str, target: str, col: int) -> Operator:
        attrs = {"col": col, "op_role": Role.FORWARD}
        return Operator(block, type, {"X": [source]}, {"Out": [target]}, attrs)

    first = [made(FEED, FEED, name, i) for i, name in enumerate(feeds)]
    last = [made(FETCH, name, FETCH, i) for i, name in enumerate(fetches)]
    # The last input comes first: so PaddlePaddle writes them, and its jit.load goes by it.
    block.ops = [*first[::-1], *block.ops, *last]
    for name in feeds:  # need_check_feed stays: traced models state the shape of one example
        block.vars[name].is_data = True
    program.note_change()


def _keep_mentioned(program: Program) -> None:
    """Removes the variables that no operator mentions, parameters and data too."""
    used = {FEED, FETCH}
    for block in program.blocks:
        for op in block.ops:
            used.update(op.input_arg_names, op.output_arg_names)
    for block in program.blocks:
        block.vars = {name: var for name, var in block.vars.items() if name in used}
    program.note_change()


def feed_names(program: Program) -> list[str]:
    """Returns the names of the inputs that feed operators state, in their order."""
    found = _columns(program, FEED)
    return [op.output("Out")[0] for op in found]


def fetch_variables(program: Program) -> list[Variable]:
    """Returns the variables of the outputs that fetch operators state, in their order."""
    block = program.global_block()
    found: list[Any] = [block.vars.get(op.input("X")[0]) for op in _columns(program, FETCH)]
    if None in found:
        raise InvalidArgumentError(
            f"the Program states output {found.index(None)}, but has no variable for it."
        )
    return found


def _columns(program: Program, type: str) -> list[Operator]:
    ops = [op for op in program.global_block().ops if op.type == type]
    return sorted(ops, key=lambda op: op.attrs.get("col", 0))
