"""What each operator of PaddlePaddle is in the lite runtime; `docs/lite.md` lists the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core.op import REGISTRY
from paddle.ir.operator import Operator

if TYPE_CHECKING:
    from paddle.inference.lite_export.lowering import Lowering

Rule = Callable[["Lowering", Operator], None]
RULES: dict[str, Rule] = {}
FUNCTIONS = (
    "", "relu", "clip", "leaky_relu", "hard_swish", "hard_sigmoid", "swish", "sigmoid", "tanh",
    "gelu", "exp", "sqrt", "abs", "square", "log", "rsqrt", "affine", "pow", "floor", "softplus",
)  # fmt: skip
KINDS = ("add", "sub", "mul", "div", "max", "min", "pow")
REDUCTIONS = ("sum", "mean", "max", "min", "prod")


class Refused(Exception):
    """An operator, or a form of one, is outside of the runtime."""


def rule(types: str) -> Callable[[Rule], Rule]:
    """Registers the rule of some operators, whose names blanks join."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(types.split(), function))
        return function

    return register


def _attrs(op: Operator) -> dict[str, Any]:
    known = REGISTRY.get(op.type)
    return {**(known.attrs if known else {}), **op.attrs}


def _in(op: Operator, slot: str) -> str:
    """The variable of an input slot; empty where it is not given."""
    return next(iter(op.inputs.get(slot) or []), "")


def _out(op: Operator, slot: str = "Out") -> str:
    return op.outputs[slot][0]


def _without(op: Operator, *slots: str) -> None:
    """Refuses inputs by which a Program gives sizes as tensors."""
    for slot in slots:
        if _in(op, slot):
            raise Refused(f"its sizes are a tensor ({slot}); they have to be known when it is made")


# -- convolutions, products ------------------------------------------------------------------------


def _pads(a: dict[str, Any]) -> list[int]:
    """Top, bottom, left, right; all -1: SAME, which depends on the size of the input."""
    if a["padding_algorithm"] != "EXPLICIT":
        return [{"VALID": 0, "SAME": -1}[a["padding_algorithm"]]] * 4
    pads = [int(p) for p in a["paddings"]]
    return pads if len(pads) == 4 else [pads[0], pads[0], pads[1], pads[1]]


def _nchw(a: dict[str, Any]) -> None:
    layout = a.get("data_format", a.get("data_layout", "NCHW"))
    if layout not in ("NCHW", "AnyLayout"):
        raise Refused(f"its data format is {layout}; the runtime has NCHW")


def _function(name: str, alpha: float = 0.0, beta: float = 0.0) -> tuple[int, list[float]]:
    """The number of an activation, and its two numbers."""
    if name == "hard_sigmoid" and not alpha and not beta:
        alpha, beta = 1 / 6, 0.5
    return FUNCTIONS.index(name), [float(alpha), float(beta)]


@rule("conv2d depthwise_conv2d packed_conv2d")
def _conv(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    _nchw(a)
    if at.value(_in(op, "Filter")) is None:
        raise Refused("its filter is computed in each run")
    number, numbers = _function(a.get("activation") or "", a.get("alpha", 0), a.get("beta", 0))
    dilations = [1, 1] if a["padding_algorithm"] == "SAME" else a["dilations"]
    ints = [*a["strides"], *_pads(a), *dilations, a["groups"], number]
    at.made.channels[_in(op, "Filter")] = 0
    ins = [_in(op, slot) for slot in ("Input", "Filter", "Bias", "ResidualData")]
    at.add("conv2d", ins, _out(op, "Output"), ints, numbers)


@rule("conv2d_transpose depthwise_conv2d_transpose")
def _conv_transpose(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    _nchw(a)
    if a["padding_algorithm"] != "EXPLICIT" or any(a["output_padding"]) or a["output_size"]:
        raise Refused("its padding is not explicit, or it states an output padding or size")
    if at.value(_in(op, "Filter")) is None:
        raise Refused("its filter is computed in each run")
    at.made.channels[_in(op, "Filter")] = 1
    ins = [_in(op, slot) for slot in ("Input", "Filter", "Bias")]
    ints = [*a["strides"], *_pads(a), *a["dilations"], a["groups"]]
    at.add("conv2d_transpose", ins, _out(op, "Output"), ints)


@rule("fill_constant_batch_size_like")
def _like(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if a["str_value"] not in ("", "0", "0.0") or a["value"] != 0:
        raise Refused("it is not a first state of zeros")
    at.zeros.add(_out(op))


@rule("rnn")
def _recurrent(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if a["mode"] not in ("LSTM", "GRU") or _in(op, "SequenceLength"):
        raise Refused("it is not LSTM or GRU, or it has lengths of sequences")
    for name in op.inputs["PreState"]:
        value = at.value(name)
        if name not in at.zeros and (value is None or value.any()):
            raise Refused("its first state is not zeros")
    ways, weights, x = 1 + bool(a["is_bidirec"]), op.inputs["WeightList"], _in(op, "Input")
    cells = a["num_layers"] * ways
    for layer in range(a["num_layers"]):
        out = _out(op) if layer == a["num_layers"] - 1 else f"{_out(op)}@LAYER_{layer}"
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
    a = _attrs(op)
    if a["flatten"] or a["dtype"] not in (-1, 3):
        raise Refused("it flattens, or its result is not of int64")
    at.add("arg_max", [_in(op, "X")], _out(op), [a["axis"], a["keepdims"]])


@rule("linear")
def _linear(at: Lowering, op: Operator) -> None:
    if at.value(_in(op, "W")) is not None:
        at.made.channels[_in(op, "W")] = 1
    at.add("linear", [_in(op, slot) for slot in ("X", "W", "Bias")], _out(op), [-1])


@rule("mul")
def _mul(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    weight = at.value(_in(op, "Y"))
    if weight is None or weight.ndim != 2 or a["y_num_col_dims"] != 1:
        raise Refused("its second operand is not a weight of two dimensions")
    at.made.channels[_in(op, "Y")] = 1
    at.add("linear", [_in(op, "X"), _in(op, "Y"), ""], _out(op), [a["x_num_col_dims"]])


@rule("matmul matmul_v2")
def _matmul(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    flips = a.get("trans_x", a.get("transpose_X")), a.get("trans_y", a.get("transpose_Y"))
    if min(len(at.shape(_in(op, s))) for s in ("X", "Y")) < 2:
        raise Refused("an operand has fewer than two dimensions")
    at.add("matmul", [_in(op, "X"), _in(op, "Y")], _out(op), flips, [a.get("alpha", 1.0)])


@rule("pool2d")
def _pool(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    _nchw(a)
    whole, sizes = a["global_pooling"], [int(k) for k in a["ksize"]]
    if a["adaptive"] and sizes != [1, 1]:
        raise Refused("it is adaptive, to more than one pixel")
    whole = whole or a["adaptive"]
    pads = [0, 0, 0, 0] if whole else _pads(a)
    ints = [a["pooling_type"] == "avg", *sizes, *a["strides"], *pads, a["ceil_mode"],
            a["exclusive"], whole]  # fmt: skip
    at.add("pool2d", [_in(op, "X")], _out(op), ints)


# -- element by element ----------------------------------------------------------------------------


def _numbers(op: Operator) -> tuple[str, float, float]:
    """An activation as one of FUNCTIONS, with its numbers."""
    a, name = _attrs(op), op.type
    if name == "relu6":
        return "clip", 0.0, a["threshold"]
    if name == "clip":
        _without(op, "Min", "Max")
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
        _without(op, "ScaleTensor")
        after = a["bias_after_scale"]
        return "affine", a["scale"], a["bias"] if after else a["bias"] * a["scale"]
    if name == "pow":
        _without(op, "FactorTensor")
        return name, a["factor"], 0.0
    if name == "softplus" and (a.get("beta", 1.0), a.get("threshold", 20.0)) != (1.0, 20.0):
        raise Refused("beta is not 1, or the threshold is not 20")
    return name, a.get("alpha", 0.0), 0.0


@rule(
    "relu relu6 clip leaky_relu hard_swish hard_sigmoid swish silu sigmoid tanh gelu exp sqrt abs "
    "square log rsqrt scale pow floor softplus"
)
def _activation(at: Lowering, op: Operator) -> None:
    if at.dtype(_in(op, "X")) != "float32":
        raise Refused(f"it is of {at.dtype(_in(op, 'X'))}; the runtime has float32 there")
    number, numbers = _function(*_numbers(op))
    if op.type == "hard_sigmoid":
        numbers = [float(v) for v in _numbers(op)[1:]]
    at.add("activation", [_in(op, "X")], _out(op), [number], numbers)


@rule("dropout")
def _dropout(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    kept = a["dropout_implementation"] == "upscale_in_train"
    scale = 1.0 if kept else 1.0 - a["dropout_prob"]
    at.add("activation", [_in(op, "X")], _out(op), *_affine(scale))


def _affine(scale: float) -> tuple[list[int], list[float]]:
    number, numbers = _function("affine", scale)
    return [number], numbers


@rule(" ".join(f"elementwise_{kind}" for kind in KINDS))
def _binary(at: Lowering, op: Operator) -> None:
    if at.dtype(_in(op, "X")) != "float32":
        raise Refused(f"it is of {at.dtype(_in(op, 'X'))}; the runtime has float32 there")
    kind = KINDS.index(op.type.removeprefix("elementwise_"))
    at.add("binary", [_in(op, "X"), _in(op, "Y")], _out(op), [kind, _attrs(op)["axis"]])


@rule("batch_norm")
def _batch_norm(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    _nchw(a)
    values = [at.value(_in(op, slot)) for slot in ("Scale", "Bias", "Mean", "Variance")]
    if any(v is None for v in values):
        raise Refused("its statistics are computed in each run")
    scale, bias, mean, variance = (np.asarray(v, "float64") for v in values)
    factor = scale / np.sqrt(variance + a["epsilon"])
    out, middle = _out(op, "Y"), _out(op, "Y") + "@SCALED"
    one = at.constant(out + "@SCALE", factor.astype("float32"))
    two = at.constant(out + "@SHIFT", (bias - mean * factor).astype("float32"))
    at.add("binary", [_in(op, "X"), one], middle, [KINDS.index("mul"), 1])
    at.add("binary", [middle, two], out, [KINDS.index("add"), 1])


@rule("layer_norm")
def _layer_norm(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    ins = [_in(op, slot) for slot in ("X", "Scale", "Bias")]
    at.add("layer_norm", ins, _out(op, "Y"), [a["begin_norm_axis"]], [a["epsilon"]])


@rule("softmax")
def _softmax(at: Lowering, op: Operator) -> None:
    at.add("softmax", [_in(op, "X")], _out(op), [_attrs(op)["axis"]])


@rule(" ".join(f"reduce_{kind}" for kind in REDUCTIONS))
def _reduce(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if at.dtype(_in(op, "X")) != "float32":
        raise Refused(f"it is of {at.dtype(_in(op, 'X'))}; the runtime has float32 there")
    axes = a["dim"] if isinstance(a["dim"], (list, tuple)) else [a["dim"]]
    ints = [REDUCTIONS.index(op.type.removeprefix("reduce_")), a["keep_dim"]]
    at.add("reduce", [_in(op, "X")], _out(op), [*ints, *([] if a["reduce_all"] else axes)])


# -- forms -----------------------------------------------------------------------------------------


@rule("reshape2 reshape")
def _reshape(at: Lowering, op: Operator) -> None:
    _without(op, "Shape", "ShapeTensor")
    at.add("reshape", [_in(op, "X")], _out(op), _attrs(op)["shape"])


@rule("flatten_contiguous_range flatten2 flatten")
def _flatten(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if op.type == "flatten_contiguous_range":
        at.add("flatten", [_in(op, "X")], _out(op), [a["start_axis"], a["stop_axis"]])
        return
    if a["axis"] != 1:
        raise Refused("its axis is not 1")
    at.add("flatten", [_in(op, "X")], _out(op), [1, -1])


@rule("squeeze2 squeeze unsqueeze2 unsqueeze")
def _squeeze(at: Lowering, op: Operator) -> None:
    _without(op, "AxesTensor", "AxesTensorList")
    if not _attrs(op)["axes"]:
        raise Refused("it names no axes")
    at.add(op.type.removesuffix("2"), [_in(op, "X")], _out(op), _attrs(op)["axes"])


@rule("transpose2 transpose")
def _transpose(at: Lowering, op: Operator) -> None:
    at.add("transpose", [_in(op, "X")], _out(op), _attrs(op)["axis"])


@rule("concat")
def _concat(at: Lowering, op: Operator) -> None:
    _without(op, "AxisTensor")
    at.add("concat", op.inputs["X"], _out(op), [_attrs(op)["axis"]])


@rule("split")
def _split(at: Lowering, op: Operator) -> None:
    _without(op, "AxisTensor", "SectionsTensorList")
    a = _attrs(op)
    sizes = [] if a["num"] else a["sections"]
    at.add("split", [_in(op, "X")], op.outputs["Out"], [a["axis"], *sizes])


@rule("slice")
def _slice(at: Lowering, op: Operator) -> None:
    _without(op, "StartsTensor", "EndsTensor", "StartsTensorList", "EndsTensorList")
    a, out = _attrs(op), _out(op)
    gone = list(a["decrease_axis"])
    ints = [v for row in zip(a["axes"], a["starts"], a["ends"]) for v in row]
    at.add("slice", [_in(op, "Input")], out + "@WHOLE" if gone else out, ints)
    if gone:
        at.add("squeeze", [out + "@WHOLE"], out, gone)


@rule("nearest_interp nearest_interp_v2 bilinear_interp bilinear_interp_v2")
def _interpolate(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    _nchw(a)
    _without(op, "OutSize", "SizeTensor", "Scale")
    given = a["scale"] if isinstance(a["scale"], (list, tuple)) else [a["scale"]]
    scale = [float(s) for s in given] or [0.0]
    scale = scale * 2 if len(scale) == 1 else scale
    if min(scale) <= 0 and min(a["out_h"], a["out_w"]) <= 0:
        raise Refused("neither its size nor a scale is given")
    ints = [op.type.startswith("bilinear"), a["align_corners"], a["align_mode"]]
    sizes = [0, 0] if min(scale) > 0 else [a["out_h"], a["out_w"]]
    at.add("interpolate", [_in(op, "X")], _out(op), [*ints, *sizes], scale)


@rule("yolo_box")
def _yolo_box(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if a["iou_aware"]:
        raise Refused("it is iou_aware")
    ints = [a["class_num"], a["downsample_ratio"], a["clip_bbox"], *a["anchors"]]
    outs = [_out(op, "Boxes"), _out(op, "Scores")]
    at.add("yolo_box", [_in(op, "X"), _in(op, "ImgSize")], outs, ints,
           [a["conf_thresh"], a["scale_x_y"]])  # fmt: skip


@rule("multiclass_nms multiclass_nms2 multiclass_nms3")
def _suppression(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if _in(op, "RoisNum") or len(at.shape(_in(op, "Scores"))) != 3:
        raise Refused("its boxes are of several images in one list")
    outs = ["Out", "Index", "NmsRoisNum"][: int(op.type[len("multiclass_nms") :] or 1)]
    ints = [a["background_label"], a["nms_top_k"], a["keep_top_k"], a["normalized"]]
    floats = [a["score_threshold"], a["nms_threshold"], a["nms_eta"]]
    at.add("multiclass_nms", [_in(op, "BBoxes"), _in(op, "Scores")],
           [next(iter(op.outputs.get(slot, [])), f"{_out(op)}@{slot}") for slot in outs], ints,
           floats)  # fmt: skip


@rule("lookup_table_v2")
def _embedding(at: Lowering, op: Operator) -> None:
    a = _attrs(op)
    if a["padding_idx"] != -1:
        raise Refused("it has a padding_idx")
    at.add("embedding", [_in(op, "Ids"), _in(op, "W")], _out(op))
