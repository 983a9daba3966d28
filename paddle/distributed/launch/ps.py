"""Jobs with parameter servers: each process is watched, and started again, by itself."""

from __future__ import annotations

import time

from paddle.distributed.launch.job import GRACE_SECONDS, LOOK_SECONDS, Import, Job
from paddle.distributed.launch.logs import say
from paddle.distributed.launch.processes import Child, describe

SERVERS_END_SECONDS = 10.0  # after the trainers, for servers to write what they have


class Watch:
    """Watches the servers and trainers of this machine until the trainers have ended.

    Args:
        job (Job): the job, whose processes have been started.
        store (Import): what opens the job's store.
    """

    def __init__(self, job: Job, store: Import) -> None:
        self._job, self._import = job, store
        self._restarts: dict[str, int] = {}

    def run(self) -> None:
        """Watches; what failed is in the job."""
        job = self._job
        while job.failure is None:
            job.signals.check()
            for child in job.look():
                if child.code:
                    self._died(child)
            trainers = [c for c in job.children if c.member.role == "trainer"]
            if all(child.code == 0 for child in trainers or job.children):
                return self._let_servers_end()
            self._open_store()
            time.sleep(LOOK_SECONDS)
        self._give_up()

    def _open_store(self) -> None:
        """The store, as soon as torch is there."""
        if self._job.store is None and self._import.ready():
            self._job.store = self._import.get().open_store(self._job)

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
        if not any(child.member.role == "trainer" for child in job.children):
            return
        end = time.monotonic() + SERVERS_END_SECONDS
        while job.running and time.monotonic() < end:
            job.signals.check()
            job.look()
            time.sleep(LOOK_SECONDS)

    def _give_up(self) -> None:
        """Tells the others who failed, and leaves them a moment to say what they saw."""
        job = self._job
        assert job.failure is not None
        told = None
        while job.running and (told is None or time.monotonic() - told < GRACE_SECONDS):
            job.signals.check()
            self._open_store()
            if job.store is not None:
                job.report()
                told = told or time.monotonic()
            job.look()
            time.sleep(LOOK_SECONDS)
