"""Samples of deformable position-sensitive pooling, as 1.8.5 computes it."""

import numpy as np

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64

X, ROIS = f64(2, 8, 6, 7), np.array([[0.0, 1, 9, 8], [4, 2, 12, 11], [1, 1, 3, 5]])
ATTRS = {
    "no_trans": False, "spatial_scale": 0.5, "output_dim": 2, "group_size": [2, 2],
    "pooled_height": 3, "pooled_width": 2, "part_size": [3, 2], "sample_per_part": 2,
    "trans_std": 0.1,
}  # fmt: skip
INPUTS = {"Input": X, "ROIs": ROIS, "Trans": f64(3, 4, 3, 2)}
LEVELS = {"ROIs": [[0, 2, 3]]}
FIXED = {"no_trans": True, "group_size": [1, 1], "output_dim": 8}

SAMPLES = [
    as_185("deformable_psroi_pooling", INPUTS, ATTRS, levels=LEVELS, grad=["Input", "Trans"],
           orders=2, rtol=1e-5, atol=1e-5, single=True),
    as_185("deformable_psroi_pooling", INPUTS, {**ATTRS, **FIXED}, "fixed", levels=LEVELS,
           grad=["Input"], rtol=1e-5, atol=1e-5, single=True),
]  # fmt: skip
ERRORS = [
    ErrorSample("deformable_psroi_pooling", {**INPUTS, "Input": X[:, :7]}, ATTRS, ValueError,
                "channels, but received 7"),
    ErrorSample("deformable_psroi_pooling", {**INPUTS, "Trans": f64(3, 4, 2, 2)}, ATTRS,
                ValueError, "expected Trans"),
]  # fmt: skip
