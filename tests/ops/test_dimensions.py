"""Operators that promise results with dimensions have no others, over all samples."""

from __future__ import annotations

import pytest
import torch

from paddle.core.dispatch import has_dimensions
from paddle.core.op import REGISTRY, py
from tests.ops.table import SAMPLES, forward_operators, identities, tensors

PROMISED = [s for s in SAMPLES if has_dimensions(REGISTRY[s.op])]


def _buffers(arg):
    if arg is None:
        return None
    return [t._buf for t in arg] if isinstance(arg, (list, tuple)) else arg._buf


@pytest.mark.parametrize("sample", PROMISED, ids=identities(PROMISED))
def test_no_result_is_a_number_alone(sample):
    op = REGISTRY[sample.op]
    attrs = {py(name): value for name, value in {**op.attrs, **sample.attrs}.items()}
    made = op.kernel(*[_buffers(a) for a in tensors(sample)], **attrs)
    for buf in made if isinstance(made, tuple) else (made,):
        assert not isinstance(buf, torch.Tensor) or buf.dim() > 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [("relu", True), ("less_than", True), ("conv2d", True), ("transpose2", True),
     ("matmul_v2", False), ("reduce_sum", False), ("slice", False), ("reshape2", False)],
)  # fmt: skip
def test_who_promises(name, expected):
    assert has_dimensions(REGISTRY[name]) is expected


def test_a_promise_has_a_sample():
    sampled = {s.op for s in PROMISED}
    without = {op.name for op in forward_operators() if has_dimensions(op)} - sampled
    assert not without
