"""Starts the launcher of processes without the rest of :mod:`paddle`, which only they need.

``python -m paddle.distributed.launch`` and ``fleetrun`` import this package first, which takes a
second that every process of the job would wait for.
"""

from __future__ import annotations

import os
import sys

_MODULES = (
    "paddle.distributed.launch", "paddle.distributed.launch_ps", "paddle.distributed.fleet.launch",
)  # fmt: skip


def _asked() -> tuple[list[str], list[str]] | None:
    """The interpreter's options, and the module with its arguments, if this is the launcher."""
    words = sys.orig_argv
    if sys.argv[:1] == ["-m"] and "-m" in words:  # while Python looks for the module to run
        at = words.index("-m")
        return (words[1:at], words[at + 1 :]) if words[at + 1] in _MODULES else None
    script = sys.argv[0] if sys.argv else ""
    beside = os.path.dirname(os.path.abspath(script)) == os.path.dirname(sys.executable)
    if os.path.basename(script) == "fleetrun" and beside:
        return [], [_MODULES[0], *sys.argv[1:]]
    return None


def start() -> None:
    """Where this process is to be the launcher, makes it that; does not return then."""
    if os.name != "posix" or (asked := _asked()) is None:
        return
    path = os.path.join(os.path.dirname(__file__), "distributed", "launch", "start.py")
    if os.path.isfile(path):
        options, words = asked
        os.execv(sys.executable, [sys.executable, *options, path, *words])
