"""Two-stage detectors: whole Programs through the Executor, and what the samples do not show."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.ops.detection.proposals as proposals
from paddle.core.op import REGISTRY, C
from paddle.ops.detection.roi_and_yolo import region_counts
from tests.executor.building import building, run
from tests.op_samples.detection import proposals as loops
from tests.op_samples.detection import roi_and_yolo as regions

IMAGES, CHANNELS, ANCHORS = 2, 3, 2
SIZES = {2: (8, 10), 3: (4, 5), 4: (2, 3)}  # height and width of the maps of each level
SHAPE = np.float32([[31.0, 40.0], [27.0, 35.0]])
USUAL = {"pre_nms_topN": 30, "post_nms_topN": 6, "nms_thresh": 0.6, "min_size": 1.0, "eta": 1.0}
LEVELS = {"min_level": 2, "max_level": 4, "refer_level": 3}


def _arrays():
    """Features, scores, deltas, anchors and variances of each level."""
    random, feed = np.random.RandomState(3), {}
    for level, (h, w) in SIZES.items():
        step, base = 2**level, 3.0 * 2**level
        y, x = np.meshgrid(np.arange(h) * step, np.arange(w) * step, indexing="ij")
        centre = np.stack([x, y], -1)[:, :, None].repeat(ANCHORS, 2)
        half = np.array([[base / 2, base / 3], [base / 3, base / 2]])
        feed |= {
            f"map{level}": random.uniform(-1, 1, (IMAGES, CHANNELS, h, w)),
            f"scores{level}": random.uniform(0, 1, (IMAGES, ANCHORS, h, w)),
            f"deltas{level}": random.uniform(-0.3, 0.3, (IMAGES, 4 * ANCHORS, h, w)),
            f"anchors{level}": np.concatenate([centre - half, centre + half], -1),
            f"variances{level}": np.ones((h, w, ANCHORS, 4)),
        }
    return {k: v.astype("float32") for k, v in feed.items()} | {"shape": SHAPE}


class _Block:
    """Appends operators to a block by the names of their variables."""

    def __init__(self, main, feed):
        self.block = main.global_block()
        for name, value in feed.items():
            self.block.create_var(name=name, shape=list(value.shape), dtype=str(value.dtype))

    def __call__(self, kind, inputs, outputs, **attrs):
        for names in outputs.values():
            for name in names:
                self.block.create_var(name=name)
        self.block.append_op(
            type=kind,
            inputs={k: [self.block.var(n) for n in names] for k, names in inputs.items()},
            outputs={k: [self.block.var(n) for n in names] for k, names in outputs.items()},
            attrs=attrs,
        )


def _of_levels(name):
    return [f"{name}{level}" for level in SIZES]


def _detector(add, numbers, scale=8):
    """Proposals of every level, the best of them, shared out, pooled and put in order again.

    Without ``numbers`` nothing but LoD says whose the proposals are, as in 1.x.
    """
    version = "_v2" if numbers else ""
    for level in SIZES:
        add(
            "generate_proposals" + version,
            {"Scores": [f"scores{level}"], "BboxDeltas": [f"deltas{level}"],
             ("ImShape" if numbers else "ImInfo"): ["shape" if numbers else "info"],
             "Anchors": [f"anchors{level}"], "Variances": [f"variances{level}"]},
            {"RpnRois": [f"rois{level}"], "RpnRoiProbs": [f"probs{level}"]}
            | ({"RpnRoisNum": [f"num{level}"]} if numbers else {}),
            **USUAL,
        )  # fmt: skip
    add(
        "collect_fpn_proposals",
        {"MultiLevelRois": _of_levels("rois"), "MultiLevelScores": _of_levels("probs")}
        | ({"MultiLevelRoIsNum": _of_levels("num")} if numbers else {}),
        {"FpnRois": ["best"]} | ({"RoisNum": ["best_num"]} if numbers else {}),
        post_nms_topN=14,
    )
    add(
        "distribute_fpn_proposals",
        {"FpnRois": ["best"]} | ({"RoisNum": ["best_num"]} if numbers else {}),
        {"MultiFpnRois": _of_levels("part"), "RestoreIndex": ["restore"]}
        | ({"MultiLevelRoIsNum": _of_levels("part_num")} if numbers else {}),
        **LEVELS,
        refer_scale=scale,
    )
    for level in SIZES:
        add(
            "roi_align",
            {"X": [f"map{level}"], "ROIs": [f"part{level}"]}
            | ({"RoisNum": [f"part_num{level}"]} if numbers else {}),
            {"Out": [f"pooled{level}"]},
            pooled_height=2, pooled_width=3, spatial_scale=0.5**level, sampling_ratio=2,
        )  # fmt: skip
    add("concat", {"X": _of_levels("pooled")}, {"Out": ["shuffled"]}, axis=0)
    add("gather", {"X": ["shuffled"], "Index": ["restore"]}, {"Out": ["features"]})


def _expected(feed, scale):
    """The same by loops: the best boxes and what is pooled from them."""
    rois, probs, counts = [], [], []
    for level in SIZES:
        maps = [feed[f"{n}{level}"] for n in ("scores", "deltas")]
        still = [feed[f"{n}{level}"] for n in ("anchors", "variances")]
        made = loops.generate_proposals_v2(*maps, SHAPE, *still, **USUAL)
        for held, value in zip((rois, probs, counts), made, strict=True):
            held.append(value)
    best, numbers = loops.collect_fpn_proposals(rois, probs, counts, 14)
    parts, restore, shared = loops.distribute_fpn_proposals(
        best, numbers, **LEVELS, refer_scale=scale
    )
    pooled = []
    for level, part, each in zip(SIZES, parts, shared, strict=True):
        for i, boxes in enumerate(np.split(part, np.cumsum(each)[:-1])):
            image = feed[f"map{level}"][i : i + 1]
            attrs = {"spatial_scale": 0.5**level, "sampling_ratio": 2}
            pooled.append(regions._roi_align(image, boxes, None, None, 2, 3, **attrs))
    return best, numbers, np.concatenate(pooled)[restore.reshape(-1)]


@pytest.mark.parametrize(
    "numbers, scale, filled",
    [(True, 6, [True] * 3), (False, 6, [True] * 3), (True, 8, [True, True, False])],
    ids=["numbers", "levels_of_detail", "an_empty_level"],
)
def test_a_detector_over_a_pyramid(numbers, scale, filled):
    feed = _arrays()
    best, counts, features = _expected(feed, scale)
    assert sorted(counts)[0] > 1 and sum(counts) == 14, "the arrays should try both images"
    if not numbers:
        feed["info"] = np.concatenate([feed.pop("shape"), np.ones((IMAGES, 1), "float32")], 1)
    with building() as (main, _):
        _detector(_Block(main, feed), numbers, scale)
    found = run(main, feed, ["best", "features", *_of_levels("part")])
    np.testing.assert_allclose(found[0], best, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[1], features, rtol=1e-4, atol=1e-4)
    assert [len(part) > 0 for part in found[2:]] == filled, "the arrays should try this"


def test_shapes_are_known_as_far_as_they_can_be():
    with building() as (main, _):
        _detector(_Block(main, _arrays()), True)
    block = main.global_block()
    assert (
        block.var("rois2").shape == block.var("part4").shape == block.var("best").shape == (-1, 4)
    )
    assert block.var("num3").shape == block.var("part_num2").shape == (IMAGES,)
    assert block.var("restore").shape == (-1, 1)
    assert block.var("features").shape == (-1, CHANNELS, 2, 3)


def test_a_wrong_map_is_refused_when_it_is_recorded():
    feed = _arrays()
    feed["deltas3"] = feed["deltas3"][:, :4]
    with (
        building() as (main, _),
        pytest.raises(ValueError, match=r"BboxDeltas \[N, 4 \* A, H, W\]"),
    ):
        _detector(_Block(main, feed), True)


def test_levels_of_detail_follow_the_boxes():
    maps = [paddle.to_tensor(v) for v in loops.MAPS.values()]
    boxes, values, numbers, ends = C.generate_proposals(*maps, **loops.USUAL)
    first, both = numbers.numpy()[0], int(numbers.numpy().sum())
    assert boxes._buf._lod == values._buf._lod == [[0, first, both]]
    assert ends.numpy().tolist() == [first, both]
    parts, _, shared = C.distribute_fpn_proposals(boxes, **loops.LEVELS)
    for part, count in zip(parts, shared, strict=True):
        assert part._buf._lod == [[0, count.numpy()[0], count.numpy().sum()]]
        assert region_counts("here", maps[0]._buf, part._buf, None) == count.numpy().tolist()
    again, images = C.collect_fpn_proposals([boxes], [values], post_nms_topN=3)
    assert again._buf._lod == [[0, *np.cumsum(images.numpy())]]
    assert images.numpy().sum() == 3


@pytest.mark.parametrize("block", [1, 3, 16])
def test_blocks_of_boxes_change_nothing(block, monkeypatch):
    import torch

    low = np.random.RandomState(5).uniform(0, 20, (60, 2))
    boxes = np.concatenate([low, low + np.random.RandomState(6).uniform(2, 15, (60, 2))], 1)
    expected = loops._suppressed(boxes, 0.3, 1.0, 0.0)
    monkeypatch.setattr(proposals, "_BLOCK", block)
    found = proposals._survivors(torch.from_numpy(boxes), 0.3, 1.0, 0.0, 0)
    assert found.tolist() == expected
    assert 5 < len(expected) < 55


def test_every_other_box_of_a_chain_stays():
    import torch

    low = torch.arange(50.0, dtype=torch.float64) * 4
    chain = torch.stack([low, low * 0, low + 10, low * 0 + 10], 1)  # each overlaps the next two
    assert proposals._survivors(chain, 0.4, 1.0, 0.0, 0).tolist() == list(range(0, 50, 2))


def test_regions_pooled_by_levels_of_detail_give_their_gradient():
    """Without RoisNum, roi_pool learns from the boxes themselves which image they belong to."""
    x = paddle.to_tensor(regions.X)
    rois = paddle.to_tensor(regions.ROIS)
    numbers = paddle.to_tensor(regions.NUMBERS)
    for name, attrs in (("roi_pool", {}), ("roi_align", {}), ("psroi_pool", {"output_channels": 3}),
                        ("prroi_pool", {})):  # fmt: skip
        grads = []
        for given in (numbers, None):
            image, boxes = x.clone().detach(), rois.clone().detach()
            image.stop_gradient = False
            if given is None:
                boxes._buf._lod = [[0, 1, 3]]
            out = getattr(C, name)(image, boxes, given, **attrs)
            out = out[0] if len(REGISTRY[name].outputs) == 2 else out
            grads.append(paddle.grad(paddle.sum(out * out), [image])[0].numpy())
        np.testing.assert_array_equal(*grads)
        assert np.abs(grads[0][1]).max() > 0, "the second image has regions"
