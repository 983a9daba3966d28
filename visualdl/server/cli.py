"""The command `visualdl`: starts the server of the board."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from visualdl import __version__
from visualdl.server.options import (
    CACHE_TIMEOUT,
    DEFAULT_HOST,
    DEFAULT_PORT,
    LANGUAGES,
    TABS,
    THEMES,
    Options,
)


def parser() -> argparse.ArgumentParser:
    """Gives the parser of the command line."""
    result = argparse.ArgumentParser(
        prog="visualdl", description="Shows logs of training runs and models in the browser."
    )
    add = result.add_argument
    add("--logdir", nargs="+", default=[], metavar="FOLDER", help="folders with logs")
    add("--model", default="", metavar="FILE", help="a model file for the graph page")
    add("-t", "--host", default=DEFAULT_HOST, help="what to bind to (default: %(default)s)")
    add(
        "-p",
        "--port",
        type=int,
        help=f"the port (default: {DEFAULT_PORT}, or the next that is free)",
    )
    add(
        "--cache-timeout",
        type=float,
        default=CACHE_TIMEOUT,
        metavar="SECONDS",
        help="how long computed answers are kept (default: %(default)s); new data show at once",
    )
    add("-L", "--language", choices=LANGUAGES, help="language of the page")
    add("--public-path", metavar="PATH", help="what addresses begin with (default: /app)")
    add("--api-only", action="store_true", help="only the HTTP interface, no page")
    add(
        "--component_tabs",
        "--component-tabs",
        nargs="+",
        choices=TABS,
        metavar="PAGE",
        help=f"pages to show: {' '.join(TABS)} (default: those there are data for)",
    )
    add("--theme", choices=THEMES, help="colours of the page")
    add("--open-browser", action="store_true", help="opens the page when the server answers")
    add("-v", "--verbose", action="count", default=0, help="tells more; -vv: everything")
    add("--version", action="version", version=f"visualdl {__version__} (of pypaddle)")
    # that of VisualDL 2: nothing is reported here, with it or without
    add(
        "--disable-telemetry",
        action="store_true",
        default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )
    add("--first-port", type=int, default=DEFAULT_PORT, help=argparse.SUPPRESS)
    add("--ends-with-input", action="store_true", help=argparse.SUPPRESS)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the server until Ctrl-C.

    Args:
        arguments (list, optional): the command line without the program; `sys.argv`'s by default.

    Returns:
        int: the exit status.
    """
    reader = parser()
    given = vars(reader.parse_args(arguments))
    ends_with_input = given.pop("ends_with_input")
    given.pop("disable_telemetry", None)
    try:
        options = Options(**given)
    except ValueError as error:
        reader.error(str(error))
    level = [logging.WARNING, logging.INFO, logging.DEBUG][min(options.verbose, 2)]
    logging.basicConfig(level=level, format="%(levelname)s %(message)s")
    if options.verbose < 2:  # requests that wait their turn are nothing to warn of
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    from visualdl.server.app import serve

    return serve(options, ends_with_input=ends_with_input)


if __name__ == "__main__":
    sys.exit(main())
