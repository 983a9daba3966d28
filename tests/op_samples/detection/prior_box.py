"""Samples of prior boxes."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64


def prior_box(feature, image, min_sizes, max_sizes=(), aspect_ratios=(), variances=(), flip=True,
              clip=True, step_w=0.0, step_h=0.0, offset=0.5, order=False):  # fmt: skip
    """Box by box: around each centre, for each size the ratios and the larger square."""
    rows, columns = feature.shape[2:]
    height, width = image.shape[2:]
    if not step_w or not step_h:
        step_w, step_h = width / columns, height / rows
    ratios = [1.0]
    for r in aspect_ratios:
        if not np.isclose(ratios, r).any():
            ratios += [r, 1.0 / r] if flip else [r]
    shapes = []
    for i, small in enumerate(min_sizes):
        square = [np.sqrt(small * max_sizes[i])] * 2 if len(max_sizes) else None
        mine = [[small * r**0.5, small * r**-0.5] for r in ratios]
        if square is not None:
            mine.insert(1 if order else len(mine), square)
        shapes += mine
    out = np.zeros((rows, columns, len(shapes), 4), feature.dtype)
    for i, j, k in np.ndindex(*out.shape[:3]):
        x, y, (w, h) = (j + offset) * step_w, (i + offset) * step_h, shapes[k]
        out[i, j, k] = [x - w / 2, y - h / 2, x + w / 2, y + h / 2]
    out /= [width, height, width, height]
    out = out.clip(0, 1) if clip else out
    return out, np.broadcast_to(variances or [0.1, 0.1, 0.2, 0.2], out.shape).astype(out.dtype)


def ordered(*inputs, min_max_aspect_ratios_order=False, **attrs):
    return prior_box(*inputs, order=min_max_aspect_ratios_order, **attrs)


def sample(note: str, **attrs) -> Sample:
    inputs = {"Input": f64(2, 3, 4, 5), "Image": f64(2, 3, 20, 30)}
    return Sample("prior_box", inputs, attrs, ref=ordered, note=note, rtol=1e-6, atol=1e-7)


SAMPLES = [
    sample("one", min_sizes=[4.0]),
    sample("ratios", min_sizes=[4.0], max_sizes=[9.0], aspect_ratios=[2.0, 1.0, 3.0], clip=False),
    sample(
        "no_flip",
        min_sizes=[4.0, 6.0],
        max_sizes=[9.0, 12.0],
        aspect_ratios=[0.5],
        flip=False,
        variances=[0.1, 0.2, 0.3, 0.4],
    ),
    sample(
        "ordered",
        min_sizes=[4.0, 6.0],
        max_sizes=[9.0, 12.0],
        aspect_ratios=[2.0],
        min_max_aspect_ratios_order=True,
        step_w=3.0,
        step_h=6.0,
        offset=0.25,
    ),
]

BOTH = {"Input": f64(1, 3, 4, 5), "Image": f64(1, 3, 20, 30)}
ERRORS = [
    ErrorSample(
        "prior_box",
        {**BOTH, "Image": f64(3, 20, 30)},
        {"min_sizes": [4.0]},
        ValueError,
        "[N, C, H, W]",
    ),
    ErrorSample("prior_box", BOTH, {"min_sizes": []}, ValueError, "min_sizes"),
    ErrorSample(
        "prior_box", BOTH, {"min_sizes": [4.0], "max_sizes": [3.0]}, ValueError, "max_sizes"
    ),
    ErrorSample(
        "prior_box", BOTH, {"min_sizes": [4.0], "variances": [1.0]}, ValueError, "4 variances"
    ),
]
