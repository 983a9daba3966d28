"""Collects the samples of all families; what is done with one is paddle.testing's."""

from __future__ import annotations

import importlib
import pkgutil

import tests.op_samples as families
from paddle.core.op import REGISTRY, OpDef
from paddle.testing.cases import (
    arrays,
    call,
    convert,
    feed_levels,
    tensors,
    with_levels,
)
from tests.op_samples.sample import ErrorSample, Sample

__all__ = [
    "ERRORS", "SAMPLES", "arrays", "call", "convert", "feed_levels", "forward_operators",
    "identities", "tensors", "with_levels",
]  # fmt: skip


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
