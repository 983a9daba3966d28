"""Writes a Program as Python source that builds it anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paddle.core.dtype import VarType, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType, encode, is_private
from paddle.ir.block import Block
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.raw import FLAGS, OF_PARAMETERS, TENSOR, WITH_LOD
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.proto import variable_message
from paddle.serialization.program.python_layout import (
    STEP,
    Code,
    bytes_lines,
    literal,
    statement,
)
from paddle.serialization.program.writing import stated_message

INDENT = STEP * 2  # of statements: in a function, in a ``with``
# Attributes that say where an operator stands rather than what it does; they go last.
_LAST = ("op_role", "op_role_var", "op_namescope", "op_device", "op_callstack")


def program_source(program: Program, startup: Program | None = None) -> str:
    """Returns source that defines ``build()`` and, given a startup Program, ``build_startup()``.

    Args:
        program (Program): what ``build()`` returns an equal of.
        startup (Program, optional): what ``build_startup()`` returns an equal of.
    """
    for name, value in (("program", program), ("startup_program", startup)):
        if value is not None and not isinstance(value, Program):
            raise TypeError(
                f"Program.to_python({name}): expected a Program, but got {type(value).__name__}."
            )
    parts = [_function("build", program)]
    if startup is not None:
        parts.insert(0, _function("build_startup", startup))
    body = "\n\n".join(parts)
    imports = "import paddle\n" if "=paddle." in body else ""
    imports += "from paddle import static\n"
    imports += (
        "from paddle.core.dtype import VarType\n"
        if "=VarType." in body or ": VarType." in body
        else ""
    )
    return (
        f'"""A Program as written by Program.to_python()."""\n\n{imports}\n\n{body}\n\n'
        'if __name__ == "__main__":\n    print(build())\n'
    )


def _function(name: str, program: Program) -> str:
    """The function that builds one Program."""
    filed = _is_filed(program)
    variables = sum(len(b.vars) for b in program.blocks)
    operators = sum(len(b.ops) for b in program.blocks)
    counts = [(len(program.blocks), "block"), (variables, "variable"), (operators, "operator")]
    told = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts)
    verbatim = f"verbatim(version={program.program_version})" if filed else "verbatim()"
    lines = [
        f"def {name}() -> static.Program:\n",
        f'{STEP}"""Returns a Program of {told}."""\n',
        f"{STEP}program = static.Program()\n",
    ]
    if program.random_seed:
        lines.append(f"{STEP}program.random_seed = {literal(program.random_seed)}\n")
    lines.append(f"{STEP}with program.{verbatim}:\n")
    lines += _blocks(program)
    for block in program.blocks:
        lines += _variables(block, filed)
    for block in program.blocks:
        lines += _operators(block, filed)
    if program.op_versions:
        lines.append("\n")
        versions = [("", dict(program.op_versions))]
        lines.append(statement("", "program.op_versions.update", versions, INDENT))
    if program.raw_fields:
        lines.append(bytes_lines("program.raw_fields", program.raw_fields, INDENT))
    lines.append(f"{STEP}return program\n")
    return "".join(lines)


def _is_filed(program: Program) -> bool:
    """Whether something of the Program came from a file."""
    if program.program_version or program.raw_fields:
        return True
    return any(
        block.raw_fields is not None
        or any(op.attr_kinds is not None for op in block.ops)
        or any(var.raw_fields is not None for var in block.vars.values())
        for block in program.blocks
    )


# -- blocks ---------------------------------------------------------------------------------------


def _block(idx: int) -> Code:
    """The name of a block in the source."""
    return Code("block" if idx == 0 else f"block_{idx}")


def _blocks(program: Program) -> Iterator[str]:
    first = program.global_block()
    if len(program.blocks) == 1 and not (first.vars or first.ops or first.raw_fields):
        yield f"{INDENT}pass  # it is empty\n"
        return
    yield f"{INDENT}block = program.global_block()\n"
    for block in program.blocks[1:]:
        yield f"{INDENT}{_block(block.idx)} = program.create_block({_block(block.parent_idx)})\n"
    for block in program.blocks:
        if block.forward_block_idx != -1:
            name = _block(block.idx)
            yield f"{INDENT}{name}.forward_block_idx = {block.forward_block_idx}\n"
        if block.raw_fields:
            yield bytes_lines(f"{_block(block.idx)}.raw_fields", block.raw_fields, INDENT)


def _title(block: Block, what: str) -> str:
    return f"\n{INDENT}# {what} of block {block.idx}\n"


# -- variables ------------------------------------------------------------------------------------


def _variables(block: Block, filed: bool) -> Iterator[str]:
    if block.vars:
        yield _title(block, "variables")
    names = list(block.vars)
    if filed and block.raw_fields is None:
        names.sort()  # as they are written to a file
    for name in names:
        var = block.vars[name]
        if var.name != name:
            raise InvalidArgumentError(
                f"to_python: block {block.idx} has variable {var.name!r} under the name {name!r}."
            )
        yield from _filed_variable(var) if filed else _native_variable(var)


def _create(var: Variable, options: dict[str, Any], filed: bool) -> str:
    method = "create_parameter" if isinstance(var, Parameter) else "create_var"
    options |= _of_python(var, filed)
    return statement("", f"{_block(var.block.idx)}.{method}", list(options.items()), INDENT)


def _native_variable(var: Variable) -> Iterator[str]:
    """A variable of a Program that was made in this process."""
    options: dict[str, Any] = {"name": var.name}
    if var.type != VarType.LOD_TENSOR:
        options["type"] = _type(var.type)
    if var._dtype is not None or var.shape:
        options["shape"] = list(var.shape)
    if var._dtype is not None:
        options["dtype"] = dtype_name(var._dtype)
    if var.lod_level:
        options["lod_level"] = var.lod_level
    is_parameter = isinstance(var, Parameter)
    usual = {"persistable": is_parameter, "need_check_feed": False}
    usual["stop_gradient"] = is_parameter and not var.trainable  # type: ignore[attr-defined]
    options |= {n: bool(getattr(var, n)) for n in FLAGS if bool(getattr(var, n)) != usual[n]}
    if var.is_data:
        options["is_data"] = True
    yield _create(var, options, False)


def _filed_variable(var: Variable) -> Iterator[str]:
    """A variable of a Program from a file: what the file states is stated, defaults too."""
    told = variable_message(var)
    options: dict[str, Any] = {"name": var.name}
    if told.type.type != VarType.LOD_TENSOR:
        options["type"] = _type(told.type.type)
    field = TENSOR.get(told.type.type)
    if field is not None and told.type.HasField(field):
        tensor = getattr(told.type, field)
        lod = tensor if field in WITH_LOD else None
        tensor = tensor.tensor if field in WITH_LOD else tensor
        options["shape"] = list(tensor.dims)
        options["dtype"] = _element(tensor.data_type)
        if lod is not None and lod.HasField("lod_level"):
            options["lod_level"] = lod.lod_level
    options |= {flag: getattr(told, flag) for flag in FLAGS if told.HasField(flag)}
    stated = {**options, "type": told.type.type}
    if "dtype" in options:
        stated["dtype"] = tensor.data_type
    if isinstance(var, Parameter):
        stated["is_parameter"] = True
    if bool(var.is_data) != bool(var.need_check_feed):
        options["is_data"] = bool(var.is_data)
    yield _create(var, options, True)
    if stated_message(stated).SerializePartialToString() != told.SerializePartialToString():
        told.ClearField("name")
        target = f"{_block(var.block.idx)}.var({literal(var.name)}).raw_fields"
        yield bytes_lines(target, told.SerializePartialToString(), INDENT)


def _type(number: int) -> Any:
    """A kind of variable; a number where we have no name for it."""
    return VarType._value2member_map_.get(number, number)


def _element(number: int) -> Any:
    """An element type by its name; by its number where it has none here."""
    try:
        return dtype_name(VarType(number))
    except (TypeError, ValueError):
        return number


def _of_python(var: Variable, filed: bool) -> dict[str, Any]:
    """What only Python knows of a variable, where it is not the usual."""
    found: dict[str, Any] = {}
    if var.error_clip is not None:
        found["error_clip"] = _object(var, "error_clip")
    if var.belong_to_optimizer:
        found["belong_to_optimizer"] = True
    if not isinstance(var, Parameter):
        return found
    usual = {
        "trainable": not var.stop_gradient if filed else True,
        "optimize_attr": {"learning_rate": 1.0},
        "need_clip": True,
        "is_distributed": False,
        "do_model_average": None,
        "regularizer": None,
    }
    for name in OF_PARAMETERS:
        value = getattr(var, name)
        if value != usual[name]:
            found[name] = _object(var, name) if name == "regularizer" else value
    return found


def _object(var: Variable, name: str) -> Code:
    """The call that makes an object which accompanies a variable."""
    value = getattr(var, name)
    kind = type(value).__name__
    if name == "regularizer" and kind in ("L1Decay", "L2Decay"):
        return Code(f"paddle.regularizer.{kind}({literal(value._coeff)})")
    raise InvalidArgumentError(
        f"to_python: {name} of variable {var.name!r} is a {kind}, which cannot be written as "
        "Python source.",
        hint=f"set its {name} to None, write the source, and set it again",
    )


# -- operators ------------------------------------------------------------------------------------


def _operators(block: Block, filed: bool) -> Iterator[str]:
    if block.ops:
        yield _title(block, "operators")
    for op in block.ops:
        yield _operator(op, filed)
        if filed and op.attr_kinds is None:  # it was added after the Program had been read
            yield f"{INDENT}{_block(block.idx)}.ops[-1].attr_kinds = None\n"
        twice = list(getattr(op.attr_kinds, "order", ()))
        if filed and twice:  # the file has some attributes twice
            last = f"{_block(block.idx)}.ops[-1].attr_kinds"
            yield statement("", f"{last}.ordered", [("names", twice)], INDENT)
        if op.is_target:
            yield f"{INDENT}{_block(block.idx)}.ops[-1].is_target = True\n"


def _operator(op: Operator, filed: bool) -> str:
    ordered = filed and op.attr_kinds is not None
    arguments: list[tuple[str, Any]] = [("type", op.type)]
    for name, slots in (("inputs", op.inputs), ("outputs", op.outputs)):
        if slots:
            arguments.append(
                (name, dict(sorted(slots.items())) if filed and not ordered else slots)
            )
    names = list(op.attrs)
    if filed and not ordered:
        names.sort()
    elif not filed:
        names.sort(key=lambda n: (_LAST.index(n) + 1 if n in _LAST else 0, n))
    attrs = {n: _attribute(op, n) for n in names if op.attrs[n] is not None}
    if attrs:
        arguments.append(("attrs", attrs))
    kinds = _kinds(op)
    if kinds:
        arguments.append(("attr_types", kinds))
    return statement("", f"{_block(op.block.idx)}.append_op", arguments, INDENT)


def _attribute(op: Operator, name: str) -> Any:
    """An attribute's value, with blocks and variables as the source calls them."""

    def named(value: Any) -> Any:
        if isinstance(value, Block):
            if not any(value is block for block in op.block.program.blocks):
                raise InvalidArgumentError(
                    f"attribute {name!r} of operator {op.type}: expected a block of the same "
                    f"Program, but block {value.idx} belongs to another one or was removed."
                )
            return _block(value.idx)
        if isinstance(value, Variable):
            return Code(f"{_block(value.block.idx)}.var({literal(value.name)})")
        if isinstance(value, (list, tuple)):
            return type(value)(named(v) for v in value)
        if isinstance(value, dict):
            return {k: named(v) for k, v in value.items()}
        literal(value)
        return value

    try:
        return named(op.attrs[name])
    except InvalidArgumentError as error:
        location = f"\n  {op.location}" if op.location else ""
        raise InvalidArgumentError(
            f"attribute {name!r} of operator {op.type}: {_plain(error)}{location}"
        ) from None


def _plain(error: Exception) -> str:
    return str(error).removeprefix("(InvalidArgument) ")


def _kinds(op: Operator) -> dict[str, str]:
    """The kinds of attributes that nothing but the file tells."""
    found: dict[str, str] = {}
    kinds, op.attr_kinds = op.attr_kinds, {}
    try:
        for name, kind in (kinds or {}).items():
            if name in op.attrs and (
                is_private(name) or encode(op, name, op.attrs[name])[0] != kind
            ):
                found[name] = AttrType(kind).name
    finally:
        op.attr_kinds = kinds
    return found
