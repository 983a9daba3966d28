"""Runs the launcher by itself: as a script, with the module's name and its arguments."""

from __future__ import annotations

import importlib
import os
import sys
import types


def run() -> None:
    """Runs it, without ``paddle/__init__.py`` and ``paddle/distributed/__init__.py``."""
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]  # a script's folder, which has modules of plain names
    root = os.path.dirname(os.path.dirname(folder))
    for name, path in (("paddle", root), ("paddle.distributed", os.path.dirname(folder))):
        package = types.ModuleType(name)
        package.__path__ = [path]
        sys.modules[name] = package
    main = importlib.import_module("paddle.distributed.launch.main").main
    sys.argv = [f"python -m {sys.argv[1]}", *sys.argv[2:]]
    main(servers=sys.argv[0].endswith("launch_ps"))


if __name__ == "__main__":
    run()
