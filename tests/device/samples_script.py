"""Runs samples of operators, and their gradients, on the CPU and on a device that a package brings.

Prints those that differ or fail there; run by test_plugins.py in a process of its own, with the
number of the first sample and the step to the next one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import paddle
from paddle.core.op import REGISTRY
from tests.ops.table import SAMPLES, call, tensors

warnings.simplefilter("ignore")
FIRST, STEP = int(sys.argv[1]), int(sys.argv[2])


def flat(values: Any) -> Iterator[Any]:
    """The Tensors of nested lists."""
    for value in values:
        yield from flat(value) if isinstance(value, (list, tuple)) else [value]


def results(sample: Any, device: str) -> list[Any]:
    """The outputs of a sample, what it wrote, and the gradients of its floating inputs."""
    paddle.set_device(device)
    paddle.seed(2021)
    args = tensors(sample)
    for one in flat(args):
        if one is not None and np.dtype(one.numpy().dtype).kind == "f":
            one.stop_gradient = False
    outs = call(sample, args)
    got = [t for t in [*flat(outs), *flat(args)] if t is not None]
    backward = [t for t in flat(outs) if t is not None and not t.stop_gradient]
    if backward and REGISTRY[sample.op].differentiable:
        paddle.autograd.backward(backward, [paddle.ones_like(t) for t in backward])
    got += [t.grad for t in flat(args) if t is not None and t.grad is not None]
    return got


failed = []
done = 0
for sample in SAMPLES[FIRST::STEP]:
    try:
        right = results(sample, "cpu")
    except Exception:
        continue  # it needs more than a call, such as a ring or a file
    done += 1
    try:
        got = results(sample, "xpu")
        if sample.check is None:
            for a, b in zip(got, right, strict=True):
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
    except Exception as error:
        failed.append(sample)
        print(f"{sample}: {type(error).__name__}: {str(error)[:300]!r}")
print(f"{done} samples, {len(failed)} failed")
