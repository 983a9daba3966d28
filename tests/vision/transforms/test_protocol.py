"""Keys, shared random numbers, chains, seeds and the list that the guide prints."""

import random

import numpy as np
import pytest
from PIL import Image

import paddle
import paddle.core.random as framework_random
import paddle.vision.transforms as T
from tests.vision.transforms.cases import RGB

PIL = Image.fromarray(RGB)


@pytest.fixture
def restored_seed(monkeypatch):
    """Leave other tests the seed they had."""
    monkeypatch.setattr(framework_random, "_seed", framework_random._seed)
    monkeypatch.setattr(framework_random, "_numpy", framework_random._numpy)


class Recording(T.BaseTransform):
    def _get_params(self, inputs):
        return len(inputs)

    def _apply_image(self, image):
        return ("image", image, self.params)

    def _apply_boxes(self, boxes):
        return ("boxes", boxes, self.params)

    def _apply_keypoints(self, keypoints):
        return ("keypoints", keypoints, self.params)


def test_the_guide_prints_the_names():
    printed = (
        "BaseTransform Compose Resize RandomResizedCrop CenterCrop RandomHorizontalFlip "
        "RandomVerticalFlip Transpose Normalize BrightnessTransform SaturationTransform "
        "ContrastTransform HueTransform ColorJitter RandomCrop Pad RandomRotation "
        "Grayscale ToTensor to_tensor hflip vflip resize pad rotate to_grayscale crop "
        "center_crop adjust_brightness adjust_contrast adjust_hue normalize"
    )
    assert " ".join(T.__all__) == printed
    assert all(callable(getattr(T, name)) for name in T.__all__)


def test_one_input_gives_one_output():
    assert Recording()(5) == ("image", 5, 1)
    assert Recording()([5, 6]) == ("image", [5, 6], 1)
    assert Recording()((5,)) == ("image", 5, 1)


def test_keys_name_the_inputs():
    transform = Recording(keys=("image", "boxes", None, "keypoints"))
    got = transform((1, 2, 3, 4, "label"))
    assert got == (("image", 1, 5), ("boxes", 2, 5), 3, ("keypoints", 4, 5), "label")


def test_fewer_inputs_than_keys():
    assert Recording(keys=("image", "boxes"))(1) == ("image", 1, 1)


def test_image_need_not_come_first():
    boxes, image = T.RandomCrop((5, 5), keys=(None, "image"))(("boxes", RGB))
    assert boxes == "boxes" and image.shape == (5, 5, 3)


def test_images_of_one_call_share_the_random_numbers():
    for transform in (
        T.RandomHorizontalFlip(keys=("image", "image")),
        T.RandomCrop(4, keys=("image", "image")),
        T.RandomResizedCrop(4, keys=("image", "image")),
        T.RandomRotation(90, keys=("image", "image")),
        T.ColorJitter(0.5, 0.5, 0.5, 0.5, keys=("image", "image")),
    ):
        for _ in range(8):
            first, second = transform((RGB, RGB.copy()))
            np.testing.assert_array_equal(first, second)


def test_user_transform_in_a_chain():
    class Negative(T.BaseTransform):
        def _apply_image(self, image):
            return 255 - image

    chain = T.Compose([Negative(), T.CenterCrop(2), lambda image: image.astype("int64")])
    got = chain(RGB)
    np.testing.assert_array_equal(got, 255 - RGB[4:6, 6:8].astype("int64"))


def test_compose_prints_its_members():
    class Named:
        def __init__(self, name):
            self.name = name

        def __call__(self, data):
            return data + self.name

        def __repr__(self):
            return self.name

    chain = T.Compose([Named("first"), Named("second")])
    assert repr(chain) == "Compose(\n    first\n    second\n)"
    assert chain(">") == ">firstsecond"


def test_compose_names_the_failing_member():
    with pytest.raises(TypeError) as caught:
        T.Compose([T.Resize(4), T.ToTensor(), T.Resize(3), T.CenterCrop(3)])("x")
    notes = getattr(caught.value, "__notes__", None)
    assert notes is None or "in transform 0 of Compose" in notes[0]


RANDOM = [
    T.RandomHorizontalFlip(),
    T.RandomVerticalFlip(),
    T.RandomCrop(5),
    T.RandomResizedCrop(5),
    T.RandomRotation(60),
    T.BrightnessTransform(0.5),
    T.ColorJitter(0.5, 0.5, 0.5, 0.5),
]


@pytest.mark.usefixtures("restored_seed")
@pytest.mark.parametrize("transform", RANDOM, ids=lambda t: type(t).__name__)
def test_seed_makes_transforms_repeatable(transform):
    def draw():
        return [np.asarray(transform(PIL)) for _ in range(12)]

    paddle.seed(11)
    first, other = draw(), draw()
    random.seed(1)
    np.random.seed(1)
    paddle.seed(11)
    for a, b in zip(first, draw()):
        np.testing.assert_array_equal(a, b)
    assert any(not np.array_equal(a, b) for a, b in zip(first, other))


def test_color_jitter_default_changes_nothing():
    for image in (RGB, RGB.astype("float32") / 255, RGB[..., 0]):
        np.testing.assert_array_equal(T.ColorJitter()(image), image)


def test_ranges_may_be_given():
    got = T.BrightnessTransform((2, 2))(np.array([[10, 200]], "uint8"))
    np.testing.assert_array_equal(got, [[20, 255]])
    got = T.ColorJitter(contrast=(0, 0))(np.array([[100, 200]], "uint8"))
    np.testing.assert_array_equal(got, [[150, 150]])
