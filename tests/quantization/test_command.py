"""python -m paddle.quantization: the table, sensitivity, the picture, bad input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.quantization.__main__ import main
from tests.quantization.nets import DATA

MODEL = [str(DATA / "ptq-262"), "--model-filename", "model.pdmodel"]
MODEL += ["--params-filename", "model.pdiparams"]


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()


@pytest.fixture
def data(tmp_path: Path) -> str:
    folder = tmp_path / "data"
    folder.mkdir()
    with np.load(DATA / "ptq-262" / "seen.npz") as file:
        for i in range(3):
            np.save(folder / f"{i}.npy", file["x"][8 * i : 8 * i + 8])
        np.savez(folder / "9.npz", x=file["x"][24:])
    return str(folder)


def test_the_table(data: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    svg, out = tmp_path / "net.svg", tmp_path / "out"
    assert main([*MODEL, "--data", data, "--sensitivity", "--picture", str(svg),
                 "--out", str(out)]) == 0  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["layer", "operator", "scale", "error", "before", "after", "model",
                                "if", "alone"]  # fmt: skip
    rows = {line.split()[0]: line.split() for line in lines[1:5]}
    assert set(rows) == {"conv2d_0.tmp_0", "depthwise_conv2d_0.tmp_0", "fc_0.tmp_0",
                         "matmul_v2_0.tmp_0"}  # fmt: skip
    fc = rows["fc_0.tmp_0"]
    assert fc[1] == "mul" and fc[5:7] == [str(36 * 6 * 4), str(36 * 6 + 6 * 4)]
    assert 0 < float(fc[3]) < 10 and 0 < float(fc[7]) < 10
    assert lines[5].split()[0] == "all" and lines[6].startswith("leave alone first:")
    assert svg.read_text().count("<rect") == 5
    program, _, _ = static.load_inference_model(
        str(out), static.Executor(), model_filename="model.pdmodel",
        params_filename="model.pdiparams",
    )  # fmt: skip
    assert any(op.type == "fake_quantize_range_abs_max" for op in program.global_block().ops)


def test_what_is_left_alone(data: str, capsys: pytest.CaptureFixture) -> None:
    assert main([*MODEL, "--data", data, "--skip", "fc_0.w_0", "--batches", "1"]) == 0
    assert "fc_0.tmp_0" not in capsys.readouterr().out
    names = ["conv2d_0.w_0", "depthwise_conv2d_0.w_0", "fc_0.w_0", "last.w"]
    assert main([*MODEL, "--data", data, "--skip", *names]) == 1
    assert "nothing to quantise" in capsys.readouterr().out


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is no folder"):
        main([*MODEL, "--data", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit, match=r"has no .npy"):
        main([*MODEL, "--data", str(tmp_path)])
    (tmp_path / "a.npy").write_bytes(b"nothing")
    with pytest.raises(SystemExit, match="no arrays of NumPy"):
        main([*MODEL, "--data", str(tmp_path)])
