"""Calls of activations, losses and common functions that PaddlePaddle answered once for us.

Each case takes the paddle at hand and returns one Tensor; its value, and the gradient of its sum
with respect to the first input, are compared. Run this file with a Python that has PaddlePaddle to
write tests/data/nn_expected.npz.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "nn_expected.npz"


def uniform(*shape: int, low: float = -3.0, high: float = 3.0, seed: int = 0) -> np.ndarray:
    """Float32 values, the same everywhere."""
    return np.random.RandomState(seed).uniform(low, high, shape).astype("float32")


X = uniform(4, 3)
IMAGE = uniform(2, 4, 3, 3)
UNIT = uniform(4, 3, low=0.05, high=0.95, seed=1)
TARGET = (UNIT / UNIT.sum(1, keepdims=True)).astype("float32")
BINARY = (uniform(4, 3, seed=2) > 0).astype("float32")
CLASSES = np.array([0, 2, 1, 2])
IMAGE_CLASSES = np.random.RandomState(3).randint(0, 4, (2, 3, 3))
WEIGHT = np.array([0.2, 0.5, 1.3], "float32")
SIGNS = BINARY * 2 - 1

# name -> (function, array for the first input, further arguments: arrays become Tensors)
CASES: dict[str, tuple[str, np.ndarray, dict[str, Any]]] = {}


def case(function: str, first: np.ndarray, note: str = "", **options: Any) -> None:
    """Adds a case."""
    CASES[f"{function}-{note}" if note else function] = (function, first, options)


# those without further arguments
PLAIN = """
    relu relu6 elu selu gelu leaky_relu hardshrink softshrink tanhshrink hardtanh hardsigmoid tanh
    hardswish sigmoid log_sigmoid softplus softsign swish thresholded_relu softmax log_softmax
"""
for _name in PLAIN.split():
    case(_name, X)
case("elu", X, "alpha", alpha=0.3)
case("selu", X, "attrs", scale=1.5, alpha=0.7)
case("gelu", X, "tanh", approximate=True)
case("leaky_relu", X, "slope", negative_slope=0.3)
case("hardshrink", X, "threshold", threshold=1.0)
case("softshrink", X, "threshold", threshold=1.0)
case("hardtanh", X, "bounds", min=-0.5, max=2.0)
case("hardsigmoid", X, "attrs", slope=0.2, offset=0.4)
case("softplus", X, "attrs", beta=2, threshold=3)
case("thresholded_relu", X, "threshold", threshold=-1.0)
case("softmax", IMAGE, "axis", axis=1)
case("softmax", X, "dtype", dtype="float64")
case("log_softmax", IMAGE, "axis", axis=0)
case("maxout", IMAGE, groups=2)
case("maxout", IMAGE.transpose(0, 2, 3, 1).copy(), "last", groups=2, axis=3)
case("prelu", IMAGE, weight=np.array([0.25], "float32"))
case("prelu", IMAGE, "channels", weight=uniform(4, seed=5))

for _reduction in ("mean", "sum", "none"):
    for _ignored in (-100, 2):
        for _weight in (None, WEIGHT):
            _note = f"{_reduction}{'_ignored' if _ignored > 0 else ''}"
            _note += "" if _weight is None else "_weight"
            _options = {"ignore_index": _ignored, "weight": _weight, "reduction": _reduction}
            case("cross_entropy", X, _note, label=CLASSES, **_options)
            case("nll_loss", X, _note, label=CLASSES, **_options)
    _r = {"reduction": _reduction}
    case("cross_entropy", X, f"soft_{_reduction}", label=TARGET, soft_label=True, **_r)
    case(
        "cross_entropy",
        X,
        f"soft_weight_{_reduction}",
        label=TARGET,
        soft_label=True,
        weight=WEIGHT,
        **_r,
    )
    case("binary_cross_entropy", UNIT, _reduction, label=BINARY, **_r)
    case("binary_cross_entropy", UNIT, f"weight_{_reduction}", label=BINARY, weight=WEIGHT, **_r)
    case("binary_cross_entropy_with_logits", X, _reduction, label=UNIT, weight=UNIT, **_r)
    case(
        "sigmoid_focal_loss",
        X,
        _reduction,
        label=BINARY,
        gamma=1.5,
        alpha=0.4,
        normalizer=np.array([2.0], "float32"),
        **_r,
    )
    case("mse_loss", X, _reduction, label=UNIT, **_r)
    case("l1_loss", X, _reduction, label=UNIT, **_r)
    case("smooth_l1_loss", X, _reduction, label=UNIT, delta=0.5, **_r)
    case("kl_div", X, _reduction, label=TARGET, **_r)
    case("margin_ranking_loss", X, _reduction, other=UNIT, label=SIGNS, margin=0.3, **_r)
    case(
        "ctc_loss",
        uniform(6, 2, 5),
        _reduction,
        labels=np.array([[1, 2, 2], [3, 4, 0]], "int32"),
        input_lengths=np.array([6, 5]),
        label_lengths=np.array([3, 2]),
        **_r,
    )
case("cross_entropy", IMAGE, "axis", label=IMAGE_CLASSES, axis=1)
case("cross_entropy", IMAGE, "axis_none", label=IMAGE_CLASSES, axis=1, reduction="none")
case(
    "cross_entropy",
    IMAGE,
    "axis_weight",
    label=IMAGE_CLASSES,
    axis=1,
    weight=uniform(4, low=0.1, seed=6),
)
case("cross_entropy", X, "column_none", label=CLASSES[:, None], reduction="none")
case("cross_entropy", X, "int32", label=CLASSES.astype("int32"))
case("cross_entropy", X, "all_ignored", label=CLASSES * 0 + 1, ignore_index=1)
case("nll_loss", IMAGE, "images", label=IMAGE_CLASSES)
case("nll_loss", IMAGE, "images_none", label=IMAGE_CLASSES, reduction="none")
case("nll_loss", X, "all_ignored", label=CLASSES * 0 + 1, ignore_index=1)
case("softmax_with_cross_entropy", X, label=CLASSES[:, None])
case("softmax_with_cross_entropy", X, "soft", label=TARGET, soft_label=True)
case("softmax_with_cross_entropy", X, "ignored", label=CLASSES[:, None], ignore_index=2)
case("softmax_with_cross_entropy", IMAGE, "axis", label=IMAGE_CLASSES[:, None], axis=1)
case(
    "binary_cross_entropy",
    np.array([0.0, 1.0, 1.0, 0.0], "float32"),
    "ends",
    reduction="none",
    label=np.array([1.0, 0.0, 1.0, 0.0], "float32"),
)
case("kl_div", X, "batchmean", label=TARGET, reduction="batchmean")
case("kl_div", X, "zeros", label=TARGET * BINARY, reduction="none")
case("square_error_cost", X, label=UNIT)
case("log_loss", UNIT[:, :1].copy(), label=BINARY[:, :1].copy())
case("dice_loss", TARGET, label=CLASSES[:, None])
case("npair_loss", X, positive=UNIT, labels=np.array([0, 1, 1, 2]))
case(
    "hsigmoid_loss",
    X,
    label=np.array([0, 1, 2, 4]),
    num_classes=5,
    weight=uniform(4, 3, seed=7),
    bias=uniform(4, 1, seed=8),
)
case(
    "hsigmoid_loss",
    X,
    "tree",
    label=np.array([0, 1, 2, 3]),
    num_classes=4,
    weight=uniform(4, 3, seed=7),
    bias=uniform(4, 1, seed=8),
    path_table=np.array([[0, 2, -1], [0, 1, 3], [0, 3, -1], [1, -1, -1]]),
    path_code=np.array([[0, 1, -1], [1, 1, 0], [0, 0, -1], [1, -1, -1]]),
)

case("linear", X, weight=uniform(3, 2, seed=9), bias=uniform(2, seed=10))
case("linear", IMAGE, "4d", weight=uniform(3, 2, seed=9))
case(
    "bilinear",
    X,
    x2=uniform(4, 2, seed=11),
    weight=uniform(5, 3, 2, seed=12),
    bias=uniform(1, 5, seed=13),
)
case("cosine_similarity", X, x2=UNIT)
case("cosine_similarity", IMAGE, "axis", x2=uniform(2, 4, 3, 3, seed=14), axis=-1, eps=0.5)
case("label_smooth", TARGET)
case("label_smooth", TARGET, "prior", prior_dist=WEIGHT[None] / 2, epsilon=0.3)
case("diag_embed", X)
case("diag_embed", X, "dims", offset=-1, dim1=0, dim2=2)
case("dropout", X, "downscale_test", p=0.3, training=False, mode="downscale_in_infer")
case("dropout", X, "zero", p=0.0)
case("dropout", X, "axis_test", p=0.3, axis=0, training=False, mode="downscale_in_infer")


def run(paddle: Any, name: str, backward: bool = True) -> tuple[np.ndarray, np.ndarray | None]:
    """Runs a case and returns its value and the gradient at the first input."""
    function, first, options = CASES[name]
    x = paddle.to_tensor(first, stop_gradient=False)
    given = {k: paddle.to_tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    out = getattr(paddle.nn.functional, function)(x, **given)
    if backward and out is not x:
        out.sum().backward()
    return out.numpy(), None if x.grad is None else x.grad.numpy()


def main(write: Callable = np.savez_compressed) -> None:
    """Writes the answers of the PaddlePaddle that runs this."""
    import paddle

    arrays = {}
    for name in CASES:
        try:
            value, gradient = run(paddle, name)
        except ValueError:  # 2.6.2 cannot differentiate hsigmoid_loss and its like on every path
            value, gradient = run(paddle, name, backward=False)
        arrays[f"{name}/value"] = value
        if gradient is not None:
            arrays[f"{name}/gradient"] = gradient
    write(DATA, **arrays)


if __name__ == "__main__":
    main()
