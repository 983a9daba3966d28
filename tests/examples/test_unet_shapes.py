"""The U-Net example: shapes are found, and its score counts what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.examples.running import check_picture, example


@pytest.mark.slow
def test_shapes_are_found(tmp_path: Path) -> None:
    with example("unet_shapes", tmp_path) as script:
        mean = script.main(pictures=600, epochs=4)
    assert mean > 0.6
    check_picture(tmp_path / script.OUTPUT / "segmentation.png")


def test_each_pixel_gets_a_score_of_each_class(tmp_path: Path) -> None:
    with example("unet_shapes", tmp_path) as script:
        pictures, classes = next(iter(paddle.io.DataLoader(script.Shapes(2, seed=3), batch_size=2)))
        scores = script.UNet(4, widths=(4, 8))(pictures)
    assert scores.shape == [2, 4, 64, 64]
    assert classes.shape == [2, 64, 64]
    assert set(np.unique(classes.numpy())) <= {0, 1, 2, 3}


def test_intersection_over_union(tmp_path: Path) -> None:
    with example("unet_shapes", tmp_path) as script:
        truth = np.array([[0, 0, 1, 1], [2, 2, 3, 3]])
        found = np.array([[0, 1, 1, 1], [2, 2, 3, 0]])
        scores = script.intersection_over_union(found, truth)
    assert scores == [1 / 3, 2 / 3, 1.0, 0.5]
