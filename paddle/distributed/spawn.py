"""spawn: starts a function in processes that train together; here in one."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any

from paddle.core.errors import ExternalError, InvalidArgumentError, UnimplementedError

__all__ = ["spawn"]

_START_METHODS = ("spawn", "fork", "forkserver")
_OPTIONS = (
    "cluster_node_ips", "gpus", "ips", "node_ip", "print_config", "selected_gpus", "start_method",
    "started_port", "use_paddlecloud",
)  # fmt: skip


def environment(rank: int, count: int) -> dict[str, str]:
    """Returns what a process finds in its environment of those it trains with.

    Args:
        rank (int): its number.
        count (int): how many there are.
    """
    return {"PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": str(count)}


class SpawnContext:
    """The processes that :func:`spawn` started.

    Attributes:
        processes (list): one ``multiprocessing.Process`` each.
    """

    def __init__(self, processes: list[Any], reports: list[Connection]) -> None:
        self.processes = processes
        self._reports = reports

    def join(self, timeout: float | None = None) -> bool:
        """Waits for the processes.

        Args:
            timeout (float, optional): seconds; None waits for as long as it takes.

        Returns:
            bool: whether all have ended.

        Raises:
            OSError: one has failed; the text has the trace of its exception, or its exit status.
        """
        waiting = {process.sentinel: i for i, process in enumerate(self.processes)}
        while waiting:
            ended = wait(list(waiting), timeout)
            if not ended:
                return False
            for sentinel in ended:
                self._check(waiting.pop(sentinel))
        return True

    def _check(self, rank: int) -> None:
        process, report = self.processes[rank], self._reports[rank]
        process.join()
        try:
            text = report.recv() if report.poll() else None
        except EOFError:
            text = None
        if text is None and process.exitcode == 0:
            return
        if text is None:
            text = f"it ended with exit status {process.exitcode}"
        raise ExternalError(f"spawn: process {rank} failed:\n{text}")


def _start(func: Callable, args: tuple, variables: dict[str, str], report: Connection) -> None:
    """What a new process does."""
    os.environ.update(variables)
    try:
        func(*args)
    except KeyboardInterrupt:
        pass
    except BaseException:
        report.send(traceback.format_exc())
        raise SystemExit(1) from None


def _count(nprocs: Any) -> int:
    if isinstance(nprocs, bool) or not isinstance(nprocs, int) or (nprocs < 1 and nprocs != -1):
        raise InvalidArgumentError(
            f"spawn(nprocs): expected a positive int, or -1 for one process a GPU, but received "
            f"{nprocs!r}."
        )
    if nprocs > 1:
        raise UnimplementedError(
            f"spawn(nprocs={nprocs}): training in several processes is not part of this version.",
            hint="pass nprocs=1, or call the function",
        )
    return 1


def spawn(
    func: Callable,
    args: Any = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> SpawnContext:
    """Calls a function in processes that train together; in this version in one.

    Args:
        func (callable): what the process does; it is pickled, so it belongs to a module.
        args (tuple): its arguments.
        nprocs (int): how many processes; -1 is one for each GPU, here one.
        join (bool): whether to wait for it to end.
        daemon (bool): whether it is ended when this process ends.
        **options: ``start_method`` (``'spawn'``, ``'fork'`` or ``'forkserver'``). The options of
            2.0 for several machines or GPUs raise.

    Returns:
        SpawnContext: has ``processes`` and ``join``.

    Raises:
        OSError: the function failed; the text has its trace.
        ValueError: an argument has a wrong value, or an option does not exist.
        NotImplementedError: more than one process is asked for.

    Examples:
        .. code-block:: python

            import time
            import paddle
            context = paddle.distributed.spawn(time.sleep, args=(0,), nprocs=1,
                                               start_method='fork')
            print(context.processes[0].exitcode)  # 0
    """
    if not callable(func):
        raise TypeError(f"spawn(func): expected a function, but received {type(func).__name__}.")
    count = _count(nprocs)
    method = options.pop("start_method", "spawn")
    if method not in _START_METHODS:
        raise InvalidArgumentError(
            f"spawn(start_method): expected one of {list(_START_METHODS)}, but received {method!r}."
        )
    for name in options:
        if name not in _OPTIONS:
            raise InvalidArgumentError(
                f"spawn: there is no option {name!r}; expected one of {list(_OPTIONS)}."
            )
        raise UnimplementedError(
            f"spawn({name}): choosing machines and GPUs is not part of this version.",
            hint="leave it out; paddle.set_device chooses the GPU of a process",
        )
    processes, reports = [], []
    context = multiprocessing.get_context(method)
    for rank in range(count):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_start,
            args=(func, tuple(args), environment(rank, count), sender),
            daemon=daemon,
        )
        process.start()
        sender.close()
        processes.append(process)
        reports.append(receiver)
    started = SpawnContext(processes, reports)
    if join:
        started.join()
    return started
