"""Calls that draw random numbers, for both modes; the same seed draws the same in both."""

from __future__ import annotations

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

CALLS = {
    "uniform": lambda: paddle.uniform([3, 2], "float64", 0.0, 2.0),
    "uniform_variables": lambda one: paddle.uniform([one, 2]),
    "uniform_shape": lambda x: paddle.uniform(paddle.shape(x), min=1.0, max=2.0),
    "rand": lambda: paddle.rand([4]),
    "randn": lambda: paddle.randn([4]),
    "standard_normal": lambda one: paddle.standard_normal([one, 3]),
    "normal": lambda: paddle.normal(1.0, 2.0, [3]),
    "normal_of_tensors": lambda x, pos: paddle.normal(x, pos),
    "normal_of_mean": lambda x: paddle.normal(x, 0.5),
    "randint": lambda: paddle.randint(2, 9, [5]),
    "randint_variables": lambda one: paddle.randint(0, 9, [one, one], "int32"),
    "randperm": lambda: paddle.randperm(6),
    "bernoulli": lambda prob: paddle.bernoulli(prob),
    "multinomial": lambda prob: paddle.multinomial(prob, 2),
    "uniform_": lambda x: (x * 1.0).uniform_(0.0, 1.0),
    "normal_": lambda x: (x * 1.0).normal_(1.0, 0.5),
    "exponential_": lambda x: (x * 1.0).exponential_(2.0),
    "dropout": lambda x: F.dropout(x, 0.4),
    "dropout_downscale": lambda x: F.dropout(x, 0.4, mode="downscale_in_infer"),
    "dropout_axis": lambda b: F.dropout(b, 0.4, axis=[0, 2]),
    "dropout2d": lambda image: F.dropout2d(image, 0.5),
    "dropout3d": lambda volume_last: F.dropout3d(volume_last, 0.5, data_format="NDHWC"),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.4),
    "Dropout": lambda x: nn.Dropout(0.5)(x),
    "AlphaDropout": lambda x: nn.AlphaDropout()(x),
}
