"""Section 8.4 of the guide as printed: relu_op.cc, its commands, custom_op.py, both programs."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "custom_op" / "chapter8"


def _environment(**more: str) -> dict[str, str]:
    folder = str(Path(sys.executable).parent)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    path = folder + os.pathsep + os.environ["PATH"]
    return {**os.environ, "PATH": path, "PYTHONPATH": paths, **more}


@pytest.fixture(scope="module")
def built(built_here: Path) -> Path:
    """The folder of the example with relu2_op.so, which build.sh made once for all workers."""
    built_here.mkdir(parents=True, exist_ok=True)
    folder = built_here / "chapter8_guide"
    with open(built_here / "chapter8_guide.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "relu2_op.so").exists():
            shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
            done = subprocess.run(
                ["sh", "build.sh"], cwd=folder, env=_environment(CPU_ONLY="1"), text=True,
                capture_output=True,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert done.stdout.split() == [str(ROOT / "paddle" / p) for p in ("include", "libs")]
            assert not done.stderr  # no warning either
    return folder


@pytest.mark.parametrize("program", ["static_mode.py", "dynamic_mode.py"])
def test_the_programs_of_8_4_4(built: Path, program: str) -> None:
    done = subprocess.run(
        [sys.executable, program], cwd=built, env=_environment(), text=True, capture_output=True
    )
    assert done.stdout.split()[-1:] == ["True"], done.stderr


@pytest.mark.slow
def test_the_library_needs_nothing_of_ours(built: Path) -> None:
    if shutil.which("readelf") is None:
        pytest.skip("readelf is not here")
    said = subprocess.run(
        ["readelf", "-d", "relu2_op.so"], cwd=built, text=True, capture_output=True, check=True
    ).stdout
    needed = [line.split("[")[1].rstrip("]") for line in said.splitlines() if "(NEEDED)" in line]
    assert {name.partition(".so")[0] for name in needed} <= {
        "libstdc++", "libgcc_s", "libm", "libc", "ld-linux-x86-64", "ld-linux-aarch64",
    }  # fmt: skip


PROGRAM = """
import numpy as np, os, sys, tempfile
os.chdir(tempfile.mkdtemp())
import paddle, paddle.incubate as incubate
from custom_op import relu2

x = np.random.default_rng(0).uniform(-1, 1, [4, 32]).astype("float32")
t = paddle.to_tensor(x, stop_gradient=False)
(relu2(t) * t).sum().backward()
assert np.allclose(t.grad.numpy(), 2 * np.maximum(x, 0)), "gradient"

@paddle.jit.to_static
def net(v):
    return relu2(v) + 1.0
assert np.allclose(net(t).numpy(), np.maximum(x, 0) + 1), "to_static"

paddle.enable_static()
main, start = paddle.static.Program(), paddle.static.Program()
with paddle.static.program_guard(main, start):
    data = paddle.static.data("data", [None, 32], "float32")
    data.stop_gradient = False
    out = relu2(data)
    assert out.shape == (-1, 32), out.shape
    (grad,) = paddle.static.gradients(paddle.sum(out * out), [data])
exe = paddle.static.Executor(paddle.CPUPlace())
got, d = exe.run(main, feed={"data": x}, fetch_list=[out, grad])
assert np.allclose(got, np.maximum(x, 0)) and np.allclose(d, 2 * np.maximum(x, 0)), "static"
types = [op.type for op in main.global_block().ops]
assert "relu2" in types and "relu2_grad" in types, types
# Loading it again does nothing; a name that exists is refused.
incubate.load_op_library(os.path.join(os.environ["HERE"], "relu2_op.so"))
import shutil
shutil.copy(os.path.join(os.environ["HERE"], "relu2_op.so"), "again.so")
try:
    incubate.load_op_library("again.so")
except RuntimeError as error:
    assert "relu2" in str(error) and "already" in str(error), error
else:
    raise AssertionError("registered twice")
try:
    incubate.load_op_library("missing_op.so")
except FileNotFoundError as error:
    assert "missing_op.so" in str(error)
print("done")
"""


@pytest.mark.slow
def test_gradients_programs_and_refusals(built: Path) -> None:
    env = _environment(LD_LIBRARY_PATH=str(built), HERE=str(built))
    env["PYTHONPATH"] = f"{built}{os.pathsep}{env['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=built.parent, env=env, text=True, capture_output=True
    )
    assert done.stdout.split()[-1:] == ["done"], done.stderr


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
@pytest.mark.skipif(not os.environ.get("PADDLE_TEST_NVCC"), reason="slow: set PADDLE_TEST_NVCC=1")
def test_the_cuda_kernels_compile(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "here")
    done = subprocess.run(
        ["sh", "build.sh"], cwd=tmp_path / "here", env=_environment(), text=True,
        capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    test_the_programs_of_8_4_4(tmp_path / "here", "dynamic_mode.py")
