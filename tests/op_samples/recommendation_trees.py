"""Samples of trees, tags and ranks; trees and tags as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, f64

# item, level, parent, two children; node 0 is none
TREE = np.array([
    [0, 0, 0, 0, 0], [0, 0, 0, 2, 3], [0, 1, 1, 4, 5], [0, 1, 1, 6, 0], [11, 2, 2, 0, 0],
    [12, 2, 2, 0, 0], [13, 2, 3, 0, 0],
], "int32")  # fmt: skip
TRAVEL = np.array([[2, 4], [2, 5], [3, 6], [3, 0]], "int32")
LAYER = np.array([[2], [3], [4], [5], [6]], "int32")
SAMPLING = {"neg_samples_num_list": [1, 2], "layer_offset_lod": [0, 2, 5]}
PICKED = {
    "X": np.array([[0], [2], [3]], "int32"), "Travel": TRAVEL, "Layer": LAYER,
}  # fmt: skip
TAGS = {
    "Ins": f64(4, 3), "Ins_tag": np.array([[1], [2], [5], [1], [3]], "int64"),
    "Filter_tag": np.array([1, 5], "int64"),
}  # fmt: skip
BY_ROW = {"Ins_tag": [[0, 1, 3, 4, 5]], "Ins": [[0, 1, 2, 3, 4]]}
BY_GROUP = {"Ins_tag": [[0, 2, 5]], "Ins": [[0, 3, 4]]}


def drawn(outs, inputs, attrs):
    out, label, mask = (o.numpy()[..., 0] for o in outs)
    at = 0
    for i, count in enumerate(attrs["neg_samples_num_list"]):
        way = TRAVEL[inputs["X"][:, 0], i]
        if attrs.get("output_positive", True):
            np.testing.assert_array_equal(out[:, at], way)
            np.testing.assert_array_equal(label[:, at], way != 0)
            at += 1
        level = LAYER[slice(*attrs["layer_offset_lod"][i : i + 2]), 0]
        for row, own in zip(out[:, at : at + count], way):
            assert len(set(row)) == count if own else not row.any()
            assert set(row) <= set(level) - {own} or not own
        assert not label[:, at : at + count].any()
        np.testing.assert_array_equal(
            mask[:, at : at + count], (way != 0)[:, None].repeat(count, 1)
        )
        at += count


def rank_attention(x, offset, weight, MaxRank=3, MaxSize=0):
    out = np.zeros((len(x), weight.shape[1]), x.dtype)
    helped = np.zeros((len(x), MaxRank, x.shape[1]), x.dtype)
    blocks = weight.reshape(MaxRank, MaxRank, x.shape[1], -1)
    for i, row in enumerate(offset):
        for k in range(MaxRank):
            rank, place = row[1 + 2 * k : 3 + 2 * k]
            if row[0] > 0 and rank > 0:
                helped[i, k] = x[place]
                out[i] += x[place] @ blocks[row[0] - 1, rank - 1]
    return helped.reshape(len(x), -1), out, offset[:, :1].astype(x.dtype)


RANKS = np.array([[1, 1, 0, 2, 1, 0, 0], [2, 1, 0, 2, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0],
                  [3, 2, 1, 0, 0, 3, 3]], "int32")  # fmt: skip
RANKED = {"X": f64(4, 2), "RankOffset": RANKS, "RankParam": f64(18, 3)}

SAMPLES = [
    as_185("tdm_child", {"X": np.array([[1], [2], [3], [4], [0]], "int32"), "TreeInfo": TREE},
           {"child_nums": 2, "dtype": 2}),
    as_185("tdm_child", {"X": np.array([[1, 3], [2, 6]], "int64"), "TreeInfo": TREE},
           {"child_nums": 2, "dtype": 3}, "wide"),
    Sample("tdm_sampler", PICKED, SAMPLING, check=drawn),
    Sample("tdm_sampler", PICKED, SAMPLING | {"output_positive": False},
           check=drawn, note="others"),
    as_185("filter_by_instag", TAGS, {"is_lod": True}, levels=BY_ROW, static_shape=False,
           grad=["Ins"]),
    as_185("filter_by_instag", {**TAGS, "Filter_tag": np.array([5, 7], "int64")}, {"is_lod": True},
           "groups", levels=BY_GROUP, static_shape=False, grad=["Ins"]),
    as_185("filter_by_instag", TAGS, {"is_lod": False}, "rows", static_shape=False, grad=["Ins"],
           levels={"Ins_tag": BY_ROW["Ins_tag"]}),
    as_185("filter_by_instag", {**TAGS, "Filter_tag": np.array([9], "int64")},
           {"is_lod": True, "out_val_if_empty": 7}, "none", levels=BY_ROW, static_shape=False,
           grad=["Ins"]),
    Sample("rank_attention", RANKED, ref=rank_attention, grad=["X", "RankParam"]),
]  # fmt: skip


def _bad(op, match, attrs, raises=ValueError, **inputs):
    return ErrorSample(op, inputs, attrs, raises, match)


ERRORS = [
    _bad("tdm_child", r"\[nodes, 3 \+ 3\]", {"child_nums": 3}, X=PICKED["X"], TreeInfo=TREE),
    _bad("tdm_child", r"nodes in \[0, 3\)", {"child_nums": 2}, IndexError, X=PICKED["X"],
         TreeInfo=TREE[:3]),
    _bad("tdm_sampler", "for 2 levels", {**SAMPLING, "layer_offset_lod": [0, 5]}, **PICKED),
    _bad("tdm_sampler", "fewer than 2", {**SAMPLING, "neg_samples_num_list": [2, 2]}, **PICKED),
    _bad("tdm_sampler", r"items in \[0, 3\)", SAMPLING,
         IndexError, **PICKED | {"Travel": TRAVEL[:3]}),
    ErrorSample("filter_by_instag", {**TAGS, "Ins_tag": TAGS["Ins_tag"][:3]}, {"is_lod": False},
                ValueError, "tags for each of 4", ErrorSample.LEVELS),
    _bad("rank_attention", r"RankOffset \[4, 7\]", {}, **{**RANKED, "RankOffset": RANKS[:, 1:]}),
]  # fmt: skip
