"""Makes a call with bad values in processes of their own, with limits on time and memory."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import inspect
import io
import json
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable
from multiprocessing import connection
from typing import Any, NamedTuple

from paddle.core import documented_types
from scripts import bad_kinds, bad_values

CPU_SECONDS = 2.0  # of one bad call; more is a hang
WALL_SECONDS = 60.0
MEMORY = 2 << 30  # on top of what the process has


class Call(NamedTuple):
    """A good call, as its frame shows it."""

    name: str
    function: Callable
    args: dict[str, Any]  # by name
    positional: list[str]
    extra: tuple
    keywords: dict[str, Any]

    def __call__(self, **changed: Any) -> Any:
        """Makes it again with arguments changed."""
        args = {**self.args, **changed}
        listed = [args.pop(name) for name in self.positional]
        return self.function(*listed, *self.extra, **args, **self.keywords)


def _attempt(call: Call, argument: str, bad: Any) -> tuple[str, str, str, str]:
    """Makes a bad call: (kind, class of the error, place, text)."""
    try:
        made = call(**{argument: bad})
        if inspect.isgenerator(made):
            next(made, None)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        kind = bad_kinds.kind_of(error, call.name)
        return kind, type(error).__name__, bad_kinds.place(error), str(error)[:600]
    types = documented_types.of_callable(
        call.function.__init__ if inspect.isclass(call.function) else call.function, call.function
    )
    why = bad_kinds.senseless(call.name, argument, bad, types.get(argument))
    return ("nonsense", "", "", why) if why else ("answer", "", "", "")


def _limit() -> None:
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


def _child(call: Call, argument: str, todo: list[int], out: int) -> None:
    """Makes the bad calls one after the other and writes a line for each."""
    os.setsid()
    sys.settrace(None)
    faulthandler.disable()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sys.stdout = io.StringIO()
    warnings.simplefilter("ignore")
    made = list(bad_values.values().items())
    _limit()
    for i in todo:
        label, bad = made[i]
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        result = _attempt(call, argument, bad)
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(out, (json.dumps([label, *result]) + "\n").encode())
    os._exit(0)


def in_children(call: Call, argument: str, todo: list[int]) -> list[list[str]]:
    """Forks for some of the bad values; the last line tells of a death, if there was one."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            gc.freeze()
            os.close(read)
            _child(call, argument, todo, write)
        finally:
            os._exit(9)
    os.close(write)
    data, end, late = b"", time.monotonic() + WALL_SECONDS, False
    while True:
        ready = connection.wait([read], max(0.0, end - time.monotonic()))
        if not ready:
            late = True
            break
        piece = os.read(read, 1 << 16)
        if not piece:
            break
        data += piece
        end = time.monotonic() + WALL_SECONDS
    os.close(read)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    done = [json.loads(line) for line in data.decode().splitlines() if line.endswith("]")]
    if len(done) < len(todo):
        label = list(bad_values.values())[todo[len(done)]]
        timed_out = late or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF)
        kind = "hang" if timed_out else "crash"
        if timed_out and bad_kinds.listed(bad_kinds.ENDLESS, call.name, argument):
            kind = "answer"
        done.append([label, kind, "", "", f"status {status}"])
    return done
