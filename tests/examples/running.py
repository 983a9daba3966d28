"""How tests get at the scripts in examples/: as modules, or run as a user would."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

import paddle

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MNIST = Path.home() / ".cache" / "paddle" / "dataset" / "mnist" / "train-images-idx3-ubyte"
needs_mnist = pytest.mark.skipif(not MNIST.exists(), reason="no MNIST here: make mnist fetches it")


def load(name: str) -> ModuleType:
    """Returns an example as a module; its `main` has not run."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(
    name: str, folder: Path, *arguments: str, packages: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs an example in a folder, into which it writes.

    Args:
        name (str): its file in examples/, without suffix.
        folder (Path): where.
        *arguments (str): of its command line.
        packages (Path, optional): a folder of packages that it imports besides.
    """
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    paths = [str(EXAMPLES.parent), str(packages or ""), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=280,
        env=None if packages is None else env,
    )  # fmt: skip


@contextmanager
def example(name: str, folder: Path) -> Iterator[ModuleType]:
    """Gives the module of an example, with ``folder`` as working folder.

    Args:
        name (str): its file in examples/, without suffix.
        folder (Path): what it writes comes here.
    """
    pytest.importorskip("matplotlib")
    drawn = random.getstate(), np.random.get_state(), paddle.get_rng_state()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield load(name)
    random.setstate(drawn[0])
    np.random.set_state(drawn[1])
    paddle.set_rng_state(drawn[2])


def check_picture(path: Path) -> None:
    """Asserts that a file is a picture that shows something."""
    with Image.open(path) as picture:
        assert min(picture.size) > 100
        assert len(picture.convert("RGB").getcolors(maxcolors=1 << 20)) > 10
