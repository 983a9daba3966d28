"""The command line ``paddle_lite_opt``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from paddle.core.errors import FrameworkError
from paddle.inference.lite_export.opt import Opt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="paddle_lite_opt", description="Turn a saved model into one .nb file for paddlelite."
    )
    parser.add_argument("--model_dir", help="prefix of a 2.x model, or folder of a 1.x model")
    parser.add_argument("--model_file", help="the program, in place of --model_dir")
    parser.add_argument("--param_file", help="the parameters beside --model_file")
    parser.add_argument("--optimize_out", help="the file to write; .nb is added")
    parser.add_argument("--optimize_out_type", default="naive_buffer", choices=["naive_buffer"])
    parser.add_argument("--valid_targets", default="arm", help="arm, x86, host: a file suits all")
    parser.add_argument("--quant_model", default="false", choices=["true", "false"])
    parser.add_argument("--quant_type", default="QUANT_INT8", choices=["QUANT_INT8", "QUANT_INT16"])
    parser.add_argument("--print_supported_ops", nargs="?", const="true", default="false")
    parser.add_argument("--print_model_ops", nargs="?", const="true", default="false")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (Sequence[str], optional): its arguments; default: those of the process.
    """
    parser = _parser()
    given, opt = parser.parse_args(argv), Opt()
    if given.print_supported_ops == "true":
        opt.print_supported_ops()
        return 0
    if not given.model_dir and not (given.model_file and given.param_file):
        parser.error("give --model_dir, or --model_file and --param_file")
    if given.model_dir:
        opt.set_model_dir(given.model_dir)
    else:
        opt.set_model_file(given.model_file)
        opt.set_param_file(given.param_file)
    try:
        if given.print_model_ops == "true":
            return 0 if opt.check_if_model_supported() else 1
        if not given.optimize_out:
            parser.error("give --optimize_out")
        opt.set_valid_places(given.valid_targets)
        opt.set_optimize_out(given.optimize_out)
        opt.set_quant_model(given.quant_model == "true")
        opt.set_quant_type(given.quant_type)
        path = opt.run()
    except FrameworkError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{path}: {os.path.getsize(path):,} bytes")
    return 0
