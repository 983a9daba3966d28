"""Generated functions give the same results and gradients converted as they do as written."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from tests.jit.cases.generated import function

VALUES = [
    np.array([0.5, -0.2, 0.3], "float32"),
    np.array([-0.6, 0.1, -0.4], "float32"),
]
WEIGHTS = np.array([0.8, -0.5, 0.9], "float32")


def _results(call, value, flag):
    x = paddle.to_tensor(value, stop_gradient=False)
    w = paddle.to_tensor(WEIGHTS, stop_gradient=False)
    out = call(x, w, flag)
    (out * out).sum().backward()
    zeros = np.zeros_like(value)
    return [out.numpy(), *[zeros if t.grad is None else t.grad.numpy() for t in (x, w)]]


def compare(seed: int, deepest: int = 3) -> None:
    plain, text = function(seed, deepest)
    converted = paddle.jit.to_static(plain)
    for value in VALUES:
        for flag in (True, False):
            expected = _results(plain, value, flag)
            got = _results(converted, value, flag)
            for a, b in zip(got, expected, strict=True):
                scale = max(1e-2, float(np.abs(b).max()))
                np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-4 * scale, err_msg=text)


# 44, 79, 83: gradients of a loop inside of a loop, of what the inner one does not change; 230: the
# shape of a value that is dropped later.
@pytest.mark.parametrize("seed", [*range(14), 44, 79, 83, 230])
def test_generated(seed):
    compare(seed)


def test_name_of_an_inner_body():
    """A name that is assigned anew in a body and nobody reads after it is that body's own."""
    compare(424, deepest=4)
