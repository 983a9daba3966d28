"""Which gradients trainers send to servers, and what they still do to them before.

Clips stay with the trainers, as in 1.8.5: a norm over all gradients is known there only. Penalties
and updates, which read parameters, go to the servers.
"""

from __future__ import annotations

from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role


def keep_clips(block: Block) -> list[Operator]:
    """Gives clips among the optimizer's operators to backward, and returns the other ones.

    Args:
        block (Block): with gradients and updates.
    """
    ops = [op for op in block.ops if op.role & Role.OPTIMIZE and not op.role & Role.LR_SCHED]
    of_grads = {n for op in block.ops if op.role & Role.BACKWARD for n in op.output_arg_names}
    clips = _clips(ops, of_grads)
    for op in clips:
        op.attrs["op_role"] = int(Role.BACKWARD)
    kept = {id(op) for op in clips}
    return [op for op in ops if id(op) not in kept]


def _clips(ops: list[Operator], of_grads: set[str]) -> list[Operator]:
    """What reads gradients and no parameters, and the constants that only this reads."""
    of_params = {n for op in ops for n in op.inputs.get("Param", [])}
    found: list[Operator] = []
    others: list[Operator] = []
    for op in ops:
        reads = set(op.input_arg_names)
        if reads & of_params:
            of_params |= set(op.output_arg_names)
        elif reads & of_grads:
            of_grads |= set(op.output_arg_names)
            found.append(op)
            continue
        others.append(op)
    needed = {n for op in found for n in op.input_arg_names}
    read = {n for op in others for n in op.input_arg_names}
    found += [
        op for op in others
        if not op.input_arg_names and needed.issuperset(op.output_arg_names)
        and read.isdisjoint(op.output_arg_names)
    ]  # fmt: skip
    clips = {id(op) for op in found}
    return [op for op in ops if id(op) in clips]


def sent_gradient(ops: list[Operator], update: Operator) -> str:
    """Returns the gradient that a trainer sends: what an update reads, without penalties.

    Args:
        ops (list[Operator]): those that go to the servers, in their order.
        update (Operator): one of them.
    """
    name, param = update.input("Grad")[0], update.input("Param")[0]
    of_param = {param}
    made: dict[str, Operator] = {}
    for op in ops:
        if op is update:
            break
        made.update(dict.fromkeys(op.output_arg_names, op))
        inputs = op.input_arg_names
        if inputs and of_param.issuperset(inputs):
            of_param.update(op.output_arg_names)
    while name in made:
        inputs = made[name].input_arg_names
        others = [n for n in inputs if n not in of_param]
        if name in inputs or len(others) != 1:
            break
        name = others[0]
    return name


def stays_rows(ops: list[Operator], table: str) -> bool:
    """Whether the gradient of a table is sent as it is, so that it can be sent as rows.

    A clip makes it whole before, for which the table has to be here.

    Args:
        ops (list[Operator]): the trainer's, before it sends.
        table (str): looked up by rows.
    """
    names: set[str] = set()
    added: set[int] = set()
    for op in ops:
        looked_up = op.type.startswith("lookup_table") and op.inputs.get("W") == [table]
        if looked_up and op.type.endswith("_grad"):
            names.update(op.output_arg_names)
        elif op.type == "sum" and names.issuperset(op.input_arg_names):
            names.update(op.output_arg_names)
            added.add(id(op))
    return all(id(op) in added or names.isdisjoint(op.input_arg_names) for op in ops)
