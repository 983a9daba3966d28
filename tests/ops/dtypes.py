"""Casts the samples of an operator to other data types, with what they must give then."""

from __future__ import annotations

from typing import Any

import numpy as np

import paddle
from paddle.core.op import REGISTRY
from tests.op_samples.sample import Sample
from tests.ops.table import SAMPLES, call

HALF = ("float16", "bfloat16")
OTHERS = ("bool", "uint8", "int32", "int64", "complex64")
EPSILON = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


def _arrays(sample: Sample) -> list[np.ndarray]:
    lists = [v if isinstance(v, list) else [v] for v in sample.inputs.values() if v is not None]
    return [np.asarray(a) for arrays in lists for a in arrays]


def castable(sample: Sample) -> bool:
    """Whether a sample says what it must give and has real floating inputs to cast."""
    if (sample.ref is None and sample.written is None) or getattr(sample.ref, "fixed", False):
        return False
    kinds = {a.dtype.kind for a in _arrays(sample)}
    return "f" in kinds and "c" not in kinds


def by_operator() -> dict[str, list[Sample]]:
    """The samples that can be cast, by operator."""
    found: dict[str, list[Sample]] = {}
    for sample in SAMPLES:
        if castable(sample):
            found.setdefault(sample.op, []).append(sample)
    return found


def _each(value: Any, function: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_each(v, function) for v in value]
    value = np.asarray(value)
    return function(value) if value.dtype.kind == "f" else value


def rounded(array: np.ndarray, dtype: str) -> np.ndarray:
    """The float64 values that ``array`` has in a format of 16 bits."""
    return paddle.to_tensor(array).astype(dtype).astype("float64").numpy()


def _cast(array: np.ndarray, kind: str) -> np.ndarray:
    """Values of another kind; the fractions of floats become visible integers, or imaginary."""
    if kind.startswith("complex"):
        return (array + 0.5j * array).astype(kind)
    return (np.abs(array) if kind == "uint8" else array).astype(kind)


def values(sample: Sample, dtype: str) -> list[Any]:
    """The inputs in slot order, with the values that they have in ``dtype``."""
    change = (lambda a: rounded(a, dtype)) if dtype in HALF else (lambda a: _cast(a, dtype))
    return [_each(sample.inputs.get(s.name), change) for s in REGISTRY[sample.op].inputs]


def exact(sample: Sample, arrays: list[Any]) -> list[Any]:
    """The same values for the reference: what was a float in the sample is one again."""
    slots = REGISTRY[sample.op].inputs

    def wider(array: Any, original: Any) -> Any:
        if isinstance(array, list):
            return [wider(a, o) for a, o in zip(array, original, strict=True)]
        if array is None or np.asarray(original).dtype.kind != "f":
            return array
        return array.astype("complex128" if array.dtype.kind == "c" else "float64")

    return [wider(a, sample.inputs.get(s.name)) for a, s in zip(arrays, slots, strict=True)]


def tensors(arrays: list[Any], dtype: str) -> list[Any]:
    """Tensors of these values; floats become ``dtype``."""

    def make(array: Any) -> Any:
        if isinstance(array, list):
            return [make(a) for a in array]
        if array is None:
            return None
        tensor = paddle.to_tensor(array)
        return tensor.astype(dtype) if array.dtype.kind == "f" else tensor

    return [make(a) for a in arrays]


def wide(tensor: Any) -> np.ndarray:
    """The values of a Tensor as float64 (complex128, or integers as they are)."""
    if tensor._dt.is_floating_point:
        return tensor.astype("float64").numpy()
    return tensor.numpy()


def gradients(sample: Sample, args: list[Any]) -> tuple[list[Any], list[Any]]:
    """The differentiable inputs, and the gradients of a fixed sum of the results (or Nones)."""
    op = REGISTRY[sample.op]
    chosen = []
    for slot, arg in zip(op.inputs, args, strict=True):
        if arg is None or (sample.grad is not None and slot.name not in sample.grad):
            continue
        listed = arg if isinstance(arg, list) else [arg]
        chosen += [t for t in listed if t._dt.is_floating_point]
    for tensor in chosen:
        tensor.stop_gradient = False
    total = None
    for out in call(sample, args):
        for k, tensor in enumerate(out if isinstance(out, list) else [out]):
            if tensor is None or tensor.stop_gradient or not tensor._dt.is_floating_point:
                continue
            weight = np.random.RandomState(k + 7).uniform(0.5, 1.5, tensor.shape)
            term = paddle.sum(tensor.astype("float64") * paddle.to_tensor(weight))
            total = term if total is None else total + term
    if total is None or not chosen:
        return chosen, [None] * len(chosen)
    return chosen, paddle.grad(total, chosen, allow_unused=True)
