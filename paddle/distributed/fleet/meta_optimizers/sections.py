"""Which section of a pipeline an operator belongs to."""

from __future__ import annotations

from paddle.core.errors import UnimplementedError
from paddle.ir.block import Block
from paddle.ir.operator import Operator, Role

EVERYWHERE = -1  # the section of an operator that all sections run


def devices(block: Block) -> list[str]:
    """The devices with a number that operators were given, in the order of their numbers."""
    found = {op.attr("op_device") for op in block.ops}
    return sorted((d for d in found if ":" in d), key=lambda d: int(d.split(":")[1]))


def sections_of(block: Block, grads: dict[str, str]) -> tuple[dict[int, int], dict[str, int]]:
    """Finds the section of each operator, and of each parameter.

    Operators without a device go where their inputs come from; gradients where the value is made
    that they are of.

    Args:
        block (Block): has a whole step.
        grads (dict): parameter -> its gradient.

    Returns:
        tuple: id of an operator -> section; parameter -> section.

    Raises:
        NotImplementedError: several sections use one parameter.
    """
    numbers = {device: i for i, device in enumerate(devices(block))}
    found: dict[int, int] = {}
    where: dict[str, int] = {}  # value -> section that makes it, or uses it if it is a parameter
    ahead = [
        op for op in block.ops if not op.role & (Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED)
    ]
    _place_forward(block, ahead, numbers, found, where)
    for op in ahead:
        if op.type == "read":  # every process has the loader, so that all of them see its end
            found[id(op)] = EVERYWHERE
    owner = _owners(block, ahead, found, grads)
    where |= owner
    for op in block.ops:
        if id(op) in found or op.role & (Role.OPTIMIZE | Role.LR_SCHED):
            continue
        section = numbers.get(op.attr("op_device"))
        if section is None:
            about = [where[n] for o in op.output_arg_names if (n := o.split("@GRAD")[0]) in where]
            about = about or [where[n] for n in op.input_arg_names if n in where]
            section = min(about, default=0)
        found[id(op)] = section
        for name in op.output_arg_names:
            where.setdefault(name, section)
    return found, owner


def _place_forward(
    block: Block, ops: list[Operator], numbers: dict[str, int], found: dict[int, int],
    where: dict[str, int],
) -> None:  # fmt: skip
    open_: list[Operator] = []
    for op in ops:
        section = numbers.get(op.attr("op_device"))
        if section is None:
            makers = [where[n] for n in op.input_arg_names if n in where]
            section = max(makers, default=None)
        if section is None:
            open_.append(op)
            continue
        found[id(op)] = section
        for name in op.output_arg_names:
            where[name] = section
    for op in reversed(open_):  # they begin with nothing, so they go to who reads them
        made = set(op.output_arg_names)
        users = [found[id(o)] for o in ops if id(o) in found and made & set(o.input_arg_names)]
        found[id(op)] = min(users, default=0)
        for name in made:
            where.setdefault(name, found[id(op)])


def _owners(
    block: Block, ops: list[Operator], found: dict[int, int], grads: dict[str, str]
) -> dict[str, int]:
    owner: dict[str, int] = {}
    for op in ops:
        for name in op.input_arg_names:
            if name not in grads:
                continue
            section = found[id(op)]
            if owner.setdefault(name, section) != section:
                raise UnimplementedError(
                    f"pipeline: the parameter {name!r} is used by the sections {owner[name]} and "
                    f"{section}, but each parameter can be in one.",
                    hint="use it in one section, and pass what it gives on",
                )
    return owner
