"""LoD of fed and fetched values: which rows belong to which image."""

from __future__ import annotations

import numpy as np
import pytest

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


def fed_and_run(main, feed, fetch):
    outs = Executor().run(main, feed=feed, fetch_list=fetch, return_numpy=False)
    return [out.lod() for out in outs]


def test_levels_go_on_where_the_program_says_nothing():
    """im2sequence puts levels on its result, of which 1.8.5 says nothing when it is recorded."""
    with building() as (main, _):
        x, w = data("x", [None, 1, 2, 6]), data("w", [2, 3])
        attrs = {"kernels": [2, 1], "strides": [1, 1], "paddings": [0, 0, 0, 0]}
        columns = appended("im2sequence", {"X": x}, {"Out": "columns"}, attrs)["Out"]
        mixed = appended("mul", {"X": columns, "Y": w}, {"Out": "mixed"}, {})["Out"]
        active = appended("relu", {"X": mixed}, {"Out": "active"}, {})["Out"]
        turned = appended("transpose2", {"X": active}, {"Out": "turned"}, {"axis": [1, 0]})["Out"]
        pooled = appended("sequence_pool", {"X": active}, {"Out": "pooled"}, {})["Out"]
    feed = {"x": np.ones([2, 1, 2, 6], "float32"), "w": np.ones([2, 3], "float32")}
    found = fed_and_run(main, feed, [mixed, active, turned, pooled])
    assert found == [[[0, 6, 12]], [[0, 6, 12]], [], []]


def test_levels_are_those_of_the_first_operand():
    """As 1.8.5 does it: without levels there, the result has none."""
    with building() as (main, _):
        x = data("x", [None, 2])
        y, z = (data(name, [None, 2], lod_level=1) for name in "yz")
        fetch = []
        for at, (a, b) in enumerate([(x, y), (y, x), (y, z)]):
            for kind in ("elementwise_add", "elementwise_max", "less_than"):
                made = appended(kind, {"X": a, "Y": b}, {"Out": f"{kind}{at}"}, {"axis": -1})
                fetch.append(made["Out"])
            for kind, attrs in (("sum", {}), ("concat", {"axis": 1}), ("concat", {"axis": 0})):
                name = f"{kind}{at}{attrs}"
                fetch.append(appended(kind, {"X": [a, b]}, {"Out": name}, attrs)["Out"])
    rows = np.ones([4, 2], "float32")
    feed = {"x": rows, "y": lod_tensor(rows, [[0, 1, 4]]), "z": lod_tensor(rows, [[0, 2, 4]])}
    found = fed_and_run(main, feed, fetch)
    first = [[0, 1, 4]]
    assert found[:6] == [[]] * 6
    assert found[6:12] == [first] * 5 + [[]]
    assert found[12:] == [first] * 5 + [[[0, 1, 4, 6, 8]]]


def test_levels_stay_with_a_name_that_is_written_again():
    with building() as (main, _):
        x = data("x", [None, 2], lod_level=1)
        same = appended("scale", {"X": x}, {"Out": "same"}, {"scale": 2.0}, levels=1)["Out"]
        main.global_block().append_op("tanh", {"X": same}, {"Out": same}, {})
        pooled = appended("sequence_pool", {"X": same}, {"Out": "pooled"}, {"pooltype": "SUM"})
    rows = np.arange(8, dtype="float32").reshape(4, 2) / 8
    feed = {"x": lod_tensor(rows, [[0, 1, 4]])}
    (found,) = Executor().run(main, feed=feed, fetch_list=[pooled["Out"]])
    rounding.close(found, [np.tanh(2 * rows[:1]).sum(0), np.tanh(2 * rows[1:]).sum(0)], terms=8)


def test_levels_are_dropped_and_set_anew():
    with building() as (main, _):
        x = data("x", [None, 2], lod_level=2)
        attrs = {"target_lod": [0, 1, 5]}
        reset = appended("lod_reset", {"X": x}, {"Out": "reset"}, attrs, levels=1)["Out"]
        after = appended("relu", {"X": reset}, {"Out": "after"}, {}, levels=1)["Out"]
        most = appended("sequence_pool", {"X": x}, {"Out": "most"}, {"pooltype": "MAX"}, levels=1)
    feed = {"x": lod_tensor(np.ones([5, 2], "float32"), [[0, 2], [0, 2, 5]])}
    assert fed_and_run(main, feed, [reset, after, most["Out"]]) == [
        [[0, 1, 5]],
        [[0, 1, 5]],
        [[0, 2]],
    ]


def test_a_gradient_goes_through_sequences():
    with building() as (main, _):
        x = data("x", [None, 2], lod_level=1)
        x.stop_gradient = False
        wide = appended("scale", {"X": x}, {"Out": "wide"}, {"scale": 3.0}, levels=1)["Out"]
        pooled = appended("sequence_pool", {"X": wide}, {"Out": "pooled"}, {"pooltype": "AVERAGE"})
        (grad,) = paddle.static.gradients([pooled["Out"]], [x])
    feed = {"x": lod_tensor(np.ones([4, 2], "float32"), [[0, 1, 4]])}
    (found,) = Executor().run(main, feed=feed, fetch_list=[grad], return_numpy=False)
    rounding.close(np.array(found), np.array([[3.0] * 2, [1.0] * 2, [1.0] * 2, [1.0] * 2]), terms=4)


def test_rows_without_levels_are_refused():
    with building() as (main, _):
        x = data("x", [None, 2], lod_level=1)
        out = appended("sequence_softmax", {"X": x}, {"Out": "out"}, {})["Out"]
    with pytest.raises(ValueError, match=r"sequence_softmax: expected X .* without levels \(LoD\)"):
        Executor().run(main, feed={"x": np.ones([3, 2], "float32")}, fetch_list=[out])


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
