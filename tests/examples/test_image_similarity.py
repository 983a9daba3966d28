"""The example that finds similar images: vectors that were learnt find more than pixels do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.examples.running import check_picture, example, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_vectors_find_more_than_pixels(tmp_path: Path) -> None:
    with example("image_similarity", tmp_path) as script:
        first, four, plain = script.main(batches=200)
    assert first > plain + 0.05
    assert four > first
    check_picture(tmp_path / script.OUTPUT / "neighbours.png")


def test_the_nearest_do_not_include_the_query(tmp_path: Path) -> None:
    with example("image_similarity", tmp_path) as script:
        vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], "float32")
        near = script.nearest(vectors, 2)
        assert near.tolist() == [[1, 3], [0, 3], [3, 1], [2, 1]]
        assert script.recall(near, np.array([0, 0, 1, 1]), 1) == 1.0
        assert script.recall(near, np.array([0, 1, 0, 1]), 1) == 0.0
        assert script.recall(near, np.array([0, 1, 0, 1]), 2) == 0.5


def test_the_loss_is_least_where_pairs_are_alike(tmp_path: Path) -> None:
    with example("image_similarity", tmp_path) as script:
        alike = paddle.eye(3).unsqueeze(0)
        mixed = paddle.to_tensor(alike.numpy()[:, [1, 2, 0]])
        right, wrong = (script.contrast(alike, other).item() for other in (alike, mixed))
    assert right == pytest.approx(np.log(1 + 2 * np.exp(-1 / script.TEMPERATURE)), rel=1e-4)
    assert wrong > 1
