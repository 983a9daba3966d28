"""Samples of hashed embeddings, as 1.8.5 computes them."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, Sample, f64

X = np.array([[3], [17], [5], [900], [12], [7], [3], [17], [44]], "int32")
LEVELS = {"X": [[0, 4, 5, 9]]}
ATTRS = {
    "num_emb": 8, "space_len": 20, "pyramid_layer": 4, "rand_len": 2, "use_filter": False,
    "is_training": 0, "drop_out_percent": 0.25, "lr": 1.0,
}  # fmt: skip
INPUTS = {"X": X, "W": f64(22, 1), "WhiteList": f64(1, 1), "BlackList": f64(1, 1)}
ONLY = {"only": "Out", "grad": ["W"], "static_shape": False, "single": True, "grads": False}


def _dropped(outs, inputs, attrs):
    """A text of which nothing is left has a row of zeros."""
    assert not outs[1].numpy().any() and len(outs[1]) == 12  # twice 3 + 2 + 1 windows of 4 words
    np.testing.assert_array_equal(outs[0].numpy(), np.zeros([3, 8]))


SAMPLES = [
    as_185("pyramid_hash", INPUTS, ATTRS, levels=LEVELS, **ONLY),
    as_185("pyramid_hash", INPUTS, {**ATTRS, "is_training": 1, "drop_out_percent": 0.0},
           "training", levels=LEVELS, **ONLY),
    Sample("pyramid_hash", INPUTS, {**ATTRS, "is_training": 1, "drop_out_percent": 1.0}, grad=[],
           levels=LEVELS, check=_dropped, note="dropped", static_shape=False),
]  # fmt: skip
ERRORS = [
    ErrorSample("pyramid_hash", INPUTS, {**ATTRS, "num_emb": 7}, ValueError, "a multiple of"),
    ErrorSample("pyramid_hash", {**INPUTS, "W": f64(20, 1)}, ATTRS, ValueError, r"W \[22, 1\]"),
]
