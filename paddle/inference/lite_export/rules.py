"""What each operator of PaddlePaddle is in the lite runtime; `docs/lite.md` lists the steps.

Products, pools, and what goes element by element; :mod:`.rules_forms` has what moves numbers
about, :mod:`.rules_norms` what normalises, :mod:`.rules_detection` boxes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.op import REGISTRY
from paddle.inference.lite_export.layout import DTYPES
from paddle.ir.operator import Operator
from paddle.ops.nn.window import resolve_padding
from paddle.ops.quantization.int8 import SIGNED

if TYPE_CHECKING:
    from paddle.inference.lite_export.lowering import Lowering

Rule = Callable[["Lowering", Operator], None]
RULES: dict[str, Rule] = {}
FUNCTIONS = (
    "", "relu", "clip", "leaky_relu", "hard_swish", "hard_sigmoid", "swish", "sigmoid", "tanh",
    "gelu", "exp", "sqrt", "abs", "square", "log", "rsqrt", "affine", "pow", "floor", "softplus",
    "steps",
)  # fmt: skip
KINDS = ("add", "sub", "mul", "div", "max", "min", "pow")
COMPARED = ("equal", "not_equal", "less", "less_equal")
REDUCTIONS = ("sum", "mean", "max", "min", "prod")


class Refused(Exception):
    """An operator, or a form of one, is outside of the runtime."""


def rule(types: str) -> Callable[[Rule], Rule]:
    """Registers the rule of some operators, whose names blanks join."""

    def register(made: Rule) -> Rule:
        RULES.update(dict.fromkeys(types.split(), made))
        return made

    return register


def attrs_of(op: Operator) -> dict[str, Any]:
    """The attributes of an operator, with those that it leaves as they are defined."""
    known = REGISTRY.get(op.type)
    return {**(known.attrs if known else {}), **op.attrs}


def input_of(op: Operator, slot: str) -> str:
    """The variable of an input slot; empty where it is not given."""
    return next(iter(op.inputs.get(slot) or []), "")


def output_of(op: Operator, slot: str = "Out") -> str:
    """The variable of an output slot."""
    return op.outputs[slot][0]


def without(op: Operator, *slots: str) -> None:
    """Refuses inputs by which a Program gives sizes as tensors."""
    for slot in slots:
        if input_of(op, slot):
            raise Refused(f"its sizes are a tensor ({slot}); they have to be known when it is made")


def keep(axis: int) -> int:
    """Says in sizes of a reshape: that of this axis of the input."""
    return -2 - axis


# -- convolutions, products ------------------------------------------------------------------------


def _pads(a: dict[str, Any]) -> list[int]:
    """Top, bottom, left, right; all -1: SAME, which depends on the size of the input."""
    if a["padding_algorithm"] != "EXPLICIT":
        return [{"VALID": 0, "SAME": -1}[a["padding_algorithm"]]] * 4
    pads = [int(p) for p in a["paddings"]]
    return pads if len(pads) == 4 else [pads[0], pads[0], pads[1], pads[1]]


def nchw(a: dict[str, Any]) -> None:
    """Refuses other orders of the dimensions of images."""
    layout = a.get("data_format", a.get("data_layout", "NCHW"))
    if layout not in ("NCHW", "AnyLayout"):
        raise Refused(f"its data format is {layout}; the runtime has NCHW")


def function(name: str, alpha: float = 0.0, beta: float = 0.0) -> tuple[list[int], list[float]]:
    """The number of an activation, and its two numbers."""
    if name == "hard_sigmoid" and not alpha and not beta:
        alpha, beta = 1 / 6, 0.5
    return [FUNCTIONS.index(name)], [float(alpha), float(beta)]


@rule("conv2d depthwise_conv2d packed_conv2d")
def _conv(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    nchw(a)
    if at.value(input_of(op, "Filter")) is None:
        raise Refused("its filter is computed in each run")
    number, numbers = function(a.get("activation") or "", a.get("alpha", 0), a.get("beta", 0))
    dilations = [1, 1] if a["padding_algorithm"] == "SAME" else a["dilations"]
    ints = [*a["strides"], *_pads(a), *dilations, a["groups"], *number]
    at.made.channels[input_of(op, "Filter")] = 0
    ins = [input_of(op, slot) for slot in ("Input", "Filter", "Bias", "ResidualData")]
    at.add("conv2d", ins, output_of(op, "Output"), ints, numbers)


@rule("conv2d_transpose depthwise_conv2d_transpose")
def _conv_transpose(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    nchw(a)
    if at.value(input_of(op, "Filter")) is None:
        raise Refused("its filter is computed in each run")
    at.made.channels[input_of(op, "Filter")] = 1
    ins = [input_of(op, slot) for slot in ("Input", "Filter", "Bias")]
    sizes, kernel = at.shape(ins[0])[2:], at.shape(ins[1])[2:]
    if (a["padding_algorithm"] == "SAME" or a["output_size"]) and -1 in sizes:
        raise Refused("its padding is SAME or it states an output size, and its input is open")
    strides = a["strides"]
    first, last = resolve_padding(
        a["paddings"], a["padding_algorithm"], sizes, list(kernel), strides
    )
    dilations = [1, 1] if a["padding_algorithm"] == "SAME" else a["dilations"]
    more = list(a["output_padding"] or [0, 0])
    for i, wanted in enumerate(a["output_size"] or ()):
        full = (sizes[i] - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1
        more[i] = wanted - (full - first[i] - last[i])
    # what is added behind is padding that is not cut off
    pads = [first[0], last[0] - more[0], first[1], last[1] - more[1]]
    at.add("conv2d_transpose", ins, output_of(op, "Output"),
           [*strides, *pads, *dilations, a["groups"]])  # fmt: skip


@rule("fill_constant_batch_size_like")
def _like(at: Lowering, op: Operator) -> None:
    """States of recurrent operators whose batch is open; others are constants by now."""
    a = attrs_of(op)
    if a["str_value"] not in ("", "0", "0.0") or a["value"] != 0:
        raise Refused("it is not a first state of zeros")
    at.zeros.add(output_of(op))


@rule("rnn")
def _recurrent(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    if a["mode"] not in ("LSTM", "GRU") or input_of(op, "SequenceLength"):
        raise Refused("it is not LSTM or GRU, or it has lengths of sequences")
    for name in op.inputs["PreState"]:
        value = at.value(name)
        if name not in at.zeros and (value is None or value.any()):
            raise Refused("its first state is not zeros")
    ways, weights, x = 1 + bool(a["is_bidirec"]), op.inputs["WeightList"], input_of(op, "Input")
    cells = a["num_layers"] * ways
    for layer in range(a["num_layers"]):
        out = output_of(op) if layer == a["num_layers"] - 1 else f"{output_of(op)}@LAYER_{layer}"
        made = [f"{out}@WAY_{way}" if ways == 2 else out for way in range(ways)]
        for way in range(ways):
            cell = layer * ways + way
            ins = [*weights[2 * cell : 2 * cell + 2], *weights[2 * (cells + cell) :][:2]]
            at.made.channels.update(dict.fromkeys(ins[:2], 0))
            at.add("recurrent", [x, *ins], made[way], [a["mode"] == "GRU", way])
        if ways == 2:
            at.add("concat", made, out, [2])
        x = out


@rule("arg_max")
def _arg_max(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    if a["flatten"] or a["dtype"] not in (-1, 3):
        raise Refused("it flattens, or its result is not of int64")
    at.add("arg_max", [input_of(op, "X")], output_of(op), [a["axis"], a["keepdims"]])


@rule("linear")
def _linear(at: Lowering, op: Operator) -> None:
    _product(at, input_of(op, "X"), input_of(op, "W"), input_of(op, "Bias"), output_of(op))


def _product(at: Lowering, x: str, weight: str, bias: str, out: str) -> None:
    if at.value(weight) is not None:
        at.made.channels[weight] = 1
    at.add("matmul", [x, weight, bias], out, [0, 0], [1.0])


@rule("mul")
def _mul(at: Lowering, op: Operator) -> None:
    x, weight, out = input_of(op, "X"), input_of(op, "Y"), output_of(op)
    value = at.value(weight)
    if value is None or value.ndim != 2 or attrs_of(op)["y_num_col_dims"] != 1:
        raise Refused("its second operand is not a weight of two dimensions")
    x = _rows(at, x, attrs_of(op)["x_num_col_dims"], out)
    _product(at, x, weight, "", out)


@rule("fc")
def _fc(at: Lowering, op: Operator) -> None:
    a, out = attrs_of(op), output_of(op)
    name = a.get("activation_type") or ""
    if name not in ("", "relu"):
        raise Refused(f"its activation is {name}")
    made = out + "@BEFORE" if name else out
    x = _rows(at, input_of(op, "Input"), a["in_num_col_dims"], out)
    _product(at, x, input_of(op, "W"), input_of(op, "Bias"), made)
    if name:
        activation(at, name, made, out)


def _rows(at: Lowering, x: str, rows: int, out: str) -> str:
    """An operand of so many dimensions and one more, into which all behind them go."""
    if len(at.shape(x)) == rows + 1:
        return x
    at.add("reshape", [x], out + "@ROWS", [*(keep(i) for i in range(rows)), -1])
    return out + "@ROWS"


@rule("matmul matmul_v2")
def _matmul(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    flips = a.get("trans_x", a.get("transpose_X")), a.get("trans_y", a.get("transpose_Y"))
    if min(len(at.shape(input_of(op, s))) for s in ("X", "Y")) < 2:
        raise Refused("an operand has fewer than two dimensions")
    ins = [input_of(op, "X"), input_of(op, "Y"), ""]
    at.add("matmul", ins, output_of(op), flips, [a.get("alpha", 1.0)])


@rule("pool2d")
def _pool(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    nchw(a)
    at.add("pool2d", [input_of(op, "X")], output_of(op), _pool_numbers(a))


def _pool_numbers(a: dict[str, Any]) -> list[int]:
    sizes = [int(k) for k in a["ksize"]]
    whole = 1 if a["global_pooling"] or (a["adaptive"] and sizes == [1, 1]) else 0
    whole = 2 if a["adaptive"] and not whole else whole
    return [a.get("pooling_type") == "avg", *sizes, *a["strides"],
            *([0] * 4 if whole else _pads(a)), a.get("ceil_mode", False),
            a.get("exclusive", True), whole]  # fmt: skip


@rule("max_pool2d_with_index")
def _pool_with_places(at: Lowering, op: Operator) -> None:
    """Its largest values; where these lie is not made."""
    a = {"padding_algorithm": "EXPLICIT", **attrs_of(op)}
    at.add("pool2d", [input_of(op, "X")], output_of(op), _pool_numbers(a))


# -- element by element ----------------------------------------------------------------------------


def _numbers(op: Operator) -> tuple[str, float, float]:
    """An activation as one of FUNCTIONS, with its numbers."""
    a, name = attrs_of(op), op.type
    if name == "relu6":
        return "clip", 0.0, a["threshold"]
    if name == "clip":
        without(op, "Min", "Max")
        return "clip", a["min"], a["max"]
    if name == "hard_sigmoid":
        return name, a["slope"], a["offset"]
    if name == "hard_swish":
        if (a["threshold"], a["scale"], a["offset"]) != (6.0, 6.0, 3.0):
            raise Refused("its numbers are not 6, 6 and 3")
        return name, 0.0, 0.0
    if name in ("swish", "silu"):
        if a.get("beta", 1.0) != 1.0:
            raise Refused("beta is not 1")
        return "swish", 0.0, 0.0
    if name == "gelu":
        return name, float(bool(a["approximate"])), 0.0
    if name == "scale":
        without(op, "ScaleTensor")
        after = a["bias_after_scale"]
        return "affine", a["scale"], a["bias"] if after else a["bias"] * a["scale"]
    if name == "pow":
        without(op, "FactorTensor")
        return name, a["factor"], 0.0
    if name == "softplus" and (a.get("beta", 1.0), a.get("threshold", 20.0)) != (1.0, 20.0):
        raise Refused("beta is not 1, or the threshold is not 20")
    return name, a.get("alpha", 0.0), 0.0


@rule(
    "relu relu6 clip leaky_relu hard_swish hard_sigmoid swish silu sigmoid tanh gelu exp sqrt abs "
    "square log rsqrt scale pow floor softplus"
)
def _activation(at: Lowering, op: Operator) -> None:
    if op.type == "scale" and at.dtype(input_of(op, "X")) in ("int32", "int64"):
        _scale_whole(at, op)
        return
    if at.dtype(input_of(op, "X")) != "float32":
        raise Refused(f"it is of {at.dtype(input_of(op, 'X'))}; the runtime has float32 there")
    number, numbers = function(*_numbers(op))
    if op.type == "hard_sigmoid":
        numbers = [float(v) for v in _numbers(op)[1:]]
    at.add("activation", [input_of(op, "X")], output_of(op), number, numbers)


def _scale_whole(at: Lowering, op: Operator) -> None:
    _, factor, shift = _numbers(op)
    if int(factor) != factor or int(shift) != shift:
        raise Refused("it scales whole numbers by others")
    out, dtype = output_of(op), at.dtype(input_of(op, "X"))
    one = at.constant(out + "@SCALE", np.array([factor], dtype))
    two = at.constant(out + "@SHIFT", np.array([shift], dtype))
    binary(at, "add", binary(at, "mul", input_of(op, "X"), one, out + "@SCALED"), two, out)


@rule("moving_average_abs_max_scale")
def _watched(at: Lowering, op: Operator) -> None:
    if op.outputs.get("Out") not in ([], None, [input_of(op, "X")]):  # often it writes its input
        activation(at, "", input_of(op, "X"), output_of(op))


@rule("int8_round")
def _steps(at: Lowering, op: Operator) -> None:
    """Values of a quantised Program, which stay float32."""
    a, scale = attrs_of(op), at.value(input_of(op, "Scale"))
    if scale is None or scale.size != 1 or a["zero"] != SIGNED:
        raise Refused("its scale is not one number, or is computed in each run")
    top = float(a["top"])
    largest = float(scale.reshape(-1)[0])
    step = (largest if largest > 1e-30 else 1e-6) / top  # a value that was never seen
    activation(at, "steps", input_of(op, "X"), output_of(op), step, top)


@rule("ceil")
def _ceil(at: Lowering, op: Operator) -> None:
    x, out = input_of(op, "X"), output_of(op)
    turned = activation(at, "affine", x, out + "@TURNED", -1)
    activation(at, "affine", activation(at, "floor", turned, out + "@FLOOR"), out, -1)


@rule("log2 log10 log1p")
def _logarithm(at: Lowering, op: Operator) -> None:
    x, out = input_of(op, "X"), output_of(op)
    if op.type == "log1p":
        activation(at, "log", activation(at, "affine", x, out + "@MORE", 1, 1), out)
    else:
        factor = 1 / math.log(int(op.type.removeprefix("log")))
        activation(at, "affine", activation(at, "log", x, out + "@NATURAL"), out, factor)


@rule("dropout")
def _dropout(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    kept = a["dropout_implementation"] == "upscale_in_train"
    scale = 1.0 if kept else 1.0 - a["dropout_prob"]
    activation(at, "affine", input_of(op, "X"), output_of(op), scale)


@rule(" ".join(f"elementwise_{kind}" for kind in KINDS))
def _binary(at: Lowering, op: Operator) -> None:
    kind, dtype = op.type.removeprefix("elementwise_"), at.dtype(input_of(op, "X"))
    if dtype != "float32" and (kind in ("div", "pow") or dtype not in ("int32", "int64")):
        raise Refused(f"it is of {dtype}; the runtime has float32 there")
    binary(at, kind, input_of(op, "X"), input_of(op, "Y"), output_of(op), attrs_of(op)["axis"])


def binary(at: Lowering, kind: str, x: str, y: str, out: str, axis: int = -1) -> str:
    """Appends one of KINDS or COMPARED; returns its result."""
    at.add("binary", [x, y], out, [(*KINDS, *COMPARED).index(kind), axis])
    return out


def activation(at: Lowering, name: str, x: str, out: str, *numbers: float) -> str:
    """Appends one of FUNCTIONS; returns its result."""
    at.add("activation", [x], out, *function(name, *numbers))
    return out


@rule("sum")
def _sum(at: Lowering, op: Operator) -> None:
    first, *others = op.inputs["X"]
    dtype, out = at.runtime_dtype(first), output_of(op)
    others = others or [at.constant(out + "@ZERO", np.zeros(1, dtype))]
    for i, name in enumerate(others):
        last = i == len(others) - 1
        first = binary(at, "add", first, name, out if last else f"{out}@{i}")


@rule("equal not_equal less_than less_equal greater_than greater_equal")
def _compare(at: Lowering, op: Operator) -> None:
    x, y, axis = input_of(op, "X"), input_of(op, "Y"), attrs_of(op)["axis"]
    kind = op.type.replace("greater", "less")
    if kind != op.type:
        if axis != -1 and len(at.shape(x)) != len(at.shape(y)):
            raise Refused("its second operand begins at an axis of the first")
        x, y, axis = y, x, -1
    binary(at, kind.removesuffix("_than"), x, y, output_of(op), axis)


@rule("logical_and logical_or logical_xor")
def _logical(at: Lowering, op: Operator) -> None:
    kind = {"and": "mul", "or": "max", "xor": "not_equal"}[op.type.removeprefix("logical_")]
    names = input_of(op, "X"), input_of(op, "Y")
    if any(at.dtype(n) != "bool" for n in names):
        raise Refused("an operand is not of bool")
    binary(at, kind, *names, output_of(op))


@rule("logical_not")
def _not(at: Lowering, op: Operator) -> None:
    if at.dtype(input_of(op, "X")) != "bool":
        raise Refused("its operand is not of bool")
    activation(at, "affine", input_of(op, "X"), output_of(op), -1, 1)


@rule("where")
def _where(at: Lowering, op: Operator) -> None:
    """The larger of two, of which an infinity has taken the one that is not chosen."""
    x, y, out = input_of(op, "X"), input_of(op, "Y"), output_of(op)
    if at.dtype(x) != "float32":
        raise Refused(f"it is of {at.dtype(x)}; the runtime has float32 there")
    zero = at.constant(out + "@ZERO", np.zeros(1, "float32"))
    half = activation(at, "affine", input_of(op, "Condition"), out + "@HALF", 1, -0.5)
    bound = binary(at, "div", half, zero, out + "@BOUND")
    first = binary(at, "min", x, bound, out + "@FIRST")
    other = activation(at, "affine", bound, out + "@OTHER", -1, 0)
    second = binary(at, "min", y, other, out + "@SECOND")
    binary(at, "max", first, second, out)


@rule("prelu")
def _prelu(at: Lowering, op: Operator) -> None:
    x, out, alpha = input_of(op, "X"), output_of(op), input_of(op, "Alpha")
    value = at.value(alpha)
    if value is None:
        raise Refused("its alpha is computed in each run")
    mode = attrs_of(op)["mode"]
    if mode == "channel":
        alpha = at.constant(alpha + "@CHANNELS", value.reshape(-1))
    elif mode == "all":
        alpha = at.constant(alpha + "@ONE", value.reshape(1))
    low = activation(at, "clip", x, out + "@LOW", -math.inf, 0)
    low = binary(at, "mul", low, alpha, out + "@SCALED", 1 if mode == "channel" else -1)
    binary(at, "add", activation(at, "relu", x, out + "@HIGH"), low, out)


@rule("reciprocal")
def _reciprocal(at: Lowering, op: Operator) -> None:
    one = at.constant(output_of(op) + "@ONE", np.ones(1, "float32"))
    binary(at, "div", one, input_of(op, "X"), output_of(op))


@rule("cast")
def _cast(at: Lowering, op: Operator) -> None:
    x, out = input_of(op, "X"), output_of(op)
    if at.passes_sizes(x, out):
        return
    given, wanted = at.runtime_dtype(x), at.runtime_dtype(out)
    if at.dtype(out) == "bool" and at.dtype(x) != "bool":
        zero = at.constant(out + "@ZERO", np.zeros(1, given))
        binary(at, "not_equal", x, zero, out)
    else:
        at.add("cast", [x], out, [DTYPES[wanted]])


@rule("assign")
def _assign(at: Lowering, op: Operator) -> None:
    at.add("cast", [input_of(op, "X")], output_of(op), [DTYPES[at.runtime_dtype(output_of(op))]])


@rule("softmax")
def _softmax(at: Lowering, op: Operator) -> None:
    at.add("softmax", [input_of(op, "X")], output_of(op), [attrs_of(op)["axis"]])


@rule("p_norm")
def _length(at: Lowering, op: Operator) -> None:
    a, out = attrs_of(op), output_of(op)
    if a["porder"] != 2:
        raise Refused(f"its order is {a['porder']}; the runtime has 2")
    axes = [] if a["asvector"] else [a["axis"]]
    activation(at, "square", input_of(op, "X"), out + "@SQUARES")
    at.add("reduce", [out + "@SQUARES"], out + "@SUM",
           [REDUCTIONS.index("sum"), a["keepdim"], *axes])  # fmt: skip
    activation(at, "sqrt", out + "@SUM", out)


@rule("mean")
def _mean(at: Lowering, op: Operator) -> None:
    at.add("reduce", [input_of(op, "X")], output_of(op), [REDUCTIONS.index("mean"), 0])


@rule(" ".join(f"reduce_{kind}" for kind in (*REDUCTIONS, "all", "any")))
def _reduce(at: Lowering, op: Operator) -> None:
    """All and any are the least and the largest of bool, which is 0 and 1."""
    a = attrs_of(op)
    kind = op.type.removeprefix("reduce_")
    wanted = "bool" if kind in ("all", "any") else "float32"
    if at.dtype(input_of(op, "X")) != wanted:
        raise Refused(f"it is of {at.dtype(input_of(op, 'X'))}; the runtime has {wanted} there")
    axes = a["dim"] if isinstance(a["dim"], (list, tuple)) else [a["dim"]]
    ints = [REDUCTIONS.index({"all": "min", "any": "max"}.get(kind, kind)), a["keep_dim"]]
    at.add(
        "reduce", [input_of(op, "X")], output_of(op), [*ints, *([] if a["reduce_all"] else axes)]
    )
