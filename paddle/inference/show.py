"""``python -m paddle.inference.show MODEL``: what a saved model consists of."""

from __future__ import annotations

import argparse
import sys

from paddle.core.errors import FrameworkError
from paddle.inference.command_line import add_model, add_passes, files_of, passes_of, program_of
from paddle.inference.program_summary import optimised, readable, summary
from paddle.ir.text.graphviz import write_graph

_WHERE = "paddle.inference.show"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {_WHERE}",
        description="Prints a summary of a saved model, and its operators one by one.",
    )
    add_model(parser)
    parser.add_argument("--summary", action="store_true", help="print the summary alone")
    parser.add_argument(
        "--optimised", action="store_true", help="print the operators that are left after passes"
    )
    parser.add_argument(
        "--full", action="store_true", help="print all variables and attributes, as print(program)"
    )
    parser.add_argument("--dot", metavar="FILE", help="write the operators as a Graphviz graph")
    add_passes(parser)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Runs the command.

    Args:
        argv (list[str], optional): the command line; None: this process's.

    Returns:
        int: 0, or 1 where there is no model that can be read.
    """
    parser = _parser()
    given = parser.parse_args(argv)
    files = files_of(parser, given)
    try:
        program = program_of(files, _WHERE)
        passes = passes_of(files, given)
        print(f"model       {' '.join(files)}\n{summary(program, passes)}")
        if given.optimised:
            program, _ = optimised(program, passes)
        if not given.summary:
            print(f"\n{program if given.full else readable(program)}")
        if given.dot:
            write_graph(program, given.dot)
            print(f"\nthe graph is in {given.dot}: dot -Tsvg -O {given.dot}")
    except (FrameworkError, NotImplementedError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
