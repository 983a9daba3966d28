"""What a job consists of: processes with addresses and variables, a token, a store."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import socket
import sys
from dataclasses import dataclass, field
from pathlib import Path

from paddle.distributed.launch.devices import count_gpus, visible_gpus, xpus
from paddle.distributed.launch.logs import say
from paddle.distributed.launch.processes import Member
from paddle.distributed.launch.sockets import (
    LOOPBACK,
    AddressError,
    hold,
    is_loopback,
    own_address,
    port_of,
    split_endpoint,
)

_FIRST_PORT = 6070  # of jobs on several machines, where every launcher has to know it
_FIRST_SERVER_PORT = 6170
_TLS = ("PADDLE_TLS_CERT", "PADDLE_TLS_KEY", "PADDLE_TLS_CA")


class PlanError(ValueError):
    """A job that cannot be started as it was asked for."""


@dataclass
class Plan:
    """A job, as seen from one machine.

    Attributes:
        members (list): the processes of this machine, servers first.
        machines (list): an address of each machine; the first has the job's store.
        machine (int): which of them this one is.
        store (tuple): address and port of the store.
        listener (socket|None): where the store will listen; only on the first machine.
        held (list): sockets that keep ports from being taken.
        endpoints (list): the addresses of all processes.
        token (str): what the processes of this job tell each other by.
        command (list): what each process runs.
        folder (Path): the logs.
        max_restarts (int): how often something is started again.
        servers (bool): a job with parameter servers.
    """

    members: list[Member]
    machines: list[str]
    machine: int
    store: tuple[str, int]
    listener: socket.socket | None
    held: list[socket.socket]
    endpoints: list[str]
    token: str
    command: list[str] = field(default_factory=list)
    folder: Path = Path("log")
    max_restarts: int = 0
    servers: bool = False

    def close(self) -> None:
        """Lets go of the ports."""
        for one in (*self.held, *([self.listener] if self.listener else [])):
            one.close()
        self.held, self.listener = [], None


def make(given: argparse.Namespace) -> Plan:
    """Returns the job that a command line asks for.

    Raises:
        PlanError: it contradicts itself, or a script, a GPU or a port is not there.
    """
    if not os.path.exists(given.training_script):
        raise PlanError(f"there is no script {given.training_script!r}.")
    if given.use_paddlecloud:
        _take_cloud(given)
    try:
        plan = _with_servers(given) if given.wants_servers else _collective(given)
    except AddressError as error:
        raise PlanError(str(error)) from None
    plan.command = [sys.executable, "-u", given.training_script, *given.training_script_args]
    plan.folder = Path(given.log_dir)
    plan.max_restarts = given.max_restarts
    plan.servers = given.wants_servers
    return plan


def _take_cloud(given: argparse.Namespace) -> None:
    for option, variable in (("ips", "PADDLE_TRAINERS"), ("node_ip", "POD_IP")):
        if getattr(given, option) is None:
            if not os.environ.get(variable):
                raise PlanError(f"--use_paddlecloud: the variable {variable} is not set.")
            setattr(given, option, os.environ[variable])


# ------------------------------------------------------------------ collective


def _collective(given: argparse.Namespace) -> Plan:
    devices = _devices(given)
    machines = [ip.strip() for ip in (given.ips or LOOPBACK).split(",") if ip.strip()]
    if not machines or len(set(machines)) != len(machines):
        raise PlanError(f"--ips: expected different addresses, got {given.ips!r}.")
    for ip in machines:
        split_endpoint(ip, 1)
    own = own_address(machines, given.node_ip, "--ips")
    machine, count = machines.index(own), len(devices)
    held, ports = _ports(given, own, count, len(machines) > 1)
    endpoints = [f"{ip}:{port}" for ip in machines for port in ports]  # the same ports on each
    _warn_of_network(machines, tls=False)
    token = _token(machines)
    store, listener = _store(given, machines, machine, endpoints)
    for one in held:  # a script may listen there in any way
        one.close()
    members = []
    for local, selected in enumerate(devices):
        rank = machine * count + local
        variables = {
            "PADDLE_TRAINER_ID": str(rank),
            "PADDLE_CURRENT_ENDPOINT": endpoints[rank],
            "PADDLE_TRAINERS_NUM": str(len(endpoints)),
            "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
        }
        if selected is not None:
            variables[f"FLAGS_selected_{'gpus' if given.xpus is None else 'xpus'}"] = selected
        elif count_gpus():
            variables["CUDA_VISIBLE_DEVICES"] = ""
        members.append(_member("trainer", rank, local, variables, count, given, store, token))
    return Plan(members, machines, machine, store, listener, [], endpoints, token)


def _devices(given: argparse.Namespace) -> list[str | None]:
    """The GPUs or XPUs of each process of this machine; None: it runs on the CPU."""
    count = given.nproc_per_node
    if given.xpus is not None:
        return _shares("--xpus", xpus(given.xpus), count)
    there = count_gpus()
    if given.gpus is not None and given.gpus.strip():
        if not there:
            raise PlanError(
                f"--gpus {given.gpus}: there is no GPU here that PyTorch can use; start processes "
                "on the CPU by --nproc_per_node N."
            )
        gpus = visible_gpus(given.gpus, there)
    elif there and (count or 1) <= there:
        gpus = [str(i) for i in range(there - there % (count or 1))]
    else:
        if there:
            say(f"{count} processes and {there} GPUs: the processes are on the CPU.")
        if count is None:
            say("one process, on the CPU; start several by --nproc_per_node N.")
        return [None] * (count or 1)
    return _shares("--gpus", gpus, count)


def _shares(option: str, numbers: list[str], count: int | None) -> list[str | None]:
    """The devices of each process: one, or as many as there are for each of so many processes."""
    if count is None:
        return list(numbers)
    if len(numbers) % count:
        kind = option[2:].upper()[:-1] + "s"
        raise PlanError(
            f"{option} {','.join(numbers)}: {len(numbers)} {kind} for {count} processes."
        )
    each = len(numbers) // count
    return [",".join(numbers[i * each : (i + 1) * each]) for i in range(count)]


def _ports(
    given: argparse.Namespace, own: str, count: int, several: bool
) -> tuple[list[socket.socket], list[int]]:
    """Ports for the processes of this machine, held."""
    first = given.started_port
    if first is None and os.environ.get("FLAGS_START_PORT"):
        text = os.environ["FLAGS_START_PORT"]
        if not text.isdecimal() or not 0 < int(text) < 65536:
            raise PlanError(f"FLAGS_START_PORT: expected a port of 1 to 65535, got {text!r}.")
        first = int(text)
    if first is None and several:
        first = _FIRST_PORT
    if first is not None and first + count > 65536:
        raise PlanError(f"--started_port {first}: {count} ports from there end above 65535.")
    return _held(own, [0 if first is None else first + i for i in range(count)])


def _held(own: str, ports: list[int]) -> tuple[list[socket.socket], list[int]]:
    held: list[socket.socket] = []
    try:
        for port in ports:
            held.append(hold(own, port))
    except AddressError:
        for one in held:
            one.close()
        raise
    return held, [port_of(one) for one in held]


# ------------------------------------------------------------------ parameter servers


def _with_servers(given: argparse.Namespace) -> Plan:
    if given.servers:
        servers = _listed(given.servers, _FIRST_SERVER_PORT)
        workers = _listed(given.workers, _FIRST_SERVER_PORT + len(servers))
        machines = list(dict.fromkeys(ip for ip, _ in (*servers, *workers)))
        own = own_address(machines, given.node_ip, "--servers and --workers")
        held, _ = _held(own, [port for ip, port in (*servers, *workers) if ip == own])
    else:
        machines, own = [LOOPBACK], LOOPBACK
        both = given.server_num + given.worker_num
        held, ports = _ports(given, own, both, several=False)
        servers = [(own, port) for port in ports[: given.server_num]]
        workers = [(own, port) for port in ports[given.server_num :]]
    try:
        return _server_plan(given, servers, workers, machines, own, held)
    except Exception:
        for one in held:
            one.close()
        raise


def _server_plan(
    given: argparse.Namespace,
    servers: list[tuple[str, int]],
    workers: list[tuple[str, int]],
    machines: list[str],
    own: str,
    held: list[socket.socket],
) -> Plan:
    everything = [f"{ip}:{port}" for ip, port in (*servers, *workers)]
    if len(set(everything)) != len(everything):
        raise PlanError(f"an address occurs twice: {','.join(everything)}.")
    _warn_of_network(machines, tls=all(os.environ.get(name) for name in _TLS))
    token, machine = _token(machines), machines.index(own)
    store, listener = _store(given, machines, machine, everything)
    for one in [h for h in held if port_of(h) in {p for ip, p in workers if ip == own}]:
        one.close()
        held.remove(one)
    common = {
        "PADDLE_PSERVERS_IP_PORT_LIST": ",".join(everything[: len(servers)]),
        "PADDLE_TRAINER_ENDPOINTS": ",".join(everything[len(servers) :]),
        "PADDLE_TRAINERS_NUM": str(len(workers)),
        "PADDLE_WITH_GLOO": os.environ.get("PADDLE_WITH_GLOO", "0"),
        "PADDLE_GLOO_RENDEZVOUS": "3",
        "PADDLE_GLOO_HTTP_ENDPOINT": f"{store[0]}:{store[1]}",
    }
    mine = [("server", i, e) for i, e in enumerate(servers) if e[0] == own]
    mine += [("trainer", i, e) for i, e in enumerate(workers) if e[0] == own]
    members, counted = [], {"server": 0, "trainer": 0}
    for role, rank, (ip, port) in mine:
        variables = {
            **common,
            "TRAINING_ROLE": "PSERVER" if role == "server" else "TRAINER",
            "POD_IP": ip,
            "PADDLE_PORT": str(port),
            "PADDLE_CURRENT_ENDPOINT": f"{ip}:{port}",
        }
        if role == "trainer":  # a server finds itself by its address
            variables["PADDLE_TRAINER_ID"] = str(rank)
        members.append(
            _member(role, rank, counted[role], variables, len(mine), given, store, token)
        )
        counted[role] += 1
    return Plan(members, machines, machine, store, listener, held, everything, token)


def _listed(text: str, first: int) -> list[tuple[str, int]]:
    return [split_endpoint(one, first + i) for i, one in enumerate(text.split(","))]


# ------------------------------------------------------------------ any job


def _member(
    role: str,
    rank: int,
    local: int,
    variables: dict[str, str],
    together: int,
    given: argparse.Namespace,
    store: tuple[str, int],
    token: str,
) -> Member:
    """One process, with the variables that all have."""
    variables = {
        **variables,
        "PADDLE_JOB_STORE": f"{store[0]}:{store[1]}",
        "PADDLE_JOB_TOKEN": token,
        "PADDLE_RESTART_ROUND": "0",
        "PADDLE_RESTART_COUNT": "0",
        "PADDLE_LOG_DIR": os.path.abspath(given.log_dir),
    }
    if "OMP_NUM_THREADS" not in os.environ:  # else each would take all cores
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        variables["OMP_NUM_THREADS"] = str(max(1, (cores or 1) // together))
    prefix = "serverlog" if role == "server" else "workerlog"
    return Member(role, rank, variables, f"{prefix}.{local}")


def _token(machines: list[str]) -> str:
    """Draws the job's token; several machines have to be given the same one."""
    if len(machines) == 1:
        return secrets.token_hex(16)
    given = os.environ.get("PADDLE_JOB_TOKEN", "")
    if not re.fullmatch(r"[0-9A-Za-z_-]{16,128}", given):
        raise PlanError(
            "a job on several machines needs the variable PADDLE_JOB_TOKEN, the same on each: a "
            "secret of at least 16 letters and digits, by which its processes know each other. "
            'Draw one: python -c "import secrets; print(secrets.token_hex(16))"'
        )
    return given


def _store(
    given: argparse.Namespace, machines: list[str], machine: int, endpoints: list[str]
) -> tuple[tuple[str, int], socket.socket | None]:
    """Where the job's store is, and on the first machine the socket where it listens."""
    port = given.http_port or 0
    if not port and len(machines) > 1:  # the same on all machines
        port = 1 + max(int(e.rpartition(":")[2]) for e in endpoints)
    if machine:
        return (machines[0], port), None
    listener = hold(machines[0], port, listen=True)
    return (machines[0], port_of(listener)), listener


def _warn_of_network(machines: list[str], tls: bool) -> None:
    far = [ip for ip in machines if not is_loopback(ip)]
    if far and not tls:
        say(
            f"WARNING: {','.join(far)} can be reached from the network, and what the processes of "
            "this job exchange is not encrypted: run it in a network of your own."
        )
