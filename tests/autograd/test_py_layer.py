"""PyLayer: operations whose forward and backward are written in Python."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.autograd import PyLayer


def leaf(data):
    return paddle.to_tensor(data, dtype="float64", stop_gradient=False)


class Cube(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * 3 * x * x


class Tanh(PyLayer):
    @staticmethod
    def forward(ctx, x, scale=1.0):
        y = paddle.tanh(x * scale)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensor()
        return dy * (1 - y * y) * ctx.scale


class SumAndProduct(PyLayer):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x + y, x * y

    @staticmethod
    def backward(ctx, d_sum, d_product):
        x, y = ctx.saved_tensor()
        return d_sum + d_product * y, d_sum + d_product * x


# -- values --------------------------------------------------------------------------------------


def test_one_input_one_output():
    x = leaf([1.0, 2.0])
    y = Cube.apply(x)
    assert y.tolist() == [1, 8] and not y.stop_gradient and not y.is_leaf
    (y * 2).sum().backward()
    assert x.grad.tolist() == [6, 24]


def test_plain_arguments_and_keywords():
    for call in (lambda x: Tanh.apply(x, 2.0), lambda x: Tanh.apply(x, scale=2.0),
                 lambda x: Tanh.apply(x=x, scale=2.0)):  # fmt: skip
        x = leaf([0.5])
        call(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), 2 * (1 - np.tanh(1.0) ** 2))


def test_several_inputs_and_outputs():
    x, y = leaf([2.0]), leaf([3.0])
    s, p = SumAndProduct.apply(x, y)
    assert (s.item(), p.item()) == (5, 6)
    (s * 10 + p).backward()
    assert x.grad.tolist() == [13] and y.grad.tolist() == [12]


def test_unused_output_has_a_gradient_of_zeros():
    x, y = leaf([2.0]), leaf([3.0])
    s, _ = SumAndProduct.apply(x, y)
    s.backward()
    assert x.grad.tolist() == [1] and y.grad.tolist() == [1]


def test_inputs_that_want_nothing():
    x, y = leaf([2.0]), paddle.to_tensor([3.0], dtype="float64")
    _, p = SumAndProduct.apply(x, y)
    p.backward()
    assert x.grad.tolist() == [3] and y.grad is None


def test_none_gradients():
    class Pick(PyLayer):
        @staticmethod
        def forward(ctx, x, index):
            return x * 2 + index.astype("float64")

        @staticmethod
        def backward(ctx, dy):
            return dy * 2, None

    x, y = leaf([1.0]), leaf([5.0])
    Pick.apply(x, y).backward()
    assert x.grad.tolist() == [2] and y.grad is None


def test_the_same_input_twice():
    x = leaf([3.0])
    _, p = SumAndProduct.apply(x, x)
    p.backward()
    assert x.grad.tolist() == [6]


def test_non_leaf_inputs_and_chains():
    x = leaf([1.0])
    Cube.apply(Cube.apply(x * 2) * 1.0).backward()
    assert x.grad.tolist() == [9 * 2.0**9]


def test_forward_that_returns_its_input():
    class Same(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, dy):
            return dy * 7

    x = leaf([1.0])
    y = Same.apply(x)
    assert y is not x and x.is_leaf
    y.backward()
    assert x.grad.tolist() == [7]


def test_lists_and_other_results():
    class Mixed(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return [x * 2, "text", None, x * 3]

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x = leaf([1.0])
    a, text, none, b = Mixed.apply(x)
    assert text == "text" and none is None
    (a + b).backward()
    assert x.grad.tolist() == [5]


def test_forward_runs_without_recording_and_backward_too():
    seen = []

    class Watch(PyLayer):
        @staticmethod
        def forward(ctx, x):
            seen.append((x * 1).stop_gradient)
            return x * 1

        @staticmethod
        def backward(ctx, dy):
            seen.append((dy * 1).stop_gradient)
            return dy

    Watch.apply(leaf([1.0])).backward()
    assert seen == [True, True]


def test_without_gradients_nothing_is_recorded():
    x = leaf([1.0])
    with paddle.no_grad():
        y = Cube.apply(x)
    assert y.stop_gradient and y.is_leaf
    assert Cube.apply(paddle.ones([1])).stop_gradient


def test_hooks_and_intermediate_gradients():
    x = leaf([2.0])
    y = Cube.apply(x)
    y.register_hook(lambda g: g * 10)
    (y * 1).backward()
    assert x.grad.tolist() == [120] and y.grad.tolist() == [10]


def test_saved_leaf_is_the_leaf_and_saved_values_are_as_they_were():
    seen = []

    class Look(PyLayer):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y, None)
            return x * y

        @staticmethod
        def backward(ctx, d):
            x, y, none = ctx.saved_tensor()
            seen.append((x, y.tolist(), none))
            return d * y, d * x

    x = leaf([2.0])
    h = x * 3
    out = Look.apply(x, h)
    h[0] = 100.0  # h goes on as something else
    out.backward()
    assert seen[0][0] is x and seen[0][1:] == ([6], None)
    assert x.grad.tolist() == [6 + 3 * 2]


# -- higher orders -------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", [Cube, Tanh])
def test_derivatives_through_backward(layer):
    v = np.array([0.3, 0.7])
    x = leaf(v)
    y = layer.apply(x)
    (d1,) = paddle.grad(y.sum(), x, create_graph=True)
    (d2,) = paddle.grad(d1.sum(), x, create_graph=True)
    (d3,) = paddle.grad(d2.sum(), x)
    if layer is Cube:
        expected = [3 * v**2, 6 * v, 6 + 0 * v]
    else:
        t = np.tanh(v)
        s = 1 - t * t
        expected = [s, -2 * t * s, -2 * s * s + 4 * t * t * s]
    for got, want in zip((d1, d2, d3), expected, strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-9)


def test_second_derivative_with_several_outputs():
    x, y = leaf([2.0]), leaf([3.0])
    s, p = SumAndProduct.apply(x, y)
    (dx,) = paddle.grad(s * p, x, create_graph=True)  # (x + y) x y
    dxx, dxy = paddle.grad(dx, [x, y])
    assert (dx.item(), dxx.item(), dxy.item()) == (2 * 2 * 3 + 9, 6, 2 * 2 + 2 * 3)


# -- running twice, overwritten values -----------------------------------------------------------


def test_second_backward():
    x = leaf([2.0])
    y = Cube.apply(x)
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [24]
    with pytest.raises(RuntimeError, match="operator Cube runs a second time"):
        y.backward()


def test_overwritten_saved_value():
    x = leaf([2.0])
    y = Cube.apply(x)
    with paddle.no_grad():
        x[0] = 5.0
    with pytest.raises(RuntimeError, match="operator Cube needs was overwritten"):
        y.backward()


# -- bad input -----------------------------------------------------------------------------------


def returning(value):
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, dy):
            return value(dy)

    return Wrong.apply(leaf([1.0, 2.0]), leaf([3.0, 4.0])).sum()


@pytest.mark.parametrize(
    ("value", "kind", "match"),
    [
        (lambda d: d, ValueError, "Wrong.backward: expected 2 gradients.*returned 1"),
        (lambda d: (d, d, d), ValueError, "expected 2 gradients.*returned 3"),
        (lambda d: (d, d.sum()), ValueError, r"expected a gradient of shape \[2\].*shape \[1\]"),
        (lambda d: (d, 3.0), TypeError, "Wrong.backward: expected Tensors or None, got float"),
    ],
)
def test_wrong_gradients(value, kind, match):
    with pytest.raises(kind, match=match):
        returning(value).backward()


@pytest.mark.parametrize("value", [None, 3, "x", ([1],)])
def test_forward_without_a_tensor(value):
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return value

    with pytest.raises(
        TypeError, match=r"Wrong.forward: expected a Tensor or a tuple holding Tensors"
    ):
        Wrong.apply(leaf([1.0]))


def test_saving_what_is_no_tensor():
    class Wrong(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, 3)
            return x

    with pytest.raises(TypeError, match="save_for_backward: expected Tensors or None, got int"):
        Wrong.apply(leaf([1.0]))


def test_missing_methods():
    class Empty(PyLayer):
        pass

    class Half(PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match=r"defines forward\(ctx"):
        Empty.apply(leaf([1.0]))
    with pytest.raises(NotImplementedError, match=r"defines backward\(ctx"):
        Half.apply(leaf([1.0])).backward()


def test_errors_in_backward_come_through():
    def fail(dy):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        returning(fail).backward()
