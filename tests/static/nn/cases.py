"""Calls of paddle.static.nn whose results PaddlePaddle 2.6.2 (or 1.8.5) has given.

It runs under PaddlePaddle as well: only ``engine`` differs (``scripts/oracle/static_nn.py``).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], list]] = {}
ONLY_185 = ("crf_decoding", "crf_label", "multi_box_head", "one_map", "cross_entropy", "soft_label")

# Compared without gradients: PaddlePaddle 2.6.2 cannot build them for weights normalized along a
# dimension, and its gradient of spectral_norm is not the derivative.
FORWARD = ("weight_norm_columns", "weight_norm_middle", "spectral_norm")


def case(function: Callable[[Any], list]) -> Callable[[Any], list]:
    CASES[function.__name__] = function
    return function


def rng(key: str) -> np.random.RandomState:
    return np.random.RandomState(zlib.crc32(key.encode()) % 2**31)


def values(case_name: str, name: str, shape: Any) -> np.ndarray:
    """The value of a parameter: of any sign, except for statistics."""
    drawn = rng(f"{case_name}/{name}").randn(*shape) * 0.5
    if ".batch_" in name or name.endswith(("norm_0.w_1", "norm_0.w_2", "mean", "variance")):
        drawn = np.abs(drawn) + 0.5
    return drawn.astype("float32")


@case
def fc(e):
    return [e.nn.fc(e.data("x", 3, 4, 5), 6, num_flatten_dims=2, activation="tanh")]


@case
def fc_two(e):
    return [e.nn.fc([e.data("x", 3, 4), e.data("y", 3, 2, 5)], 2)]


@case
def conv2d(e):
    return [e.nn.conv2d(e.data("x", 2, 3, 7, 6), 4, 3, padding=1, act="relu")]


@case
def conv2d_groups(e):
    x = e.data("x", 2, 4, 7, 6)
    return [e.nn.conv2d(x, 6, [3, 2], stride=2, padding="SAME", groups=2, bias_attr=False)]


@case
def conv2d_sides(e):
    return [e.nn.conv2d(e.data("x", 2, 3, 7, 6), 4, 3, padding=[1, 2, 0, 3], dilation=2)]


@case
def conv2d_last(e):
    x = e.data("x", 2, 6, 5, 3)
    pads = [[0, 0], [1, 2], [2, 1], [0, 0]]
    return [e.nn.conv2d(x, 4, 3, padding=pads, data_format="NHWC")]


@case
def conv2d_depthwise(e):
    return [e.nn.conv2d(e.data("x", 2, 4, 7, 6), 8, 3, groups=4, use_cudnn=False)]


@case
def conv2d_transpose(e):
    return [e.nn.conv2d_transpose(e.data("x", 2, 3, 4, 5), 4, filter_size=3, act="sigmoid")]


@case
def conv2d_transpose_size(e):
    x = e.data("x", 2, 3, 4, 5)
    return [e.nn.conv2d_transpose(x, 6, output_size=[9, 11], stride=2, padding=1, groups=3)]


@case
def conv3d(e):
    return [e.nn.conv3d(e.data("x", 2, 2, 4, 5, 4), 3, 3, padding=1, stride=2)]


@case
def conv3d_transpose(e):
    return [e.nn.conv3d_transpose(e.data("x", 1, 2, 3, 3, 2), 2, filter_size=[2, 3, 2], stride=2)]


@case
def deform_conv2d(e):
    x, offset = e.data("x", 2, 4, 5, 5), e.data("offset", 2, 18, 5, 5)
    mask = e.data("mask", 2, 9, 5, 5)
    return [e.nn.deform_conv2d(x, offset, mask, 6, 3, padding=1, groups=2)]


@case
def deform_conv2d_v1(e):
    x, offset = e.data("x", 2, 4, 5, 5), e.data("offset", 2, 36, 5, 5)
    return [e.nn.deform_conv2d(x, offset, None, 4, 3, padding=1, deformable_groups=2)]


@case
def batch_norm(e):
    return [e.nn.batch_norm(e.data("x", 4, 3, 5, 2), momentum=0.8, act="relu")]


@case
def batch_norm_last(e):
    x = e.data("x", 4, 5, 2, 3)
    return [e.nn.batch_norm(x, data_layout="NHWC", epsilon=1e-3, name="norm",
                            moving_mean_name="mean", moving_variance_name="variance")]  # fmt: skip


@case
def batch_norm_test(e):
    return [e.nn.batch_norm(e.data("x", 4, 3), is_test=True)]


@case
def batch_norm_global(e):
    return [e.nn.batch_norm(e.data("x", 4, 3, 2, 2), use_global_stats=True)]


@case
def layer_norm(e):
    return [e.nn.layer_norm(e.data("x", 3, 4, 5), begin_norm_axis=2, act="tanh")]


@case
def layer_norm_shift(e):
    return [e.nn.layer_norm(e.data("x", 3, 4, 5), scale=False, epsilon=1e-3)]


@case
def group_norm(e):
    return [e.nn.group_norm(e.data("x", 3, 6, 4, 2), 3, param_attr=True, bias_attr=True)]


@case
def group_norm_last(e):
    return [e.nn.group_norm(e.data("x", 3, 4, 2, 6), 2, data_layout="NHWC")]


@case
def instance_norm(e):
    return [e.nn.instance_norm(e.data("x", 3, 2, 4, 5), param_attr=True, bias_attr=True)]


@case
def data_norm(e):
    return [e.nn.data_norm(e.data("x", 4, 6), name="wide", enable_scale_and_shift=True,
                           param_attr={"batch_size": 10.0})]  # fmt: skip


@case
def prelu_all(e):
    return [e.nn.prelu(e.data("x", 3, 4, 2, 2), "all")]


@case
def prelu_channel(e):
    return [e.nn.prelu(e.data("x", 3, 4, 2, 2), "channel")]


@case
def prelu_element(e):
    return [e.nn.prelu(e.data("x", 3, 4, 2, 2), "element")]


@case
def row_conv(e):
    return [e.nn.row_conv(e.data("x", 2, 6, 3), 2, act="tanh")]


@case
def bilinear_tensor_product(e):
    return [e.nn.bilinear_tensor_product(e.data("x", 3, 4), e.data("y", 3, 5), 6, act="relu")]


@case
def spectral_norm(e):
    weight = e.create_parameter([3, 4, 2], "float32", name="weight")
    return [e.nn.spectral_norm(weight, dim=1, power_iters=2)]


@case
def embedding(e):
    return [e.nn.embedding(e.integers("ids", 9, 4, 3), [9, 5], padding_idx=-2)]


@case
def weight_norm(e):
    return [e.nn.fc(e.data("x", 3, 5), 4, weight_attr=e.WeightNormParamAttr(None, name="w"))]


@case
def weight_norm_columns(e):
    return [e.nn.fc(e.data("x", 3, 5), 4, weight_attr=e.WeightNormParamAttr(1, name="w"))]


@case
def weight_norm_middle(e):
    attr = e.WeightNormParamAttr(1, name="w")
    return [e.nn.conv2d(e.data("x", 2, 3, 5, 5), 4, 3, param_attr=attr, bias_attr=False)]


@case
def crf_decoding(e):
    x = e.data("x", 3, 5, 4)
    e.create_parameter([6, 4], "float32", name="moves")
    length = e.given("length", np.array([[5], [2], [4]], "int64"))
    return [e.nn.crf_decoding(x, e.ParamAttr(name="moves"), length=length)]


@case
def crf_label(e):
    x = e.data("x", 3, 5, 4)
    e.create_parameter([6, 4], "float32", name="moves")
    length = e.given("length", np.array([[5], [2], [4]], "int64"))
    label = e.integers("label", 4, 3, 5, 1)
    return [e.nn.crf_decoding(x, e.ParamAttr(name="moves"), label=label, length=length)]


@case
def multi_box_head(e):
    maps = [e.data("a", 2, 4, 6, 6), e.data("b", 2, 3, 3, 3), e.data("c", 2, 3, 2, 2)]
    return list(
        e.nn.multi_box_head(
            maps,
            e.data("image", 2, 3, 24, 24),
            24,
            5,
            [[2.0], [2.0, 3.0], [2.0]],
            min_ratio=20,
            max_ratio=90,
            clip=True,
        )
    )


@case
def one_map(e):
    x, image = e.data("x", 2, 4, 5, 5), e.data("image", 2, 3, 20, 20)
    return list(
        e.nn.multi_box_head(
            [x],
            image,
            20,
            3,
            [[2.0]],
            min_sizes=[4.0],
            max_sizes=[[]],
            steps=[4.0],
            flip=False,
            kernel_size=3,
            pad=1,
        )
    )


@case
def cross_entropy(e):
    p = e.given("p", rng("p").dirichlet(np.ones(5), 4).astype("float32"))
    return [e.nn.cross_entropy(p, e.given("label", np.array([[0], [3], [-100], [4]])))]


@case
def soft_label(e):
    p = e.given("p", rng("p").dirichlet(np.ones(5), 4).astype("float32"))
    label = e.given("label", rng("q").dirichlet(np.ones(5), 4).astype("float32"))
    return [e.nn.cross_entropy(p, label, soft_label=True)]
