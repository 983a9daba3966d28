"""Functions whose result has another form on each path that a Tensor decides about."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.core.errors import InvalidArgumentError
from paddle.jit import to_static


def _full(value, stop_gradient=True):
    return paddle.full([2], value).detach() if stop_gradient else paddle.to_tensor(
        [value, value], stop_gradient=False
    )  # fmt: skip


@to_static
def by_sign(x):
    if x.sum() > 0:
        return x, x * 2
    elif x.sum() > -5:
        return {"least": x - 1}
    return paddle.cast(x, "int64")


def test_tuple_dict_and_other_dtype():
    by_sign.program_cache.clear()  # other tests call it with other inputs
    a, b = by_sign(_full(1.0))
    np.testing.assert_array_equal([a.numpy(), b.numpy()], [[1, 1], [2, 2]])
    np.testing.assert_array_equal(by_sign(_full(-1.0))["least"].numpy(), [-2, -2])
    whole = by_sign(_full(-9.0))
    assert whole.dtype == paddle.int64 and whole.numpy().tolist() == [-9, -9]
    assert len(by_sign.program_cache) == 1


def test_gradients_flow_through_what_was_returned():
    for value, expected in ((1.0, 3.0), (-1.0, 1.0)):
        x = _full(value, stop_gradient=False)
        out = by_sign(x)
        parts = out if isinstance(out, tuple) else list(out.values())
        sum(parts[1:], parts[0]).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [expected, expected])


@to_static
def first_large(x, limit):
    for i in range(3):
        x = x * 2
        if x.max() > limit:
            return x, i
    return None


def test_none_or_a_result_of_a_loop():
    out, i = first_large(_full(1.0), paddle.full([1], 3.0))
    assert (out.numpy().tolist(), int(i)) == ([4.0, 4.0], 1)
    assert first_large(_full(1.0), paddle.full([1], 100.0)) is None


@to_static
def numbers_and_text(x):
    if x.sum() > 0:
        return x, "positive", 1
    return x - 1, "negative", None


def test_values_of_python():
    assert numbers_and_text(_full(1.0))[1:] == ("positive", 1)
    assert numbers_and_text(_full(-1.0))[1:] == ("negative", None)


def test_layer_with_loss_only_for_labels_on_data():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 1)

        def forward(self, x):
            out = self.linear(x)
            if out.mean() > 100:
                return out
            return out, (out * out).mean()

    net = to_static(Net())
    out, loss = net(paddle.ones([3, 2]))
    loss.backward()
    assert out.shape == [3, 1] and net.linear.weight.grad.shape == [2, 1]
    with pytest.raises(InvalidArgumentError, match="different number or type"):
        paddle.jit.save(net, "unused", input_spec=[paddle.ones([3, 2])])


def _helper(x):
    if x.sum() > 0:
        return x, x
    return x


def test_result_that_other_code_uses_must_have_one_form():
    @to_static
    def uses(x):
        y = _helper(x)
        return y[0] + 1

    with pytest.raises(InvalidArgumentError, match=r"(?s)In transformed code.*return|same kind"):
        uses(_full(1.0))
