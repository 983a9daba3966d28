"""Layers of detection and contrib beside the frozen cases: what draws, what is refused, modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.contrib import layers as contrib


@pytest.fixture
def static_mode() -> Any:
    paddle.enable_static()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        yield
    paddle.disable_static()


def _run(feeds: dict, fetches: list, runs: int = 1) -> list:
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        found = [exe.run(feed=feeds, fetch_list=fetches) for _ in range(runs)]
    return found[0] if runs == 1 else found


def test_random_layers_go_on_with_their_seed(static_mode: Any) -> None:
    x = fluid.data("x", [None, 4, 4])
    crop = fluid.layers.random_crop(x, [2, 3], seed=3)
    rows = contrib.shuffle_batch(fluid.layers.reshape(x, [-1, 4]), seed=3)
    assert crop.shape == (-1, 2, 3)
    values = np.arange(64, dtype="float32").reshape(4, 4, 4)
    first, second = _run({"x": values}, [crop, rows], 2)
    again = _run({"x": values}, [crop, rows])
    assert not np.array_equal(first[1], second[1])
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(np.sort(first[1], 0), values.reshape(-1, 4))
    for part in first[0]:
        np.testing.assert_array_equal(part, part[0, 0] + np.array([[0, 1, 2], [4, 5, 6]]))


def test_tree_samples(static_mode: Any) -> None:
    travel = np.array([[1, 3], [1, 4], [2, 5]], "int32")
    init = fluid.initializer.NumpyArrayInitializer
    x = fluid.data("x", [None, 1], "int32")
    out, labels, masks = contrib.tdm_sampler(
        x, [1, 2], [2, 3], 3, fluid.ParamAttr(initializer=init(travel)),
        fluid.ParamAttr(initializer=init(np.array([[1], [2], [3], [4], [5]], "int32"))),
    )  # fmt: skip
    assert [v.shape for v in out] == [(-1, 2, 1), (-1, 3, 1)]
    got = _run({"x": np.array([[2], [0]], "int32")}, [*out, *labels, *masks])
    np.testing.assert_array_equal(got[0][:, 0, 0], [2, 1])
    np.testing.assert_array_equal(got[1][:, 0, 0], [5, 3])
    np.testing.assert_array_equal(got[2][..., 0], [[1, 0]] * 2)
    assert all((m == 1).all() for m in got[4:])
    with pytest.raises(ValueError, match="fewer than the 2 nodes of level 0"):
        contrib.tdm_sampler(x, [2, 2], [2, 3], 3)
    with pytest.raises(ValueError, match="expected 1 numbers"):
        contrib.tdm_sampler(x, [1], [2, 3], 3)


def test_layers_of_2_0(static_mode: Any) -> None:
    x, offset = fluid.data("x", [None, 2]), fluid.data("offset", [None, 7], "int32")
    ranks = np.array([[1, 1, 0, 2, 1, 0, 0], [2, 1, 0, 2, 1, 0, 0]], "int32")
    ones = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
    ranked = contrib.rank_attention(x, offset, [18, 3], ones)
    slots = fluid.data("slots", [2, 3, 2])
    dense = contrib.batch_fc(slots, [2, 2, 3], ones, [2, 3], ones, act="relu")
    ids = fluid.data("ids", [None, 1], "int64")
    looked = contrib.sparse_embedding(ids, [5, 2], param_attr=ones)
    assert contrib.sparse_embedding is paddle.static.nn.sparse_embedding
    feeds = {
        "x": np.ones((2, 2), "float32"), "offset": ranks, "slots": np.ones((2, 3, 2), "float32"),
        "ids": np.array([[1], [4]], "int64"),
    }  # fmt: skip
    got = _run(feeds, [ranked, dense, looked])
    np.testing.assert_allclose(got[0], np.full((2, 3), 4.0))
    np.testing.assert_allclose(got[1], np.full((2, 3, 3), 3.0))
    np.testing.assert_allclose(got[2], np.ones((2, 2)))


def test_hashes_and_texts(static_mode: Any) -> None:
    x = fluid.data("x", [None, 1], "int32", lod_level=1)
    found = fluid.layers.hash(x, hash_size=1000, num_hash=2)
    hashed = contrib.search_pyramid_hash(
        x, 4, 10, 3, 2, 0.5, False, False, 0, 0, 1, 0.1,
        fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0)),
    )  # fmt: skip
    rows = fluid.create_lod_tensor(np.array([[1], [2], [3]], "int32"), [[3]], fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        got, out = exe.run(feed={"x": rows}, fetch_list=[found, hashed], return_numpy=False)
    assert np.array(got).shape == (3, 2, 1) and (np.array(got) < 1000).all()
    np.testing.assert_allclose(np.array(out), np.full((3, 4), 0.5))
    assert out.lod() == [[0, 3]]


def test_load_reads_when_it_runs(static_mode: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "w")
    w = fluid.layers.create_global_var([2], 3.0, "float32", persistable=True, name="w")
    block = fluid.default_main_program().global_block()
    block.append_op(type="save", inputs={"X": w}, outputs={}, attrs={"file_path": path})
    _run({}, [])
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        out = fluid.layers.create_tensor("float32", name="out")
        fluid.layers.load(out, path)
        np.testing.assert_array_equal(_run({}, [out])[0], [3.0, 3.0])
    with pytest.raises(ValueError, match="expected a path"):
        fluid.layers.load(w, "")


def test_regions_by_either_form(static_mode: Any) -> None:
    x, r = fluid.data("x", [None, 2, 4, 4]), fluid.data("r", [None, 4])
    counts, ends = fluid.data("counts", [2], "int32"), fluid.data("ends", [3], "int64")
    outs = [
        fluid.layers.roi_align(x, r, 2, 2, 1.0, 1, counts, "new"),
        fluid.layers.roi_align(x, r, 2, 2, 1.0, 1, "old", ends),
        fluid.layers.roi_align(x, r, 2, 2, 1.0, 1, rois_num=counts),
    ]
    assert [out.name.split(".")[0] for out in outs] == ["new", "old", "roi_align_0"]
    state = np.random.RandomState(0)
    feeds = {
        "x": state.rand(2, 2, 4, 4).astype("float32"), "counts": np.array([1, 2], "int32"),
        "r": np.array([[0, 0, 3, 3], [1, 1, 3, 3], [0, 1, 2, 3]], "float32"),
        "ends": np.array([0, 1, 3], "int64"),
    }  # fmt: skip
    got = _run(feeds, outs)
    for other in got[1:]:
        np.testing.assert_array_equal(got[0], other)


def _refused() -> list:
    L = fluid.layers
    return [
        (lambda x, i: L.prior_box(x, i, [4.0], steps=[1.0]), ValueError, "steps.*2 numbers"),
        (lambda x, i: L.prior_box(x, i, ["a"]), ValueError, "min_sizes.*numbers"),
        (lambda x, i: L.density_prior_box(x, i, [1], [8.0, 4.0], [1.0]), ValueError, "densities"),
        (lambda x, i: L.anchor_generator(x, [8.0], [1.0], stride=[8.0]), ValueError, "stride"),
        (lambda x, i: L.box_coder(x, 3, i), TypeError, "prior_box_var"),
        (lambda x, i: L.collect_fpn_proposals([x], [x], 2, 3, 5), ValueError, "2 levels"),
        (lambda x, i: L.ssd_loss(x, x, x, x, x, mining_type="hard_example"), ValueError, "mining"),
        (lambda x, i: L.generate_proposal_labels(x, x, x, x, x), ValueError, "class_nums"),
        (lambda x, i: L.yolov3_loss(x, x, x, 3, [0], 1, 0.5, 32), TypeError, "anchors"),
        (lambda x, i: L.deformable_roi_pooling(x, x, x, group_size=[1]), ValueError, "group_size"),
        (lambda x, i: contrib.var_conv_2d(x, x, x, 1, 1, [3]), ValueError, "filter_size"),
        (lambda x, i: contrib.fused_elemwise_activation(x, x, ["relu"]), ValueError, "2 names"),
        (lambda x, i: contrib.ctr_metric_bundle(x, i), ValueError, "a label for each"),
        (lambda x, i: contrib.sparse_embedding(fluid.data("few", [2, 1], "int64"), [3, 2], entry=1),
         TypeError, "entry"),
        (lambda x, i: contrib._pull_box_extended_sparse(x, 3), NotImplementedError, "BoxPS"),
        (lambda x, i: fluid.metrics.DetectionMAP(x, x, x), ValueError, "class_num"),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(len(_refused())))
def test_refused(static_mode: Any, number: int) -> None:
    call, raises, text = _refused()[number]
    x, image = fluid.data("x", [2, 3, 4, 4]), fluid.data("image", [2, 3, 32, 32])
    with pytest.raises(raises, match=text):
        call(x, image)


def test_eager_calls_run_the_same_operators() -> None:
    boxes = np.array([[0.0, 0, 1, 1], [0, 0, 2, 2]], "float32")
    with fluid.dygraph.guard():
        one = fluid.dygraph.to_variable(boxes)
        share = fluid.layers.iou_similarity(one, one)
        np.testing.assert_allclose(share.numpy(), [[1.0, 0.25], [0.25, 1.0]], 1e-6)
        match, _ = fluid.layers.bipartite_match(share)
        np.testing.assert_array_equal(match.numpy(), [[0, 1]])
        both = fluid.layers.box_coder(one, [0.1, 0.1, 0.2, 0.2], one)
        assert both.shape == [2, 2, 4]
        crop = fluid.layers.random_crop(one, [2])
        assert crop.shape == [2, 2]
