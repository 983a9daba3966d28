"""Damages Programs so that they stay protobuf messages: seeded, for tests."""

from __future__ import annotations

import random
from typing import Any

NUMBERS = (0, 1, -1, 2, -2, 7, 255, 1 << 20, (1 << 31) - 1, -(1 << 31))
LARGE = (1 << 40, -(1 << 40), (1 << 63) - 1, -(1 << 63))
FLOATS = (0.0, -1.0, 1e30, -1e30, float("inf"), float("nan"))
WORDS = ("", "x", "relu", "while", "no_such_operator", "@EMPTY@", "block", "é" * 40, "NHWC")


def damage(desc: Any, r: random.Random) -> str:
    """Changes one thing in a ProgramDesc; returns what it was."""
    block = r.choice(desc.blocks)
    what = r.choice(DAMAGES)
    found = what(block, r)
    return f"{what.__name__}: {found}"


def _operator(block: Any, r: random.Random) -> Any:
    return r.choice(block.ops) if block.ops else None


def attribute(block: Any, r: random.Random) -> str:
    """Gives an attribute another value of its kind."""
    op = _operator(block, r)
    if op is None or not op.attrs:
        return "none"
    attr = r.choice(op.attrs)
    if attr.HasField("i"):
        attr.i = r.choice(NUMBERS)
    elif attr.HasField("l"):
        attr.l = r.choice(NUMBERS + LARGE)
    elif attr.HasField("f"):
        attr.f = r.choice(FLOATS)
    elif attr.HasField("s"):
        attr.s = r.choice(WORDS).encode()
    elif attr.HasField("b"):
        attr.b = not attr.b
    elif attr.HasField("block_idx"):
        attr.block_idx = r.choice((0, 1, 2, 3, -1, 1 << 20))
    else:
        for field, values in (("ints", NUMBERS), ("longs", NUMBERS + LARGE), ("floats", FLOATS)):
            listed = getattr(attr, field)
            if listed and r.random() < 0.5:
                listed[r.randrange(len(listed))] = r.choice(values)
            elif listed:
                listed.append(r.choice(values)) if r.random() < 0.5 else listed.pop()
    return f"{op.type}.{attr.name}"


def missing_attribute(block: Any, r: random.Random) -> str:
    """Removes an attribute."""
    op = _operator(block, r)
    if op is None or not op.attrs:
        return "none"
    at = r.randrange(len(op.attrs))
    name = f"{op.type}.{op.attrs[at].name}"
    del op.attrs[at]
    return name


def slot(block: Any, r: random.Random) -> str:
    """Empties, renames, fills or removes a slot."""
    op = _operator(block, r)
    slots = None if op is None else r.choice((op.inputs, op.outputs))
    if not slots:
        return "none"
    at = r.randrange(len(slots))
    name, how = f"{op.type}.{slots[at].parameter}", r.randrange(5)
    if how == 0:
        del slots[at]
    elif how == 1:
        del slots[at].arguments[:]
    elif how == 2:
        slots[at].parameter = r.choice(WORDS)
    elif how == 3 and block.vars:
        slots[at].arguments.append(r.choice(block.vars).name)
    elif slots[at].arguments:
        names = [v.name for v in block.vars] + list(WORDS)
        slots[at].arguments[r.randrange(len(slots[at].arguments))] = r.choice(names)
    return f"{name} {how}"


def variable(block: Any, r: random.Random) -> str:
    """Changes shape, kind or element type of a variable, or removes it."""
    if not block.vars:
        return "none"
    at = r.randrange(len(block.vars))
    var, how = block.vars[at], r.randrange(5)
    name = var.name
    tensor = var.type.lod_tensor.tensor if var.type.HasField("lod_tensor") else None
    if how == 0:
        del block.vars[at]
    elif how == 1:
        var.type.type = r.choice((7, 8, 10, 11, 13, 15, 17, 25, 28, 30))
    elif tensor is not None and how == 2:
        tensor.data_type = r.choice((0, 1, 3, 4, 5, 6, 19, 22, 23, 29))
    elif tensor is not None and how == 3 and tensor.dims:
        tensor.dims[r.randrange(len(tensor.dims))] = r.choice(NUMBERS + LARGE)
    elif tensor is not None:
        tensor.dims.append(r.choice(NUMBERS))
    return f"{name} {how}"


def type(block: Any, r: random.Random) -> str:
    """Makes an operator another one."""
    op = _operator(block, r)
    if op is None:
        return "none"
    others = [o.type for o in block.ops] + list(WORDS)
    before, op.type = op.type, r.choice(others)
    return f"{before} -> {op.type}"


def order(block: Any, r: random.Random) -> str:
    """Removes an operator, repeats it, or exchanges two."""
    if not block.ops:
        return "none"
    at, other = r.randrange(len(block.ops)), r.randrange(len(block.ops))
    how, name = r.randrange(3), block.ops[at].type
    if how == 0:
        del block.ops[at]
    elif how == 1:
        block.ops.add().CopyFrom(block.ops[at])
    else:
        kept = [o.__class__.FromString(o.SerializeToString()) for o in block.ops]
        kept[at], kept[other] = kept[other], kept[at]
        del block.ops[:]
        block.ops.extend(kept)
    return f"{name} {how}"


def flag(block: Any, r: random.Random) -> str:
    """Says of a variable, of any kind, that it is stored, a parameter or fed; or that it is not."""
    if not block.vars:
        return "none"
    var = r.choice(block.vars)
    field = r.choice(("persistable", "is_parameter", "need_check_feed", "stop_gradient"))
    setattr(var, field, not getattr(var, field))
    return f"{var.name}.{field}"


def bare(block: Any, r: random.Random) -> str:
    """Takes the shape of a variable away, or everything but its name and kind."""
    if not block.vars:
        return "none"
    var = r.choice(block.vars)
    if r.random() < 0.5 and var.type.HasField("lod_tensor"):
        var.type.lod_tensor.tensor.ClearField("dims")
    else:
        var.type.ClearField("lod_tensor")
    return var.name


DAMAGES = (attribute, attribute, missing_attribute, slot, slot, variable, type, order, flag, bare)
