"""Each pass over graphs, products and encoders: it matches, keeps the numbers, can be left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from paddle.passes.inference import BFLOAT16, GRAPH, passes_of
from tests.executor.conftest import checked_passes  # noqa: F401
from tests.passes.cases import normal
from tests.passes.inference import graph_networks as nets
from tests.passes.inference.running import built, same


class Case(NamedTuple):
    """A pass and a Program that it matches.

    Attributes:
        name: of the pass.
        net: the network.
        feed: what it is fed with.
        gone: operators that the pass takes away.
        there: operators that it puts there instead.
        after: passes that have to run before it.
        tolerance: how far numbers may be apart, as a part of the largest.
    """

    name: str
    net: Any
    feed: dict
    gone: tuple[str, ...]
    there: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    tolerance: float = 1e-5


FC, PACK = "fc_fuse_pass", "fc_mkldnn_pass"
ATTENTION, IDENTITY = "multihead_matmul_fuse_pass_v2", "identity_scale_op_clean_pass"
DROPOUT = "delete_dropout_op_pass"
PLAIN = "map_matmul_to_mul_pass"
PACKED = ("pack_linear_weight", "packed_linear")
IMAGES = {"x": normal(3, 16, 2, 2)}

CASES = [
    Case(DROPOUT, nets.dropouts, nets.X3, ("dropout",), ("scale",)),
    Case(IDENTITY, nets.identities, nets.X3, ("assign", "concat", "cast", "scale", "transpose2")),
    Case("transpose_cancel_pass", nets.transposes, nets.X3, (), ("tanh", "transpose2")),
    Case("reshape_cancel_pass", nets.reshapes, nets.X3, ("unsqueeze2",), ("reshape2",)),
    Case("transpose_matmul_fuse_pass", nets.transposed_keys, nets.X3, ("transpose2",)),
    Case("shape_folding_pass", nets.shape_chain, nets.X3, ("shape", "slice"), ("reshape2",)),
    Case("shape_folding_pass", nets.kept_in_place, nets.X3, ("shape", "slice"), ("reshape2",)),
    Case("shape_folding_pass", nets.joined_projections, {"x": normal(2, 5, 64)}, ("shape",)),
    Case(PLAIN, nets.old_matmul, nets.ROWS, ("matmul",), ("transpose2", "scale", "matmul_v2")),
    Case(FC, nets.wide_linear, nets.ROWS, ("matmul_v2", "elementwise_add"), ("linear",)),
    Case(FC, nets.old_fc, IMAGES, ("mul", "elementwise_add"), ("fc",)),
    Case("matmul_scale_fuse_pass", nets.scaled_linear, nets.ROWS, (), ("scale",), (FC,)),
    Case(PACK, nets.wide_linear, nets.ROWS, ("linear",), PACKED, (FC,)),
    Case(PACK, nets.old_fc, IMAGES, ("fc",), PACKED, (FC,)),
    Case(PACK, nets.tied_embedding, nets.ROWS, ("matmul_v2",), PACKED, (PLAIN,)),
    Case(PACK, nets.in_a_loop, nets.ROWS, ("linear", "matmul_v2"), PACKED, (FC,)),
    Case(
        "fc_act_mkldnn_fuse_pass", nets.activated, nets.ROWS,
        ("gelu", "relu", "tanh", "hard_swish"), PACKED, (FC, PACK),
    ),
    Case(
        "fc_elementwise_add_mkldnn_fuse_pass", nets.residual, nets.ROWS,
        ("elementwise_add",), PACKED, (FC, PACK),
    ),
    Case(
        "conv_numbers_fuse_pass", nets.scaled_convolutions, IMAGES, (), ("expand_v2", "conv2d"),
    ),
    Case("layer_norm_fuse_pass", nets.norm_by_hand, nets.X3, ("reduce_mean",), ("layer_norm",)),
    Case(
        "skip_layernorm_fuse_pass", nets.sum_and_norm, nets.X3,
        ("layer_norm", "elementwise_add"), ("skip_layernorm",),
    ),
    Case(
        "layer_norm_result_pass", nets.norm_before, nets.X3,
        ("layer_norm",), ("layer_norm_result",),
    ),
    Case(
        "embedding_eltwise_layernorm_fuse_pass", nets.embeddings, nets.WORDS,
        ("lookup_table_v2", "elementwise_add", "layer_norm"),
        ("padded_table", "fused_embedding_eltwise_layernorm"),
    ),
    Case(
        "embedding_eltwise_layernorm_fuse_pass", nets.old_embeddings, nets.OLD_WORDS,
        ("lookup_table", "layer_norm"), ("fused_embedding_eltwise_layernorm",),
    ),
    Case(
        ATTENTION, nets.encoder, nets.SENTENCES, ("softmax",), ("scaled_dot_product_attention",),
        (DROPOUT, FC),
    ),
    Case(
        "multihead_matmul_fuse_pass_v3", nets.encoder, nets.SENTENCES,
        ("reshape2", "transpose2"), ("attention_of_rows",), (DROPOUT, FC, ATTENTION),
    ),
    Case(
        "multihead_matmul_fuse_pass_v3", nets.one_for_all, {"x": normal(2, 5, 64)},
        ("reshape2", "transpose2"), ("attention_of_rows",), (ATTENTION,),
    ),
    Case(
        "multihead_matmul_fuse_pass_v3", nets.joined_projections, {"x": normal(2, 5, 64)},
        ("slice", "transpose2"), ("attention_of_joined_rows",),
        ("shape_folding_pass", "transpose_matmul_fuse_pass", ATTENTION),
    ),
    Case(
        "fc_bfloat16_pass", nets.encoder, nets.SENTENCES, (), PACKED,
        (DROPOUT, FC, ATTENTION, "multihead_matmul_fuse_pass_v3", PACK), tolerance=2e-2,
    ),
    Case(
        "fc_bfloat16_pass", nets.residual, nets.ROWS, (), PACKED, (FC, PACK), tolerance=2e-2
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}-{c.net.__name__}")
def test_a_pass_matches_and_keeps_the_numbers(case):
    model = built(case.net, **case.feed)
    assert case.name in passes_of({GRAPH, BFLOAT16})
    without, with_it = [*case.after], [*case.after, case.name]
    before, after = model.types(without), model.types(with_it)
    assert all(kind in before for kind in case.gone)
    assert not set(case.gone) - {"scale"} & set(after)
    assert all(kind in after for kind in case.there)
    plain = model.run([])
    same(model.run(without), plain, 1e-5)
    same(model.run(with_it), plain, case.tolerance)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.name}-{c.net.__name__}")
def test_all_passes_together_keep_the_numbers(case):
    model = built(case.net, **case.feed)
    names = passes_of({GRAPH})
    same(model.run(names), model.run([]), 1e-5)
    longer = {name: np.concatenate([value, value]) for name, value in case.feed.items()}
    same(model.run(names, longer), model.run([], longer), 1e-5)


NOT = [
    (IDENTITY, nets.assigned_and_changed, nets.X3),
    ("transpose_cancel_pass", nets.fetched_transpose, nets.X3),
    ("reshape_cancel_pass", nets.reshape_by_zero, nets.X3),
    ("transpose_matmul_fuse_pass", nets.batches_moved, nets.X3),
    ("transpose_matmul_fuse_pass", nets.channels_last, nets.X3),
    ("shape_folding_pass", nets.two_unknown, nets.X3),
    (PLAIN, nets.wide_linear, nets.ROWS),
    (FC, nets.bias_along_rows, {"x": normal(64, 64)}),
    ("matmul_scale_fuse_pass", nets.scale_that_adds, nets.ROWS),
    (PACK, nets.weight_that_is_written, nets.ROWS),
    (PACK, nets.small_linear, nets.ROWS),
    ("fc_act_mkldnn_fuse_pass", nets.other_activation, nets.ROWS),
    ("fc_act_mkldnn_fuse_pass", nets.activation_of_fetched, nets.ROWS),
    ("fc_elementwise_add_mkldnn_fuse_pass", nets.broadcast_sum, nets.ROWS),
    ("conv_numbers_fuse_pass", nets.scaled_by_data, IMAGES),
    ("layer_norm_fuse_pass", nets.norm_over_rows, nets.X3),
    ("skip_layernorm_fuse_pass", nets.norm_before, nets.X3),
    ("embedding_eltwise_layernorm_fuse_pass", nets.embedding_and_rest, nets.WORDS),
    ("multihead_matmul_fuse_pass_v3", nets.split_heads, {"x": normal(2, 20, 16)}),
]
BEFORE = {
    "matmul_scale_fuse_pass": [FC],
    PACK: [FC],
    "fc_act_mkldnn_fuse_pass": [FC, PACK],
    "fc_elementwise_add_mkldnn_fuse_pass": [FC, PACK],
    "multihead_matmul_fuse_pass_v3": [ATTENTION],
}


@pytest.mark.parametrize("name, net, feed", NOT, ids=lambda v: getattr(v, "__name__", None))
def test_a_pass_leaves_alone(name, net, feed):
    before = BEFORE.get(name, [])
    model = built(net, **feed)
    assert model.types([*before, name]) == model.types(before)
    same(model.run([*before, name]), built(net, **feed).run([]), 1e-5)


def test_numbers_behind_convolutions_are_folded_once():
    source = built(nets.scaled_convolutions, **IMAGES).optimised(passes_of({GRAPH})).plan.source
    _, _, run = source.partition("def step(")
    assert "elementwise" not in run and "conv2d(" in run


def test_every_value_gets_a_name():
    model = built(nets.written_over, **nets.X3)
    block = model.optimised(["single_assignment_pass"]).optimised.global_block()
    made = [n for op in block.ops for n in op.output_arg_names]
    assert len(made) == len(set(made))
    assert [len(block.var(op.outputs["Out"][0]).shape) for op in block.ops][:2] == [3, 3]
    same(model.run(["single_assignment_pass"]), model.run([]), 1e-6)


def test_what_a_loop_writes_keeps_its_name():
    model = built(nets.written_in_a_loop, **nets.X3)
    plain = [op.output_arg_names for op in model.optimised([]).optimised.global_block().ops]
    made = model.optimised(["single_assignment_pass"]).optimised.global_block().ops
    assert [op.output_arg_names for op in made] == plain
    same(model.run(["single_assignment_pass"]), model.run([]), 1e-6)


def test_axes_of_elementwise_operators():
    for net, axes in ((nets.axis_of_old_sums, [-1, -1]), (nets.axis_that_counts, [1])):
        model = built(net, **nets.X3)
        ops = model.optimised(["elementwise_axis_pass"]).optimised.global_block().ops
        assert [op.attrs["axis"] for op in ops if op.type.startswith("elementwise")] == axes
        same(model.run(["elementwise_axis_pass"]), model.run([]), 1e-6)


def test_weights_are_packed_when_the_plan_is_bound():
    for net in (nets.wide_linear, nets.in_a_loop):
        source = built(net, **nets.ROWS).optimised(passes_of({GRAPH})).plan.source
        before, _, run = source.partition("def step(")
        assert "pack_linear_weight(" in before
        assert "pack_linear_weight(" not in run and "packed_linear(" in run


def test_constants_of_a_loop_are_made_when_the_plan_is_bound():
    model = built(nets.in_a_loop, **nets.ROWS)
    names = passes_of({GRAPH})
    _, _, run = model.optimised(names).plan.source.partition("def step(")
    assert "fill_constant(" not in run and "less_than(" in run
    without = [name for name in names if name != "constant_folding_pass"]
    _, _, run = model.optimised(without).plan.source.partition("def step(")
    assert run.count("fill_constant(") > 3
    same(model.run(names), model.run([]), 1e-5)
    twice = model.optimised(names)
    for _ in range(2):  # nothing is left of the first run
        same(
            [out.numpy() for out in twice([torch.from_numpy(nets.ROWS["x"])])], model.run([]), 1e-5
        )


def test_dropout_that_is_meant_to_drop_stays():
    model = built(nets.dropout_that_trains, trains=True, **nets.X3)
    assert model.types([DROPOUT]) == ["dropout", "relu"]
