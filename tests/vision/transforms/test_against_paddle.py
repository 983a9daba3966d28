"""PIL transforms and cv2-like resizing give, to the last bit, what PaddlePaddle 2.6.2 gives."""

from pathlib import Path

import numpy as np
import PIL
import pytest

import paddle.core.random as framework_random
from tests.vision.transforms.cases import CASES

EXPECTED = np.load(Path(__file__).parents[2] / "data" / "vision_transforms.npz")
# Pillow 13, which the file was made with, rounds resized pixels otherwise than those before it,
# the last ones for Python 3.10.
EARLIER_PILLOW = int(PIL.__version__.partition(".")[0]) < 13


@pytest.fixture
def unseeded(monkeypatch):
    """As in a script that never called paddle.seed, where Python's `random` is in charge."""
    monkeypatch.setattr(framework_random, "_seed", None)
    monkeypatch.setattr(framework_random, "_numpy", None)


@pytest.mark.usefixtures("unseeded")
@pytest.mark.parametrize("name", CASES)
def test_same_pixels(name):
    call, img = CASES[name]
    result, expected = call(img), EXPECTED[name.replace("/", "__")]
    result = result.numpy() if hasattr(result, "numpy") else np.asarray(result)
    assert result.dtype == expected.dtype
    if EARLIER_PILLOW and name.endswith(("/pil", "/pil_gray")) and name.startswith("resize_"):
        assert np.abs(result.astype(int) - expected.astype(int)).max() <= 1
    elif EARLIER_PILLOW and name == "chain/pil":  # contrast and saturation multiply that
        assert np.abs(result - expected).max() <= 3.5 / 255
    else:
        np.testing.assert_array_equal(result, expected)


def test_every_frozen_result_is_compared():
    assert sorted(EXPECTED.files) == sorted(name.replace("/", "__") for name in CASES)
