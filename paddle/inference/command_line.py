"""Options that the command lines of ``paddle.inference`` share: which model, and how it is run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from paddle.inference.config import Config
from paddle.ir.program import Program
from paddle.serialization.models.files import read_program
from paddle.serialization.models.layouts import MAIN, find_forward


def add_model(parser: argparse.ArgumentParser) -> None:
    """Adds the options that name a model: MODEL, or --model_file and --params_file."""
    parser.add_argument(
        "model", nargs="?", metavar="MODEL", help="prefix of a 2.x model, or folder of a 1.x model"
    )
    parser.add_argument("--model_file", metavar="FILE", help="the program, in place of MODEL")
    parser.add_argument("--params_file", metavar="FILE", help="the parameters beside --model_file")


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say how a model is run."""
    parser.add_argument("--threads", type=positive, help="computing threads of a predictor")
    parser.add_argument(
        "--onnxruntime", action="store_true", help="run by onnxruntime, which must be installed"
    )
    add_passes(parser)


def add_passes(parser: argparse.ArgumentParser) -> None:
    """Adds the options that switch passes on and off."""
    parser.add_argument(
        "--bfloat16", action="store_true", help="compute in bfloat16 where it is fast"
    )
    parser.add_argument("--no-ir", action="store_true", help="leave all optional passes out")
    parser.add_argument(
        "--delete-pass", action="append", default=[], metavar="NAME", help="leave one pass out"
    )


def add_shapes(parser: argparse.ArgumentParser, help: str) -> None:
    """Adds --shape, which states the shape of an input."""
    parser.add_argument(
        "--shape", action="append", default=[], metavar="NAME=1,3,224,224", help=help
    )


def pairs(parser: argparse.ArgumentParser, option: str, given: Sequence[str]) -> dict[str, str]:
    """Returns what an option says of each name.

    Args:
        parser (ArgumentParser): tells the user of what cannot be read.
        option (str): its name.
        given (Sequence[str]): ``NAME=VALUE`` as often as it was given.
    """
    found: dict[str, str] = {}
    for text in given:
        name, _, value = text.rpartition("=")
        if not (name and value):
            parser.error(f"{option}: expected NAME=VALUE, but got {text!r}")
        found[name] = value
    return found


def shapes_of(parser: argparse.ArgumentParser, given: argparse.Namespace) -> dict[str, list[int]]:
    """Returns the shape that --shape states for each input.

    Args:
        parser (ArgumentParser): tells the user of what cannot be read.
        given (Namespace): what was given.
    """
    try:
        stated = pairs(parser, "--shape", given.shape).items()
        return {name: [int(size) for size in text.split(",")] for name, text in stated}
    except ValueError as error:
        parser.error(f"--shape: expected sizes joined by commas, but got {error}")


def positive(text: str) -> int:
    """Reads a whole number that is at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, but got {text}")
    return number


def files_of(parser: argparse.ArgumentParser, given: argparse.Namespace) -> tuple[str, ...]:
    """Returns what :class:`~paddle.inference.Config` is made of: a prefix or folder, or two files.

    Args:
        parser (ArgumentParser): tells the user of what is missing.
        given (Namespace): what was given to the options of :func:`add_model`.
    """
    files = (given.model_file, given.params_file)
    if given.model is not None:
        if any(files):
            parser.error("give MODEL, or --model_file and --params_file, but not both")
        return (given.model,)
    if not all(files):
        parser.error("give MODEL, or both of --model_file and --params_file")
    return files


def config_of(files: tuple[str, ...], given: argparse.Namespace) -> Config:
    """Returns the Config that some options ask for.

    Args:
        files (tuple): of :func:`files_of`.
        given (Namespace): what was given to the options of :func:`add_engine`.
    """
    config = _with_passes(files, given)
    if given.threads is not None:
        config.set_cpu_math_library_num_threads(given.threads)
    if given.onnxruntime:
        config.enable_onnxruntime()
    return config


def passes_of(files: tuple[str, ...], given: argparse.Namespace) -> list[str]:
    """Returns the names of the passes that the options of :func:`add_passes` leave.

    Args:
        files (tuple): of :func:`files_of`.
        given (Namespace): what was given.
    """
    return _with_passes(files, given).passes()


def _with_passes(files: tuple[str, ...], given: argparse.Namespace) -> Config:
    config = Config(*files)
    if given.bfloat16:
        config.enable_mkldnn_bfloat16()
    if given.no_ir:
        config.switch_ir_optim(False)
    for name in given.delete_pass:
        config.delete_pass(name)
    return config


def program_of(files: tuple[str, ...], where: str) -> Program:
    """Reads the Program of a model, without its parameters.

    Args:
        files (tuple): of :func:`files_of`.
        where (str): the command, for error texts.
    """
    if len(files) == 2:
        return read_program(files[0], where)
    layout = find_forward(files[0], (None, None), where)
    return read_program(layout.methods[MAIN].program, where)
