"""What operators of other releases become before they run here: one table.

A Program stays as it was read; :func:`to_current` is applied to the copy that is made ready to run.
An operator of this engine means what it means in 2.0.0. ``tests/data/programs/VERSIONS.md`` lists
the differences with their evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.ir.block import Block
from paddle.ir.gradient_slots import complete_gradient, rename_second_order
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.validation import check_gradients, check_operators, unregistered

V2_0, V2_4, V2_5 = 2_000_000, 2_004_000, 2_005_000  # ProgramDesc.version of releases
NEVER = 1 << 31
RELEASE = "_release"  # attribute of an operator that means what it meant in that release
V1_8 = 1_008_005
RANK_0_SINCE = V2_5  # from here on a full reduction has shape [], before it [1]


class ConversionContext:
    """The operators that a block has after the conversion, as far as it got."""

    def __init__(self, block: Block, written: set[str]) -> None:
        self.block = block
        self.written = written  # names that have a value at some time
        self.ops: list[Operator] = []

    def add(self, like: Operator, type: str, inputs: dict, outputs: dict, **attrs: Any) -> None:
        """Puts an operator before the one that is being converted."""
        attrs.setdefault("op_role", like.role)
        self.ops.append(Operator(self.block, type, inputs, outputs, attrs, like.location))

    def variable(self, like: str) -> str:
        """Returns the name of a new variable with the shape and data type of another one."""
        old = self.block._find_var_recursive(like)
        name, n = f"{like}@CONVERTED", 0
        while self.block._find_var_recursive(name) is not None:
            n += 1
            name = f"{like}@CONVERTED_{n}"
        self.block.create_var(
            name=name,
            shape=list(old.shape) if old is not None else None,
            dtype=old.dtype if old is not None else VarType.FP32,
            stop_gradient=True,
        )
        return name


Apply = Callable[
    [Operator, ConversionContext], bool | None
]  # False: the operator itself falls away


@dataclass(frozen=True)
class Conversion:
    """One row: files of versions ``since <= version < before`` mean something else."""

    op: str
    since: int
    before: int
    change: str
    apply: Apply


def renamed_attributes(**names: str) -> Apply:
    """Attributes that have another name now (in the gradient too)."""

    def apply(op: Operator, context: ConversionContext) -> None:
        for old, new in names.items():
            if old in op.attrs and new not in op.attrs:
                op.attrs[new] = op.attrs.pop(old)

    return apply


def renamed_operator(name: str) -> Apply:
    """The same operator under another name."""

    def apply(op: Operator, context: ConversionContext) -> None:
        op.type = name

    return apply


def without_last_dimension(op: Operator, context: ConversionContext) -> bool | None:
    """The dot product of rows has no last dimension of one."""
    var = context.block._find_var_recursive(op.inputs["X"][0])
    rank = len(var.shape) if var is not None else 1
    if rank < 2:
        return None
    if op.type == "dot_grad":
        given = op.inputs["Out@GRAD"]
        whole = context.variable(given[0])
        context.add(op, "reshape2", {"X": given}, {"Out": [whole]}, shape=[0] * (rank - 1) + [1])
        op.inputs["Out@GRAD"] = [whole]
        return None
    out = op.outputs["Out"]
    whole = context.variable(out[0])
    op.outputs["Out"] = [whole]
    context.ops.append(op)
    context.add(op, "reshape2", {"X": [whole]}, {"Out": out}, shape=[0] * (rank - 1))
    return False


def without_slots(*names: str) -> Apply:
    """Auxiliary results, handed on to the gradient, that are not made here."""

    def apply(op: Operator, context: ConversionContext) -> None:
        for name in names:
            op.inputs.pop(name, None)
            op.outputs.pop(name, None)

    return apply


def with_default(name: str, value: Any, instead_of: Any = None) -> Apply:
    """An attribute whose absence, or whose old default, means a certain value."""

    def apply(op: Operator, context: ConversionContext) -> None:
        if op.attrs.get(name, instead_of) == instead_of:
            op.attrs[name] = value

    return apply


def dtype_of_output(op: Operator, context: ConversionContext) -> None:
    """The attribute dtype was not stored: the variable of the result tells."""
    if "dtype" not in op.attrs:
        out = context.block._find_var_recursive(op.output("Out")[0])
        op.attrs["dtype"] = int(out.dtype if out is not None else VarType.FP32)


def is_integer(op: Operator, context: ConversionContext) -> bool:
    var = context.block._find_var_recursive(op.output("Out")[0])
    return var is not None and var.dtype in (VarType.INT32, VarType.INT64, VarType.INT16)


def truncated_remainder(op: Operator, context: ConversionContext) -> bool | None:
    """Integers: x - trunc(x / y) * y has the sign of x."""
    if not is_integer(op, context):
        return None
    out, axis = op.output("Out"), op.attrs.get("axis", -1)
    quotient, product = context.variable(out[0]), context.variable(out[0])
    x, y = op.inputs["X"], op.inputs["Y"]
    context.add(op, "elementwise_floordiv", {"X": x, "Y": y}, {"Out": [quotient]}, axis=axis)
    context.add(op, "elementwise_mul", {"X": [quotient], "Y": y}, {"Out": [product]}, axis=axis)
    context.add(op, "elementwise_sub", {"X": x, "Y": [product]}, {"Out": out}, axis=-1)
    return False


def floored_quotient(op: Operator, context: ConversionContext) -> bool | None:
    """Rounds down; elementwise_floordiv of 2.0 rounds to zero."""
    out, axis = op.output("Out"), op.attrs.get("axis", -1)
    x, y = op.inputs["X"], op.inputs["Y"]
    first = context.variable(out[0])
    if not is_integer(op, context):
        context.add(op, "elementwise_div", {"X": x, "Y": y}, {"Out": [first]}, axis=axis)
        context.add(op, "floor", {"X": [first]}, {"Out": out})
        return False
    second = context.variable(out[0])
    context.add(op, "elementwise_mod", {"X": x, "Y": y}, {"Out": [first]}, axis=axis)
    context.add(op, "elementwise_sub", {"X": x, "Y": [first]}, {"Out": [second]}, axis=-1)
    context.add(op, "elementwise_floordiv", {"X": [second], "Y": y}, {"Out": out}, axis=axis)
    return False


def kept_input(op: Operator, context: ConversionContext) -> None:
    """The result replaces the input, whose shape the gradient needs: it is read from a copy."""
    if op.inputs.get("X") and op.inputs["X"] == op.outputs.get("Out"):
        copy = context.variable(op.inputs["X"][0])
        context.add(op, "assign", {"X": op.inputs["X"]}, {"Out": [copy]})
        op.inputs["X"] = [copy]


def filled(op: Operator, context: ConversionContext, slot: str, value: float) -> str:
    """Makes an input of one element; returns the variable's name."""
    name = context.variable(op.inputs["Param"][0])
    var = context.block.vars[name]
    var.shape = [1]
    dtype = int(var.dtype)
    context.add(op, "fill_constant", {}, {"Out": [name]}, shape=[1], value=value, dtype=dtype)
    op.inputs[slot] = [name]
    return name


def epsilon_outside(op: Operator, context: ConversionContext) -> None:
    """1.x adds epsilon to the root of the corrected second moment's numerator alone.

    2.0 multiplies epsilon by sqrt(1 - beta2 ** t) before; a pass divides by that.
    """
    op.attrs["_epsilon_outside"] = True


def only_written(op: Operator, context: ConversionContext) -> None:
    """Inputs that nothing writes count as zero: 1.x sums gradients that were never computed."""
    kept = [n for n in op.inputs["X"] if n in context.written]
    if kept:
        op.inputs["X"] = kept


def without_correction(op: Operator, context: ConversionContext) -> None:
    """The moments were not divided by one minus the power of beta, nor did the powers change."""
    for power in ("Beta1Pow", "Beta2Pow"):
        if not op.outputs.get(power + "Out"):
            op.outputs[power + "Out"] = [filled(op, context, power, 0.0)]


def reordered_back(op: Operator, context: ConversionContext) -> None:
    """The gradient had the slots of the operator itself."""
    if "X" in op.inputs:
        op.inputs["Out@GRAD"] = op.inputs.pop("X")
        op.outputs["X@GRAD"] = op.outputs.pop("Out")


def sizes_of_forward(op: Operator, context: ConversionContext) -> None:
    """The sizes of what was joined were read off the array; here the forward operator tells."""
    for forward in () if op.inputs.get("OutIndex") else context.ops:
        if forward.type == "tensor_array_to_tensor" and forward.inputs["X"] == op.inputs["X"]:
            op.inputs["OutIndex"] = forward.outputs["OutIndex"]


def functors_of_forward(op: Operator, context: ConversionContext) -> None:
    """The functions were named after their gradients."""
    op.attrs["functor_list"] = [name.removesuffix("_grad") for name in op.attrs["functor_list"]]


TABLE: tuple[Conversion, ...] = (
    Conversion("flip", 0, V2_0, "dims is called axis", renamed_attributes(dims="axis")),
    Conversion("roll", 0, V2_0, "dims is called axis", renamed_attributes(dims="axis")),
    Conversion("trace", 0, V2_0, "axis1, axis2", renamed_attributes(dim1="axis1", dim2="axis2")),
    Conversion("arg_max", 0, V2_0, "dtype -1 is int64", with_default("dtype", 3, -1)),
    Conversion("arg_min", 0, V2_0, "dtype -1 is int64", with_default("dtype", 3, -1)),
    Conversion("linspace", 0, V2_0, "dtype is stored", dtype_of_output),
    Conversion("elementwise_mod", 0, V2_0, "integers: sign of the divisor", truncated_remainder),
    Conversion("elementwise_floordiv", V2_4, NEVER, "rounds down", floored_quotient),
    Conversion("adam", 0, V2_0, "epsilon is scaled with the correction", epsilon_outside),
    Conversion("sum", 0, V2_0, "all inputs have to be there", only_written),
    Conversion("lamb", 0, V2_0, "corrects the bias of the moments", without_correction),
    Conversion(
        "cross_entropy_grad2",
        0,
        NEVER,
        "the name is regular",
        renamed_operator("cross_entropy2_grad"),
    ),
    Conversion("reorder_lod_tensor_by_rank_grad", 0, NEVER, "slots are regular", reordered_back),
    Conversion("tensor_array_to_tensor_grad", 0, NEVER, "takes the sizes", sizes_of_forward),
    Conversion(
        "fused_elemwise_activation_grad", 0, NEVER, "names of functions", functors_of_forward
    ),
    Conversion("hierarchical_sigmoid", 0, NEVER, "W is not a result", without_slots("W_Out")),
    *(
        Conversion(name, 0, V2_0, "is not done in place", kept_input)
        for name in ("reshape2", "squeeze2", "unsqueeze2", "flatten2")
    ),
    Conversion("dot", V2_5, NEVER, "rows give [n], not [n, 1]", without_last_dimension),
    Conversion(
        "einsum", V2_0, NEVER, "no caches", without_slots("InnerCache", "XShape", "x_shape")
    ),
    Conversion("share_data", V2_0, NEVER, "is assign", renamed_operator("assign")),
)


def named_memories(program: Program) -> None:
    """Memories of a recurrent net that are handed on by assign, as 2.6.2 has it.

    In the last step nothing has come to such a gradient; only the operator of its own knows that.
    """
    for op in [op for block in program.blocks for op in block.ops if op.type == "recurrent_grad"]:
        states = {f"{state}@GRAD": state for state in op.attrs.get("states", ())}
        for inner in [inner for block in op.sub_blocks for inner in block.ops]:
            given = inner.inputs.get("X", [None])
            if inner.type == "assign" and given[0] in states:
                state = [states[given[0]]]
                inner.type = "rnn_memory_helper_grad"
                inner.inputs = {"X": state, "Out": state, "Out@GRAD": given}
                inner.outputs = {"X@GRAD": inner.output("Out")}


def levelled_gradients(program: Program) -> None:
    """Gradients have the levels of what they are the gradients of; files do not say so."""
    for block in program.blocks:
        for name, var in block.vars.items():
            whole, found, _ = name.partition("@GRAD")
            of = block._find_var_recursive(whole) if found and not var.lod_level else None
            if of is not None and of.lod_level:
                var.lod_level = of.lod_level


def _applied(row: Conversion, op: Operator, context: ConversionContext) -> bool:
    """Converts an operator; says whether it stays."""
    try:
        return row.apply(op, context) is not False
    except LookupError as error:
        raise InvalidArgumentError(
            f"operator {op.type} of block {op.block.idx} cannot be converted ({row.change}), for "
            f"it has only the inputs {op.inputs} and the outputs {op.outputs}.",
            hint="the file is damaged, or was put together by hand",
        ) from error


def rows_for(version: int) -> dict[str, Conversion]:
    """Returns what operators of a release become, by type."""
    return {row.op: row for row in TABLE if row.since <= version < row.before}


def unknown_operators(program: Program) -> dict[str, int]:
    """Counts the operators of a Program that have no form in this engine.

    Args:
        program (Program): as it was read; operators that other releases had count as what they
            become here.

    Returns:
        dict: type -> how often it occurs, in all blocks; empty for a Program that can run.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.ir.versions import unknown_operators
            print(unknown_operators(paddle.static.Program()))  # {}
    """
    return unregistered(program, rows_for(program.program_version))


def check_read(program: Program) -> None:
    """Raises InvalidArgumentError for a Program of a file that cannot run, whatever it is fed.

    Operators that mean something else in its release are checked when they have been converted.

    Args:
        program (Program): as it was read.
    """
    check_operators(program, rows_for(program.program_version))


def _convert_marked(program: Program) -> None:
    """Converts the operators of a Program made here that another release's functions recorded."""
    for block in program.blocks:
        if any(RELEASE in op.attrs for op in block.ops):
            context = ConversionContext(block, set())
            for op in block.ops:
                row = rows_for(op.attrs[RELEASE]).get(op.type) if RELEASE in op.attrs else None
                if row is None or _applied(row, op, context):
                    context.ops.append(op)
            block.ops[:] = context.ops
            program.note_change()


def to_current(program: Program, feeds: Sequence[str] = (), fetches: Sequence[str] = ()) -> None:
    """Rewrites a Program that was read from a file into operators as this engine has them.

    Args:
        program (Program): changed; ``program_version`` stays. Of one made here, operators that are
            marked as those of another release.
        feeds: names that are given.
        fetches: unused; a pass takes them.
    """
    if not program.program_version:
        _convert_marked(program)
        return
    rows = rows_for(program.program_version)
    check_operators(program, rows)  # also those that were read from bytes, or changed since
    written = {n for block in program.blocks for op in block.ops for n in op.output_arg_names}
    written |= {v.name for v in program.list_vars() if v.persistable or v.is_data}
    written |= set(feeds)
    for block in program.blocks:
        context = ConversionContext(block, written)
        for op in block.ops:
            row = rows.get(op.type) or rows.get(op.type.removesuffix("_grad"))
            if row is None or _applied(row, op, context):
                context.ops.append(op)
        block.ops[:] = context.ops
    check_operators(program)
    named_memories(program)
    for block in program.blocks:
        for at, op in enumerate(block.ops):
            rename_second_order(op)
            complete_gradient(op, at)
    check_gradients(program)
    levelled_gradients(program)
    program.note_change()
