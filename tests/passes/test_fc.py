"""The pass fc: a product and the addition of its bias become linear, gradients too."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.core.dtype import VarType
from tests.executor.building import building
from tests.passes.cases import normal, same, types

F = paddle.nn.functional
X = {"x": normal(5, 3)}


def weights(bias=(4,), dtype="float32"):
    w = paddle.static.create_parameter([3, 4], dtype, name="w")
    b = paddle.static.create_parameter(list(bias), dtype, name="b")
    return w, b


def product(kind, x, w):
    if kind == "mul":
        block = paddle.static.default_main_program().current_block()
        out = block.create_var(name="product", shape=[x.shape[0], 4], dtype="float32")
        block.append_op("mul", {"X": x, "Y": w}, {"Out": out})
        return out
    return paddle.matmul(x, w)


@pytest.mark.parametrize("kind", ["matmul_v2", "mul"])
def test_a_product_and_its_bias_become_one_operator(kind):
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        out = F.relu(product(kind, x, w) + b)
    assert types(main, X, [out]) == ["linear", "relu"]
    assert types(main, X, [out], fuse=False) == [kind, "elementwise_add", "relu"]
    assert types(main, X, [out], skipped=["fc"]) == [kind, "elementwise_add", "relu"]
    same(main, startup, X, [out])


def test_gradients_are_joined_with_it():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        hidden = paddle.static.nn.fc(x, 4, activation="tanh")
        loss = paddle.mean(paddle.static.nn.fc(hidden, 2))
        paddle.optimizer.SGD(0.5).minimize(loss)
    plain = types(main, X, [loss], fuse=False)
    assert [plain.count(t) for t in ("mul_grad", "elementwise_add_grad", "sgd")] == [2, 2, 4]
    joined = types(main, X, [loss])
    assert joined == [
        "linear", "tanh", "linear", "reduce_mean", "fill_constant", "reduce_mean_grad",
        "linear_grad", "tanh_grad", "linear_grad", "merged_update",
    ]  # fmt: skip
    same(main, startup, X, [loss])


def test_rows_of_more_than_two_dimensions():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 2, 3])
        w, b = weights()
        out = paddle.matmul(x, w) + b
    feed = {"x": normal(5, 2, 3)}
    assert types(main, feed, [out]) == ["linear"]
    same(main, startup, feed, [out])


def test_it_works_inside_of_blocks():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        out = paddle.static.nn.cond(
            paddle.mean(x) > 0.0, lambda: paddle.matmul(x, w) + b, lambda: paddle.matmul(x, w) - b
        )
    from tests.passes.cases import prepared

    inner = [[op.type for op in b.ops] for b in prepared(main, X, [out]).blocks[1:]]
    assert sum("linear" in kinds for kinds in inner) == 1
    same(main, startup, {"x": np.abs(X["x"])}, [out])
    same(main, startup, {"x": -np.abs(X["x"])}, [out])


def test_a_bias_that_is_computed():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        bias = paddle.tanh(b)
        loss = paddle.mean(F.relu(paddle.matmul(x, w) + bias))
        paddle.optimizer.SGD(0.5).minimize(loss)
    joined = types(main, X, [loss])
    assert "linear" in joined and "linear_grad" in joined and "elementwise_add" not in joined
    same(main, startup, X, [loss])


def test_one_number_for_all_columns_is_no_bias():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights([1])
        loss = paddle.mean(paddle.matmul(x, w) + b)
        grads = [v for _, v in paddle.static.append_backward(loss)]
    assert "linear" not in types(main, X, [loss, *grads])
    same(main, startup, X, [loss, *grads])


def transposed(x, w, b):
    return paddle.matmul(x, paddle.reshape(w, [4, 3]), transpose_y=True) + b


def read_twice(x, w, b):
    h = paddle.matmul(x, w)
    return (h + b) * h


def read_by_a_block(x, w, b):
    h = paddle.matmul(x, w)
    out = h + b
    extra = paddle.static.nn.cond(paddle.mean(x) > 9.0, lambda: h * 2.0, lambda: h * 3.0)
    return out + extra


def of_all_rows(x, w, b):
    return paddle.matmul(x, w) + paddle.reshape(b, [1, 4])


def along_rows(x, w, b):
    block = paddle.static.default_main_program().current_block()
    h = paddle.matmul(paddle.reshape(x, [3, 5])[:, 0:3], w)
    out = block.create_var(name="sum", shape=[3, 4], dtype="float32")
    short = b[0:3]
    block.append_op("elementwise_add", {"X": h, "Y": short}, {"Out": out}, {"axis": 0})
    return out


def weight_written_in_between(x, w, b):
    h = paddle.matmul(x, w)
    paddle.assign(w * 2.0, w)
    return h + b


def bias_on_the_left(x, w, b):
    return b + paddle.matmul(x, w)


NOT = [
    transposed, read_twice, read_by_a_block, of_all_rows, along_rows, weight_written_in_between,
    bias_on_the_left,
]  # fmt: skip


@pytest.mark.parametrize("net", NOT, ids=lambda f: f.__name__)
def test_it_leaves_alone(net):
    with building() as (main, startup):
        x = paddle.static.data("x", [5, 3])
        out = net(x, *weights())
    found = types(main, X, [out])
    assert "linear" not in found and "matmul_v2" in found
    same(main, startup, X, [out])


def test_a_fetched_product_stays():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        h = paddle.matmul(x, w)
        out = h + b
    assert types(main, X, [out, h]) == ["matmul_v2", "elementwise_add"]
    same(main, startup, X, [out, h])


def test_a_bias_of_another_dtype_stays():
    with building() as (main, _):
        x = paddle.static.data("x", [None, 3])
        w, _ = weights()
        block = main.global_block()
        h = paddle.matmul(x, w)
        double = block.create_parameter(shape=[4], dtype="float64", name="double")
        out = block.create_var(name="out", shape=[-1, 4], dtype="float32")
        block.append_op("elementwise_add", {"X": h, "Y": double}, {"Out": out})
    assert double.dtype == VarType.FP64
    assert types(main, X, [out]) == ["matmul_v2", "elementwise_add"]


def test_a_weight_may_be_shared():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        w2 = paddle.static.create_parameter([4, 3], "float32", name="w2")
        h = paddle.matmul(paddle.tanh(paddle.matmul(x, w) + b), w2)
        loss = paddle.mean(paddle.matmul(h, w) + b)
        paddle.optimizer.SGD(0.5).minimize(loss)
    found = types(main, X, [loss])
    assert found.count("linear") == 2 and found.count("linear_grad") == 2
    same(main, startup, X, [loss])


def test_a_gradient_that_is_fetched_stays():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        h = paddle.matmul(x, w)
        loss = paddle.mean(paddle.tanh(h + b))
        paddle.optimizer.SGD(0.5).minimize(loss)
    fetch = [loss, h.name + "@GRAD"]
    found = types(main, X, fetch)
    assert "linear" not in found and "matmul_v2_grad" in found
    same(main, startup, X, fetch)


def test_the_gradient_of_a_bias_stays_where_the_optimizer_finds_it():
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 3])
        w, b = weights()
        loss = paddle.mean(paddle.square(paddle.matmul(x, w) + b))
        paddle.optimizer.Momentum(
            0.1, weight_decay=0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.1)
        ).minimize(loss)
    assert types(main, X, [loss, "b@GRAD"]).count("linear_grad") == 1
    same(main, startup, X, [loss, "b@GRAD", "w@GRAD"])
