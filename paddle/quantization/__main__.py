"""Quantises a saved model: ``python -m paddle.quantization MODEL --data FOLDER``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle.quantization import report
from paddle.quantization.calibrate import ALGORITHMS
from paddle.quantization.post_training import PostTrainingQuantization, _feed
from paddle.quantization.tables import WEIGHTED
from paddle.static import Executor


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m paddle.quantization",
        description="Quantises a saved model to eight bits and says what that does to each layer.",
    )
    parser.add_argument("model", help="folder of a model, or the prefix of its files")
    parser.add_argument(
        "--data", required=True,
        help="folder of batches: FILE.npy of the one input, or FILE.npz with an array per input",
    )  # fmt: skip
    parser.add_argument("--out", help="folder to save the quantised model in")
    parser.add_argument("--algo", default="KL", choices=ALGORITHMS, help="default: KL")
    parser.add_argument("--batches", type=int, help="how many files at most; default: all")
    parser.add_argument("--one-scale", action="store_true", help="one scale for each weight")
    parser.add_argument("--bias-correction", action="store_true", help="keep mean and spread")
    parser.add_argument("--skip", nargs="*", default=[], help="weights or results left in floats")
    parser.add_argument("--sensitivity", action="store_true", help="also quantise each layer alone")
    parser.add_argument("--picture", help="SVG file: the error by layer")
    parser.add_argument("--model-filename", help="file of the Program in the folder")
    parser.add_argument("--params-filename", help="file of the parameters in the folder")
    return parser.parse_args(argv)


def _batches(folder: Path) -> Iterator[Any]:
    for file in sorted([*folder.glob("*.npy"), *folder.glob("*.npz")]):
        try:
            found = np.load(file, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise SystemExit(f"{file}: no arrays of NumPy can be read from it: {error}") from None
        yield dict(found) if file.suffix == ".npz" else [found]


def main(argv: list[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (list, optional): the arguments. Default: those of the process.

    Returns:
        int: 0, or 1 where there was nothing to quantise.
    """
    given = _arguments(argv)
    folder = Path(given.data)
    if not folder.is_dir():
        raise SystemExit(f"--data: {folder} is no folder.")
    if not any(_batches(folder)):
        raise SystemExit(f"--data: {folder} has no .npy or .npz files.")
    paddle.enable_static()
    executor = Executor(paddle.CPUPlace())
    names = {"model_filename": given.model_filename, "params_filename": given.params_filename}
    files = {k: v for k, v in names.items() if v}

    def make(skip: list[str]) -> PostTrainingQuantization:
        return PostTrainingQuantization(
            executor, model_dir=given.model, **files, algo=given.algo, batch_nums=given.batches,
            quantizable_op_type=list(WEIGHTED), bias_correction=given.bias_correction,
            weight_quantize_type="abs_max" if given.one_scale else "channel_wise_abs_max",
            data_loader=lambda: _batches(folder), skip_tensor_list=[*given.skip, *skip],
        )  # fmt: skip

    ptq = make([])
    ptq.quantize()
    feed = _feed(next(_batches(folder)), ptq.feeds)
    load = report.loader(given.model, executor, files)
    found = report.layers(ptq, executor, load, feed)
    if not found:
        print(f"{given.model}: nothing to quantise. Known are {', '.join(WEIGHTED)} with weights.")
        return 1
    alone = None
    if given.sensitivity:
        alone = report.sensitivities(make, executor, load, feed, found)
    print(report.table(found, alone))
    if alone is not None:
        worst = sorted(alone, key=lambda name: -alone[name])[:3]
        print(f"leave alone first: {' '.join(worst)}  (--skip)")
    if given.picture:
        Path(given.picture).write_text(report.picture(found), encoding="utf8")
    if given.out:
        ptq.save_quantized_model(given.out, model_filename="model.pdmodel",
                                 params_filename="model.pdiparams")  # fmt: skip
        print(f"saved in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
