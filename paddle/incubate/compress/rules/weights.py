"""Channels through operators that have weights: convolutions, products, norms, tables."""

from __future__ import annotations

import numpy as np

from paddle.incubate.compress.reshaping import reshaped, stand_ins
from paddle.incubate.compress.rules.windows import channel_axis
from paddle.incubate.compress.step import Step, rule
from paddle.incubate.compress.units import Labels


@rule("conv2d", "conv3d", "depthwise_conv2d", "conv2d_transpose", "conv3d_transpose",
      "depthwise_conv2d_transpose")  # fmt: skip
def _conv(step: Step) -> None:
    """Weights lie as [out, in / groups, ...]; of transposed ones as [in, out / groups, ...]."""
    source, weight = step.name("Input"), step.name("Filter")
    assert source is not None and weight is not None
    x, w = step.labels(source), step.labels(weight)
    axis = channel_axis(step, len(x))
    sizes, groups = step.shape(weight), max(int(step.op.attrs.get("groups", 1)), 1)
    step.fix_axes(weight, range(2, len(w)), "slides them over a picture")
    step.fix_axes(source, [i for i in range(len(x)) if i not in (0, axis)])
    transposed = "transpose" in step.op.type
    own, other = (0, 1) if not transposed else (1, 0)
    into, out = x[axis], w[own]
    if groups == 1:
        step.channels.meet(into, w[other], step.why("Input"))
    elif sizes[other] == (groups if transposed else 1):
        out = _depthwise(step, into, w[0], w[own] if transposed else None, groups)
    else:
        out = _grouped(step, into, w, groups, transposed)
    depthwise = groups > 1 and sizes[other] == (groups if transposed else 1)
    step.makes(w[0] if depthwise else w[own], scored=not depthwise)
    for name in step.names("Bias"):
        out = step.channels.meet(out, step.labels(name)[0], step.why("Input", name))
    for name in step.names("ResidualData"):
        out = step.channels.meet(out, step.labels(name)[axis], step.why("Input", name))
    made: Labels = [None] * len(x)
    made[0], made[axis] = x[0], out
    step.put("Output", made)


def _depthwise(
    step: Step,
    into: np.ndarray | None,
    rows: np.ndarray | None,
    own: np.ndarray | None,
    groups: int,
) -> np.ndarray | None:
    """Each channel has filters of its own, which go with it."""
    if own is not None:  # transposed, with several results for a channel
        step.channels.fix(own, f"{step.shown()} makes them of one channel each")
        step.channels.fix(into, f"{step.shown()} makes several channels of each")
        step.channels.fix(rows, f"{step.shown()} makes several channels of each")
        return None
    if rows is None or into is None:
        step.channels.fix(rows, step.why("Input"))
        step.channels.fix(into, step.why("Filter"))
        return rows
    step.channels.tie(np.repeat(into, len(rows) // groups), rows)
    return rows


def _grouped(
    step: Step, into: np.ndarray | None, w: Labels, groups: int, transposed: bool
) -> np.ndarray | None:
    """All groups lose the same places."""
    of_input, of_output = (w[0], w[1]) if transposed else (w[1], w[0])

    def tied(axis: np.ndarray | None) -> np.ndarray | None:
        """The channels of the first group, after those of the others go with them."""
        if axis is None:
            return None
        parts = axis.reshape(groups, -1)
        for part in parts[1:]:
            step.channels.tie(parts[0], part)
        return parts[0]

    inside = tied(into)
    if transposed:
        step.channels.meet(inside, tied(of_input), step.why("Input"))
        return None if of_output is None else np.tile(of_output, groups)
    step.channels.meet(inside, of_input, step.why("Input"))
    tied(of_output)
    return of_output


@rule("mul", "fc")
def _mul(step: Step) -> None:
    """A product of matrices that x's leading and y's trailing axes become."""
    first, weight = ("Input", "W") if step.op.type == "fc" else ("X", "Y")
    source, other = step.name(first), step.name(weight)
    assert source is not None and other is not None
    x, sizes = step.labels(source), stand_ins(step.shape(source))
    at = int(step.op.attrs.get("x_num_col_dims", step.op.attrs.get("in_num_col_dims", 1)))
    y = step.labels(other)
    if len(y) != 2 or int(step.op.attrs.get("y_num_col_dims", 1)) != 1:
        return step.fix_all([source, other], f"{step.shown()} has a weight of {len(y)} axes")
    reason = f"{step.shown()} mixes them with other values"
    flat = reshaped(step.channels, x[at:], sizes[at:], [int(np.prod(sizes[at:]))], reason)
    if step.shape(other)[0] != 1:
        step.channels.meet(flat[0], y[0], step.why(first))
    for name in step.names("Bias"):
        for axis in step.labels(name):
            if axis is not None and y[1] is not None and len(axis) == len(y[1]):
                step.channels.tie(y[1], axis)
    step.makes(y[1])
    step.put("Out", [*x[:at], y[1]])


@rule("matmul", "matmul_v2")
def _matmul(step: Step) -> None:
    """A product of matrices; leading axes are broadcast."""
    first, second = step.name("X"), step.name("Y")
    assert first is not None and second is not None
    x, y = list(step.labels(first)), list(step.labels(second))
    sizes, others = step.shape(first), step.shape(second)
    if min(len(x), len(y)) < 2:
        return step.fix_all([first, second], f"{step.shown()} multiplies a vector")
    attrs = step.op.attrs
    if attrs.get("trans_x", attrs.get("transpose_X", False)):
        x[-2:], sizes[-2:] = x[:-3:-1], sizes[:-3:-1]
    if attrs.get("trans_y", attrs.get("transpose_Y", False)):
        y[-2:], others[-2:] = y[:-3:-1], others[:-3:-1]
    if sizes[-1] != 1:
        step.channels.meet(x[-1], y[-2], step.why("", second if y[-2] is None else first))
    if second in step.view.stored or len(y) == 2:
        step.makes(y[-1])
    made: Labels = []
    for i in range(max(len(x), len(y)) - 2, 0, -1):
        left, right = _leading(x, sizes, i), _leading(y, others, i)
        if left is None or right is None:
            made.append((left or right or (None, 1))[0])
        elif left[1] == 1 or right[1] == 1:
            made.append(right[0] if left[1] == 1 else left[0])
        else:
            made.append(step.channels.meet(left[0], right[0], step.why("X")))
    step.put("Out", [*made, x[-2], y[-1]])


def _leading(labels: Labels, sizes: list[int], back: int) -> tuple[np.ndarray | None, int] | None:
    """The axis that lies ``back`` places before those of the matrix."""
    at = len(labels) - 2 - back
    return (labels[at], sizes[at]) if at >= 0 else None


@rule("batch_norm", "sync_batch_norm", "instance_norm", "group_norm", "affine_channel",
      "inplace_abn")  # fmt: skip
def _norm(step: Step) -> None:
    """Factors, terms and statistics for each channel; a group norm divides them into groups."""
    name = step.name("X")
    assert name is not None
    labels = step.labels(name)
    axis = channel_axis(step, len(labels))
    own = labels[axis]
    groups = int(step.op.attrs.get("groups", 1)) if step.op.type == "group_norm" else 1
    if own is not None and groups > 1:
        parts = own.reshape(groups, -1)
        for part in parts[1:]:
            step.channels.tie(parts[0], part)
    for slot in ("Scale", "Bias", "Mean", "Variance"):
        for held in step.names(slot):
            if step.shape(held) != [1]:
                own = step.channels.meet(own, step.labels(held)[0], step.why("X"))
    if step.op.type in ("batch_norm", "sync_batch_norm"):
        step.record.factors += [step.view.stored[n] for n in step.names("Scale")
                                if n in step.view.stored]  # fmt: skip
    for slot, made in step.op.outputs.items():
        if slot in ("Y", "Out"):
            step.put(slot, [own if i == axis else other for i, other in enumerate(labels)])
        elif own is not None and made and step.shape(made[0]) == [len(own)]:
            step.put(slot, [own])


@rule("layer_norm")
def _layer_norm(step: Step) -> None:
    """Factors and terms lie along the trailing axes, as one."""
    name = step.name("X")
    assert name is not None
    labels, sizes = step.labels(name), stand_ins(step.shape(name))
    at = int(step.op.attrs.get("begin_norm_axis", 1)) % len(labels)
    reason = f"{step.shown()} mixes them with other values"
    flat = reshaped(step.channels, labels[at:], sizes[at:], [int(np.prod(sizes[at:]))], reason)
    for slot in ("Scale", "Bias"):
        for held in step.names(slot):
            step.channels.meet(flat[0], step.labels(held)[0], step.why("X"))
    step.put("Y", labels)


@rule("lookup_table", "lookup_table_v2")
def _lookup(step: Step) -> None:
    """Rows of a table; its columns are channels."""
    table = step.name("W")
    assert table is not None
    step.fix_axes(table, [0], "looks rows up")
    made = step.op.outputs["Out"][0]
    columns = step.labels(table)[1]
    step.makes(columns)
    step.put("Out", [*[None] * (len(step.shape(made)) - 1), columns])
