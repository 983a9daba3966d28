"""Padding, resizing and rearranging as a user calls them."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.op_samples.sample import f64
from tests.op_samples.vision import sampling as formula

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


def _t(array):
    return paddle.to_tensor(array)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rank", [3, 4, 5])
@pytest.mark.parametrize("last", [False, True])
def test_spatial_padding_starts_with_the_last_dimension(mode, rank, last):
    x = f64(*[2, 3, 4, 5, 3][:rank])
    amounts = [1, 2, 0, 1, 2, 1][: 2 * (rank - 2)]
    spatial = list(zip(amounts[::2], amounts[1::2]))[::-1]
    pairs = [(0, 0), *spatial, (0, 0)] if last else [(0, 0), (0, 0), *spatial]
    expected = np.pad(x, pairs, MODES[mode])
    out = F.pad(_t(x), amounts, mode, data_format=FORMATS[rank][last])
    np.testing.assert_array_equal(out.numpy(), expected)


def test_padding_of_all_dimensions_starts_with_the_first():
    x = f64(2, 3)
    out = F.pad(_t(x), [1, 0, 0, 2], value=7)
    np.testing.assert_array_equal(out.numpy(), np.pad(x, [(1, 0), (0, 2)], constant_values=7))
    x = f64(1, 2, 3, 4)
    out = F.pad(_t(x), [0, 0, 0, 0, 1, 0, -1, 1])
    assert out.shape == [1, 2, 4, 4]
    np.testing.assert_array_equal(out.numpy()[0, 0, 1:, :3], x[0, 0, :, 1:])


def test_amounts_may_be_tensors():
    x = paddle.ones([1, 1, 2])
    assert F.pad(x, paddle.to_tensor([1, 2]), data_format="NCL").shape == [1, 1, 5]
    assert F.pad(x, [paddle.to_tensor([1]), 2], data_format="NCL").shape == [1, 1, 5]


def test_integers_are_padded_too():
    x = np.arange(4, dtype="int64").reshape(1, 1, 4)
    out = F.pad(_t(x), [2, 1], mode="reflect", data_format="NCL")
    np.testing.assert_array_equal(out.numpy(), [[[2, 1, 0, 1, 2, 3, 2]]])


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_padding(mode):
    x = _t(f64(1, 1, 3, 3))
    x.stop_gradient = False
    F.pad(x, [1, 1, 1, 1], mode).sum().backward()
    counts = np.pad(
        np.arange(9).reshape(3, 3),
        1,
        MODES[mode],
        **({"constant_values": -1} if mode == "constant" else {}),
    )
    expected = [(counts == i).sum() for i in range(9)]
    np.testing.assert_array_equal(x.grad.numpy().ravel(), expected)


@pytest.mark.parametrize(
    ("x", "pad", "how", "error", "match"),
    [
        (f64(1, 1, 2, 2), [1, 1, 1], {}, ValueError, r"pad\(pad\): expected 8 numbers"),
        (f64(2, 2), [1, 1], {}, ValueError, r"pad\(pad\): expected 4 numbers"),
        (f64(1, 1, 2), [1, 1], {}, ValueError, r"pad\(data_format\): expected one of \['NCL'"),
        (f64(1, 1, 2, 2), [1, 0, 0, 0], {"mode": "edge"}, ValueError, r"pad\(mode\)"),
        (f64(1, 1, 2, 2), [2, 0, 0, 0], {"mode": "reflect"}, ValueError, "smaller than"),
        (f64(1, 1, 2, 2), 1, {}, TypeError, r"pad\(pad\): expected a list"),
        (f64(1, 1, 2, 2), [1, 0.5, 0, 0], {}, TypeError, r"pad\(pad\): expected an integer"),
    ],
)
def test_bad_padding_is_named(x, pad, how, error, match):
    with pytest.raises(error, match=match):
        F.pad(_t(x), pad, **how)


def test_padding_layers():
    x = _t(f64(1, 2, 3, 4))
    np.testing.assert_array_equal(
        nn.Pad2D([1, 2, 0, 1], "replicate")(x).numpy(), F.pad(x, [1, 2, 0, 1], "replicate").numpy()
    )
    assert nn.Pad1D(1, "reflect")(paddle.ones([1, 2, 3])).shape == [1, 2, 5]
    assert nn.Pad3D(1, data_format="NDHWC")(paddle.ones([1, 2, 3, 4, 5])).shape == [1, 4, 5, 6, 5]
    assert repr(nn.Pad2D([1, 2, 3, 4])) == (
        "Pad2D(padding=[1, 2, 3, 4], mode=constant, value=0.0, data_format=NCHW)"
    )


# -- resizing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["linear", "bilinear", "nearest", "bicubic", "trilinear"])
@pytest.mark.parametrize("how", [(True, 0), (False, 0), (False, 1)])
@pytest.mark.parametrize("last", [False, True])
def test_interpolate(mode, how, last):
    corners, align_mode = how
    if mode == "nearest" and corners:
        pytest.skip("nearest has no corners to align")
    shape = {"linear": (2, 2, 4), "trilinear": (1, 2, 2, 3, 2)}.get(mode, (1, 2, 3, 4))
    x = f64(*shape)
    size = [3, 5, 7][: x.ndim - 2]
    sizes = dict(zip(["out_d", "out_h", "out_w"][5 - x.ndim :], size))
    expected = formula._resizer(mode)(
        x, None, None, None, align_corners=corners, align_mode=align_mode, **sizes
    )
    given = np.moveaxis(x, 1, -1).copy() if last else x
    data_format = {3: ("NCW", "NWC"), **FORMATS}[x.ndim][last]
    if x.ndim == 3:
        data_format = ("NCW", "NWC")[last]
    out = F.interpolate(_t(given), size, None, mode, corners, align_mode, data_format)
    got = np.moveaxis(out.numpy(), -1, 1) if last else out.numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_sizes_and_factors_may_be_tensors():
    x = paddle.ones([1, 1, 2, 3])
    assert F.interpolate(x, paddle.to_tensor([4, 5])).shape == [1, 1, 4, 5]
    assert F.interpolate(x, [paddle.to_tensor([4]), 5]).shape == [1, 1, 4, 5]
    assert F.interpolate(x, scale_factor=paddle.to_tensor([2.0])).shape == [1, 1, 4, 6]
    assert F.interpolate(x, scale_factor=[2, 1.5]).shape == [1, 1, 4, 4]


def test_area_takes_means():
    x = f64(1, 2, 4, 6)
    out = F.interpolate(_t(x), [2, 3], mode="area")
    np.testing.assert_allclose(out.numpy(), x.reshape(1, 2, 2, 2, 3, 2).mean((3, 5)))
    rows = f64(1, 4, 2)
    out = F.interpolate(_t(rows), scale_factor=0.5, mode="area", data_format="NWC")
    np.testing.assert_allclose(out.numpy(), rows.reshape(1, 2, 2, 2).mean(2))


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ({}, ValueError, "expected one of size and scale_factor"),
        ({"size": [2, 2], "scale_factor": 2}, ValueError, "expected one of size and scale_factor"),
        ({"size": 4}, TypeError, r"interpolate\(size\)"),
        ({"size": [4]}, ValueError, "expected 2 integers"),
        ({"size": [0, 4]}, ValueError, r"interpolate\(size\)"),
        ({"scale_factor": -1}, ValueError, r"interpolate\(scale_factor\)"),
        ({"scale_factor": 2, "mode": "cubic"}, ValueError, r"interpolate\(mode\)"),
        ({"scale_factor": 2, "mode": "linear"}, ValueError, "expected 3 dimensions"),
        ({"scale_factor": 2, "align_corners": True}, ValueError, r"\(align_corners\)"),
        ({"scale_factor": 2, "align_mode": 2}, ValueError, r"\(align_mode\)"),
        ({"scale_factor": 2, "data_format": "HW"}, ValueError, r"\(data_format\)"),
    ],
)
def test_bad_resizing_is_named(how, error, match):
    with pytest.raises(error, match=match):
        F.interpolate(_t(f64(1, 1, 2, 3)), **how)


def test_resizing_layers():
    x = _t(f64(1, 2, 3, 4))
    np.testing.assert_array_equal(
        nn.Upsample(scale_factor=2, mode="BILINEAR")(x).numpy(),
        F.upsample(x, scale_factor=2, mode="bilinear").numpy(),
    )
    np.testing.assert_array_equal(
        nn.UpsamplingBilinear2D([5, 6])(x).numpy(),
        F.interpolate(x, [5, 6], mode="bilinear", align_corners=True).numpy(),
    )
    assert nn.UpsamplingNearest2D(scale_factor=3)(x).shape == [1, 2, 9, 12]
    assert (
        repr(nn.UpsamplingNearest2D([3, 3])) == "UpsamplingNearest2D(size=[3, 3], data_format=NCHW)"
    )
    assert repr(nn.Upsample(size=[3, 4])) == (
        "Upsample(size=[3, 4], mode=nearest, align_corners=False, align_mode=0, data_format=NCHW)"
    )


# -- rearranging ------------------------------------------------------------------------------


@pytest.mark.parametrize("paddings", [1, [1, 2], [1, 0, 2, 1]])
def test_unfold(paddings):
    x = f64(2, 3, 5, 6)
    around = {1: [1] * 4}.get(paddings) if paddings == 1 else paddings * (4 // len(paddings))
    out = F.unfold(_t(x), [2, 3], 2, paddings, [2, 1])
    expected = formula.unfold(x, [2, 3], [2, 2], around, [2, 1])
    np.testing.assert_allclose(out.numpy(), expected)


def test_pixel_shuffle_layer():
    x = f64(1, 8, 2, 3)
    expected = formula.pixel_shuffle(x, 2)
    np.testing.assert_array_equal(nn.PixelShuffle(2)(_t(x)).numpy(), expected)
    last = nn.PixelShuffle(2, "NHWC")(_t(np.moveaxis(x, 1, -1).copy()))
    np.testing.assert_array_equal(np.moveaxis(last.numpy(), -1, 1), expected)


def test_identity_grid_gives_the_image_back():
    x = f64(2, 3, 4, 5)
    theta = _t(np.tile(np.array([[[1.0, 0, 0], [0, 1.0, 0]]]), [2, 1, 1]))
    for corners in (True, False):
        grid = F.affine_grid(theta, [2, 3, 4, 5], align_corners=corners)
        out = F.grid_sample(_t(x), grid, align_corners=corners)
        np.testing.assert_allclose(out.numpy(), x, atol=1e-9)
    shape = paddle.to_tensor([2, 3, 4, 5])
    assert F.affine_grid(theta, shape).shape == [2, 4, 5, 2]


@pytest.mark.parametrize(
    ("run", "error", "match"),
    [
        (lambda x: F.unfold(x[0], 2), ValueError, r"unfold\(x\): expected a Tensor of 4"),
        (lambda x: F.unfold(x, 9), ValueError, "at least one patch"),
        (lambda x: F.pixel_shuffle(x, 3), ValueError, "divisible by the square"),
        (lambda x: F.pixel_shuffle(x, 2.0), TypeError, r"pixel_shuffle\(upscale_factor\)"),
        (lambda x: nn.PixelShuffle("2"), TypeError, r"PixelShuffle\(upscale_factor\)"),
        (lambda x: nn.PixelShuffle(2, "NCL"), ValueError, r"PixelShuffle\(data_format\)"),
        (lambda x: F.grid_sample(x, x, mode="cubic"), ValueError, r"grid_sample\(mode\)"),
        (lambda x: F.grid_sample(x, x, padding_mode="wrap"), ValueError, r"\(padding_mode\)"),
        (lambda x: F.grid_sample(x, x, align_corners=1), TypeError, r"\(align_corners\)"),
        (lambda x: F.affine_grid(x, 4), TypeError, r"affine_grid\(out_shape\)"),
        (lambda x: F.affine_grid(x, [1, 1, 2, 2]), ValueError, "Theta of shape"),
        (lambda x: F.temporal_shift(x, 3), ValueError, r"N \* seg_num"),
        (lambda x: F.temporal_shift(x, 2, 0.7), ValueError, r"temporal_shift\(shift_ratio\)"),
    ],
)
def test_bad_arguments_are_named(run, error, match):
    with pytest.raises(error, match=match):
        run(_t(f64(2, 4, 3, 3)))
