"""Variables and operators that are added to a Program exactly as they are written down.

Inside ``program.verbatim()`` nothing is inferred, marked, checked against what is there or filled
in: what :meth:`Program.to_python` writes rebuilds the very same Program. With a version it also
gets what the bytes of a file have: the order of what is written, and fields that say no more than
their default.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from paddle.core.dtype import VarType, to_vartype
from paddle.core.errors import AlreadyExistsError, InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType
from paddle.ir.operator import Operator
from paddle.ir.variable import Parameter, Variable
from paddle.serialization.program.fields import TENSOR, WITH_LOD, ReadKinds

if TYPE_CHECKING:
    from paddle.ir.block import Block

# What a file says about a variable beside its kind, shape and element type.
FLAGS = ("persistable", "need_check_feed", "stop_gradient")
OF_PARAMETERS = (
    "trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip", "is_distributed",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Verbatim:
    """How a Program takes what is added now.

    Attributes:
        version (int|None): what its file said, 0 for nothing; None if it came from no file.
    """

    version: int | None

    @property
    def filed(self) -> bool:
        """Whether the Program came from a file, so that order counts."""
        return self.version is not None


def add_variable(block: Block, options: dict[str, Any], parameter: bool) -> Variable:
    """Makes a Variable or Parameter in a block."""
    name = options.get("name")
    if name in block.vars:
        raise AlreadyExistsError(f"block {block.idx} already has a variable {name!r}.")
    if block.program._verbatim.filed:  # type: ignore[union-attr]  # set while anything comes here
        var = _from_message(block, options, parameter)
    elif parameter:
        given = dict(options)
        var = Parameter(block, given.pop("shape"), given.pop("dtype"), **given)
    else:
        var = Variable(block, **options)
    block.vars[var._name] = var
    block.program._changed()
    return var


def _from_message(block: Block, options: dict[str, Any], parameter: bool) -> Variable:
    from paddle.serialization.program.reading import _read_variable

    var = _read_variable(block, message_of(options, parameter))
    if parameter and not isinstance(var, Parameter):
        raise InvalidArgumentError(
            f"create_parameter({options['name']!r}): expected a dtype and positive sizes, "
            f"but received {options.get('dtype')!r} and {options.get('shape')!r}."
        )
    for key in ("is_data", "error_clip", "belong_to_optimizer", *OF_PARAMETERS):
        if key in options:
            setattr(var, key, options[key])
    return var


def message_of(options: dict[str, Any], parameter: bool = False) -> Any:
    """The VarDesc that says what the options do, and nothing else."""
    from paddle.serialization.program.schema import message_class

    told = message_class("VarDesc")(name=options["name"])
    told.type.type = int(options.get("type", VarType.LOD_TENSOR))
    for flag in FLAGS:
        if flag in options:
            setattr(told, flag, options[flag])
    if parameter:
        told.is_parameter = True
    field = TENSOR.get(told.type.type)
    if field is None or "dtype" not in options:
        return told
    tensor = getattr(told.type, field)
    if field in WITH_LOD:
        if "lod_level" in options:
            tensor.lod_level = options["lod_level"]
        tensor = tensor.tensor
    dtype = options["dtype"]
    tensor.data_type = int(dtype if isinstance(dtype, int) else to_vartype(dtype))
    tensor.dims.extend(options.get("shape", ()))
    return told


def add_operator(op: Operator, at: int) -> Operator:
    """Puts an operator into its block as it is."""
    block = op.block
    if block.program._verbatim.filed:  # type: ignore[union-attr]  # set while anything comes here
        op.attr_kinds = ReadKinds()
    for name in op.output_arg_names:
        var = block._find_var_recursive(name)
        if var is not None:
            var.op = op
    block.ops.insert(at, op)
    block.program._changed()
    return op


def kinds(type: str, attr_types: dict[str, str] | None) -> dict[str, int]:
    """Attribute kinds by their names: ``{"axis": "LONG"}``."""
    found = {}
    for name, kind in (attr_types or {}).items():
        if kind not in AttrType.__members__:
            raise InvalidArgumentError(
                f"Block.append_op({type}): expected attr_types[{name!r}] to be one of "
                f"{list(AttrType.__members__)}, but received {kind!r}."
            )
        found[name] = int(AttrType[kind])
    return found
