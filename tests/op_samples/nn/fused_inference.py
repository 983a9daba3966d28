"""Samples of fused forms, as 1.8.5 computes them."""

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64

LAYERS = {
    "X": f64(3, 4), "W": [f64(4, 5), f64(5, 2), f64(2, 3)],
    "Bias": [f64(1, 5), f64(1, 2), f64(1, 3)],
}  # fmt: skip
SAMPLES = [
    as_185("fusion_repeated_fc_relu", LAYERS, outs={"ReluOut": 2}, single=True, only="Out",
           dtypes=()),
    as_185("fusion_squared_mat_sub", {"X": f64(3, 4), "Y": f64(4, 2)}, {"scalar": 0.5},
           single=True, dtypes=()),
]  # fmt: skip
ERRORS = [
    ErrorSample("fusion_repeated_fc_relu", {**LAYERS, "Bias": LAYERS["Bias"][:2]}, {}, ValueError,
                "as many Bias"),
    ErrorSample("fusion_repeated_fc_relu", {**LAYERS, "X": f64(3, 3)}, {}, ValueError, "matrices"),
    ErrorSample("fusion_squared_mat_sub", {"X": f64(3, 4), "Y": f64(3, 2)}, {}, ValueError,
                r"Y \[k, n\]"),
]  # fmt: skip
