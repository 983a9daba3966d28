"""What operators made here are given when they are written, for later releases to run them.

PaddlePaddle 2.6.2 looks in a file for attributes, results and names of slots that it would have
written itself, and that operators here, as in 2.0, need not have: then it stops, crashes or
computes something else. The Program itself stays as it is. ``tests/data/programs/VERSIONS.md``
lists what is added; ``scripts/oracle/ours_in_262.py`` tries all operators.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.ir.attribute_kinds import StatedKinds
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.variable import Variable

Slots = dict[str, list[str]]


class Written:
    """An operator as it is going to be written.

    Attributes:
        inputs (dict): names by slot; so ``outputs``. Lists are replaced, never changed.
        attrs (dict): attributes.
        before (list): ``(type, inputs, outputs, attrs)`` of operators to put before it.
        type (str): empty if it is not written.
        variables (list): ``(name, Variable to look like)`` to add to the block.
        kinds (dict): kinds of attributes that are not the usual ones.
    """

    def __init__(self, op: Operator) -> None:
        self.op, self.type = op, op.type
        self.inputs, self.outputs, self.attrs = dict(op.inputs), dict(op.outputs), dict(op.attrs)
        self.before: list[tuple[str, Slots, Slots, dict[str, Any]]] = []
        self.variables: list[tuple[str, Variable]] = []
        self.kinds: dict[str, int] = {}

    def variable(self, slot: str) -> Variable | None:
        """The first variable of a slot."""
        names = self.inputs.get(slot) or self.outputs.get(slot) or [EMPTY]
        return self.op.block._find_var_recursive(names[0])

    def default(self, name: str, value: Any) -> None:
        """An attribute for those that lack it."""
        if self.attrs.get(name) is None:
            self.attrs[name] = value

    def new(self, like: Variable, kind: str) -> str:
        """Adds a variable; its name says of which one and what for."""
        name = f"{like.name}@{kind}"
        while self.op.block._find_var_recursive(name) is not None:
            name += "_"
        self.variables.append((name, like))
        return name


Addition = Callable[[Written], None]


def attributes(**values: Any) -> Addition:
    """Attributes without which the operator does not start."""

    def add(op: Written) -> None:
        for name, value in values.items():
            op.default(name, value)

    return add


def target_shape(op: Written) -> None:
    """The rank is taken from this attribute even where Y is given."""
    y = op.variable("Y")
    if not op.attrs.get("target_shape") and y is not None:
        op.attrs["target_shape"] = list(y.shape)


def slots(*names: str) -> Addition:
    """Input slots that have to be there, though empty, when 2.6.2 makes the gradient."""

    def add(op: Written) -> None:
        for name in names:
            op.inputs.setdefault(name, [])

    return add


def count_of(slot: str) -> Addition:
    """``num``: how many results there are."""

    def add(op: Written) -> None:
        names = op.outputs.get(slot) or op.inputs.get(f"{slot}@GRAD") or []
        op.attrs["num"] = len(names)

    return add


def axis_from_the_front(op: Written) -> None:
    """A negative axis reads past the end of a list there."""
    x, axis = op.variable("X"), op.attrs.get("axis")
    if x is not None and isinstance(axis, int) and axis < 0:
        op.attrs["axis"] = axis + len(x.shape)


_BOUNDS = ("StartsTensor", "StartsTensorList", "EndsTensor", "EndsTensorList", "StridesTensor",
           "StridesTensorList")  # fmt: skip


def infer_flags(op: Written) -> None:
    """One flag for each axis: 1, or -1 where a bound is only known when it runs."""
    given = any(op.inputs.get(slot) for slot in _BOUNDS)
    if given or not op.attrs.get("infer_flags"):
        op.attrs["infer_flags"] = [-1 if given else 1] * len(op.attrs.get("axes") or ())


def both_or_none(op: Written) -> None:
    """Gradients of scale and bias are refused one without the other."""
    pairs = [("Scale", "Scale@GRAD"), ("Bias", "Bias@GRAD")]
    missing = [p for p in pairs if op.outputs.get(p[1], [EMPTY]) in ([], [EMPTY])]
    if len(missing) != 1:
        return
    slot, gradient = missing[0]
    like = op.variable(slot)
    if like is not None:
        op.outputs[gradient] = [op.new(like, "GRAD@UNUSED")]


def second_name(slot: str, other: str) -> Addition:
    """A slot that has another name there."""

    def add(op: Written) -> None:
        if slot in op.inputs:
            op.inputs.setdefault(other, op.inputs[slot])

    return add


def gradient_of_its_own(op: Written) -> None:
    """The gradient of the input replaces that of the result before this has been read."""
    untyped_values(op)
    given = op.inputs.get("Out@GRAD")
    if not given or op.outputs.get("Input@GRAD") != given:
        return
    like = op.variable("Out@GRAD")
    if like is not None:
        copy = op.new(like, "COPY")
        role = {"op_role": op.attrs.get("op_role", 0)}
        op.before.append(("assign", {"X": given}, {"Out": [copy]}, role))
        op.inputs["Out@GRAD"] = [copy]


def mean_gradient(op: Written) -> None:
    """The result MeanGradOut has to be there, though only the centred rule has one."""
    mean = op.variable("MeanSquare")
    if not op.outputs.get("MeanGradOut") and mean is not None:
        op.outputs["MeanGradOut"] = op.inputs.get("MeanGrad") or [op.new(mean, "UNUSED")]


def interpolation(method: str) -> Addition:
    """One function computes them all and asks which it is; it wants a scale for every side."""

    def add(op: Written) -> None:
        op.attrs["interp_method"] = method
        x, scale = op.variable("X"), op.attrs.get("scale")
        if x is not None and isinstance(scale, (list, tuple)) and len(scale) == 1:
            op.attrs["scale"] = list(scale) * (len(x.shape) - 2)

    return add


_TYPED = ("bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values")


def untyped_values(op: Written) -> None:
    """One list of numbers for those of each type; and a list is missed where it may be empty."""
    for name in ("starts", "ends", "steps", "none_axes", "decrease_axes", "shape"):
        op.default(name, [])
    op.attrs["steps"] = list(op.attrs["steps"]) or [1] * len(op.attrs.get("axes") or ())
    op.inputs.setdefault("ValueTensor", [])
    if not op.attrs.get("values"):
        op.attrs["values"] = [v for name in _TYPED for v in op.attrs.get(name) or ()]


def dense_gradient(op: Written) -> None:
    """The gradient's variable is an ordinary tensor, also that of a sparse table."""
    if op.attrs.get("is_sparse"):
        op.attrs["is_sparse"] = False


def plain_copy(op: Written) -> None:
    """2.6.2 has lost the operator that hands a memory of a recurrent net on."""
    op.type = "assign"
    if op.op.type.endswith("_grad"):
        op.inputs, op.outputs = {"X": op.inputs["Out@GRAD"]}, {"Out": op.outputs["X@GRAD"]}


_RECURRENT = attributes(skip_eager_deletion_vars=[], is_train=True, reverse=False, has_states=True)

ADDITIONS: dict[str, Addition] = {
    "batch_norm_grad": both_or_none,
    "cast": attributes(use_mkldnn=False),  # copied when 2.6.2 makes the gradient
    "expand_as_v2": target_shape,
    "expand_as_v2_grad": target_shape,
    "bilinear_tensor_product": slots("Bias"),
    "group_norm": slots("Scale", "Bias"),
    "hierarchical_sigmoid": slots("Bias", "PathTable", "PathCode"),
    "instance_norm": slots("Scale", "Bias"),
    "lamb": attributes(always_adapt=True),
    "layer_norm": slots("Scale", "Bias"),
    "lookup_table_grad": dense_gradient,
    "lookup_table_v2_grad": dense_gradient,
    "meshgrid_grad": second_name("Out@GRAD", "outputs@GRAD"),
    "prelu": attributes(data_format="NCHW"),
    "prelu_grad": attributes(data_format="NCHW"),
    "recurrent": _RECURRENT,
    "recurrent_grad": _RECURRENT,
    "rmsprop": mean_gradient,
    "rnn_memory_helper": plain_copy,
    "rnn_memory_helper_grad": plain_copy,
    "set_value": untyped_values,
    "set_value_grad": gradient_of_its_own,
    "slice": infer_flags,
    "slice_grad": infer_flags,
    "split": axis_from_the_front,
    "strided_slice": infer_flags,
    "strided_slice_grad": infer_flags,
    "sync_batch_norm_grad": both_or_none,
    "tile": slots("RepeatTimes", "repeat_times_tensor"),
    "transpose_grad": attributes(data_format="AnyLayout"),
    "unstack": count_of("Y"),
    "unstack_grad": count_of("Y"),
}
for _method in ("linear", "bilinear", "trilinear", "bicubic", "nearest"):
    for _name in (f"{_method}_interp", f"{_method}_interp_v2"):
        ADDITIONS[_name] = ADDITIONS[f"{_name}_grad"] = interpolation(_method)


def completed(op: Operator) -> Written:
    """Returns an operator as it is written; one that was read from a file stays as it is."""
    made = Written(op)
    add = ADDITIONS.get(op.type)
    if add is not None and not isinstance(op.attr_kinds, StatedKinds):
        add(made)
    return made
