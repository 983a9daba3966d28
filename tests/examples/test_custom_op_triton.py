"""The operator in Triton: its kernels for main memory, and on a GPU those of Triton."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import paddle
from paddle.core import backends
from paddle.core.op import REGISTRY, C
from paddle.testing import OpTest, gradcheck

FILE = Path(__file__).parents[2] / "examples" / "custom_op" / "triton" / "gated.py"
STATE = np.random.RandomState(3)
X, GATE = STATE.uniform(-3, 3, (2, 33, 40))


@pytest.fixture
def example() -> Iterator[ModuleType]:
    """The example's module; its operator is forgotten, as others go through the whole registry."""
    spec = importlib.util.spec_from_file_location("gated", FILE)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    yield made
    for name in [name for name in dict.keys(REGISTRY) if name.startswith("example_gated")]:
        dict.pop(REGISTRY, name)
        vars(C).pop(name, None)


def case(dtype: str) -> OpTest:
    made = OpTest("check_output")
    x, gate = X.astype(dtype), GATE.astype(dtype)
    made.op_type, made.inputs = "example_gated", {"X": x, "Gate": gate}
    made.outputs = {"Out": x * gate / (1 + np.exp(-gate))}
    return made


def test_it_computes_and_learns(example: ModuleType) -> None:
    made = case("float64")
    made._cpu_only = True
    made.check_output()
    made.inputs = {slot: value[:3, :4] for slot, value in made.inputs.items()}
    made.check_grad(["X", "Gate"], "Out", numeric_grad_delta=1e-5, max_relative_error=1e-6)
    leaves = [paddle.to_tensor(v[:2, :3], stop_gradient=False) for v in (X, GATE)]
    assert gradcheck(example.gated, leaves, order=2)
    before, behind = example.train()
    assert behind < before / 20
    with pytest.raises(ValueError, match=r"x has shape \[2, 3\], but gate \[3, 2\]"):
        block = paddle.static.Program().global_block()
        for name, sizes in (("x", [2, 3]), ("g", [3, 2])):
            block.create_var(name=name, shape=sizes, dtype="float32")
        block.append_op("example_gated", {"X": "x", "Gate": "g"}, {"Out": "out"})


GPUS = [b for b in backends.present() if b.name == "gpu"]
TRITON = importlib.util.find_spec("triton") is not None


@pytest.mark.skipif(not (GPUS and TRITON), reason="no GPU, or no triton")
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_kernels_on_a_gpu(example: ModuleType, dtype: str) -> None:
    made = case(dtype)
    made.check_output(rtol=1e-4, place=GPUS[0].place(0))
    small = {slot: value[:3, :5] for slot, value in made.inputs.items()}
    made.inputs = small
    sizes = {"float32": 0.01, "float16": 0.05}
    made.check_grad(["X", "Gate"], "Out", max_relative_error=sizes[dtype], place=GPUS[0].place(0))


INTERPRETED = """
import sys, numpy as np, torch
sys.path.insert(0, sys.argv[1])
import gated
state = np.random.RandomState(0)
x, gate, d = (torch.from_numpy(state.randn(1500).astype("float32")) for _ in range(3))
kernel, grad = gated.gated.__wrapped__, gated.gated_grad
np.testing.assert_allclose(kernel(x, gate), gated.on_cpu(x, gate), rtol=1e-4, atol=1e-5)
made = gated.gated.definition.gradient.kernel.__wrapped__(d, x, gate)
for a, b in zip(made, gated.grad_on_cpu(d, x, gate)):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
print("as on the CPU")
"""


@pytest.mark.skipif(not TRITON, reason="no triton")
def test_the_kernels_in_tritons_interpreter() -> None:
    env = {**os.environ, "TRITON_INTERPRET": "1"}
    env["PYTHONPATH"] = os.pathsep.join([str(FILE.parents[3]), env.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", INTERPRETED, str(FILE.parent)], env=env, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert "as on the CPU" in done.stdout, done.stderr
