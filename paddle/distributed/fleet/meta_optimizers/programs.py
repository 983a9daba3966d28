"""What rewrites of Programs have in common: finding updates, adding operators and variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import UnimplementedError
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.ir.variable import Variable


def insert(
    block: Block, at: int, type: str, inputs: Any, outputs: Any, attrs: Any = None,
    role: int = Role.BACKWARD,
) -> Operator:  # fmt: skip
    """Adds an operator at a position, with a role whatever is recorded at the time.

    Args:
        block (Block): where.
        at (int): the position.
        type, inputs, outputs, attrs: as ``append_op`` takes them.
        role (int): part of which stage it is.
    """
    given = {**(attrs or {}), "op_role": role, "op_role_var": []}
    return block._insert_op(at, type, inputs, outputs, given)


def append(
    block: Block, type: str, inputs: Any, outputs: Any, attrs: Any = None,
    role: int = Role.OPTIMIZE,
) -> Operator:  # fmt: skip
    """Adds an operator at the end; see :func:`insert`."""
    return insert(block, len(block.ops), type, inputs, outputs, attrs, role)


def kept(
    main: Program, startup: Program, name: str, shape: Iterable[int], dtype: Any, value: float
) -> Variable:
    """Makes a variable that lives in the scope and that the startup Program fills.

    Args:
        main (Program): gets the variable.
        startup (Program): gets it too, and the operator that fills it.
        name (str): its name.
        shape (list[int]): its shape.
        dtype (str|VarType): its data type.
        value (float): what it starts with.
    """
    kind = to_vartype(dtype)
    info = {"name": name, "shape": list(shape), "dtype": kind, "persistable": True}
    made = main.global_block().create_var(**info, stop_gradient=True)
    top = startup.global_block()
    if not top.has_var(name):
        there = top.create_var(**info, stop_gradient=True)
        attrs = {"shape": list(shape), "dtype": int(kind), "value": float(value)}
        top.append_op("fill_constant", {}, {"Out": there}, attrs)
    return made


def scratch(block: Block, like: Variable, text: str, **other: Any) -> Variable:
    """Makes a variable of a step like another one, under a name that nobody has.

    Args:
        block (Block): where.
        like (Variable): whose shape and type it has.
        text (str): what its name begins with.
        **other: what is different.
    """
    info = {"shape": like.shape, "dtype": like.dtype, "stop_gradient": True, **other}
    return block.create_var(name=block.unused_name(text), **info)


def is_update(op: Operator) -> bool:
    """Whether an operator updates a parameter."""
    return bool(op.role & Role.OPTIMIZE) and {"Param", "Grad"} <= op.inputs.keys()


def updates(block: Block) -> Iterator[Operator]:
    """The operators that update parameters, also those under a condition within the block."""
    for op in list(block.ops):
        if is_update(op):
            yield op
        for inner in op.sub_blocks:
            yield from updates(inner)


def sparse_gradient(block: Block, name: str) -> bool:
    """Whether a gradient is made as row numbers and values, by a look-up with ``is_sparse``."""
    var = block._find_var_recursive(name)
    if var is not None and var.type == VarType.SELECTED_ROWS:
        return True
    return any(op.attrs.get("is_sparse") for op in block.ops if name in op.output_arg_names)


def refuse_sparse(block: Block, pairs: Iterable[tuple[str, str]], what: str, why: str) -> None:
    """Raises where a gradient is sparse.

    Args:
        block (Block): has the operators.
        pairs (list): names of parameters and their gradients.
        what (str): the strategy that cannot.
        why (str): what it would need.
    """
    for param, grad in pairs:
        if sparse_gradient(block, grad):
            raise UnimplementedError(
                f"{what}: the gradient of {param!r} is sparse, but {why}.",
                hint="make the embedding with is_sparse=False",
            )


def all_ops(program: Program) -> Iterator[tuple[Block, Operator]]:
    """Every operator of every block, with its block."""
    for block in program.blocks:
        for op in list(block.ops):
            yield block, op


def replace(op: Operator, type: str, slots: dict[str, Any], attrs: dict[str, Any]) -> Operator:
    """Puts another operator in the place of one; what writes a slot ``X`` is called ``XOut``.

    Args:
        op (Operator): is taken out.
        type (str): the operator that comes.
        slots (dict): its inputs.
        attrs (dict): its attributes.
    """
    block, at = op.block, op.idx
    outputs = {
        slot: names for slot, names in op.outputs.items() if slot.removesuffix("Out") in slots
    }
    block._remove_op(at)
    given = {**attrs, "op_role": op.role, "op_role_var": op.attr("op_role_var")}
    made = block._insert_op(at, type, slots, outputs, given)
    made.location = op.location
    return made


def add_decay(op: Operator, grad: str, param: str, factor: float) -> None:
    """Adds ``factor * parameter`` to a gradient, before the operator that uses it.

    Args:
        op (Operator): uses the gradient.
        grad (str): the gradient.
        param (str): the parameter.
        factor (float): how strong the decay is.
    """
    block, at = op.block, op.idx
    like = block._var_recursive(param)
    part = scratch(block, like, f"{param}@DECAY")
    role = Role.OPTIMIZE
    insert(block, at, "scale", {"X": param}, {"Out": part}, {"scale": factor}, role)
    insert(block, at + 1, "sum", {"X": [grad, part]}, {"Out": grad}, None, role)


# -- what optimizers and strategies keep for themselves --------------------------------------------


def rule_of(optimizer: Any) -> Any:
    """By which rule an optimizer updates, one of ``paddle.ops.optimizer``."""
    return getattr(type(optimizer), "_rule", None)


def decay_of(optimizer: Any, param: Variable) -> Any:
    """The penalty that an optimizer puts on a parameter without one of its own."""
    return optimizer._group_of(param)["weight_decay"]


def skipped_passes(strategy: Any) -> list[str]:
    """The passes that a BuildStrategy leaves out."""
    return strategy._skipped()
