"""Processes that tests give work to: started once a module, each a rank of one job.

``with Ranks(2) as job: job.run(function, 1, 2)`` calls a function of a module on every rank and
returns the list of results. Every wait has a limit; when it passes, the stacks of all ranks are in
the error and the processes are ended.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_GRACE = 5.0  # for the other ranks, once one has raised


class RankError(AssertionError):
    """What ranks raised: ``errors`` has the exceptions by rank."""

    def __init__(self, text: str, errors: dict[int, BaseException]) -> None:
        super().__init__(text)
        self.errors = errors


class Ranks:
    """A job of several processes on this machine.

    Args:
        count (int): how many.
        **variables: of their environment, beside those that make them a job.
    """

    def __init__(self, count: int, **variables: str) -> None:
        self.count, self.variables = count, variables
        self.processes: list[subprocess.Popen] = []
        self.pipes: list[Connection] = []
        self.logs: list[Any] = []
        self.store: Any = None
        self.rounds = 0

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.stop()

    def _start(self) -> None:
        from paddle.distributed import store

        listening = store.listening_socket("127.0.0.1")
        port, token = listening.getsockname()[1], secrets.token_hex(8)
        self._hosted = store.host_store(listening)
        self.store = store.below(self._hosted, token, 0)
        opened = [store.listening_socket("127.0.0.1") for _ in range(self.count)]
        endpoints = [f"127.0.0.1:{s.getsockname()[1]}" for s in opened]
        for s in opened:
            s.close()
        self.logs = []
        for rank in range(self.count):
            mine, theirs = socket.socketpair()
            env = {
                **os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                "PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": str(self.count),
                "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
                "PADDLE_CURRENT_ENDPOINT": endpoints[rank],
                "PADDLE_JOB_STORE": f"127.0.0.1:{port}", "PADDLE_JOB_TOKEN": token,
                "PADDLE_RESTART_ROUND": "0", "PYTHONPATH": str(ROOT), **self.variables,
            }  # fmt: skip
            log = tempfile.TemporaryFile()  # noqa: SIM115
            code = f"from tests.distributed.ranks import serve; serve({theirs.fileno()})"
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-u", "-c", code], env=env, pass_fds=[theirs.fileno()],
                    stdout=log, stderr=subprocess.STDOUT, cwd=ROOT,
                )
            )  # fmt: skip
            theirs.close()
            self.logs.append(log)
            self.pipes.append(Connection(mine.detach()))

    def run(self, function: Callable, *args: Any, timeout: float = 120.0) -> list[Any]:
        """Calls a function of a module on every rank.

        Args:
            function (callable): importable by its module and name.
            *args: what it is given; pickled.
            timeout (float): seconds.

        Returns:
            list: what the ranks returned.

        Raises:
            RankError: a rank raised, ended, or took too long.
        """
        return self.run_each(function, [args] * self.count, timeout)

    def run_each(
        self, function: Callable, args: list[tuple], timeout: float = 120.0, alive: bool = False
    ) -> list[Any]:
        """The same with arguments of its own for each rank.

        ``alive``: a rank that ends or raises is reported in the list, as a string or an exception.
        """
        if not self.processes:
            self._start()
        name = (function.__module__, function.__qualname__)
        for pipe, given in zip(self.pipes, args, strict=True):
            pipe.send((*name, given))
        return self._collect(timeout, alive)

    def _collect(self, timeout: float, alive: bool) -> list[Any]:
        end = time.monotonic() + timeout
        results: dict[int, Any] = {}
        errors: dict[int, Any] = {}
        told: dict[int, str] = {}
        while len(results) + len(errors) < self.count:
            waiting = [p for i, p in enumerate(self.pipes) if i not in results and i not in errors]
            ready = wait(waiting, max(0.0, end - time.monotonic()))
            if not ready:
                break
            for pipe in ready:
                rank = self.pipes.index(pipe)  # type: ignore[arg-type]
                try:
                    good, value, text = pipe.recv()  # type: ignore[union-attr]
                except (EOFError, ConnectionError):
                    status = self.processes[rank].wait(10)
                    self._report(rank, f"exit status {status}")
                    good, value, text = False, f"exit status {status}", f"ended with {status}"
                if good:
                    results[rank] = value
                else:
                    errors[rank], told[rank] = value, text
                    end = min(end, time.monotonic() + max(_GRACE, timeout * alive))
        missing = [i for i in range(self.count) if i not in results and i not in errors]
        if missing or (errors and not alive):
            raise RankError(self._words(told, missing), errors)
        if any(isinstance(e, str) for e in errors.values()):
            self.stop()
        return [results.get(i, errors.get(i)) for i in range(self.count)]

    def _report(self, rank: int, status: str) -> None:
        """What the launcher does when a process ends."""
        from paddle.distributed import check

        check.report(self.store, rank, status)

    def _words(self, told: dict[int, str], missing: list[int]) -> str:
        parts = [f"rank {rank}:\n{text}" for rank, text in sorted(told.items())]
        for rank in missing:
            self.processes[rank].send_signal(signal.SIGUSR1)
        if missing:
            time.sleep(0.5)
        for rank in missing:
            parts.append(f"rank {rank} did not end in time; its stacks:\n{self._log(rank)}")
        self.stop(seconds=0.0 if missing else 2.0)
        return "\n".join(parts)

    def _log(self, rank: int) -> str:
        self.logs[rank].seek(0)
        return self.logs[rank].read().decode(errors="replace")[-6000:]

    def log(self, rank: int) -> str:
        """What a rank has printed."""
        return self._log(rank)

    def stop(self, seconds: float = 2.0) -> None:
        """Ends the processes; the next call starts new ones."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
        self.processes, self.pipes, self.store = [], [], None


def serve(descriptor: int) -> None:
    """What a rank does: calls what it is sent until the pipe closes."""
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    pipe = Connection(descriptor)
    import paddle

    paddle.distributed.init_parallel_env(timeout=60)
    while True:
        try:
            module, name, args = pipe.recv()
        except EOFError:
            os._exit(0)
        try:
            function: Any = importlib.import_module(module)
            for part in name.split("."):
                function = getattr(function, part)
            answer = (True, function(*args), "")
        except Exception as error:
            answer = (False, error, traceback.format_exc())
        try:
            pipe.send(answer)
        except (TypeError, AttributeError, ValueError):  # an error that cannot be pickled
            pipe.send((False, RuntimeError(answer[2]), answer[2]))
