"""Programs of one operator against 1.8.5: values, levels and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.op import REGISTRY
from tests.fluid.one_operator import run
from tests.op_samples.frozen import As185, frozen
from tests.ops.table import SAMPLES

OURS = [s for s in SAMPLES if isinstance(s.ref, As185)]


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("sample", OURS, ids=[s.ref.key for s in OURS])
def test_equals_185(sample: Any) -> None:
    key = sample.ref.key
    want = {k.split("/", 1)[1]: v for k, v in frozen().items() if k.startswith(f"{key}/")}
    assert want, f"{key} is not frozen"
    names = {k[4:] for k in want if k.startswith("out.")}
    op = REGISTRY[sample.op]
    slots = [
        (s.name, s.many) for s in op.outputs
        if s.name in names or s.name in sample.ref.same or (s.many and sample.ref.outs.get(s.name))
    ]  # fmt: skip
    middle = [s.name for s in op.outputs if not s.differentiable]
    got = run(fluid, sample, slots, middle, any(k.startswith("grad.") for k in want))
    only = sample.ref.only.split()
    for name, value in want.items():
        if only and name.split(".")[-1] not in only and name.startswith(("out.", "lod.")):
            if not any(f".{slot}" in name for slot in only):
                continue
        assert name in got, f"{name} is missing; there are {sorted(got)}"
        assert got[name].shape == value.shape, (name, got[name].shape, value.shape)
        assert got[name].dtype == value.dtype, (name, got[name].dtype, value.dtype)
        tolerance = 1e-4 if value.dtype == np.float32 else 1e-6
        np.testing.assert_allclose(got[name], value, tolerance, tolerance, err_msg=name)
    levels = {k for k in got if k.startswith("lod.out.")}
    wanted = {k for k in want if k.startswith("lod.out.")}
    if not only:
        assert levels == wanted
