"""Samples of mean average precision, as 1.8.5 computes it."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, apart, f64

LABEL = np.array([
    [1, 0, 0.1, 0.1, 0.3, 0.3], [1, 1, 0.6, 0.6, 0.8, 0.8], [2, 0, 0.3, 0.3, 0.6, 0.5],
    [1, 0, 0.7, 0.1, 0.9, 0.3], [3, 0, 0.1, 0.5, 0.4, 0.9], [2, 0, 0.4, 0.4, 0.9, 0.8],
])  # fmt: skip
KIND = np.array([1, 1, 2, 1, 1, 3, 1, 2, 2, 1, 2, 3])[:, None]
NEAR = LABEL[[0, 0, 2, 1, 2, 0, 3, 4, 5, 3, 5, 2], 2:] + f64(12, 4, low=-0.03, high=0.03)
DETECTED = np.concatenate([KIND, apart(12, 1, gap=0.07) + 0.5, NEAR], 1)
BOTH = {"DetectRes": DETECTED, "Label": LABEL}
LEVELS = {"DetectRes": [[0, 6, 12]], "Label": [[0, 3, 6]]}
FOUR = {"class_num": 4}
STATE = {
    **BOTH, "HasState": np.array([1], "int32"),
    "PosCount": np.array([[0], [2], [3], [1]], "int32"),
    "TruePos": np.array([[0.9, 1.0], [0.2, 0.0], [0.4, 1.0]], "float32"),
    "FalsePos": np.array([[0.9, 0.0], [0.2, 1.0], [0.4, 0.0]], "float32"),
}  # fmt: skip
CARRIED = {**LEVELS, "TruePos": [[0, 0, 2, 3, 3]], "FalsePos": [[0, 0, 2, 3, 3]]}


def _map(note, inputs=BOTH, levels=LEVELS, **attrs):
    return as_185("detection_map", inputs, {**FOUR, **attrs}, note, levels=levels, single=True,
                  static_shape=False)  # fmt: skip


SAMPLES = [
    _map("integral"),
    _map("points", ap_type="11point", overlap_threshold=0.6),
    _map("easy", evaluate_difficult=False, background_label=2),
    _map("short", {**BOTH, "Label": np.delete(LABEL, 1, 1)}),
    _map("background", background_label=3),
    _map("missed", {**BOTH, "DetectRes": np.where(KIND == 3, DETECTED - 1, DETECTED)}),
    _map("states", STATE, CARRIED),
]


def _bad(match, inputs=BOTH, levels=LEVELS, why="", **attrs):
    return ErrorSample("detection_map", inputs, {**FOUR, **attrs}, ValueError, match, why, levels)


ERRORS = [
    _bad("integral or 11point", ap_type="x"),
    _bad(r"DetectRes \[M, 6\]", {**BOTH, "DetectRes": DETECTED[:, 1:]}),
    _bad("as many images", levels={**LEVELS, "Label": [[0, 6]]}, why=ErrorSample.LEVELS),
]
