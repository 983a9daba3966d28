"""The example that fine-tunes ResNet18: what it learnt before helps where images are few."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.examples.running import check_picture, example, needs_mnist


@pytest.mark.slow
@needs_mnist
def test_fine_tuning_beats_training_from_scratch(tmp_path: Path) -> None:
    with example("finetune_resnet18", tmp_path) as script:
        base, tuned, scratch = script.main(base_images=400, base_epochs=2, few_images=10, epochs=5)
    output = tmp_path / script.OUTPUT
    assert base > 0.9
    assert tuned > scratch + 0.1
    check_picture(output / "accuracy.png")
    weights = paddle.load(str(output / "digits_0_to_4.pdparams"))
    assert weights["fc.weight"].shape == [512, 5]


@needs_mnist
def test_digits_are_numbered_from_0(tmp_path: Path) -> None:
    with example("finetune_resnet18", tmp_path) as script:
        few = script.Digits("train", range(5, 10), per_digit=3)
    image, _ = few[0]
    assert image.shape == [3, 32, 32]
    assert float(image.min()) >= -1 and float(image.max()) <= 1
    labels = [int(few[i][1][0]) for i in range(len(few))]
    assert np.bincount(labels).tolist() == [3] * 5
    assert [int(few.mnist.labels[row, 0]) - 5 for row in few.rows] == labels
