"""Runs a script of examples/ inside a test, in a folder of its own."""

from __future__ import annotations

import importlib.util
import random
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


@contextmanager
def example(name: str, folder: Path) -> Iterator[ModuleType]:
    """Gives the module of an example, with ``folder`` as working folder.

    Args:
        name (str): its file in examples/, without suffix.
        folder (Path): what it writes comes here.
    """
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    drawn = random.getstate(), np.random.get_state(), paddle.get_rng_state()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        spec.loader.exec_module(module)
        yield module
    random.setstate(drawn[0])
    np.random.set_state(drawn[1])
    paddle.set_rng_state(drawn[2])


def check_picture(path: Path) -> None:
    """Asserts that a file is a picture that shows something."""
    with Image.open(path) as picture:
        assert min(picture.size) > 100
        assert len(picture.convert("RGB").getcolors(maxcolors=1 << 20)) > 10
