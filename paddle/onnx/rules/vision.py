"""Rules of operators on pictures and channels, and of dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import channels_first, channels_last, is_last


@rule("dropout")
def _(g: Any, op: Any) -> Any:
    if op.attr("dropout_implementation") == "upscale_in_train":
        return {"Out": op["X"]}
    return {"Out": g.Mul(op["X"], op.number(1.0 - float(op.attr("dropout_prob"))))}


@rule("pixel_shuffle")
def _(g: Any, op: Any) -> str:
    last = is_last(op.attr("data_format"))
    x = channels_first(g, op["X"], 4) if last else op["X"]
    made = g.DepthToSpace(x, blocksize=int(op.attr("upscale_factor")), mode="CRD")
    return channels_last(g, made, 4) if last else made


@rule("pixel_unshuffle")
def _(g: Any, op: Any) -> str:
    last, r = is_last(op.attr("data_format")), int(op.attr("downscale_factor"))
    channels = op.shape("X")[3 if last else 1]
    if channels < 0:
        raise op.refuse("a number of channels that only a run can tell")
    x = channels_first(g, op["X"], 4) if last else op["X"]
    made = g.SpaceToDepth(x, blocksize=r)
    order = np.arange(r * r * channels).reshape(r * r, channels).T.reshape(-1)
    made = g.Gather(made, order.astype(np.int64), axis=1)
    return channels_last(g, made, 4) if last else made


def _shuffled(g: Any, op: Any, rows: int, axis: int) -> str:
    """Reads the channels, written in rows, column by column."""
    channels = op.shape("X")[axis]
    if channels < 0:
        raise op.refuse("a number of channels that only a run can tell")
    order = np.arange(channels).reshape(rows, -1).T.reshape(-1)
    return g.Gather(op["X"], order.astype(np.int64), axis=axis)


@rule("shuffle_channel")
def _(g: Any, op: Any) -> str:
    return _shuffled(g, op, int(op.attr("group")), 1)


@rule("channel_shuffle")
def _(g: Any, op: Any) -> str:
    last = is_last(op.attr("data_format"))
    return _shuffled(g, op, int(op.attr("groups")), op.rank("X") - 1 if last else 1)


@rule("space_to_depth")
def _(g: Any, op: Any) -> str:
    _, c, h, w = op.shape("X")
    if -1 in (c, h, w):
        raise op.refuse("planes of sizes that only a run can tell")
    b = int(op.attr("blocksize"))
    spread = g.Reshape(op["X"], [-1, b, b, c // (b * b), h, w])
    turned = g.Transpose(spread, perm=[0, 3, 4, 1, 5, 2])
    return g.Reshape(turned, [-1, c * b * b, h // b, w // b])


@rule("temporal_shift")
def _(g: Any, op: Any) -> str:
    last, frames = is_last(op.attr("data_format")), int(op.attr("seg_num"))
    x = channels_first(g, op["X"], 4) if last else op["X"]
    shape = op.shape("X")
    _, c, h, w = [shape[0], shape[3], *shape[1:3]] if last else shape
    if -1 in (c, h, w):
        raise op.refuse("planes of sizes that only a run can tell")
    ratio = float(op.attr("shift_ratio"))
    first, second = int(c * ratio), int(c * 2 * ratio)
    x = g.Reshape(x, [-1, frames, c, h, w])
    later = g.slice(x, [0, 0], [-1, first], [1, 2])
    later = g.pad(later, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    sooner = g.slice(x, [1, first], [frames, second], [1, 2])
    sooner = g.pad(sooner, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    rest = g.slice(x, [second], [c], [2])
    made = g.Reshape(g.Concat(later, sooner, rest, axis=2), [-1, c, h, w])
    return channels_last(g, made, 4) if last else made


@rule("affine_grid")
def _(g: Any, op: Any) -> str:
    shape = op.vector("OutputShape", attr="output_shape")
    if not isinstance(shape, list):
        raise op.refuse("an output shape that only a run can tell")
    sizes = shape[2:]
    lines = []
    for n in sizes:
        if op.attr("align_corners"):
            lines.append(np.linspace(-1, 1, n) if n > 1 else np.zeros(1))
        else:
            lines.append((np.arange(n) * 2 + 1) / n - 1)
    grid = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(sizes)], -1)
    base = g.constant(grid.reshape(1, -1, len(sizes) + 1), op.dtype("Theta"))
    made = g.MatMul(base, g.Transpose(op["Theta"], perm=[0, 2, 1]))
    return g.Reshape(made, [-1, *sizes, len(sizes)])


@rule("grid_sampler")
def _(g: Any, op: Any) -> str:
    g.need(16, op.op.type)
    mode = op.attr("mode")
    if g.opset >= 20 and mode == "bilinear":
        mode = "linear"
    return g.GridSample(
        op["X"],
        op["Grid"],
        mode=mode,
        padding_mode=op.attr("padding_mode"),
        align_corners=int(bool(op.attr("align_corners"))),
    )


@rule("unfold")
def _(g: Any, op: Any) -> str:
    _, c, h, w = op.shape("X")
    if -1 in (c, h, w):
        raise op.refuse("planes of sizes that only a run can tell")
    kernel, strides = op.ints("kernel_sizes"), op.ints("strides")
    top, left, bottom, right = op.ints("paddings")
    dilations = op.ints("dilations")
    x = op["X"]
    if any((top, left, bottom, right)):
        x = g.pad(x, [0, 0, top, left, 0, 0, bottom, right])
    down = _places(h + top + bottom, kernel[0], strides[0], dilations[0])
    across = _places(w + left + right, kernel[1], strides[1], dilations[1])
    rows = g.Gather(x, down, axis=2)  # [n, c, kernel, rows, w]
    cells = g.Gather(rows, across, axis=4)  # [n, c, kernel, rows, kernel, columns]
    turned = g.Transpose(cells, perm=[0, 1, 2, 4, 3, 5])
    return g.Reshape(turned, [-1, c * kernel[0] * kernel[1], down.shape[1] * across.shape[1]])


def _places(size: int, kernel: int, stride: int, dilation: int) -> np.ndarray:
    """For each element of the window and each window the place it takes."""
    count = (size - dilation * (kernel - 1) - 1) // stride + 1
    within = np.arange(kernel, dtype=np.int64)[:, None] * dilation
    return within + np.arange(count, dtype=np.int64)[None] * stride


@rule("fold")
def _(g: Any, op: Any) -> str:
    g.need(18, op.op.type)
    pads = op.ints("paddings")
    return g.Col2Im(
        op["X"],
        op.ints("output_sizes"),
        op.ints("kernel_sizes"),
        strides=op.ints("strides"),
        dilations=op.ints("dilations"),
        pads=pads if len(pads) == 4 else pads * 2,
    )
