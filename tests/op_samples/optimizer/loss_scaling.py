"""Samples of finding overflows and adapting the scale of a loss."""

from __future__ import annotations

import numpy as np

from tests.op_samples.sample import ErrorSample, Sample, f64

GRADS = [f64(3, 4, key="grad"), f64(5, key="g2")]
BAD = [GRADS[0], np.array([1.0, np.inf, 2.0])]


def _unscaled(grads, scale):
    return [g / scale for g in grads], np.array([not all(np.isfinite(g).all() for g in grads)])


def _scaling(grads, found, scale, good, bad, stop=None, incr_every_n_steps=0,
             decr_every_n_nan_or_inf=0, incr_ratio=0, decr_ratio=0, stop_update=False):  # fmt: skip
    out = [g * 0 if found[0] else g for g in grads]
    if stop_update or (stop is not None and stop[0]):
        return out, scale, good, bad
    good, bad = (good * 0, bad + 1) if found[0] else (good + 1, bad * 0)
    if bad[0] == decr_every_n_nan_or_inf and found[0]:
        scale, bad = np.maximum(scale * decr_ratio, 1), bad * 0
    elif good[0] == incr_every_n_steps and not found[0]:
        scale, good = scale * incr_ratio, good * 0
    return out, scale, good, bad


def _scale_sample(note, found, scale, good, bad, stop=None, **attrs):
    attrs = {"incr_every_n_steps": 3, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0,
             "decr_ratio": 0.25, **attrs}  # fmt: skip
    inputs = {"X": GRADS, "FoundInfinite": np.array([found]), "PrevLossScaling": np.array([scale]),
              "InGoodSteps": np.int32([good]), "InBadSteps": np.int32([bad]),
              "StopUpdate": stop}  # fmt: skip
    return Sample("update_loss_scaling", inputs, attrs, _scaling, note=note)


SAMPLES = [
    Sample("check_finite_and_unscale", {"X": GRADS, "Scale": np.array([8.0])}, ref=_unscaled),
    Sample("check_finite_and_unscale", {"X": BAD, "Scale": np.array([8.0])}, ref=_unscaled,
           note="infinite"),
    _scale_sample("good", False, 8.0, 0, 1),
    _scale_sample("raised", False, 8.0, 2, 0),
    _scale_sample("bad", True, 8.0, 2, 0),
    _scale_sample("lowered", True, 8.0, 0, 1),
    _scale_sample("least", True, 2.0, 0, 1),
    _scale_sample("stopped", True, 8.0, 2, 1, stop_update=True),
    _scale_sample("stopped_by_tensor", False, 8.0, 2, 0, np.array([True])),
]  # fmt: skip

ERRORS = [
    ErrorSample("check_finite_and_unscale", {"X": GRADS, "Scale": np.ones(2)}, {}, ValueError,
                "check_finite_and_unscale"),
]  # fmt: skip
