"""Variables and operators that are added to a Program raw, exactly as they are stated.

Inside ``program.verbatim()`` nothing is inferred, marked, checked against what is there or filled
in: what :meth:`Program.to_python` writes rebuilds the very same Program. With a version it also
gets what the bytes of a file have: the order of what is written, and fields that say no more than
their default.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paddle.core.dtype import VarType, dtype_name, to_vartype
from paddle.core.errors import AlreadyExistsError, InvalidArgumentError
from paddle.ir.attribute_kinds import AttrType, StatedKinds
from paddle.ir.operator import Operator
from paddle.ir.variable import Parameter, Variable

if TYPE_CHECKING:
    from paddle.ir.block import Block

# What a file says about a variable beside its kind, shape and element type.
FLAGS = ("persistable", "need_check_feed", "stop_gradient")
OF_PARAMETERS = (
    "trainable", "optimize_attr", "regularizer", "do_model_average", "need_clip", "is_distributed",
)  # fmt: skip
# Where the description of a variable of each kind has its element type and sizes, by VarType; kinds
# that have none are absent.
TENSOR = {7: "lod_tensor", 8: "selected_rows", 13: "tensor_array", 25: "string", 26: "strings",
          27: "vocab", 30: "sparse_coo", 31: "sparse_csr"}  # fmt: skip
WITH_LOD = ("lod_tensor", "tensor_array")


@dataclasses.dataclass(frozen=True)
class RawMode:
    """How a Program takes what is added now.

    Attributes:
        version (int|None): what its file said, 0 for nothing; None if it came from no file.
    """

    version: int | None

    @property
    def from_file(self) -> bool:
        """Whether the Program came from a file, so that order counts."""
        return self.version is not None


def _from_file(block: Block) -> bool:
    """Whether what is added to a block was stated by a file."""
    mode = block.program._raw_mode
    return mode is not None and mode.from_file


def add_variable(block: Block, options: dict[str, Any], parameter: bool) -> Variable:
    """Makes a Variable or Parameter in a block."""
    name = options.get("name")
    if name in block.vars:
        raise AlreadyExistsError(f"block {block.idx} already has a variable {name!r}.")
    if _from_file(block):
        var = _of_file(block, options, parameter)
    elif parameter:
        given = dict(options)
        var = Parameter(block, given.pop("shape"), given.pop("dtype"), **given)
    else:
        var = Variable(block, **options)
    block.vars[var._name] = var
    block.note_change()
    return var


def _of_file(block: Block, options: dict[str, Any], parameter: bool) -> Variable:
    keys = ("name", "type", "shape", "dtype", "lod_level", *FLAGS)
    stated = {key: options[key] for key in keys if key in options}
    if "dtype" in stated and not isinstance(stated["dtype"], int):
        stated["dtype"] = to_vartype(stated["dtype"])
    if parameter:
        stated["is_parameter"] = True
    var = stated_variable(block, **stated)
    if parameter and not isinstance(var, Parameter):
        raise InvalidArgumentError(
            f"create_parameter({options['name']!r}): expected a dtype and positive sizes, "
            f"but received {options.get('dtype')!r} and {options.get('shape')!r}."
        )
    var.raw_fields = stated
    for key in ("is_data", "error_clip", "belong_to_optimizer", *OF_PARAMETERS):
        if key in options:
            setattr(var, key, options[key])
    return var


def stated_variable(
    block: Block,
    name: str,
    type: int = VarType.LOD_TENSOR,
    shape: Sequence[int] = (),
    dtype: int | None = None,
    lod_level: int = 0,
    persistable: bool = False,
    need_check_feed: bool = False,
    stop_gradient: bool = False,
    is_parameter: bool = False,
) -> Variable:
    """Makes the Variable, or Parameter, that a file states.

    Args:
        block (Block): whose it will be.
        name (str): its name.
        type (int): the kind of variable, also one that has no name here.
        shape (Sequence[int]): sizes; they count where there is an element type.
        dtype (int, optional): the element type; None: not stated.
        lod_level (int): LoD levels.
        persistable (bool): as for Variable; so are the others.
    """
    options: dict[str, Any] = {
        "name": name,
        "lod_level": 0,
        "stop_gradient": stop_gradient,
        "need_check_feed": need_check_feed,
        "is_data": need_check_feed,
    }
    dims: list[int] | None = None
    element = None
    field = TENSOR.get(int(type))
    if field is not None and dtype is not None:
        # Files of 1.8.5 and 2.6.2 do hold sizes below -1: an unknown one multiplied by others.
        dims = [max(n, -1) for n in shape]
        element = _vartype(dtype)
        if field in WITH_LOD:
            options["lod_level"] = lod_level
            if lod_level < 0:
                raise InvalidArgumentError(
                    f"variable {name!r} of block {block.idx}: expected lod_level >= 0, but it is "
                    f"{lod_level}."
                )
    known = isinstance(element, VarType) and _is_element(element)
    var: Variable
    if is_parameter and known and dims and min(dims) > 0:
        var = Parameter(block, dims, element, trainable=not stop_gradient, **options)
    else:
        options["persistable"] = persistable
        var = Variable(block, shape=dims, dtype=element if known else None, **options)
    var.type = _vartype(type)
    return var


def _vartype(number: int) -> Any:
    """A kind of variable or of element; a number where we have no name for it."""
    return VarType._value2member_map_.get(number, number)


def _is_element(dtype: VarType) -> bool:
    try:
        dtype_name(dtype)
    except (TypeError, ValueError):
        return False
    return True


def add_operator(op: Operator, at: int) -> Operator:
    """Puts an operator into its block as it is."""
    block = op.block
    if _from_file(block):
        op.attr_kinds = StatedKinds()
    for name in op.output_arg_names:
        var = block._find_var_recursive(name)
        if var is not None:
            var.op = op
    block.ops.insert(at, op)
    block.note_change()
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
