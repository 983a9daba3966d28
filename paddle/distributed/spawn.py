"""spawn: starts a function in processes that train together."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

from paddle.core.backends import CUDA
from paddle.core.errors import (
    ExternalError,
    InvalidArgumentError,
    PreconditionNotMetError,
    UnimplementedError,
)
from paddle.distributed import check, store

__all__ = ["spawn"]

_START_METHODS = ("spawn", "fork", "forkserver")
_OPTIONS = (
    "cluster_node_ips", "gpus", "ips", "node_ip", "print_config", "selected_gpus", "start_method",
    "started_port", "use_paddlecloud",
)  # fmt: skip
_GRACE_SECONDS = 3.0  # for the others to end by themselves, once one has failed
_MOST_TEXT = 16000  # of a trace: a pipe that nobody reads yet takes so many characters
_SEVERAL_MACHINES = ("cluster_node_ips", "ips", "node_ip", "use_paddlecloud")


def environment(
    rank: int, count: int, endpoints: Sequence[str] = (), gpu: str | None = None
) -> dict[str, str]:
    """Returns what a process finds in its environment of those it trains with.

    Args:
        rank (int): its number.
        count (int): how many there are.
        endpoints (list[str], optional): the addresses of all.
        gpu (str, optional): the number of its GPU.
    """
    variables = {"PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": str(count)}
    if endpoints:
        variables["PADDLE_TRAINER_ENDPOINTS"] = ",".join(endpoints)
        variables["PADDLE_CURRENT_ENDPOINT"] = endpoints[rank]
    if gpu is not None:
        variables["FLAGS_selected_gpus"] = gpu
    return variables


class SpawnContext:
    """The processes that :func:`spawn` started.

    Attributes:
        processes (list): one ``multiprocessing.Process`` each.
    """

    def __init__(self, processes: list[Any], reports: list[Connection], store: Any) -> None:
        self.processes = processes
        self._reports = reports
        self._store = store  # serves the processes as long as this object lives

    def join(self, timeout: float | None = None) -> bool:
        """Waits for the processes.

        Args:
            timeout (float, optional): seconds; None waits for as long as it takes.

        Returns:
            bool: whether all have ended.

        Raises:
            OSError: one has failed; the text has the trace of its exception, or its exit status.
                The others were ended.
        """
        waiting = {process.sentinel: i for i, process in enumerate(self.processes)}
        while waiting:
            ended = wait(list(waiting), timeout)
            if not ended:
                return False
            # Of several that ended meanwhile the one that failed by itself is told: the errors of
            # the others follow from it.
            failed = [f for s in ended if (f := self._failure(waiting.pop(s))) is not None]
            if failed:
                self._give_up(failed[0], waiting)
        return True

    def _failure(self, rank: int) -> tuple[int, str] | None:
        process, report = self.processes[rank], self._reports[rank]
        process.join()
        try:
            text = report.recv() if report.poll() else None
        except EOFError:
            text = None
        if text is None and process.exitcode == 0:
            return None
        return rank, text or f"it ended with exit status {process.exitcode}"

    def _give_up(self, failure: tuple[int, str], waiting: dict[Any, int]) -> NoReturn:
        """Ends what is left, after a while in which the others can say how it struck them."""
        rank, text = failure
        if self._store is not None:
            check.report(self._store, rank, text.strip().splitlines()[-1])
        end = time.monotonic() + _GRACE_SECONDS
        left = dict(waiting)
        while left and time.monotonic() < end:
            for sentinel in wait(list(left), max(0.0, end - time.monotonic())):
                left.pop(sentinel)
        _end([self.processes[other] for other in left.values()])
        raise ExternalError(f"spawn: process {rank} failed:\n{text}")


def _end(processes: list[Any]) -> None:
    """Ends processes: those that do not listen too."""
    for action in ("terminate", "kill"):
        for process in processes:
            getattr(process, action)()
        for process in processes:
            process.join(_GRACE_SECONDS)


def _start(func: Callable, args: tuple, variables: dict[str, str], report: Connection) -> None:
    """What a new process does."""
    os.environ.update(variables)
    try:
        func(*args)
    except KeyboardInterrupt:
        pass
    except BaseException:
        report.send(traceback.format_exc()[-_MOST_TEXT:])
        raise SystemExit(1) from None


def _gpus(options: dict[str, Any]) -> list[str]:
    """The numbers of the GPUs that were asked for; empty where none were."""
    name = "gpus" if options.get("gpus") is not None else "selected_gpus"
    asked = options.get(name)
    if asked is None:
        return []
    numbers = [n.strip() for n in asked.split(",")] if isinstance(asked, str) else list(asked)
    count = CUDA.count() if CUDA.compiled() else 0
    if count == 0:
        raise PreconditionNotMetError(
            f"spawn({name}={asked!r}): no GPU is here.", hint="leave it out and pass nprocs=2"
        )
    for number in numbers:
        if not str(number).isdigit() or int(number) >= count:
            raise InvalidArgumentError(
                f"spawn({name}): expected numbers of GPUs from 0 to {count - 1}, but received "
                f"{asked!r}."
            )
    return [str(n) for n in numbers]


def _count(nprocs: Any, gpus: list[str]) -> int:
    if isinstance(nprocs, bool) or not isinstance(nprocs, int) or (nprocs < 1 and nprocs != -1):
        raise InvalidArgumentError(
            f"spawn(nprocs): expected a positive int, or -1 for one process a GPU, but received "
            f"{nprocs!r}."
        )
    if nprocs == -1:
        if gpus or (CUDA.compiled() and CUDA.count()):
            return len(gpus) or CUDA.count()
        return int(os.environ.get("CPU_NUM") or 1)
    if gpus and nprocs != len(gpus):
        raise InvalidArgumentError(
            f"spawn(nprocs): expected {len(gpus)}, one process for each of the GPUs "
            f"{','.join(gpus)}, but received {nprocs}."
        )
    return nprocs


def _endpoints(count: int, started_port: Any) -> list[str]:
    """Addresses for the processes: from a port on, or at ports that are free."""
    if started_port is None:
        opened = [store.listening_socket("127.0.0.1") for _ in range(count)]
        ports = [s.getsockname()[1] for s in opened]
        for s in opened:
            s.close()
    else:
        first = int(started_port) if str(started_port).isdigit() else 0
        if not 0 < first <= 65536 - count:
            raise InvalidArgumentError(
                f"spawn(started_port): expected the number of a port, but received "
                f"{started_port!r}."
            )
        ports = list(range(first, first + count))
    return [f"127.0.0.1:{port}" for port in ports]


def _checked(options: dict[str, Any]) -> str:
    """Refuses options that do not exist; returns how processes are started."""
    for name, value in options.items():
        if name not in _OPTIONS:
            raise InvalidArgumentError(
                f"spawn: there is no option {name!r}; expected one of {list(_OPTIONS)}."
            )
        own = value in (None, False, "127.0.0.1", "localhost")
        if name in _SEVERAL_MACHINES and not own:
            raise UnimplementedError(
                f"spawn({name}={value!r}): it starts processes on this machine only.",
                hint="for several machines run python -m paddle.distributed.launch --ips on each",
            )
    method = options.get("start_method", "spawn")
    if method not in _START_METHODS:
        raise InvalidArgumentError(
            f"spawn(start_method): expected one of {list(_START_METHODS)}, but received {method!r}."
        )
    return method


def spawn(
    func: Callable,
    args: Any = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> SpawnContext:
    """Calls a function in processes that train together.

    Args:
        func (callable): what each process does; it is pickled, so it belongs to a module.
        args (tuple): its arguments.
        nprocs (int): how many processes; -1 is one for each GPU, without GPUs ``CPU_NUM`` of the
            environment, else one.
        join (bool): whether to wait for them to end.
        daemon (bool): whether they are ended when this process ends.
        **options: ``gpus`` or ``selected_gpus`` (``'0,1'``: one process for each), ``started_port``
            (the processes' addresses are from there on), ``print_config`` (prints what each
            process is told), ``start_method`` (``'spawn'``, ``'fork'`` or ``'forkserver'``). The
            options of 2.0 for several machines raise.

    Returns:
        SpawnContext: has ``processes`` and ``join``.

    Raises:
        OSError: the function failed; the text has its trace and the number of its process.
        ValueError: an argument has a wrong value or cannot be pickled, or an option does not exist.
        RuntimeError: GPUs are asked for and there are none.
        NotImplementedError: other machines are asked for.

    Examples:
        .. code-block:: python

            import time
            import paddle
            context = paddle.distributed.spawn(time.sleep, args=(0,), nprocs=2,
                                               start_method='fork')
            print([p.exitcode for p in context.processes])  # [0, 0]
    """
    if not callable(func):
        raise TypeError(f"spawn(func): expected a function, but received {type(func).__name__}.")
    method = _checked(options)
    gpus = _gpus(options)
    count = _count(nprocs, gpus)
    endpoints = _endpoints(count, options.get("started_port"))
    shared, hosted = _job(count)
    context: Any = multiprocessing.get_context(method)
    processes: list[Any] = []
    reports: list[Connection] = []
    for rank in range(count):
        variables = environment(rank, count, endpoints, gpus[rank] if gpus else None) | shared
        if options.get("print_config"):
            shown = {k: v for k, v in variables.items() if k != "PADDLE_JOB_TOKEN"}
            print(f"spawn: process {rank}: {shown}", flush=True)
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_start, args=(func, tuple(args), variables, sender), daemon=daemon
        )
        try:
            process.start()
        except BaseException as error:
            _end(processes)
            if "pickle" not in str(error).lower():
                raise
            raise InvalidArgumentError(
                f"spawn(func, args): expected what can be sent to other processes, but: {error}.",
                hint="give a function of a module, not one that is made inside of another or in a "
                "notebook; start_method='fork' takes any, if no process uses a GPU",
            ) from error
        sender.close()
        processes.append(process)
        reports.append(receiver)
    started = SpawnContext(processes, reports, hosted)
    if join:
        started.join()
    return started


def _job(count: int) -> tuple[dict[str, str], Any]:
    """Opens a store for the processes; returns the variables that lead there, and its keys."""
    if count == 1:
        return {}, None
    listening = store.listening_socket("127.0.0.1")
    port = listening.getsockname()[1]
    token = secrets.token_hex(16)
    variables = {
        "PADDLE_JOB_STORE": f"127.0.0.1:{port}", "PADDLE_JOB_TOKEN": token,
        "PADDLE_RESTART_ROUND": "0",
    }  # fmt: skip
    return variables, store.below(store.host_store(listening), token, 0)
