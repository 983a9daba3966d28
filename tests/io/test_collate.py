"""Default collation: structure, dtypes and shapes of batches, and errors that name the sample."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from PIL import Image

import paddle
from paddle.io import DataLoader, Dataset
from paddle.io.dataloader.collate import default_collate_fn, default_convert_fn

Pair = collections.namedtuple("Pair", "a b")


class Made(Dataset):
    def __init__(self, make, size: int = 4) -> None:
        self.make, self.size = make, size

    def __getitem__(self, idx: int):
        return self.make(idx)

    def __len__(self) -> int:
        return self.size


def first_batch(make, **options):
    return next(iter(DataLoader(Made(make), batch_size=2, **options)))


def look(batch):
    """Shapes and dtypes in place of Tensors."""
    if isinstance(batch, paddle.Tensor):
        return batch.shape, batch.numpy().dtype.name
    if isinstance(batch, dict):
        return {key: look(value) for key, value in batch.items()}
    if isinstance(batch, list):
        return [look(value) for value in batch]
    return batch


# What PaddlePaddle 2.6.2 gives for the same samples (strings alone end its loop: a slip).
CASES = [
    (lambda i: np.ones((2, 3), "float32"), ([2, 2, 3], "float32")),
    (lambda i: (np.ones(2, "uint8"), np.array([i])), [([2, 2], "uint8"), ([2, 1], "int64")]),
    (lambda i: [np.ones(2, "float16"), i], [([2, 2], "float16"), ([2], "int64")]),
    (lambda i: i, ([2], "int64")),
    (lambda i: i / 2, ([2], "float64")),
    (lambda i: i == 0, ([2], "bool")),
    (lambda i: np.float32(i), ([2], "float32")),
    (lambda i: np.int32(i), ([2], "int32")),
    (lambda i: np.array(i), ([2], "int64")),
    (lambda i: (i, "s", b"b"), [([2], "int64"), ["s", "s"], [b"b", b"b"]]),
    (lambda i: f"s{i}", ["s0", "s1"]),
    (
        lambda i: {"x": np.ones(2, "float32"), "y": i, "z": {"w": 1.0, "s": "q"}},
        {
            "x": ([2, 2], "float32"),
            "y": ([2], "int64"),
            "z": {"w": ([2], "float64"), "s": ["q"] * 2},
        },
    ),
    (
        lambda i: (np.ones(2), (np.ones(3), [i, i])),
        [([2, 2], "float64"), [([2, 3], "float64"), [([2], "int64"), ([2], "int64")]]],
    ),
    (
        lambda i: (paddle.ones([2, 3]), paddle.to_tensor([i])),
        [([2, 2, 3], "float32"), ([2, 1], "int64")],
    ),
    (lambda i: (), []),
]


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize(("make", "expected"), CASES)
def test_structures(make, expected, workers: int) -> None:
    assert look(first_batch(make, num_workers=workers)) == expected


def test_values_stay_with_their_samples() -> None:
    images, labels = first_batch(lambda i: (np.full((2, 2), i, "float32"), i * 10))
    np.testing.assert_array_equal(images.numpy()[:, 0, 0], [0, 1])
    np.testing.assert_array_equal(labels.numpy(), [0, 10])


def test_namedtuples_keep_their_names() -> None:
    batch = first_batch(lambda i: Pair(np.ones(2), i))
    assert type(batch) is Pair
    assert batch.b.shape == [2]


def test_pil_images_become_float_arrays_with_channels_first() -> None:
    gray = np.arange(6, dtype="uint8").reshape(2, 3)
    images, _ = first_batch(lambda i: (Image.fromarray(gray + i), i))
    assert look(images) == ([2, 1, 2, 3], "float32")
    np.testing.assert_array_equal(images.numpy()[1, 0], gray + 1)
    color = np.arange(18, dtype="uint8").reshape(2, 3, 3)
    np.testing.assert_array_equal(
        first_batch(lambda i: Image.fromarray(color)).numpy()[0], color.transpose(2, 0, 1)
    )


def test_unequal_shapes_name_sample_number_and_shapes() -> None:
    loader = DataLoader(Made(lambda i: (i, np.ones(2 + i // 3))), batch_sampler=[[2, 1, 3]])
    with pytest.raises(ValueError) as caught:
        next(iter(loader))
    text = str(caught.value)
    assert "sample 2 has shape [3] at sample[1] where sample 0 has [2]" in text
    assert "sample 2 of the batch is number 3 of the dataset, sample 0 is number 2" in text
    assert "collate_fn" in text


@pytest.mark.parametrize(
    ("batch", "error", "text"),
    [
        ([np.ones(2), 3], ValueError, "expected ndarray in every sample.* sample 1 has int"),
        ([1, "a"], ValueError, "expected int or float.* sample 1 has str"),
        ([2**70, 1], ValueError, "at most 64 bits"),
        ([(1, 2), (1,)], ValueError, "expected 2 fields.* sample 1 has 1"),
        ([[1], 2], ValueError, "expected 1 fields.* sample 1 has int"),
        ([{"a": 1}, {"b": 1}], ValueError, r"expected the keys \['a'\].* sample 1 has \['b'\]"),
        ([{"a": {1, 2}}], TypeError, r"a sample at sample\['a'\] is set"),
        ([(1, None)], TypeError, r"a sample at sample\[1\] is NoneType"),
        ([np.array(["a"])], TypeError, "dtype <U1, which no Tensor can hold"),
        ([np.array([None])], TypeError, "dtype object, which no Tensor can hold"),
    ],
)
def test_refuses(batch, error, text) -> None:
    with pytest.raises(error, match=text):
        default_collate_fn(batch)


def test_tensors_must_agree() -> None:
    one, two = paddle.ones([2]), paddle.ones([3])
    with pytest.raises(ValueError, match=r"sample 1 has shape \[3\] where sample 0 has \[2\]"):
        default_collate_fn([one, two])
    with pytest.raises(ValueError, match=r"expected Tensor in every sample.* sample 1 has float"):
        default_collate_fn([one, 1.0])


def test_numpy_dtypes_without_a_tensor_type_are_refused() -> None:
    with pytest.raises(TypeError, match="dtype uint32 cannot become a Tensor; expected one of"):
        first_batch(lambda i: np.ones(2, "uint32"))


def test_convert_leaves_one_sample_alone() -> None:
    array = np.ones(2)
    sample = default_convert_fn((array, {"n": 1}, "s", Pair(1, 2)))
    assert sample[0] is array
    assert sample[1:] == [{"n": 1}, "s", Pair(1, 2)]
    assert default_convert_fn(Image.new("RGB", (5, 2))).shape == (3, 2, 5)


def test_batch_memory_is_the_loaders_own() -> None:
    kept = np.zeros(3, "float32")
    for options in ({"batch_size": None}, {"collate_fn": lambda samples: samples[0]}):
        batch = next(iter(DataLoader(Made(lambda i: kept), **options)))
        batch.set_value(np.ones(3, "float32"))
        np.testing.assert_array_equal(kept, 0)
