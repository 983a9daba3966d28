"""Samples of proposals: loops over boxes and over pairs of them."""

from __future__ import annotations

import math

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64, ints, pos, rng


def _decoded(anchor, delta, variance, extra):
    """One box from one anchor."""
    box = []
    for axis in (0, 1):
        size = anchor[axis + 2] - anchor[axis] + extra
        centre = variance[axis] * delta[axis] * size + anchor[axis] + size / 2
        growth = min(variance[axis + 2] * delta[axis + 2], math.log(1000 / 16))
        box.append((centre, math.exp(growth) * size / 2))
    (x, w), (y, h) = box
    return np.array([x - w, y - h, x + w - extra, y + h - extra])


def _overlap(a, b, extra):
    w = min(a[2], b[2]) - max(a[0], b[0]) + extra
    h = min(a[3], b[3]) - max(a[1], b[1]) + extra
    shared = max(w, 0.0) * max(h, 0.0)
    areas = sum((c[2] - c[0] + extra) * (c[3] - c[1] + extra) for c in (a, b))
    return shared / (areas - shared)


def _suppressed(boxes, threshold, eta, extra):
    """Indices of the boxes that stay."""
    kept = []
    for i, box in enumerate(boxes):
        if all(_overlap(boxes[k], box, extra) <= threshold for k in kept):
            kept.append(i)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


def _image(scores, deltas, height, width, scale, anchors, variances, before, after, threshold,
           least, eta, extra):  # fmt: skip
    """Boxes and scores of one image; every map as [H, W, A, ...]."""
    cells = sorted(np.ndindex(*scores.shape), key=lambda c: -scores[c])
    cells = cells[:before] if before > 0 else cells
    boxes, values = [], []
    for cell in cells:
        box = _decoded(anchors[cell], deltas[cell], variances[cell], extra)
        box[[0, 2]] = np.clip(box[[0, 2]], 0, width - extra)
        box[[1, 3]] = np.clip(box[[1, 3]], 0, height - extra)
        w, h = box[2] - box[0], box[3] - box[1]
        if min(w, h) / scale + extra < max(least, 1):
            continue
        inside = box[0] + (w + extra) / 2 <= width and box[1] + (h + extra) / 2 <= height
        if extra and not inside:
            continue
        boxes.append(box)
        values.append(scores[cell])
    if not boxes:
        return [np.zeros(4)], [0.0]
    if threshold <= 0:
        return boxes, values
    kept = _suppressed(boxes, threshold, eta, extra)
    kept = kept[:after] if after > 0 else kept
    return [boxes[k] for k in kept], [values[k] for k in kept]


def _all(scores, deltas, sizes, scales, anchors, variances, **attrs):
    n, a, h, w = scores.shape
    deltas = deltas.reshape(n, a, 4, h, w)
    assert anchors.size == variances.size == 4 * a * h * w
    boxes, values, counts = [], [], []
    for i in range(n):
        b, v = _image(
            scores[i].transpose(1, 2, 0), deltas[i].transpose(2, 3, 0, 1), *sizes[i], scales[i],
            anchors, variances, attrs["pre_nms_topN"], attrs["post_nms_topN"], attrs["nms_thresh"],
            attrs["min_size"], attrs["eta"], float(attrs.get("pixel_offset", True))
        )  # fmt: skip
        boxes, values, counts = boxes + b, values + v, [*counts, len(b)]
    made = np.array(boxes, scores.dtype).reshape(-1, 4)
    return made, np.array(values, scores.dtype).reshape(-1, 1), np.int32(counts)


def generate_proposals(scores, deltas, info, anchors, variances, **attrs):
    found = _all(scores, deltas, info[:, :2], info[:, 2], anchors, variances, **attrs)
    return (*found, np.cumsum(found[2], dtype="int64"))


def generate_proposals_v2(scores, deltas, shape, anchors, variances, **attrs):
    return _all(scores, deltas, shape, np.ones(len(shape)), anchors, variances, **attrs)


def distribute_fpn_proposals(rois, numbers, min_level, max_level, refer_level, refer_scale,
                             pixel_offset=True):  # fmt: skip
    counts = [len(rois)] if numbers is None else list(numbers)
    images = [i for i, count in enumerate(counts) for _ in range(count)]
    assert len(images) == len(rois)
    extra = float(pixel_offset)
    levels = {level: [] for level in range(min_level, max_level + 1)}
    for k, (x0, y0, x1, y1) in enumerate(rois):
        area = 0.0 if x1 < x0 or y1 < y0 else (x1 - x0 + extra) * (y1 - y0 + extra)
        level = math.floor(math.log2(math.sqrt(area) / refer_scale + 1e-6) + refer_level)
        levels[min(max(level, min_level), max_level)].append(k)
    order = [k for rows in levels.values() for k in rows]
    restore = np.zeros((len(rois), 1), "int32")
    for place, k in enumerate(order):
        restore[k] = place
    numbers = [
        np.int32([sum(images[k] == i for k in rows) for i in range(len(counts))])
        for rows in levels.values()
    ]
    return [rois[rows].reshape(-1, 4) for rows in levels.values()], restore, numbers


def collect_fpn_proposals(rois, scores, numbers, post_nms_topN):
    numbers = [[len(r)] for r in rois] if numbers is None else numbers
    rows = [
        (-float(s), -place, image, box)
        for place, (s, image, box) in enumerate(
            (s, image, box)
            for r, values, counts in zip(rois, scores, numbers, strict=True)
            for s, image, box in zip(
                values.reshape(-1),
                [i for i, count in enumerate(counts) for _ in range(count)],
                r,
                strict=True,
            )
        )
    ]
    best = sorted(rows, key=lambda row: row[:2])[:post_nms_topN]
    images = range(len(numbers[0]))
    boxes = [row[3] for i in images for row in best if row[2] == i]
    return (
        np.array(boxes, rois[0].dtype).reshape(-1, 4),
        np.int32([sum(row[2] == i for row in best) for i in images]),
    )


N, A, H, W = 2, 3, 4, 5
CORNERS = f64(H, W, A, 2, low=0.0, high=30.0, key="corners")
MAPS = {
    "Scores": (rng("scores").permutation(N * A * H * W).reshape(N, A, H, W) + 0.5) / 120,
    "BboxDeltas": f64(N, 4 * A, H, W, key="deltas"),
    "ImInfo": np.array([[35.0, 45.0, 1.0], [28.0, 30.0, 1.7]]),
    "Anchors": np.concatenate([CORNERS, CORNERS + 14 * pos(H, W, A, 2, key="sizes")], -1),
    "Variances": 0.5 * pos(H, W, A, 4, key="variances"),
}
MAPS_2 = {("ImShape" if k == "ImInfo" else k): v for k, v in MAPS.items()}
MAPS_2["ImShape"] = MAPS["ImInfo"][:, :2].copy()
USUAL = {"pre_nms_topN": 40, "post_nms_topN": 8, "nms_thresh": 0.4, "min_size": 3.0, "eta": 1.0}


def _made(note, version=1, maps=None, **attrs):
    inputs, ref = (MAPS, generate_proposals) if version == 1 else (MAPS_2, generate_proposals_v2)
    inputs = inputs | (maps or {})
    return Sample(ref.__name__, inputs, USUAL | attrs, ref, note=note, static_shape=False)


CORNER = f64(9, 2, low=0.0, high=50.0, key="rois")
SIDES = np.exp2(f64(9, 2, low=1.0, high=9.5, key="sides"))
ROIS = np.concatenate([CORNER, CORNER + SIDES], 1)
ROIS[4, 2] = ROIS[4, 0] - 3
LEVELS = {"min_level": 2, "max_level": 5, "refer_level": 4, "refer_scale": 100}


def _shared(note, rois, numbers=None, **attrs):
    numbers = None if numbers is None else np.int32(numbers)
    inputs = {"FpnRois": rois, "RoisNum": numbers}
    return Sample("distribute_fpn_proposals", inputs, LEVELS | attrs, distribute_fpn_proposals,
                  note=note, static_shape=False)  # fmt: skip


def _level(counts, key):
    counts = np.int32(counts)
    corner = f64(counts.sum(), 2, key=key)
    return np.concatenate([corner, corner + 1], 1), pos(counts.sum(), 1, key=key), counts


def _collected(note, levels, top, *, numbers=True):
    rois, scores, counts = (list(part) for part in zip(*levels, strict=True))
    inputs = {"MultiLevelRois": rois, "MultiLevelScores": scores,
              "MultiLevelRoIsNum": counts if numbers else None}  # fmt: skip
    return Sample("collect_fpn_proposals", inputs, {"post_nms_topN": top}, collect_fpn_proposals,
                  note=note, static_shape=False)  # fmt: skip


TWO_IMAGES = [_level([3, 2], "a"), _level([1, 4], "b"), _level([0, 2], "c")]
EQUAL = [(r, np.round(s), c) for r, s, c in TWO_IMAGES]

SAMPLES = [
    _made(""),
    _made("falling_threshold", nms_thresh=0.9, eta=0.7, post_nms_topN=-1, pre_nms_topN=0),
    _made("nothing_large_enough", min_size=1000.0),
    _made("overlapping", nms_thresh=0.0),
    _made("", 2),
    _made("edges", 2, pixel_offset=False, nms_thresh=0.7, post_nms_topN=100),
    _made("huge", 2, {"BboxDeltas": 30 * MAPS["BboxDeltas"]}),
    _shared("", ROIS, [4, 0, 5]),
    _shared("one_image", ROIS, pixel_offset=False),
    _shared("one_level", ROIS, [9], max_level=2),
    _collected("", TWO_IMAGES, 7),
    _collected("all", TWO_IMAGES, 100),
    _collected("one_image", TWO_IMAGES, 5, numbers=False),
    _collected("ties", EQUAL, 6),
]


def _bad(op, match, inputs, attrs):
    return ErrorSample(op, inputs, attrs, ValueError, match)


ERRORS = [
    _bad("generate_proposals", r"height, width and scale of each image \[N, 3\]",
         MAPS | {"ImInfo": MAPS_2["ImShape"]}, USUAL),
    _bad("generate_proposals_v2", r"BboxDeltas \[N, 4 \* A, H, W\]",
         MAPS_2 | {"BboxDeltas": MAPS["Scores"]}, USUAL),
    _bad("distribute_fpn_proposals", "add up to 9, but received", {
         "FpnRois": ROIS, "RoisNum": np.int32([4, 4])}, LEVELS),
    _bad("distribute_fpn_proposals", r"shape \[count, 4\]", {"FpnRois": CORNER}, LEVELS),
    _bad("distribute_fpn_proposals", "min_level <= max_level", {"FpnRois": ROIS},
         LEVELS | {"max_level": 1}),
    _bad("collect_fpn_proposals", "as many MultiLevelScores as MultiLevelRois", {
         "MultiLevelRois": [ROIS], "MultiLevelScores": [CORNER[:, :1], CORNER[:, :1]]},
         {"post_nms_topN": 3}),
    _bad("collect_fpn_proposals", "a score of every box", {
         "MultiLevelRois": [ROIS], "MultiLevelScores": [ints(4, 1) * 0.5]}, {"post_nms_topN": 3}),
]  # fmt: skip
