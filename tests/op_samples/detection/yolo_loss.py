"""Samples of the loss of YOLOv3."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _cross(logit, target):
    return -target * np.log(_sigmoid(logit)) - (1 - target) * np.log(_sigmoid(-logit))


def _iou(a, b):
    common = 1.0
    for i in (0, 1):
        low = max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2)
        high = min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2)
        common *= max(high - low, 0)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def _yolo_loss(
    x, boxes, labels, scores=None, anchors=(), anchor_mask=(), class_num=1, ignore_thresh=0.7,
    downsample_ratio=32, use_label_smooth=True, scale_x_y=1.0
):  # fmt: skip
    n, _, h, w = x.shape
    x = np.asarray(x, "float64").reshape(n, len(anchor_mask), 5 + class_num, h, w)
    edge, shift = downsample_ratio * h, (scale_x_y - 1) / 2
    trust = np.zeros((n, len(anchor_mask), h, w))
    match = np.full(boxes.shape[:2], -1, "int32")
    loss = np.zeros(n)
    share = min(1 / class_num, 1 / 40) if use_label_smooth else 0.0
    for b, a, i, j in np.ndindex(trust.shape):
        tx, ty, tw, th = x[b, a, :4, i, j]
        anchor = anchor_mask[a]
        guess = [(j + _sigmoid(tx) * scale_x_y - shift) / w,
                 (i + _sigmoid(ty) * scale_x_y - shift) / h,
                 np.exp(tw) * anchors[2 * anchor] / edge,
                 np.exp(th) * anchors[2 * anchor + 1] / edge]  # fmt: skip
        real = [_iou(guess, box) for box in boxes[b] if min(box[2:]) > 1e-6]
        if max(real, default=0) > ignore_thresh:
            trust[b, a, i, j] = -1
    for b, t in np.ndindex(match.shape):
        box = boxes[b, t]
        if min(box[2:]) <= 1e-6:
            continue
        shapes = [_iou([0, 0, *box[2:]], [0, 0, anchors[k] / edge, anchors[k + 1] / edge])
                  for k in range(0, len(anchors), 2)]  # fmt: skip
        best = int(np.argmax(shapes))
        if best not in anchor_mask:
            continue
        a = match[b, t] = list(anchor_mask).index(best)
        score = 1.0 if scores is None else scores[b, t]
        i, j = int(box[1] * h), int(box[0] * w)
        trust[b, a, i, j] = score
        v = x[b, a, :, i, j]
        places = _cross(v[0], box[0] * w - j) + _cross(v[1], box[1] * h - i)
        sizes = (abs(np.log(box[2] * edge / anchors[2 * best]) - v[2])
                 + abs(np.log(box[3] * edge / anchors[2 * best + 1]) - v[3]))  # fmt: skip
        loss[b] += (places + sizes) * (2 - box[2] * box[3]) * score
        for c in range(class_num):
            loss[b] += _cross(v[5 + c], 1 - share if c == labels[b, t] else share) * score
    for b, a, i, j in np.ndindex(trust.shape):
        if trust[b, a, i, j] > 1e-5:
            loss[b] += _cross(x[b, a, 4, i, j], 1.0) * trust[b, a, i, j]
        elif trust[b, a, i, j] > -0.5:
            loss[b] += _cross(x[b, a, 4, i, j], 0.0)
    return loss, trust, match


X = f64(2, 2 * 8, 4, 4, key="yolo_loss")
BOXES = np.array([
    [[0.3, 0.6, 0.3, 0.4], [0.31, 0.62, 0.32, 0.38], [0.9, 0.1, 0.1, 0.1]],
    [[0.55, 0.55, 0.5, 0.6], [0.1, 0.8, 0.2, 0.3], [0.0, 0.0, 0.0, 0.0]],
])  # fmt: skip
LABELS = np.int32([[0, 2, 1], [1, 1, 0]])
SCORES = np.array([[0.8, 0.6, 1.0], [0.9, 0.5, 0.0]])
ATTRS = {"anchors": [3, 4, 10, 13, 16, 19], "anchor_mask": [1, 2], "class_num": 3,
         "ignore_thresh": 0.3, "downsample_ratio": 8}  # fmt: skip
INPUTS = {"X": X, "GTBox": BOXES, "GTLabel": LABELS}


def _sample(note, scores=None, **attrs):
    return Sample("yolov3_loss", {**INPUTS, "GTScore": scores}, ATTRS | attrs, _yolo_loss,
                  grad=["X"], note=note)  # fmt: skip


SAMPLES = [
    _sample(""),
    _sample("scores", SCORES),
    _sample("sharp", use_label_smooth=False, ignore_thresh=0.9),
    _sample("scaled", SCORES, scale_x_y=1.2),
    _sample("one_anchor", anchor_mask=[0], class_num=11),
]

ERRORS = [
    ErrorSample("yolov3_loss", {**INPUTS, "X": X[:, 1:]}, ATTRS, ValueError,
                r"expected X \[N, 16, H, H\]"),
    ErrorSample("yolov3_loss", {**INPUTS, "GTBox": BOXES[..., :3]}, ATTRS, ValueError,
                r"expected GTBox \[2, boxes, 4\]"),
    ErrorSample("yolov3_loss", {**INPUTS, "GTLabel": LABELS[:, 1:]}, ATTRS, ValueError,
                r"expected GTLabel \[2, 3\]"),
    ErrorSample("yolov3_loss", INPUTS, ATTRS | {"anchor_mask": [3]}, ValueError,
                "expected anchor_mask to name some of the anchors, 0 to 2"),
]  # fmt: skip
