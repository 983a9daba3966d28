"""Normalizations as a user calls them: statistics, layouts, parameters, saved names."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from tests.op_samples.nn import norm as formula
from tests.op_samples.sample import f64, pos


def _t(array):
    return paddle.to_tensor(np.asarray(array, "float32"))


X = f64(4, 3, 5, 2)


def _batch(data_format="NCHW", **how):
    mean, var = _t([0.1, 0.2, 0.3]), _t([1.5, 0.7, 1.0])
    x = np.moveaxis(X, 1, -1).copy() if data_format == "NHWC" else X
    out = F.batch_norm(
        _t(x), mean, var, _t([1, 2, 3]), _t([0, 1, 2]), data_format=data_format, **how
    )
    got = np.moveaxis(out.numpy(), -1, 1) if data_format == "NHWC" else out.numpy()
    return got, mean.numpy(), var.numpy()


def _expected(use_running):
    how = {"use_global_stats": True} if use_running else {}
    stats = np.array([0.1, 0.2, 0.3]), np.array([1.5, 0.7, 1.0])
    return formula.batch_norm(X, np.array([1, 2, 3]), np.array([0, 1, 2]), *stats, None, **how)[0]


@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
@pytest.mark.parametrize(
    ("training", "use_global_stats", "running"),
    [(True, None, False), (False, None, True), (True, True, True), (False, False, False)],
)
def test_which_statistics_a_batch_norm_takes(data_format, training, use_global_stats, running):
    out, mean, var = _batch(
        data_format, training=training, use_global_stats=use_global_stats, momentum=0.8
    )
    np.testing.assert_allclose(out, _expected(running), rtol=1e-4, atol=1e-5)
    if running:
        np.testing.assert_allclose(mean, [0.1, 0.2, 0.3])
        np.testing.assert_allclose(var, [1.5, 0.7, 1.0])
    else:
        moved = 0.8 * np.array([0.1, 0.2, 0.3]) + 0.2 * X.mean((0, 2, 3))
        np.testing.assert_allclose(mean, moved, rtol=1e-5)
        moved = 0.8 * np.array([1.5, 0.7, 1.0]) + 0.2 * X.var((0, 2, 3))
        np.testing.assert_allclose(var, moved, rtol=1e-5)


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize(
    "shape, data_format",
    [
        ([1, 3], "NC"), ([1, 3, 1], "NCL"), ([1, 1, 3], "NLC"), ([1, 3, 1, 1], "NCHW"),
        ([1, 1, 1, 3], "NHWC"), ([1, 3, 1, 1, 1], "NCDHW"),
    ],
)  # fmt: skip
def test_one_value_per_channel_passes_as_it_is(shape, data_format, higher):
    """As in PaddlePaddle 2.6.2: no gradient of scale and shift, no step of the statistics."""
    x = paddle.to_tensor(np.array([3.0, -1.0, 2.0], "float32").reshape(shape), stop_gradient=False)
    mean, variance = _t([0.5, 0.5, 0.5]), _t([2.0, 2.0, 2.0])
    weight, bias = _t([1.0, 2.0, 3.0]), _t([1.0, 1.0, 1.0])
    weight.stop_gradient = bias.stop_gradient = False
    y = F.batch_norm(x, mean, variance, weight, bias, training=True, data_format=data_format)
    np.testing.assert_array_equal(y.numpy(), x.numpy())
    grads = paddle.grad((y * y).sum(), [x, weight, bias], create_graph=higher)
    np.testing.assert_array_equal(grads[0].numpy(), 2 * x.numpy())
    assert grads[1].numpy().tolist() == grads[2].numpy().tolist() == [0.0, 0.0, 0.0]
    assert mean.numpy().tolist() == [0.5] * 3 and variance.numpy().tolist() == [2.0] * 3
    if higher:
        (second,) = paddle.grad(grads[0].sum(), [x])
        np.testing.assert_array_equal(second.numpy(), np.full(shape, 2.0))


def test_one_value_per_channel_in_a_program():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 2])
            x.stop_gradient = False
            norm = nn.BatchNorm1D(2)
            out = norm(x)
            (grad,) = paddle.static.gradients([(out * out).sum()], [x])
        executor = paddle.static.Executor()
        executor.run(startup)
        feed = {"x": np.array([[3.0, -1.0]], "float32")}
        found = executor.run(main, feed, [out, grad, norm._mean, norm._variance])
    finally:
        paddle.disable_static()
    wanted = [[[3.0, -1.0]], [[6.0, -2.0]], [0.0, 0.0], [1.0, 1.0]]
    assert [f.tolist() for f in found] == wanted


def test_two_forwards_before_backward_keep_their_own_statistics():
    norm = nn.BatchNorm2D(3)
    first, second = _t(X), _t(2 * X + 1)
    first.stop_gradient = second.stop_gradient = False
    weights = _t(f64(*X.shape, key=9))
    loss = (norm(first) * weights).sum()
    norm(second)
    loss.backward()
    alone = _t(X)
    alone.stop_gradient = False
    (nn.BatchNorm2D(3)(alone) * weights).sum().backward()
    np.testing.assert_allclose(first.grad.numpy(), alone.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_evaluation_does_not_move_running_statistics():
    norm = nn.BatchNorm2D(3)
    norm(_t(X))
    norm.eval()
    before = norm._mean.numpy()
    out = norm(_t(X))
    np.testing.assert_array_equal(norm._mean.numpy(), before)
    shape = [1, 3, 1, 1]
    expected = (X - before.reshape(shape)) / np.sqrt(norm._variance.numpy().reshape(shape) + 1e-5)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_running_statistics_are_saved_but_not_trained():
    norm = nn.BatchNorm2D(3)
    assert list(norm.state_dict()) == ["weight", "bias", "_mean", "_variance"]
    assert [p.stop_gradient for p in norm.parameters()] == [False, False, True, True]
    assert [p.name.split(".")[1] for p in norm.parameters()] == ["w_0", "b_0", "w_1", "w_2"]
    other = nn.BatchNorm2D(3)
    norm(_t(X))
    other.set_state_dict(norm.state_dict())
    np.testing.assert_array_equal(other._variance.numpy(), norm._variance.numpy())


def test_frozen_parameters():
    norm = nn.BatchNorm2D(3, weight_attr=False, bias_attr=False)
    assert norm.weight.stop_gradient and norm.bias.stop_gradient
    np.testing.assert_array_equal(norm.weight.numpy(), 1)


def test_the_form_of_1x():
    norm = paddle.nn.BatchNorm(
        3, act="relu", momentum=0.5, moving_mean_name="my_mean", moving_variance_name="my_variance"
    )
    out = norm(_t(X))
    expected = formula.batch_norm(X, None, None, np.zeros(3), np.ones(3), None)[0]
    np.testing.assert_allclose(out.numpy(), np.maximum(expected, 0), rtol=1e-4, atol=1e-5)
    assert (norm._mean.name, norm._variance.name) == ("my_mean", "my_variance")
    np.testing.assert_allclose(norm._mean.numpy(), 0.5 * X.mean((0, 2, 3)), rtol=1e-4)
    frozen = paddle.nn.BatchNorm(3, is_test=True)
    frozen(_t(X))
    np.testing.assert_array_equal(frozen._mean.numpy(), 0)
    always = paddle.nn.BatchNorm(3, trainable_statistics=True)
    always.eval()
    np.testing.assert_allclose(always(_t(X)).numpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (lambda: nn.BatchNorm1D(3), (6, 3)),
        (lambda: nn.BatchNorm1D(3, data_format="NCL"), (4, 3, 5)),
        (lambda: nn.BatchNorm3D(3, data_format="NCDHW"), (2, 3, 2, 3, 2)),
        (lambda: nn.SyncBatchNorm(3), (4, 3, 2, 2)),
    ],
)
def test_other_ranks(layer, shape):
    x = f64(*shape)
    expected = formula.batch_norm(x, None, None, np.zeros(3), np.ones(3), None)[0]
    np.testing.assert_allclose(layer()(_t(x)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_conversion_to_synchronized_norms_keeps_parameters():
    net = nn.Sequential(nn.Conv2D(1, 3, 3), nn.Sequential(nn.BatchNorm2D(3)), nn.LayerNorm(3))
    old = net[1][0]
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert converted is net
    assert type(net[1][0]) is nn.SyncBatchNorm
    assert net[1][0].weight is old.weight and net[1][0]._mean is old._mean
    assert type(net[2]) is nn.LayerNorm
    assert type(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1D(2))) is nn.SyncBatchNorm


def test_layer_norm():
    x, w, b = f64(2, 3, 4), pos(12), f64(12)
    out = F.layer_norm(_t(x), [3, 4], _t(w), _t(b), epsilon=1e-3)
    expected = formula.layer_norm(x, w, b, 1e-3, 1)[0]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-5)
    layer = nn.LayerNorm(4)
    expected = formula.layer_norm(x, None, None, 1e-5, 2)[0]
    np.testing.assert_allclose(layer(_t(x)).numpy(), expected, rtol=1e-4, atol=1e-5)
    assert nn.LayerNorm([3, 4]).weight.shape == [12]
    bare = nn.LayerNorm(4, weight_attr=False, bias_attr=False)
    assert bare.weight is None and bare.bias is None


def test_group_and_instance_norm():
    x = f64(2, 4, 3, 3)
    layer = nn.GroupNorm(2, 4)
    expected = formula.group_norm(x, None, None, groups=2)[0]
    np.testing.assert_allclose(layer(_t(x)).numpy(), expected, rtol=1e-4, atol=1e-5)
    last = nn.GroupNorm(2, 4, data_format="NHWC")(_t(np.moveaxis(x, 1, -1).copy()))
    np.testing.assert_allclose(np.moveaxis(last.numpy(), -1, 1), expected, rtol=1e-4, atol=1e-5)
    expected = formula.instance_norm(x, None, None)[0]
    layer = nn.InstanceNorm2D(4)
    np.testing.assert_allclose(layer(_t(x)).numpy(), expected, rtol=1e-4, atol=1e-5)
    assert list(layer.state_dict()) == ["scale", "bias"]
    last = nn.InstanceNorm2D(4, data_format="NHWC")(_t(np.moveaxis(x, 1, -1).copy()))
    np.testing.assert_allclose(np.moveaxis(last.numpy(), -1, 1), expected, rtol=1e-4, atol=1e-5)
    assert nn.InstanceNorm1D(4, weight_attr=False, bias_attr=False).scale is None
    assert nn.InstanceNorm3D(2)(paddle.rand([1, 2, 2, 2, 2])).shape == [1, 2, 2, 2, 2]


@pytest.mark.parametrize("shape", [(2, 5, 3), (1, 6, 2, 3), (1, 3, 2, 2, 2)])
@pytest.mark.parametrize("size", [1, 3, 4])
def test_local_response_norm(shape, size):
    x = f64(*shape)
    padded = np.pad(x * x, [(0, 0), (size // 2, (size - 1) // 2)] + [(0, 0)] * (x.ndim - 2))
    total = sum(padded[:, i : i + x.shape[1]] for i in range(size))
    expected = x / (1.5 + 0.7 * total / size) ** 0.6
    got = F.local_response_norm(_t(x), size, 0.7, 0.6, 1.5)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4)
    formats = {3: "NLC", 4: "NHWC", 5: "NDHWC"}
    layer = nn.LocalResponseNorm(size, 0.7, 0.6, 1.5, formats[x.ndim])
    got = layer(_t(np.moveaxis(x, 1, -1).copy()))
    np.testing.assert_allclose(np.moveaxis(got.numpy(), -1, 1), expected, rtol=1e-4)


@pytest.mark.parametrize("p", [1, 2, 3.0])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_normalize(p, axis):
    x = f64(3, 4, 2)
    length = (np.abs(x) ** p).sum(axis, keepdims=True) ** (1 / p)
    np.testing.assert_allclose(F.normalize(_t(x), p, axis).numpy(), x / length, rtol=1e-4)
    np.testing.assert_array_equal(F.normalize(paddle.zeros([2, 2])).numpy(), 0)
    np.testing.assert_allclose(F.normalize(_t([3.0, 4.0])).numpy(), [0.6, 0.8], rtol=1e-6)


def test_spectral_norm_finds_the_largest_singular_value():
    weight = f64(4, 3, 2)
    layer = nn.SpectralNorm(weight.shape, dim=1, power_iters=100)
    expected = weight / np.linalg.svd(np.moveaxis(weight, 1, 0).reshape(3, -1))[1][0]
    np.testing.assert_allclose(layer(_t(weight)).numpy(), expected, rtol=1e-4, atol=1e-6)
    assert layer.weight_u.stop_gradient
    assert (layer.weight_u.shape, layer.weight_v.shape) == ([3], [8])


BAD = [
    (lambda: nn.BatchNorm2D(3)(_t(X[0])), ValueError, "BatchNorm2D: expected 4D input"),
    (lambda: nn.BatchNorm1D(3)(_t(X)), ValueError, "BatchNorm1D: expected 2D or 3D input"),
    (lambda: nn.BatchNorm2D(4)(_t(X)), ValueError, "expected Scale to have 3 elements"),
    (lambda: nn.BatchNorm2D(4, data_format="HWC"), ValueError, r"BatchNorm2D\(data_format\)"),
    (lambda: nn.BatchNorm(3, act=5), TypeError, r"BatchNorm\(act\)"),
    (lambda: _batch(data_format="CN"), ValueError, r"batch_norm\(data_format\)"),
    (lambda: F.layer_norm(_t(X), [5, 3]), ValueError, r"expected x of shape \[\*, 5, 3\]"),
    (lambda: F.layer_norm(_t(X), "5"), TypeError, r"layer_norm\(normalized_shape\)"),
    (lambda: nn.GroupNorm(2, 3), ValueError, "multiple of num_groups"),
    (lambda: nn.InstanceNorm2D(3)(_t(X[0])), ValueError, "InstanceNorm2D: expected 4D input"),
    (lambda: nn.InstanceNorm2D(3, weight_attr=False), ValueError, "to be False together"),
    (lambda: F.instance_norm(_t(X), use_input_stats=False), NotImplementedError, "batch_norm"),
    (lambda: F.local_response_norm(_t([[1.0]]), 3), ValueError, "3 to 5 dimensions"),
    (lambda: F.local_response_norm(_t(X), 0), ValueError, "positive int"),
    (lambda: F.normalize([1.0]), TypeError, r"normalize\(x\): expected a Tensor"),
    (lambda: nn.SpectralNorm([3, 0]), ValueError, "positive sizes"),
    (lambda: nn.SpectralNorm([3, 4])(_t(f64(4, 3))), ValueError, "expected U of 4"),
]


@pytest.mark.parametrize(("run", "error", "match"), BAD)
def test_bad_arguments_are_named(run, error, match):
    with pytest.raises(error, match=match):
        run()


def test_layers_print_their_settings():
    text = "num_features=3, momentum=0.9, epsilon=1e-05"
    assert repr(nn.BatchNorm2D(3)) == f"BatchNorm2D({text})"
    assert repr(nn.BatchNorm1D(3, data_format="NCL")) == f"BatchNorm1D({text}, data_format=NCL)"
    assert repr(nn.LayerNorm([3, 4])) == "LayerNorm(normalized_shape=[3, 4], epsilon=1e-05)"
