"""Pictures, sound and numbers of every type and shape, NaN and infinities among them."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from visualdl import LogReader, LogWriter
from visualdl.component import audio, checks, embedding, histogram, image, scalar

WHOLE = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
REAL = ("float16", "float32", "float64", "longdouble")
SHAPES = {
    "HW": (4, 5), "HWC1": (4, 5, 1), "HWC2": (4, 5, 2), "HWC3": (4, 5, 3), "HWC4": (4, 5, 4),
    "CHW1": (1, 4, 5), "CHW2": (2, 4, 5), "CHW3": (3, 4, 5), "CHW4": (4, 4, 5),
    "NCHW3": (1, 3, 4, 5), "NHWC4": (1, 4, 5, 4), "HW1": (1, 1), "HWC3 thin": (1, 7, 3),
}  # fmt: skip


def pixels(img: Any, **options: Any) -> Any:
    """Gives what is in the PNG of an image."""
    (value,) = image.to_record("i", img, 0, **options).values
    return image.from_record(value)


def samples(sound: Any) -> Any:
    """Gives what is in the WAV of a sound."""
    (value,) = audio.to_record("a", sound, 0).values
    return audio.from_record(value)[1]


@pytest.fixture(autouse=True)
def no_warnings() -> Any:
    """NumPy has nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# -- pictures --------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["bool", *WHOLE, *REAL])
@pytest.mark.parametrize("shape", SHAPES)
def test_pictures(shape: str, kind: str) -> None:
    size = SHAPES[shape]
    axes = shape.split()[0].rstrip("1234")
    levels = np.arange(np.prod(size)).reshape(size) % 120
    if kind == "bool":
        given, want = levels % 2 == 1, levels % 2 * 255
    elif kind in REAL:
        given = (levels / 128).astype(kind)  # exact in all of them
        want = (given.astype(np.float64) * 255).astype(np.uint8)
    else:
        given, want = levels.astype(kind), levels * (255 if levels.max() <= 1 else 1)
    order = [axes.index(axis) for axis in "HWC" if axis in axes]
    want = (want[0] if axes[0] == "N" else want).transpose(
        [axis - (axes[0] == "N") for axis in order]
    )
    want = want[:, :, 0] if want.ndim == 3 and want.shape[2] == 1 else want
    for form in (given, given[..., ::-1][..., ::-1], np.asfortranarray(given)):
        found = pixels(form, dataformats=axes)
        assert found.dtype == np.uint8 and np.array_equal(found, want)
    assert np.array_equal(pixels(given.tolist(), dataformats=axes), want)


@pytest.mark.parametrize("kind", REAL)
def test_pictures_with_numbers_that_are_none(kind: str) -> None:
    given = np.array([[np.nan, np.inf, -np.inf, 0.5, 1.0, 0.0]], kind)
    found = pixels(given)
    assert found[0, :3].tolist() == [0, 255, 0]
    assert pixels(np.full((2, 2, 3), np.nan, kind)).max() == 0


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [(kind, np.iinfo(kind).min, np.iinfo(kind).max) for kind in WHOLE],
)
def test_pictures_of_extremes(kind: str, least: int, most: int) -> None:
    found = pixels(np.array([[least, 2, most]], kind))
    assert found.tolist() == [[0, 2, min(most, 255)]]


def test_pictures_of_pillow_and_of_other_byte_orders() -> None:
    for mode, shape in (("L", (2, 3)), ("RGB", (2, 3, 3)), ("RGBA", (2, 3, 4)), ("LA", (2, 3, 2))):
        values = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
        assert np.array_equal(pixels(Image.fromarray(values, mode)), values) or mode == "LA"
        assert np.array_equal(pixels(values.astype(">i4")), values)
        assert np.array_equal(pixels(values.astype(">f8")), values)
    locked = np.arange(6, dtype=np.uint8).reshape(2, 3)
    locked.flags.writeable = False
    assert np.array_equal(pixels(locked), locked)


def test_pictures_of_tensors() -> None:
    import torch

    import paddle

    grey = np.array([[0.0, 0.25], [0.5, 1.0]])
    want = (grey * 255).astype(np.uint8)
    for kind in ("float16", "bfloat16", "float32", "float64"):
        assert np.array_equal(pixels(paddle.to_tensor(grey).astype(kind)), want), kind
        assert np.array_equal(pixels(torch.tensor(grey).to(getattr(torch, kind))), want), kind
    for kind in ("uint8", "int32", "int64"):
        assert np.array_equal(pixels(paddle.to_tensor(want).astype(kind)), want)


def test_bfloat16() -> None:
    """`numpy()` of paddle gives its bits as uint16, that of torch is refused."""
    import torch

    import paddle

    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = [0.5, 0.25, 3.0]
    for given in (
        paddle.to_tensor(values).astype("bfloat16"),
        torch.tensor(values, dtype=torch.bfloat16, requires_grad=True),
        np.array(values, ml_dtypes.bfloat16),
    ):
        assert checks.array(given, "x").tolist() == values
        assert checks.array([given, given], "x").tolist() == [values, values]
        assert [checks.real(value, "x") for value in given] == values
    assert checks.real(np.array(2, ml_dtypes.float8_e5m2), "x") == 2.0


# -- sound -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("kind", [*WHOLE[1:], *REAL])
def test_sound(kind: str, channels: int) -> None:
    numbers = np.arange(20 * channels).reshape(20, channels)
    if kind in REAL:
        given = (numbers / 128 - (numbers % 2)).astype(kind)  # exact in all of them
        want = (given.astype(np.float64) * 32767).astype(np.int16)
    else:
        given, want = numbers.astype(kind), numbers
    for form in (given, given.T, given[::-1][::-1], given.tolist(), given.astype(given.dtype)):
        if channels == 1 and form is not given:
            form = np.asarray(form).reshape(-1)
        assert np.array_equal(samples(form), want)
    if kind not in ("int8", "float16"):
        assert np.array_equal(samples(given.astype(given.dtype.newbyteorder(">"))), want)


@pytest.mark.parametrize("kind", REAL)
def test_loud_sound(kind: str) -> None:
    given = np.array([0.0, 1.0, -1.0, 1.5, -30000.0], kind)
    assert samples(given)[:, 0].tolist() == [0, 32767, -32767, 32767, -32767]
    for odd in (np.nan, np.inf, -np.inf):
        given[0] = odd
        with pytest.raises(ValueError, match=r"^audio_array: expected finite"):
            samples(given)


@pytest.mark.parametrize("kind", WHOLE[2:])
def test_sound_of_extremes(kind: str) -> None:
    limits = np.iinfo(kind)
    for most in {limits.min, limits.max} - {0}:
        given = np.array([0, most], kind)
        if -32768 <= most <= 32767:
            assert samples(given)[:, 0].tolist() == [0, most]
            continue
        with pytest.raises(ValueError, match=r"^audio_array: expected whole numbers of 16 bits"):
            samples(given)


def test_sound_of_one_sample_and_of_tensors() -> None:
    import torch

    import paddle

    for given in (0.5, [0.5], [[0.5]], paddle.to_tensor(0.5), torch.tensor([0.5])):
        assert samples(given).tolist() == [[16383]]
    assert samples(paddle.to_tensor([0.5, 0.25]).astype("bfloat16")).tolist() == [[16383], [8191]]
    assert samples(torch.tensor([3, -3], dtype=torch.int16)).tolist() == [[3], [-3]]


# -- numbers ---------------------------------------------------------------------------------------
def test_scalars(tmp_path: Path) -> None:
    given: list[Any] = [True, 3, 0.1, Fraction(1, 2), np.array(2.5), np.array([[1.5]]), 10**400]
    given += [np.ones((), kind) for kind in ("bool", *WHOLE, *REAL)]
    given += [float("nan"), np.float32("inf"), np.float64(-1e300), 5e-324, -0.0]
    with LogWriter(tmp_path) as writer:
        kept = []
        for step, value in enumerate(given):
            try:
                writer.add_scalar("x", value, step)
                writer.add_scalars("y", {"x": value}, step)
                kept.append((step, value))
            except ValueError as error:
                assert value == 10**400 and str(error).startswith("value: ")
    reader = LogReader(file_path=writer.file_name)
    alone = [repr(row.value) for row in reader.get_data("scalar", "x")]
    assert alone == [repr(row.tag_value.value) for row in reader.get_data("scalars", "y")]
    with np.errstate(over="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = [repr(float(np.float32(np.asarray(float(value))))) for _, value in kept]
    assert alone == want
    for row in reader.get_data("scalar", "x"):
        assert json.dumps(scalar.to_json(row), allow_nan=False)


@pytest.mark.parametrize("kind", ["bool", *WHOLE, *REAL])
def test_histograms(kind: str) -> None:
    values = (np.arange(40) % 7).reshape(4, 2, 5).astype(kind)
    (value,) = histogram.to_record("h", values, 0, buckets=6).values
    counts, edges = histogram.from_record(value)
    want = np.histogram(values.astype(np.float64), 6)
    assert counts == want[0].tolist() and np.allclose(edges, want[1])
    low, high = (
        (0, 1) if kind == "bool"
        else (np.iinfo(kind).min, np.iinfo(kind).max) if kind in WHOLE
        else (np.finfo(kind).min, np.finfo(kind).max)
    )  # fmt: skip
    if kind == "longdouble":
        low, high = np.finfo(float).min, np.finfo(float).max
    (value,) = histogram.to_record("h", np.array([low, high, low], kind), 0, buckets=4).values
    counts, edges = histogram.from_record(value)
    assert counts == [2, 0, 0, 1] and edges[0] == float(low) and edges[-1] == float(high)


def test_vectors_with_numbers_that_are_none() -> None:
    given = [[np.nan, np.inf], [-np.inf, 1e300], [1e-300, 0.1]]
    (value,) = embedding.to_record("e", given).values
    matrix, labels, _ = embedding.from_record(value)
    want = np.array([[np.nan, np.inf], [-np.inf, np.inf], [0, np.float32(0.1)]], np.float32)
    assert np.array_equal(matrix, want, equal_nan=True) and labels == [["0"], ["1"], ["2"]]
    for kind in ("bool", *WHOLE, *REAL):
        (value,) = embedding.to_record("e", np.eye(2, 3, dtype=kind)).values
        assert np.array_equal(embedding.from_record(value)[0], np.eye(2, 3))


def test_vectors_of_unequal_lengths_in_a_log() -> None:
    """Other programs may have written them: what has not the length of the first is left out."""
    (value,) = embedding.to_record("e", np.eye(3), list("abc")).values
    del value.embeddings.embeddings[1].vectors[2:]
    matrix, labels, _ = embedding.from_record(value)
    assert matrix.tolist() == [[1, 0, 0], [0, 0, 1]] and labels == [["a"], ["c"]]
    del value.embeddings.embeddings[:]
    assert embedding.from_record(value)[0].shape == (0, 0)
