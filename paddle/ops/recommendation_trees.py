"""Operators of tree-based recommendation (TDM), of tags and of ranks."""

from __future__ import annotations

from itertools import pairwise

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import NeedsData, Spec
from paddle.core.levels import levels_on, put_levels
from paddle.core.op import REQUIRED, op
from paddle.ops.random.draws import generator

# -- trees ----------------------------------------------------------------------------------------


def _child_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, kind = inputs[0], VarType(attrs["dtype"])
    shape = (*x.shape, int(attrs["child_nums"]))
    return [Spec(shape, kind)] * 2


@op("tdm_child", "X TreeInfo -> Child LeafMask", infer=_child_rule, differentiable=False)
def tdm_child(x, info, *, child_nums=REQUIRED, dtype=2):
    """The children of nodes, 0 for none, and which of them are leaves, items.

    A row of TreeInfo is a node: item, level, parent, children.
    """
    if info.dim() != 2 or info.shape[1] < 3 + child_nums:
        raise InvalidArgumentError(
            f"tdm_child: expected TreeInfo [nodes, 3 + {child_nums}], but received "
            f"{list(info.shape)}."
        )
    kind = torch_dtype(dtype)
    if x.is_meta:
        shape = (*x.shape, child_nums)
        return x.new_empty(shape, dtype=kind), x.new_empty(shape, dtype=kind)
    node = x.long()
    if node.numel() and not 0 <= int(node.min()) <= int(node.max()) < info.shape[0]:
        raise OutOfRangeError(
            f"tdm_child: expected nodes in [0, {info.shape[0]}), but received values from "
            f"{int(node.min())} to {int(node.max())}."
        )
    rows = info[node].long()
    has = (node != 0) & (rows[..., 3] != 0)
    child = rows[..., 3 : 3 + child_nums] * has.unsqueeze(-1)
    leaf = (info[:, 0].long()[child] != 0) & has.unsqueeze(-1)
    return child.to(kind), leaf.to(kind)


def _sampler_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, kind = inputs[0], VarType(attrs["dtype"])
    width = sum(attrs["neg_samples_num_list"])
    width += len(attrs["neg_samples_num_list"]) if attrs["output_positive"] else 0
    return [Spec((x.shape[0], width, 1), kind)] * 3


@op(
    "tdm_sampler",
    "X Travel Layer -> Out Labels? Mask",
    infer=_sampler_rule,
    differentiable=False,
    random=True,
)
def tdm_sampler(
    x, travel, layer, *, output_positive=True, neg_samples_num_list=(), layer_offset_lod=(), seed=0,
    dtype=2
):  # fmt: skip
    """For every level of the tree the node on the way to an item, and others of that level.

    A row of Travel is the way to an item, 0 where it has ended; Layer has the nodes of all levels
    one below the other. Labels are 1 for nodes of the way; Mask is 0 where it has ended.
    """
    counts, offsets = [int(n) for n in neg_samples_num_list], [int(n) for n in layer_offset_lod]
    levels = len(counts)
    if len(offsets) != levels + 1 or travel.dim() != 2 or travel.shape[1] != levels:
        raise InvalidArgumentError(
            f"tdm_sampler: expected Travel [items, {levels}] and {levels + 1} numbers as "
            f"layer_offset_lod for {levels} levels, but received {list(travel.shape)} and "
            f"{offsets}."
        )
    sizes = [b - a for a, b in pairwise(offsets)]
    for i, (count, size) in enumerate(zip(counts, sizes, strict=True)):
        if count > size - 1:
            raise InvalidArgumentError(
                f"tdm_sampler: expected fewer than {size} neg_samples_num_list in level {i}, which "
                f"has {size} nodes, but received {count}."
            )
    kind, own = torch_dtype(dtype), 1 if output_positive else 0
    width = sum(counts) + own * levels
    if x.is_meta:
        return tuple(x.new_empty((x.shape[0], width, 1), dtype=kind) for _ in range(3))
    item = x.reshape(-1).long()
    if len(item) and not 0 <= int(item.min()) <= int(item.max()) < travel.shape[0]:
        raise OutOfRangeError(
            f"tdm_sampler: expected items in [0, {travel.shape[0]}), but received values from "
            f"{int(item.min())} to {int(item.max())}."
        )
    way, nodes, source = travel[item].long(), layer.reshape(-1).long(), generator(x.device, seed)
    found, labels, masks = [], [], []
    for i, (count, (a, b)) in enumerate(zip(counts, pairwise(offsets), strict=True)):
        right, there = way[:, i : i + 1], way[:, i : i + 1] != 0
        # Numbers in random order, that of the way itself behind all others.
        order = torch.rand(len(item), b - a, generator=source, device=x.device)
        order = order.masked_fill(nodes[a:b] == right, 2.0)
        other = nodes[a:b][torch.argsort(order, 1)[:, :count]] * there
        found += [right] * own + [other]
        labels += [there.long()] * own + [torch.zeros_like(other)]
        masks += [there.long()] * own + [there.long().expand(-1, count)]
    parts = (found, labels, masks)
    return tuple(torch.cat(p, 1).unsqueeze(2).to(kind) for p in parts)


# -- tags -----------------------------------------------------------------------------------------


def _tag_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    return [
        Spec((-1, *x.shape[1:]), x.dtype), Spec((-1, 1), VarType.FP32), Spec((-1, 3), VarType.INT64)
    ]  # fmt: skip


@op(
    "filter_by_instag",
    "Ins Ins_tag~ Filter_tag~ -> Out LossWeight~ IndexMap~",
    infer=_tag_rule,
    lod="own",
)
def filter_by_instag(ins, tags, wanted, *, is_lod=REQUIRED, out_val_if_empty=0):
    """The instances that have one of the tags, with weight 1, and where each came from.

    Where there is none, one instance of ``out_val_if_empty`` stands with weight 0.
    """
    if ins.is_meta or tags.is_meta:
        raise NeedsData("filter_by_instag: the tags of a meta tensor; no data")
    rows = levels_on(ins)
    ends = rows[0] if rows and is_lod else list(range(ins.shape[0] + 1))
    owner = levels_on(tags)
    tag_ends = owner[0] if owner else list(range(tags.shape[0] + 1))
    if len(tag_ends) != len(ends):
        raise InvalidArgumentError(
            f"filter_by_instag: expected tags for each of {len(ends) - 1} instances, but received "
            f"those of {len(tag_ends) - 1}."
        )
    hit = torch.isin(tags.reshape(-1), wanted.reshape(-1)).tolist()
    kept = [
        (a, b) for (a, b), (s, e) in zip(pairwise(ends), pairwise(tag_ends), strict=True)
        if any(hit[s:e])
    ]  # fmt: skip
    if not kept:
        out = ins.new_full((1, *ins.shape[1:]), out_val_if_empty)
        index, weight = [[0, 1, 1]], torch.zeros(1, 1, device=ins.device)
        out = out + ins[:0].sum()  # nothing of it, but the graph goes on
        starts = [0, 1]
    else:
        place = torch.tensor([i for a, b in kept for i in range(a, b)], device=ins.device)
        out, starts, index = ins[place], [0], []
        for a, b in kept:
            index.append([starts[-1], a, b - a])
            starts.append(starts[-1] + b - a)
        weight = torch.ones(len(kept) if is_lod else len(place), 1, device=ins.device)
    places = torch.tensor(index, dtype=torch.int64, device=ins.device)
    for made in (weight, places):
        put_levels(made, [list(range(len(made) + 1))])
    put_levels(out, [starts])
    return out, weight, places


# -- ranks ----------------------------------------------------------------------------------------


def _rank_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, _, weight = inputs
    rank = int(attrs["MaxRank"])
    kind = x.dtype
    helped = Spec((x.shape[0], rank * x.shape[1]), kind)
    return [helped, Spec((x.shape[0], weight.shape[1]), kind), Spec((x.shape[0], 1), kind)]


@op(
    "rank_attention",
    "X RankOffset~ RankParam -> InputHelp?~ Out InsRank?~",
    infer=_rank_rule,
    dtypes="floats",
)
def rank_attention(x, offset, weight, *, MaxRank=3, MaxSize=0):
    """Rows of X by matrices that depend on their own rank and those of rows beside them.

    A row of RankOffset has a rank and, for each place k, the rank of another row and its number;
    0 stands for none. Block ``(own rank - 1) * MaxRank + other rank - 1`` of RankParam is its
    matrix.
    """
    width, rank = x.shape[1], MaxRank
    blocks = (rank * rank * width, weight.shape[1])
    if offset.shape != (x.shape[0], 2 * rank + 1) or tuple(weight.shape) != blocks:
        raise InvalidArgumentError(
            f"rank_attention: expected RankOffset [{x.shape[0]}, {2 * rank + 1}] and RankParam "
            f"[{blocks[0]}, columns], but received {list(offset.shape)} and {list(weight.shape)}."
        )
    own, other, place = offset[:, :1].long(), offset[:, 1::2].long(), offset[:, 2::2].long()
    there = ((own > 0) & (other > 0)).unsqueeze(-1)
    helped = torch.where(there, x[place.clamp(min=0)], 0.0)
    block = ((own - 1) * rank + other - 1).clamp(min=0)
    matrices = torch.where(there.unsqueeze(-1), weight.reshape(rank * rank, width, -1)[block], 0.0)
    out = torch.einsum("nki,nkio->no", helped, matrices)
    return helped.reshape(len(x), rank * width), out, own.to(x.dtype)
