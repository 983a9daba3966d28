"""ToTensor, Normalize and Transpose: dtypes, scaling and the order of dimensions."""

import numpy as np
import pytest
from PIL import Image

import paddle
import paddle.vision.transforms as T
from tests.vision.transforms.cases import RGB


def test_bytes_are_scaled():
    tensor = T.ToTensor()(RGB)
    assert tensor.shape == [3, 10, 13] and tensor.dtype == paddle.float32
    np.testing.assert_allclose(tensor.numpy(), RGB.transpose(2, 0, 1) / 255, rtol=1e-6)
    assert T.to_tensor(np.full((2, 2), 255, "uint8")).numpy().max() == 1.0


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_other_types_keep_type_and_range(dtype):
    tensor = T.to_tensor(RGB.astype(dtype), "HWC")
    np.testing.assert_array_equal(tensor.numpy(), RGB.astype(dtype))
    assert tensor.numpy().dtype == dtype


def test_the_tensor_has_its_own_memory():
    image = np.zeros((2, 2), "float32")
    tensor = T.to_tensor(image)
    image[:] = 5
    assert tensor.numpy().sum() == 0


@pytest.mark.parametrize(
    ("mode", "shape", "dtype"),
    [
        ("1", [1, 10, 13], "float32"),
        ("L", [1, 10, 13], "float32"),
        ("P", [1, 10, 13], "float32"),
        ("I", [1, 10, 13], "int32"),
        ("F", [1, 10, 13], "float32"),
        ("LA", [2, 10, 13], "float32"),
        ("YCbCr", [3, 10, 13], "float32"),
        ("RGBA", [4, 10, 13], "float32"),
    ],
)
def test_modes_of_pil(mode, shape, dtype):
    tensor = T.to_tensor(Image.fromarray(RGB).convert(mode))
    assert tensor.shape == shape and tensor.numpy().dtype == dtype
    if mode == "1":
        assert set(np.unique(tensor.numpy())) == {0.0, 1.0}


def test_sixteen_bits_become_int32():
    deep = np.array([[0, 40000]], "uint16")
    for image in (deep, Image.fromarray(deep)):
        tensor = T.to_tensor(image)
        assert tensor.numpy().dtype == np.int32 and tensor.numpy().ravel().tolist() == [0, 40000]


def test_a_tensor_stays_as_it_is():
    tensor = T.to_tensor(RGB)
    assert T.to_tensor(tensor) is tensor


def test_normalize_chw_and_hwc_agree():
    mean, std = [10.0, 20.0, 30.0], [2.0, 3.0, 4.0]
    expected = (RGB.astype("float32") - np.array(mean, "float32")) / np.array(std, "float32")
    np.testing.assert_array_equal(T.normalize(RGB, mean, std, "HWC"), expected)
    chw = T.Normalize(mean, std)(RGB.transpose(2, 0, 1))
    np.testing.assert_array_equal(chw, expected.transpose(2, 0, 1))
    assert chw.dtype == np.float32


def test_normalize_to_rgb_reverses_the_channels():
    image = RGB.astype("float32")
    np.testing.assert_array_equal(T.normalize(image, 0, 1, "HWC", True), image[..., ::-1])
    chw = image.transpose(2, 0, 1)
    np.testing.assert_array_equal(T.normalize(chw, 0, 1, "CHW", True), chw[::-1])


def test_normalize_of_the_slides():
    image = Image.fromarray(np.full((28, 28), 128, "uint8"))
    got = T.Normalize(mean=[0.0], std=[256.0])(image)
    assert got.shape == (1, 28, 28) and got.dtype == np.float32
    np.testing.assert_array_equal(got, 0.5)


def test_normalize_keeps_double_precision():
    assert T.normalize(RGB.astype("float64"), 1, 2, "HWC").dtype == np.float64


def test_normalize_number_stands_for_three_channels():
    transform = T.Normalize(127.5, 2)
    assert transform.mean == [127.5] * 3 and transform.std == [2] * 3


@pytest.mark.parametrize("image", [RGB, Image.fromarray(RGB)])
def test_transpose(image):
    np.testing.assert_array_equal(T.Transpose()(image), RGB.transpose(2, 0, 1))
    np.testing.assert_array_equal(T.Transpose((1, 0, 2))(image), RGB.transpose(1, 0, 2))
    assert T.Transpose()(RGB[..., 0]).shape == (1, 10, 13)


@pytest.mark.parametrize("formats", [("CHW", "CHW"), ("HWC", "HWC")])
@pytest.mark.parametrize("mode", ["RGB", "L", "1", "I;16"])
@pytest.mark.parametrize("statistics", [([0.5, 0.4, 0.3], [0.2, 0.3, 0.4]), ([0.5], [0.25])])
def test_to_tensor_and_normalize_in_a_chain_give_what_they_give_alone(formats, mode, statistics):
    noise = np.random.RandomState(0).randint(0, 256, (6, 5, 3)).astype("uint8")
    picture = Image.fromarray(noise) if mode == "RGB" else Image.new(mode, (5, 6), 1)
    first, second = T.ToTensor(formats[0]), T.Normalize(*statistics, formats[1])
    alone = second(first(picture))
    chained = T.Compose([first, second])(picture)
    assert type(chained) is type(alone) and chained.dtype == alone.dtype
    np.testing.assert_array_equal(chained.numpy(), alone.numpy())
    np.testing.assert_array_equal(np.asarray(Image.fromarray(noise)), noise)


def test_a_subclass_in_a_chain_does_its_own():
    class Louder(T.Normalize):
        def _apply_image(self, img):
            return super()._apply_image(img) * 10

    chain = T.Compose([T.ToTensor(), Louder([0.0] * 3, [1.0] * 3)])
    assert float(chain(np.full((2, 2, 3), 255, "uint8")).max()) == pytest.approx(10.0)
    both = T.Compose([T.ToTensor(keys=("image", None)), T.Normalize([0.5] * 3, [0.5] * 3)])
    image, label = both((np.full((2, 2, 3), 255, "uint8"), 7))
    assert float(image.max()) == pytest.approx(1.0) and label == 7


def test_normalize_writes_neither_to_its_tensor_nor_to_its_array():
    for image in (paddle.ones([3, 4, 4]), np.ones((3, 4, 4), "float32")):
        T.Normalize([0.5] * 3, [0.5] * 3)(image)
        assert float(np.asarray(image).min()) == 1.0
    tracked = paddle.ones([3, 4, 4])
    tracked.stop_gradient = False
    T.Normalize([0.5] * 3, [0.5] * 3)(tracked).sum().backward()
    assert float(tracked.grad.numpy().min()) == 2.0


def test_chained_statistics_that_do_not_fit_are_explained():
    chain = T.Compose([T.ToTensor(), T.Normalize([0.5] * 4, [0.5] * 4)])
    with pytest.raises(ValueError, match="got 4 for an image of shape"):
        chain(np.zeros((4, 4, 3), "uint8"))
