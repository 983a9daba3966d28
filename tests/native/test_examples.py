"""The examples of compiled operators, and the same source beside a real PaddlePaddle."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.utils.cpp_extension.build import CUDA_HOME
from tests.native.libraries import SOURCES, forgetting, loaded

EXAMPLES = Path(__file__).parents[2] / "examples" / "custom_op"


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / name / "main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_relu_with_a_slope(built_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", str(built_here))
    with forgetting():
        out, grad, ran = example("relu").main()
    assert out == ran == [[1, -1], [-1.5, 4]] and grad == [[1, 0.5], [0.5, 1]]


def test_the_relu_for_a_gpu(built_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(CUDA_HOME, "bin"))
    if not paddle.is_compiled_with_cuda() or not paddle.device.cuda.device_count() or not nvcc:
        pytest.skip("needs a GPU and nvcc")
    monkeypatch.setenv("PADDLE_EXTENSION_DIR", str(built_here))
    before = paddle.get_device()
    try:
        with forgetting():
            assert example("cuda").main() < 1e-6
    finally:
        paddle.set_device(before)


REAL = """
import json, sys
import numpy as np
import paddle
from paddle.utils.cpp_extension import load
module = load(name="relu_of_oracle", sources=[sys.argv[1]], build_directory=sys.argv[2])
x = paddle.to_tensor(np.load(sys.argv[3]), stop_gradient=False)
y = module.custom_relu(x)
(y * y).sum().backward()
print(json.dumps([y.numpy().tolist(), x.grad.numpy().tolist()]))
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("PADDLE_ORACLE"), reason="PADDLE_ORACLE names a Python with PaddlePaddle 2.6"
)
def test_the_same_source_in_real_paddlepaddle(built_here: Path, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(5, 7)).astype("float32")
    np.save(tmp_path / "x.npy", values)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [os.environ["PADDLE_ORACLE"], "-c", REAL, str(SOURCES / "relu_21.cc"), str(tmp_path)]
    done = subprocess.run(
        [*command, str(tmp_path / "x.npy")], env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    real = json.loads(done.stdout.strip().splitlines()[-1])
    with loaded(built_here, "relu_21.cc", extra_cxx_cflags=["-std=c++11"]) as module:
        x = paddle.to_tensor(values, stop_gradient=False)
        y = module.custom_relu(x)
        (y * y).sum().backward()
        assert [y.numpy().tolist(), x.grad.numpy().tolist()] == real
