"""Quantises the Programs of data/layers-262.zip here: `python -m tests.quantization.layers FOLDER`.

FOLDER is what scripts/oracle/quantization_layers_262.py has made; PaddlePaddle then runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle import quantization as q
from paddle import static

FILES = {"model_filename": "model.pdmodel", "params_filename": "model.pdiparams"}
SAVED = {f"save_{k}": v for k, v in FILES.items()}
KINDS = [
    "conv2d",
    "depthwise_conv2d",
    "conv2d_transpose",
    "mul",
    "matmul",
    "matmul_v2",
    "embedding",
]
WEIGHTS = {"conv2d", "depthwise_conv2d", "mul"}  # 2.6.2 stores these in fewer bits
STORED = {
    **{kind: [kind] for kind in WEIGHTS},
    "embedding": ["lookup_table_v2"],
    "lstm": ["rnn"],
    "gru": ["rnn"],
}
VARIANTS: dict[str, dict[str, str]] = {
    "here": {},
    "here_adaround": {"round_type": "adaround"},
    "here_one": {"weight_quantize_type": "abs_max",
                 "activation_quantize_type": "moving_average_abs_max"},
}  # fmt: skip


def calibrate(folder: Path, kind: str, value: np.ndarray, **more: Any) -> Any:
    exe = static.Executor(paddle.CPUPlace())
    types = ["mul", "matmul_v2"] if kind == "embedding" else [kind]
    return q.PostTrainingQuantization(
        exe, model_dir=str(folder / kind / "float"), **FILES, algo="abs_max",
        quantizable_op_type=types, **{"data_loader": [{"x": value}], **more},
    )  # fmt: skip


def write(folder: Path, kind: str, value: np.ndarray) -> None:
    """Writes here, here_adaround, here_one, and what is stored smaller as here_weights."""
    for name, more in VARIANTS.items() if kind in KINDS else ():
        ptq = calibrate(folder, kind, value, **more)
        ptq.quantize()
        ptq.save_quantized_model(str(folder / kind / name), **FILES)
    if kind in STORED:
        small = q.WeightQuantization(str(folder / kind / "float"), **FILES)
        small.quantize_weight_to_int(
            str(folder / kind / "small"), quantizable_op_type=STORED[kind], **SAVED,
            generate_test_model=True,
        )  # fmt: skip
        (folder / kind / "small" / "test_model").rename(folder / kind / "here_weights")


def outputs(folder: Path, value: np.ndarray) -> np.ndarray:
    exe = static.Executor(paddle.CPUPlace())
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(folder), exe, **FILES)
        return exe.run(program, feed={feeds[0]: value}, fetch_list=fetches)[0]


if __name__ == "__main__":
    paddle.enable_static()
    place = Path(sys.argv[1])
    with np.load(place / "seen.npz") as file:
        for kind in dict.fromkeys([*KINDS, *STORED]):
            write(place, kind, file[f"{kind}|x"])
