"""Samples of boxes by density and of anchors."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def density_prior_box(feature, image, variances, clip=True, flatten_to_2d=False, step_w=0.0,
                      step_h=0.0, offset=0.5, fixed_sizes=(), fixed_ratios=(),
                      densities=()):  # fmt: skip
    rows, columns = feature.shape[2:]
    height, width = image.shape[2:]
    if not step_w or not step_h:
        step_w, step_h = width / max(columns, 1), height / max(rows, 1)
    step = int((step_w + step_h) / 2)
    found = []
    for i, j in np.ndindex(rows, columns):
        for size, density in zip(fixed_sizes, densities, strict=True):
            for ratio in fixed_ratios:
                w, h = size * ratio**0.5, size / ratio**0.5
                for a, b in np.ndindex(density, density):
                    x = (j + offset) * step_w - step / 2 + step // density * (b + 0.5)
                    y = (i + offset) * step_h - step / 2 + step // density * (a + 0.5)
                    box = [(x - w / 2) / width, (y - h / 2) / height,
                           (x + w / 2) / width, (y + h / 2) / height]  # fmt: skip
                    found.append([max(v, 0) for v in box[:2]] + [min(v, 1) for v in box[2:]])
    count = len(fixed_ratios) * sum(d * d for d in densities)
    out = np.array(found, feature.dtype).reshape(rows, columns, count, 4)
    out = out.clip(0, 1) if clip else out
    spread = np.broadcast_to(variances, out.shape).astype(feature.dtype)
    return (out.reshape(-1, 4), spread.reshape(-1, 4)) if flatten_to_2d else (out, spread)


def anchor_generator(feature, anchor_sizes, aspect_ratios, variances, stride=(16.0, 16.0),
                     offset=0.5):  # fmt: skip
    rows, columns = feature.shape[2:]
    shapes = []
    for ratio in aspect_ratios:
        w = int((stride[0] * stride[1] / ratio) ** 0.5 + 0.5)
        h = int(w * ratio + 0.5)
        shapes += [(s / stride[0] * w, s / stride[1] * h) for s in anchor_sizes]
    out = np.zeros((rows, columns, len(shapes), 4), feature.dtype)
    for i, j, k in np.ndindex(*out.shape[:3]):
        x, y = j * stride[0] + offset * (stride[0] - 1), i * stride[1] + offset * (stride[1] - 1)
        w, h = shapes[k]
        out[i, j, k] = [x - (w - 1) / 2, y - (h - 1) / 2, x + (w - 1) / 2, y + (h - 1) / 2]
    return out, np.broadcast_to(variances, out.shape).astype(feature.dtype)


BOTH = {"Input": f64(2, 3, 4, 5), "Image": f64(2, 3, 20, 34)}
SPREAD = {"variances": [0.1, 0.2, 0.3, 0.4]}
SMALL = SPREAD | {"fixed_sizes": [3.0, 8.0], "densities": [3, 1], "fixed_ratios": [1.0, 0.5]}
SIZES = SPREAD | {"anchor_sizes": [32.0, 64.0], "aspect_ratios": [0.5, 1.0, 3.0]}


def _near(op, inputs, attrs, ref, note):
    return Sample(op, inputs, attrs, ref, note=note, rtol=1e-6, atol=1e-6)


SAMPLES = [
    _near("density_prior_box", BOTH, SMALL, density_prior_box, "two"),
    _near("density_prior_box", BOTH,
          SMALL | {"clip": False, "flatten_to_2d": True, "offset": 0.1, "fixed_sizes": [9.0, 50.0]},
          density_prior_box, "flat"),
    _near("density_prior_box", BOTH, SMALL | {"step_w": 9.0, "step_h": 5.5, "densities": [4, 2]},
          density_prior_box, "steps"),
    _near("density_prior_box", BOTH, SPREAD, density_prior_box, "none"),
    _near("anchor_generator", {"Input": f64(1, 2, 3, 2)}, SIZES, anchor_generator, "square"),
    _near("anchor_generator", {"Input": f64(1, 2, 3, 2)},
          SIZES | {"stride": [8.0, 12.5], "offset": 0.25}, anchor_generator, "stride"),
]  # fmt: skip


def _bad(op, inputs, attrs, match):
    return ErrorSample(op, inputs, attrs, ValueError, match)


ERRORS = [
    _bad("density_prior_box", BOTH | {"Image": f64(3, 20, 30)}, SMALL, r"\[N, C, H, W\]"),
    _bad("density_prior_box", BOTH, SMALL | {"densities": [3]}, "as many densities"),
    _bad("density_prior_box", BOTH, SMALL | {"fixed_ratios": [0.0]}, "fixed_ratios > 0"),
    _bad("density_prior_box", BOTH, SMALL | {"variances": [0.1]}, "4 variances"),
    _bad("anchor_generator", {"Input": f64(3, 4)}, SIZES, r"\[N, C, H, W\]"),
    _bad("anchor_generator", {"Input": BOTH["Input"]},
         SIZES | {"anchor_sizes": []}, "anchor_sizes and aspect_ratios > 0"),
    _bad("anchor_generator", {"Input": BOTH["Input"]}, SIZES | {"stride": [0.0, 1.0]},
         "2 numbers > 0 as stride"),
    _bad("anchor_generator", {"Input": BOTH["Input"]}, SIZES | {"variances": [0.0] * 4},
         "4 variances"),
]  # fmt: skip
