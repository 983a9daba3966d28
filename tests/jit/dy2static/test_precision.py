"""Loops and branches under auto_cast: a variable may be of 16 bits here and of 32 bits there."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.jit import to_static

pytestmark = pytest.mark.filterwarnings("ignore:mixed precision on a CPU")


def _x(*shape):
    return paddle.to_tensor(np.full(shape, 0.5, "float32"), stop_gradient=False)


def narrower(x, count):
    h = paddle.zeros([2, 2])
    for _ in range(count):
        h = paddle.matmul(x, h) + paddle.matmul(x, x)
    return h


def wider(x, count):
    h = paddle.matmul(x, x)
    while h.sum() < count:
        h = h + x
    return h


def branches(x, count):
    if x.sum() < count:
        y = paddle.matmul(x, x)
    else:
        y = x * 2
    return y if count > 100 else y + 1


@pytest.mark.parametrize("function", [narrower, wider, branches])
@pytest.mark.parametrize("count", [1, 5])
def test_32_bits_hold_both(function, count):
    def run(call):
        x = _x(2, 2)
        with paddle.amp.auto_cast():
            y = call(x, paddle.to_tensor([count]))
        y.sum().backward()
        return y.astype("float32").numpy(), x.grad.numpy()

    expected, found = run(function), run(to_static(function))
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-2)


def test_without_auto_cast_it_is_an_error():
    @to_static
    def function(x):
        h = x.astype("float64")
        while h.sum() < 10:
            h = (h + 1).astype("float32")
        return h

    with pytest.raises(ValueError, match=r"'h' is a float64 Tensor.*the element types differ"):
        function(_x(2))
