"""Samples of suppression, beside loops over pairs of boxes."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64, ints


def share(a, b, one=0.0):
    """Intersection over union of two boxes; 0 where they are apart."""
    if b[0] > a[2] or b[2] < a[0] or b[1] > a[3] or b[3] < a[1]:
        return 0.0
    w = min(a[2], b[2]) - max(a[0], b[0]) + one
    h = min(a[3], b[3]) - max(a[1], b[1]) + one
    areas = 0.0
    for c in (a, b):
        upright = c[2] >= c[0] and c[3] >= c[1]
        areas += (c[2] - c[0] + one) * (c[3] - c[1] + one) if upright else 0.0
    return w * h / (areas - w * h)


def left_of(polygon, a, b):
    """What of a convex polygon lies to the left of the line from a to b."""
    out = []
    for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        u, v = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) for c in (p, q))
        if u >= 0:
            out.append(p)
        if u * v < 0:
            out.append(tuple(np.add(p, np.subtract(q, p) * (u / (u - v)))))
    return out


def area(points):
    pairs = zip(points, points[1:] + points[:1], strict=True)
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in pairs) / 2


def polygon_share(a, b, one=0.0):
    """The same of two convex polygons whose corners run counterclockwise."""
    a, b = ([tuple(p) for p in np.reshape(c, (-1, 2)).astype(float)] for c in (a, b))
    common = a
    for p, q in zip(b, b[1:] + b[:1], strict=True):
        common = left_of(common, p, q)
    common = area(common) if common else 0.0
    return common / (area(a) + area(b) - common)


def greedy(boxes, threshold, eta=1.0, one=0.0):
    shared = share if boxes.shape[-1] == 4 else polygon_share
    kept = []
    for i, box in enumerate(boxes):
        if all(shared(box, boxes[k], one) <= threshold for k in kept):
            kept.append(i)
            threshold *= eta if threshold > 0.5 else 1.0
    return kept


def nms(boxes, iou_threshold=1.0):
    return np.array(greedy(boxes, iou_threshold), "int64")


def candidates(scores, threshold, most):
    """Numbers of the boxes with a score above the threshold, best first."""
    found = sorted((-s, i) for i, s in enumerate(scores) if s > threshold)
    found = found if most < 0 else found[:most]
    return [i for _, i in found]


def image(boxes, scores, own, score_threshold, nms_top_k, keep_top_k, nms_threshold=0.3,
          normalized=True, nms_eta=1.0, background_label=0):  # fmt: skip
    """(label, place) of every box that is kept of an image."""
    found = []
    for label in range(len(scores)):
        if label == background_label:
            continue
        order = candidates(scores[label], score_threshold, nms_top_k)
        mine = boxes[order][:, label] if own else boxes[order]
        kept = [order[k] for k in greedy(mine, nms_threshold, nms_eta, 0.0 if normalized else 1.0)]
        found += [(label, place) for place in (sorted(kept) if own else kept)]
    if -1 < keep_top_k < len(found):
        found.sort(key=lambda f: -scores[f])
        found = sorted(found[:keep_top_k], key=None if own else lambda f: f[0])
    return found


def multiclass(boxes, scores, numbers, **attrs):
    out, index, counts = [], [], []
    own = scores.ndim == 2
    ends = np.cumsum([len(boxes)] if numbers is None else numbers)
    assert not own or ends[-1] == len(boxes)
    parts = np.split(boxes, ends[:-1]) if own else boxes
    values = [s.T for s in np.split(scores, ends[:-1])] if own else scores
    first = 0
    for part, value in zip(parts, values, strict=True):
        found = image(part, value, own, **attrs)
        for label, place in found:
            box = part[place, label] if own else part[place]
            out.append([label, value[label, place], *box])
            index.append((first + place) * scores.shape[1] + label if own else first + place)
        counts.append(len(found))
        first += len(part)
    out = np.array(out, boxes.dtype).reshape(-1, boxes.shape[-1] + 2)
    return out, np.array(index, "int32").reshape(-1, 1), np.array(counts, "int32")


def multiclass_nms(boxes, scores, **attrs):
    out = multiclass(boxes, scores, None, **attrs)[0]
    return out if len(out) else np.full((1, 1), -1.0, boxes.dtype)


def multiclass_nms2(boxes, scores, **attrs):
    return multiclass(boxes, scores, None, **attrs)[:2]


def matrix_nms(boxes, scores, score_threshold, nms_top_k, keep_top_k, post_threshold=0.0,
               use_gaussian=False, gaussian_sigma=2.0, background_label=0,
               normalized=True):  # fmt: skip
    out, index, counts = [], [], []
    one = 0.0 if normalized else 1.0
    for n, (part, value) in enumerate(zip(boxes, scores, strict=True)):
        found = []
        for label in range(len(value)):
            order = candidates(value[label], score_threshold, nms_top_k)
            if label == background_label:
                continue
            covered = [
                max([share(part[a], part[b], one) for b in order[:i]], default=0.0)
                for i, a in enumerate(order)
            ]
            for i, a in enumerate(order):
                factor = 1.0
                for b, c in zip(order[:i], covered, strict=False):
                    s = share(part[a], part[b], one)
                    linear = (1 - s) / (1 - c) if c < 1 else np.inf
                    gaussian = np.exp((c * c - s * s) * gaussian_sigma)
                    factor = min(factor, gaussian if use_gaussian else linear)
                score = factor * value[label, a]
                if score > post_threshold:
                    found.append((-score, len(found), label, a))
        found.sort()
        found = found[:keep_top_k] if keep_top_k > -1 else found
        out += [[label, -s, *part[a]] for s, _, label, a in found]
        index += [a + n * boxes.shape[1] for *_, a in found]
        counts.append(len(found))
    out = np.array(out, boxes.dtype).reshape(-1, 6)
    return out, np.array(index, "int32").reshape(-1, 1), np.array(counts, "int32")


# Boxes on a small grid overlap in many ways; none is a point, none has its corners exchanged.
LOW = ints(2, 12, 2, high=5).astype("float64")
BOXES = np.concatenate([LOW, LOW + ints(2, 12, 2, low=1, high=5)], 2)
SCORES = apart(2, 3, 12, gap=0.013) + 0.5
OWN = np.concatenate([BOXES[:, :, None], BOXES[::-1, :, None]], 2).reshape(24, 2, 4)
OWN_SCORES = apart(24, 2, gap=0.02) + 0.5
ALL = {"score_threshold": 0.1, "nms_top_k": -1, "keep_top_k": -1}
FEW = {"score_threshold": 0.4, "nms_top_k": 6, "keep_top_k": 5, "background_label": -1}
NOTHING = ALL | {"score_threshold": 2.0}
LESS = ALL | {"nms_threshold": 0.7, "nms_eta": 0.8, "normalized": False}
MULTI = {
    "multiclass_nms": multiclass_nms, "multiclass_nms2": multiclass_nms2,
    "multiclass_nms3": multiclass, "matrix_nms": matrix_nms,
}  # fmt: skip
TURNS = np.sort(f64(1, 8, 6, low=0.0, high=2 * np.pi), -1)[..., :4]
ROUND = np.stack([np.cos(TURNS), np.sin(TURNS)], -1) + f64(1, 8, 1, 2, low=-0.5, high=0.5)


def _multi(op, note, attrs, boxes=BOXES, scores=SCORES, **more):
    inputs = {"BBoxes": boxes, "Scores": scores, **more}
    return Sample(op, inputs, attrs, MULTI[op], static_shape=False, note=note)


SAMPLES = [
    Sample("nms", {"Boxes": BOXES[0]}, {"iou_threshold": 0.2}, nms, static_shape=False),
    Sample("nms", {"Boxes": BOXES[1]}, ref=nms, static_shape=False, note="all"),
    Sample("nms", {"Boxes": BOXES[0, :1]}, ref=nms, static_shape=False, note="one"),
    *(
        _multi(op, note, attrs)
        for op in MULTI
        for note, attrs in {
            "all": ALL, "few": FEW, "nothing": NOTHING,
            "none_wanted": ALL | {"keep_top_k": 0},
        }.items()
    ),
    *(_multi(op, "eta", LESS) for op in list(MULTI)[:3]),
    *(_multi(op, "own", FEW, OWN, OWN_SCORES) for op in list(MULTI)[:3]),
    _multi("multiclass_nms3", "own_images", FEW, OWN, OWN_SCORES, RoisNum=np.int32([5, 0, 19])),
    _multi("multiclass_nms3", "polygons", ALL | {"nms_threshold": 0.15}, ROUND.reshape(1, 8, 8),
           apart(1, 2, 8, gap=0.05) + 0.5),
    _multi("multiclass_nms", "equal_scores", ALL, scores=np.full((2, 2, 12), 0.5)),
    _multi("multiclass_nms", "one_box", ALL, BOXES[:, :1], SCORES[:, :, :1]),
    _multi("matrix_nms", "gaussian",
           FEW | {"use_gaussian": True, "gaussian_sigma": 0.5, "normalized": False}),
    _multi("matrix_nms", "cut", ALL | {"post_threshold": 0.3}),
    _multi("matrix_nms", "twins", ALL, BOXES[:, [0, 0, 1, 1, 2]], SCORES[:, :, :5]),
]  # fmt: skip


def _bad(op, match, boxes=BOXES, scores=SCORES, **more):
    return ErrorSample(op, {"BBoxes": boxes, "Scores": scores, **more}, ALL, ValueError, match)


ERRORS = [
    ErrorSample("nms", {"Boxes": f64(3, 5)}, {}, ValueError, r"Boxes of shape \[M, 4\]"),
    _bad("multiclass_nms", r"BBoxes \[M, C, 4\] and Scores \[M, C\]", BOXES[0]),
    _bad("multiclass_nms2", "boxes of 4 or 8 or 16 or 24 or 32 numbers", BOXES[:, :, :3]),
    _bad("multiclass_nms2", "boxes of 4 numbers", f64(12, 3, 8), f64(12, 3)),
    _bad("multiclass_nms3", "do not fit together", BOXES[:, :11]),
    _bad("multiclass_nms3", "images to be 24 together, but received", OWN, OWN_SCORES,
         RoisNum=np.int32([5, 4])),
    _bad("matrix_nms", r"Scores of shape \[N, C, M\]", OWN, OWN_SCORES),
    _bad("matrix_nms", "boxes of 4 numbers", f64(2, 12, 8)),
]  # fmt: skip
