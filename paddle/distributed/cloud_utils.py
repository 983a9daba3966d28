"""A job as a cloud's variables describe it."""

from __future__ import annotations

import logging
import os
from argparse import Namespace
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.utils import (
    Cluster,
    Pod,
    get_cluster,
    get_cluster_from_args,
    get_gpus,
)

__all__ = ["get_cloud_cluster", "get_cluster_and_pod"]

_logger = logging.getLogger("root")


def _number(variable: str) -> int | None:
    text = os.environ.get(variable)
    if not text:
        return None
    if not text.isdecimal():
        raise InvalidArgumentError(f"{variable}: expected a number, but it is {text!r}.")
    return int(text)


def get_cloud_cluster(
    args_node_ips: str | None, args_node_ip: str | None, args_port: int | None, selected_gpus: Any
) -> tuple[Cluster, Pod]:
    """Returns the job that the cloud's variables describe, and this machine's part of it.

    ``PADDLE_TRAINERS`` has the addresses of the machines, ``POD_IP`` this one's,
    ``PADDLE_TRAINER_ID`` its number. ``DISTRIBUTED_TRAINER_ENDPOINTS`` has the addresses of all
    processes; without it they follow from ``PADDLE_PORT``, if ``TRAINER_PORTS_NUM`` ports are
    enough, or from the port that is given.

    Args:
        args_node_ips (str|None): what the command line says; the variables win, with a warning.
        args_node_ip (str|None): the same, of this machine.
        args_port (int|None): the first port where the cloud names none; None: 6170.
        selected_gpus (list|None): a process for each, on each machine; None or an empty list: one
            process, on the CPU.

    Raises:
        AssertionError: a variable is missing.
        ValueError: a variable is not a number, or this machine is not among them.

    Examples:
        .. code-block:: python

            import os
            from paddle.distributed.cloud_utils import get_cloud_cluster
            os.environ.update(PADDLE_TRAINERS="10.0.0.1,10.0.0.2", POD_IP="10.0.0.2",
                              PADDLE_TRAINER_ID="1")
            cluster, pod = get_cloud_cluster(None, None, 6170, None)
            print(cluster.trainers_endpoints())  # ['10.0.0.1:6170', '10.0.0.2:6170']
            for name in ("PADDLE_TRAINERS", "POD_IP", "PADDLE_TRAINER_ID"):
                del os.environ[name]
    """
    ips, ip = os.environ.get("PADDLE_TRAINERS"), os.environ.get("POD_IP")
    assert ips, "PADDLE_TRAINERS should not be None"
    assert ip, "POD_IP should not be None"
    rank = _number("PADDLE_TRAINER_ID")
    assert rank is not None, "PADDLE_TRAINER_ID should not be None"
    node_ips = [one.strip() for one in ips.split(",")]
    if rank >= len(node_ips) or node_ips[rank] != ip:
        raise InvalidArgumentError(
            f"PADDLE_TRAINER_ID {rank} and POD_IP {ip} contradicts PADDLE_TRAINERS, which is {ips}."
        )
    for option, told, wins in (("node_ips", args_node_ips, ips), ("node_ip", args_node_ip, ip)):
        if told not in (None, "127.0.0.1", wins):
            _logger.warning(f"{option}: {told} was given, but the cloud's variables say {wins}.")
    return get_cluster(node_ips, ip, _endpoints(node_ips, args_port, selected_gpus), selected_gpus)


def _endpoints(node_ips: list[str], port: int | None, selected_gpus: Any) -> list[list[str]]:
    """The addresses of the processes of each machine."""
    count = len(selected_gpus or ()) or 1
    listed = os.environ.get("DISTRIBUTED_TRAINER_ENDPOINTS")
    if listed:
        every = [one.strip() for one in listed.split(",")]
        if len(every) % len(node_ips) or len(every) // len(node_ips) < count:
            raise InvalidArgumentError(
                f"DISTRIBUTED_TRAINER_ENDPOINTS: expected {count} addresses for each of the "
                f"{len(node_ips)} machines, but it has {len(every)}: {listed}."
            )
        each = len(every) // len(node_ips)
        return [every[i * each : (i + 1) * each] for i in range(len(node_ips))]
    first, ports = _number("PADDLE_PORT"), _number("TRAINER_PORTS_NUM") or 0
    if first is None or ports < count:
        first = port or 6170
    return [[f"{ip}:{first + i}" for i in range(count)] for ip in node_ips]


def get_cluster_and_pod(args: Namespace) -> tuple[Cluster, Pod]:
    """Returns the job of a command line or of a cloud, and this machine's part of it.

    Args:
        args (Namespace): ``selected_gpus``, ``use_paddlecloud``, ``cluster_node_ips``, ``node_ip``,
            ``started_port``; ``nproc_per_node`` where there are no GPUs.

    Examples:
        .. code-block:: python

            from argparse import Namespace
            from paddle.distributed.cloud_utils import get_cluster_and_pod
            args = Namespace(selected_gpus="0,1", use_paddlecloud=False, started_port=7000,
                             cluster_node_ips="127.0.0.1", node_ip="127.0.0.1")
            cluster, pod = get_cluster_and_pod(args)
            print(len(pod.trainers))  # 2
    """
    gpus = get_gpus(args.selected_gpus)
    if args.use_paddlecloud and (_number("PADDLE_TRAINERS_NUM") or 1) != 1:
        return get_cloud_cluster(args.cluster_node_ips, args.node_ip, args.started_port, gpus)
    return get_cluster_from_args(args, gpus)
