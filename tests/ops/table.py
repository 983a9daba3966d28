"""Collects the samples of all families and turns one into operator inputs."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np

import paddle
import tests.op_samples as families
from paddle.core.lod import LoDTensor
from paddle.core.op import REGISTRY, OpDef
from tests.op_samples.sample import ErrorSample, Sample


def _load() -> tuple[list[Sample], list[ErrorSample]]:
    samples: list[Sample] = []
    errors: list[ErrorSample] = []
    for module in pkgutil.walk_packages(families.__path__, f"{families.__name__}."):
        family = importlib.import_module(module.name)
        samples += getattr(family, "SAMPLES", [])
        errors += getattr(family, "ERRORS", [])
    return samples, errors


SAMPLES, ERRORS = _load()


def identities(samples: list) -> list[str]:
    """Unique test ids."""
    seen: dict[str, int] = {}
    out = []
    for sample in samples:
        name = str(sample)
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return out


def forward_operators() -> list[OpDef]:
    """Every operator that a kernel computes, without the derived gradient operators."""
    return [op for op in REGISTRY.values() if op.base is None and op.has_kernel]


def convert(array: Any, dtype: str | None) -> Any:
    """Converts a floating (or complex) array, or a list of them, to another precision."""
    if array is None or dtype is None:
        return array
    if isinstance(array, list):
        return [convert(a, dtype) for a in array]
    if array.dtype.kind == "f":
        return array.astype("float32" if dtype == "bfloat16" else dtype)
    if array.dtype.kind == "c":
        return array.astype("complex64")
    return array


def tensors(sample: Sample, dtype: str | None = None) -> list[Any]:
    """Makes the operator's arguments; floating ones in ``dtype``."""
    op = REGISTRY[sample.op]
    unknown = set(sample.inputs) - {s.name for s in op.inputs}
    assert not unknown, f"{sample.op}: the sample gives {unknown}, which are no slots of {op!r}"

    def make(array: Any) -> Any:
        if array is None:
            return None
        if isinstance(array, list):
            return [make(a) for a in array]
        array = np.asarray(array)
        tensor = paddle.to_tensor(convert(array, dtype))
        if dtype == "bfloat16" and array.dtype.kind == "f":
            tensor = tensor.astype("bfloat16")
        return tensor

    return with_levels(sample, [make(sample.inputs.get(slot.name)) for slot in op.inputs])


def with_levels(sample: Sample, args: list[Any]) -> list[Any]:
    """Puts the levels of sequences on arguments; returns these."""
    for slot, arg in zip(REGISTRY[sample.op].inputs, args, strict=True):
        levels = sample.levels.get(slot.name)
        if levels is not None:
            many = isinstance(arg, list)
            for tensor, lod in zip(arg, levels, strict=True) if many else [(arg, levels)]:
                tensor._buf._lod = lod
    return args


def feed_levels(sample: Sample, main: Any, feed: dict[str, Any]) -> dict[str, Any]:
    """Feeds with the levels of a sample; variables are named after slots (``X``, or ``X_0``)."""
    feed = dict(feed)
    for slot, levels in sample.levels.items():
        many = isinstance(sample.inputs[slot], list)
        for name, lod in (
            [(f"{slot}_{i}", lod) for i, lod in enumerate(levels)] if many else [(slot, levels)]
        ):
            made = LoDTensor()
            made.set(feed[name], paddle.CPUPlace())
            made.set_lod(lod)
            feed[name] = made
            main.global_block().var(name).lod_level = len(lod)
    return feed


def call(sample: Sample, args: list[Any]) -> list[Any]:
    """Runs the operator eagerly and returns its outputs, one per slot that it returns."""
    from paddle.core.op import C, py

    out = getattr(C, sample.op)(*args, **{py(k): v for k, v in sample.attrs.items()})
    op = REGISTRY[sample.op]
    slots = [s for s in op.outputs if not s.writes]
    if not slots:
        return []
    return [out] if len(slots) == 1 else list(out)


def arrays(sample: Sample, dtype: str | None = None) -> list[Any]:
    """The inputs in slot order, as arrays."""
    return [convert(sample.inputs.get(s.name), dtype) for s in REGISTRY[sample.op].inputs]
