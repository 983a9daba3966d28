"""Products of rows of bytes by integer matrices, as on a GPU, on a CPU that counts as one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from paddle.core import backends
from paddle.ops.quantization import int8, int8_matrices, int8_onednn
from paddle.passes.inference.table import GRAPH, INT8, TABLE
from tests.inference.int8.test_forms import ACTIVATIONS, IN, OUT, STEPS, check, drawn
from tests.inference.int8_nets import append, conv, net, rounded, run, types, weight


@pytest.fixture
def pretended(monkeypatch):
    """The CPU's record says that oneDNN is not there, and integer matrices are."""
    for fact, value in (("tuned_forms", False), ("integer_products", True)):
        monkeypatch.setattr(backends.CPU, fact, value, raising=False)
    backends.register(backends.CPU)
    int8_matrices.works.cache_clear()
    yield
    monkeypatch.undo()
    backends.register(backends.CPU)
    int8_matrices.works.cache_clear()


@pytest.fixture
def as_gpu(pretended):
    """Integer matrices are multiplied exactly; on CPUs without VNNI their sums saturate."""
    if not int8_matrices.works(torch.device("cpu")):
        pytest.skip("this CPU cannot multiply bytes exactly")


def product(rows, widths, given, out, activation, residual=None):
    high, wide = widths
    x, w = drawn(*rows, high).clamp(max=sum(STEPS[given])), drawn(high, wide, low=-127, high=127)
    step, bias = torch.rand(wide) * 0.01, torch.rand(wide) - 0.5
    zero, top = STEPS[given]
    sums = (x.double() - zero) @ w.double()
    form = {"zero": zero, "top": top, "activation": activation, "columns": len(rows)}
    if out is not None:
        form |= {"out_zero": STEPS[out][0], "out_top": STEPS[out][1]}
    scales = IN, None if out is None else OUT
    args = () if residual is None else (residual,)
    bound = int8.prepared_linear(w, step, bias, *scales, **form, residual=bool(args))
    assert bound.__module__ == "paddle.ops.quantization.int8_matrices"
    by_kernel = int8.int8_linear.kernel(x, w, step, bias, *scales, residual, **form)
    for found in (bound(x, *args), by_kernel):
        assert found.shape == sums.shape
        flat = found.reshape(-1, wide), sums.reshape(-1, wide)
        check(*flat, step, bias, given, out, activation, residual)


@pytest.mark.parametrize("given, out", list(itertools.product(STEPS, (None, *STEPS))))
def test_steps(as_gpu, given, out):
    product((2, 5), (16, 8), given, out, "")


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_activations(as_gpu, activation):
    product((3,), (16, 8), "aside", None, activation)
    product((3,), (16, 8), "aside", "signed", activation)


@pytest.mark.parametrize("activation", ["", "relu"])
def test_sums(as_gpu, activation):
    product((3,), (16, 8), "signed", None, activation, torch.randn(3, 8))


@pytest.mark.parametrize("rows", [(1,), (16,), (17,), (40,), (0,), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("widths", [(8, 8), (7, 5), (33, 17), (1, 1)], ids=str)
def test_sizes_that_libraries_refuse(as_gpu, monkeypatch, rows, widths):
    """Never 16 rows or fewer, and never widths that are no multiples of 8."""
    asked, multiply = [], torch._int_mm

    def watched(a, b):
        asked.append((*a.shape, *b.shape))
        return multiply(a, b)

    monkeypatch.setattr(int8_matrices, "_int_mm", watched)
    if 0 not in rows:
        product(rows, widths, "signed", None, "")
    else:
        x, w = drawn(*rows, widths[0]), drawn(*widths, low=-127, high=127)
        out = int8.prepared_linear(w, torch.ones(widths[1]), None, IN, None, columns=1)(x)
        assert tuple(out.shape) == (*rows, widths[1])
    assert asked
    for height, inner, other, width in asked:
        assert height > 16 and inner == other and not inner % 8 and not width % 8


def test_large_sums_are_exact(as_gpu):
    x, w = torch.full((1, 4096), 255, dtype=torch.uint8), torch.full((4096, 8), -127).char()
    out = int8.prepared_linear(w, torch.ones(8), None, torch.ones(1), None, zero=0, top=1)(x)
    assert (out == -255.0 * 127 * 4096).all()


def test_programs_have_products_of_rows_alone_in_bytes(as_gpu):
    w = np.random.RandomState(0).randn(6, 4, 3, 3).astype("float32")
    m = np.random.RandomState(1).randn(8, 5).astype("float32")

    def build(x):
        hidden = conv(rounded(x, 2.5), "w", w)
        return append("matmul_v2", {"X": rounded(hidden, 3.0), "Y": weight("m", m, 1)}, ["Out"], {})

    saved = net(build, [-1, 4, 8, 8])
    made = saved.integers()
    assert [t for t in types(made) if t.startswith(("int8", "conv", "mat"))] == [
        "int8_round", "conv2d", "int8_quantize", "int8_linear",
    ]  # fmt: skip
    x = np.random.RandomState(2).randn(2, 4, 8, 8).astype("float32")
    [found], [expected] = run(made, x), run(saved.prepared(), x)
    np.testing.assert_allclose(found, expected, atol=0.02 * np.abs(expected).max())


def test_where_bytes_are_multiplied(as_gpu):
    assert int8.multiplies("cpu") and not int8.convolves("cpu")
    named = {e.name for e in TABLE if e.switch in (GRAPH, INT8) and e.fits("cpu")}
    assert {"quant_dequant_mkldnn_pass", "cpu_quantize_pass"} <= named


def test_a_device_without_either(pretended, monkeypatch):
    monkeypatch.setattr(backends.CPU, "integer_products", False)
    backends.register(backends.CPU)
    assert "no products of bytes on this CPU" in int8.why_in_floats(torch.device("cpu"))


def test_a_device_that_refuses(pretended, monkeypatch):
    def refuse(a, b):
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(int8_matrices, "_int_mm", refuse)
    assert not int8.multiplies("cpu")
    x, w = drawn(3, 8), drawn(8, 8, low=-127, high=127)
    out = int8.prepared_linear(w, torch.ones(8), None, IN, None, columns=1)(x)  # sums of floats
    expected = (x.double() - 128) @ w.double() * (1.5 / 127)
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-5)


@pytest.mark.skipif(not int8_onednn.usable(), reason="nothing to compare with")
def test_both_ways_agree(as_gpu):
    x, w = drawn(20, 64), drawn(64, 32, low=-127, high=127)
    weights = w, torch.rand(32), torch.rand(32), IN, None
    found = int8_matrices.bind_linear(*weights)(x)
    np.testing.assert_allclose(found, int8_onednn.bind_linear(*weights)(x), rtol=1e-5, atol=1e-4)
