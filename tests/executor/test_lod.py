"""LoD of fed and fetched values: which rows belong to which image."""

from __future__ import annotations

import numpy as np

import paddle
from paddle.static import Executor, data
from tests import rounding
from tests.executor.building import building


def appended(type_, inputs, outputs, attrs, dtype="float32", levels=0):
    block = paddle.static.default_main_program().global_block()
    made = {
        slot: block.create_var(name=name, dtype=dtype, lod_level=levels)
        for slot, name in outputs.items()
    }
    block.append_op(type_, inputs, made, attrs)
    return made


def lod_tensor(array, lod):
    tensor = paddle.static.Scope().var("t").get_tensor()
    tensor.set(array, paddle.CPUPlace())
    tensor.set_lod(lod)
    return tensor


def test_boxes_of_several_images_are_fetched_with_their_images():
    with building() as (main, _):
        boxes, scores = data("boxes", [2, 3, 4]), data("scores", [2, 2, 3])
        attrs = {"background_label": -1, "score_threshold": 0.5, "nms_top_k": 5, "keep_top_k": 5}
        made = appended(
            "multiclass_nms",
            {"BBoxes": boxes, "Scores": scores},
            {"Out": "found"},
            {**attrs, "nms_threshold": 0.3, "nms_eta": 1.0, "normalized": False},
        )
    corners = np.array([[0, 0, 4, 4], [10, 10, 14, 14], [20, 20, 24, 24]], "float32")
    given = np.zeros([2, 2, 3], "float32")
    given[0, 0, 1], given[1, 1] = 0.9, [0.6, 0.1, 0.8]
    feed = {"boxes": np.stack([corners, corners]), "scores": given}
    (found,) = Executor().run(main, feed=feed, fetch_list=[made["Out"]], return_numpy=False)
    assert found.lod() == [[0, 1, 3]]
    rows = np.array(found)
    np.testing.assert_allclose(rows[:, 1], [0.9, 0.8, 0.6])
    np.testing.assert_array_equal(rows[:, 2:], corners[[1, 2, 0]])


def test_fed_regions_say_which_image_they_are_of():
    with building() as (main, _):
        x, rois = data("x", [2, 1, 4, 4]), data("rois", [None, 4])
        attrs = {"pooled_height": 1, "pooled_width": 1, "spatial_scale": 1.0}
        made = appended("roi_align", {"X": x, "ROIs": rois}, {"Out": "pooled"}, attrs)
    images = np.stack([np.full([1, 4, 4], v, "float32") for v in (1.0, 5.0)])
    regions = np.array([[0, 0, 2, 2], [1, 1, 3, 3], [0, 0, 3, 3]], "float32")
    feed = {"x": images, "rois": lod_tensor(regions, [[0, 2, 3]])}
    (found,) = Executor().run(main, feed=feed, fetch_list=[made["Out"]])
    rounding.close(found.ravel(), [1.0, 1.0, 5.0], terms=16)


def test_levels_pass_through_operators_to_the_one_that_reads_them():
    """Text recognition of 1.x: columns of images as sequences, the best class of each, aligned."""
    with building() as (main, _):
        x = data("x", [None, 1, 2, 6])
        attrs = {"kernels": [2, 1], "strides": [1, 1], "paddings": [0, 0, 0, 0]}
        columns = appended("im2sequence", {"X": x}, {"Out": "columns"}, attrs, levels=1)["Out"]
        active = appended("relu", {"X": columns}, {"Out": "active"}, {}, levels=1)["Out"]
        outs = {"Out": "most", "Indices": "best"}
        best = appended("top_k", {"X": active}, outs, {"k": 1}, levels=1)["Indices"]
        aligned = appended(
            "ctc_align",
            {"Input": best},
            {"Output": "aligned"},
            {"blank": 0, "merge_repeated": True},
            dtype="int64",
        )["Output"]
        last = appended("scale", {"X": aligned}, {"Out": "last"}, {"scale": 1.0}, dtype="int64")
    # rows of each image: above 0, below 1: the class of a column is the row of its larger pixel
    classes = np.array([[1, 1, 0, 1, 0, 0], [0, 1, 1, 1, 1, 1], [1, 0, 1, 0, 1, 0]])
    images = np.stack([1 - classes, classes], 1)[:, None].astype("float32")
    found, rows = Executor().run(
        main, feed={"x": images}, fetch_list=[last["Out"], active], return_numpy=False
    )
    assert rows.lod() == [[0, 6, 12, 18]]
    assert found.lod() == [[0, 2, 3, 6]]
    np.testing.assert_array_equal(np.array(found).ravel(), [1] * 6)


def test_levels_of_a_fed_sequence_do_not_reach_what_has_other_rows():
    with building() as (main, _):
        x = data("x", [None, 2], lod_level=1)
        doubled = appended("scale", {"X": x}, {"Out": "doubled"}, {"scale": 2.0}, levels=1)["Out"]
        total = appended(
            "reduce_sum", {"X": doubled}, {"Out": "total"}, {"dim": [0], "keep_dim": True}, levels=1
        )["Out"]
    fed = lod_tensor(np.arange(6, dtype="float32").reshape(3, 2), [[0, 1, 3]])
    found = Executor().run(main, feed={"x": fed}, fetch_list=[doubled, total], return_numpy=False)
    assert found[0].lod() == [[0, 1, 3]] and found[1].lod() == []
    again = Executor().run(main, feed={"x": np.ones([3, 2], "float32")}, fetch_list=[doubled],
                           return_numpy=False)  # fmt: skip
    assert again[0].lod() == [] and fed.lod() == [[0, 1, 3]]
