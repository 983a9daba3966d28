"""Activations, losses and common functions against frozen answers of PaddlePaddle."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests.nn import frozen_cases

FROZEN = np.load(frozen_cases.DATA)


@pytest.mark.parametrize("name", frozen_cases.CASES)
def test_as_paddle(name):
    value, gradient = frozen_cases.run(paddle, name)
    expected = FROZEN[f"{name}/value"]
    assert value.shape == (expected.shape or (1,))  # 2.0 has no rank 0
    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)
    if f"{name}/gradient" in FROZEN.files:
        wanted = FROZEN[f"{name}/gradient"]
        np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-5)
