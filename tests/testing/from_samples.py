"""Samples of operators as tests in the form of OpTest."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from paddle.core.op import REGISTRY
from paddle.testing import OpTest
from tests.op_samples.sample import Sample
from tests.ops.table import arrays


def usable(sample: Sample) -> bool:
    """Whether a sample says what comes out, and an operator of a Program computes it."""
    return sample.ref is not None and REGISTRY[sample.op].proto is None


def _lengths(levels: Any) -> list:
    return [np.diff(level).tolist() for level in levels]


def _given(slot: str, value: Any, levels: Any) -> Any:
    if isinstance(value, list):
        levels = levels or [[]] * len(value)
        return [
            (f"{slot}{i}", (a, _lengths(lod)) if lod else a)
            for i, (a, lod) in enumerate(zip(value, levels, strict=True))
        ]
    return (value, _lengths(levels)) if levels else value


def op_test(sample: Sample) -> OpTest:
    """An OpTest whose ``setUp`` is done."""
    op = REGISTRY[sample.op]
    made = OpTest("check_output")
    made.op_type = sample.op
    made.attrs = sample.attrs
    made.inputs = {
        slot: _given(slot, value, sample.levels.get(slot))
        for slot, value in sample.inputs.items()
        if value is not None
    }
    expected = sample.ref(*copy.deepcopy(arrays(sample)), **sample.attrs)
    slots = [s for s in op.outputs if not s.writes]
    made.outputs = {
        slot.name: [(f"{slot.name}_out{i}", v) for i, v in enumerate(value)]
        if isinstance(value, (list, tuple)) and slot.many
        else np.asarray(value)
        for slot, value in zip(slots, [expected] if len(slots) == 1 else expected, strict=True)
        if value is not None
    }
    return made
