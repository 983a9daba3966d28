"""Inlining of loaded Programs: their operators are added to the Program being recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import UnimplementedError
from paddle.core.tensor import Tensor
from paddle.ir.block import Block
from paddle.ir.current import default_main_program
from paddle.ir.operator import EMPTY, Operator, user_location
from paddle.ir.program import Program
from paddle.ir.recording.context import captured
from paddle.ir.variable import Variable
from paddle.ir.versions import RANK_0_SINCE, to_current

# Attributes that hold names of variables.
_NAMING = frozenset(["ex_states", "states", "skip_eager_deletion_vars", "op_role_var"])


def inlined(
    program: Program,
    given: Mapping[str, Tensor | Variable],
    tensors: Mapping[str, Tensor],
    outputs: Sequence[str],
) -> list[Variable]:
    """Adds a Program's operators to the current block.

    Args:
        program (Program): what is added; it is changed.
        given (Mapping): its inputs by name.
        tensors (Mapping): its stored variables by name; the ones that it uses are captured.
        outputs (Sequence[str]): its results.

    Returns:
        list[Variable]: the results.
    """
    _check_rank_0(program)
    to_current(program, list(given))
    used = {n for b in program.blocks for op in b.ops
            for n in (*op.input_arg_names, *op.output_arg_names)} | set(outputs)  # fmt: skip
    values = {**given, **{n: t for n, t in tensors.items() if n in used}}
    names = {
        name: (value if isinstance(value, Variable) else captured(value)).name
        for name, value in values.items()
    }
    block = default_main_program().current_block()
    prefix = unique_name.generate("translated_layer")
    _copy(program.global_block(), block, names, prefix)
    block.note_change()
    return [block._var_recursive(names[name]) for name in outputs]


def _check_rank_0(program: Program) -> None:
    """Refuses what cannot be mixed: in a Program of 2.0 scalars have the shape [1]."""
    if program.program_version < RANK_0_SINCE:
        return
    scalars = {
        v.name
        for v in program.list_vars()
        if v.type == VarType.LOD_TENSOR and v._dtype is not None and v.shape == ()
    }
    for op in (op for block in program.blocks for op in block.ops):
        known = op.declared
        if known is not None and known.rank0:
            continue
        read = [n for n in op.input_arg_names if n in scalars]
        if read:
            raise UnimplementedError(
                f"TranslatedLayer: its Program was saved by a release that has tensors without "
                f"dimensions; {op.type} reads one, {read[0]!r}, and would do something else in a "
                "Program of 2.0.",
                hint="call it in dynamic mode, outside of converted functions",
            )


def _copy(source: Block, target: Block, names: dict[str, str], prefix: str) -> None:
    """Copies variables and operators; ``names`` gets the names that the variables have there."""
    for name, var in source.vars.items():
        if name in names:
            continue
        names[name] = f"{prefix}/{name}"
        info = {**var.describe(), "name": names[name], "persistable": False}
        target.vars[names[name]] = Variable(target, **info)
    for op in source.ops:
        inner: dict[str, str] = {}
        blocks = {}
        for block in op.sub_blocks:
            made = Block(target.program, len(target.program.blocks), target.idx)
            target.program.blocks.append(made)
            known = dict(names)
            _copy(block, made, known, prefix)
            inner.update(known)
            blocks[id(block)] = made
        attrs = {k: _moved(k, v, {**inner, **names}, blocks) for k, v in op.attrs.items()}
        copied = Operator(
            target, op.type, _renamed(op.inputs, names), _renamed(op.outputs, names), attrs,
            user_location(),
        )  # fmt: skip
        copied.attr_kinds = None if op.attr_kinds is None else op.attr_kinds.copy()
        target.program._mark(copied)
        for name in copied.output_arg_names:
            if name in target.vars:
                target.vars[name].op = copied
        target.ops.append(copied)


def _renamed(slots: dict[str, list[str]], names: dict[str, str]) -> dict[str, list[str]]:
    return {s: [n if n == EMPTY else names.get(n, n) for n in ns] for s, ns in slots.items()}


def _moved(key: str, value: Any, names: dict[str, str], blocks: dict[int, Block]) -> Any:
    if id(value) in blocks:
        return blocks[id(value)]
    if isinstance(value, list):
        if value and id(value[0]) in blocks:
            return [blocks[id(b)] for b in value]
        return [names.get(n, n) for n in value] if key in _NAMING else list(value)
    return value
