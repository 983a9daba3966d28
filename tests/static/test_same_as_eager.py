"""The same call, run eagerly and recorded into a Program, gives the same results and shapes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.static import calls_functional, calls_layer, calls_random, calls_tensor
from tests.static.harness import both, shape_fits
from tests.static.values import FIXED, arrays_for


def _check(call, batch, rtol=1e-5, atol=1e-6):
    eager, static, variables = both(call, arrays_for(call), batch, FIXED)
    assert len(eager) == len(static)
    for e, s, var in zip(eager, static, variables, strict=True):
        assert s.shape == e.shape
        assert s.dtype == e.dtype
        assert shape_fits(var.shape, e.shape), f"inferred {var.shape}, got {e.shape}"
        np.testing.assert_allclose(s, e, rtol=rtol, atol=atol)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("name", calls_tensor.CALLS)
@pytest.mark.filterwarnings("ignore:The dtype of left and right")
def test_tensor(name, batch):
    _check(calls_tensor.CALLS[name], batch)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("name", calls_functional.CALLS)
def test_functional(name, batch):
    _check(calls_functional.CALLS[name], batch)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("name", calls_layer.CALLS)
def test_layer(name, batch):
    _check(calls_layer.CALLS[name], batch)


@pytest.mark.parametrize("batch", [False, True], ids=["known", "batch"])
@pytest.mark.parametrize("name", calls_random.CALLS)
def test_random(name, batch):
    _check(calls_random.CALLS[name], batch)
