"""The launcher's command line."""

from __future__ import annotations

import argparse

SERVER_OPTIONS = ("servers", "workers", "server_num", "worker_num")
_NOT_HERE = ("heter_workers", "heter_worker_num")


def parser(servers: bool = False) -> argparse.ArgumentParser:
    """Returns the parser of ``paddle.distributed.launch``.

    Args:
        servers (bool): of ``paddle.distributed.launch_ps``: a job with parameter servers.
    """
    made = argparse.ArgumentParser(
        prog=f"python -m paddle.distributed.launch{'_ps' if servers else ''}",
        description="Starts a script in several processes that train together.",
        allow_abbrev=False,
    )
    made.set_defaults(wants_servers=servers)
    general = made.add_argument_group("any job")
    general.add_argument(
        "--log_dir",
        default="logs" if servers else "log",
        help="folder of the logs (default: %(default)s)",
    )
    general.add_argument(
        "--max_restarts",
        type=int,
        default=0,
        metavar="K",
        help="start again what has died, at most so often (default: 0)",
    )
    general.add_argument(
        "--started_port",
        "--start_port",
        type=int,
        metavar="P",
        help="the first of the processes' ports; else free ones",
    )
    general.add_argument("--node_ip", help="this machine's address among those of the job")
    general.add_argument("--http_port", type=int, metavar="P", help="port of the job's own store")
    general.add_argument(
        "--print_config",
        default="false",
        metavar="true",
        help="tell what each process is given",
    )
    general.add_argument(
        "--use_paddlecloud",
        action="store_true",
        help="take --ips and --node_ip from PADDLE_TRAINERS and POD_IP",
    )
    collective = made.add_argument_group("processes that exchange gradients")
    collective.add_argument("--nproc_per_node", type=int, metavar="N", help="processes a machine")
    collective.add_argument(
        "--gpus",
        "--selected_gpus",
        metavar="0,1",
        help="a process for each of these GPUs (default: all)",
    )
    collective.add_argument(
        "--xpus",
        "--selected_xpus",
        metavar="0,1",
        help="a process for each of these XPUs",
    )
    collective.add_argument(
        "--ips",
        "--cluster_node_ips",
        metavar="A,B",
        help="the machines; give the same command to each",
    )
    ps = made.add_argument_group("parameter servers and trainers")
    ps.add_argument("--server_num", type=int, metavar="N", help="servers on this machine")
    ps.add_argument("--worker_num", type=int, metavar="N", help="trainers on this machine")
    ps.add_argument("--servers", "--endpoints", metavar="A:P,B:P", help="addresses of the servers")
    ps.add_argument("--workers", metavar="A,B", help="addresses of the trainers; ports optional")
    for name in _NOT_HERE:
        made.add_argument(f"--{name}", help=argparse.SUPPRESS)
    made.add_argument("training_script", help="the script")
    made.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return made


def parse(argv: list[str] | None, servers: bool = False) -> argparse.Namespace:
    """Reads the command line; ends the process with a message where it contradicts itself."""
    made = parser(servers)
    given = made.parse_args(argv)
    for name in _NOT_HERE:
        if getattr(given, name) is not None:
            made.error(
                f"--{name}: this version has no heterogeneous trainers; use "
                "--nproc_per_node, or --server_num and --worker_num."
            )
    for name in ("nproc_per_node", "server_num", "worker_num"):
        if getattr(given, name) is not None and getattr(given, name) < 1:
            made.error(f"--{name}: expected a number from 1, got {getattr(given, name)}.")
    for name in ("started_port", "http_port"):
        if getattr(given, name) is not None and not 0 < getattr(given, name) < 65536:
            made.error(f"--{name}: expected a port of 1 to 65535, got {getattr(given, name)}.")
    if given.max_restarts < 0:
        made.error(f"--max_restarts: expected a number from 0, got {given.max_restarts}.")
    if given.gpus is not None and given.xpus is not None:
        made.error("--gpus and --xpus: a process uses devices of one kind; give one of them.")
    given.print_config = given.print_config.lower() not in ("false", "0", "no")
    told = [f"--{name}" for name in SERVER_OPTIONS if getattr(given, name) is not None]
    given.wants_servers = given.wants_servers or bool(told)
    if given.wants_servers:
        _check_servers(made, given, told)
    return given


def _check_servers(
    made: argparse.ArgumentParser, given: argparse.Namespace, told: list[str]
) -> None:
    """Refuses a job with parameter servers that lacks something, or is asked for something else."""
    for name in ("ips", "nproc_per_node", "gpus", "xpus"):
        if getattr(given, name) is not None:
            made.error(
                f"--{name} starts processes without parameter servers; it contradicts "
                f"{', '.join(told) or 'launch_ps'}."
            )
    for number, addresses in (("server_num", "servers"), ("worker_num", "workers")):
        count, listed = getattr(given, number), getattr(given, addresses)
        if count is None and not listed:
            made.error(
                f"a job with parameter servers needs --{number} or --{addresses}: give the number "
                "of servers and of trainers, each at least 1."
            )
        if count is not None and listed and len(listed.split(",")) != count:
            made.error(
                f"--{number} {count} contradicts --{addresses}, which has "
                f"{len(listed.split(','))} addresses."
            )
    if bool(given.servers) != bool(given.workers):
        made.error("--servers and --workers: give both lists of addresses, or two numbers.")
