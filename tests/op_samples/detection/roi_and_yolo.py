"""Samples of operators of object detection, beside loops over pixels."""

from __future__ import annotations

import math

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, apart, f64

X = apart(2, 3, 6, 5, gap=0.03, key="image")
ROIS = np.array([[0.3, 0.6, 3.2, 4.1], [1.0, 1.0, 1.4, 1.2], [-2.0, 2.3, 9.0, 8.7]])
NUMBERS, OFFSETS = np.int32([1, 2]), np.int64([0, 1, 3])
IMAGES = [0, 1, 1]


def _pixel(image, y, x):
    """Bilinear interpolation; up to one pixel outside counts as the border, beyond it as 0."""
    high, wide = image.shape[1:]
    if y < -1 or y > high or x < -1 or x > wide:
        return np.zeros(len(image))
    y, x = min(max(y, 0), high - 1), min(max(x, 0), wide - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, high - 1), min(left + 1, wide - 1)
    b, r = y - top, x - left
    upper = image[:, top, left] * (1 - r) + image[:, top, right] * r
    lower = image[:, bottom, left] * (1 - r) + image[:, bottom, right] * r
    return upper * (1 - b) + lower * b


def _roi_align(x, rois, numbers=None, offsets=None, pooled_height=1, pooled_width=1,
               spatial_scale=1.0, sampling_ratio=-1, aligned=False):  # fmt: skip
    images = IMAGES if numbers is not None or offsets is not None else [0] * len(rois)
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width))
    for k, (image, roi) in enumerate(zip(images, rois, strict=True)):
        left, top, right, bottom = roi * spatial_scale - (0.5 if aligned else 0)
        wide, high = right - left, bottom - top
        if not aligned:
            wide, high = max(wide, 1), max(high, 1)
        bin_h, bin_w = high / pooled_height, wide / pooled_width
        rows = sampling_ratio if sampling_ratio > 0 else math.ceil(bin_h)
        columns = sampling_ratio if sampling_ratio > 0 else math.ceil(bin_w)
        for p, q in np.ndindex(pooled_height, pooled_width):
            for i, j in np.ndindex(rows, columns):
                y = top + (p + (i + 0.5) / rows) * bin_h
                out[k, :, p, q] += _pixel(x[image], y, left + (q + (j + 0.5) / columns) * bin_w)
            out[k, :, p, q] /= max(rows * columns, 1)
    return out


def _roi_pool(x, rois, numbers=None, offsets=None, pooled_height=1, pooled_width=1,
              spatial_scale=1.0):  # fmt: skip
    images = IMAGES if numbers is not None or offsets is not None else [0] * len(rois)
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width))
    place = np.full(out.shape, -1)
    size_h, size_w = x.shape[2:]
    for k, (image, roi) in enumerate(zip(images, rois, strict=True)):
        left, top, right, bottom = (int(v) for v in np.trunc(roi * spatial_scale
                                    + np.copysign(0.5, roi)))  # fmt: skip
        high, wide = max(bottom - top + 1, 1), max(right - left + 1, 1)
        for p, q in np.ndindex(pooled_height, pooled_width):
            rows = [r for r in range(size_h) if math.floor(p * high / pooled_height) <= r - top
                    < math.ceil((p + 1) * high / pooled_height)]  # fmt: skip
            columns = [c for c in range(size_w) if math.floor(q * wide / pooled_width) <= c - left
                       < math.ceil((q + 1) * wide / pooled_width)]  # fmt: skip
            if not rows or not columns:
                continue
            part = x[image][:, rows][:, :, columns].reshape(x.shape[1], -1)
            at = part.argmax(1)
            out[k, :, p, q] = part.max(1)
            place[k, :, p, q] = np.take(rows, at // len(columns)) * size_w + np.take(
                columns, at % len(columns)
            )
    return out, place


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _yolo(x, img_size, anchors=(), class_num=1, conf_thresh=0.01, downsample_ratio=32,
          clip_bbox=True, scale_x_y=1.0, iou_aware=False, iou_aware_factor=0.5):  # fmt: skip
    n, _, h, w = x.shape
    count = len(anchors) // 2
    boxes = np.zeros((n, count, h, w, 4))
    scores = np.zeros((n, count, h, w, class_num))
    first = count if iou_aware else 0
    v = x[:, first:].reshape(n, count, 5 + class_num, h, w)
    for b, a, i, j in np.ndindex(n, count, h, w):
        high, wide = img_size[b]
        tx, ty, tw, th, conf = v[b, a, :5, i, j]
        conf = _sigmoid(conf)
        if iou_aware:
            conf = conf ** (1 - iou_aware_factor) * _sigmoid(x[b, a, i, j]) ** iou_aware_factor
        if conf < conf_thresh:
            continue
        shift = (scale_x_y - 1) / 2
        cx = (j + _sigmoid(tx) * scale_x_y - shift) * wide / w
        cy = (i + _sigmoid(ty) * scale_x_y - shift) * high / h
        bw = np.exp(tw) * anchors[2 * a] * wide / (downsample_ratio * w) / 2
        bh = np.exp(th) * anchors[2 * a + 1] * high / (downsample_ratio * h) / 2
        box = np.array([cx - bw, cy - bh, cx + bw, cy + bh])
        if clip_bbox:
            box = np.concatenate(
                [np.maximum(box[:2], 0), np.minimum(box[2:], [wide - 1, high - 1])]
            )
        boxes[b, a, i, j] = box
        scores[b, a, i, j] = conf * _sigmoid(v[b, a, 5:, i, j])
    return boxes.reshape(n, -1, 4), scores.reshape(n, -1, class_num)


def _regions(op, ref, note, attrs, numbers=NUMBERS, offsets=None, **options):
    attrs = {"pooled_height": 3, "pooled_width": 2, **attrs}
    inputs = {"X": X, "ROIs": ROIS, "RoisNum": numbers, "RoisLod": offsets}
    return Sample(op, inputs, attrs, ref, note=note, grad=["X"], **options)


FEATURES = f64(2, 2 * 8, 3, 4, key="yolo")
YOLO = {"anchors": [10, 13, 16, 30], "class_num": 3, "downsample_ratio": 8}
SIZES = np.int32([[40, 30], [25, 50]])

SAMPLES = [
    _regions("roi_align", _roi_align, "", {}),
    _regions("roi_align", _roi_align, "aligned", {"aligned": True, "sampling_ratio": 2}),
    _regions("roi_align", _roi_align, "scaled", {"spatial_scale": 0.5, "sampling_ratio": 3}),
    _regions("roi_align", _roi_align, "offsets", {}, None, OFFSETS),
    Sample("roi_align", {"X": X[:1], "ROIs": ROIS}, {}, _roi_align, grad=["X"], note="one_image"),
    _regions("roi_pool", _roi_pool, "", {}),
    _regions("roi_pool", _roi_pool, "scaled", {"spatial_scale": 0.5}),
    _regions("roi_pool", _roi_pool, "offsets", {}, None, OFFSETS),
    Sample("roi_pool", {"X": X[:1], "ROIs": ROIS}, {}, _roi_pool, grad=["X"], note="one_image"),
    Sample("yolo_box", {"X": FEATURES, "ImgSize": SIZES}, YOLO, _yolo),
    Sample("yolo_box", {"X": FEATURES, "ImgSize": SIZES},
           YOLO | {"clip_bbox": False, "scale_x_y": 1.2, "conf_thresh": 0.4}, _yolo, note="scaled"),
    Sample("yolo_box", {"X": f64(2, 2 * 9, 3, 4), "ImgSize": SIZES},
           YOLO | {"iou_aware": True, "iou_aware_factor": 0.3}, _yolo, note="iou"),
]  # fmt: skip

ERRORS = [
    ErrorSample("roi_align", {"X": X, "ROIs": ROIS}, {}, ValueError,
                "share 3 regions among 2 images, but received", ErrorSample.LEVELS),
    ErrorSample("roi_pool", {"X": X, "ROIs": ROIS[:, :3], "RoisNum": NUMBERS}, {}, ValueError,
                r"ROIs \[count, 4\]"),
    ErrorSample("yolo_box", {"X": FEATURES[:, 1:], "ImgSize": SIZES}, YOLO, ValueError,
                r"expected X \[N, 16, H, W\]"),
]  # fmt: skip
