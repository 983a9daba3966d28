"""Operators that may write their result into the memory of an input, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

from paddle.analysis.marks import HOISTED
from paddle.core.dtype import VarType
from paddle.ir.needs import gradient_needs, inner_names, is_gradient
from paddle.ir.operator import EMPTY, Operator
from paddle.ir.program import Program

IN_PLACE = "_in_place"  # attribute: the arguments of an in-place form, the overwritten one first

# Results that are memory of their own which nothing else can see: operator -> slots.
_FRESH = {
    **{key: {"Output"} for key in ("conv2d", "conv3d", "depthwise_conv2d", "conv2d_transpose")},
    **{key: {"Out"} for key in ("matmul_v2", "matmul", "mul", "linear", "bmm", "sum")},
    **{key: {"Y"} for key in ("batch_norm", "layer_norm", "group_norm", "instance_norm")},
    **{key: {"Out"} for key in ("elementwise_add", "elementwise_sub", "elementwise_mul")},
    **{key: {"Input@GRAD"} for key in ("conv2d_grad", "depthwise_conv2d_grad")},
    **{key: {"X@GRAD"} for key in ("matmul_v2_grad", "mul_grad", "linear_grad")},
    "batch_norm_grad": {"X@GRAD"},
    "layer_norm_grad": {"X@GRAD"},
    "pool2d_grad": {"X@GRAD"},  # of the largest elements; averages are spread by a view
}
# Further operators whose results are memory of their own, whatever their attributes.
_COMPUTED = frozenset({
    "scale", "elementwise_div", "elementwise_max", "elementwise_min", "elementwise_pow", "mean",
    "reduce_sum", "reduce_mean", "square", "clip", "pow",
})  # fmt: skip
# In place of one of these the result is fresh exactly if the input was.
_PASSES_ON = {
    "relu_grad": "X@GRAD",
    **dict.fromkeys(
        ("relu", "relu6", "leaky_relu", "elu", "silu", "swish", "hard_swish", "hard_sigmoid"), "Out"
    ),
}


class Form(NamedTuple):
    """How an operator is run in place.

    Attributes:
        target (str): the slot whose memory is written.
        slots (tuple): the slots that are arguments, the target first.
        function (callable): returns what it wrote; takes the attributes that are not default.
        only (dict): attributes with which the form can be used.
    """

    target: str
    slots: tuple[str, ...]
    function: Callable
    only: dict[str, Any] = {}  # nothing writes to it


def _relu_backward(d_out: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten.threshold_backward.grad_input(d_out, out, 0, grad_input=d_out)


def _add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.add_(y) if fits else torch.add(x, y)


def _multiply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.mul_(y) if fits else torch.mul(x, y)


def _subtract(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    fits = x.shape == y.shape and x.dtype is y.dtype
    return x.sub_(y) if fits else torch.sub(x, y)


def _hard_sigmoid(x: torch.Tensor, slope: float = 0.2, offset: float = 0.5) -> torch.Tensor:
    return x.mul_(slope).add_(offset).clamp_(0.0, 1.0)


def _unary(function: Callable, **only: Any) -> Form:
    return Form("X", ("X",), function, only)


# ATen could add and rectify in one pass over the data (_add_relu, oneDNN's convolutions): 1.4 times
# as fast for large arrays on one thread, but where the sum is NaN they give 0 for some or all
# elements, so that a broken run would look healthy.
FORMS = {
    "relu": _unary(torch.relu_),
    "sigmoid": _unary(torch.sigmoid_),
    "tanh": _unary(torch.tanh_),
    "exp": _unary(torch.exp_),
    "sqrt": _unary(torch.sqrt_),
    "relu6": _unary(lambda x, threshold=6.0: F.hardtanh_(x, 0.0, threshold)),
    "leaky_relu": _unary(lambda x, alpha=0.02: F.leaky_relu_(x, alpha)),
    "elu": _unary(lambda x, alpha=1.0: F.elu_(x, alpha)),
    "silu": _unary(lambda x: F.silu(x, inplace=True)),
    "swish": _unary(lambda x: F.silu(x, inplace=True), beta=1.0),
    "hard_swish": _unary(
        lambda x: F.hardswish(x, inplace=True), threshold=6.0, scale=6.0, offset=3.0
    ),
    "hard_sigmoid": _unary(_hard_sigmoid),
    "relu_grad": Form("Out@GRAD", ("Out@GRAD", "Out"), _relu_backward),
    "elementwise_add": Form("X", ("X", "Y"), _add),
    "elementwise_sub": Form("X", ("X", "Y"), _subtract),
    "elementwise_mul": Form("X", ("X", "Y"), _multiply),
    "sum": Form("X", ("X",), _add),
}


def makes_memory(op: Operator, name: str) -> bool:
    """Whether a result is in memory that neither an input nor a later run has a part in."""
    if op.attrs.get(HOISTED) or op.sub_blocks:
        return False
    known = op.definition
    if known is None:
        return False
    if not op.input_arg_names or op.type in _COMPUTED:
        return True
    if any(slot.writes and name in op.outputs.get(slot.name, []) for slot in known.outputs):
        return True  # written into a copy of the input
    slots = _FRESH.get(op.type, ())
    listed = [n for slot in slots for n in op.outputs.get(slot, [])]
    return name in listed and not (op.type == "sum" and len(op.inputs.get("X", [])) < 2)


class Memory:
    """Knows of a Program which results may be overwritten.

    Args:
        program (Program): must not change afterwards.
        kept: variables that are returned.
    """

    def __init__(self, program: Program, kept: Any = ()) -> None:
        self._kept = set(kept)
        self._writers: dict[str, list[Operator]] = {}
        self._readers: dict[str, int] = {}
        for block in program.blocks:
            for op in block.ops:
                names = gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names
                inner = inner_names(op)
                for name in [*names, *inner]:
                    self._readers[name] = self._readers.get(name, 0) + 1
                for name in {*op.output_arg_names, *inner}:
                    self._writers.setdefault(name, []).append(op)

    def form(self, op: Operator) -> tuple[Form, list[str]] | None:
        """How an operator may run in place, with its arguments, the overwritten one first."""
        form = FORMS.get(op.type)
        if form is None or op.attrs.get(HOISTED):
            return None
        if any(op.attrs.get(name, value) != value for name, value in form.only.items()):
            return None
        args = [n for slot in form.slots for n in op.inputs.get(slot, [])]
        if EMPTY in args or not args or any(n not in op.block.vars for n in args[:1]):
            return None
        if len(form.slots) == 1 and op.type not in ("relu", "sum") and not _floating(op, args[0]):
            return None
        if op.type == "sum" or op.type.startswith("elementwise_"):
            if len(args) != 2 or not _alike(op, args):
                return None
            if op.type == "sum" and not self._free(args[0], op):
                args.reverse()
        return (form, args) if self._free(args[0], op) else None

    def _free(self, name: str, reader: Operator) -> bool:
        """Whether only ``reader`` needs a value, and the value is in memory of its own."""
        var = reader.block.vars.get(name)
        if var is None or var.persistable or var.is_data or name in self._kept:
            return False
        writers = self._writers.get(name, [])
        if self._readers.get(name) != 1 or len(writers) != 1 or writers[0].attrs.get(HOISTED):
            return False
        return writers[0].block is reader.block and self._fresh(writers[0], name)

    def _fresh(self, maker: Operator, name: str) -> bool:
        slots = _FRESH.get(maker.type, set())
        if any(name in maker.outputs.get(slot, []) for slot in slots):
            if maker.type == "pool2d_grad":
                return maker.attrs.get("pooling_type") == "max"
            return not (maker.type == "sum" and len(maker.inputs.get("X", [])) < 2)
        return name in maker.outputs.get(_PASSES_ON.get(maker.type, ""), [])


def _floating(op: Operator, name: str) -> bool:
    """Whether a function of an operand is of the operand's own type."""
    return op.block.vars[name].dtype in (VarType.FP32, VarType.FP64)


def _alike(op: Operator, names: list[str]) -> bool:
    """Whether two operands look alike, as far as the Program knows."""
    x, y = (op.block._find_var_recursive(n) for n in names)
    return x is not None and y is not None and x._dims == y._dims and x.dtype == y.dtype
