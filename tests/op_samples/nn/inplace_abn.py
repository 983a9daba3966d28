"""Samples of batch normalization with an activation, as 1.8.5 computes them."""

from tests.op_samples.frozen import as_185
from tests.op_samples.sample import ErrorSample, f64, pos

INPUTS = {
    "X": f64(3, 2, 2, 2), "Scale": pos(2), "Bias": f64(2), "Mean": f64(2, key=1),
    "Variance": pos(2, key=1),
}  # fmt: skip
SAME = {"Y": "X", "MeanOut": "Mean", "VarianceOut": "Variance"}


def _written(x, scale, bias, mean, variance, given=None, **attrs):
    if attrs.get("is_test"):
        return {"Mean": mean, "Variance": variance}
    part = attrs.get("momentum", 0.9)
    now = x.mean((0, 2, 3)), x.var((0, 2, 3))
    return {"Mean": part * mean + (1 - part) * now[0],
            "Variance": part * variance + (1 - part) * now[1]}  # fmt: skip


def _abn(note, **attrs):
    return as_185(
        "inplace_abn", INPUTS, attrs, note, only="Y", same=SAME, grads=False, written=_written,
        grad=["X", "Scale", "Bias"], orders=1,
    )  # fmt: skip


SAMPLES = [
    _abn("identity", activation="identity"),
    _abn("leaky", activation="leaky_relu", alpha=0.2, momentum=0.8),
    _abn("elu", activation="elu", alpha=1.0),
]
ERRORS = [
    ErrorSample("inplace_abn", INPUTS, {"activation": "tanh"}, ValueError, "leaky_relu or elu")
]
