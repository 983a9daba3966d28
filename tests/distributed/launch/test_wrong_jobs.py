"""What the launcher refuses, before it starts anything."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from paddle import _launching
from paddle.distributed.launch import devices, plan, sockets
from paddle.distributed.launch.main import launch

TWO = "10.255.255.1,10.255.255.2"


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in [n for n in os.environ if n.startswith(("PADDLE_", "FLAGS_START", "POD_IP"))]:
        monkeypatch.delenv(name)
    path = tmp_path / "train.py"
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    return str(path)


@pytest.mark.parametrize(("words", "message"), [
    ("--nproc_per_node 0", "--nproc_per_node: expected a number from 1, got 0"),
    ("--nproc_per_node two", "invalid int value: 'two'"),
    ("--server_num 2", "needs --worker_num or --workers"),
    ("--worker_num 2", "needs --server_num or --servers"),
    ("--server_num 0 --worker_num 2", "--server_num: expected a number from 1, got 0"),
    ("--servers a:1,b:1 --server_num 1 --workers a", "--server_num 1 contradicts --servers"),
    ("--servers a:1 --worker_num 1", "give both lists of addresses, or two numbers"),
    ("--server_num 1 --worker_num 1 --ips 127.0.0.1", "--ips starts processes without"),
    ("--server_num 1 --worker_num 1 --nproc_per_node 2", "contradicts --server_num, --worker_num"),
    ("--heter_worker_num 1", "no heterogeneous trainers"),
    ("--xpus 0 --gpus 0", "--gpus and --xpus: a process uses devices of one kind"),
    ("--server_num 1 --worker_num 1 --xpus 0", "--xpus starts processes without"),
    ("--max_restarts -1", "--max_restarts: expected a number from 0"),
    ("--started_port 70000", "--started_port: expected a port"),
    ("--frobnicate", "unrecognized arguments"),
])  # fmt: skip
def test_contradictions(
    words: str, message: str, script: str, capsys: pytest.CaptureFixture
) -> None:
    with pytest.raises(SystemExit) as ended:
        launch([*words.split(), script])
    assert ended.value.code == 2 and message in capsys.readouterr().err
    assert not Path("ran").exists()


@pytest.mark.parametrize(("words", "message"), [
    ("--gpus 0,1", "--gpus 0,1: there is no GPU here .* --nproc_per_node N"),
    ("--xpus 0,1", "--xpus 0,1: there is no XPU here .* --nproc_per_node N"),
    (f"--ips {TWO}", f"of {TWO} none is this machine's; tell its own by --node_ip"),
    (f"--ips {TWO} --node_ip 10.0.0.1", "--node_ip: '10.0.0.1' is not one of --ips"),
    ("--ips 127.0.0.1,127.0.0.2", "several, 127.0.0.1,127.0.0.2, are this machine's"),
    ("--ips 127.0.0.1,127.0.0.1", "--ips: expected different addresses"),
    ("--ips 0.0.0.0", "means every interface"),
    ("--ips 127.0.0.1,127.0.0.2 --node_ip 127.0.0.2", "needs the variable PADDLE_JOB_TOKEN"),
    ("--servers 127.0.0.1:x --workers 127.0.0.1", "expected an address ip:port .* '127.0.0.1:x'"),
    ("--servers 127.0.0.1:7,127.0.0.1:7 --workers 127.0.0.1:8", "an address occurs twice|taken"),
    ("--use_paddlecloud", "the variable PADDLE_TRAINERS is not set"),
    ("--nproc_per_node 2 --started_port 65535", "2 ports from there end above 65535"),
])  # fmt: skip
def test_jobs_that_cannot_be(
    words: str, message: str, script: str, capsys: pytest.CaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(plan, "count_gpus", lambda: 0)
    assert launch([*words.split(), script]) == 2
    error = capsys.readouterr().err
    assert error.count("launch: error: ") == 1
    pytest.importorskip("re").search(message, error) or pytest.fail(error)
    assert not Path("ran").exists()


def test_a_script_that_is_not_there(capsys: pytest.CaptureFixture) -> None:
    assert launch(["nothing.py"]) == 2
    assert "there is no script 'nothing.py'" in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    "--nproc_per_node 2 --started_port {}",
    "--nproc_per_node 2 --http_port {}",
    "--servers 127.0.0.1:{} --workers 127.0.0.1",
])  # fmt: skip
def test_a_port_that_is_taken(words: str, script: str, capsys: pytest.CaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert launch([*words.format(port).split(), script]) == 2
    assert f"the port 127.0.0.1:{port} is taken" in capsys.readouterr().err
    assert not Path("ran").exists()


def test_a_log_folder_that_cannot_be(script: str, capsys: pytest.CaptureFixture) -> None:
    Path("file").write_text("")
    assert launch(["--log_dir", "file/log", script]) == 2
    assert "cannot start the processes" in capsys.readouterr().err


def test_a_held_port_can_be_listened_at_but_is_given_to_nobody() -> None:
    with sockets.hold("127.0.0.1", 0) as held:
        port = sockets.port_of(held)
        for _ in range(2):  # as a server that is started again
            with socket.create_server(("127.0.0.1", port)):
                with pytest.raises(sockets.AddressError, match="is taken"):
                    sockets.hold("127.0.0.1", port)


def test_addresses_in_the_network_are_told(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan._warn_of_network(["127.0.0.1", "127.3.0.1", "localhost"], tls=False)
    plan._warn_of_network(["10.0.0.1"], tls=True)
    assert capsys.readouterr().err == ""
    plan._warn_of_network(["127.0.0.1", "10.0.0.1"], tls=False)
    assert "WARNING: 10.0.0.1 can be reached from the network" in capsys.readouterr().err


def test_the_xpus_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "_count", lambda name: 12)
    assert devices.xpus("1, 0,011") == ["1", "0", "11"]
    for wrong in ("1,01", "12", "-1", "a", "", "0-1", "\u0663"):
        with pytest.raises(ValueError, match="different numbers from 0 to 11, of the 12 XPUs"):
            devices.xpus(wrong)


def test_gpus_are_counted_among_the_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert devices.visible_gpus("1,0", 2) == ["1", "0"]
    with pytest.raises(ValueError, match="expected different numbers of 0,1"):
        devices.visible_gpus("2", 2)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,7")
    assert devices.visible_gpus("7,4", 3) == ["2", "0"]
    with pytest.raises(ValueError, match="expected different numbers of 4,5,7"):
        devices.visible_gpus("4,4", 3)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert devices.count_gpus() == 0


@pytest.mark.parametrize(("gpus", "count", "selected"), [
    (None, None, ["0", "1", "2", "3"]), ("1,3", None, ["1", "3"]), (None, 2, None),
    ("0,1,2,3", 2, ["0,1", "2,3"]), (None, 3, ["0", "1", "2"]), (None, 5, [None] * 5),
])  # fmt: skip
def test_processes_of_gpus(
    gpus: str | None, count: int | None, selected: list[str] | None, script: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from paddle.distributed.launch import arguments

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(plan, "count_gpus", lambda: 4)
    words = [f"--gpus={gpus}"] if gpus else []
    words += [f"--nproc_per_node={count}"] if count else []
    made = plan.make(arguments.parse([*words, script]))
    try:
        found = [m.variables.get("FLAGS_selected_gpus") for m in made.members]
        assert found == (selected or ["0,1", "2,3"])
        assert ("CUDA_VISIBLE_DEVICES" in made.members[0].variables) == (count == 5)
    finally:
        made.close()


def test_which_command_lines_are_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(argv: list[str], words: list[str]) -> object:
        monkeypatch.setattr(sys, "argv", argv)
        monkeypatch.setattr(sys, "orig_argv", words)
        return _launching._asked()

    launcher = "paddle.distributed.launch"
    assert asked(["-m", "a"], ["python", "-W", "error", "-m", launcher, "a"]) == (
        ["-W", "error"], [launcher, "a"],
    )  # fmt: skip
    assert asked(["-m"], ["python", "-m", "pytest"]) is None
    assert asked(["a.py"], ["python", "a.py", "-m", launcher]) is None
    assert asked(["", "x"], ["python", "-c", "", "-m", launcher]) is None
    assert asked([], []) is None
    installed = str(Path(sys.executable).parent / "fleetrun")
    assert asked([installed, "x"], ["python", installed, "x"]) == ([], [launcher, "x"])
    assert asked(["/elsewhere/fleetrun"], ["python", "/elsewhere/fleetrun"]) is None
