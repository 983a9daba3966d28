"""Rules of convolutions and transposed convolutions."""

from __future__ import annotations

from typing import Any

from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import channels_first, channels_last, is_last, padding, spatial


@rule("conv2d", "depthwise_conv2d", "conv3d")
def _(g: Any, op: Any) -> str:
    rank, last = op.rank("Input"), is_last(op.attr("data_format"))
    x = channels_first(g, op["Input"], rank) if last else op["Input"]
    kernel = op.shape("Filter")[2:]
    strides, dilations = op.ints("strides"), op.ints("dilations")
    if op.attr("padding_algorithm") == "SAME":
        dilations = [1] * len(kernel)
    pads = padding(op, spatial(op.shape("Input"), last), kernel, strides)
    made = g.Conv(
        x,
        op["Filter"],
        _bias(g, op),
        kernel_shape=kernel,
        strides=strides,
        dilations=dilations,
        group=int(op.attr("groups")),
        pads=None if pads is None else [*pads[0], *pads[1]],
        auto_pad="SAME_UPPER" if pads is None else None,
    )
    made = channels_last(g, made, rank) if last else made
    return g.Add(made, op["ResidualData"]) if op.has("ResidualData") else made


def _bias(g: Any, op: Any) -> str | None:
    given = op.get("Bias")
    return given if given is None or op.rank("Bias") == 1 else g.Reshape(given, [-1])


@rule("deformable_conv", "deformable_conv_v1")
def _(g: Any, op: Any) -> str:
    g.need(19, op.op.type)
    pads = op.ints("paddings")
    before, after = (pads, pads) if len(pads) == 2 else (pads[::2], pads[1::2])
    return g.DeformConv(
        op["Input"],
        op["Filter"],
        op["Offset"],
        None,
        op.get("Mask"),
        kernel_shape=op.shape("Filter")[2:],
        strides=op.ints("strides"),
        dilations=op.ints("dilations"),
        group=int(op.attr("groups")),
        offset_group=int(op.attr("deformable_groups")),
        pads=[*before, *after],
    )


@rule("conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def _(g: Any, op: Any) -> str:
    rank, last = op.rank("Input"), is_last(op.attr("data_format"))
    x = channels_first(g, op["Input"], rank) if last else op["Input"]
    sizes, kernel = spatial(op.shape("Input"), last), op.shape("Filter")[2:]
    strides, dilations = op.ints("strides"), op.ints("dilations")
    if op.attr("padding_algorithm") == "SAME":
        dilations = [1] * len(kernel)
    pads = padding(op, sizes, kernel, strides)
    if pads is None:
        raise op.refuse("padding 'SAME' for sizes that only a run can tell")
    before, after = pads
    extra = op.ints("output_padding") or [0] * len(kernel)
    wanted = op.ints("output_size")
    if wanted:
        if -1 in sizes:
            raise op.refuse("output_size for input sizes that only a run can tell")
        extra = [
            want - ((n - 1) * s - b - a + d * (k - 1) + 1)
            for want, n, s, b, a, d, k in zip(
                wanted, sizes, strides, before, after, dilations, kernel
            )
        ]
    made = g.ConvTranspose(
        x,
        op["Filter"],
        _bias(g, op),
        kernel_shape=kernel,
        strides=strides,
        dilations=dilations,
        group=int(op.attr("groups")),
        pads=[*before, *after],
        output_padding=extra if any(extra) else None,
    )
    return channels_last(g, made, rank) if last else made
