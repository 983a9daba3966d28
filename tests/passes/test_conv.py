"""The passes conv_bias and conv_bn: a bias and fixed statistics go into the convolution."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.static import Executor
from tests.executor.building import building, put, run, run_plainly, started
from tests.passes.cases import normal, same, types

X = {"x": normal(2, 3, 6, 6)}


def image():
    return paddle.static.data("x", [None, 3, 6, 6])


def conv(x, bias=False, name="c", **options):
    return paddle.static.nn.conv2d(x, 4, 3, param_attr=name + "_w", bias_attr=bias, **options)


def norm(x, name="n", **options):
    options = {"is_test": True} | options
    return paddle.static.nn.batch_norm(
        x, param_attr=name + "_scale", bias_attr=name + "_shift", moving_mean_name=name + "_mean",
        moving_variance_name=name + "_variance", **options,
    )  # fmt: skip


def with_statistics(scope, names=("n",)):
    """Puts statistics that are not 0 and 1 into a scope."""
    for i, name in enumerate(names):
        rng = np.random.RandomState(i)
        for part in ("scale", "shift", "mean", "variance"):
            put(scope, f"{name}_{part}", (rng.rand(4) + 0.5).astype("float32"))
    return scope


def equal(main, startup, fetch, feed=X, names=("n",)):
    got = run(main, feed, fetch, with_statistics(started(startup), names))
    expected = run_plainly(main, feed, fetch, with_statistics(started(startup), names))
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


# -- conv_bias -------------------------------------------------------------------------------------


def test_a_convolution_takes_its_bias():
    with building() as (main, startup):
        out = conv(image(), bias=None)
        deep = paddle.static.nn.conv2d(image(), 3, 3, groups=3)
        back = paddle.static.nn.conv2d_transpose(image(), 2, filter_size=3)
        loss = paddle.mean(out) + paddle.mean(deep) + paddle.mean(back)
        paddle.optimizer.SGD(0.5).minimize(loss)
    plain, joined = types(main, X, [loss], fuse=False), types(main, X, [loss])
    assert plain.count("elementwise_add") == 5 and joined.count("elementwise_add") == 2
    assert plain.count("elementwise_add_grad") == 5 and joined.count("elementwise_add_grad") == 2
    same(main, startup, X, [loss])


def test_a_bias_along_another_axis_stays():
    with building() as (main, startup):
        h = conv(image())  # [N, 4, 4, 4]: the shapes would fit
        row = paddle.static.create_parameter([4], "float32", name="row")
        out = h + row
    assert types(main, X, [out]) == ["conv2d", "elementwise_add"]
    same(main, startup, X, [out])


# -- conv_bn ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [False, None], ids=["no bias", "bias"])
def test_a_norm_of_fixed_statistics_is_folded(bias):
    with building() as (main, startup):
        out = paddle.nn.functional.relu(norm(conv(image(), bias)))
    assert types(main, X, [out]) == ["fold_batch_norm", "conv2d", "relu"]
    assert "batch_norm" in types(main, X, [out], skipped=["conv_bn"])
    equal(main, startup, [out])


def test_other_convolutions_are_folded():
    with building() as (main, startup):
        x = image()
        deep = paddle.static.nn.conv2d(x, 3, 3, groups=3)
        back = paddle.static.nn.conv2d_transpose(x, 4, filter_size=3)
        grouped = paddle.static.nn.conv2d_transpose(x, 3, filter_size=3, groups=3)
        outs = [paddle.static.nn.batch_norm(v, is_test=True) for v in (deep, back, grouped)]
    found = types(main, X, outs)
    assert found.count("fold_batch_norm") == 2 and found.count("batch_norm") == 1
    equal(main, startup, outs, names=())


def test_a_norm_is_folded_channels_last():
    with building() as (main, startup):
        x = paddle.transpose(image(), [0, 2, 3, 1])
        h = paddle.static.nn.conv2d(x, 4, 3, data_format="NHWC")
        out = norm(h, data_layout="NHWC")
    assert types(main, X, [out]) == ["transpose2", "fold_batch_norm", "conv2d"]
    equal(main, startup, [out])


def test_the_test_clone_of_a_training_program_is_folded():
    with building() as (main, startup):
        out = norm(conv(image()), is_test=False)
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.1).minimize(paddle.mean(out))
    assert "fold_batch_norm" not in types(main, X, [out])
    assert types(test, X, [out]) == ["fold_batch_norm", "conv2d"]
    equal(test, startup, [out])


def test_weights_are_folded_anew_when_they_change():
    with building() as (main, startup):
        x = image()
        out = norm(conv(x), is_test=False)
        test = main.clone(for_test=True)
        paddle.optimizer.SGD(0.1).minimize(paddle.mean(paddle.square(out)))
    exe, scope = Executor(paddle.CPUPlace()), with_statistics(started(startup))
    seen = []
    for _ in range(3):
        (got,) = exe.run(test, X, [out], scope=scope)
        np.testing.assert_allclose(got, run_plainly(test, X, [out], scope)[0], rtol=1e-4, atol=1e-5)
        seen.append(got)
        exe.run(main, X, [], scope=scope)
    assert (seen[0] != seen[1]).any() and (seen[1] != seen[2]).any()
    (same_again,) = exe.run(test, X, [out], scope=with_statistics(started(startup)))
    np.testing.assert_array_equal(same_again, seen[0])


def test_a_shared_filter_is_folded_for_each_norm():
    with building() as (main, startup):
        x = image()
        outs = [norm(conv(x), "n"), norm(conv(x * 2.0), "m")]
    assert types(main, X, outs).count("fold_batch_norm") == 2
    equal(main, startup, outs, names=("n", "m"))


def written_filter(x):
    h = conv(x)
    w = paddle.static.default_main_program().global_block().var("c_w")
    paddle.assign(w * 2.0, w)
    return norm(h)


def written_image(x):
    copy = paddle.assign(x)
    h = conv(copy)
    paddle.assign(x * 2.0, copy)
    return norm(h) + paddle.mean(copy)


def read_twice(x):
    h = conv(x)
    return norm(h) + h


def read_by_a_block(x):
    h = conv(x)
    other = paddle.static.nn.cond(paddle.mean(x) > 0.0, lambda: h * 2.0, lambda: h * 3.0)
    return norm(h) + other


def of_nothing_but_data(x):
    return paddle.static.nn.batch_norm(x, is_test=True)


def of_another_layout(x):
    h = paddle.static.nn.conv2d(paddle.transpose(x, [0, 2, 3, 1]), 4, 3, data_format="NHWC")
    return norm(h)  # [N, 4, 4, 4]: the shapes would fit


def statistics_elsewhere(x):
    block = paddle.static.default_main_program().global_block()
    out = norm(conv(x))
    op = next(op for op in block.ops if op.type == "batch_norm")
    mean = block.create_var(name="copied", shape=[4], dtype="float32")
    op.outputs["MeanOut"] = [mean.name]
    return out * paddle.mean(mean)


NOT = [
    written_filter, written_image, read_twice, read_by_a_block, of_nothing_but_data,
    of_another_layout, statistics_elsewhere,
]  # fmt: skip


@pytest.mark.parametrize("net", NOT, ids=lambda f: f.__name__)
def test_it_leaves_alone(net):
    with building() as (main, startup):
        out = net(image())
    found = types(main, X, [out])
    assert "fold_batch_norm" not in found and "batch_norm" in found
    names = () if net is of_nothing_but_data else ("n",)
    equal(main, startup, [out], names=names)


def test_what_is_fetched_stays():
    with building() as (main, startup):
        h = conv(image())
        out = norm(h)
        op = next(op for op in main.global_block().ops if op.type == "batch_norm")
    for extra in (h.name, op.outputs["SavedMean"][0]):
        assert types(main, X, [out, extra]) == ["conv2d", "batch_norm"]
        equal(main, startup, [out, extra])


@pytest.mark.parametrize("options", [{"is_test": False}, {"is_test": False, "fixed": True}])
def test_a_norm_with_gradients_stays(options):
    fixed = options.pop("fixed", False)
    with building() as (main, startup):
        out = norm(conv(image()), use_global_stats=fixed, **options)
        loss = paddle.mean(paddle.square(out))
        paddle.optimizer.SGD(0.1).minimize(loss)
    found = types(main, X, [loss])
    assert found.count("batch_norm") == found.count("batch_norm_grad") == 1
    same(main, startup, X, [loss])


def test_weights_of_half_precision_stay():
    with building() as (main, _):
        x = paddle.static.data("x", [None, 3, 6, 6], "float16")
        out = norm(conv(x))
    assert types(main, X, [out]) == ["conv2d", "batch_norm"]
