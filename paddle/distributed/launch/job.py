"""A job under way: its processes, the signals to the launcher, failure reports, the end."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from typing import Any

from paddle.distributed.launch.logs import Copier, last_lines, say
from paddle.distributed.launch.plan import Plan
from paddle.distributed.launch.processes import (
    Child,
    describe,
    first_failure,
    shell_status,
    start,
    stop,
)

LOOK_SECONDS = 0.05  # between two looks at the processes
GRACE_SECONDS = 3.0  # after a death, for the others to say what they saw


class Stopped(BaseException):
    """Ctrl-C, or a signal that asks the launcher to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


class Signals:
    """Notes signals that ask the launcher to end; they are answered between two looks.

    An exception out of the handler could come between a child's start and its being written down.
    """

    def __init__(self) -> None:
        self.received = 0
        self.count = 0
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self._before[number] = signal.signal(number, self._note)

    def _note(self, number: int, frame: Any) -> None:
        self.received = number
        self.count += 1

    def check(self) -> None:
        """Raises Stopped where a signal has come."""
        if self.received:
            raise Stopped(self.received)

    def restore(self) -> None:
        """Gives the signals back to whom they belonged."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


class Job:
    """The processes of a plan on this machine.

    Attributes:
        plan (Plan): what it consists of.
        children (list): the processes that were started, in the plan's order.
        round (int): how often the group was started again.
        failure (Child|None): what failed first, once that is known.
        store (Store|None): the job's store, once there is one.
        elsewhere (str): what failed first, if it was on another machine.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.children: list[Child] = []
        self.round = 0
        self.failure: Child | None = None
        self.elsewhere = ""
        self.store: Any = None
        self.signals = Signals()
        self._copier: Copier | None = None
        self._unreported: list[Child] = []

    # ---------------------------------------------------------------- starting

    def start(self) -> None:
        """Starts all processes; where one cannot be started, none is left."""
        self.plan.folder.mkdir(parents=True, exist_ok=True)
        (self.plan.folder / "endpoints.log").write_text(
            "PADDLE_TRAINER_ENDPOINTS: \n" + "\n".join(self.plan.endpoints) + "\n",
            encoding="utf8",
        )
        self.start_round(0)

    def start_round(self, number: int) -> None:
        """Starts all processes of a round; those of the round before must have been stopped."""
        self.round, self.failure, self.children, self._unreported = number, None, [], []
        told = {"PADDLE_RESTART_ROUND": str(number), "PADDLE_RESTART_COUNT": str(number)}
        try:
            for member in self.plan.members:
                self.children.append(self._start(member, told, again=number > 0))
        except BaseException:
            self.stop()
            raise

    def start_again(self, child: Child, count: int) -> Child:
        """Starts one process again, alone; it keeps its addresses."""
        child.clean()
        told = {"PADDLE_RESTART_COUNT": str(count)}
        fresh = self._start(child.member, told, again=True)
        self.children[self.children.index(child)] = fresh
        return fresh

    def _start(self, member: Any, told: dict[str, str], again: bool) -> Child:
        self.signals.check()
        member = dataclasses.replace(member, variables={**member.variables, **told})
        child = start(member, self.plan.command, self.plan.folder, again)
        if self._copier is None and member.role == "trainer" and member.log == "workerlog.0":
            self._copier = Copier(self.plan.folder / member.log)
        return child

    # ---------------------------------------------------------------- watching

    def look(self) -> list[Child]:
        """Notes which processes have ended since the last look, and reports those that failed."""
        ended = [child for child in self.children if child.look()]
        self._unreported += [child for child in ended if child.code]
        if self.failure is None and self._unreported:
            self.failure = first_failure(self._unreported)
        return ended

    def report(self) -> None:
        """Tells the other processes, through the store, who has failed."""
        if self.store is None:
            return
        first, prefix = self.failure, f"{self.plan.token}/{self.round}/failed"
        for child in sorted(self._unreported, key=lambda c: (c is not first, c.ended)):
            text = f"{child.member.key}|{describe(child.code or 0)}"
            self.store.set(f"{prefix}/{self.store.add(prefix, 1)}", text)
        self._unreported = []

    def forgive(self, child: Child) -> None:
        """Takes back that a process has failed: it is started again."""
        self._unreported = [one for one in self._unreported if one is not child]
        if self.failure is child:
            self.failure = None

    @property
    def running(self) -> list[Child]:
        """The processes that have not ended."""
        return [child for child in self.children if child.code is None]

    def waits_after_death(self) -> bool:
        """Says whether the others still have time to say what they saw of a failure."""
        assert self.failure is not None
        return bool(self.running) and time.monotonic() - self.failure.ended < GRACE_SECONDS

    # ---------------------------------------------------------------- ending

    def stop(self) -> None:
        """Ends all processes and what they started. A second Ctrl-C does not wait for them."""
        stop(self.children, number=signal.SIGKILL if self.signals.count > 1 else signal.SIGTERM)

    def close(self) -> None:
        """Ends what is left, and copies the rest of the log to the terminal."""
        self.stop()
        if self._copier is not None:
            self._copier.finish()
            self._copier = None
        self.plan.close()
        self.signals.restore()

    def ask_who(self) -> None:
        """Notes who failed first, where it was on another machine, which has given the job up."""
        first = f"{self.plan.token}/{self.round}/failed/1"
        if not self.store.check([first]):
            self.elsewhere = "" if self.failure else "its launcher was ended"
            return
        key, _, text = self.store.get(first).decode(errors="replace").partition("|")
        if key not in [child.member.key for child in self.children]:
            self.elsewhere = f"{f'rank {key}' if key.isdecimal() else key}, {text}"

    def result(self) -> int:
        """Returns the exit status of the job, and says who failed first and what it wrote last."""
        failed = self.failure
        if self.elsewhere:
            say(f"the job failed on another machine: {self.elsewhere}; its log is there.")
            return shell_status(failed.code or 1) if failed else 1
        if failed is None:
            return 0
        log = self.plan.folder / failed.member.log
        lines = last_lines(log, failed.offset)
        said = f"the last lines of {log}:" if lines else f"it wrote nothing to {log}."
        how = f"{describe(failed.code or 0)}, after {failed.ended - failed.started:.1f} s"
        say(f"{failed.member.name} failed first: {how}; " + "\n    ".join([said, *lines]))
        return shell_status(failed.code or 1)


def watch_alone(job: Job, until: Any) -> bool:
    """Watches until all processes have ended or something else is ready.

    Args:
        job (Job): the job.
        until (callable): says whether it is ready.

    Returns:
        bool: whether all ended before.
    """
    while not until():
        job.signals.check()
        job.look()
        if not job.running:
            return True
        time.sleep(LOOK_SECONDS)
    return False


class Import:
    """Imports what needs torch, beside the processes, which import it too.

    It takes a second or more; the processes do not wait for it. The thread yields to them.
    """

    def __init__(self, load: Any) -> None:
        self._load = load
        self._error: BaseException | None = None
        self.module: Any = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="launch-import")
        self._thread.start()

    def _run(self) -> None:
        try:
            if hasattr(os, "setpriority") and hasattr(os, "PRIO_PROCESS"):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)
        except OSError:
            pass
        try:
            self.module = self._load()
        except BaseException as error:
            self._error = error

    def ready(self) -> bool:
        """Says whether it is done."""
        return not self._thread.is_alive()

    def get(self) -> Any:
        """Returns what was imported, or raises what went wrong."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self.module
