"""Channels through operators that compute from neighbours in the picture, each channel alone."""

from __future__ import annotations

from paddle.incubate.compress.step import Step, rule


def channel_axis(step: Step, rank: int) -> int:
    """The axis of the channels, by the operator's layout.

    Args:
        step (Step): the operator.
        rank (int): of its input.
    """
    attrs = step.op.attrs
    layout = str(attrs.get("data_format", attrs.get("data_layout", "NCHW")))
    return rank - 1 if layout in ("NHWC", "NDHWC", "NLC", "NWC") else 1


@rule("pool2d", "pool3d", "max_pool2d_with_index", "max_pool3d_with_index", "unpool",
      "bilinear_interp", "bilinear_interp_v2", "nearest_interp", "nearest_interp_v2",
      "bicubic_interp", "bicubic_interp_v2", "trilinear_interp", "trilinear_interp_v2",
      "linear_interp", "linear_interp_v2", "pad2d", "pad3d", "grid_sampler")  # fmt: skip
def _windows(step: Step) -> None:
    """Batch and channels go on; the picture's own axes have to stay."""
    name = step.name("X")
    if name is None:
        return
    labels = step.labels(name)
    axis = channel_axis(step, len(labels))
    kept = [own if i in (0, axis) else None for i, own in enumerate(labels)]
    step.fix_axes(name, [i for i in range(len(labels)) if i not in (0, axis)])
    others = [n for slot in step.op.inputs if slot != "X" for n in step.names(slot)]
    step.fix_all(others, f"{step.shown()} reads them")
    for slot in step.op.outputs:
        step.put(slot, kept)


@rule("pad")
def _pad(step: Step) -> None:
    """Axes that get longer have to stay."""
    name = step.name("X")
    if name is None:
        return
    labels, paddings = step.labels(name), list(step.op.attrs.get("paddings", []))
    padded = [i for i in range(len(labels)) if any(paddings[2 * i : 2 * i + 2])]
    step.fix_axes(name, padded, "adds values to them")
    step.put("Out", [None if i in padded else own for i, own in enumerate(labels)])
