"""The parts of a launcher, for launchers of one's own: clusters, pods, and their processes."""

from __future__ import annotations

import copy
import logging
import os
import re
import signal
import socket
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.launch import processes
from paddle.distributed.launch.devices import count_gpus
from paddle.distributed.launch.sockets import hold, port_of

__all__ = [
    "Cluster", "Hdfs", "JobServer", "Pod", "Trainer", "TrainerProc", "add_arguments",
    "find_free_ports", "get_cluster", "get_cluster_from_args", "get_gpus", "get_host_name_ip",
    "get_logger", "pull_worker_log", "start_local_trainers", "terminate_local_procs",
    "watch_local_trainers",
]  # fmt: skip

logger = logging.getLogger("root")
_FIRST_PORT = 6070


class _Plain:
    """Equal where the attributes are that make the thing what it is."""

    _compared: tuple[str, ...] = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._compared)


class Hdfs(_Plain):
    """Where a file system of Hadoop is, and who asks.

    Attributes:
        hdfs_ugi (str): user and password.
        hdfs_name (str): address.
        hdfs_path (str): folder.
    """

    _compared = ("hdfs_ugi", "hdfs_name", "hdfs_path")

    def __init__(self) -> None:
        self.hdfs_ugi = self.hdfs_name = self.hdfs_path = None

    def is_valid(self) -> bool:
        """Says whether all three are known."""
        return None not in (self.hdfs_ugi, self.hdfs_name, self.hdfs_path)

    def __str__(self) -> str:
        return f"hdfs_ugi:{self.hdfs_ugi} hdfs_name:{self.hdfs_name} hdfs_path{self.hdfs_path}"

    def __eq__(self, n: object) -> bool:
        return super().__eq__(n)

    def __ne__(self, n: object) -> bool:
        return not self == n


class JobServer(_Plain):
    """Who hands out a job: its address."""

    _compared = ("endpoint",)

    def __init__(self) -> None:
        self.endpoint: str | None = None

    def __str__(self) -> str:
        return f"{self.endpoint}"

    def __eq__(self, j: object) -> bool:
        return super().__eq__(j)

    def __ne__(self, j: object) -> bool:
        return not self == j


class Trainer(_Plain):
    """A process that trains.

    Attributes:
        gpus (list): its GPUs; empty: it runs on the CPU.
        endpoint (str): its address.
        rank (int): its number among all.
    """

    _compared = ("gpus", "endpoint", "rank")

    def __init__(self) -> None:
        self.gpus: list[Any] = []
        self.endpoint: str | None = None
        self.rank = None

    def __str__(self) -> str:
        return f"gpu:{self.gpus} endpoint:{self.endpoint} rank:{self.rank}"

    def __eq__(self, t: object) -> bool:
        return super().__eq__(t)

    def __ne__(self, t: object) -> bool:
        return not self == t

    def _rank(self) -> Any:
        """The number among all; an attribute of that name hides this."""
        return self.rank

    rank: Any = _rank


class Pod(_Plain):
    """A machine of a job, or its part of one.

    Attributes:
        rank (int): its number among the machines.
        id (str): a name.
        addr (str): its address.
        port (int): its port.
        trainers (list): its processes.
        gpus (list): its GPUs.
    """

    _compared = ("rank", "id", "addr", "port", "trainers")

    def __init__(self) -> None:
        self.rank = None
        self.id: Any = None
        self.addr: str | None = None
        self.port: int | None = None
        self.trainers: list[Trainer] = []
        self.gpus: list[Any] = []

    def __str__(self) -> str:
        return (
            f"rank:{self.rank} id:{self.id} addr:{self.addr} port:{self.port} "
            f"visible_gpu:{self.gpus} trainers:{[str(t) for t in self.trainers]}"
        )

    def __eq__(self, pod: object) -> bool:
        return super().__eq__(pod)

    def __ne__(self, pod: object) -> bool:
        return not self == pod

    def _rank(self) -> Any:
        """The number among the machines; an attribute of that name hides this."""
        return self.rank

    rank: Any = _rank

    def parse_response(self, res_pods: Any) -> None:
        """Does nothing, as in PaddlePaddle."""

    def get_visible_gpus(self) -> str:
        """Returns the numbers of the GPUs, separated by commas.

        Raises:
            AssertionError: it has none.
        """
        assert self.gpus, f"this pod {self} can't see any gpus"
        return ",".join(str(gpu) for gpu in self.gpus)


class Cluster(_Plain):
    """All machines of a job.

    Args:
        hdfs (Hdfs): where its files are.
    """

    _compared = ("pods", "job_stage_flag")

    def __init__(self, hdfs: Any) -> None:
        self.job_server: JobServer | None = None
        self.pods: list[Pod] = []
        self.hdfs = hdfs
        self.job_stage_flag: Any = None

    def __str__(self) -> str:
        return (
            f"job_server:{self.job_server} pods:{[str(pod) for pod in self.pods]} "
            f"job_stage_flag:{self.job_stage_flag} hdfs:{self.hdfs}"
        )

    def __eq__(self, cluster: object) -> bool:
        return super().__eq__(cluster)

    def __ne__(self, cluster: object) -> bool:
        return not self == cluster

    def update_pods(cluster) -> None:
        """Gives the cluster a list of its own of its pods."""
        cluster.pods = copy.copy(cluster.pods)

    def trainers_nranks(self) -> int:
        """Returns the number of processes."""
        return len(self.trainers_endpoints())

    def pods_nranks(self) -> int:
        """Returns the number of machines."""
        return len(self.pods)

    def trainers_endpoints(self) -> list[Any]:
        """Returns the addresses of all processes."""
        return [trainer.endpoint for pod in self.pods for trainer in pod.trainers]

    def pods_endpoints(self) -> list[str]:
        """Returns the addresses of all machines.

        Raises:
            AssertionError: one has no address or no port.
        """
        found = []
        for pod in self.pods:
            endpoint = f"{pod.addr}:{pod.port}"
            assert pod.port is not None and pod.addr is not None, f"{endpoint} not a valid endpoint"
            found.append(endpoint)
        return found

    def get_pod_by_id(self, pod_id: Any) -> Pod | None:
        """Returns the machine of a name; None if there is none."""
        return next((pod for pod in self.pods if str(pod.id) == str(pod_id)), None)


class TrainerProc:
    """A process that was started.

    Attributes:
        proc (Popen): the process; it leads a process group.
        log_fn (IO): its log, open for writing.
        log_offset (int): how far the log was copied to the terminal.
        rank (int): its number among all.
        local_rank (int): its number on this machine.
        cmd (list): its command line.
    """

    def __init__(self) -> None:
        self.proc: Any = None
        self.log_fn: Any = None
        self.log_offset: int | None = None
        self.rank: int | None = None
        self.local_rank: int | None = None
        self.cmd: list[str] | None = None
        self._child: processes.Child | None = None


def get_logger(log_level: Any, name: str = "root") -> logging.Logger:
    """Returns a logger that writes lines with time and place to standard error.

    Args:
        log_level (int|str): of what weight it writes.
        name (str): the logger.
    """
    made = logging.getLogger(name)
    made.setLevel(log_level)
    if not any(getattr(h, "_of_launch", False) for h in made.handlers):
        handler = logging.StreamHandler()
        handler.setFormatter(
            logging.Formatter("%(levelname)s %(asctime)s %(filename)s:%(lineno)d] %(message)s")
        )
        handler._of_launch = True  # type: ignore[attr-defined]
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


def find_free_ports(num: int) -> set[int]:
    """Returns different ports at which nobody listens.

    Args:
        num (int): how many.
    """
    held = [hold("127.0.0.1", 0) for _ in range(num)]
    try:
        return {port_of(one) for one in held}
    finally:
        for one in held:
            one.close()


def get_host_name_ip() -> tuple[str, str] | None:
    """Returns this machine's name and address; None if the name has no address."""
    try:
        name = socket.gethostname()
        return name, socket.gethostbyname(name)
    except OSError:
        return None


def get_gpus(selected_gpus: str | None) -> list[Any]:
    """Returns the GPUs to be used, as numbers among the visible ones.

    Args:
        selected_gpus (str|None): ``0,1``; None: all; none where there is none.

    Raises:
        AssertionError: one is not in ``CUDA_VISIBLE_DEVICES``.
    """
    if selected_gpus is None:
        return list(range(count_gpus()))
    named = [part.strip() for part in selected_gpus.split(",")]
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if not listed:
        return named
    visible = [part.strip() for part in listed.split(",")]
    for one in named:
        assert one in visible, (
            f"Can't find your selected_gpus {one} in CUDA_VISIBLE_DEVICES[{listed}]."
        )
    return [visible.index(one) for one in named]


def get_cluster(
    node_ips: list[str], node_ip: str, trainer_endpoints: list[Any], selected_gpus: Any
) -> tuple[Cluster, Pod]:
    """Returns a job, and this machine's part of it.

    Args:
        node_ips (list): the addresses of the machines.
        node_ip (str): this one's.
        trainer_endpoints (list): for each machine the list of its processes' addresses.
        selected_gpus (list|None): the GPUs that each machine uses, one a process; None or an empty
            list: a process for each address, on the CPU.

    Raises:
        AssertionError: a machine has fewer addresses than GPUs.
        ValueError: this machine is not among them.
    """
    if node_ip not in node_ips:
        raise InvalidArgumentError(
            f"get_cluster(node_ip): {node_ip!r} is not in the list of machines, {node_ips}."
        )
    cluster, rank = Cluster(hdfs=None), 0
    for number, ip in enumerate(node_ips):
        pod = Pod()
        pod.rank, pod.addr = number, ip
        given = trainer_endpoints[number]
        gpus = selected_gpus or [None] * len(given)
        assert len(given) >= len(gpus), (
            "current trainer_endpoints size should be greater equal than selected_gpus size."
        )
        for gpu, endpoint in zip(gpus, given):
            trainer = Trainer()
            trainer.gpus = [] if gpu is None else [gpu]
            trainer.endpoint, trainer.rank = f"{endpoint}", rank
            rank += 1
            pod.trainers.append(trainer)
        cluster.pods.append(pod)
    return cluster, cluster.pods[node_ips.index(node_ip)]


def get_cluster_from_args(args: Namespace, selected_gpus: Any) -> tuple[Cluster, Pod]:
    """Returns the job of a command line, and this machine's part of it.

    Args:
        args (Namespace): ``cluster_node_ips``, ``node_ip``, ``started_port`` (None: free ports on
            one machine, from ``FLAGS_START_PORT`` or 6070 on several); ``nproc_per_node`` where
            there are no GPUs.
        selected_gpus (list|None): one process for each.
    """
    node_ips = [ip.strip() for ip in args.cluster_node_ips.split(",")]
    count = len(selected_gpus or ()) or getattr(args, "nproc_per_node", None) or 1
    port = getattr(args, "started_port", None)
    if port is None and len(node_ips) == 1:
        ports = sorted(find_free_ports(count))
    else:
        first = int(port or os.environ.get("FLAGS_START_PORT") or _FIRST_PORT)
        ports = list(range(first, first + count))
    endpoints = [[f"{ip}:{p}" for p in ports] for ip in node_ips]
    return get_cluster(node_ips, args.node_ip, endpoints, selected_gpus)


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
    made._child = child = processes.start(member, command, folder, again=True)
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
    """
    try:
        for one in procs:
            if one.log_fn and one.local_rank == 0:
                pull_worker_log(one)
        children = [one._child for one in procs if one._child is not None]
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
    """
    processes.stop([one._child for one in procs if one._child is not None], number=signal.SIGTERM)
    for one in procs:
        if one.log_fn:
            one.log_fn.close()
