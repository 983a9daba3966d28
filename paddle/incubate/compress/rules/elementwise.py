"""Channels through operators that go element by element."""

from __future__ import annotations

from paddle.core.op import OpDef
from paddle.incubate.compress.step import RULES, Rule, Step, rule
from paddle.incubate.compress.units import Labels

# Their shape rules have names too, but they compute a value from several along an axis, or move it
# there.
_MIXING = frozenset({
    "add_position_encoding", "channel_shuffle", "clip_by_norm", "cross", "cumprod", "fill_diagonal",
    "flip", "fused_softmax_mask_upper_triangle", "gumbel_softmax", "label_smooth",
    "log_softmax", "lrn", "matrix_power", "polygon_box_transform", "renorm", "reverse", "roll",
    "row_conv", "sequence_reverse", "sequence_softmax", "shuffle_channel", "softmax",
    "spectral_norm", "temporal_shift", "tril_triu",
})  # fmt: skip


def rule_of(op_type: str, known: OpDef | None) -> Rule | None:
    """Returns the rule of an operator, or None.

    Args:
        op_type (str): its type.
        known (OpDef|None): what is declared of it.
    """
    found = RULES.get(op_type)
    if found is not None or known is None or op_type in _MIXING:
        return found
    if known.infer in ("broadcast", "compare"):
        return _broadcast
    if isinstance(known.infer, str) and len(known.inputs) == 1 and not known.inputs[0].many:
        return _same
    return None


@rule("assign", "cast", "dropout", "share_data", "fake_quantize_dequantize_abs_max",
      "fake_quantize_dequantize_moving_average_abs_max", "moving_average_abs_max_scale",
      "fake_channel_wise_quantize_dequantize_abs_max", "fill_any_like",
      "fill_zeros_like")  # fmt: skip
def _same(step: Step) -> None:
    """The result has the channels of the first input."""
    known = step.op.declared
    first = known.inputs[0].name if known is not None else step.op.input_names[0]
    name = step.name(first)
    if name is None:
        return
    labels = step.labels(name)
    for slot in step.op.outputs:
        for at, made in enumerate(step.op.outputs[slot]):
            if len(step.shape(made)) == len(labels):
                step.put(slot, labels, at)


def _broadcast(step: Step) -> None:
    """Two operands, of which the smaller one lies along some axes of the other."""
    first, second = step.name("X"), step.name("Y")
    if first is None or second is None:
        return
    x, y = step.shape(first), step.shape(second)
    start = int(step.op.attrs.get("axis", -1))
    rank = max(len(x), len(y))
    start = rank - min(len(x), len(y)) if start < 0 else start
    left, right = step.labels(first), step.labels(second)
    if len(x) >= len(y):
        y, right = _aligned(y, right, start, rank)
    else:
        x, left = _aligned(x, left, start, rank)
    made: Labels = []
    for i in range(rank):
        if x[i] == 1 or y[i] == 1:
            made.append(right[i] if x[i] == 1 else left[i])
            continue
        missing = second if right[i] is None else first
        made.append(step.channels.meet(left[i], right[i], step.why("", missing)))
    step.put("Out", made)


def _aligned(shape: list[int], labels: Labels, start: int, rank: int) -> tuple[list[int], Labels]:
    after = rank - start - len(shape)
    ones: list[int] = [1] * start
    nothing: Labels = [None] * start
    return ones + shape + [1] * after, nothing + labels + [None] * after


@rule("sum")
def _sum(step: Step) -> None:
    """Several operands of one shape."""
    names = step.names("X")
    made = step.labels(names[0])
    for other in names[1:]:
        labels = step.labels(other)
        for i in range(min(len(made), len(labels))):
            missing = other if labels[i] is None else names[0]
            made[i] = step.channels.meet(made[i], labels[i], step.why("", missing))
    step.put("Out", made)


@rule("softmax", "log_softmax", "gumbel_softmax", "cumsum", "argsort", "cumprod")
def _along_axis(step: Step) -> None:
    """Values along one axis are computed together, so that it has to stay."""
    name = step.name("X")
    if name is None:
        return
    labels = step.labels(name)
    axis = int(step.op.attrs.get("axis", step.op.attrs.get("dim", -1))) % max(len(labels), 1)
    step.fix_axes(name, [axis])
    for slot, made in step.op.outputs.items():
        if made and len(step.shape(made[0])) == len(labels):
            step.put(slot, [None if i == axis else own for i, own in enumerate(labels)])


@rule("prelu")
def _prelu(step: Step) -> None:
    """A slope for all, for each channel, or for each value."""
    name, alpha = step.name("X"), step.name("Alpha")
    if name is None or alpha is None:
        return
    labels, own, mode = step.labels(name), step.labels(alpha), step.op.attrs.get("mode")
    reason = step.why("X")
    if mode == "channel":
        last = str(step.op.attrs.get("data_format", "NCHW")).endswith("C")
        axis = len(labels) - 1 if last else 1
        tracked = [a for a in own if a is not None]
        for each in tracked:
            step.channels.meet(labels[axis], each, reason)
        if not tracked and step.shape(alpha) != [1] and step.shape(name)[axis] != 1:
            step.fix_axes(name, [axis], "has slopes that are given")
    elif mode == "element":
        sizes = step.shape(name)
        for i in range(1, len(labels)):
            if sizes[i] != 1:
                step.channels.meet(labels[i], own[i], reason)
    step.put("Out", labels)
