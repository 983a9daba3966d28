"""Activations, losses and common functions against frozen answers of PaddlePaddle."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests import rounding
from tests.nn import frozen_cases

FROZEN = np.load(frozen_cases.DATA)


@pytest.mark.parametrize("name", frozen_cases.CASES)
def test_as_paddle(name):
    value, gradient = frozen_cases.run(paddle, name)
    expected = FROZEN[f"{name}/value"]
    assert value.shape == (expected.shape or (1,))  # 2.0 has no rank 0
    rounding.close(value.reshape(expected.shape), expected, terms=32, least=0.1)
    if f"{name}/gradient" in FROZEN.files:
        wanted = FROZEN[f"{name}/gradient"]
        rounding.close(gradient, wanted, terms=128, least=0.1)
