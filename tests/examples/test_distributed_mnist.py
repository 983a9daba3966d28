"""MNIST in two processes, by the launcher and by spawn: what is learned, and what is printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.running import needs_mnist

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "distributed"


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=280,
        env={**_environment(), "PYTHONPATH": f"{ROOT}:{FOLDER}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def _quick(folder: Path, name: str) -> Path:
    """A program that runs a short form of an example."""
    path = folder / f"quick_{name}.py"
    path.write_text(
        f"import {name}\n"
        "import paddle.distributed as dist\n"
        f"found = {name}.main(quick=True)\n"
        "if dist.get_rank() == 0:\n"
        "    print('FOUND', found if isinstance(found, float) else found[0])\n"
    )
    return path


def _accuracy(printed: str) -> float:
    found = re.search(r"FOUND ([0-9.]+)", printed)
    assert found, printed[-2000:]
    return float(found.group(1))


@pytest.mark.slow
@needs_mnist
@pytest.mark.parametrize(("name", "least"), [("mnist", 0.93), ("mnist_basic", 0.88)])
def test_by_the_launcher(tmp_path: Path, name: str, least: float) -> None:
    program = str(_quick(tmp_path, name))
    launch = ("-m", "paddle.distributed.launch", "--nproc_per_node", "2", "--log_dir", "log")
    printed = _run(tmp_path, *launch, program)
    assert _accuracy(printed) > least
    if name == "mnist":
        assert (tmp_path / "output/distributed/mnist.pdparams").exists()
        assert "step 200/200" in printed


@pytest.mark.slow
@needs_mnist
def test_by_spawn(tmp_path: Path) -> None:
    path = tmp_path / "quick_spawn.py"
    path.write_text(
        "import functools\n"
        "import mnist_basic, mnist_spawn\n"
        "def run(results):\n"
        "    mnist_basic.main = functools.partial(mnist_basic.main, quick=True)\n"
        "    mnist_spawn.run(results)\n"
        "if __name__ == '__main__':\n"
        "    from multiprocessing import get_context\n"
        "    import paddle.distributed as dist\n"
        "    queue = get_context('spawn').SimpleQueue()\n"
        "    dist.spawn(run, args=(queue,), nprocs=2)\n"
        "    print('FOUND', queue.get()[0])\n"
    )
    assert _accuracy(_run(tmp_path, str(path))) > 0.88
