"""Models that are quantised by data: scales, Programs, bad data; beside PaddlePaddle 2.6.2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import quantization as q
from paddle import static
from paddle.quantization.calibrate import ALGORITHMS, Seen
from paddle.quantization.numbers import scales_of, steps_of, values_of
from paddle.quantization.rounding import Gram, adapt, rows_of
from paddle.quantization.tables import result_slot
from tests.quantization.nets import DATA

FOLDER = DATA / "ptq-262"
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
TYPES = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2", "pool2d", "elementwise_add"]
WEIGHTS = ("conv2d_0.w_0", "depthwise_conv2d_0.w_0", "fc_0.w_0", "last.w")


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


@pytest.fixture(scope="module")
def there() -> dict[str, np.ndarray]:
    with np.load(FOLDER / "seen.npz") as file:
        return dict(file)


def made(x: Any, **more: Any) -> q.PostTrainingQuantization:
    exe = static.Executor(paddle.CPUPlace())
    more.setdefault("quantizable_op_type", TYPES)
    if "sample_generator" not in more and "batch_generator" not in more:
        more.setdefault("data_loader", [{"x": x[i : i + 8]} for i in range(0, len(x), 8)])
    return q.PostTrainingQuantization(exe, model_dir=str(FOLDER), **FILES, **more)


def run(ptq: q.PostTrainingQuantization, x: np.ndarray) -> np.ndarray:
    exe = static.Executor(paddle.CPUPlace())
    return exe.run(ptq.program, feed={"x": x}, fetch_list=ptq.fetches, scope=ptq.scope)[0]


def scales(ptq: q.PostTrainingQuantization) -> dict[str, float]:
    ops = ptq.program.global_block().ops
    made = [op for op in ops if op.type.startswith("fake_quantize_")]
    get = ptq.scope.find_var
    return {
        op.input("X")[0]: np.array(get(op.input("InScale")[0]).get_tensor()).item() for op in made
    }


@pytest.mark.parametrize("algo, tolerance", [("abs_max", 1e-5), ("avg", 1e-5), ("hist", 1e-3)])
def test_scales_of_paddlepaddle(algo: str, tolerance: float, there: dict) -> None:
    ptq = made(there["x"], algo=algo)
    ptq.quantize()
    found = scales(ptq)
    expected = {k.split("|")[1]: v.item() for k, v in there.items() if k.startswith(f"{algo}|")}
    assert set(expected) == set(found)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=tolerance), name
    np.testing.assert_allclose(run(ptq, there["x"]), there[algo], atol=3e-3)


@pytest.mark.parametrize("algo", ["KL", "mse", "emd"])
def test_errors_beside_those_of_paddlepaddle(algo: str, there: dict) -> None:
    """2.6.2 tries limits from half the range for KL; else takes the scale of one batch."""
    ptq = made(there["x"], algo=algo)
    ptq.quantize()
    ours, theirs = (np.abs(y - there["plain"]).mean() for y in (run(ptq, there["x"]), there[algo]))
    assert ours <= 1.1 * theirs


@pytest.mark.parametrize("correct", [False, True])
def test_weights_are_those_of_paddlepaddle(correct: bool, there: dict) -> None:
    ptq = made(there["x"], algo="abs_max", bias_correction=correct)
    ptq.quantize()
    for name in WEIGHTS:
        steps = np.array(ptq.scope.find_var(name).get_tensor())
        np.testing.assert_allclose(steps, there[f"w{int(correct)}|{name}"], atol=1e-3)


def test_a_model_quantised_there_runs_here(there: dict) -> None:
    exe = static.Executor(paddle.CPUPlace())
    program, feeds, fetches = static.load_inference_model(str(FOLDER / "KL"), exe, **FILES)
    out = exe.run(program, feed={feeds[0]: there["x"]}, fetch_list=fetches)[0]
    np.testing.assert_allclose(out, there["KL"], atol=1e-5)


def test_saved_and_loaded(tmp_path: Path, there: dict) -> None:
    x = there["x"]
    ptq = made(x, algo="avg", sample_generator=lambda: iter(x), batch_size=5, batch_nums=3)
    ptq.quantize()
    out = run(ptq, there["x"])
    ptq.save_quantized_model(str(tmp_path), **FILES)
    exe = static.Executor(paddle.CPUPlace())
    program, feeds, fetches = static.load_inference_model(str(tmp_path), exe, **FILES)
    again = exe.run(program, feed={feeds[0]: there["x"]}, fetch_list=fetches)[0]
    np.testing.assert_array_equal(again, out)
    config = paddle.inference.Config(
        str(tmp_path / FILES["model_filename"]), str(tmp_path / FILES["params_filename"])
    )
    config.enable_mkldnn()
    config.enable_mkldnn_int8()
    predictor = paddle.inference.create_predictor(config)
    predictor.get_input_handle("x").copy_from_cpu(there["x"])
    predictor.run()
    fast = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(fast, out, atol=0.01)


def test_thresholds_of_all_results(there: dict) -> None:
    ptq = made(there["x"], algo="abs_max")
    program = ptq.quantize()
    kinds = [op.type for op in program.global_block().ops]
    assert {"conv2d", "relu", "pool2d", "elementwise_add"} <= set(kinds)
    for op in program.global_block().ops:
        if op.type.startswith("fake_") or op.type in ("feed", "fetch", "scale"):
            continue
        (name,) = op.output(result_slot(op.type))
        assert op.attr("out_threshold") == np.float32(ptq.seen[name].largest), op.type
        assert op.attr(f"{result_slot(op.type)}0_threshold") == op.attr("out_threshold")
        assert op.attr("with_quant_attr") is True
    of_kind = {op.type: op.attrs.get("quantization_type") for op in program.global_block().ops}
    assert of_kind["conv2d"] == "post_abs_max" and of_kind["relu"] is None


@pytest.mark.parametrize("algo", ["KL", "abs_max"])
def test_data_that_can_be_gone_through_once(algo: str, there: dict) -> None:
    """The second run over the data needs them again; a loader's are kept, a function's not."""
    x = there["x"]
    parts = np.array_split(x, 3)
    first = made(x, algo=algo, data_loader=[[part] for part in parts])
    first.quantize()
    ptq = made(x, algo=algo, data_loader=([part] for part in parts))
    ptq.quantize()
    assert scales(ptq) == scales(first)
    gone = ([part] for part in parts)
    ptq = made(x, algo=algo, batch_generator=lambda: gone)
    if algo == "abs_max":
        ptq.quantize()
        return
    with pytest.raises(ValueError, match="gave 3 batches when it was gone through first, and 0"):
        ptq.quantize()


def test_the_ways_to_make_a_scale() -> None:
    x = np.random.RandomState(0).randn(20, 500).astype("float32")
    x[0, 0] = 30.0
    seen = Seen()
    for part in np.split(x, 4):
        seen.add(part, "x")
    found = {algo: seen.scale(algo, 8, 0.999) for algo in ALGORITHMS}
    assert found["abs_max"] == found["min_max"] == 30
    assert found["avg"] == pytest.approx(np.abs(x).max(1).mean())
    assert found["hist"] == pytest.approx(np.quantile(np.abs(x), 0.999), abs=0.03)

    def error(scale: float) -> float:
        return float(((np.round(np.clip(x / scale, -1, 1) * 127) * scale / 127 - x) ** 2).mean())

    tried = [error(30 * share) for share in np.arange(0.3, 1.005, 0.02)]
    assert error(found["mse"]) <= min(tried) * 1.01
    assert found["KL"] < 10 and 9 <= found["emd"] <= 30


def test_bad_data(there: dict) -> None:
    x = there["x"]
    with pytest.raises(ValueError, match="the loader or generator gave none"):
        made(x, data_loader=[]).quantize()
    with pytest.raises(ValueError, match="'x' has NaN or infinities"):
        made(x, data_loader=[{"x": x * np.nan}]).quantize()
    with pytest.raises(ValueError, match=r"has no \['x'\]"):
        made(x, data_loader=[{"y": x}]).quantize()
    with pytest.raises(ValueError, match="it has 2 arrays"):
        made(x, data_loader=[[x, x]]).quantize()
    with pytest.raises(Exception, match="x"):
        made(x, data_loader=[{"x": x[:, :, :2]}]).quantize()
    zeros = made(x, data_loader=[{"x": x * 0}], algo="KL")
    zeros.quantize()
    assert np.isfinite(run(zeros, x)).all()
    large = x.copy()
    large[0, 0, 0, 0] = 1e30
    outlier = made(x, data_loader=[{"x": large}], algo="hist", hist_percent=0.99)
    outlier.quantize()
    assert np.isfinite(run(outlier, x)).all()


def test_bad_arguments(there: dict) -> None:
    x = there["x"]
    with pytest.raises(ValueError, match=r"algo\): expected one of"):
        made(x, algo="median")
    with pytest.raises(ValueError, match="'reverse' is none"):
        made(x, quantizable_op_type=["reverse"])
    for number in (-1, 2.5):
        with pytest.raises(ValueError, match=rf"batch_nums\): .*got {number}"):
            made(x, batch_nums=number)
    with pytest.raises(ValueError, match="round_type"):
        made(x, round_type="down")
    with pytest.raises(ValueError, match="expected one of data_loader"):
        made(x, data_loader=None)
    with pytest.raises(ValueError, match="call quantize"):
        made(x).save_quantized_model("nowhere")
    with pytest.raises(ValueError, match="from 2 to 16 bits"):
        made(x, weight_bits=1)


def test_nothing_to_quantise_and_what_is_left_alone(there: dict) -> None:
    ptq = made(there["x"], quantizable_op_type=["conv2d_transpose"])
    ptq.quantize()
    np.testing.assert_allclose(run(ptq, there["x"]), there["plain"], atol=1e-5)
    ptq = made(there["x"], quantizable_op_type=["mul"], skip_tensor_list=["fc_0.w_0"])
    program = ptq.quantize()
    assert not [op for op in program.global_block().ops if op.type.startswith("fake_")]


@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
def test_adaptive_rounding_of_a_model(kind: str, there: dict) -> None:
    off = {}
    for rounding in ("round", "adaround"):
        ptq = made(
            there["x"], algo="abs_max", round_type=rounding, weight_bits=4,
            weight_quantize_type=kind,
        )  # fmt: skip
        ptq.quantize()
        off[rounding] = np.abs(run(ptq, there["x"]) - there["plain"]).mean()
        for name in WEIGHTS:
            steps = np.array(ptq.scope.find_var(name).get_tensor())
            assert (steps == np.round(steps)).all() and np.abs(steps).max() == 7
    assert off["adaround"] < 1.1 * off["round"]  # it is made to be best by layer, see below


def test_rows_are_what_a_convolution_multiplies() -> None:
    main = static.Program()
    x = np.random.RandomState(0).randn(2, 4, 7, 6).astype("float32")
    w = np.random.RandomState(1).randn(6, 2, 3, 2).astype("float32")
    with static.program_guard(main, static.Program()):
        out = paddle.nn.functional.conv2d(
            static.data("x", list(x.shape)), static.data("w", list(w.shape)), stride=[2, 1],
            padding=[1, 0], dilation=[1, 2], groups=2,
        )  # fmt: skip
    found = static.Executor().run(main, feed={"x": x, "w": w}, fetch_list=[out])[0]
    rows = rows_of(main.global_block().ops[-1], x, w)
    by_group = np.einsum("grk,gck->gcr", rows, w.reshape(2, 3, -1))
    by_group = by_group.reshape(6, 2, *found.shape[2:]).swapaxes(0, 1)
    np.testing.assert_allclose(by_group, found, atol=1e-4)


@pytest.mark.parametrize("axis", [None, 1])
def test_adaptive_rounding_moves_results_less(axis: int | None) -> None:
    random = np.random.RandomState(3)
    x = np.abs(random.randn(300, 40)).astype("float32") @ random.rand(40, 40).astype("float32")
    w = random.randn(40, 8).astype("float32")
    gram = Gram()
    for part in np.split(x, 3):
        gram.add(part[None])
    scales = scales_of(w, axis)
    nearest = values_of(steps_of(w, scales, 4, axis), scales, 4, axis)
    adapted = adapt(w, scales, 4, axis, gram, first=False)
    off = [np.square(x @ made - x @ w).mean() for made in (nearest, adapted)]
    assert off[1] < 0.2 * off[0]
    assert np.abs(adapted - w).max() <= np.max(scales) / 7 * 1.001  # up or down, no farther
