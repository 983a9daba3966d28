"""Role makers: what the environment or the arguments say, and what they must not say."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import paddle.distributed.fleet as fleet
from paddle.distributed import store
from paddle.distributed.fleet.base.role_maker import (
    PaddleCloudRoleMaker,
    Role,
    RoleMakerBase,
    UserDefinedRoleMaker,
)

SERVERS = "127.0.0.1:7001,127.0.0.1:7002"
WORKER = {
    "TRAINING_ROLE": "TRAINER", "PADDLE_PSERVERS_IP_PORT_LIST": SERVERS,
    "PADDLE_TRAINERS_NUM": "3", "PADDLE_TRAINER_ID": "2",
}  # fmt: skip
SERVER = {
    "TRAINING_ROLE": "PSERVER", "PADDLE_PSERVERS_IP_PORT_LIST": SERVERS,
    "PADDLE_TRAINERS_NUM": "3", "POD_IP": "127.0.0.1", "PADDLE_PORT": "7002",
}  # fmt: skip
COLLECTIVE = {
    "PADDLE_TRAINER_ENDPOINTS": "10.0.0.1:6170,10.0.0.1:6171,10.0.0.2:6170",
    "PADDLE_TRAINERS_NUM": "3", "PADDLE_TRAINER_ID": "1",
    "PADDLE_CURRENT_ENDPOINT": "10.0.0.1:6171",
}  # fmt: skip


def _made(monkeypatch: pytest.MonkeyPatch, collective: bool, **env: str) -> Any:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return PaddleCloudRoleMaker(is_collective=collective)


def test_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    role = _made(monkeypatch, False, **WORKER)
    assert role._is_worker() and not role._is_server() and not role._is_first_worker()
    assert (role._worker_index(), role._role_id(), role._worker_num()) == (2, 2, 3)
    assert role._server_num() == 2 and role._get_pserver_endpoints() == SERVERS.split(",")
    assert role._get_trainer_endpoints() == [] and not role._is_non_distributed()
    assert not role._is_heter_worker() and role._heter_worker_num() == 0
    assert role.to_string() == (
        "role: 1, current_id: 2, worker_endpoints: [], "
        "server_endpoints: ['127.0.0.1:7001', '127.0.0.1:7002']"
    )


def test_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    role = _made(monkeypatch, False, **SERVER)
    assert role._is_server() and role._server_index() == 1 and role._worker_num() == 3
    assert role._cur_endpoint == "127.0.0.1:7002" and role._role == Role.SERVER


def test_a_server_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {k: v for k, v in SERVER.items() if k not in ("POD_IP", "PADDLE_PORT")}
    assert _made(monkeypatch, False, **env, PADDLE_PSERVER_ID="1")._server_index() == 1


def test_names_of_clouds(monkeypatch: pytest.MonkeyPatch) -> None:
    role = _made(
        monkeypatch, False, PSERVER_IP_PORT_LIST=SERVERS, PADDLE_TRAINING_ROLE="TRAINER",
        TRAINER_IP_PORT_LIST="127.0.0.1:1,127.0.0.1:2", PADDLE_TRAINER_ID="1",
    )  # fmt: skip
    assert role._worker_num() == 2 and role._get_trainer_endpoint() == "127.0.0.1:2"


def test_a_heter_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {**SERVER, "TRAINING_ROLE": "HETER_TRAINER", "PADDLE_PORT": "7005",
           "PADDLE_HETER_TRAINER_IP_PORT_LIST": "127.0.0.1:7004,127.0.0.1:7005"}  # fmt: skip
    role = _made(monkeypatch, False, **env)
    assert role._is_heter_worker() and role._heter_worker_num() == 2
    assert role._worker_index() == 3 + 1
    assert role._get_heter_worker_endpoints()[1] == "127.0.0.1:7005"
    with pytest.raises(RuntimeError, match="heter worker, so it is not one"):
        role._barrier("all")


def test_without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    role = PaddleCloudRoleMaker()
    assert role._is_worker() and role._worker_num() == 1 and role._server_num() == 0
    assert role._is_non_distributed() and role._is_first_worker()
    role = PaddleCloudRoleMaker(is_collective=True)
    assert role._get_trainer_endpoints() == ["127.0.0.1:6170"] and role._is_non_distributed()


def test_collective(monkeypatch: pytest.MonkeyPatch) -> None:
    role = _made(monkeypatch, True, **COLLECTIVE)
    assert role._is_collective and role._worker_index() == 1 and role._worker_num() == 3
    assert role._node_num() == 2 and role._get_trainer_endpoint() == "10.0.0.1:6171"
    assert not role._is_first_worker() and not role._is_non_distributed()


@pytest.mark.parametrize(
    ("collective", "env", "words"),
    [
        (False, {"PADDLE_PSERVERS_IP_PORT_LIST": SERVERS}, "TRAINING_ROLE and PADDLE_TRAINERS_NUM"),
        (False, {**WORKER, "PADDLE_TRAINER_ID": ""}, "PADDLE_TRAINER_ID is not set"),
        (False, {**SERVER, "PADDLE_PORT": ""}, "PADDLE_PORT is not set"),
        (False, {**WORKER, "PADDLE_PSERVERS_IP_PORT_LIST": ""}, "at least one server"),
        (False, {"TRAINING_ROLE": "PSERVER"}, "PADDLE_PSERVERS_IP_PORT_LIST is not set"),
        (False, {**WORKER, "PADDLE_PSERVERS_IP_PORT_LIST": "a,b"}, "ip:port"),
        (False, {**WORKER, "PADDLE_PSERVERS_IP_PORT_LIST": "a:1,a:1"}, "each address once"),
        (False, {**WORKER, "TRAINING_ROLE": "WORKER"}, "'TRAINER', 'PSERVER'"),
        (False, {**WORKER, "PADDLE_TRAINER_ID": "3"}, "from 0 to 2"),
        (False, {**WORKER, "PADDLE_TRAINER_ID": "x"}, "expected a number"),
        (False, {**WORKER, "PADDLE_TRAINERS_NUM": "0"}, "at least 1"),
        (False, {**WORKER, "PADDLE_TRAINER_ENDPOINTS": "a:1,a:2"}, "PADDLE_TRAINERS_NUM"),
        (False, {**SERVER, "PADDLE_PORT": "7009"}, "127.0.0.1:7001"),
        (True, {"PADDLE_TRAINERS_NUM": "2"}, "PADDLE_TRAINER_ENDPOINTS is not set"),
        (True, {**COLLECTIVE, "PADDLE_TRAINERS_NUM": "2"}, "PADDLE_TRAINERS_NUM: expected 3"),
        (True, {**COLLECTIVE, "PADDLE_TRAINER_ID": "0"}, "PADDLE_CURRENT_ENDPOINT"),
        (True, {**COLLECTIVE, "PADDLE_TRAINER_ID": "5"}, "from 0 to 2"),
        (True, {**COLLECTIVE, "PADDLE_TRAINING_ROLE": "PSERVER"}, "collective job"),
    ],
)
def test_contradictions(
    monkeypatch: pytest.MonkeyPatch, collective: bool, env: dict[str, str], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        _made(monkeypatch, collective, **env)._worker_num()


def test_by_hand() -> None:
    listed = SERVERS.split(",")
    role = UserDefinedRoleMaker(
        current_id=0, role=Role.SERVER, worker_num=2, server_endpoints=listed
    )
    assert role._is_server() and role._server_index() == 0 and role._worker_num() == 2
    role = UserDefinedRoleMaker(
        is_collective=False, init_gloo=False, current_id=1, role=Role.WORKER,
        worker_endpoints=["a:1", "a:2"], server_endpoints=listed,
    )  # fmt: skip
    assert role._worker_num() == 2 and role._cur_endpoint == "a:2"
    role = UserDefinedRoleMaker(is_collective=True, current_id=1, worker_endpoints=["a:1", "b:2"])
    assert role._worker_num() == 2 and role._node_num() == 2 and role._is_worker()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, ValueError, "current_id and role and server_endpoints and worker_num or"),
        ({"current_id": 2, "role": 1, "worker_num": 2, "server_endpoints": ["a:1"]}, ValueError,
         "from 0 to 1"),
        ({"current_id": 0, "role": 7, "worker_num": 2, "server_endpoints": ["a:1"]}, ValueError,
         "Role.WORKER"),
        ({"current_id": 0, "role": 1, "worker_num": 2, "server_endpoints": []}, ValueError,
         "server_endpoints"),
        ({"current_id": 0, "role": 1, "worker_num": 3, "worker_endpoints": ["a:1"],
          "server_endpoints": ["a:2"]}, ValueError, "worker_num"),
        ({"current_id": "0", "role": 1}, TypeError, "expected an int"),
        ({"server_endpoints": [1]}, TypeError, "list of 'ip:port'"),
        ({"server_endpoint": ["a:1"]}, TypeError, "'server_endpoints'"),
        ({"is_collective": True, "current_id": 0}, ValueError, "worker_endpoints"),
        ({"is_collective": 1}, ValueError, "expected a bool"),
    ],
)  # fmt: skip
def test_by_hand_refused(given: dict[str, Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        UserDefinedRoleMaker(**given)._generate_role()


def test_calls_of_the_other_role() -> None:
    role = UserDefinedRoleMaker(
        current_id=0, role=Role.SERVER, worker_num=2, server_endpoints=["a:1"]
    )
    with pytest.raises(RuntimeError, match="no worker"):
        role._get_trainer_endpoint()
    with pytest.raises(RuntimeError, match="no heter workers"):
        role._get_heter_worker_endpoint()
    with pytest.raises(RuntimeError, match="not one of the workers"):
        role._barrier("worker")
    with pytest.raises(ValueError, match="comm_world"):
        role._barrier("servers")
    role._barrier("server")  # one server alone
    with pytest.raises(RuntimeError, match="nobody said where"):
        role._barrier("all")


def test_ones_own_role_maker() -> None:
    class Mine(RoleMakerBase):
        pass

    with pytest.raises(NotImplementedError, match="Mine"):
        fleet.init(Mine())


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"PADDLE_GLOO_RENDEZVOUS": "2"}, "PADDLE_GLOO_FS_PATH"),
        ({"PADDLE_GLOO_RENDEZVOUS": "3"}, "PADDLE_GLOO_HTTP_ENDPOINT"),
        ({"PADDLE_GLOO_RENDEZVOUS": "4"}, r"2 \(file\)"),
        ({}, r"2 \(file\)"),
    ],
)
def test_meeting_places(monkeypatch: pytest.MonkeyPatch, env: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _made(monkeypatch, False, **WORKER, PADDLE_WITH_GLOO="1", **env)._generate_role()


def test_hdfs_is_no_meeting_place(monkeypatch: pytest.MonkeyPatch) -> None:
    env = {**WORKER, "PADDLE_WITH_GLOO": "2", "PADDLE_GLOO_RENDEZVOUS": "1"}
    with pytest.raises(NotImplementedError, match="HDFS"):
        _made(monkeypatch, False, **env)._generate_role()


@pytest.mark.parametrize(
    "path",
    ["base.role_maker", "base.fleet_base", "base.distributed_strategy", "base.util_factory",
     "utils.fs", "metrics"],
)  # fmt: skip
def test_modules_of_2_0(path: str) -> None:
    assert importlib.import_module(f"paddle.distributed.fleet.{path}").__all__


def test_waiting_for_servers() -> None:
    from paddle.distributed.fleet.base.private_helper_function import wait_server_ready

    with store.listening_socket("127.0.0.1") as opened:
        endpoint = f"127.0.0.1:{opened.getsockname()[1]}"
        wait_server_ready([endpoint])
    with pytest.raises(RuntimeError, match=endpoint):
        wait_server_ready([endpoint], timeout=0.0)
    with pytest.raises(TypeError, match="expected a list"):
        wait_server_ready(endpoint)
