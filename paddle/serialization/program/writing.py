"""Fills a ProgramDesc message from a Program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType, encode, is_private
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.raw import FLAGS, TENSOR, WITH_LOD
from paddle.ir.validation import ORIGIN
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program import additions, form_185
from paddle.serialization.program.additions import Written
from paddle.serialization.program.fields import FIELD, MANY
from paddle.serialization.program.schema import message_class

OUR_VERSION = 2_000_000  # written for a Program that was made here: major, minor, patch


def write_program(program: Program, desc: Any) -> None:
    """Fills an empty message."""
    desc.MergeFromString(program.raw_fields or b"")
    old = form_185.fits(program)
    for block in program.blocks:
        _write_block(block, desc.blocks.add(), old)
    if old:
        rows = form_185.rows(program)
        for var in [v for told in desc.blocks for v in told.vars if v.name in rows]:
            _as_rows(var)
    ours = form_185.VERSION if old else OUR_VERSION
    desc.version.version = program.program_version or ours
    for name, version in program.op_versions.items():
        pair = desc.op_version_map.pair.add(op_name=name)
        pair.op_version.version = version


def _write_block(block: Block, told: Any, old: bool) -> None:
    rest = block.raw_fields
    if rest:
        told.MergeFromString(rest)
    told.idx, told.parent_idx = block.idx, block.parent_idx
    _set(told, "forward_block_idx", block.forward_block_idx)
    names = sorted(block.vars) if rest is None else list(block.vars)
    hidden = form_185.undeclared(block) if old else ()
    for name in names:
        if name not in hidden:
            write_variable(block.vars[name], told.vars.add())
    for var in form_185.unfound(block) if old else ():
        write_variable(var, told.vars.add())
    completed = form_185.completed if old else additions.completed
    added: set[str] = set()
    for op in block.ops:
        written = completed(op)
        for before in written.before:
            _write_operator(Operator(block, *before), told.ops)
        for name, like in written.variables:
            if name not in added:
                added.add(name)
                var = Variable(block, name=name, shape=like.shape, dtype=like.dtype)
                write_variable(var, told.vars.add())
        if written.type:
            _write_operator(op, told.ops, written)


def _set(told: Any, field: str, value: Any) -> None:
    """Sets a field unless it, or its default, says so already."""
    if getattr(told, field) != value:
        setattr(told, field, value)


def write_variable(var: Variable, told: Any) -> None:
    """Fills an empty VarDesc message."""
    rest = var.raw_fields
    if isinstance(rest, dict):  # it was added raw
        told.MergeFrom(stated_message(rest))
    elif rest:
        told.MergeFromString(rest)
    told.name = var.name
    _set(told, "persistable", bool(var.persistable))
    _set(told, "need_check_feed", bool(var.need_check_feed))
    _set(told, "stop_gradient", bool(var.stop_gradient))
    if isinstance(var, Parameter):
        _set(told, "is_parameter", True)
    kind = int(var.type)
    told.type.type = kind
    field = TENSOR.get(kind)
    if field is None:
        return
    dims, dtype = list(var.shape), var._dtype
    if rest and dtype is None and not dims and not told.type.HasField(field):
        return
    tensor = getattr(told.type, field)
    if field in WITH_LOD:
        _set(tensor, "lod_level", int(var.lod_level or 0))
        tensor = tensor.tensor
    if dtype is not None or not tensor.HasField("data_type"):
        tensor.data_type = int(var.dtype)
    if [max(n, -1) for n in tensor.dims] != dims:  # as reading has it
        del tensor.dims[:]
        tensor.dims.extend(dims)


def _as_rows(told: Any) -> None:
    """Makes a tensor's VarDesc one of selected rows."""
    if told.type.HasField("lod_tensor"):
        tensor = told.type.lod_tensor.tensor
        told.type.type = int(VarType.SELECTED_ROWS)
        told.type.selected_rows.CopyFrom(tensor)
        told.type.ClearField("lod_tensor")


def stated_message(stated: Mapping[str, Any]) -> Any:
    """The VarDesc that says what a file states, and nothing else; see ``stated_variable``."""
    told = message_class("VarDesc")(name=stated["name"])
    told.type.type = int(stated.get("type", VarType.LOD_TENSOR))
    for flag in (*FLAGS, "is_parameter"):
        if flag in stated:
            setattr(told, flag, stated[flag])
    field = TENSOR.get(told.type.type)
    if field is None or "dtype" not in stated:
        return told
    tensor = getattr(told.type, field)
    if field in WITH_LOD:
        if "lod_level" in stated:
            tensor.lod_level = stated["lod_level"]
        tensor = tensor.tensor
    tensor.data_type = int(stated["dtype"])
    tensor.dims.extend(stated.get("shape", ()))
    return told


def _write_operator(op: Operator, ops: Any, written: Written | None = None) -> None:
    whole = written or op
    told = ops.add(type=whole.type)
    ours = op.attr_kinds is None
    for slots, field in ((whole.inputs, told.inputs), (whole.outputs, told.outputs)):
        for slot in sorted(slots) if ours else slots:
            field.add(parameter=slot, arguments=slots[slot])
    for name in sorted(whole.attrs) if ours else _as_read(op):
        value = whole.attrs[name]
        if value is not None and (not is_private(name) or name in (op.attr_kinds or ())):
            kinds = written.kinds if written is not None else {}
            _write_attribute(op, name, value, told.attrs.add(name=name), kinds.get(name))
    origin = _origin(op)
    if origin and ORIGIN not in whole.attrs:
        _write_attribute(op, ORIGIN, origin, told.attrs.add(name=ORIGIN))
    _set(told, "is_target", bool(op.is_target))


def _origin(op: Operator) -> str:
    """Where an operator that is not ours comes from, or the one that it is the gradient of."""
    known = op.declared
    while known is not None and known.base is not None:
        known = known.base
    return known.origin if known is not None else ""


def _as_read(op: Operator) -> list[str]:
    """The names of attributes in the order of the file, twice where it has them twice."""
    order = getattr(op.attr_kinds, "order", ())
    return [n for n in order if n in op.attrs] + [n for n in op.attrs if n not in order]


def _write_attribute(
    op: Operator, name: str, value: Any, told: Any, wanted: int | None = None
) -> None:
    kind, written = encode(op, name, value, wanted)
    told.type = int(kind)
    if kind in (AttrType.BLOCK, AttrType.BLOCKS):
        program = op.block.program
        for block in value if isinstance(value, (list, tuple)) else (value,):
            if not any(block is own for own in program.blocks):
                raise InvalidArgumentError(
                    f"attribute {name!r} of operator {op.type}: expected a block of the same "
                    f"Program, but block {block.idx} belongs to another one or was removed."
                )
    if kind == AttrType.SCALAR:
        _write_scalar(written, told.scalar)
    elif kind == AttrType.SCALARS:
        for one in written:
            _write_scalar(one, told.scalars.add())
    elif kind in MANY:
        getattr(told, FIELD[kind]).extend(written)
    else:
        setattr(told, FIELD[kind], written)


def _write_scalar(value: Any, told: Any) -> None:
    if isinstance(value, bool):
        told.type, told.b = 1, value
    elif isinstance(value, int):
        told.type, told.i = 2, value
    elif isinstance(value, float):
        told.type, told.r = 3, value
    else:
        told.type = 4
        told.c.r, told.c.i = value.real, value.imag
