"""The scripts in examples/ run and keep what they promise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.examples.running import load, needs_mnist, run


def test_training_resumed_from_files_is_bit_identical() -> None:
    went_on, resumed = load("save_load").main()
    assert len(went_on) == 8
    assert went_on == resumed


def test_a_static_graph_is_trained_resumed_and_served() -> None:
    went_on, resumed, accuracy, difference = load("static_graph").main()
    assert went_on == resumed
    assert accuracy > 0.95
    assert difference < 1e-6


def test_the_sheet_of_predictions_marks_right_and_wrong(tmp_path: Path) -> None:
    images = np.zeros((3, 1, 28, 28), dtype="float32")
    images[1] = 1.0
    target = tmp_path / "sheet.png"
    load("quickstart").draw_grid(images, [7, 2, 1], [7, 3, 1], target, columns=2, scale=2)
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
    done = run("quickstart", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "the promised 98% was reached" in done.stdout
    assert (tmp_path / "output/quickstart/predictions.png").stat().st_size > 1000
    assert (tmp_path / "output/quickstart/lenet.pdparams").exists()


@pytest.mark.slow
@needs_mnist
def test_the_basic_api_learns_mnist(tmp_path: Path) -> None:
    done = run("basic_api", tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    accuracy = float(done.stdout.rpartition("accuracy ")[2].split()[0])
    assert accuracy > 0.96
