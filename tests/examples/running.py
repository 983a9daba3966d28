"""How tests get at the scripts in examples/: as modules, or run as a user would."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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


def run(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs an example in a folder, into which it writes."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
