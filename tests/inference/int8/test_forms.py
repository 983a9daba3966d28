"""Each form of a product of bytes against a simulation in float64, within one step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from paddle.ops.nn.pool import pool2d
from paddle.ops.quantization import int8
from paddle.ops.quantization.int8_average import int8_avg_pool2d, prepared_average
from paddle.ops.quantization.int8_onednn import CLIPPED
from paddle.ops.quantization.int8_steps import dequantized, quantized
from paddle.ops.quantization.int8_transposed import (
    int8_conv2d_transpose,
    prepared_conv2d_transpose,
)
from tests.inference.test_int8 import needs_bytes

STEPS = {"signed": (128, 127), "unsigned": (0, 255), "trained": (0, 127), "aside": (24, 231)}
ACTIVATIONS = {
    "": lambda x: x,
    "relu": torch.relu,
    "relu6": lambda x: x.clamp(0, 6),
    "hard_swish": torch.nn.functional.hardswish,
    "swish": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "tanh": torch.tanh,
}
IN, OUT = torch.tensor([1.5]), torch.tensor([4.0])


def drawn(*shape: int, high: int = 255, low: int = 0) -> torch.Tensor:
    key = torch.Generator().manual_seed(sum(shape))
    kind = torch.int8 if low < 0 else torch.uint8
    return torch.randint(low, high + 1, shape, generator=key).to(kind)


def check(found, sums, step, bias, given, out, activation, residual=None, ties=0.02):
    """Holds what was found against sums in float64; a share of bytes may be one step off."""
    shape = [1, -1, 1, 1] if sums.dim() == 4 else [-1]
    value = sums * step.double().view(shape) * (IN.double() / STEPS[given][1])
    value = value + bias.double().view(shape)
    value = value if residual is None else value + residual.double()
    value = ACTIVATIONS[activation](value)
    if out is None:
        size = float(value.abs().max())
        np.testing.assert_allclose(found.numpy(), value.numpy(), atol=1e-5 * size)
        return
    expected = quantized(value, OUT.double(), *STEPS[out])
    if out == "signed":
        found = found.clamp(min=1)  # oneDNN goes down to step -128
    off = (found.int() - expected.int()).abs()
    assert off.max() <= 1 and (off > 0).double().mean() < ties


CONVS = {
    "pointwise": ((8, 6, 1, 1), {}),
    "3x3": ((8, 6, 3, 3), {"paddings": [1, 1]}),
    "wide": ((8, 6, 3, 5), {"paddings": [1, 2], "strides": [2, 1], "dilations": [1, 2]}),
    "groups": ((8, 3, 3, 3), {"paddings": [1, 1], "groups": 2}),
    "depthwise": ((6, 1, 3, 3), {"paddings": [1, 1], "groups": 6}),
}


def convolution(kind, given, out, activation, residual=None, residual_steps=None):
    shape, window = CONVS[kind]
    x, w = drawn(2, 6, 9, 9), drawn(*shape, low=-127, high=127)
    x = x.clamp(max=sum(STEPS[given])).contiguous(memory_format=torch.channels_last)
    step, bias = torch.rand(shape[0]) * 0.01 - 0.003, torch.rand(shape[0]) - 0.5
    zero, top = STEPS[given]
    form = {"zero": zero, "top": top, "activation": activation, **window}
    if out is not None:
        form |= {"out_zero": STEPS[out][0], "out_top": STEPS[out][1]}
    plain = {k: window[k] for k in ("groups",) if k in window}
    sums = torch.nn.functional.conv2d(
        x.double() - zero, w.double(), None, window.get("strides", 1), window.get("paddings", 0),
        window.get("dilations", 1), **plain,
    )  # fmt: skip
    scales = [IN, None if out is None else OUT]
    added = None
    if residual is not None:
        added = residual(sums.shape)
        if residual_steps is not None:
            form |= dict(zip(("residual_zero", "residual_top"), STEPS[residual_steps], strict=True))
    scale = None if residual_steps is None else OUT
    bound = int8.prepared_conv2d(w, step, bias, *scales, scale, shape=list(x.shape), **form)
    by_kernel = int8.int8_conv2d.kernel(x, w, step, bias, *scales, added, scale, **form)
    known = added
    if residual_steps is not None:
        known = dequantized(added, OUT.double(), *STEPS[residual_steps])
    args = () if added is None else (added,)
    kept = None if added is None else added.clone()
    for found in (bound(x, *args), by_kernel):
        check(found, sums, step, bias, given, out, activation, known)
    assert added is None or torch.equal(added, kept)


@needs_bytes
@pytest.mark.parametrize("kind, given", list(itertools.product(CONVS, STEPS)))
def test_convolutions_of_all_steps(kind, given):
    for out in (None, *STEPS):
        convolution(kind, given, out, "")


@needs_bytes
@pytest.mark.parametrize("activation", sorted(int8.OF_PICTURES))
@pytest.mark.parametrize("out", [None, *STEPS])
def test_activations_behind_convolutions(activation, out):
    if out == "trained" and activation not in CLIPPED:
        with pytest.raises(ValueError, match="out_top of 255"):
            convolution("3x3", "aside", out, activation)
        return
    convolution("3x3", "aside", out, activation)


@needs_bytes
@pytest.mark.parametrize("activation", ["", "relu"])
@pytest.mark.parametrize("kind, given", [("3x3", "signed"), ("pointwise", "unsigned")])
def test_sums_behind_convolutions(kind, given, activation):
    def picture(shape):
        return torch.randn(shape, generator=torch.Generator().manual_seed(1))

    convolution(kind, given, None, activation, picture)
    for out, added in itertools.product(("signed", "unsigned", "aside"), STEPS):
        if out == "unsigned" or activation == "":
            convolution(kind, given, out, activation, lambda s: drawn(*s, high=127), added)


@needs_bytes
@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
@pytest.mark.parametrize("given", STEPS)
def test_products_of_rows(given, activation):
    x, w = drawn(2, 5, 16).clamp(max=sum(STEPS[given])), drawn(16, 7, low=-127, high=127)
    step, bias = torch.rand(7) * 0.01, torch.rand(7) - 0.5
    zero, top = STEPS[given]
    sums = (x.double() - zero) @ w.double()
    form = {"zero": zero, "top": top, "activation": activation, "columns": 2}
    for out in (None, *STEPS):
        if out == "trained" and activation not in CLIPPED:
            continue
        if out is not None:
            form |= {"out_zero": STEPS[out][0], "out_top": STEPS[out][1]}
        scales = IN, None if out is None else OUT
        bound = int8.prepared_linear(w, step, bias, *scales, **form)
        check(bound(x), sums, step, bias, given, out, activation)


TURNED = {
    "side by side": ((2, 2), {"strides": (2, 2)}),
    "over each other": ((4, 4), {"strides": (2, 2), "paddings": (1, 1)}),
    "one more": ((3, 3), {"strides": (2, 2), "paddings": (1, 1), "output_padding": (1, 1)}),
    "unlike": ((5, 3), {"strides": (3, 1), "paddings": (2, 0)}),
    "gaps": ((1, 2), {"strides": (2, 3)}),
    "plain": ((3, 3), {}),
    "values left out": ((1, 1), {"paddings": (1, 1)}),
}


@needs_bytes
@pytest.mark.parametrize("kind, given", list(itertools.product(TURNED, STEPS)))
def test_transposed_convolutions(kind, given):
    size, window = TURNED[kind]
    w = drawn(6, 8, *size, low=-127, high=127)
    step, bias = torch.rand(8) * 0.01 - 0.003, torch.rand(8) - 0.5
    zero, top = STEPS[given]
    names = {"strides": "stride", "paddings": "padding", "output_padding": "output_padding"}
    plain = {names[key]: value for key, value in window.items()}
    for rows, activation in ((9, ""), (5, "hard_swish")):
        x = drawn(2, 6, rows, 7).clamp(max=sum(STEPS[given]))
        x = x.contiguous(memory_format=torch.channels_last)
        sums = torch.nn.functional.conv_transpose2d(x.double() - zero, w.double(), **plain)
        for out in (None, *STEPS):
            if out == "trained" and activation not in CLIPPED:
                continue
            form = {"zero": zero, "top": top, "activation": activation, **window}
            if out is not None:
                form |= {"out_zero": STEPS[out][0], "out_top": STEPS[out][1]}
            scales = IN, None if out is None else OUT
            bound = prepared_conv2d_transpose(w, step, bias, *scales, **form)
            by_kernel = int8_conv2d_transpose.kernel(x, w, step, bias, *scales, **form)
            for found in (bound(x), by_kernel):
                check(found, sums, step, bias, given, out, activation)


POOLS = {
    "windows": {"ksize": [2, 3], "strides": [2, 1]},
    "padded": {"ksize": [3, 3], "paddings": [1, 1]},
    "same": {"ksize": [2, 2], "strides": [2, 2], "padding_algorithm": "SAME"},
    "of all": {"ksize": [1, 1], "adaptive": True},
    "parts": {"ksize": [3, 3], "adaptive": True},
    "uneven": {"ksize": [2, 2], "adaptive": True},
}


@pytest.mark.parametrize("pool, given", list(itertools.product(POOLS, STEPS)))
def test_averages(pool, given):
    form = dict(zip(("zero", "top"), STEPS[given], strict=True)) | POOLS[pool]
    x = drawn(2, 6, 9, 9).clamp(max=sum(STEPS[given])).contiguous(memory_format=torch.channels_last)
    plain = POOLS[pool] | {"pooling_type": "avg", "exclusive": False}
    sums = pool2d.kernel(x.double() - STEPS[given][0], **plain)
    one, nothing = torch.ones(6), torch.zeros(6)
    for out in (None, *STEPS):
        if out is not None:
            form |= {"out_zero": STEPS[out][0], "out_top": STEPS[out][1]}
        scales = IN, None if out is None else OUT
        average = prepared_average(*scales, **form)
        for found in (average(x), average(x), int8_avg_pool2d.kernel(x, *scales, **form)):
            check(found, sums, one, nothing, given, out, "", ties=0.2)


@needs_bytes
@pytest.mark.parametrize("activation", ["", "relu"])
def test_sums_behind_products_of_rows(activation):
    x, w, added = drawn(3, 16), drawn(16, 7, low=-127, high=127), torch.randn(3, 7)
    step, bias = torch.rand(7) * 0.01, torch.rand(7)
    sums = (x.double() - 128) @ w.double()
    bound = int8.prepared_linear(
        w, step, bias, IN, None, columns=1, activation=activation, residual=True
    )
    kept = added.clone()
    check(bound(x, added), sums, step, bias, "signed", None, activation, added)
    assert torch.equal(added, kept)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_values_and_back(steps, dtype):
    """To the nearest step, half to even; what is beyond ends at the last step."""
    zero, top = STEPS[steps]
    numbers = torch.cat([torch.arange(-300, 300) / 2, torch.tensor([1e6, -1e6, torch.inf])])
    scale = torch.tensor([float(top)])
    x = numbers.clamp(-6e4, 6e4).to(dtype)
    expected = numbers.double().round().clamp(-top if zero == 128 else -zero, top)
    found = quantized(x, scale, zero, top)
    assert torch.equal(found.double() - zero, expected)
    assert torch.equal(dequantized(found, scale, zero, top).double(), expected)


def test_values_of_pictures_have_their_channels_last():
    found = quantized(torch.rand(2, 3, 4, 5), IN, 0, 255)
    assert found.is_contiguous(memory_format=torch.channels_last)
