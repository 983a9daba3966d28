"""Processes of a job: started in a group of their own, looked at, ended with all they started."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TERM_SECONDS = 4.0  # from SIGTERM to SIGKILL
# A proxy would be asked for the way to the other processes; the last is the launcher's own.
_NOT_HANDED_ON = frozenset({
    "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "TORCH_ELASTIC_WORKER_IDENTICAL",
})  # fmt: skip
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Member:
    """One process of a job, before it is started.

    Attributes:
        role (str): ``trainer`` or ``server``.
        rank (int): its number among those of its role.
        variables (dict): what its environment has besides this process's.
        log (str): the name of its log file.
    """

    role: str
    rank: int
    variables: Mapping[str, str]
    log: str

    @property
    def name(self) -> str:
        """How it is called in reports."""
        return f"rank {self.rank}" if self.role == "trainer" else f"{self.role} {self.rank}"

    @property
    def key(self) -> str:
        """How it is called in the job's store."""
        return str(self.rank) if self.role == "trainer" else f"{self.role} {self.rank}"


@dataclass
class Child:
    """A process that was started.

    Attributes:
        member (Member): what it is.
        process (Popen): the process; it leads a process group.
        started (float): when, ``time.monotonic()``.
        offset (int): where its own lines begin in its log.
        code (int|None): how it ended: an exit status, or a signal's number, negative.
        ended (float): when that was seen.
    """

    member: Member
    process: Any
    started: float
    offset: int = 0
    code: int | None = None
    ended: float = 0.0
    reaped: bool = field(default=False, repr=False)

    def look(self) -> bool:
        """Says whether it has just been seen to have ended.

        It stays a zombie until :meth:`clean`, so that its number, and its group's, is not given to
        another process while signals may be sent there.
        """
        if self.code is not None:
            return False
        self.code = _status(self.process)
        self.ended = time.monotonic()
        return self.code is not None

    def send(self, number: int) -> None:
        """Sends a signal to the process and to all of its group."""
        if self.reaped:
            return
        try:
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def clean(self) -> None:
        """Kills what is left of its group, and lets go of it."""
        if not self.reaped:
            self.send(signal.SIGKILL)
            self.process.wait()
            if self.code is None:
                self.code, self.ended = self.process.returncode, time.monotonic()
            self.reaped = True


def _status(process: Any) -> int | None:
    """How a process ended, leaving it a zombie; None while it runs."""
    if not hasattr(os, "waitid"):
        return process.poll()
    try:
        seen = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return process.poll()
    if seen is None:
        return None
    return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status


def describe(code: int) -> str:
    """Returns how a process ended, in words."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:
        return f"killed by signal {-code}"


def shell_status(code: int) -> int:
    """Returns the exit status that stands for how a process ended: 128 + n for signal n."""
    return code if code >= 0 else 128 - code


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of a child: this process's, less some, and its own variables."""
    return {**{k: v for k, v in os.environ.items() if k not in _NOT_HANDED_ON}, **variables}


def _dies_with_parent() -> Any:
    """What a child calls first: it is to end when the launcher is killed. Linux only.

    The kernel means the thread that started it, so no other than the main one asks for it.
    """
    main = threading.current_thread() is threading.main_thread()
    if not sys.platform.startswith("linux") or not main:
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    arguments = (ctypes.c_int(_PR_SET_PDEATHSIG), ctypes.c_ulong(signal.SIGTERM))
    return lambda: prctl(*arguments)


def start(member: Member, command: list[str], folder: Path | None, again: bool = False) -> Child:
    """Starts a process, whose output goes to its log.

    Args:
        member (Member): what it is.
        command (list): the command line.
        folder (Path, optional): where its log is; None: the output is this process's.
        again (bool): keep what the log has.

    Raises:
        OSError: the log cannot be written, or the command not run.
    """
    log = None
    if folder is not None:
        log = open(folder / member.log, "ab" if again else "wb")  # noqa: SIM115
    try:
        offset = log.tell() if log else 0
        process = subprocess.Popen(
            command,
            env=environment(member.variables),
            stdin=subprocess.DEVNULL if folder is not None else None,
            stdout=log,
            stderr=subprocess.STDOUT if log else None,
            start_new_session=True,
            preexec_fn=_dies_with_parent(),
        )
    finally:
        if log:
            log.close()
    return Child(member, process, time.monotonic(), offset)


def stop(children: Iterable[Child], patience: float = TERM_SECONDS, number: int = 15) -> None:
    """Ends processes and all they started: a signal, then SIGKILL.

    Args:
        children (iterable): those to end; those that have ended are cleaned up.
        patience (float): seconds between the two.
        number (int): the first signal, SIGTERM; the second comes at once where it is SIGKILL.
    """
    children = list(children)
    running = [child for child in children if child.code is None and not child.reaped]
    for child in running:
        child.send(number)
    end = time.monotonic() + (patience if number != signal.SIGKILL else 0)
    while time.monotonic() < end:
        for child in running:
            child.look()
        if all(child.code is not None for child in running):
            break
        time.sleep(0.02)
    for child in children:
        child.clean()


def first_failure(children: Iterable[Child]) -> Child | None:
    """Returns the process that failed first; of those seen together one that was killed.

    A process whose neighbour was killed fails too, a moment later, and with an exit status.
    """
    failed = [child for child in children if child.code]
    if not failed:
        return None
    earliest = min(child.ended for child in failed)
    together = [child for child in failed if child.ended - earliest < 0.01]
    return min(together, key=lambda child: ((child.code or 0) > 0, child.ended))
