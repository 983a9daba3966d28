"""Static mixed precision: casts in the Program, training, overflow, lists."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.dtype import VarType
from tests.static.harness import static as fresh

pytestmark = pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
R = np.random.RandomState(0)
X = R.rand(64, 8).astype("float32")
Y = (X[:, :1] > X[:, 1:2]).astype("int64")


def classifier(lists=None, **options):
    """Loss, main and startup Program of a small classifier with a decorated optimizer."""
    with fresh() as (main, startup):
        paddle.seed(1)
        x, y = static.data("x", [None, 8]), static.data("y", [None, 1], "int64")
        hidden = static.nn.fc(x, 32, activation="relu")
        loss = paddle.mean(
            paddle.nn.functional.softmax_with_cross_entropy(static.nn.fc(hidden, 2), y)
        )
        optimizer = static.amp.decorate(paddle.optimizer.Adam(0.02), lists, **options)
        optimizer.minimize(loss)
    return main, startup, loss, optimizer


def trained(main, startup, fetch, feeds):
    paddle.disable_static()
    scope, exe = static.Scope(), static.Executor(paddle.CPUPlace())
    exe.run(startup, scope=scope)
    return [exe.run(main, feed, fetch, scope=scope) for feed in feeds], scope


def test_products_are_low_and_losses_wide():
    main, _, loss, _ = classifier()
    block = main.global_block()
    kinds = {
        op.type: block.var(op.output_arg_names[0]).dtype
        for op in block.ops
        if not op.type.endswith("_grad")
    }
    assert kinds["mul" if "mul" in kinds else "matmul_v2"] is VarType.BF16
    assert kinds["softmax_with_cross_entropy"] is VarType.FP32 and loss.dtype is VarType.FP32
    assert {"cast", "check_finite_and_unscale", "update_loss_scaling"} <= set(kinds)
    for p in main.all_parameters():
        assert p.dtype is VarType.FP32 and block.var(p.name + "@GRAD").dtype is VarType.FP32


def test_operators_without_16_bits_get_32():
    with fresh() as (main, _):
        x = static.data("x", [3, 3])
        w = paddle.static.create_parameter([3, 3], "float32")
        loss = paddle.mean(paddle.inverse(paddle.matmul(x, w)))
        static.amp.decorate(paddle.optimizer.SGD(0.1)).minimize(loss)
    block = main.global_block()
    op = next(op for op in block.ops if op.type == "inverse")
    assert block.var(op.input("Input")[0]).dtype is VarType.FP32
    assert "matmul_v2" in {o.type for o in block.ops}
    source = next(o for o in block.ops if o.type == "matmul_v2")
    assert block.var(source.output("Out")[0]).dtype is VarType.BF16


def test_it_trains():
    main, startup, loss, _ = classifier()
    results, _ = trained(main, startup, [loss], [{"x": X, "y": Y}] * 40)
    assert results[-1][0].item() < 0.3 * results[0][0].item()


def test_it_serialises():
    main = classifier()[0]
    again = static.Program.parse_from_string(main.desc.serialize_to_string())
    assert again.desc.serialize_to_string() == main.desc.serialize_to_string()


def test_the_lists_decide():
    lists = static.amp.AutoMixedPrecisionLists(custom_black_list={"mul", "matmul_v2"})
    main = classifier(lists)[0]
    assert not any(v.dtype is VarType.BF16 for v in main.list_vars())
    names = static.amp.CustomOpLists(custom_black_varnames={"x"})
    main = classifier(names)[0]
    low = [v.name for v in main.list_vars() if v.dtype is VarType.BF16]
    assert low and not any(n.startswith("x.cast") for n in low)


def test_an_overflow_clears_the_gradients_and_lowers_the_factor():
    main, startup, _, optimizer = classifier(init_loss_scaling=1024.0, decr_every_n_nan_or_inf=1)
    scale = optimizer.get_loss_scaling()
    bad = X.copy()
    bad[0, 0] = np.inf
    weight = main.all_parameters()[0].name
    results, _ = trained(
        main, startup, [scale, weight], [{"x": X, "y": Y}, {"x": bad, "y": Y}, {"x": X, "y": Y}]
    )
    assert [r[0].item() for r in results][1] == pytest.approx(1024 * 0.8)
    assert all(np.isfinite(r[1]).all() for r in results)


def test_branches_stay_wide():
    with fresh() as (main, startup):
        x = static.data("x", [4, 4])
        y = paddle.matmul(x, x)
        z = static.nn.cond(paddle.sum(x) > 0.0, lambda: y * 2.0, lambda: y)
        static.amp.decorate(paddle.optimizer.SGD(0.1))
        w = static.create_parameter([4, 4], "float32")
        loss = paddle.mean(paddle.matmul(z, w))
        static.amp.decorate(paddle.optimizer.SGD(0.1)).minimize(loss)
    feed = R.rand(4, 4).astype("float32")
    results, _ = trained(main, startup, [z], [{"x": feed}])
    np.testing.assert_allclose(results[0][0].astype("float32"), 2 * feed @ feed, rtol=0.02)


def test_wrong_use():
    sgd = paddle.optimizer.SGD(0.1, parameters=[paddle.create_parameter([1], "float32")])
    with pytest.raises(NotImplementedError, match="use_fp16_guard"):
        static.amp.decorate(sgd, use_fp16_guard=True)
    with pytest.raises(ValueError, match="none named 'nothing'"):
        static.amp.AutoMixedPrecisionLists({"nothing"})
    with pytest.raises(RuntimeError, match="call backward first"):
        static.amp.decorate(sgd).apply_gradients([])
