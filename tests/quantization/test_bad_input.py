"""What is wrong with data or models is said by name, in all ways to quantise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle import quantization as q
from paddle.quantization.__main__ import main
from paddle.quantization.calibrate import ALGORITHMS
from tests.quantization.nets import DATA

FOLDER = DATA / "ptq-262"
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
COMMAND = ["--model-filename", "model.pdmodel", "--params-filename", "model.pdiparams"]
with np.load(FOLDER / "seen.npz") as _file:
    X = _file["x"]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


def calibrated(data: Any, folder: Path = FOLDER, **more: Any) -> Any:
    paddle.enable_static()
    exe = static.Executor(paddle.CPUPlace())
    more.setdefault("quantizable_op_type", ["conv2d", "depthwise_conv2d", "mul", "matmul_v2"])
    ptq = q.PostTrainingQuantization(
        exe, model_dir=str(folder), **FILES, data_loader=data, **more
    )  # fmt: skip
    ptq.quantize()
    return exe.run(ptq.program, feed={"x": X}, fetch_list=ptq.fetches, scope=ptq.scope)[0]


def outlier() -> np.ndarray:
    x = X.copy()
    x[0, 0, 0, 0] = 1e30
    return x


def net() -> nn.Layer:
    paddle.seed(1)
    return nn.Sequential(nn.Conv2D(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5))


def watched(data: np.ndarray) -> nn.Layer:
    ptq = q.ImperativePTQ(q.PTQConfig(q.HistQuantizer(), q.PerChannelAbsmaxQuantizer()))
    model = ptq.quantize(net())
    model(paddle.to_tensor(data))
    return ptq.convert(model)


# -- static calibration ---------------------------------------------------------------------------


@pytest.mark.parametrize("x", [X[:, :, :2], X[0], np.repeat(X, 3, 1)])
def test_data_of_another_shape(x: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"'x' is expected to have shape \[-1, 1, 8, 8\]"):
        calibrated([{"x": x}])


@pytest.mark.parametrize("data", [[], [{"x": X[:0]}]])
def test_no_data(data: list) -> None:
    with pytest.raises(ValueError, match="the loader or generator gave none"):
        calibrated(data)


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_zeros_and_an_outlier(algo: str) -> None:
    assert np.isfinite(calibrated([{"x": X * 0}], algo=algo)).all()
    with pytest.warns(UserWarning, match=r"'x' has a value of 1e\+30, where the largest"):
        assert np.isfinite(calibrated([{"x": outlier()}], algo=algo)).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinities(bad: float) -> None:
    with pytest.raises(ValueError, match="'x' has NaN or infinities"):
        calibrated([{"x": np.where(X > 2, np.float32(bad), X)}])


def test_what_overflows_within_the_model_is_named() -> None:
    with pytest.raises(ValueError, match=r"'\w+\.tmp_0' has NaN or infinities"):
        calibrated([{"x": np.full_like(X, 3e38)}])


def test_quantised_already() -> None:
    with pytest.raises(ValueError, match="the model is quantised already: it has fake_"):
        calibrated([{"x": X}], folder=FOLDER / "KL")


def test_nothing_to_quantise() -> None:
    with pytest.warns(UserWarning, match=r"nothing to quantise: no operator of .'conv2d_tr"):
        calibrated([{"x": X}], quantizable_op_type=["conv2d_transpose"])


def test_weights_in_fewer_bits(tmp_path: Path) -> None:
    paddle.enable_static()
    small = q.WeightQuantization(str(FOLDER), **FILES)
    with pytest.warns(UserWarning, match=r"nothing to quantise: no operator of \['conv2d_tr"):
        small.quantize_weight_to_int(str(tmp_path / "a"), quantizable_op_type=["conv2d_transpose"])
    saved = {f"save_{k}": v for k, v in FILES.items()}
    small.quantize_weight_to_int(str(tmp_path / "b"), **saved)
    again = q.WeightQuantization(str(tmp_path / "b" / "quantized_model"), **FILES)
    with pytest.raises(ValueError, match=r"the weights of .* are quantised already"):
        again.quantize_weight_to_int(str(tmp_path / "c"), **saved)


@pytest.mark.parametrize("kind", ["range_abs_max", "moving_average_abs_max"])
def test_a_scale_of_zero(kind: str) -> None:
    """Of a model from elsewhere: results are finite."""
    paddle.enable_static()
    exe = static.Executor(paddle.CPUPlace())
    ptq = q.PostTrainingQuantization(
        exe, model_dir=str(FOLDER), **FILES, data_loader=[{"x": X}], activation_quantize_type=kind
    )  # fmt: skip
    program = ptq.quantize()
    for name in ("x.scale", *(v.name for v in program.list_vars() if "channel_scale" in v.name)):
        tensor = ptq.scope.find_var(name).get_tensor()
        tensor.set(np.zeros_like(np.array(tensor)), paddle.CPUPlace())
    out = exe.run(program, feed={"x": X}, fetch_list=ptq.fetches, scope=ptq.scope)[0]
    assert np.isfinite(out).all()


# -- Layers ---------------------------------------------------------------------------------------


def test_layers_that_are_calibrated() -> None:
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"'conv2d_\d+' has NaN or infinities"):
            watched(np.full_like(X, bad))
    out = watched(X * 0)(paddle.to_tensor(X)).numpy()
    assert np.isfinite(out).all()
    with pytest.warns(UserWarning, match=r"'conv2d_\d+' has a value of 1e\+30"):
        made = watched(outlier())
    assert np.isfinite(made(paddle.to_tensor(X)).numpy()).all()
    with pytest.raises(ValueError, match=r"no layer has seen data"):
        q.ImperativePTQ().convert(q.ImperativePTQ().quantize(net()))
    with pytest.raises(ValueError):  # the layer's own words
        watched(X[:, :, :4])
    with pytest.warns(UserWarning, match="nothing to quantise"):
        q.ImperativePTQ().quantize(nn.Sequential(nn.ReLU()))
    with pytest.warns(UserWarning, match="nothing to quantise"):  # they are quantised
        q.ImperativePTQ().quantize(made)


@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
def test_layers_that_are_trained(kind: str, tmp_path: Path) -> None:
    aware = q.ImperativeQuantAware(weight_quantize_type=kind)
    spec = [static.InputSpec([None, 1, 8, 8], "float32")]
    for data in (X * 0, outlier()):
        model = aware.quantize(net())
        out = model(paddle.to_tensor(data))
        out.sum().backward()
        assert np.isfinite(model[0].weight.grad.numpy()).all()
        aware.save_quantized_model(model, str(tmp_path / "net"), spec)
    layer = model[0]
    assert aware.quantize(model)[0] is layer  # a second time changes nothing
    model = aware.quantize(net())
    model[0].weight.set_value(model[0].weight * 0)
    assert np.isfinite(model(paddle.to_tensor(X)).numpy()).all()
    model(paddle.to_tensor(X * np.nan))
    with pytest.raises(ValueError, match=r"scale of '0._fake_quant_input' is not finite"):
        aware.save_quantized_model(model, str(tmp_path / "net"), spec)
    with pytest.warns(UserWarning, match=r"nothing to quantise: .*\['Conv2D', 'Linear'\]"):
        aware.quantize(nn.Sequential(nn.ReLU()))


# -- the command ----------------------------------------------------------------------------------


def ended(folder: Path, data: Any, model: Path = FOLDER) -> str:
    np.save(folder / "a.npy", data)
    with pytest.raises(SystemExit) as found:
        main([str(model), *COMMAND, "--data", str(folder)])
    return str(found.value)


def test_the_command_says_it_without_a_trace(tmp_path: Path, capsys: Any) -> None:
    assert "shape [-1, 1, 8, 8]" in ended(tmp_path, X[:, :, :2])
    assert "'x' has NaN or infinities" in ended(tmp_path, X * np.nan)
    assert "quantised already" in ended(tmp_path, X, FOLDER / "KL")
    assert "gave none" in ended(tmp_path, X[:0])
    assert "there is no file" in ended(tmp_path, X, tmp_path / "nowhere")
    np.save(tmp_path / "a.npy", X * 0)
    assert main([str(FOLDER), *COMMAND, "--data", str(tmp_path)]) == 0
    np.save(tmp_path / "a.npy", outlier())
    with pytest.warns(UserWarning, match=r"1e\+30"):
        assert main([str(FOLDER), *COMMAND, "--data", str(tmp_path)]) == 0
    assert "conv2d_0.tmp_0" in capsys.readouterr().out
