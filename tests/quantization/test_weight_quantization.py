"""Weights of 8 and 16 bits: the files, their size, what test models compute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.quantization import WeightQuantization
from tests.quantization.nets import DATA

FOLDER = DATA / "ptq-262"
FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
SAVED = {f"save_{k}": v for k, v in FILES.items()}
TYPES = ["conv2d", "depthwise_conv2d", "mul"]


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


def small(folder: Path, **more: Any) -> None:
    options = {"quantizable_op_type": TYPES, "generate_test_model": True, **SAVED, **more}
    WeightQuantization(str(FOLDER), **FILES).quantize_weight_to_int(str(folder), **options)


# The sizes of PaddlePaddle 2.6.2's files of the same model.
@pytest.mark.parametrize("bits, size", [(8, 648), (16, 936)])
@pytest.mark.parametrize("kind", ["abs_max", "channel_wise_abs_max"])
def test_sizes_scales_and_numbers(bits: int, size: int, kind: str, tmp_path: Path) -> None:
    small(tmp_path, weight_bits=bits, weight_quantize_type=kind)
    file = tmp_path / "quantized_model" / "model.pdiparams"
    assert file.stat().st_size == size
    exe = static.Executor(paddle.CPUPlace())
    with np.load(FOLDER / "seen.npz") as there:
        x, plain = there["x"], there["plain"]
    program, feeds, fetches = static.load_inference_model(
        str(tmp_path / "test_model"), exe, **FILES
    )
    out = exe.run(program, feed={feeds[0]: x}, fetch_list=fetches)[0]
    assert np.abs(out - plain).max() < (5e-3 if bits == 8 else 3e-5)
    conv = next(op for op in program.global_block().ops if op.type == "conv2d")
    assert conv.attr("quantization_type") == f"post_weight_{kind}"
    assert conv.attr("quantize_weight_bits") == bits
    scales = conv.attr("conv2d_0.w_0_quant_scale")
    assert len(scales) == (1 if kind == "abs_max" else 4)
    if bits == 8 and kind == "abs_max":
        assert scales[0] == pytest.approx(0.007636872585862875, rel=1e-6)  # 2.6.2's


def test_halves(tmp_path: Path) -> None:
    WeightQuantization(str(FOLDER), **FILES).convert_weight_to_fp16(str(tmp_path))
    assert (tmp_path / "fc_0.w_0").stat().st_size < 36 * 6 * 4


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("bits", [8, 16])
def test_tables_and_recurrent_networks(kind: str, bits: int, tmp_path: Path) -> None:
    paddle.disable_static()
    paddle.seed(2)

    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.table = paddle.nn.Embedding(50, 16)
            self.cells = getattr(paddle.nn, kind)(16, 24)

        def forward(self, ids: Any) -> Any:
            return self.cells(self.table(ids))[0]

    net = Net()
    net.eval()
    ids = np.random.RandomState(0).randint(0, 50, [3, 7])
    plain = net(paddle.to_tensor(ids)).numpy()
    spec = [static.InputSpec([None, 7], "int64", "ids")]
    paddle.jit.save(net, str(tmp_path / "net"), spec)
    paddle.enable_static()
    WeightQuantization(str(tmp_path / "net")).quantize_weight_to_int(
        str(tmp_path), quantizable_op_type=["lookup_table_v2", "rnn"], weight_bits=bits,
        generate_test_model=True, **SAVED,
    )  # fmt: skip
    size = (tmp_path / "quantized_model" / "model.pdiparams").stat().st_size
    assert size < (0.35 if bits == 8 else 0.6) * (tmp_path / "net.pdiparams").stat().st_size
    exe = static.Executor(paddle.CPUPlace())
    program, feeds, fetches = static.load_inference_model(
        str(tmp_path / "test_model"), exe, **FILES
    )
    out = exe.run(program, feed={feeds[0]: ids}, fetch_list=fetches)[0]
    assert 0 < np.abs(out - plain).max() < (0.02 if bits == 8 else 1e-4)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected 8 or 16"):
        small(tmp_path, weight_bits=4)
    with pytest.raises(ValueError, match="'relu'"):
        small(tmp_path, quantizable_op_type=["relu"])
    with pytest.raises(ValueError, match="with abs_max only"):
        small(tmp_path, threshold_rate=0.1)
    with pytest.raises(ValueError, match="weight_quantize_type"):
        small(tmp_path, weight_quantize_type="KL")
