"""Every operator in every data type: right, or refused by an error of ours; from the samples."""

from __future__ import annotations

import copy
import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.dtype import GROUPS, to_vartype
from paddle.core.errors import FrameworkError
from paddle.core.infer import Spec, infer
from paddle.core.op import REGISTRY
from tests.ops.dtypes import (
    EPSILON,
    HALF,
    OTHERS,
    by_operator,
    exact,
    gradients,
    tensors,
    values,
    wide,
)
from tests.ops.table import call, with_levels

SAMPLES = by_operator()

# Where a rounded input decides otherwise, or the reference is a constant: operator, notes.
JUMPS = {
    "adam": {""}, "merged_adam": {"", "global_powers", "master"},  # 0.999 in bfloat16 is 1
    "cast": {"same"},  # the sample names the data type
    "grid_sampler": {"nearest"}, "round": {"halves"}, "yolov3_loss": {"", "scores", "scaled"},
    "logcumsumexp": {"exclusive"},  # begins with the least number of the format
    "logit": {""},  # 1 - 1e-6 in float32
    "isfinite": {""}, "isinf": {""}, "isnan": {""},  # infinities do not fit integers
}  # fmt: skip
# Operators that convert an attribute with a fraction to the integers they are called with.
FILLED = {
    "fill_any", "fill_any_like", "fill_diagonal", "pad", "pad2d", "pad3d", "relu6", "scale",
    "set_value", "addmm", "diag_v2", "pad_constant_like", "clip", "target_assign",
}  # fmt: skip
TIED = {"kthvalue", "top_k", "top_k_v2", "max_pool3d_with_index"}  # equal values: any position
ROUNDED = {"bilinear_interp", "bilinear_interp_v2", "bicubic_interp", "bicubic_interp_v2"}
POWERS = {"elementwise_pow"}  # a negative power of an integer is 0
OTHERWISE = FILLED | TIED | ROUNDED | POWERS
WHOLE = ("bool", "uint8", "int32", "int64")
# What the backend calls things; none of it belongs into a message.
RAW = re.compile(r"c10|torch|aten|scalar type|Half|BFloat16|Byte|ComplexFloat|Long\b|_cpu|_cuda")


@pytest.fixture(autouse=True)
def _quiet():
    paddle.seed(2021)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _close(got: Any, expected: Any, tolerance: float, where: str) -> None:
    """Compares relative to the largest value: sums of many lose as much as their largest part."""
    if expected is None or got is None:
        return
    if isinstance(got, list):
        for i, (g, e) in enumerate(zip(got, expected, strict=True)):
            _close(g, e, tolerance, f"{where}[{i}]")
        return
    got, expected = wide(got), np.asarray(expected)
    if got.dtype.kind == "b":
        expected = expected != 0
    expected = expected.reshape(1) if expected.ndim == 0 else expected
    assert got.shape == expected.shape, f"{where}: shape {got.shape} != {expected.shape}"
    if got.dtype == np.uint8 and expected.dtype.kind == "f":
        expected = expected % 256
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(1.0, float(finite.max(initial=0)))
    np.testing.assert_allclose(
        got, expected,
        rtol=tolerance, atol=tolerance * scale, err_msg=where,
    )  # fmt: skip


def _compare(sample: Any, arrays: list, args: list, outs: list, tolerance: float) -> None:
    """Compares results, and inputs that are written to, with the reference in float64."""
    op = REGISTRY[sample.op]
    if sample.ref is not None:
        expected = sample.ref(*copy.deepcopy(arrays), **sample.attrs)
        expected = [expected] if len(outs) == 1 else list(expected)
        for i, (out, e) in enumerate(zip(outs, expected, strict=True)):
            _close(out, e, tolerance, f"{sample}: output {i}")
    if sample.written is not None:
        expected = sample.written(*copy.deepcopy(arrays), **sample.attrs)
        for slot, arg in zip(op.inputs, args, strict=True):
            if slot.name in expected and arg is not None:
                _close(arg, expected[slot.name], tolerance, f"{sample}: written {slot.name}")


def _refused(op: Any, dtype: str) -> bool:
    return op.dtypes is not None and dtype not in GROUPS[op.dtypes]


def _jumps(sample: Any) -> bool:
    return sample.note in JUMPS.get(sample.op, ())


def _is_ours(sample: Any, error: Exception) -> None:
    text = str(error).split("\n")[0]
    assert isinstance(error, (FrameworkError, TypeError)), f"{sample}: {error!r}"
    assert not RAW.search(text), f"{sample}: {text}"
    assert f"operator < {sample.op} > error" in str(error)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", SAMPLES)
def test_half_precision(name, dtype):
    """Values and gradients near those of float64, for the same rounded inputs."""
    op, tolerance = REGISTRY[name], 16 * EPSILON[dtype]
    for sample in SAMPLES[name]:
        arrays = values(sample, dtype)
        if _refused(op, dtype):
            with pytest.raises(TypeError, match="no kernel for these data types") as caught:
                call(sample, with_levels(sample, tensors(arrays, dtype)))
            _is_ours(sample, caught.value)
            continue
        args = with_levels(sample, tensors(arrays, dtype))
        outs = call(sample, args)
        if not _jumps(sample):
            _compare(sample, arrays, args, outs, tolerance)
        if op.grad_outputs:
            _check_gradients(sample, arrays, dtype, tolerance)


def _check_gradients(sample: Any, arrays: list, dtype: str, tolerance: float) -> None:
    chosen, found = gradients(sample, with_levels(sample, tensors(arrays, dtype)))
    _, expected = gradients(sample, with_levels(sample, tensors(arrays, "float64")))
    for tensor, g, e in zip(chosen, found, expected, strict=True):
        assert (g is None) == (e is None), f"{sample}: a gradient is missing"
        if g is not None:
            named = sample.op == "cast"  # its attribute says the data type
            assert named or g.dtype == tensor.dtype, (
                f"{sample}: gradient of {g.dtype} for {tensor.dtype}"
            )
            if not _jumps(sample):
                _close(g, wide(e), 2 * tolerance, f"{sample}: gradient")


@pytest.mark.parametrize("name", SAMPLES)
def test_other_data_types(name):
    """What works gives what the formula gives for these values; nothing is cut off silently."""
    for dtype, sample in itertools.product(OTHERS, SAMPLES[name][:3]):
        arrays = values(sample, dtype)
        args = with_levels(sample, tensors(arrays, dtype))
        try:
            outs = call(sample, args)
        except Exception as error:
            _is_ours(sample, error)
            continue
        assert not _refused(REGISTRY[name], dtype), f"{sample}: {dtype} is not refused"
        if _jumps(sample) or (dtype in WHOLE and name in OTHERWISE):
            continue
        try:
            _compare(sample, exact(sample, arrays), args, outs, 1e-4)
        except TypeError:
            assert dtype == "complex64", "only SciPy's functions of real numbers may refuse"
        except AssertionError as error:
            raise AssertionError(f"{sample} in {dtype}: {error}") from error


@pytest.mark.parametrize(
    "op", [op for op in REGISTRY.values() if op.dtypes], ids=lambda op: op.name
)
def test_shape_rules_refuse_the_same(op):
    """So that a Program refuses what an eager call refuses, when it is recorded."""
    wrong = next(n for n in ("bool", "complex64") if _refused(op, n))
    spec = Spec((2, 3, 3), to_vartype(wrong))
    with pytest.raises(TypeError, match=f"{op.name} expects {op.inputs[0].name} to be one of"):
        infer(op, [[spec] if slot.many else spec for slot in op.inputs], {})
