"""The parts of a launcher, for launchers of one's own: clusters, pods, and their processes."""

from __future__ import annotations

import logging
import re
import signal
import socket
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from paddle.distributed.clusters import (
    Cluster,
    Hdfs,
    JobServer,
    Pod,
    Trainer,
    find_free_ports,
    get_cluster,
    get_cluster_from_args,
    get_gpus,
)
from paddle.distributed.launch import processes

__all__ = [
    "Cluster", "Hdfs", "JobServer", "Pod", "Trainer", "TrainerProc", "add_arguments",
    "find_free_ports", "get_cluster", "get_cluster_from_args", "get_gpus", "get_host_name_ip",
    "get_logger", "pull_worker_log", "start_local_trainers", "terminate_local_procs",
    "watch_local_trainers",
]  # fmt: skip

logger = logging.getLogger("root")


class TrainerProc:
    """A process that was started.

    Attributes:
        proc (Popen): the process; it leads a process group.
        log_fn (IO): its log, open for writing.
        log_offset (int): how far the log was copied to the terminal.
        rank (int): its number among all.
        local_rank (int): its number on this machine.
        cmd (list): its command line.
        child (Child): what it is watched by.

    Examples:
        .. code-block:: python

            import os, tempfile, time
            from paddle.distributed import utils

            ports = sorted(utils.find_free_ports(2))
            addresses = [[f"127.0.0.1:{port}" for port in ports]]
            cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", addresses, None)
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(folder, "train.py")
                with open(script, "w") as file:
                    file.write("import os; print('rank', os.environ['PADDLE_TRAINER_ID'])")
                procs = utils.start_local_trainers(cluster, pod, script, [], log_dir=folder)
                try:
                    while utils.watch_local_trainers(procs, 2):  # prints what rank 0 writes
                        time.sleep(0.05)
                finally:
                    utils.terminate_local_procs(procs)
    """

    def __init__(self) -> None:
        self.proc: Any = None
        self.log_fn: Any = None
        self.log_offset: int | None = None
        self.rank: int | None = None
        self.local_rank: int | None = None
        self.cmd: list[str] | None = None
        self.child: processes.Child | None = None


class _Handler(logging.StreamHandler):
    """The handler that :func:`get_logger` adds, once."""


def get_logger(log_level: Any, name: str = "root") -> logging.Logger:
    """Returns a logger that writes lines with time and place to standard error.

    Args:
        log_level (int|str): of what weight it writes.
        name (str): the logger.

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import get_logger
            logger = get_logger("INFO", "my-launcher")
            logger.info("two processes are started")
    """
    made = logging.getLogger(name)
    made.setLevel(log_level)
    if not any(isinstance(handler, _Handler) for handler in made.handlers):
        handler = _Handler()
        handler.setFormatter(
            logging.Formatter("%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s")
        )
        made.addHandler(handler)
    made.propagate = False
    return made


def add_arguments(
    argname: str, type: Any, default: Any, help: str, argparser: ArgumentParser, **kwargs: Any
) -> None:
    """Adds an option to a parser; its help tells the default.

    Args:
        argname (str): its name, without dashes.
        type (callable): of its value; bool takes ``true``, ``no``, ``1``, ...
        default (Any): without it.
        help (str): what it means.
        argparser (ArgumentParser): the parser.
        **kwargs: what ``add_argument`` takes besides.

    Examples:
        .. code-block:: python

            import argparse
            from paddle.distributed.utils import add_arguments
            parser = argparse.ArgumentParser()
            add_arguments("shuffle", bool, True, "mix the samples", parser)
            print(parser.parse_args(["--shuffle", "no"]).shuffle)  # False
    """
    argparser.add_argument(
        f"--{argname}",
        default=default,
        type=_truth if type is bool else type,
        help=f"{help} Default: %(default)s.",
        **kwargs,
    )


def _truth(text: str) -> bool:
    if re.fullmatch(r"(?i)1|true|t|yes|y|on", text):
        return True
    if re.fullmatch(r"(?i)0|false|f|no|n|off", text):
        return False
    raise ValueError(f"expected true or false, got {text!r}")


def get_host_name_ip() -> tuple[str, str] | None:
    """Returns this machine's name and address; None if the name has no address.

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import get_host_name_ip
            print(get_host_name_ip())  # ('my-machine', '10.0.0.1')
    """
    try:
        name = socket.gethostname()
        return name, socket.gethostbyname(name)
    except OSError:
        return None


def start_local_trainers(
    cluster: Cluster,
    pod: Pod,
    training_script: str,
    training_script_args: list[str],
    log_dir: str | None = None,
) -> list[TrainerProc]:
    """Starts the processes of this machine.

    Each finds its rank and everybody's address in its environment, as under the launcher. Their
    first process hosts the job's store.

    Args:
        cluster (Cluster): the job.
        pod (Pod): this machine's part.
        training_script (str): what to run.
        training_script_args (list): its arguments.
        log_dir (str, optional): folder of the logs ``workerlog.N``; None: the output is not kept.

    Examples:
        .. code-block:: python

            import os, tempfile, time
            from paddle.distributed import utils

            ports = sorted(utils.find_free_ports(2))
            addresses = [[f"127.0.0.1:{port}" for port in ports]]
            cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", addresses, None)
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(folder, "train.py")
                with open(script, "w") as file:
                    file.write("import os; print('rank', os.environ['PADDLE_TRAINER_ID'])")
                procs = utils.start_local_trainers(cluster, pod, script, [], log_dir=folder)
                try:
                    while utils.watch_local_trainers(procs, 2):  # prints what rank 0 writes
                        time.sleep(0.05)
                finally:
                    utils.terminate_local_procs(procs)
    """
    endpoints = cluster.trainers_endpoints()
    folder = None if log_dir is None else Path(log_dir)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    started: list[TrainerProc] = []
    try:
        for local, trainer in enumerate(pod.trainers):
            variables = {
                "PADDLE_TRAINER_ID": str(trainer.rank),
                "PADDLE_CURRENT_ENDPOINT": str(trainer.endpoint),
                "PADDLE_TRAINERS_NUM": str(len(endpoints)),
                "PADDLE_TRAINER_ENDPOINTS": ",".join(map(str, endpoints)),
            }
            if trainer.gpus:
                variables["FLAGS_selected_gpus"] = ",".join(map(str, trainer.gpus))
            member = processes.Member("trainer", int(trainer.rank), variables, f"workerlog.{local}")
            command = [sys.executable, "-u", training_script, *map(str, training_script_args)]
            started.append(_started(member, command, folder, local))
    except BaseException:
        terminate_local_procs(started)
        raise
    return started


def _started(
    member: processes.Member, command: list[str], folder: Path | None, local: int
) -> TrainerProc:
    made = TrainerProc()
    made.child = child = processes.start(member, command, folder, again=True)
    made.proc, made.cmd = child.process, command
    made.rank, made.local_rank = member.rank, local
    if folder is not None:
        made.log_fn = open(folder / member.log, "a", encoding="utf8")  # noqa: SIM115
        made.log_offset = child.offset
    return made


def pull_worker_log(tp: TrainerProc) -> None:
    """Prints what a process has written into its log since it was last asked.

    Args:
        tp (TrainerProc): the process.

    Examples:
        .. code-block:: python

            import os, tempfile, time
            from paddle.distributed import utils

            ports = sorted(utils.find_free_ports(2))
            addresses = [[f"127.0.0.1:{port}" for port in ports]]
            cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", addresses, None)
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(folder, "train.py")
                with open(script, "w") as file:
                    file.write("import os; print('rank', os.environ['PADDLE_TRAINER_ID'])")
                procs = utils.start_local_trainers(cluster, pod, script, [], log_dir=folder)
                try:
                    while utils.watch_local_trainers(procs, 2):  # prints what rank 0 writes
                        time.sleep(0.05)
                finally:
                    utils.terminate_local_procs(procs)
    """
    if not tp.log_fn:
        return
    with open(tp.log_fn.name, "rb") as log:
        log.seek(tp.log_offset or 0)
        new = log.read()
    tp.log_offset = (tp.log_offset or 0) + len(new)
    sys.stdout.write(new.decode(errors="replace"))
    sys.stdout.flush()


def watch_local_trainers(procs: list[TrainerProc], nranks: int) -> bool:
    """Says whether processes still run; call it again and again.

    It prints what the first writes. Where one has failed, it ends them all, and this process with
    exit status 1, as PaddlePaddle does.

    Args:
        procs (list): from :func:`start_local_trainers`.
        nranks (int): how many processes the whole job has, for the message.

    Raises:
        SystemExit: a process has failed.

    Examples:
        .. code-block:: python

            import os, tempfile, time
            from paddle.distributed import utils

            ports = sorted(utils.find_free_ports(2))
            addresses = [[f"127.0.0.1:{port}" for port in ports]]
            cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", addresses, None)
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(folder, "train.py")
                with open(script, "w") as file:
                    file.write("import os; print('rank', os.environ['PADDLE_TRAINER_ID'])")
                procs = utils.start_local_trainers(cluster, pod, script, [], log_dir=folder)
                try:
                    while utils.watch_local_trainers(procs, 2):  # prints what rank 0 writes
                        time.sleep(0.05)
                finally:
                    utils.terminate_local_procs(procs)
    """
    try:
        for one in procs:
            if one.log_fn and one.local_rank == 0:
                pull_worker_log(one)
        children = [one.child for one in procs if one.child is not None]
        for child in children:
            child.look()
        failed = [child.member.rank for child in children if child.code]
        if not failed:
            return any(child.code is None for child in children)
    except KeyboardInterrupt:
        terminate_local_procs(procs)
        raise
    logger.error(
        f"ABORT!!! Out of all {nranks} trainers, the trainer process with rank={failed} was "
        "aborted. Please check its log."
    )
    terminate_local_procs(procs)
    sys.exit(1)


def terminate_local_procs(procs: list[TrainerProc]) -> None:
    """Ends processes and all that they started: SIGTERM, and four seconds later SIGKILL.

    Args:
        procs (list): from :func:`start_local_trainers`.

    Examples:
        .. code-block:: python

            import os, tempfile, time
            from paddle.distributed import utils

            ports = sorted(utils.find_free_ports(2))
            addresses = [[f"127.0.0.1:{port}" for port in ports]]
            cluster, pod = utils.get_cluster(["127.0.0.1"], "127.0.0.1", addresses, None)
            with tempfile.TemporaryDirectory() as folder:
                script = os.path.join(folder, "train.py")
                with open(script, "w") as file:
                    file.write("import os; print('rank', os.environ['PADDLE_TRAINER_ID'])")
                procs = utils.start_local_trainers(cluster, pod, script, [], log_dir=folder)
                try:
                    while utils.watch_local_trainers(procs, 2):  # prints what rank 0 writes
                        time.sleep(0.05)
                finally:
                    utils.terminate_local_procs(procs)
    """
    processes.stop([one.child for one in procs if one.child is not None], number=signal.SIGTERM)
    for one in procs:
        if one.log_fn:
            one.log_fn.close()
