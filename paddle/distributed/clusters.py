"""The description of a job: its machines, their processes, addresses and GPUs."""

from __future__ import annotations

import copy
import os
from argparse import Namespace
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.launch.devices import count_gpus
from paddle.distributed.launch.sockets import hold, port_of

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

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import Hdfs
            hdfs = Hdfs()
            hdfs.hdfs_name, hdfs.hdfs_ugi, hdfs.hdfs_path = "hdfs://a:9000", "me,secret", "/job"
            print(hdfs.is_valid())  # True
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
    """Who hands out a job: its address.

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import JobServer
            server = JobServer()
            server.endpoint = "10.0.0.1:6000"
            print(server)  # 10.0.0.1:6000
    """

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

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import Trainer
            trainer = Trainer()
            trainer.endpoint, trainer.rank = "127.0.0.1:6070", 0
            print(trainer)  # gpu:[] endpoint:127.0.0.1:6070 rank:0
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

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import Pod
            pod = Pod()
            pod.gpus = [0, 1]
            print(pod.get_visible_gpus())  # 0,1
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

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import Cluster, Pod
            cluster = Cluster(hdfs=None)
            cluster.pods.append(Pod())
            print(cluster.pods_nranks(), cluster.trainers_nranks())  # 1 0
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


def find_free_ports(num: int) -> set[int]:
    """Returns different ports at which nobody listens.

    Args:
        num (int): how many.

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import find_free_ports
            print(len(find_free_ports(2)))  # 2
    """
    held = [hold("127.0.0.1", 0) for _ in range(num)]
    try:
        return {port_of(one) for one in held}
    finally:
        for one in held:
            one.close()


def get_gpus(selected_gpus: str | None) -> list[Any]:
    """Returns the GPUs to be used, as numbers among the visible ones.

    Args:
        selected_gpus (str|None): ``0,1``; None: all; none where there is none.

    Raises:
        AssertionError: one is not in ``CUDA_VISIBLE_DEVICES``.

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import get_gpus
            print(len(get_gpus("0")))  # 1
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

    Examples:
        .. code-block:: python

            from paddle.distributed.utils import get_cluster
            addresses = [["10.0.0.1:6070"], ["10.0.0.2:6070"]]
            cluster, pod = get_cluster(["10.0.0.1", "10.0.0.2"], "10.0.0.2", addresses, None)
            print(pod.rank, cluster.trainers_nranks())  # 1 2
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

    Examples:
        .. code-block:: python

            from argparse import Namespace
            from paddle.distributed.utils import get_cluster_from_args
            args = Namespace(cluster_node_ips="127.0.0.1", node_ip="127.0.0.1", started_port=7000,
                             nproc_per_node=2)
            cluster, pod = get_cluster_from_args(args, None)
            print(cluster.trainers_endpoints())  # ['127.0.0.1:7000', '127.0.0.1:7001']
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
