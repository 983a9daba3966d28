"""Makes a Program of a ProgramDesc message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType, StatedKinds
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.raw import TENSOR, WITH_LOD, stated_variable
from paddle.ir.validation import check_blocks
from paddle.ir.variable import Variable
from paddle.serialization.program.fields import FIELD, MANY, SCALAR

NEXT_VERSION = 2_007_000  # of this one and those after it we know nothing


def read_program(desc: Any) -> Program:
    """Makes a Program; the message, which has all required fields, is taken to pieces."""
    version = desc.version.version
    if not 0 <= version < NEXT_VERSION:
        raise InvalidArgumentError(
            _unknown_version(version),
            hint="save the model again with PaddlePaddle 2.6 or earlier" if version > 0 else None,
        )
    check_blocks(desc.blocks)
    program = Program()
    for at, told in enumerate(desc.blocks):
        if at:
            program.blocks.append(Block(program, at, told.parent_idx))
        program.blocks[at].forward_block_idx = told.forward_block_idx
    for block, told in zip(program.blocks, desc.blocks):
        for var_told in told.vars:
            var = _read_variable(block, var_told)
            if var.name in block.vars:
                raise InvalidArgumentError(f"block {block.idx} has two variables {var.name!r}.")
            block.vars[var.name] = var
    for block, told in zip(program.blocks, desc.blocks):
        for at, op_told in enumerate(told.ops):
            op = _read_operator(block, at, op_told)
            block.ops.append(op)
            for name in op.output_arg_names:
                written = block._find_var_recursive(name)
                if written is not None:
                    written.op = op
        block.raw_fields = _rest(told, "idx", "parent_idx", "vars", "ops")
    program.program_version = version
    for pair in desc.op_version_map.pair:
        program.op_versions[_text(pair.op_name)] = pair.op_version.version
    program.raw_fields = _rest(desc, "blocks", "version", "op_version_map")
    program.note_change()
    return program


def _unknown_version(version: int) -> str:
    if version < 0:
        return f"program: expected a version >= 0, but it is {version}."
    release = f"{version // 1_000_000}.{version // 1000 % 1000}.{version % 1000}"
    return (
        f"program: it was written by PaddlePaddle {release} (version {version}); "
        "expected one of before 2.7."
    )


def _text(value: Any) -> str:
    """A name; protobuf gives bytes where it is not UTF-8."""
    if isinstance(value, str):
        return value
    raise InvalidArgumentError(f"program: expected names in UTF-8, but one is {value[:60]!r}.")


def _rest(desc: Any, *known: str) -> bytes:
    """What is left of a message without the fields that have been read."""
    for field in known:
        desc.ClearField(field)
    return desc.SerializePartialToString()


def _read_variable(block: Block, told: Any) -> Variable:
    kind = told.type.type
    shape, dtype, lod_level = (), None, 0
    field = TENSOR.get(kind)
    if field is not None and told.type.HasField(field):
        tensor = getattr(told.type, field)
        if field in WITH_LOD:
            lod_level, tensor = tensor.lod_level, tensor.tensor
        shape, dtype = tensor.dims, tensor.data_type
    var = stated_variable(
        block, _text(told.name), kind, shape, dtype, lod_level, told.persistable,
        told.need_check_feed, told.stop_gradient, told.is_parameter,
    )  # fmt: skip
    var.raw_fields = _rest(told, "name")
    return var


def _read_operator(block: Block, at: int, told: Any) -> Operator:
    where = f"operator {at} ({told.type}) of block {block.idx}"
    op = Operator(
        block,
        _text(told.type),
        _read_slots(told.inputs, where, "input"),
        _read_slots(told.outputs, where, "output"),
    )
    kinds = StatedKinds()
    for attr in told.attrs:
        name = _text(attr.name)
        value = _read_attribute(block.program, attr, where)
        if name in kinds and (kinds[name] != attr.type or op.attrs[name] != value):
            raise InvalidArgumentError(f"{where} has two different attributes {name!r}.")
        kinds[name] = attr.type  # 2.6.2 writes some of them twice
        op.attrs[name] = value
    if len(kinds) < len(told.attrs):
        kinds.order = tuple(attr.name for attr in told.attrs)
    op.attr_kinds = kinds
    op.is_target = told.is_target
    return op


def _read_slots(told: Iterable[Any], where: str, kind: str) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for slot in told:
        name = _text(slot.parameter)
        if name in slots:
            raise InvalidArgumentError(f"{where} has two {kind} slots {name!r}.")
        slots[name] = [_text(n) for n in slot.arguments]
    return slots


def _read_attribute(program: Program, told: Any, where: str) -> Any:
    kind = AttrType(told.type)
    field = FIELD[kind]
    if kind not in MANY and not told.HasField(field):
        raise InvalidArgumentError(
            f"{where}: attribute {told.name!r} is of the kind {kind.name}, but has no such value."
        )
    value = getattr(told, field)
    if kind == AttrType.STRING:
        return value.decode("utf8", "surrogateescape")
    if kind == AttrType.STRINGS:
        return [v.decode("utf8", "surrogateescape") for v in value]
    if kind == AttrType.BLOCK:
        return program.blocks[value]
    if kind == AttrType.BLOCKS:
        return [program.blocks[i] for i in value]
    if kind == AttrType.SCALAR:
        return _read_scalar(value, f"{where}: attribute {told.name!r}")
    if kind == AttrType.SCALARS:
        return [_read_scalar(v, f"{where}: attribute {told.name!r}") for v in value]
    if kind == AttrType.VAR:
        return _text(value)
    if kind == AttrType.VARS:
        return [_text(n) for n in value]
    return list(value) if kind in MANY else value


def _read_scalar(told: Any, where: str) -> Any:
    field = SCALAR[told.type]
    if not told.HasField(field):
        raise InvalidArgumentError(f"{where} is a scalar of the kind {told.type} without a value.")
    value = getattr(told, field)
    return complex(value.r, value.i) if field == "c" else value
