"""What static mode refuses, and with which words."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from tests.static.harness import data, static

X = np.ones((4, 3), "float32")


def _unknown(rank=2):
    return data(f"u{rank}", np.ones((4, 3, 5, 6)[:rank], "float32"), batch=True)


def test_eager_tensors_are_refused():
    tensor, layer = paddle.ones([4, 3]), nn.Linear(3, 2)
    with static():
        x = data("x", X)
        for call in (
            lambda: x + tensor,
            lambda: paddle.matmul(x, tensor.T),
            lambda: layer(x),
            lambda: paddle.concat([x, tensor]),
            lambda: tensor * 2.0,
            lambda: tensor[0],
            lambda: paddle.assign(x, output=tensor),
        ):
            with pytest.raises(ValueError, match="eager Tensor, but in static mode a Variable"):
                call()
        with pytest.raises(ValueError, match="eager Tensor"):
            tensor[0] = 1.0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: paddle.add(x, 1.0), TypeError, "elementwise_add: Y .* a Variable.* float"),
        (lambda x: paddle.add(x, X), TypeError, "a Variable, but received ndarray"),
        (lambda x: paddle.concat(x), TypeError, "concat.*list of Tensors"),
        (lambda x: paddle.concat([x, 1]), TypeError, "concat: X .* int"),
        (lambda x: paddle.reshape(x, "a"), TypeError, "reshape.*list, a tuple or a Tensor"),
        (lambda x: paddle.reshape(x, [5, 5]), ValueError, "reshape"),
        (lambda x: paddle.transpose(x, [0]), ValueError, "transpose"),
        (lambda x: paddle.matmul(x, x), ValueError, "matmul"),
        (lambda x: x + paddle.ones([5]), ValueError, "Broadcast dimension mismatch"),
        (lambda x: F.linear(x, paddle.ones([5, 2])), ValueError, r"linear\(x\).*weight"),
        (lambda x: F.conv2d(x, x), ValueError, "4 dimensions"),
        (lambda x: paddle.zeros([-1, 2]), ValueError, "no negative size"),
        (lambda x: paddle.to_tensor(object()), TypeError, "to_tensor: expected"),
        (lambda x: paddle.to_tensor([1, [2, 3]]), ValueError, "lists with different lengths"),
        (lambda x: paddle.to_tensor([1], place=3), TypeError, "place"),
        (lambda x: paddle.assign("a"), TypeError, "assign"),
        (lambda x: paddle.assign(x, output=3), TypeError, "output"),
        (lambda x: paddle.increment(x), ValueError, "one element"),
        (lambda x: x < "a", TypeError, "not supported"),
        (lambda x: F.one_hot(x, 3), TypeError, "int32 or int64"),
        (lambda x: paddle.broadcast_to(x, [2, 2]), ValueError, "expand"),
        (lambda x: F.interpolate(x.reshape([1, 1, 4, 3]), size=[x[0, 0], 2], mode="area"),
         NotImplementedError, "cannot be Variables"),
    ],
)  # fmt: skip
def test_wrong_arguments(call, error, words):
    with static():
        x = data("x", X)
        with pytest.raises(error, match=words):
            call(x)


@pytest.mark.parametrize(
    "call",
    [
        F.softmax, F.log_softmax, paddle.cumsum, paddle.squeeze, paddle.unsqueeze, paddle.sort,
        paddle.argsort, paddle.sum, paddle.flip, paddle.argmax,
    ],
)  # fmt: skip
@pytest.mark.parametrize("axis", [9, -9])
def test_axis_out_of_range_beside_an_unknown_size(call, axis):
    with static():
        with pytest.raises(ValueError, match=rf"range \S*.*\[-\d, \d[\])].* received {axis}"):
            call(_unknown(), axis=axis)
        with pytest.raises(TypeError, match=r"axis.*expected.*str"):
            call(_unknown(), axis="a")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paddle.unbind(_unknown()), "size is unknown"),
        (lambda: paddle.unstack(_unknown()), "size is unknown"),
        (lambda: paddle.reshape(_unknown(), data("s", np.ones(2, "int32"), batch=True)),
         "one dimension of known size"),
        (lambda: paddle.zeros(data("s", np.ones(2, "int32"), batch=True)),
         "one dimension of known size"),
        (lambda: F.local_response_norm(_unknown(4).transpose([1, 0, 2, 3]), 2),
         "number of channels"),
    ],
)  # fmt: skip
def test_sizes_that_must_be_known(call, words):
    with static(), pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: bool(x > 0), lambda x: float(x), lambda x: int(x), lambda x: x.numpy(),
        lambda x: x.item(), lambda x: np.asarray(x), lambda x: x.tolist(), lambda x: x.gradient(),
        lambda x: x.backward(), lambda x: len(_unknown()), lambda x: x.clear_gradient(),
        lambda x: 1.0 in x, lambda x: [*_unknown()],
        lambda x: F.conv2d(data("i", np.ones((1, 1, 3, 3))), x, stride=x),
    ],
)  # fmt: skip
def test_values_are_known_only_in_a_run(call):
    with static():
        x = data("x", X[:1, :1].reshape(1))
        with pytest.raises((RuntimeError, ValueError), match=r"run|static|dimensions"):
            call(x)
