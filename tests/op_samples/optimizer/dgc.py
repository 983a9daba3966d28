"""Samples of deep gradient compression, as 1.8.5 computes it."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, f64

X = f64(3, 4)
STEP = np.array([5.0], "float32")
INPUTS = {
    "Param": f64(3, 4, key=1), "Grad": X, "Velocity": f64(3, 4, key=2),
    "LearningRate": np.array([0.1]), "current_step": STEP, "nranks": np.array([2.0], "float32"),
}  # fmt: skip


def _written(p, g, v, lr, step, ranks, mu, use_nesterov=False, rampup_begin_step=-1.0):
    g = g / ranks[0]
    if 0 <= rampup_begin_step <= step[0]:
        return {"Param": p - lr * g, "Velocity": v, "Grad": g}
    v = mu * v + g
    return {"Param": p - lr * (g + mu * v if use_nesterov else v), "Velocity": v, "Grad": g}


def _momentum(note, **attrs):
    return Sample(
        "dgc_momentum", INPUTS, {"mu": 0.9, **attrs}, written=_written, note=note)  # fmt: skip


COMPRESSED = {
    "U": f64(3, 4, key=1), "V": f64(3, 4, key=2), "Grad": X, "current_step": STEP,
    "nranks": np.array([1.0], "float32"),
}  # fmt: skip


PARAM = f64(3, 4, key=3)


def _accumulated(u, v, g, *_, m, use_nesterov=False, **__):
    u = m * (u + g) if use_nesterov else m * u + g
    return u, v + u + (g if use_nesterov else 0)


def _chosen(v, part):
    count = max(int(v.size * part), 1)
    return np.abs(v) >= np.sort(np.abs(v).ravel())[-count]


def _dgc(note, part, **attrs):
    def left(*args, **told):
        u, v = _accumulated(*args, **told)
        kept = ~_chosen(v, part)
        return {"U": u * kept, "V": v * kept}

    def sent(*args, **told):
        _, v = _accumulated(*args, **told)
        return v * _chosen(v, part), np.array([max(float(int(v.size * part)), 1.0)])

    return Sample("dgc", COMPRESSED, {"m": 0.9, **attrs}, written=left, note=note, ref=sent)


SAMPLES = [
    _dgc("one", 0.001, rampup_begin_step=1.0),
    _dgc("nesterov", 0.25, use_nesterov=True, sparsity=[0.5, 0.75], rampup_step=4.0),
    Sample("dgc", COMPRESSED, {"m": 0.9, "rampup_begin_step": 6.0}, note="early",
           ref=lambda u, v, g, *_, **__: (g, np.zeros(1)),
           written=lambda u, v, *_, **__: {"U": u, "V": v}),
    Sample("dgc", {**COMPRESSED, "Param": PARAM, "nranks": np.array([2.0], "float32")},
           {"m": 0.9, "rampup_begin_step": 6.0, "regular_type": 2, "regular_coeff": 0.5},
           note="decay", written=lambda u, v, *_, **__: {"U": u, "V": v},
           ref=lambda u, v, g, p, *_, **__: (2 * g + 0.5 * p, np.zeros(1))),
    Sample("dgc", {**COMPRESSED, "Param": PARAM},
           {"m": 0.9, "rampup_begin_step": 6.0, "regular_type": 1, "regular_coeff": 0.5},
           note="L1", written=lambda u, v, *_, **__: {"U": u, "V": v},
           ref=lambda u, v, g, p, *_, **__: (g + 0.5 * np.sign(p), np.zeros(1))),
    Sample("dgc_allreduce", {"X": X, "k": np.array([2.0])}, ref=lambda x, *_, **__: x),
    as_185("dgc_clip_by_norm", {"current_step": STEP, "X": X},
           {"max_norm": 1.5, "rampup_begin_step": 5.0}, single=True),
    Sample("dgc_clip_by_norm", {"current_step": STEP, "X": X},
           {"max_norm": 1.5, "rampup_begin_step": 6.0}, lambda step, x, **_: x, note="early"),
    _momentum("early", rampup_begin_step=6.0),
    _momentum("late", rampup_begin_step=5.0),
    _momentum("nesterov", use_nesterov=True, rampup_begin_step=9.0),
]  # fmt: skip
ERRORS = [
    ErrorSample("dgc", {**COMPRESSED, "U": f64(3, 3)}, {"m": 0.9}, ValueError,
                "u of the parameter's shape"),
    ErrorSample("dgc_clip_by_norm", {"current_step": STEP, "X": X}, {"max_norm": 0.0}, ValueError,
                "a positive value"),
    ErrorSample("dgc_momentum", {**INPUTS, "Velocity": f64(3, 3)}, {"mu": 0.9}, ValueError,
                "velocity of the parameter's shape"),
    ErrorSample("dgc_momentum", {**INPUTS, "nranks": np.zeros(1, "float32")}, {"mu": 0.9},
                ValueError, "nranks of 1 or more"),
]  # fmt: skip
