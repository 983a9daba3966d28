"""Jobs with parameter servers: each process is watched, and started again, by itself."""

from __future__ import annotations

import time
from typing import Any

from paddle.distributed.launch.job import GRACE_SECONDS, LOOK_SECONDS, Import, Job
from paddle.distributed.launch.logs import say
from paddle.distributed.launch.processes import Child, describe

SERVERS_END_SECONDS = 10.0  # after the trainers, for servers to write what they have
_ASK_SECONDS = 0.5  # between two questions to the store of another machine


class Watch:
    """Watches the servers and trainers of this machine until all trainers have ended.

    Args:
        job (Job): the job, whose processes have been started.
        module (Import): :mod:`rendezvous`, as soon as torch is there.
    """

    def __init__(self, job: Job, module: Import) -> None:
        self._job, self._import = job, module
        self._restarts: dict[str, int] = {}
        self._several = len(job.plan.machines) > 1
        self._meeting: Any = None
        self._counted = False
        self._asked = 0.0

    def run(self) -> None:
        """Watches; what failed is in the job."""
        job = self._job
        while job.failure is None and not self._closed():
            job.signals.check()
            for child in job.look():
                if child.code:
                    self._died(child)
            if job.failure is None and self._trainers_are_done():
                self._let_servers_end()
                break
            self._open_store()
            time.sleep(LOOK_SECONDS)
        if job.failure is not None:
            self._give_up()
        if self._meeting is not None:
            self._meeting.leave()
            self._meeting.wait_for_the_others()

    def give_up(self) -> None:
        """Lets the launchers of other machines know that this one ends."""
        if not self._several:
            return
        if self._meeting is None:
            module = self._import.get()
            self._job.signals.received = 0  # it has been answered
            self._job.store = module.open_store(self._job, seconds=2)
            self._meeting = module.Meeting(self._job, self._job.store)
        self._meeting.set_closed()
        self._meeting.leave()
        self._meeting.wait_for_the_others()

    # ---------------------------------------------------------------- the job's store

    def _open_store(self) -> None:
        """The store, as soon as torch is there, and the machine that has it."""
        job = self._job
        if job.store is not None or not self._import.ready():
            return
        module = self._import.get()
        try:
            job.store = module.open_store(job, seconds=0)
        except TimeoutError:  # the first machine comes later
            return
        self._meeting = module.Meeting(job, job.store)

    def _closed(self) -> bool:
        """Says whether another machine has given the job up."""
        if self._meeting is None or not self._several or not self._may_ask():
            return False
        if not self._meeting.is_closed():
            return False
        self._job.ask_who()
        return True

    def _may_ask(self) -> bool:
        now = time.monotonic()
        if now - self._asked < _ASK_SECONDS:
            return False
        self._asked = now
        return True

    def _trainers_are_done(self) -> bool:
        """Says whether all trainers have ended; servers wait for those of other machines, too."""
        children = self._job.children
        trainers = [child for child in children if child.member.role == "trainer"]
        if any(child.code is None for child in trainers):
            return False
        if not self._several:
            return True
        if self._meeting is None:
            return False
        if not self._counted:
            self._counted = True
            self._job.store.add("agents/trainers_done", len(trainers))
        if len(trainers) == len(children):
            return True
        every = int(children[0].member.variables["PADDLE_TRAINERS_NUM"])
        return self._job.store.add("agents/trainers_done", 0) >= every

    # ---------------------------------------------------------------- deaths and ends

    def _died(self, child: Child) -> None:
        """Starts a process again, if it may be."""
        job, name = self._job, child.member.name
        done = self._restarts.get(name, 0)
        if done >= job.plan.max_restarts:
            return
        self._restarts[name] = done + 1
        say(
            f"{name} failed: {describe(child.code or 0)}; it is started again, for time "
            f"{done + 1} of at most {job.plan.max_restarts}."
        )
        job.forgive(child)
        job.start_again(child, done + 1)

    def _let_servers_end(self) -> None:
        """The trainers are done: the servers may finish, and are ended where they do not."""
        job = self._job
        end = time.monotonic() + SERVERS_END_SECONDS
        while job.running and time.monotonic() < end:
            job.signals.check()
            job.look()
            time.sleep(LOOK_SECONDS)

    def _give_up(self) -> None:
        """Tells the others who failed, and leaves them a moment to say what they saw."""
        job, told = self._job, None
        while told is None or (job.running and time.monotonic() - told < GRACE_SECONDS):
            job.signals.check()
            self._open_store()
            if job.store is not None:
                job.report()
                told = told or time.monotonic()
            elif not job.running and not self._several:
                return  # nobody is left who could be told
            job.look()
            time.sleep(LOOK_SECONDS)
        self.give_up()
