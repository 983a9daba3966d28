"""The fast forms of pools and convolutions give what ATen's plain forms give."""

from __future__ import annotations

import pytest
import torch

from paddle.ops import fast_conv, fast_pool

_aten = torch.ops.aten
_SHAPES = [(1, 1, 2, 2), (2, 3, 4, 6), (8, 6, 28, 28), (3, 5, 10, 2), (1, 17, 8, 16)]


def _plain(x, kernel=(2, 2), strides=(2, 2), padding=(0, 0)):
    out, index = torch._C._nn.max_pool2d_with_indices(x, kernel, strides, padding)
    dy = torch.rand(out.shape, dtype=x.dtype, generator=torch.Generator().manual_seed(5)) - 0.5
    dx = _aten.max_pool2d_with_indices_backward(
        dy, x, kernel, strides, padding, [1, 1], False, index
    )
    return out, dy, dx


def _inputs(shape, dtype):
    """Different values, many equal ones, zeros of both signs, and infinities."""
    state = torch.Generator().manual_seed(3)
    x = torch.randn(shape, generator=state, dtype=dtype)
    yield "distinct", x
    yield "after_relu", torch.relu(x)
    yield "ties", torch.randint(0, 3, shape, generator=state).to(dtype)
    yield "constant", torch.ones(shape, dtype=dtype)
    yield "negative_zero", torch.where(x > 0, 0.0, -0.0).to(dtype)
    yield "infinite", torch.where(x > 1, torch.inf, torch.where(x < 0, -torch.inf, x)).to(dtype)
    yield "tiny", x * torch.finfo(dtype).tiny
    yield "huge", x.sign() * torch.finfo(dtype).max


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", _SHAPES)
def test_halving_equals_aten(shape, dtype):
    for note, x in _inputs(shape, dtype):
        out, dy, dx = _plain(x)
        assert torch.equal(fast_pool.halve(x), out), note
        assert torch.equal(fast_pool.halve_backward(dy, x, out), dx), note


def test_halving_gives_each_window_s_gradient_to_one_element():
    x = torch.zeros(4, 4, 16, 64)
    dx = fast_pool.halve_backward(torch.ones(4, 4, 8, 32), x, fast_pool.halve(x))
    assert torch.equal(dx[..., 0::2, 0::2], torch.ones(4, 4, 8, 32))
    assert dx.sum() == 4 * 4 * 8 * 32


def test_halving_carries_nan_to_the_output():
    x = torch.zeros(1, 1, 4, 4)
    x[0, 0, 1, 2] = torch.nan
    out = fast_pool.halve(x)
    assert out.isnan().tolist() == [[[[False, True], [False, False]]]]


@pytest.mark.parametrize(
    ("shape", "kernel", "strides", "padding"),
    [
        ((2, 16, 16, 17), [3, 3], [2, 2], [1, 1]),
        ((2, 24, 20, 20), [2, 3], [1, 2], [0, 1]),
        ((1, 64, 14, 14), [2, 2], [2, 2], [0, 0]),
    ],
)
def test_channels_last_pool_equals_aten(shape, kernel, strides, padding):
    for note, x in _inputs(shape, torch.float32):
        assert fast_pool.prefers_channels_last(x)
        out, dy, dx = _plain(x, kernel, strides, padding)
        got = fast_pool.max_pool(x, kernel, strides, padding)[0]
        assert torch.equal(got, out), note
        assert got.is_contiguous()
        assert torch.equal(fast_pool.max_pool_backward(dy, x, kernel, strides, padding), dx), note


def test_halving_applies_only_where_it_may():
    def applies(x, kernel=(2, 2), strides=(2, 2), padding=(0, 0)):
        return fast_pool.is_halving(x, kernel, strides, padding, padding)

    x = torch.zeros(4, 4, 32, 32)
    assert applies(x)
    assert not applies(x, (3, 3))
    assert not applies(x, strides=(2, 1))
    assert not applies(x, padding=(1, 0))
    assert not applies(torch.zeros(4, 4, 32, 33))
    assert not applies(torch.zeros(1, 1, 4, 4))
    assert not applies(x.to(torch.float16))
    assert not applies(x.to(torch.int32))
    assert not applies(x.movedim(1, -1))
    assert not applies(x.clone().requires_grad_())


_CONVS = [
    ((3, 4, 9, 9), (7, 4, 5, 5), [0, 0]),
    ((2, 6, 14, 14), (16, 6, 5, 5), [2, 1]),
    ((2, 20, 8, 7), (10, 20, 5, 6), [1, 1]),
    ((4, 3, 8, 8), (6, 3, 5, 5), [1, 2]),
    ((4, 1, 8, 8), (6, 1, 3, 3), [1, 1]),
    ((2, 2, 6, 6), (3, 2, 1, 1), [0, 0]),
]


@pytest.mark.parametrize(("x_shape", "w_shape", "padding"), _CONVS)
def test_convolution_gradients_equal_aten(x_shape, w_shape, padding):
    state = torch.Generator().manual_seed(11)
    x = torch.randn(x_shape, generator=state)
    w = torch.randn(w_shape, generator=state)
    dy = torch.randn(torch.conv2d(x, w, None, 1, padding).shape, generator=state)
    assert fast_conv.plain(x, [1, 1], [1, 1], 1)
    dx, dw, _ = _aten.convolution_backward(
        dy, x, w, None, [1, 1], padding, [1, 1], False, [0, 0], 1, [True, True, False]
    )
    torch.testing.assert_close(
        fast_conv.weight_gradient(dy, x, w, padding), dw, rtol=1e-4, atol=1e-4
    )
    torch.testing.assert_close(fast_conv.input_gradient(dy, w, padding), dx, rtol=1e-4, atol=1e-4)


def test_fast_convolutions_apply_only_where_they_may():
    x = torch.zeros(1, 3, 8, 8)
    assert not fast_conv.plain(x, [2, 1], [1, 1], 1)
    assert not fast_conv.plain(x, [1, 1], [1, 2], 1)
    assert not fast_conv.plain(x, [1, 1], [1, 1], 3)
    assert not fast_conv.plain(x.to(torch.float64), [1, 1], [1, 1], 1)
    assert not fast_conv.weight_by_channels_last(x, torch.zeros(16, 16, 5, 5))
    assert not fast_conv.weight_by_channels_last(x, torch.zeros(8, 4, 3, 3))
    assert fast_conv.weight_by_channels_last(x, torch.zeros(8, 4, 5, 5))
    assert fast_conv.input_by_forward(torch.zeros(8, 3, 3, 3), [2, 2])
    assert not fast_conv.input_by_forward(torch.zeros(8, 3, 3, 3), [3, 0])
    assert not fast_conv.input_by_forward(torch.zeros(8, 6, 3, 3), [0, 0])
