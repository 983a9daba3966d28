"""Rules of operators that move numbers about: sizes, parts, copies, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paddle.inference.lite_export.first_sizes import first_sizes
from paddle.inference.lite_export.rules import (
    Refused,
    attrs_of,
    binary,
    input_of,
    keep,
    nchw,
    output_of,
    rule,
    without,
)
from paddle.ir.operator import Operator

if TYPE_CHECKING:
    from paddle.inference.lite_export.lowering import Lowering


def _axes(op: Operator, rank: int) -> list[int]:
    without(op, "AxesTensor", "AxesTensorList")
    given = attrs_of(op)["axes"]
    return [a % rank for a in (given if isinstance(given, (list, tuple)) else [given])]


@rule("reshape2 reshape")
def _reshape(at: Lowering, op: Operator) -> None:
    without(op, "Shape")
    if at.passes_sizes(input_of(op, "X"), output_of(op)):
        return
    x, sizes = input_of(op, "X"), [s or keep(i) for i, s in enumerate(attrs_of(op)["shape"])]
    if names := op.inputs.get("ShapeTensor"):
        sizes = [_size(at, x, name) for name in names]
        if None in sizes and (-1 in sizes or sizes.count(None) > 1):
            raise Refused("its sizes are those of another variable, and open; use 0 or -1 for them")
        sizes = [-1 if s is None else s for s in sizes]  # one alone is what is left
    at.add("reshape", [x], output_of(op), sizes)


def _size(at: Lowering, x: str, name: str) -> int | None:
    """One size for a reshape of a variable; None: it is another variable's, and open."""
    if (value := at.value(name)) is not None:
        return int(value.reshape(-1)[0]) or keep(0)
    if len(at.sizes.get(name, ())) != 1:
        raise Refused("its sizes are computed in each run, and are not those of a variable")
    other, axis = at.sizes[name][0]
    first = first_sizes(at.made.steps, at.made.constants) if axis == 0 else {}
    return keep(axis) if first.get(other, other) == first.get(x, x) else None


@rule("shape")
def _shape(at: Lowering, op: Operator) -> None:
    """Nothing is computed: what reads it, a slice and then a reshape, keeps sizes by their axis."""
    x = input_of(op, "Input")
    at.sizes[output_of(op)] = [(x, i) for i in range(len(at.shape(x)))]


@rule("flatten_contiguous_range flatten2 flatten")
def _flatten(at: Lowering, op: Operator) -> None:
    a, shape = attrs_of(op), at.shape(input_of(op, "X"))
    if op.type == "flatten_contiguous_range":
        first, last = a["start_axis"] % len(shape), a["stop_axis"] % len(shape)
        joined = [-1] if first < last else [keep(first)]
        rest = [keep(i) for i in range(last + 1, len(shape))]
        sizes = [*(keep(i) for i in range(first)), *joined, *rest]
    else:
        parts = shape[: a["axis"]], shape[a["axis"] :]
        known = [-1 if -1 in part else int(np.prod(part)) for part in parts]
        if known == [-1, -1] and len(parts[0]) > 1:
            raise Refused("sizes on both sides of its axis are open")
        sizes = [keep(0), -1] if len(parts[0]) == 1 else known
    at.add("reshape", [input_of(op, "X")], output_of(op), sizes)


@rule("squeeze2 squeeze")
def _squeeze(at: Lowering, op: Operator) -> None:
    shape = at.shape(input_of(op, "X"))
    axes = _axes(op, len(shape))
    if not axes and -1 in shape:
        raise Refused("it names no axes, and a size is open")
    gone = {i for i in axes or range(len(shape)) if shape[i] in (1, -1)}  # open: has to be 1
    sizes = [keep(i) for i in range(len(shape)) if i not in gone]
    at.add("reshape", [input_of(op, "X")], output_of(op), sizes or [1])


@rule("unsqueeze2 unsqueeze")
def _unsqueeze(at: Lowering, op: Operator) -> None:
    without(op, "AxesTensor", "AxesTensorList")
    sizes = [keep(i) for i in range(len(at.shape(input_of(op, "X"))))]
    for axis in attrs_of(op)["axes"]:
        sizes.insert(axis if axis >= 0 else axis + len(sizes) + 1, 1)
    at.add("reshape", [input_of(op, "X")], output_of(op), sizes)


@rule("transpose2 transpose")
def _transpose(at: Lowering, op: Operator) -> None:
    at.add("transpose", [input_of(op, "X")], output_of(op), attrs_of(op)["axis"])


@rule("concat")
def _concat(at: Lowering, op: Operator) -> None:
    without(op, "AxisTensor")
    at.add("concat", op.inputs["X"], output_of(op), [attrs_of(op)["axis"]])


@rule("stack")
def _stack(at: Lowering, op: Operator) -> None:
    names, out = op.inputs["X"], output_of(op, "Y")
    rank = len(at.shape(names[0]))
    axis = attrs_of(op)["axis"] % (rank + 1)
    sizes = [keep(i) for i in range(rank)]
    parts = [f"{out}@PART_{i}" for i in range(len(names))]
    for name, part in zip(names, parts):
        at.add("reshape", [name], part, [*sizes[:axis], 1, *sizes[axis:]])
    at.add("concat", parts, out, [axis])


@rule("split")
def _split(at: Lowering, op: Operator) -> None:
    without(op, "AxisTensor", "SectionsTensorList")
    a, shape, outs = attrs_of(op), at.shape(input_of(op, "X")), op.outputs["Out"]
    axis = a["axis"] % len(shape)
    sizes = list(a["sections"])
    if shape[axis] < 0 and (a["num"] or -1 in sizes):
        raise Refused("the size that it splits is open")
    if a["num"]:
        sizes = [shape[axis] // len(outs)] * len(outs)
    elif -1 in sizes:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    ends = np.cumsum(sizes)
    for name, size, end in zip(outs, sizes, ends):
        at.add("slice", [input_of(op, "X")], name, [axis, end - size, end, 1])


@rule("unstack unbind")
def _unstack(at: Lowering, op: Operator) -> None:
    x, outs = input_of(op, "X"), op.outputs["Y" if op.type == "unstack" else "Out"]
    rank = len(at.shape(x))
    axis = attrs_of(op)["axis"] % rank
    sizes = [keep(i) for i in range(rank) if i != axis] or [1]
    for i, name in enumerate(outs):
        at.add("slice", [x], name + "@WHOLE", [axis, i, i + 1, 1])
        at.add("reshape", [name + "@WHOLE"], name, sizes)


def _end(end: int, step: int, size: int) -> int:
    """The end of a slice as Python has it: only -1 lets a step backwards take what comes first."""
    if step > 0 or end >= 0:
        return end
    if end == -1:
        return -(2**31)
    if size < 0:
        raise Refused("it goes backwards to an end that depends on an open size")
    return max(end + size, 0)


@rule("slice strided_slice")
def _slice(at: Lowering, op: Operator) -> None:
    for kind in ("Starts", "Ends", "Strides"):
        without(op, kind + "Tensor", kind + "TensorList")
    a, out, x = attrs_of(op), output_of(op), input_of(op, "Input")
    if x in at.sizes:
        step = (a.get("strides") or [1])[0]
        at.sizes[out] = at.sizes[x][a["starts"][0] : a["ends"][0] : step]
        return
    gone, rank = {i % len(at.shape(x)) for i in a["decrease_axis"]}, len(at.shape(x))
    steps, shape = a.get("strides") or [1] * len(a["axes"]), at.shape(x)
    ends = [_end(e, s, shape[i]) for i, e, s in zip(a["axes"], a["ends"], steps)]
    rows = zip(a["axes"], a["starts"], ends, steps)
    at.add("slice", [x], out + "@WHOLE" if gone else out, [v for row in rows for v in row])
    if gone:
        sizes = [keep(i) for i in range(rank) if i not in gone]
        at.add("reshape", [out + "@WHOLE"], out, sizes or [1])


@rule("flip")
def _flip(at: Lowering, op: Operator) -> None:
    rows = [v for axis in attrs_of(op)["axis"] for v in (axis, -1, -(2**31), -1)]
    at.add("slice", [input_of(op, "X")], output_of(op), rows)


_MODES = {"constant": 0, "reflect": 1, "replicate": 2, "edge": 2}


@rule("pad pad2d pad3d")
def _pad(at: Lowering, op: Operator) -> None:
    a, rank = attrs_of(op), len(at.shape(input_of(op, "X")))
    given, mode = list(a["paddings"]), a.get("mode", "constant")
    if _tensor := input_of(op, "Paddings"):
        value = at.value(_tensor)
        if value is None:
            raise Refused("its paddings are computed in each run")
        given = [int(v) for v in value.reshape(-1)]
    if op.type != "pad":
        nchw({**a, "data_format": a["data_format"].replace("CD", "C")})
        pairs = [given[i : i + 2] for i in range(0, len(given), 2)]
        turned = pairs[::-1] if op.type == "pad3d" else pairs  # width first, or height first
        given = [0] * 4 + [v for pair in turned for v in pair]
    if mode not in _MODES or len(given) != 2 * rank or min(given) < 0:
        raise Refused(f"its mode is {mode!r}, or a padding is negative")
    value = a["value"] if op.type == "pad3d" else a["pad_value"]
    at.add("pad", [input_of(op, "X")], output_of(op), [_MODES[mode], *given], [value])


@rule("expand_v2 expand_as_v2")
def _expand(at: Lowering, op: Operator) -> None:
    without(op, "Shape", "expand_shapes_tensor")
    a, given = attrs_of(op), at.shape(input_of(op, "X"))
    sizes = list(a["shape"] if op.type == "expand_v2" else a["target_shape"])
    if op.type == "expand_as_v2" and input_of(op, "Y"):
        sizes = list(at.shape(input_of(op, "Y")))
        if any(s == -1 and g != -1 for s, g in zip(sizes[::-1], [*given[::-1], *[1] * 8])):
            raise Refused("an open size of its second operand is not one of the first")
    old = [1] * (len(sizes) - len(given)) + list(given)
    _stretch(at, op, [1 if s == -1 or s == g else s for s, g in zip(sizes, old)])


def _stretch(at: Lowering, op: Operator, sizes: list[int]) -> None:
    """Stretches sizes of 1, by zeros that are added."""
    x, out = input_of(op, "X"), output_of(op)
    zeros = at.constant(out + "@ZEROS", np.zeros(sizes, at.runtime_dtype(x)))
    binary(at, "add", x, zeros, out)


@rule("tile expand")
def _tile(at: Lowering, op: Operator) -> None:
    without(op, "RepeatTimes", "repeat_times_tensor", "ExpandTimes", "expand_times_tensor")
    x, out, a = input_of(op, "X"), output_of(op), attrs_of(op)
    times, shape = list(a["repeat_times" if op.type == "tile" else "expand_times"]), at.shape(x)
    rank = max(len(times), len(shape))
    times = [1] * (rank - len(times)) + times
    shape = (*[1] * (rank - len(shape)), *shape)
    if all(s == 1 or n == 1 for s, n in zip(shape, times)):
        _stretch(at, op, times)
        return
    sizes = [keep(i) for i in range(len(at.shape(x)))]
    at.add("reshape", [x], out + "@BEFORE", [1] * (rank - len(sizes)) + sizes)
    x = out + "@BEFORE"
    for axis, count in enumerate(times):
        if count > 1:
            at.add("concat", [x] * count, f"{out}@AXIS_{axis}", [axis])
            x = f"{out}@AXIS_{axis}"
    at.add("reshape", [x], out, [keep(i) for i in range(rank)])


@rule("index_select gather")
def _gather(at: Lowering, op: Operator) -> None:
    a, ids = attrs_of(op), input_of(op, "Index")
    axis = a["dim"] if op.type == "index_select" else a["axis"]
    if input_of(op, "Axis"):
        value = at.value(input_of(op, "Axis"))
        if value is None:
            raise Refused("its axis is computed in each run")
        axis = int(value.reshape(-1)[0])
    if len(at.shape(ids)) != 1:
        at.add("reshape", [ids], output_of(op) + "@PLACES", [-1])
        ids = output_of(op) + "@PLACES"
    at.add("gather", [ids, input_of(op, "X")], output_of(op), [axis])


@rule("lookup_table lookup_table_v2")
def _embedding(at: Lowering, op: Operator) -> None:
    a, ids, weight, out = attrs_of(op), input_of(op, "Ids"), input_of(op, "W"), output_of(op)
    value = at.value(weight)
    if value is None:
        raise Refused("its weight is computed in each run")
    if a["padding_idx"] != -1:
        value = value.copy()
        value[a["padding_idx"]] = 0
        weight = at.constant(f"{weight}@PADDED_{a['padding_idx'] % len(value)}", value)
    if op.type == "lookup_table":
        at.add("reshape", [ids], out + "@IDS", [keep(i) for i in range(len(at.shape(ids)) - 1)])
        ids = out + "@IDS"
    at.made.channels[weight] = 0
    at.add("gather", [ids, weight], out, [0])


@rule("nearest_interp nearest_interp_v2 bilinear_interp bilinear_interp_v2")
def _interpolate(at: Lowering, op: Operator) -> None:
    a = attrs_of(op)
    nchw(a)
    without(op, "OutSize", "SizeTensor", "Scale")
    given = a["scale"] if isinstance(a["scale"], (list, tuple)) else [a["scale"]]
    scale = [float(s) for s in given] or [0.0]
    scale = scale * 2 if len(scale) == 1 else scale
    if min(scale) <= 0 and min(a["out_h"], a["out_w"]) <= 0:
        raise Refused("neither its size nor a scale is given")
    ints = [op.type.startswith("bilinear"), a["align_corners"], a["align_mode"]]
    sizes = [0, 0] if min(scale) > 0 else [a["out_h"], a["out_w"]]
    at.add("interpolate", [input_of(op, "X")], output_of(op), [*ints, *sizes], scale)
