"""What each component makes of values, gives back, and refuses; errors name the argument."""

from __future__ import annotations

import io
import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import visualdl
from visualdl import LogReader, LogWriter
from visualdl.component import (
    audio,
    curve,
    embedding,
    histogram,
    hparam,
    image,
    meta,
    scalar,
    text,
)


@pytest.fixture
def writer(tmp_path: Path) -> LogWriter:
    return LogWriter(tmp_path, write_to_disk=True)


def only(record: Any) -> Any:
    """Gives the one value of a record."""
    (value,) = record.values
    return value


class Tensor:
    """What a Tensor is here: something with a method `numpy`."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def numpy(self) -> Any:
        return np.asarray(self.value)


# -- scalars ---------------------------------------------------------------------------------------
def test_scalars(writer: LogWriter) -> None:
    writer.add_scalars("waves", {"sin": 0.5, "cos": Tensor(1e40), "nan": float("nan")}, 3, 2e9 + 1)
    writer.close()
    rows = LogReader(file_path=writer.file_name).get_data("scalars", "waves")
    assert [(row.id, row.tag_value.tag) for row in rows] == [(3, "sin"), (3, "cos"), (3, "nan")]
    shown = [scalar.to_json(row) for row in rows]
    assert shown == [[2 * 10**9 + 1, 3, x] for x in (0.5, "Infinity", "NaN")]
    assert json.dumps(shown, allow_nan=False)


# -- images ----------------------------------------------------------------------------------------
def pixels(img: Any, **options: Any) -> Any:
    """Gives what is in the PNG of an image."""
    return image.from_record(only(image.to_record("i", img, 0, **options)))


COLOURS = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("axes", ["HWC", "CHW", "WCH", "hwc"])
def test_images_of_all_depths(depth: int, axes: str) -> None:
    values = np.arange(4 * 5 * depth, dtype=np.uint8).reshape(4, 5, depth)
    given = values.transpose(["HWC".index(axis) for axis in axes.upper()])
    want = values[:, :, 0] if depth == 1 else values
    assert np.array_equal(pixels(given, dataformats=axes), want)
    assert np.array_equal(pixels(Tensor(given), dataformats=axes), want)


def test_grey_images() -> None:
    grey = COLOURS[:, :, 0]
    assert np.array_equal(pixels(grey, dataformats="HW"), grey)
    assert np.array_equal(pixels(grey), grey)
    assert np.array_equal(pixels(grey.T, dataformats="WH"), grey)


def test_levels() -> None:
    assert pixels(np.array([[0.0, 0.5, 1.0]])).tolist() == [[0, 127, 255]]
    assert pixels(np.array([[0.0, 128.5, 300.0, -4.0]])).tolist() == [[0, 128, 255, 0]]
    assert pixels(np.array([[np.nan, np.inf, -np.inf, 7]])).tolist() == [[0, 255, 0, 7]]
    assert pixels(np.array([[True, False]])).tolist() == [[255, 0]]
    assert pixels(np.array([[0, 1]], np.uint8)).tolist() == [[0, 255]]
    assert pixels(np.array([[0, 1, 2, 999, -1]])).tolist() == [[0, 1, 2, 255, 0]]
    assert pixels(np.array([[0.5]], np.float16)).tolist() == [[127]]
    given = np.array([[0.25, 0.5]])
    pixels(given)
    assert given.tolist() == [[0.25, 0.5]]  # not changed


def test_a_batch_becomes_one_picture() -> None:
    batch = np.stack([np.full((3, 2, 4), 20 * i + 2, np.uint8) for i in range(10)])
    found = pixels(batch, dataformats="NCHW")
    assert found.shape == (4, 32, 3)
    assert found[0, ::4, 0].tolist() == [20 * i + 2 for i in range(8)]
    assert found[2, ::4, 0].tolist() == [162, 182, 0, 0, 0, 0, 0, 0]
    assert np.array_equal(pixels(batch.transpose(0, 2, 3, 1), dataformats="NHWC"), found)


def test_a_matrix_of_images() -> None:
    parts = [np.full((2, 3, 3), 40 * i, np.uint8) for i in range(1, 6)]

    def shape(**options: Any) -> tuple:
        return image.from_record(only(image.matrix_to_record("m", parts, 0, **options))).shape

    assert shape() == (4, 9, 3) and shape(rows=2) == (4, 9, 3)
    assert shape(rows=5) == (10, 3, 3) and shape(rows=1, scale=2.0) == (4, 30, 3)
    mixed = [np.full((4, 4), 9, np.uint8), np.full((2, 2, 3), 5, np.uint8)]
    found = image.from_record(only(image.matrix_to_record("m", mixed, 0, rows=1)))
    assert found.shape == (4, 8, 3) and found[0, 0].tolist() == [9, 9, 9]
    assert found[1:3, 5:7].min() == 5 and found[0, 4:].max() == 0
    batch = np.stack(parts)
    assert image.from_record(only(image.matrix_to_record("m", batch, 0))).shape == (4, 9, 3)


def test_a_figure() -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 1), dpi=50)
    figure.subplots().plot([1, 2])
    assert image.from_record(only(image.figure_to_record("f", figure, 0))).shape[:2] == (50, 100)


def test_a_figure_of_pyplot_is_not_kept(writer: LogWriter) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    other, drawn = pyplot.figure(), pyplot.figure()
    writer.add_figure("f", drawn, 0)
    assert pyplot.get_fignums() == [other.number]
    pyplot.close(other)


@pytest.mark.parametrize(
    ("img", "dataformats", "argument"),
    [
        (np.zeros((2, 2, 5)), "HWC", "img"),
        (np.zeros((2, 2, 2, 2)), "HWC", "img"),
        (np.zeros(3), "HW", "img"),
        (np.zeros((0, 3, 3)), "HWC", "img"),
        (np.zeros((2, 2, 3)), "HW", "img"),
        ("a.png", "HWC", "img"),
        (None, "HWC", "img"),
        ([[1, 2], [3]], "HW", "img"),
        (np.zeros((2, 2), complex), "HW", "img"),
        (np.zeros((2, 2, 3)), "HWD", "dataformats"),
        (np.zeros((2, 2, 3)), "HHC", "dataformats"),
        (np.zeros((2, 2, 3)), None, "dataformats"),
    ],
)
def test_images_that_are_none(img: Any, dataformats: Any, argument: str, writer: LogWriter) -> None:
    with pytest.raises(ValueError, match=f"^{argument}: "):
        writer.add_image("i", img, 0, dataformats=dataformats)


# -- sound -----------------------------------------------------------------------------------------
def test_sound() -> None:
    tone = np.sin(np.arange(100) * 0.3)
    value = only(audio.to_record("a", tone, 2, 4000))
    rate, samples = audio.from_record(value)
    assert rate == 4000 and samples.shape == (100, 1)
    assert np.array_equal(samples[:, 0], (tone * 32767).astype("int16"))
    sound = value.audio
    assert (sound.sample_rate, sound.num_channels, sound.length_frames) == (4000, 1, 100)
    assert sound.content_type == "audio/wav"
    with wave.open(io.BytesIO(sound.encoded_audio_string)) as file:
        assert (file.getsampwidth(), file.getnframes()) == (2, 100)


def test_sound_of_whole_numbers_and_bytes(caplog: pytest.LogCaptureFixture) -> None:
    numbers = np.array([0, 1, -32768, 32767], np.int16)
    raw = np.frombuffer(numbers.tobytes(), np.uint8)
    for given in (numbers, numbers.astype(np.int64), numbers.tolist(), raw, np.array(list(raw))):
        _, samples = audio.from_record(only(audio.to_record("a", given, 0)))
        assert samples[:, 0].tolist() == numbers.tolist()
    _, samples = audio.from_record(only(audio.to_record("a", [0.5, 2.0, -3.0], 0)))
    assert samples[:, 0].tolist() == [16383, 32767, -32767] and "cut off" in caplog.text


def test_channels() -> None:
    pair = np.stack([np.arange(10), -np.arange(10)]).astype(np.int16)
    for given in (pair, pair.T, pair[None]):
        value = only(audio.to_record("a", given, 0))
        assert value.audio.num_channels == 2 and value.audio.length_frames == 10
        assert np.array_equal(audio.from_record(value)[1], pair.T)


@pytest.mark.parametrize(
    ("sound", "rate", "argument"),
    [
        ([], 8000, "audio_array"),
        ([float("nan")], 8000, "audio_array"),
        ([float("inf")], 8000, "audio_array"),
        (np.zeros((2, 3, 4)), 8000, "audio_array"),
        (np.zeros(3, np.uint8), 8000, "audio_array"),
        ([0, 40000], 8000, "audio_array"),
        ("a.wav", 8000, "audio_array"),
        ([0.5], 0, "sample_rate"),
        ([0.5], 0.5, "sample_rate"),
    ],
)
def test_sound_that_is_none(sound: Any, rate: Any, argument: str, writer: LogWriter) -> None:
    with pytest.raises(ValueError, match=f"^{argument}: "):
        writer.add_audio("a", sound, 0, sample_rate=rate)


# -- histograms ------------------------------------------------------------------------------------
def test_histograms() -> None:
    values = np.random.RandomState(0).randn(3, 50)
    counts, edges = np.histogram(values, bins=7)
    for given in (values, Tensor(values), values.tolist()):
        found = histogram.from_record(only(histogram.to_record("h", given, 0, buckets=7)))
        assert found == (counts.tolist(), edges.tolist())
    shown = histogram.to_json(only(histogram.to_record("h", [1, 2, 2, 5], 3, 2e9, buckets=2)))
    assert shown == [2 * 10**9, 3, [[1.0, 3.0, 3.0], [3.0, 5.0, 1.0]]]


@pytest.mark.parametrize(
    "values",
    [
        [],
        [float("nan")],
        [float("nan"), float("inf"), 1.0, 2.0],
        [3.0],
        3.0,
        [True, False],
        [1e308, -1e308],
        [1.0, 1.0 + 2e-16],
        [1e20, 1e20],
        np.array([1.0, 1.0 + 2e-7], np.float32),
        np.array([1, 200], np.uint8),
    ],
)
def test_histograms_of_odd_values(values: Any) -> None:
    value = only(histogram.to_record("h", values, 0))
    counts, edges = histogram.from_record(value)
    assert sum(counts) == np.isfinite(np.asarray(values, float)).sum()
    assert len(edges) == len(counts) + 1 == 11 and np.isfinite(edges).all()
    assert edges == sorted(edges)
    assert json.dumps(histogram.to_json(value), allow_nan=False)


def test_edges_of_buckets() -> None:
    counts, edges = histogram.from_record(
        only(histogram.to_record("h", [0, 1, 2, 9], 0, buckets=[0, 1.5, 3]))
    )
    assert (counts, edges) == ([2, 1], [0, 1.5, 3])


@pytest.mark.parametrize(
    ("values", "buckets", "argument"),
    [
        ("abc", 10, "values"),
        ([[1], [2, 3]], 10, "values"),
        ([1], 0, "buckets"),
        ([1], "auto", "buckets"),
        ([1], [3, 2], "buckets"),
        ([1], [3], "buckets"),
    ],
)
def test_histograms_that_are_none(
    values: Any, buckets: Any, argument: str, writer: LogWriter
) -> None:
    with pytest.raises(ValueError, match=f"^{argument}: "):
        writer.add_histogram("h", values, 0, buckets=buckets)


# -- curves ----------------------------------------------------------------------------------------
def test_curves_count_what_they_say() -> None:
    drawn = np.random.RandomState(3)
    labels, predictions, weights = drawn.randint(2, size=60), drawn.rand(60), drawn.rand(60)
    for heavy in (None, 2.0, weights):
        share = np.ones(60) if heavy is None else np.broadcast_to(heavy, 60)
        pr = only(curve.to_pr_record("pr", labels, predictions, 1, 7, heavy)).pr_curve
        roc = only(curve.to_roc_record("roc", labels, predictions, 1, 7, heavy)).roc_curve
        for number in range(7):
            taken = np.floor(predictions * 6) >= number
            tp, fp = share[taken & (labels == 1)].sum(), share[taken & (labels == 0)].sum()
            fn, tn = share[~taken & (labels == 1)].sum(), share[~taken & (labels == 0)].sum()
            for found in (pr, roc):
                got = [found.TP[number], found.FP[number], found.TN[number], found.FN[number]]
                assert np.allclose(got, np.floor([tp, fp, tn, fn]), atol=1)
            assert pr.precision[number] == pytest.approx(tp / max(tp + fp, 1e-7))
            assert pr.recall[number] == pytest.approx(tp / max(tp + fn, 1e-7))
            assert roc.tpr[number] == pytest.approx(tp / max(tp + fn, 1e-7))
            assert roc.fpr[number] == pytest.approx(fp / max(fp + tn, 1e-7))


def test_curves_of_half_precision_count_as_those_of_whole() -> None:
    drawn = np.random.RandomState(4)
    labels, half = drawn.randint(2, size=500), drawn.rand(500).astype(np.float16)
    for number in (10, 1000, 100_000):  # the last is more than 16 bits hold
        half_made = only(curve.to_roc_record("c", labels, half, 0, number, walltime=5))
        whole = only(curve.to_roc_record("c", labels, half.astype(float), 0, number, walltime=5))
        assert half_made == whole


def test_curves_take_lists_tensors_and_columns() -> None:
    labels, predictions = np.array([0, 1, 1, 0]), np.array([0.0, 1.0, 0.5, 0.25])
    want = only(curve.to_pr_record("c", labels, predictions, 0, walltime=5))
    for given in (labels.tolist(), labels[:, None], Tensor(labels), labels == 1, labels * 1.0):
        assert only(curve.to_pr_record("c", given, predictions[:, None], 0, walltime=5)) == want
    shown = curve.to_json(want)
    assert len(shown) == 9 and shown[:2] == [5000, 0] and shown[8] == [i / 10 for i in range(1, 11)]
    assert shown[4] == list(want.pr_curve.TP) and shown[2] == list(want.pr_curve.precision)


def test_a_class_that_is_missing() -> None:
    for label in (0, 1):
        value = only(curve.to_roc_record("c", [label] * 4, [0.1, 0.2, 0.3, 0.4]))
        assert json.dumps(curve.to_json(value), allow_nan=False)


@pytest.mark.parametrize("kind", ["add_pr_curve", "add_roc_curve"])
@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"labels": [0, 2]}, "labels"),
        ({"labels": [0, float("nan")]}, "labels"),
        ({"labels": [], "predictions": []}, "labels"),
        ({"labels": ["a", "b"]}, "labels"),
        ({"predictions": [0.5]}, "predictions"),
        ({"predictions": [0.5, float("nan")]}, "predictions"),
        ({"predictions": [0.5, 1.5]}, "predictions"),
        ({"predictions": [0.5, -0.1]}, "predictions"),
        ({"num_thresholds": 0}, "num_thresholds"),
        ({"num_thresholds": 2.5}, "num_thresholds"),
        ({"weights": [1.0, 2.0, 3.0]}, "weights"),
        ({"weights": -1.0}, "weights"),
        ({"weights": float("nan")}, "weights"),
    ],
)
def test_curves_that_are_none(
    kind: str, arguments: dict[str, Any], argument: str, writer: LogWriter
) -> None:
    given = {"tag": "c", "labels": [0, 1], "predictions": [0.5, 1.0], **arguments}
    with pytest.raises(ValueError, match=f"^{argument}: "):
        getattr(writer, kind)(**given)


# -- vectors ---------------------------------------------------------------------------------------
MATRIX = np.arange(12.0).reshape(4, 3)


def vectors(*args: Any, **options: Any) -> tuple[Any, Any, Any]:
    """Gives matrix, labels and header as they are read back."""
    return embedding.from_record(only(embedding.to_record("e", *args, **options)))


def test_vectors_in_both_spellings() -> None:
    for found in (
        vectors(MATRIX, list("abcd")),
        vectors(mat=Tensor(MATRIX), metadata=np.array(list("abcd"))),
        vectors(labels=list("abcd"), hot_vectors=MATRIX.tolist()),
        vectors(list("abcd"), MATRIX.tolist()),  # the guide's order, by place
    ):
        assert np.array_equal(found[0], MATRIX) and found[0].dtype == np.float32
        assert found[1:] == ([["a"], ["b"], ["c"], ["d"]], [])
    assert vectors(MATRIX)[1] == [["0"], ["1"], ["2"], ["3"]]
    assert vectors(MATRIX, [1, 2.5, None, True])[1] == [["1"], ["2.5"], ["None"], ["True"]]


def test_columns_of_labels() -> None:
    rows = [["a", "1"], ["b", "2"], ["c", "3"], ["d", "4"]]
    columns = [list(column) for column in zip(*rows)]
    assert vectors(MATRIX, columns)[1:] == (rows, ["label_0", "label_1"])
    assert vectors(MATRIX, columns, ["x", "y"])[1:] == (rows, ["x", "y"])
    assert vectors(MATRIX, rows, labels_meta=["x", "y"])[1:] == (rows, ["x", "y"])
    value = only(embedding.to_record("e", MATRIX, columns, ["x\ty", "z"]))
    assert embedding.to_table(value).splitlines()[:2] == ['"x\ty"\tz', "a\t1"]
    assert embedding.shape(value) == [4, 3] == embedding.to_json(value)["shape"]


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({}, "mat"),
        ({"mat": [1.0, 2.0]}, "mat"),
        ({"mat": [[1.0], [2.0, 3.0]]}, "mat"),
        ({"mat": np.zeros((0, 3))}, "mat"),
        ({"mat": MATRIX, "hot_vectors": MATRIX}, "hot_vectors"),
        ({"mat": MATRIX, "metadata": list("abcd"), "labels": list("abcd")}, "labels"),
        ({"mat": MATRIX, "metadata": list("abc")}, "metadata"),
        ({"mat": MATRIX, "metadata": "abcd"}, "metadata"),
        ({"mat": MATRIX, "metadata": 4}, "metadata"),
        ({"mat": MATRIX, "metadata": [["a"], ["b", "c"]]}, "metadata"),
        ({"mat": MATRIX, "metadata": [["a"], "b", "c", "d"]}, "metadata"),
        ({"mat": MATRIX, "metadata": list("abcd"), "metadata_header": ["x", "y"]}, "metadata_hea"),
        ({"mat": MATRIX, "metadata_header": "x"}, "metadata_header"),
    ],
)
def test_vectors_that_are_none(arguments: dict[str, Any], argument: str, writer: LogWriter) -> None:
    with pytest.raises(ValueError, match=f"^{argument}"):
        writer.add_embeddings("e", **arguments)


# -- hyper-parameters, names, texts ----------------------------------------------------------------
def test_hyper_parameters(writer: LogWriter) -> None:
    given = {
        "lr": 0.1, "n": 3, "name": "sgd", "on": True, "none": None, "np": np.float32(0.5),
        "np_int": np.int64(4), "tensor": Tensor([7.5]), "inf": float("inf"),
    }  # fmt: skip
    value = only(hparam.to_record(given, ["loss", "acc"]))
    settings, metrics = hparam.from_record(value)
    assert settings == {
        "lr": 0.1, "n": 3, "name": "sgd", "on": 1, "np": 0.5, "np_int": 4, "tensor": 7.5,
        "inf": float("inf"),
    }  # fmt: skip
    assert metrics == ["loss", "acc"] and (value.tag, value.id) == ("hparam", 1)
    assert json.dumps(hparam.to_json(value), allow_nan=False)
    for arguments, argument in (
        ((3, []), "hparams_dict"),
        (({"a": np.zeros(3)}, []), "hparams_dict"),
        (({"a": Tensor([1.0, 2.0])}, []), "hparams_dict"),
        (({1: 2}, []), "hparams_dict"),
        (({"a": 1 << 70}, []), "hparams_dict"),
        (({}, "loss"), "metrics_list"),
        (({}, [1]), "metrics_list"),
    ):
        with pytest.raises(ValueError, match=f"^{argument}"):
            writer.add_hparams(*arguments)


def test_hyper_parameters_of_other_types_are_texts() -> None:
    """`vars(parser.parse_args())` has lists, paths and functions among them."""
    given = {
        "widths": [64, 32], "betas": (0.9, 0.99), "data": Path("a/b"), "what": {"x": None},
        "type": np.float32, "call": np.mean, "empty": [],
        "dtype": np.dtype("int8"),
    }  # fmt: skip
    settings, _ = hparam.from_record(only(hparam.to_record(given, [])))
    assert settings == {
        "widths": "[64, 32]", "betas": "(0.9, 0.99)", "data": str(Path("a/b")),
        "what": "{'x': None}", "type": "float32", "call": "mean", "empty": "[]",
        "dtype": "int8",
    }  # fmt: skip


def test_texts_and_names() -> None:
    value = only(text.to_record("t", "# 一\n<script>", 2, 2e9))
    assert text.from_record(value) == "# 一\n<script>"
    assert text.to_json(value) == {"step": 2, "wallTime": 2 * 10**9}
    assert meta.from_record(only(meta.to_record(display_name="一"))) == "一"


@pytest.mark.parametrize("tag", ["", None, 3, "50%", "\ud800", b"x", ["x"]])
def test_tags_that_are_none(tag: Any, writer: LogWriter) -> None:
    picture = np.zeros((2, 2, 3))
    calls = [
        (writer.add_scalar, (1.0, 0)),
        (writer.add_scalars, ({"x": 1.0}, 0)),
        (writer.add_image, (picture, 0)),
        (writer.add_image_matrix, ([picture], 0)),
        (writer.add_audio, ([0.5], 0)),
        (writer.add_text, ("words", 0)),
        (writer.add_histogram, ([1.0], 0)),
        (writer.add_pr_curve, ([0, 1], [0.5, 0.5], 0)),
        (writer.add_roc_curve, ([0, 1], [0.5, 0.5], 0)),
        (writer.add_embeddings, (MATRIX,)),
        (writer.add_meta, ()),
    ]
    for call, arguments in calls:
        with pytest.raises(ValueError, match=r"^(main_)?tag: "):
            call(tag, *arguments)  # type: ignore[operator]


@pytest.mark.parametrize("tag", ["a/b/../c", "<script>alert(1)</script>", "准确率", " ", "a" * 999])
def test_tags_that_are_odd(tag: str, writer: LogWriter) -> None:
    writer.add_scalar(tag, 1.0, 0)
    writer.add_histogram(tag, [1.0], 0)
    writer.close()
    tags = LogReader(file_path=writer.file_name).get_tags()
    assert tags["scalar"] == tags["histogram"] == [tag]


@pytest.mark.parametrize(
    ("call", "arguments", "argument"),
    [
        ("add_scalar", ("x", "one", 0), "value"),
        ("add_scalar", ("x", "", 0), "value"),
        ("add_scalar", ("x", None, 0), "value"),
        ("add_scalar", ("x", [1.0, 2.0], 0), "value"),
        ("add_scalar", ("x", np.zeros(2), 0), "value"),
        ("add_scalar", ("x", 1j, 0), "value"),
        ("add_scalar", ("x", 1.0, 1.5), "step"),
        ("add_scalar", ("x", 1.0, "1"), "step"),
        ("add_scalar", ("x", 1.0, float("nan")), "step"),
        ("add_scalar", ("x", 1.0, 1 << 63), "step"),
        ("add_scalar", ("x", 1.0, 0, "now"), "walltime"),
        ("add_scalar", ("x", 1.0, 0, float("nan")), "walltime"),
        ("add_scalars", ("x", [1.0], 0), "tag_scalar_dict"),
        ("add_scalars", ("x", {"a": "b"}, 0), "tag_scalar_dict"),
        ("add_scalars", ("x", {1: 2.0}, 0), "tag_scalar_dict"),
        ("add_text", ("x", 3, 0), "text_string"),
        ("add_text", ("x", "\udc00", 0), "text_string"),
        ("add_figure", ("x", np.zeros((2, 2, 3)), 0), "figure"),
        ("add_image_matrix", ("x", [], 0), "imgs"),
        ("add_image_matrix", ("x", [np.zeros((2, 2, 7))], 0), "imgs"),
        ("add_image_matrix", ("x", [np.zeros((2, 2, 3))], 0, 2), "rows"),
        ("add_image_matrix", ("x", [np.zeros((2, 2, 3))], 0, 1, 0.0), "scale"),
        ("add_meta", ("x", 3), "display_name"),
    ],
)
def test_values_that_are_none(
    call: str, arguments: tuple, argument: str, writer: LogWriter
) -> None:
    with pytest.raises(ValueError, match=f"^{argument}"):
        getattr(writer, call)(*arguments)
    assert len(LogReader(file_path=writer.file_name).tags()) == 1


# -- models ----------------------------------------------------------------------------------------
def test_log_model(writer: LogWriter) -> None:
    import paddle

    layer = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.Linear(3, 2))
    layer(paddle.ones([5, 4])).sum().backward()
    visualdl.log_model(writer, layer, 7, buckets=5)
    writer.close()
    reader = LogReader(file_path=writer.file_name)
    tags = reader.get_tags()["histogram"]
    names = {f"{i}/{kind}" for i in (0, 1) for kind in ("weight", "bias")}
    assert {tag for tag in tags if tag.startswith("weights/")} == {f"weights/{n}" for n in names}
    assert {tag for tag in tags if tag.startswith("gradients/")} == {
        f"gradients/{name}" for name in names
    }
    (row,) = reader.get_data("histogram", "weights/0/weight")
    assert row.id == 7 and sum(row.histogram.hist) == 12 and len(row.histogram.hist) == 5
    scaled = layer.to(dtype="bfloat16")
    scaled(paddle.ones([5, 4], "bfloat16")).sum().backward()
    with LogWriter(writer.logdir) as other:
        visualdl.log_model(other, scaled, 0, weights=False, scale=4.0)
    (row,) = LogReader(file_path=other.file_name).get_data("histogram", "gradients/1/bias")
    assert row.histogram.bin_edges[0] <= 2.5 <= row.histogram.bin_edges[-1] < 4
    layer.clear_gradients()
    with LogWriter(writer.logdir) as other:
        visualdl.log_model(other, layer, 8, gradients=False)
    assert not [tag for tag in LogReader(file_path=other.file_name).tags() if "gradients" in tag]
    with pytest.raises(ValueError, match=r"^layer: "):
        visualdl.log_model(writer, None, 0)


def test_tensors_of_paddle_and_torch(writer: LogWriter) -> None:
    import torch

    import paddle

    kept = torch.ones(3, requires_grad=True)
    writer.add_scalar("s", paddle.to_tensor(0.5), 0)
    writer.add_scalar("s", paddle.to_tensor([0.5]), paddle.to_tensor(1))
    writer.add_scalar("s", kept.mean() / 2, 2)
    writer.add_histogram("h", kept, 0)
    writer.add_histogram("h", kept.to(torch.bfloat16), 1)
    writer.add_image("i", paddle.ones([3, 2, 2]), 0, dataformats="CHW")
    writer.add_embeddings("e", paddle.ones([2, 3]), ["a", "b"])
    writer.add_pr_curve("p", paddle.to_tensor([0, 1]), paddle.to_tensor([0.25, 0.5]), 0)
    writer.close()
    reader = LogReader(file_path=writer.file_name)
    rows = reader.get_data("scalar", "s")
    assert [(row.id, row.value) for row in rows] == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert [sum(row.histogram.hist) for row in reader.get_data("histogram", "h")] == [3, 3]
