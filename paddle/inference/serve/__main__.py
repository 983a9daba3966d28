"""``python -m paddle.inference.serve MODEL``: answers requests to a saved model over HTTP."""

from __future__ import annotations

import importlib
import sys

_NEEDED = ("flask", "waitress", "werkzeug")


def main() -> int:
    """Runs the command; says what to install where a library is missing."""
    try:
        command = importlib.import_module("paddle.inference.serve.command")
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(
            f"paddle.inference.serve: {error.name} is not installed; run "
            f"`pip install {error.name}`.",
            file=sys.stderr,
        )
        return 1
    return command.main()


if __name__ == "__main__":
    sys.exit(main())
