"""The scripts in examples/ run and keep what they promise."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MNIST = Path.home() / ".cache" / "paddle" / "dataset" / "mnist" / "train-images-idx3-ubyte"
needs_mnist = pytest.mark.skipif(not MNIST.exists(), reason="no MNIST here: make mnist fetches it")


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)


def test_training_resumed_from_files_is_bit_identical() -> None:
    went_on, resumed = _load("save_load").main()
    assert len(went_on) == 8
    assert went_on == resumed


def test_a_static_graph_is_trained_resumed_and_served() -> None:
    went_on, resumed, accuracy, difference = _load("static_graph").main()
    assert went_on == resumed
    assert accuracy > 0.95
    assert difference < 1e-6


def test_the_sheet_of_predictions_marks_right_and_wrong(tmp_path: Path) -> None:
    images = np.zeros((3, 1, 28, 28), dtype="float32")
    images[1] = 1.0
    target = tmp_path / "sheet.png"
    _load("quickstart").draw_grid(images, [7, 2, 1], [7, 3, 1], target, columns=2, scale=2)
    with Image.open(target) as sheet:
        assert sheet.size == (2 * 56, 2 * (56 + 16))
        assert sheet.getpixel((10, 10)) == (0, 0, 0)
        assert sheet.getpixel((56 + 10, 10)) == (255, 255, 255)
        colours = {c for _, c in sheet.getcolors(maxcolors=4096)}
        below_wrong = sheet.crop((56, 56, 112, 72)).getcolors(maxcolors=4096)
    assert (0, 128, 0) in colours
    assert (255, 0, 0) in {c for _, c in below_wrong}


@pytest.mark.slow
@needs_mnist
def test_quickstart_reaches_the_promised_accuracy(tmp_path: Path) -> None:
    done = _run("quickstart", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "the promised 98% was reached" in done.stdout
    assert (tmp_path / "output/quickstart/predictions.png").stat().st_size > 1000
    assert (tmp_path / "output/quickstart/lenet.pdparams").exists()


@pytest.mark.slow
@needs_mnist
def test_the_basic_api_learns_mnist(tmp_path: Path) -> None:
    done = _run("basic_api", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    accuracy = float(done.stdout.rpartition("accuracy ")[2].split()[0])
    assert accuracy > 0.96
