"""The command line of the server: options, the model, and the process that answers."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping

from paddle.core.errors import FrameworkError
from paddle.inference.command_line import (
    add_engine,
    add_model,
    add_shapes,
    config_of,
    files_of,
    positive,
    program_of,
    shapes_of,
)
from paddle.inference.config import Config
from paddle.inference.example_inputs import example_inputs
from paddle.inference.predictor import Predictor, create_predictor
from paddle.inference.serve.app import create_app
from paddle.inference.serve.bodies import Value
from paddle.inference.serve.running import Runner, may_join, why_not_by_rows
from paddle.inference.serve.server import Server
from paddle.inference.serve.service import Service
from paddle.inference.signature import Signature
from paddle.ir.program import Program

_WHERE = "paddle.inference.serve"
_SPARE_THREADS = 8  # that answer while all others wait: /health, /metrics, refusals


def make_parser() -> argparse.ArgumentParser:
    """Returns what reads the command line."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {_WHERE}",
        description="Answers requests to a saved model over HTTP: POST /predict, GET /health, "
        "GET /metrics.",
    )
    add_model(parser)
    add_engine(parser)
    add_shapes(parser, "of an input, for the trial of --max-batch")
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to answer on (127.0.0.1: this machine alone)")
    add("--port", type=_port, default=8866, help="port; 0: a free one (8866)")
    add("--workers", type=positive, default=1, help="predictors that run at the same time (1)")
    add("--max-batch", type=positive, default=16, metavar="ROWS",
        help="most rows of requests that are run together; 1: one by one (16)")  # fmt: skip
    add("--batch-timeout-ms", type=_not_negative, default=2.0, metavar="MS",
        help="how long a request waits for others, where there are some (2)")  # fmt: skip
    add("--queue", type=positive, default=64, help="most requests that wait; more get 503 (64)")
    add("--max-request-mb", type=_above_zero, default=32.0, metavar="MB",
        help="largest request; more gets 413 (32)")  # fmt: skip
    add("--request-timeout-s", type=_above_zero, default=60.0, metavar="S",
        help="how long a request waits for its result (60)")  # fmt: skip
    add("--stop-timeout-s", type=_not_negative, default=30.0, metavar="S",
        help="how long requests may take after SIGTERM or Ctrl-C (30)")  # fmt: skip
    return parser


def make_service(config: Config, program: Program, given: argparse.Namespace,
                 shapes: Mapping[str, list[int]]) -> tuple[Service, str]:  # fmt: skip
    """Returns the service for a model, and why it does not join requests (nothing where it does).

    Args:
        config (Config): the model, and how to run it.
        program (Program): the model's.
        given (Namespace): the command line.
        shapes (Mapping): input -> its shape in the trial with which joining is tried out.
    """
    signature = Signature.of(program)
    predictor = create_predictor(config)
    why_not = _why_not_joined(predictor, program, signature, given.max_batch, shapes)
    predictors = [predictor, *(predictor.clone() for _ in range(given.workers - 1))]
    service = Service(
        predictors,
        signature,
        joins=not why_not,
        max_batch=given.max_batch,
        patience=given.batch_timeout_ms / 1e3,
        queue_limit=given.queue,
        timeout=given.request_timeout_s,
    )
    return service, why_not


def _why_not_joined(
    predictor: Predictor,
    program: Program,
    signature: Signature,
    max_batch: int,
    shapes: Mapping[str, list[int]],
) -> str:
    if max_batch == 1:
        return "--max-batch is 1"
    if not may_join(signature):
        return "an input or output has a fixed first size, or a LoD"
    examples = example_inputs(program, 2, shapes)
    values = {name: Value(example.array) for name, example in examples.items()}
    return why_not_by_rows(Runner(predictor), values)


def main(argv: list[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (list[str], optional): the command line; None: this process's.

    Returns:
        int: 0, or 1 where the model cannot be run or the address is taken.
    """
    parser = make_parser()
    given = parser.parse_args(argv)
    files, shapes = files_of(parser, given), shapes_of(parser, given)
    max_bytes = int(given.max_request_mb * 2**20)
    try:
        program = program_of(files, _WHERE)
        service, why_not = make_service(config_of(files, given), program, given, shapes)
        app = create_app(service, max_bytes, os.path.basename(os.path.normpath(files[0])))
        threads = given.queue + given.workers * given.max_batch + _SPARE_THREADS
        server = Server(app, service, given.host, given.port, threads, max_bytes)
    except (FrameworkError, NotImplementedError, ImportError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    for argument in service.signature.inputs:
        print(f"input   {argument}")
    for argument in service.signature.outputs:
        print(f"output  {argument}")
    print(f"requests are run one by one: {why_not}" if why_not else
          f"up to {given.max_batch} rows of requests are run together")  # fmt: skip
    done = server.run(lambda address: print(f"answers on {address}", flush=True),
                      given.stop_timeout_s)  # fmt: skip
    print("stopped" if done else "stopped; some requests were not answered in time", flush=True)
    return 0


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, but got {text}")
    return number


def _not_negative(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, but got {text}")
    return number


def _above_zero(text: str) -> float:
    number = _not_negative(text)
    if number == 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, but got {text}")
    return number
