"""What detectors do behind their layers: Programs through the Executor, and LoD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.ops.detection.suppression as kernels
from paddle.core.infer import Spec, infer
from paddle.core.op import REGISTRY, C
from paddle.ops.detection import overlap
from tests.executor.building import building, run
from tests.op_samples.detection import anchors as anchor_loops
from tests.op_samples.detection import box_decoding as decoding
from tests.op_samples.detection import heads
from tests.op_samples.detection import prior_box as prior
from tests.op_samples.detection import roi_and_yolo as yolo
from tests.op_samples.detection import suppression as loops

VARIANCE = [0.1, 0.1, 0.2, 0.2]
SSD = {
    "background_label": 0, "score_threshold": 0.2, "nms_top_k": 20, "nms_threshold": 0.45,
    "nms_eta": 1.0, "keep_top_k": 9, "normalized": True,
}  # fmt: skip
YOLO = SSD | {"background_label": -1, "score_threshold": 0.1, "normalized": False}
MATRIX = {"score_threshold": 0.2, "nms_top_k": 20, "keep_top_k": 9, "post_threshold": 0.1}


class _Block:
    """Appends operators to a block by the names of their variables."""

    def __init__(self, main: Any, feed: dict[str, np.ndarray]) -> None:
        self.block = main.global_block()
        for name, value in feed.items():
            self.block.create_var(name=name, shape=list(value.shape), dtype=str(value.dtype))

    def __call__(self, kind: str, inputs: dict, outputs: dict, **attrs: Any) -> None:
        for name in outputs.values():
            self.block.create_var(name=name)
        self.block.append_op(
            type=kind,
            inputs={k: [self.block.var(n) for n in _list(v)] for k, v in inputs.items()},
            outputs={k: [self.block.var(v)] for k, v in outputs.items()},
            attrs=attrs,
        )


def _list(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else names


def _random(*shape: int, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    return (
        np.random.RandomState(len(shape) + sum(shape)).uniform(low, high, shape).astype("float32")
    )


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _same(got: list, expected: Any) -> None:
    for g, e in zip(got, expected, strict=True):
        assert g.shape == e.shape
        assert g.dtype == e.dtype
        np.testing.assert_allclose(g, e, 1e-4, 1e-5)


def _ssd_head(add: _Block) -> None:
    add("prior_box", {"Input": "map", "Image": "image"}, {"Boxes": "grid", "Variances": "spread"},
        min_sizes=[8.0], max_sizes=[14.0], aspect_ratios=[2.0], variances=VARIANCE, flip=True,
        clip=True)  # fmt: skip
    add("reshape2", {"X": "grid"}, {"Out": "prior", "XShape": "xshape"}, shape=[-1, 4])
    add("reshape2", {"X": "spread"}, {"Out": "variance", "XShape": "xshape2"}, shape=[-1, 4])
    add("box_coder", {"PriorBox": "prior", "PriorBoxVar": "variance", "TargetBox": "codes"},
        {"OutputBox": "boxes"}, code_type="decode_center_size", box_normalized=True)  # fmt: skip
    add("softmax", {"X": "logits"}, {"Out": "probs"}, axis=-1)
    add("transpose2", {"X": "probs"}, {"Out": "scores", "XShape": "xshape3"}, axis=[0, 2, 1])


def _ssd_feed(sharpness: float) -> dict[str, np.ndarray]:
    count = 3 * 4 * 4
    return {
        "map": _random(2, 5, 3, 4), "image": _random(2, 3, 30, 40),
        "codes": _random(2, count, 4), "logits": sharpness * _random(2, count, 3),
    }  # fmt: skip


def _ssd_loops(feed: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    grid, spread = prior.prior_box(
        feed["map"], feed["image"], [8.0], [14.0], [2.0], variances=VARIANCE
    )
    boxes = decoding.box_coder(
        grid.reshape(-1, 4), spread.reshape(-1, 4), feed["codes"], **decoding.DECODE
    )
    return boxes, _softmax(feed["logits"]).transpose(0, 2, 1)


@pytest.mark.parametrize("op", list(loops.MULTI))
def test_single_shot_detector(op):
    feed = _ssd_feed(4.0)
    attrs = MATRIX if op == "matrix_nms" else SSD
    names = ["Out", "Index", "RoisNum" if op == "matrix_nms" else "NmsRoisNum"]
    names = names[: {"multiclass_nms": 1, "multiclass_nms2": 2}.get(op, 3)]
    with building() as (main, _):
        add = _Block(main, feed)
        _ssd_head(add)
        add(op, {"BBoxes": "boxes", "Scores": "scores"}, {n: n for n in names}, **attrs)
    more = (None,) if op == "multiclass_nms3" else ()
    expected = loops.MULTI[op](*_ssd_loops(feed), *more, **attrs)
    expected = [expected] if len(names) == 1 else expected
    assert len(expected[0]) > 4
    _same(run(main, feed, names), expected)


def test_results_that_a_program_does_not_name():
    """1.x knows no counts of rows; they are dropped."""
    feed = {"boxes": loops.BOXES.astype("float32"), "scores": loops.SCORES.astype("float32")}
    both = {"BBoxes": "boxes", "Scores": "scores"}
    with building() as (main, _):
        add = _Block(main, feed)
        add("matrix_nms", both, {"Out": "a", "Index": "i"}, **MATRIX)
        add("multiclass_nms3", both, {"Out": "b", "Index": "j"}, **SSD)
    expected = [
        *loops.matrix_nms(feed["boxes"], feed["scores"], **MATRIX)[:2],
        *loops.multiclass_nms2(feed["boxes"], feed["scores"], **SSD),
    ]
    _same(run(main, feed, ["a", "i", "b", "j"]), expected)


def test_single_shot_detector_that_finds_nothing():
    feed = _ssd_feed(0.01)  # every class about as likely as the others
    attrs = SSD | {"score_threshold": 0.5}
    with building() as (main, _):
        add = _Block(main, feed)
        _ssd_head(add)
        both = {"BBoxes": "boxes", "Scores": "scores"}
        add("multiclass_nms", both, {"Out": "old"}, **attrs)
        add("multiclass_nms3", both, {"Out": "new", "Index": "index", "NmsRoisNum": "num"}, **attrs)
    old, new, index, num = run(main, feed, ["old", "new", "index", "num"])
    assert old.tolist() == [[-1.0]]
    assert (new.shape, index.shape, num.tolist()) == ((0, 6), (0, 1), [0, 0])


def test_yolo_head():
    feed = {"map": 3 * _random(2, 2 * 8, 4, 5), "size": np.int32([[64, 80], [48, 90]])}
    head = yolo.YOLO | {"downsample_ratio": 16, "anchors": [30, 25, 40, 60], "conf_thresh": 0.05}
    with building() as (main, _):
        add = _Block(main, feed)
        add("yolo_box", {"X": "map", "ImgSize": "size"}, {"Boxes": "b", "Scores": "s"}, **head)
        add("transpose2", {"X": "s"}, {"Out": "scores", "XShape": "xshape"}, axis=[0, 2, 1])
        add("multiclass_nms3", {"BBoxes": "b", "Scores": "scores"},
            {"Out": "out", "Index": "index", "NmsRoisNum": "num"}, **YOLO)  # fmt: skip
    boxes, scores = yolo._yolo(feed["map"], feed["size"], **head)
    boxes, scores = boxes.astype("float32"), scores.astype("float32").transpose(0, 2, 1)
    expected = loops.multiclass(boxes, scores, None, **YOLO)
    assert expected[2].min() > 2
    _same(run(main, feed, ["out", "index", "num"]), expected)


def test_second_stage_with_boxes_of_every_class():
    """Faster R-CNN: anchors, the best class's box, cut to the image, suppression by class."""
    feed = {
        "map": _random(1, 2, 3, 4), "codes": _random(36, 12), "logits": 3 * _random(36, 3),
        "info": np.float32([[40.0, 56.0, 1.0]]), "spread": np.float32(VARIANCE),
    }  # fmt: skip
    shapes = {"anchor_sizes": [16.0], "aspect_ratios": [0.5, 1.0, 2.0], "variances": VARIANCE}
    with building() as (main, _):
        add = _Block(main, feed)
        add("anchor_generator", {"Input": "map"}, {"Anchors": "a", "Variances": "v"}, **shapes)
        add("reshape2", {"X": "a"}, {"Out": "anchors", "XShape": "xshape"}, shape=[-1, 4])
        add("softmax", {"X": "logits"}, {"Out": "scores"}, axis=-1)
        add(
            "box_decoder_and_assign",
            {
                "PriorBox": "anchors",
                "PriorBoxVar": "spread",
                "TargetBox": "codes",
                "BoxScore": "scores",
            },
            {"DecodeBox": "every", "OutputAssignBox": "best"},
        )
        add("reshape2", {"X": "every"}, {"Out": "boxes", "XShape": "xshape2"}, shape=[-1, 3, 4])
        add("box_clip", {"Input": "boxes", "ImInfo": "info"}, {"Output": "cut"})
        add("multiclass_nms2", {"BBoxes": "cut", "Scores": "scores"},
            {"Out": "out", "Index": "index"}, **SSD | {"normalized": False})  # fmt: skip
    anchors = anchor_loops.anchor_generator(feed["map"], **shapes)[0].reshape(-1, 4)
    scores = _softmax(feed["logits"])
    every, best = decoding.box_decoder_and_assign(anchors, feed["spread"], feed["codes"], scores)
    cut = decoding.box_clip(every.reshape(-1, 3, 4), feed["info"])
    out, index = loops.multiclass_nms2(cut, scores, **SSD | {"normalized": False})
    assert len(out) == SSD["keep_top_k"]
    _same(run(main, feed, ["best", "out", "index"]), [best, out, index])


def test_faces_and_text():
    """Boxes by density, and quadrangles that a polygon head points at."""
    feed = {"map": _random(1, 8, 3, 4), "image": _random(1, 3, 24, 32)}
    attrs = anchor_loops.SMALL | {"flatten_to_2d": True}
    with building() as (main, _):
        add = _Block(main, feed)
        add("density_prior_box", {"Input": "map", "Image": "image"},
            {"Boxes": "boxes", "Variances": "spread"}, **attrs)  # fmt: skip
        add("nms", {"Boxes": "boxes"}, {"KeepBoxesIdxs": "kept"}, iou_threshold=0.3)
        add("polygon_box_transform", {"Input": "map"}, {"Output": "corners"})
    boxes = anchor_loops.density_prior_box(feed["map"], feed["image"], **attrs)[0]
    expected = [boxes, loops.nms(boxes, 0.3), decoding.polygon_box_transform(feed["map"])]
    _same(run(main, feed, ["boxes", "kept", "corners"]), expected)


def test_one_stage_detector_by_levels():
    """RetinaNet: classes by sigmoid, anchors of two maps, one operator for the rest."""
    sizes = {"a": (3, 4), "b": (2, 2)}
    feed = {"info": np.float32([[24.0, 32.0, 1.0], [20.0, 30.0, 0.8]])}
    with building() as (main, _):
        for level, (h, w) in sizes.items():
            feed[f"map_{level}"] = _random(1, 2, h, w)
            feed[f"codes_{level}"] = 0.5 * _random(2, h * w, 4)
            feed[f"logits_{level}"] = 2 * _random(2, h * w, 3)
        add = _Block(main, feed)
        for level, stride in (("a", 8.0), ("b", 16.0)):
            add(
                "anchor_generator",
                {"Input": f"map_{level}"},
                {"Anchors": f"grid_{level}", "Variances": f"v_{level}"},
                stride=[stride] * 2,
                anchor_sizes=[2 * stride],
                aspect_ratios=[1.0],
                variances=VARIANCE,
            )
            add(
                "reshape2",
                {"X": f"grid_{level}"},
                {"Out": f"anchors_{level}", "XShape": f"x_{level}"},
                shape=[-1, 4],
            )
            add("sigmoid", {"X": f"logits_{level}"}, {"Out": f"scores_{level}"})
        add("retinanet_detection_output",
            {"BBoxes": ["codes_a", "codes_b"], "Scores": ["scores_a", "scores_b"],
             "Anchors": ["anchors_a", "anchors_b"], "ImInfo": "info"},
            {"Out": "out"}, **heads.RETINA)  # fmt: skip
    anchors = [
        anchor_loops.anchor_generator(
            feed[f"map_{level}"], [2 * stride], [1.0], VARIANCE, [stride] * 2
        )[0].reshape(-1, 4)
        for level, stride in (("a", 8.0), ("b", 16.0))
    ]
    scores = [1 / (1 + np.exp(-feed[f"logits_{level}"])) for level in sizes]
    expected = heads.retinanet(
        [feed["codes_a"], feed["codes_b"]], scores, anchors, feed["info"], **heads.RETINA
    )
    assert len(expected) > 9
    _same(run(main, feed, ["out"]), [expected])


# -- LoD -----------------------------------------------------------------------------


def _levels(array: np.ndarray, offsets: list[int]) -> Any:
    made = paddle.to_tensor(array)
    made._buf._lod = [offsets]
    return made


def test_rows_know_their_image():
    boxes, scores = paddle.to_tensor(loops.BOXES), paddle.to_tensor(loops.SCORES)
    out, index, counts = C.multiclass_nms3(boxes, scores, None, **loops.FEW)
    ends = [0, *np.cumsum(counts.numpy()).tolist()]
    assert ends[1:] == [5, 10]
    assert out._buf._lod == index._buf._lod == [ends]
    for op in ("multiclass_nms", "matrix_nms"):
        made = getattr(C, op)(boxes, scores, **loops.NOTHING)
        first = made if op == "multiclass_nms" else made[0]
        assert first._buf._lod == ([[0, 1]] if op == "multiclass_nms" else [[0, 0, 0]])


def test_levels_of_the_input_tell_the_images_apart():
    offsets = [0, 5, 5, 24]
    boxes = _levels(loops.OWN, offsets)
    out, index = C.multiclass_nms2(boxes, paddle.to_tensor(loops.OWN_SCORES), **loops.FEW)
    expected = loops.multiclass(loops.OWN, loops.OWN_SCORES, np.diff(offsets), **loops.FEW)
    _same([out.numpy(), index.numpy()], expected[:2])
    assert out._buf._lod == [[0, *np.cumsum(expected[2]).tolist()]]


def test_rows_of_heads_know_their_image():
    found = C.retinanet_detection_output(
        *[[paddle.to_tensor(a) for a in heads.LEVELS[k]] for k in ("BBoxes", "Scores", "Anchors")],
        paddle.to_tensor(heads.LEVELS["ImInfo"]),
        **heads.RETINA,
    )
    assert found._buf._lod == [[0, 9, 18]]
    boxes, scores = paddle.to_tensor(loops.BOXES), paddle.to_tensor(loops.SCORES)
    assert C.locality_aware_nms(boxes, scores, **loops.FEW)._buf._lod == [[0, 5, 10]]
    nothing = C.locality_aware_nms(boxes, scores, **loops.ALL | {"score_threshold": 99.0})
    assert (nothing.numpy().tolist(), nothing._buf._lod) == ([[-1.0]], [[0, 1]])
    np.testing.assert_array_equal(boxes.numpy(), loops.BOXES)


def test_boxes_are_cut_to_their_image():
    boxes = decoding.boxes(5) * 2 - 2
    out = C.box_clip(_levels(boxes, [0, 2, 5]), paddle.to_tensor(decoding.INFO))
    expected = [
        decoding.box_clip(part, decoding.INFO[i : i + 1])
        for i, part in enumerate(np.split(boxes, [2]))
    ]
    _same([out.numpy()], [np.concatenate(expected)])
    assert out._buf._lod == [[0, 2, 5]]
    with pytest.raises(ValueError, match=r"boxes of 2 images.*LoD \[\[0, 1, 3, 5\]\]"):
        C.box_clip(_levels(boxes, [0, 1, 3, 5]), paddle.to_tensor(decoding.INFO))


# -- many boxes, odd boxes ------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 40, 200])
def test_overlaps_by_the_block(block, monkeypatch):
    """What is computed a few rows at a time is the same as at once."""
    monkeypatch.setattr(kernels, "BLOCK", block)
    monkeypatch.setattr(overlap, "BLOCK", block)
    boxes, scores = paddle.to_tensor(loops.BOXES), paddle.to_tensor(loops.SCORES)
    for op in ("multiclass_nms", "multiclass_nms2", "matrix_nms"):
        made = getattr(C, op)(boxes, scores, **loops.FEW)
        made = [made] if op == "multiclass_nms" else made[:2]
        expected = loops.MULTI[op](loops.BOXES, loops.SCORES, **loops.FEW)
        expected = [expected] if op == "multiclass_nms" else expected[:2]
        _same([m.numpy() for m in made], expected)
    corners = paddle.to_tensor(loops.ROUND.reshape(1, 8, 8))
    values = paddle.to_tensor(loops.SCORES[:1, :, :8])
    polygons = C.multiclass_nms(corners, values, **loops.ALL).numpy()
    expected = loops.multiclass_nms(corners.numpy(), values.numpy(), **loops.ALL)
    np.testing.assert_allclose(polygons, expected)


def test_points_suppress_their_twins_in_multiclass_nms_only():
    """0 / 0 is no share that is small enough there; PaddlePaddle 2.6.2 does the same."""
    twins = paddle.to_tensor(np.float32([[[1, 1, 1, 1]] * 2]))
    scores = paddle.to_tensor(np.float32([[[0.9, 0.8]]]))
    attrs = loops.ALL | {"background_label": -1}
    assert C.multiclass_nms(twins, scores, **attrs).shape == [1, 6]
    assert C.matrix_nms(twins, scores, **attrs)[0].shape == [2, 6]
    assert C.nms(twins[0], iou_threshold=0.5).numpy().tolist() == [0, 1]


L = [(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4), (0, 3), (0, 2)]  # an L of area 7


def test_polygons_need_not_be_convex():
    """An L and a square in its corner that overlaps it by 1 of 7 + 4."""
    square = [(3, 0), (5, 0), (5, 1), (5, 2), (4, 2), (3, 2), (3, 1.5), (3, 1)]
    other = [(2, 2), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (2, 3.5), (2, 3)]
    shapes = [np.ravel(p) for p in (L, square, other, L[::-1])]
    made = overlap.polygon_share(*[paddle.to_tensor(np.float64(shapes))._buf] * 2).numpy()
    np.testing.assert_allclose(
        made, [[1, 0.1, 0, 1], [0.1, 1, 0, 0.1], [0, 0, 1, 0], [1, 0.1, 0, 1]], atol=1e-12
    )


def test_shapes_of_results_are_unknown_before_the_run():
    made = infer(REGISTRY["multiclass_nms3"], [_spec(-1, 30, 8), _spec(-1, 3, 30), None], SSD)
    assert [s.shape for s in made] == [(-1, 10), (-1, 1), (-1,)]
    with pytest.raises(ValueError, match="do not fit together"):
        infer(REGISTRY["multiclass_nms2"], [_spec(2, 30, 4), _spec(2, 3, 31)], SSD)


def _spec(*shape: int) -> Spec:
    return Spec(shape, paddle.float32)
