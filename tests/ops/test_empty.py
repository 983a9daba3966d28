"""Every operator with dimensions of size 0: the samples, with one axis of their inputs cut off.

The axis is cut off in the first input and in every other one that has the same size there. The
operator gives what the reference gives, or says in words of ours why it cannot.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.errors import FrameworkError
from paddle.core.infer import Spec, infer
from paddle.core.op import REGISTRY
from tests.op_samples.sample import Sample
from tests.ops.dtypes import gradients
from tests.ops.table import SAMPLES, call, with_levels

# Words of the backend that say nothing to a user.
RAW = re.compile(r"torch|aten|narrow\(\)|TensorList|slice\(\)|unspecified dimension|cpu_template")
# References that say something else of nothing: they hold a constant, look at one input only, or
# divide by the number of elements.
CONSTANT = {
    "isfinite", "isinf", "isnan", "equal_all", "is_empty", "mean_iou", "layer_norm", "group_norm",
    "instance_norm", "cos_sim", "linear_chain_crf", "edit_distance", "pixel_unshuffle", "round",
    "bce_loss", "nce", "scaled_dot_product_attention",
}  # fmt: skip
# Where the first axis must not be empty, although the reference knows an answer.
REFUSED = {
    "unique_consecutive": "no rows to tell apart", "unique": "the same",
    "matrix_power": "the axis is one of a square matrix", "cholesky_solve": "the same",
    "einsum": "the same", "expand": "the axis belongs to the sizes that are given",
    "expand_as": "the same", "crop": "what is cut out lies outside", "crop_tensor": "the same",
    "slice": "the same", "set_value": "the same", "pad": "more is taken off than there is",
    "batch_norm": "no values to take the mean of", "sync_batch_norm": "the same",
    "warpctc": "no steps, or nothing to score", "rnn": "lengths beyond the steps",
    "spectral_norm": "the axis belongs to the vectors", "conv2d": "there are no filters",
    "split_selected_rows": "the heights are of all rows", "split_byref": "the same",
    "row_conv": "the filter has no rows", "lod_reset": "the levels are of all rows",
}  # fmt: skip


def _by_operator() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in SAMPLES:
        lists = [v if isinstance(v, list) else [v] for v in sample.inputs.values()]
        nothing = any(np.size(v) == 0 for values in lists for v in values)
        if sample.ref is not None and _first_shape(sample) and not nothing:
            found.setdefault(sample.op, []).append(sample)
    return found


def _first_shape(sample: Sample) -> tuple:
    """The shape of the first input that is there and an array."""
    for slot in REGISTRY[sample.op].inputs:
        value = sample.inputs.get(slot.name)
        value = value[0] if isinstance(value, list) and value else value
        if value is not None and not isinstance(value, list):
            return np.shape(value)
    return ()


def _cut(value: Any, size: int, axis: int) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_cut(v, size, axis) for v in value]
    value = np.asarray(value)
    fits = value.ndim > axis and value.shape[axis] == size
    return np.take(value, [], axis=axis) if fits else value


def _tensors(arrays: list) -> list:
    return [
        None if a is None
        else [paddle.to_tensor(v) for v in a] if isinstance(a, list)
        else paddle.to_tensor(a)
        for a in arrays
    ]  # fmt: skip


BY_OPERATOR = _by_operator()


@pytest.fixture(autouse=True)
def _quiet():
    paddle.seed(2021)
    with np.errstate(all="ignore"):
        yield


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_OPERATOR)
def test_without_elements(name):
    for sample in BY_OPERATOR[name]:
        for axis, size in enumerate(_first_shape(sample)[:4]):
            if axis == 1 and name.startswith(("conv", "packed_conv")):
                continue  # without channels there is nothing to convolve
            if axis == 0 and sample.levels:
                continue  # the levels are of all rows; samples have empty sequences among them
            slots = REGISTRY[name].inputs
            arrays = [_cut(sample.inputs.get(s.name), size, axis) for s in slots]
            _check(sample, arrays, f"{sample} without axis {axis}")


def _check(sample: Sample, arrays: list, where: str) -> None:
    try:
        fixed = getattr(sample.ref, "fixed", False)  # what 1.8.5 gave for other values
        expected = None if fixed else sample.ref(*copy.deepcopy(arrays), **sample.attrs)
    except Exception:
        expected = None  # NumPy has no answer
    args = with_levels(sample, _tensors(arrays))
    try:
        outs = call(sample, args)
    except Exception as error:
        assert isinstance(error, (FrameworkError, TypeError)), f"{where}: {error!r}"
        text = str(error).split("\n")[0]
        assert not RAW.search(text), f"{where}: {text}"
        batch = where.endswith(" 0") and expected is not None
        assert not batch or sample.op in REFUSED, f"{where}: {text}"
        return
    if expected is not None and sample.op not in CONSTANT:
        expected = [expected] if len(outs) == 1 else list(expected)
        for i, (out, e) in enumerate(zip(outs, expected, strict=True)):
            _same(out, e, f"{where}: output {i}")
    if sample.static_shape:
        _rule_agrees(sample, args, outs, where)
    if REGISTRY[sample.op].grad_outputs:
        for tensor, gradient in zip(
            *gradients(sample, with_levels(sample, _tensors(arrays))), strict=True
        ):
            assert gradient is None or gradient.shape == tensor.shape, f"{where}: gradient"


def _same(out: Any, expected: Any, where: str) -> None:
    if expected is None or out is None:
        return
    if isinstance(out, list):
        for i, (o, e) in enumerate(zip(out, expected, strict=True)):
            _same(o, e, f"{where}[{i}]")
        return
    expected = np.asarray(expected)
    assert out.shape == (list(expected.shape) or [1]), f"{where}: {out.shape}, {expected.shape}"
    np.testing.assert_allclose(out.numpy(), expected.reshape(out.shape), 1e-6, 1e-8, err_msg=where)


def _rule_agrees(sample: Sample, args: list, outs: list, where: str) -> None:
    op = REGISTRY[sample.op]

    def spec(value: Any) -> Any:
        if isinstance(value, list):
            return [spec(v) for v in value]
        return None if value is None else Spec(tuple(value.shape), value.dtype)

    inferred = infer(op, [spec(a) for a in args], sample.attrs)
    returned = [s for s, slot in zip(inferred, op.outputs, strict=True) if not slot.writes]
    for found, out in zip(returned, outs, strict=True):
        assert out is None or found == spec(out), f"{where}: the rule says {found}, it is {out}"
