"""What the passes of quantisation know of operators: where values, weights and results stand."""

from __future__ import annotations

from paddle.ir.operator import Operator

# Operators with a weight: type -> the slots of value, weight and result, and the axis of channels.
WEIGHTED: dict[str, tuple[str, str, str, int]] = {
    "conv2d": ("Input", "Filter", "Output", 0),
    "depthwise_conv2d": ("Input", "Filter", "Output", 0),
    "conv2d_transpose": ("Input", "Filter", "Output", 1),
    "mul": ("X", "Y", "Out", 1),
    "matmul": ("X", "Y", "Out", 1),
    "matmul_v2": ("X", "Y", "Out", 1),
}
CONVOLUTIONS = ("conv2d", "depthwise_conv2d", "conv2d_transpose")

# Operators whose weight can be stored in fewer bits: type -> its slot, and the axis of channels.
STORED: dict[str, tuple[str, int]] = {
    **{kind: (slots[1], slots[3]) for kind, slots in WEIGHTED.items()},
    "lookup_table": ("W", 0),
    "lookup_table_v2": ("W", 0),
    "lstm": ("Weight", 1),
    "gru": ("Weight", 1),
    "rnn": ("WeightList", 0),
}

# Operators without one: type -> the slots of values and of the result.
_ONE = """abs arg_max argmax assign bilinear_interp bilinear_interp_v2 cast clip concat crop cumsum
    dropout elu expand_v2 flatten flatten2 flatten_contiguous_range gather gelu
    hard_sigmoid hard_swish leaky_relu mean nearest_interp nearest_interp_v2 pad2d pad3d
    p_norm pool2d pow prelu reduce_max reduce_mean reduce_sum relu relu6 reshape reshape2
    scale shuffle_channel sigmoid softmax softplus split square squeeze squeeze2 swish
    tanh tile transpose transpose2 trilinear_interp unsqueeze2"""
_TWO = """elementwise_add elementwise_sub elementwise_mul elementwise_pow equal greater_equal
    greater_than less_equal less_than not_equal matmul matmul_v2"""
WEIGHTLESS: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(_ONE.split(), (("X",), "Out")),
    **dict.fromkeys(_TWO.split(), (("X", "Y"), "Out")),
    "batch_norm": (("X",), "Y"),
    "layer_norm": (("X",), "Y"),
    "instance_norm": (("X",), "Y"),
    "group_norm": (("X",), "Y"),
    "slice": (("Input",), "Out"),
    "strided_slice": (("Input",), "Out"),
    "stack": (("X",), "Y"),
    "grid_sampler": (("X",), "Output"),
}

# Of 1.8, 2.0: the operators whose results' scales are taken down for Paddle Lite.
OUT_SCALE = {
    *WEIGHTED, *WEIGHTLESS,
} - {"equal", "greater_equal", "greater_than", "less_equal", "less_than", "not_equal", "argmax",
     "arg_max", "reshape", "transpose", "flatten", "squeeze", "assign", "cast"}  # fmt: skip

ACTIVATION_TYPES = ("abs_max", "range_abs_max", "moving_average_abs_max")
WEIGHT_TYPES = (
    "abs_max", "channel_wise_abs_max", "range_abs_max", "moving_average_abs_max",
)  # fmt: skip


def result_slot(kind: str) -> str | None:
    """The slot of an operator's result; None where the operator is not known.

    Args:
        kind (str): its type.
    """
    if kind in WEIGHTED:
        return WEIGHTED[kind][2]
    return WEIGHTLESS[kind][1] if kind in WEIGHTLESS else None


def channel_axis(op: Operator) -> int:
    """The axis of a weight that its channels are on.

    Args:
        op (Operator): one of those with a weight.
    """
    return WEIGHTED[op.type][3]
