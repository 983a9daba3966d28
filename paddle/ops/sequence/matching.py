"""Operators that match texts: products of pairs of words, convolutions over them, trees."""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import NeedsData, Spec, fits
from paddle.core.op import op
from paddle.ops.sequence.levels import last_level, lengths_of, marked, offsets_of

# -- products of words ----------------------------------------------------------------------------


def _match_check(x, y, w, dim_t: int) -> None:
    if len(x.shape) != 2 or len(y.shape) != 2 or not fits(w, (x.shape[1], dim_t, y.shape[1])):
        raise InvalidArgumentError(
            f"match_matrix_tensor: expected X [rows, D], Y [rows, E] and W [D, {dim_t}, E], but "
            f"received {list(x.shape)}, {list(y.shape)} and {list(w.shape)}."
        )


def _match_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y, w = inputs
    _match_check(x, y, w, attrs["dim_t"])
    return [Spec((-1, 1), x.dtype), Spec((-1, 1), x.dtype)]


@op("match_matrix_tensor", "X Y W -> Out Tmp~", infer=_match_rule, lod="own", dtypes="floats")
def match_matrix_tensor(x, y, w, *, dim_t=1):
    """``x W_t y`` for every word of X, every word of Y in the same pair, and every t."""
    name = "match_matrix_tensor"
    _match_check(x, y, w, dim_t)
    if x.is_meta:
        raise NeedsData(f"{name}: the levels (LoD) of a meta tensor; no data")
    left, right = last_level(name, "X", x), last_level(name, "Y", y)
    if len(left) != len(right):
        raise InvalidArgumentError(
            f"{name}: expected as many sequences in X and Y, but received {len(left) - 1} and "
            f"{len(right) - 1}."
        )
    middle = torch.einsum("nd,dte->tne", x, w)
    parts = [
        (middle[:, a:b] @ y[c:d].t()).reshape(-1)
        for (a, b), (c, d) in zip(pairwise(left), pairwise(right), strict=True)
    ]
    out = torch.cat(parts) if parts else x.new_zeros(0)
    tmp = middle.transpose(0, 1).reshape(-1, 1).clone()
    return marked(out.unsqueeze(1), [offsets_of(len(p) for p in parts)]), tmp


# -- tables of different sizes --------------------------------------------------------------------


def _var_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, _, _, w = inputs
    _var_check(w, attrs)
    return [Spec((-1, 1), x.dtype), Spec((-1, 1), x.dtype)]


def _var_check(w, attrs: dict) -> None:
    width = attrs["InputChannel"] * attrs["KernelH"] * attrs["KernelW"]
    wanted = (attrs["OutputChannel"], width)
    if not fits(w, wanted):
        raise InvalidArgumentError(
            f"var_conv_2d: expected W {list(wanted)}, but received {list(w.shape)}."
        )


@op("var_conv_2d", "X ROW~ COLUMN~ W -> Out Col~", infer=_var_rule, lod="own", dtypes="floats")
def var_conv_2d(
    x, row, column, w, *, InputChannel=1, OutputChannel=1, StrideH=1, StrideW=1, KernelH=1,
    KernelW=1
):  # fmt: skip
    """A convolution over tables of different sizes; ROW and COLUMN have heights and widths."""
    name = "var_conv_2d"
    if x.is_meta:
        raise NeedsData(f"{name}: the levels (LoD) of a meta tensor; no data")
    _var_check(w, {"InputChannel": InputChannel, "OutputChannel": OutputChannel,
                   "KernelH": KernelH, "KernelW": KernelW})  # fmt: skip
    offsets = last_level(name, "X", x)
    highs, wides = (
        lengths_of(last_level(name, slot, t)) for slot, t in (("ROW", row), ("COLUMN", column))
    )
    sizes = [InputChannel * h * v for h, v in zip(highs, wides, strict=False)]
    if not len(highs) == len(wides) == len(offsets) - 1 or sizes != lengths_of(offsets):
        raise InvalidArgumentError(
            f"{name}: expected sequences of X with InputChannel * ROW * COLUMN elements, {sizes}, "
            f"but received {lengths_of(offsets)}."
        )
    weight = w.reshape(OutputChannel, InputChannel, KernelH, KernelW)
    around, flat = (KernelH // 2, KernelW // 2), x.reshape(-1)
    outs, columns = [], []
    for (a, b), h, v in zip(pairwise(offsets), highs, wides, strict=True):
        if a == b:
            outs.append(flat[:0])
            continue
        table = flat[a:b].reshape(1, InputChannel, h, v)
        made = F.conv2d(table, weight, None, (StrideH, StrideW), around)
        high, wide = (h - 1) // StrideH + 1, (v - 1) // StrideW + 1
        outs.append(made[0, :, :high, :wide].reshape(-1))
        seen = F.unfold(table, (KernelH, KernelW), 1, around, (StrideH, StrideW))
        columns.append(seen.reshape(-1))
    out = torch.cat(outs) if outs else flat[:0].clone()
    col = torch.cat(columns) if columns else flat[:0].clone()
    return marked(out.unsqueeze(1), [offsets_of(len(p) for p in outs)]), col.unsqueeze(1)


# -- trees ----------------------------------------------------------------------------------------


def _shares(edges: list, count: int, depth: int) -> list[tuple[int, int, float, float, float]]:
    """For each root the nodes below it, with their parts to the left, to the right and on top."""
    children: dict[int, list[int]] = {}
    for above, below in edges:
        children.setdefault(above, []).append(below)
    found = []
    for root in range(1, count + 1):
        seen, todo = {root}, [(root, 1, 1, 0)]
        while todo:
            node, place, beside, level = todo.pop()
            top = (depth - level) / depth
            left = (1.0 - top) * (0.5 if beside == 1 else (place - 1.0) / (beside - 1.0))
            found.append((root - 1, node - 1, left, (1.0 - top) * (1.0 - left), top))
            below = children.get(node, [])
            for i, child in enumerate(below, 1):
                if child not in seen and level + 1 < depth:
                    seen.add(child)
                    todo.append((child, i, len(below), level + 1))
    return found


def _tree_check(nodes, edges, weight) -> None:
    shapes = [tuple(t.shape) for t in (nodes, edges, weight)]
    ranks = [len(s) for s in shapes] == [3, 3, 4]
    if not ranks or shapes[1][2] not in (2, -1) or not fits(weight, (shapes[0][2], 3, -1, -1)):
        raise InvalidArgumentError(
            "tree_conv: expected NodesVector [N, nodes, width], EdgeSet [N, edges, 2] and Filter "
            f"[width, 3, size, filters], but received {[list(s) for s in shapes]}."
        )


def _tree_rule(inputs: list, attrs: dict) -> list[Spec]:
    nodes, edges, weight = inputs
    _tree_check(nodes, edges, weight)
    return [Spec((*nodes.shape[:2], *weight.shape[2:]), nodes.dtype)]


@op("tree_conv", "NodesVector EdgeSet~ Filter -> Out", infer=_tree_rule, dtypes="floats")
def tree_conv(nodes, edges, weight, *, max_depth=2):
    """A convolution over trees, https://arxiv.org/abs/1409.5718; edges end at one with a 0."""
    _tree_check(nodes, edges, weight)
    if nodes.is_meta:
        return nodes.new_empty((*nodes.shape[:2], *weight.shape[2:]))
    part = _parts(nodes, edges, max_depth)
    seen = torch.einsum("bnmk,bmf->bnfk", part, nodes)
    return torch.einsum("bnfk,fkos->bnos", seen, weight)


def _parts(nodes, edges, max_depth: int) -> torch.Tensor:
    """How much of each node every root sees [N, root, node, left right top]."""
    images, size = nodes.shape[:2]
    part = torch.zeros(images, size, size, 3, dtype=nodes.dtype)
    for image, listed in enumerate(edges.tolist()):
        used = []
        for edge in listed:
            if 0 in edge:
                break
            used.append(edge)
        if not used:
            continue
        top = max(max(edge) for edge in used)
        if top > size or len(used) + 1 > size or min(min(edge) for edge in used) < 0:
            raise OutOfRangeError(
                f"tree_conv: expected EdgeSet with nodes from 1 to {size}, but received {top}."
            )
        for root, node, *three in _shares(used, len(used) + 1, max_depth):
            part[image, root, node] += torch.tensor(three, dtype=nodes.dtype)
    return part.to(nodes.device)


@tree_conv.grad("NodesVector EdgeSet Filter")
def _(d_out, nodes, edges, weight, *, max_depth):
    """As in 1.8.5, whose gradient of the nodes takes the filters in another order than the result.

    It pairs number ``k * size + o`` of a node's filters with ``o * 3 + k`` of what comes back.
    """
    part = _parts(nodes, edges, max_depth)
    seen = torch.einsum("bnmk,bmf->bnfk", part, nodes)
    d_weight = torch.einsum("bnfk,bnos->fkos", seen, d_out)
    back = torch.einsum("bnmk,bno->bmok", part, d_out.flatten(2))
    return torch.matmul(back.flatten(2), weight.flatten(1).t()), None, d_weight
