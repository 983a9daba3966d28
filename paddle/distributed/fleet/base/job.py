"""Which role a process has in its job: read from PaddlePaddle's variables, or given by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paddle.core.errors import ArgumentTypeError, InvalidArgumentError
from paddle.distributed.store import split_endpoint


class Role:
    """What a process does: it trains, it holds parameters, or it trains beside GPUs.

    Examples:
        .. code-block:: python

            import paddle.distributed.fleet as fleet
            print(fleet.Role.WORKER, fleet.Role.SERVER)  # 1 2
    """

    WORKER = 1
    SERVER = 2
    HETER_WORKER = 3
    ALL = 4


@dataclass
class Job:
    """One process's place in a job.

    Attributes:
        role (int): one of :class:`Role`.
        index (int): its number among those of its role.
        workers (int): how many processes train.
        distributed (bool): whether somebody told it its place; else it is alone.
        own (str): its address, where it is known.
        doubt (str): what the variables contradict each other in; empty where they do not.
    """

    role: int = Role.WORKER
    index: int = 0
    workers: int = 1
    worker_endpoints: list[str] = field(default_factory=list)
    server_endpoints: list[str] = field(default_factory=list)
    heter_endpoints: list[str] = field(default_factory=list)
    own: str = ""
    distributed: bool = True
    doubt: str = ""

    @property
    def nodes(self) -> int:
        """How many machines train."""
        return len({e.rpartition(":")[0] for e in self.worker_endpoints}) or 1


START = (
    "start the script by python -m paddle.distributed.launch (with --server_num and --worker_num "
    "for parameter servers), which sets all variables"
)
_ROLES = {
    "TRAINER": Role.WORKER, "PSERVER": Role.SERVER, "HETER_TRAINER": Role.HETER_WORKER,
}  # fmt: skip


def collective_job(env: Mapping[str, str] = os.environ) -> Job:
    """The place of a process whose job is all trainers.

    Raises:
        ValueError: the variables contradict each other, or one is missing or no number.
    """
    named = env.get("PADDLE_TRAINING_ROLE") or "TRAINER"
    if named != "TRAINER":
        raise _bad("PADDLE_TRAINING_ROLE: expected 'TRAINER' in a collective job", named)
    endpoints = _endpoints(env, "PADDLE_TRAINER_ENDPOINTS", "TRAINER_IP_PORT_LIST")
    count = _number(env, "PADDLE_TRAINERS_NUM")
    index = _number(env, "PADDLE_TRAINER_ID") or 0
    if not endpoints:
        if (count or 1) > 1 or index:
            raise _missing(["PADDLE_TRAINER_ENDPOINTS"], f"one of {count or 'several'} trainers")
        own = "127.0.0.1:6170"  # what 2.0 says of a script that no launcher started
        return Job(worker_endpoints=[own], own=own, distributed=False)
    doubt = _check_trainers(count, endpoints)
    _check_index("PADDLE_TRAINER_ID", index, len(endpoints))
    own = env.get("PADDLE_CURRENT_ENDPOINT") or endpoints[index]
    if own != endpoints[index]:
        raise _bad(
            f"PADDLE_CURRENT_ENDPOINT: expected {endpoints[index]!r}, which "
            f"PADDLE_TRAINER_ENDPOINTS has for PADDLE_TRAINER_ID {index}", own,
        )  # fmt: skip
    return Job(Role.WORKER, index, len(endpoints), endpoints, own=own, doubt=doubt)


def server_job(env: Mapping[str, str] = os.environ) -> Job:
    """The place of a process in a job with parameter servers.

    Without ``PADDLE_PSERVERS_IP_PORT_LIST`` it is one worker that is not distributed, but never a
    server.

    Raises:
        ValueError: the variables contradict each other, or one is missing or no number.
    """
    names = ("PADDLE_PSERVERS_IP_PORT_LIST", "PSERVER_IP_PORT_LIST")
    if all(name not in env for name in names):
        if env.get("TRAINING_ROLE") == "PSERVER":
            raise _missing([names[0]], "a parameter server")
        return Job(distributed=False)
    servers = _endpoints(env, *names)
    if not servers:
        raise _bad(f"{names[0]}: expected the address of at least one server", "nothing")
    workers = _endpoints(env, "PADDLE_TRAINER_ENDPOINTS", "TRAINER_IP_PORT_LIST")
    role = env.get("TRAINING_ROLE") or env.get("PADDLE_TRAINING_ROLE")
    if role and role not in _ROLES:
        raise _bad(f"TRAINING_ROLE: expected one of {list(_ROLES)}", role)
    needed = [] if role else ["TRAINING_ROLE"]
    needed += [] if workers or env.get("PADDLE_TRAINERS_NUM") else ["PADDLE_TRAINERS_NUM"]
    own_variables = {"TRAINER": ["PADDLE_TRAINER_ID"]}.get(role or "", ["POD_IP", "PADDLE_PORT"])
    if role == "PSERVER" and env.get("PADDLE_PSERVER_ID"):
        own_variables = []
    needed += [name for name in own_variables if role and not env.get(name)]
    if needed:
        raise _missing(needed, "a process of a job with parameter servers")
    assert role is not None
    count = _number(env, "PADDLE_TRAINERS_NUM")
    doubt = _check_trainers(count, workers)
    heter = _endpoints(env, "PADDLE_HETER_TRAINER_IP_PORT_LIST")
    job = Job(_ROLES[role], 0, count or len(workers), workers, servers, heter, doubt=doubt)
    if job.workers < 1:
        raise _bad("PADDLE_TRAINERS_NUM: expected at least 1", count)
    _place(job, env)
    return job


def _place(job: Job, env: Mapping[str, str]) -> None:
    """Finds the process's own number and address."""
    own = ""
    if env.get("POD_IP") and env.get("PADDLE_PORT"):
        own = f"{env['POD_IP']}:{env['PADDLE_PORT']}"
    if job.role == Role.WORKER:
        job.index = _number(env, "PADDLE_TRAINER_ID") or 0
        _check_index("PADDLE_TRAINER_ID", job.index, job.workers)
        listed = job.worker_endpoints
        job.own = listed[job.index] if job.index < len(listed) else own
        return
    listed, name = job.server_endpoints, "PADDLE_PSERVERS_IP_PORT_LIST"
    if job.role == Role.HETER_WORKER:
        listed, name = job.heter_endpoints, "PADDLE_HETER_TRAINER_IP_PORT_LIST"
    number = _number(env, "PADDLE_PSERVER_ID") if job.role == Role.SERVER else None
    if number is not None:
        _check_index("PADDLE_PSERVER_ID", number, len(listed))
        own = own or listed[number]
    if own not in listed:
        raise _bad(f"POD_IP:PADDLE_PORT: expected an address of {name}, {','.join(listed)}", own)
    job.own, job.index = own, listed.index(own)
    if job.role == Role.HETER_WORKER:
        job.index += job.workers


def job_by_hand(collective: bool, given: Mapping[str, Any]) -> Job:
    """The place of a process as the arguments of UserDefinedRoleMaker tell it.

    Args:
        collective (bool): whether the job is all trainers.
        given (dict): ``current_id``, ``role``, ``worker_num``, ``worker_endpoints``,
            ``server_endpoints``, ``heter_trainer_endpoints``.

    Raises:
        ValueError: an argument is missing, contradicts another one, or has a wrong type.
    """
    index = _whole(given, "current_id")
    workers = _listed(given, "worker_endpoints")
    if collective:
        if not workers:
            raise _bad("UserDefinedRoleMaker(worker_endpoints): expected at least one", workers)
        _check_index("current_id", index or 0, len(workers))
        return Job(Role.WORKER, index or 0, len(workers), workers, own=workers[index or 0])
    servers, heter = _listed(given, "server_endpoints"), _listed(given, "heter_trainer_endpoints")
    role, count = given.get("role"), _whole(given, "worker_num") or len(workers)
    lacking = [n for n in ("current_id", "role") if given.get(n) is None]
    lacking += [] if servers else ["server_endpoints"]
    lacking += [] if count else ["worker_num or worker_endpoints"]
    if lacking:
        raise InvalidArgumentError(f"UserDefinedRoleMaker: {' and '.join(lacking)} must be given.")
    if role not in (Role.WORKER, Role.SERVER, Role.HETER_WORKER):
        raise _bad("UserDefinedRoleMaker(role): expected Role.WORKER or Role.SERVER", role)
    if workers and len(workers) != count:
        raise _bad(f"UserDefinedRoleMaker(worker_num): expected {len(workers)}, as "
                   "worker_endpoints has", count)  # fmt: skip
    assert index is not None
    job = Job(role, index, count, workers, servers, heter)
    listed = {Role.WORKER: workers, Role.SERVER: servers}.get(role, heter)
    _check_index("current_id", index, count if role == Role.WORKER else len(listed))
    job.own = listed[index] if listed else ""
    job.index += count if role == Role.HETER_WORKER else 0
    return job


def _endpoints(env: Mapping[str, str], *names: str) -> list[str]:
    """The addresses that the first of some variables holds."""
    for name in names:
        if env.get(name):
            found = [part.strip() for part in env[name].split(",") if part.strip()]
            return _checked_endpoints(found, name)
    return []


def _checked_endpoints(found: list[str], name: str) -> list[str]:
    for endpoint in found:
        split_endpoint(endpoint, name)
    twice = next((e for e in found if found.count(e) > 1), None)
    if twice:
        raise _bad(f"{name}: expected each address once", f"{twice} twice")
    return found


def _listed(given: Mapping[str, Any], name: str) -> list[str]:
    value = given.get(name) or []
    value = value.split(",") if isinstance(value, str) else value
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise ArgumentTypeError(
            f"UserDefinedRoleMaker({name}): expected a list of 'ip:port', but received {value!r}."
        )
    return _checked_endpoints(list(value), f"UserDefinedRoleMaker({name})")


def _whole(given: Mapping[str, Any], name: str) -> int | None:
    value = given.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ArgumentTypeError(
            f"UserDefinedRoleMaker({name}): expected an int, but received {value!r}."
        )
    return value


def _number(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise _bad(f"{name}: expected a number", text) from None


def _check_trainers(count: int | None, endpoints: list[str]) -> str:
    """Compares the number of trainers with their addresses; returns what 2.0 let pass.

    There the addresses counted, and one address was what scripts wrote that looked at roles alone.
    """
    if len(endpoints) == 1 and (count or 1) > 1:
        return (
            f"PADDLE_TRAINERS_NUM is {count}, but PADDLE_TRAINER_ENDPOINTS has one address, "
            f"{endpoints[0]}"
        )
    _check_count("PADDLE_TRAINERS_NUM", count, "PADDLE_TRAINER_ENDPOINTS", endpoints)
    return ""


def _check_count(name: str, count: int | None, of: str, listed: list[str]) -> None:
    if count is not None and listed and count != len(listed):
        raise _bad(f"{name}: expected {len(listed)}, as {of} has so many addresses", count)


def _check_index(name: str, index: int, count: int) -> None:
    if not 0 <= index < count:
        raise _bad(f"{name}: expected a number from 0 to {count - 1}", index)


def _bad(expected: str, got: Any) -> InvalidArgumentError:
    return InvalidArgumentError(f"{expected}, but it is {got!r}.")


def _missing(names: list[str], what: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the environment says that this is {what}, but {' and '.join(names)} "
        f"{'is' if len(names) == 1 else 'are'} not set.",
        hint=START,
    )
