"""``python -m paddle.inference.serve MODEL``: answers requests to a saved model over HTTP."""

from __future__ import annotations

import importlib
import sys

_EXTRA = ("flask", "waitress", "werkzeug")


def main() -> int:
    """Runs the command; says what to install where the extra ``serve`` is missing."""
    try:
        command = importlib.import_module("paddle.inference.serve.command")
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        print(
            f"paddle.inference.serve: {error.name} is not installed; run "
            "`pip install pypaddle[serve]`.",
            file=sys.stderr,
        )
        return 1
    return command.main()


if __name__ == "__main__":
    sys.exit(main())
