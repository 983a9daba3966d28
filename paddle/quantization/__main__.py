"""Quantises a saved model: ``python -m paddle.quantization MODEL --data FOLDER``."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import paddle
from paddle.framework.mode import in_dynamic_mode
from paddle.quantization import report
from paddle.quantization.calibrate import ALGORITHMS
from paddle.quantization.post_training import PostTrainingQuantization, _feed
from paddle.quantization.tables import WEIGHTED
from paddle.static import Executor


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m paddle.quantization",
        description="Quantises a saved model to eight bits, by what it computes for some data, and "
        "prints for each layer: the value that its highest step stands for, how far its result is "
        "off, and the bytes of its weight before and after.",
        epilog="example: numpy.save('data/0.npy', images[:64]), then "
        "python -m paddle.quantization lenet --data data --out lenet_int8 --sensitivity",
    )
    add = parser.add_argument
    add(
        "model",
        help="a model that paddle.jit.save or save_inference_model wrote: the prefix of "
        "its files, or its folder with --model-filename",
    )
    add(
        "--data",
        required=True,
        metavar="FOLDER",
        help="batches as the model reads them: FILE.npy for its one input, or FILE.npz with an "
        "array for each input; a few dozen samples are enough",
    )
    add(
        "--out",
        metavar="FOLDER",
        help="save the quantised model there, as model.pdmodel and model.pdiparams",
    )
    add(
        "--algo",
        default="KL",
        choices=ALGORITHMS,
        help="how scales are made; KL (the default), hist and mse leave out rare large values, "
        "abs_max leaves out nothing",
    )
    add("--batches", type=int, metavar="N", help="read N files at most; default: all")
    add(
        "--one-scale",
        action="store_true",
        help="one scale for each weight; default: one for each of its channels",
    )
    add(
        "--bias-correction",
        action="store_true",
        help="let the mean and spread of each channel of a weight stay",
    )
    add(
        "--adaround",
        action="store_true",
        help="round each element of a weight up or down so that results move the least",
    )
    add("--fold", action="store_true", help="fold batch normalisation into convolutions first")
    add(
        "--skip",
        nargs="*",
        default=[],
        metavar="NAME",
        help="layers to leave in floats, by the names in the table or of their weights",
    )
    add(
        "--sensitivity",
        action="store_true",
        help="also quantise each layer alone, to find those that the result suffers from most",
    )
    add(
        "--picture",
        metavar="FILE",
        help="the error by layer as bars: FILE.svg, or by matplotlib FILE.png or FILE.pdf",
    )
    add("--model-filename", metavar="FILE", help="the file of the Program in the folder")
    add("--params-filename", metavar="FILE", help="the file of the parameters in the folder")
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
    dynamic = in_dynamic_mode()
    try:
        return _run(given)
    except (ValueError, OSError, LookupError) as error:  # of data or files: no trace
        raise SystemExit(_plain(error)) from error
    finally:
        if dynamic:
            paddle.disable_static()


def _plain(error: Exception) -> str:
    """A message without the mark of its kind."""
    return "python -m paddle.quantization: " + re.sub(r"^\(\w+\) ", "", str(error))


def _run(given: argparse.Namespace) -> int:
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
            round_type="adaround" if given.adaround else "round", optimize_model=given.fold,
            weight_quantize_type="abs_max" if given.one_scale else "channel_wise_abs_max",
            data_loader=lambda: _batches(folder), skip_tensor_list=[*given.skip, *skip],
        )  # fmt: skip

    ptq = make([])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PostTrainingQuantization: nothing to quantise")
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
        report.draw(found, Path(given.picture))
        print(f"picture: {given.picture}")
    if given.out:
        ptq.save_quantized_model(given.out, model_filename="model.pdmodel",
                                 params_filename="model.pdiparams")  # fmt: skip
        print(f"saved in {given.out}: steps, as floats; a predictor computes with bytes of them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
