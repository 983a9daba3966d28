"""Rules of what decodes step by step: best paths, beams, labels of CTC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.dtype import VarType
from paddle.onnx.graph import Body, Port
from paddle.onnx.rules.registry import rule
from paddle.onnx.step import Refused

_END = 2**31 - 1
Typed = tuple[str, VarType]  # a value and its element type


def scan(
    g: Any,
    states: list[Typed],
    sequences: list[Typed],
    outputs: list[VarType],
    step: Callable[[Any, list[str], list[str]], tuple[list[str], list[str]]],
    backward: bool = False,
) -> list[str]:
    """Adds a loop over the first dimension of some tensors.

    Args:
        g (Graph): where.
        states (list): what goes from step to step, at the beginning.
        sequences (list): what a step takes a slice of.
        outputs (list[VarType]): the types of what a step gives besides the states.
        step (callable): ``step(graph, states, slices) -> states, outputs``.
        backward (bool): the last step comes first.

    Returns:
        list[str]: the states in the end, then the outputs of all steps.
    """
    inner, types = g.inner(), [t for _, t in [*states, *sequences]]
    names = [g.model.fresh("step") for _ in types]
    count = len(states)
    ends, made = step(inner, names[:count], names[count:])
    results = [
        Port(inner.Identity(v), t, None) for v, t in zip([*ends, *made], [*types[:count], *outputs])
    ]
    body = Body(inner, [Port(n, t, None) for n, t in zip(names, types)], results)
    way = int(backward)
    found = g.node(
        "Scan", *[v for v, _ in [*states, *sequences]], outputs=len(results), body=body,
        num_scan_inputs=len(sequences), scan_input_directions=[way] * len(sequences),
        scan_output_directions=[way] * len(outputs) if outputs else None,
    )  # fmt: skip
    return [found] if isinstance(found, str) else found


@rule("gather_tree")
def _(g: Any, op: Any) -> str:
    ids, parents = op["Ids"], g.int64(op["Parents"], op.dtype("Parents"))
    width = g.rank0(op.sizes("Ids", [2]))
    beams = g.Range(np.array(0, np.int64), width, np.array(1, np.int64))
    first = g.Expand(beams, op.sizes("Ids", [1, 2]))

    def step(h: Any, states: list[str], slices: list[str]) -> tuple[list[str], list[str]]:
        found = h.GatherElements(slices[0], states[0], axis=1)
        return [h.GatherElements(slices[1], states[0], axis=1)], [found]

    kind = op.dtype("Ids")
    sequences = [(ids, kind), (parents, VarType.INT64)]
    return scan(g, [(first, VarType.INT64)], sequences, [kind], step, backward=True)[1]


def _inside(g: Any, lengths: str, steps: str) -> str:
    """Which steps of each sequence are before its end, [batch, steps]."""
    line = g.Range(np.array(0, np.int64), g.rank0(steps), np.array(1, np.int64))
    return g.Less(g.unsqueeze(line, [0]), g.Reshape(lengths, [-1, 1]))


def _backward(g: Any, last: str, sources: str) -> str:
    """The labels of the best paths, [batch, steps], from the last ones and where each came from."""

    def step(h: Any, states: list[str], slices: list[str]) -> tuple[list[str], list[str]]:
        found = h.GatherElements(slices[0], states[0], axis=1)
        return [found], [found]

    kind = VarType.INT64
    _, labels = scan(g, [(last, kind)], [(sources, kind)], [kind], step, backward=True)
    before = g.Transpose(g.squeeze(labels, [2]), perm=[1, 0])
    return g.Concat(before, last, axis=1)


@rule("crf_decoding")
def _(g: Any, op: Any) -> str:
    if op.rank("Emission") != 3:
        raise op.refuse("sequences of rows: ONNX's tensors have no levels (LoD)")
    if op.has("Label"):
        raise op.refuse("a comparison with labels")
    dtype = op.dtype("Emission")
    steps = op.sizes("Emission", [1])
    if op.has("Length"):
        lengths = g.int64(op["Length"], op.dtype("Length"))
    else:
        lengths = g.Expand(steps, op.sizes("Emission", [0]))
    inside = _inside(g, lengths, steps)
    start, end = (g.slice(op["Transition"], [i], [i + 1], [0]) for i in range(2))
    move = g.unsqueeze(g.slice(op["Transition"], [2], [_END], [0]), [0])
    count, alone = op.shape("Transition")[1], op.shape("Emission")[1] == 1
    _, tags = _best_path(g, op["Emission"], inside, start, move, end, dtype, count, alone)
    return g.Where(inside, tags, np.array(0, np.int64))


@rule("viterbi_decode")
def _(g: Any, op: Any) -> Any:
    x, dtype, steps = op["Input"], op.dtype("Input"), op.sizes("Input", [1])
    lengths = g.int64(op["Length"], op.dtype("Length"))
    inside = _inside(g, lengths, steps)
    move = op["Transition"]
    start = nothing = op.number(0, "Input")
    if op.attr("include_bos_eos_tag"):  # the last two labels are the end and the start of a path
        stop, start = (g.slice(move, [i], [j], [0]) for i, j in ((-2, -1), (-1, _END)))
        line = g.Range(np.array(1, np.int64), g.rank0(g.Add(steps, [1])), np.array(1, np.int64))
        last = g.Equal(g.unsqueeze(line, [0]), g.Reshape(lengths, [-1, 1]))
        x = g.Add(x, g.Where(g.unsqueeze(last, [2]), stop, nothing))
    count, alone = op.shape("Transition")[0], op.shape("Input")[1] == 1
    best, path = _best_path(
        g, x, inside, start, g.unsqueeze(move, [0]), nothing, dtype, count, alone
    )
    g.model.dtypes[best] = dtype  # 2.6.2's files say that it is int64
    path = g.Where(inside, path, np.array(0, np.int64))
    longest = g.reduce("ReduceMax", g.Reshape(lengths, [-1]), [0], keepdims=True)
    return best, g.slice(path, [0], longest, [1])


def _best_path(
    g: Any, x: str, inside: str, start: str, move: str, end: str, dtype: VarType, count: int,
    alone: bool,
) -> tuple[str, str]:  # fmt: skip
    """The best sums, and the labels of the paths, [batch, steps], that have them."""
    if count < 0:
        raise Refused("a number of labels that only a run can tell")
    turned = g.Transpose(x, perm=[1, 0, 2])
    best = g.Add(g.squeeze(g.slice(turned, [0], [1], [0]), [0]), start)
    sources = ""
    if not alone:
        going = g.unsqueeze(g.Transpose(inside, perm=[1, 0]), [2])
        rest = [g.slice(v, [1], [_END], [0]) for v in (turned, going)]
        best, sources = _forward(g, best, rest, move, dtype, count)
    best = g.Add(best, end)
    last = g.ArgMax(best, axis=1, keepdims=1)
    return g.reduce("ReduceMax", best, [1]), last if alone else _backward(g, last, sources)


def _forward(
    g: Any, first: str, rest: list[str], move: str, dtype: VarType, count: int
) -> tuple[str, str]:
    """The best sums at the end, and for each step and label where the best one came from.

    Behind the end of a sequence every label comes from itself, and nothing is added.
    """
    itself = np.arange(count, dtype=np.int64)[None]

    def step(h: Any, states: list[str], slices: list[str]) -> tuple[list[str], list[str]]:
        total = h.Add(h.unsqueeze(states[0], [2]), move)
        value = h.Add(h.reduce("ReduceMax", total, [1]), slices[0])
        source = h.ArgMax(total, axis=1, keepdims=0)
        return [h.Where(slices[1], value, states[0])], [h.Where(slices[1], source, itself)]

    sequences = [(rest[0], dtype), (rest[1], VarType.BOOL)]
    best, sources = scan(g, [(first, dtype)], sequences, [VarType.INT64], step)
    return best, sources


@rule("ctc_align")
def _(g: Any, op: Any) -> Any:
    if not op.has("InputLength"):
        raise op.refuse("sequences of rows: ONNX's tensors have no levels (LoD)")
    x, dtype = op["Input"], op.dtype("Input")
    steps = op.sizes("Input", [1])
    lengths = g.int64(op["InputLength"], op.dtype("InputLength"))
    blank = op.number(int(op.attr("blank")), "Input")
    stays = g.And(_inside(g, lengths, steps), g.Not(g.Equal(x, blank)))
    if op.attr("merge_repeated"):
        before = g.slice(g.pad(x, [0, 1, 0, 0], op.number(-1, "Input")), [0], [-1], [1])
        stays = g.And(stays, g.Not(g.Equal(x, before)))
    # What stays moves to the front: places are sorted, those that go behind all others.
    line = g.Range(np.array(0, np.int64), g.rank0(steps), np.array(1, np.int64))
    count = g.reduce("ReduceSum", g.cast(stays, VarType.INT64), [1], keepdims=True)
    behind = g.Add(g.unsqueeze(line, [0]), steps)
    keys = g.Where(stays, g.unsqueeze(line, [0]), behind)
    _, order = g.node("TopK", keys, steps, outputs=2, axis=1, largest=0)
    packed = g.GatherElements(x, order, axis=1)
    filled = g.Less(g.unsqueeze(line, [0]), count)
    padding = op.number(int(op.attr("padding_value")), "Input")
    return g.Where(filled, packed, padding), g.cast(count, dtype)
