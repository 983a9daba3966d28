"""The command line ``paddle_lite_opt``: its options are those of Paddle Lite's command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from paddle.core.errors import FrameworkError
from paddle.inference.lite_export.opt import Opt

_SWITCHES = {
    "quant_model": "store weights as whole numbers",
    "print_supported_ops": "list the operators that can be converted",
    "print_model_ops": "list the operators of the model, and which are outside",
    "print_all_ops": "list all operators, and which can be converted",
    "enable_fp16": "refused: the runtime computes in float32",
    "sparse_model": "refused: there are no sparse kernels",
    "record_tailoring_info": "refused: the C library is not cut to a model",
    "display_kernels": "refused: there is one kernel for each operator",
}


def _parser(version: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="paddle_lite_opt", description="Turn a saved model into one .nb file for paddlelite."
    )
    parser.add_argument("--model_dir", help="prefix of a 2.x model, or folder of a 1.x model")
    parser.add_argument("--model_file", help="the program, in place of --model_dir")
    parser.add_argument("--param_file", help="the parameters beside --model_file")
    parser.add_argument("--optimize_out", help="the file to write; .nb is added")
    parser.add_argument("--optimize_out_type", default="naive_buffer", help="naive_buffer")
    parser.add_argument("--valid_targets", default="arm", help="arm, x86, host: a file suits all")
    parser.add_argument("--quant_type", default="QUANT_INT8", help="QUANT_INT8 or QUANT_INT16")
    parser.add_argument("--model_set", help="refused: each model is converted by itself")
    parser.add_argument("--sparse_threshold", type=float, help="belongs to --sparse_model")
    parser.add_argument("--version", action="version", version=version)
    for name, text in _SWITCHES.items():
        parser.add_argument(f"--{name}", nargs="?", const=True, default=False, type=_true,
                            metavar="true|false", help=text)  # fmt: skip
    return parser


def _true(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise argparse.ArgumentTypeError(f"expected true or false, but received {text!r}")
    return text.lower() in ("true", "1")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (Sequence[str], optional): its arguments; default: those of the process.
    """
    opt = Opt()
    parser = _parser(opt.version())
    given = parser.parse_args(argv)
    try:
        _refuse(given, opt)
        if given.print_all_ops or given.print_supported_ops:
            (opt.print_all_ops if given.print_all_ops else opt.print_supported_ops)()
            return 0
        if not given.model_dir and not (given.model_file and given.param_file):
            parser.error("give --model_dir, or --model_file and --param_file")
        return _convert(given, opt, parser)
    except (FrameworkError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _refuse(given: argparse.Namespace, opt: Opt) -> None:
    """Lets Opt say what there is not, before anything is read."""
    opt.set_model_type(given.optimize_out_type)
    opt.set_valid_places(given.valid_targets)
    opt.set_quant_type(given.quant_type)
    opt.set_sparse_model(given.sparse_model or given.sparse_threshold is not None)
    opt.record_model_info(given.record_tailoring_info)
    if given.display_kernels:
        opt.display_kernels_info()
    if given.enable_fp16:
        opt.enable_fp16()
    if given.model_set:
        opt.set_modelset_dir(given.model_set)


def _convert(given: argparse.Namespace, opt: Opt, parser: argparse.ArgumentParser) -> int:
    """Reads the model that is named; lists its operators, or writes the file."""
    if given.model_file and given.param_file:  # as in Paddle Lite, these come first
        opt.set_model_file(given.model_file)
        opt.set_param_file(given.param_file)
    else:
        opt.set_model_dir(given.model_dir)
    if given.print_model_ops:
        return 0 if opt.check_if_model_supported() else 1
    if not given.optimize_out:
        parser.error("give --optimize_out")
    opt.set_optimize_out(given.optimize_out)
    opt.set_quant_model(given.quant_model)
    path = opt.run()
    print(f"{path}: {os.path.getsize(path):,} bytes")
    return 0
