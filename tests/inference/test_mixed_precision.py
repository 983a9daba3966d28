"""convert_to_mixed_precision: half the size, the numbers of rounded parameters."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.inference import PlaceType, PrecisionType, convert_to_mixed_precision, create_predictor
from tests.inference.conftest import config_of, ones
from tests.jit.cases.model_cases import read_case

X = np.random.RandomState(0).rand(2, 1, 28, 28).astype("float32")


def convert(models, folder, precision, **options):
    source, target = str(models / "lenet"), str(folder / "made" / "lenet")
    convert_to_mixed_precision(
        f"{source}.pdmodel", f"{source}.pdiparams", f"{target}.pdmodel", f"{target}.pdiparams",
        precision, PlaceType.CPU, **options,
    )  # fmt: skip
    return folder / "made"


@pytest.mark.parametrize("precision, error", [
    (PrecisionType.Half, 2e-3), (PrecisionType.Bfloat16, 2e-2),
])  # fmt: skip
def test_files_of_half_the_size(models, tmp_path, precision, error):
    made = convert(models, tmp_path, precision)
    sizes = [(folder / "lenet.pdiparams").stat().st_size for folder in (made, models)]
    assert sizes[0] < 0.51 * sizes[1]
    [expected] = create_predictor(config_of(models, "lenet")).run([X])
    [found] = create_predictor(config_of(made, "lenet")).run([X])
    scale = np.abs(expected).max()
    assert 0 < np.abs(found - expected).max() < error * scale
    loaded = paddle.jit.load(str(made / "lenet"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(X)).numpy(), found, rtol=1e-4, atol=1e-5)


def test_lists_of_operators(models, tmp_path):
    whole = (models / "lenet.pdiparams").stat().st_size

    def size(name, **options):
        return (convert(models, tmp_path / name, PrecisionType.Half, **options)
                / "lenet.pdiparams").stat().st_size  # fmt: skip

    all_, without = size("a"), size("b", black_list={"conv2d"})
    only = size("c", white_list={"conv2d"})
    assert all_ < without < only < whole


def test_parameters_that_16_bits_cannot_hold_stay(tmp_path):
    net = paddle.nn.Linear(2, 2)
    net.weight.set_value(np.array([[1e6, 0], [0, 1]], "float32"))
    paddle.jit.save(net, str(tmp_path / "lenet"), [paddle.static.InputSpec([None, 2])])
    made = convert(tmp_path, tmp_path, PrecisionType.Half)
    [found] = create_predictor(config_of(made, "lenet")).run([ones(1, 2)])
    np.testing.assert_array_equal(found, [[1e6, 1]])


def test_a_model_with_loops(tmp_path):
    case = read_case("1.8.5/halving")
    folder = case.unpack(tmp_path)
    out = tmp_path / "out"
    convert_to_mixed_precision(f"{folder}/__model__", f"{folder}/weights", f"{out}/m", f"{out}/p",
                               PrecisionType.Half, PlaceType.CPU)  # fmt: skip
    predictor = create_predictor(paddle.inference.Config(f"{out}/m", f"{out}/p"))
    _, inputs, expected = case.runs()[0]
    found = predictor.run(inputs)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            np.asarray(got).reshape(wanted.shape), wanted, rtol=1e-2, atol=1e-3
        )


def test_what_is_not_there(models, tmp_path):
    for precision in (PrecisionType.Float32, PrecisionType.Int8, "half", 2):
        with pytest.raises(ValueError, match=r"expected PrecisionType.Half or"):
            convert(models, tmp_path, precision)
    with pytest.raises(NotImplementedError, match="keep their types"):
        convert(models, tmp_path, PrecisionType.Half, keep_io_types=False)
    with pytest.raises(TypeError, match="unexpected arguments"):
        convert(models, tmp_path, PrecisionType.Half, other=1)
    with pytest.raises(FileNotFoundError, match="no file"):
        convert(tmp_path, tmp_path, PrecisionType.Half)
