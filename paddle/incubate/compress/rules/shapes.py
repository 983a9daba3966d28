"""Channels through operators that change shapes, join and divide."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.incubate.compress.reshaping import reshaped, stand_ins, wanted_sizes
from paddle.incubate.compress.rules.windows import channel_axis
from paddle.incubate.compress.step import Step, rule
from paddle.incubate.compress.units import Labels


def _axes(value: Any, rank: int) -> list[int]:
    found = value if isinstance(value, (list, tuple)) else [value]
    return [int(axis) % rank for axis in found]


@rule("reshape", "reshape2")
def _reshape(step: Step) -> None:
    """Axes become one, or are divided; an attribute may have constants of a Layer's code."""
    name = step.name("X")
    if name is None:
        return
    labels, sizes = step.labels(name), stand_ins(step.shape(name))
    asked = [int(n) for n in step.op.attrs.get("shape", [])]
    unknown = bool(step.names("Shape")) or sum(n < 0 for n in asked) > 1
    after = None if unknown else wanted_sizes(sizes, asked)
    if after is None:
        return step.fix_all([name], f"{step.shown()} gives them a shape that is not known before")
    made = reshaped(
        step.channels, labels, sizes, after, f"{step.shown()} mixes them with other values"
    )
    for i, own in enumerate(made):
        if own is None or asked[i] <= 0:
            continue
        step.record.counted = True
        if not step.record.trusted:
            step.channels.fix(own, f"{step.shown()} has their number {asked[i]} as a constant")
    step.put("Out", made)
    step.put_shape(labels)


@rule("flatten", "flatten2", "flatten_contiguous_range", "squeeze", "squeeze2", "unsqueeze",
      "unsqueeze2")  # fmt: skip
def _folded(step: Step) -> None:
    """Axes become one, or those of size 1 come and go."""
    name = step.name("X")
    if name is None or step.names("AxesTensor") or step.names("AxesTensorList"):
        return
    sizes = stand_ins(step.shape(name))
    attrs, kind, rank = step.op.attrs, step.op.type, len(sizes)
    if kind in ("flatten", "flatten2"):
        at = int(attrs.get("axis", 1))
        after = [int(np.prod(sizes[:at])), int(np.prod(sizes[at:]))]
    elif kind == "flatten_contiguous_range":
        first = int(attrs.get("start_axis", 1)) % rank
        last = int(attrs.get("stop_axis", 1)) % rank
        after = [*sizes[:first], int(np.prod(sizes[first : last + 1])), *sizes[last + 1 :]]
    elif kind in ("squeeze", "squeeze2"):
        gone = _axes(attrs.get("axes", []), rank) or range(rank)
        after = [n for i, n in enumerate(sizes) if not (i in gone and n == 1)]
    else:
        after = list(sizes)
        for axis in attrs.get("axes", []):
            after.insert(axis if axis >= 0 else len(after) + 1 + axis, 1)
    made = reshaped(
        step.channels, step.labels(name), sizes, after, f"{step.shown()} mixes them with others"
    )
    step.put("Out", made)
    step.put_shape(step.labels(name))


@rule("shape")
def _shape(step: Step) -> None:
    """Sizes as numbers of a run, which follow by themselves."""


@rule("transpose", "transpose2")
def _transpose(step: Step) -> None:
    name = step.name("X")
    if name is None:
        return
    labels = step.labels(name)
    step.put("Out", [labels[i] for i in _axes(step.op.attrs["axis"], len(labels))])
    step.put_shape(labels)


@rule("concat")
def _concat(step: Step) -> None:
    """One behind the other along an axis; along the others they are the same."""
    names = step.names("X")
    parts = [step.labels(name) for name in names]
    rank = len(parts[0])
    if step.names("AxisTensor"):
        return step.fix_all(names, f"{step.shown()} gets its axis from a variable")
    axis = int(step.op.attrs.get("axis", 0)) % rank
    made: Labels = list(parts[0])
    for i in range(rank):
        if i == axis:
            made[i] = _behind(step, names, [part[i] for part in parts], axis)
            continue
        for name, part in zip(names[1:], parts[1:], strict=True):
            made[i] = step.channels.meet(made[i], part[i], step.why("", name))
    step.put("Out", made)


def _behind(step: Step, names: list[str], parts: Labels, axis: int) -> np.ndarray | None:
    """Channels of several variables in one axis; those that come from outside are new and stay."""
    if all(part is None for part in parts):
        return None
    made = []
    for name, part in zip(names, parts, strict=True):
        if part is None:
            size = step.shape(name)[axis]
            if size < 0:
                step.fix_axes(name, [axis])
                for other in parts:
                    step.channels.fix(other, f"{step.shown()} puts them behind {name!r}")
                return None
            part = step.channels.new(size)
            step.channels.fix(part, f"they come from {name!r}, whose channels are given")
        made.append(part)
    return np.concatenate(made)


@rule("split")
def _split(step: Step) -> None:
    """Parts along an axis; equal ones lose the same places."""
    name = step.name("X")
    if name is None:
        return
    labels, made = step.labels(name), step.op.outputs["Out"]
    if step.names("AxisTensor") or step.names("SectionsTensorList"):
        return step.fix_all([name], f"{step.shown()} gets its sizes from variables")
    axis = int(step.op.attrs.get("axis", 0)) % len(labels)
    own = labels[axis]
    sizes = [step.shape(part)[axis] for part in made]
    sections = step.op.attrs.get("sections")
    if own is not None and sections:
        step.record.counted = True
        if not step.record.trusted:
            step.fix_axes(name, [axis], "has the sizes of their parts as constants")
    parts: list[np.ndarray | None] = [None] * len(made)
    if own is not None and sum(sizes) == len(own):
        ends = np.cumsum(sizes)[:-1]
        parts = list(np.split(own, ends))
        if not sections:
            for part in parts[1:]:
                assert part is not None and parts[0] is not None
                step.channels.tie(parts[0], part)
    elif own is not None:
        step.fix_axes(name, [axis])
    for at, part in enumerate(parts):
        step.put("Out", [part if i == axis else o for i, o in enumerate(labels)], at)


@rule("stack")
def _stack(step: Step) -> None:
    """Variables of one shape along a new axis."""
    names = step.names("X")
    made = list(step.labels(names[0]))
    for name in names[1:]:
        for i, other in enumerate(step.labels(name)):
            made[i] = step.channels.meet(made[i], other, step.why("", name))
    at = int(step.op.attrs.get("axis", 0)) % (len(made) + 1)
    step.put("Y", [*made[:at], None, *made[at:]])


@rule("slice")
def _slice(step: Step) -> None:
    """A part along some axes, which have to stay; the others go on."""
    name = step.name("Input")
    if name is None:
        return
    labels = step.labels(name)
    axes = _axes(step.op.attrs.get("axes", []), len(labels))
    step.fix_axes(name, axes, "takes some of them by number")
    gone = _axes(step.op.attrs.get("decrease_axis") or [], len(labels))
    kept = [None if i in axes else own for i, own in enumerate(labels)]
    step.put("Out", [own for i, own in enumerate(kept) if i not in gone])


@rule("reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod")
def _reduce(step: Step) -> None:
    """Axes that are summed up; channels among them would be missed, except in a sum."""
    name = step.name("X")
    if name is None:
        return
    labels, attrs = step.labels(name), step.op.attrs
    rank = len(labels)
    axes = range(rank) if attrs.get("reduce_all") else _axes(attrs.get("dim", [0]), rank)
    if step.op.type != "reduce_sum":
        step.fix_axes(name, axes)
    if attrs.get("keep_dim"):
        step.put("Out", [None if i in axes else own for i, own in enumerate(labels)])
    else:
        step.put("Out", [own for i, own in enumerate(labels) if i not in axes])


@rule("shuffle_channel", "channel_shuffle")
def _shuffle(step: Step) -> None:
    """Channels of the same place in each group come beside each other."""
    name = step.name("X")
    if name is None:
        return
    labels = step.labels(name)
    axis = channel_axis(step, len(labels))
    own = labels[axis]
    if own is not None:
        parts = own.reshape(int(step.op.attrs.get("group", step.op.attrs.get("groups", 1))), -1)
        for part in parts[1:]:
            step.channels.tie(parts[0], part)
        own = np.repeat(parts[0], len(parts))
    step.put("Out", [own if i == axis else other for i, other in enumerate(labels)])


@rule("pixel_shuffle")
def _pixel_shuffle(step: Step) -> None:
    """Channels that become the places of a square go together."""
    name = step.name("X")
    if name is None:
        return
    labels = step.labels(name)
    axis = channel_axis(step, len(labels))
    own = labels[axis]
    step.fix_axes(name, [i for i in range(len(labels)) if i not in (0, axis)])
    if own is not None:
        parts = own.reshape(-1, int(step.op.attrs["upscale_factor"]) ** 2)
        for at in range(1, parts.shape[1]):
            step.channels.tie(parts[:, 0], parts[:, at])
        own = parts[:, 0].copy()
    step.put("Out", [own if i == axis else None for i in range(len(labels))])
