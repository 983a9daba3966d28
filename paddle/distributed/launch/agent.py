"""Processes that exchange gradients, watched by torch elastic: all run, or all run again."""

from __future__ import annotations

import os
from typing import Any

from torch.distributed.elastic.agent.server.api import RunResult, WorkerGroup, WorkerSpec
from torch.distributed.elastic.agent.server.api import WorkerState as State
from torch.distributed.elastic.agent.server.local_elastic_agent import LocalElasticAgent
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs
from torch.distributed.elastic.multiprocessing.errors import ProcessFailure

from paddle.distributed.launch.job import LOOK_SECONDS, Job, Stopped
from paddle.distributed.launch.logs import say
from paddle.distributed.launch.processes import describe
from paddle.distributed.launch.rendezvous import Meeting, open_store


class Agent(LocalElasticAgent):
    """Decides over rounds as torch elastic does; the processes, their logs and ends are the job's.

    Torch's own processes begin when torch is imported, end at once when one of them fails, before
    they can say what they saw of it, and leave behind what they started.

    Args:
        job (Job): the processes of round 0 may have been started.
        meeting (Meeting): how the machines meet.
    """

    def __init__(self, job: Job, meeting: Meeting) -> None:
        spec = WorkerSpec(
            role="trainer",
            local_world_size=len(job.plan.members),
            rdzv_handler=meeting,
            entrypoint=job.plan.command[0],
            args=tuple(job.plan.command[1:]),
            max_restarts=job.plan.max_restarts,
            monitor_interval=LOOK_SECONDS,
        )
        super().__init__(spec, logs_specs=DefaultLogsSpecs())
        self._job, self._meeting = job, meeting

    def _start_workers(self, worker_group: WorkerGroup) -> dict[int, Any]:
        job, number = self._job, self._meeting.round
        # All machines count the same restarts, whoever asked for them.
        self._remaining_restarts = max(job.plan.max_restarts - number, 0)
        if number or not job.children:
            job.start_round(number)
        return {i: child.process.pid for i, child in enumerate(job.children)}

    def _monitor_workers(self, worker_group: WorkerGroup) -> RunResult:
        job = self._job
        job.signals.check()
        job.look()
        job.report()
        if job.failure is None:
            if self._meeting.is_closed():
                return self._closed()
            if job.running:
                return RunResult(state=State.HEALTHY)
            ranks = [child.member.rank for child in job.children]
            return RunResult(state=State.SUCCEEDED, return_values=dict.fromkeys(ranks))
        if job.waits_after_death():
            return RunResult(state=State.HEALTHY)
        if self._meeting.is_closed():
            return self._closed()
        if self._remaining_restarts:
            failed = job.failure
            say(
                f"{failed.member.name} failed: {describe(failed.code or 0)}; all processes are "
                f"started again, for time {self._meeting.round + 1} of at most "
                f"{job.plan.max_restarts}."
            )
        failures = {
            child.member.rank: ProcessFailure(i, child.process.pid, child.code, "")
            for i, child in enumerate(job.children)
            if child.code
        }
        return RunResult(state=State.FAILED, failures=failures)

    def _closed(self) -> RunResult:
        """Another machine has given the job up: there is no other round."""
        self._remaining_restarts = 0
        _part(self._job, self._meeting)
        return RunResult(state=State.FAILED)

    def _shutdown(self, *args: Any, **options: Any) -> None:
        self._job.stop()

    _stop_workers = _shutdown

    def _exit_barrier(self) -> None:
        self._meeting.all_done()


def run(job: Job) -> None:
    """Watches a job until it ends; what failed is in the job.

    Raises:
        Stopped: the launcher got a signal.
    """
    # Every machine has the same number of processes: their ranks follow from the machine's.
    os.environ["TORCH_ELASTIC_WORKER_IDENTICAL"] = "1"
    job.store = open_store(job)
    meeting = Meeting(job, job.store)
    try:
        while True:
            result = Agent(job, meeting).run()
            # Done here, but a machine that is not asks for another round?
            if result.state != State.SUCCEEDED or not meeting.is_called():
                break
    except Stopped:
        give_up(job, meeting)
        raise
    if result.state != State.SUCCEEDED:
        meeting.set_closed()
    _part(job, meeting)
    meeting.wait_for_the_others()


def give_up(job: Job, meeting: Meeting | None = None) -> None:
    """Lets the launchers of other machines know that this one ends.

    Args:
        job (Job): the job.
        meeting (Meeting, optional): None: there is no store yet.
    """
    if meeting is None:
        job.signals.received = 0  # it has been answered
        meeting = Meeting(job, open_store(job, seconds=2))
    meeting.set_closed()
    meeting.leave()
    meeting.wait_for_the_others()


def _part(job: Job, meeting: Meeting) -> None:
    """The last that this machine asks the store: who failed first, if it was on another one."""
    if meeting.is_closed() and not meeting.left:
        job.ask_who()
    meeting.leave()
