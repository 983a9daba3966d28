"""A launcher on each of two machines: here two addresses of the loopback."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.distributed.launch.jobs import Launched
from tests.distributed.launch.ports import free_range

TOKEN = "0123456789abcdef"


def _start(folder: Path, script: str, *options: str) -> list[Launched]:
    ips = ["127.0.0.1", "127.0.0.2"]
    port = free_range(ips, 2)  # one process on each, and the store
    return [
        Launched(
            folder / ip, script, "--ips", ",".join(ips), "--node_ip", ip, "--nproc_per_node", "1",
            "--started_port", str(port), *options, PADDLE_JOB_TOKEN=TOKEN,
        )
        for ip in ips
    ]  # fmt: skip


@pytest.mark.slow
def test_a_restart_on_both(tmp_path: Path) -> None:
    script = """
        import os, sys, time
        number, rank = os.environ["PADDLE_RESTART_ROUND"], os.environ["PADDLE_TRAINER_ID"]
        print(rank, number, os.environ["PADDLE_TRAINER_ENDPOINTS"], os.environ["PADDLE_JOB_STORE"])
        if rank == "1" and number == "0":
            time.sleep(3)  # the first has ended well by then
            sys.exit(9)
    """
    jobs = _start(tmp_path, script, "--max_restarts", "1")
    for rank, job in enumerate(jobs):
        status, out, err = job.finish()
        assert status == 0, err
        lines = [line.split() for line in out.splitlines()]
        assert [line[:2] for line in lines] == [[str(rank), "0"], [str(rank), "1"]]
        assert lines[0][2:] == lines[1][2:]
        first, second = lines[0][2].split(",")
        assert first.startswith("127.0.0.1:") and second.startswith("127.0.0.2:")
        assert lines[0][3].startswith("127.0.0.1:")


@pytest.mark.slow
def test_a_failure_on_one_ends_both(tmp_path: Path) -> None:
    script = """
        import os, sys, time
        time.sleep(3 if os.environ["PADDLE_TRAINER_ID"] == "1" else 600)
        sys.exit(9)
    """
    first, second = _start(tmp_path, script)
    status, _, err = second.finish()
    assert status == 9 and "rank 1 failed first: exit status 9" in err
    status, _, err = first.finish()
    assert status == 1 and "failed on another machine: rank 1, exit status 9" in err


@pytest.mark.slow
def test_a_signal_to_one_ends_both(tmp_path: Path) -> None:
    script = "import time; print('ready', flush=True); time.sleep(600)"
    first, second = _start(tmp_path, script)
    for job in (first, second):
        job.wait_for("ready", "workerlog.0")
    first.process.send_signal(signal.SIGTERM)
    assert first.finish()[0] == 128 + signal.SIGTERM
    assert second.finish()[0] == 1


@pytest.mark.slow
def test_the_first_may_be_late_or_never_come(tmp_path: Path) -> None:
    _, second = jobs = _start(tmp_path, "import time; print('ready', flush=True); time.sleep(600)")
    jobs[0].process.kill()
    second.wait_for("ready", "workerlog.0")
    second.process.send_signal(signal.SIGINT)
    assert second.finish()[0] == 128 + signal.SIGINT
    jobs[0].finish()


def _start_servers(folder: Path, script: str, *options: str) -> list[Launched]:
    ips = ["127.0.0.1", "127.0.0.2"]
    port = free_range(ips, 5)  # two servers, two trainers, and the store
    return [
        Launched(
            folder / ip, script, "--node_ip", ip,
            "--servers", f"127.0.0.1:{port},127.0.0.2:{port + 1}",
            "--workers", f"127.0.0.1:{port + 2},127.0.0.2:{port + 3}", *options,
            PADDLE_JOB_TOKEN=TOKEN,
        )
        for ip in ips
    ]  # fmt: skip


SERVERS = """
    import os, sys, time
    role, number = os.environ["TRAINING_ROLE"], os.environ.get("PADDLE_TRAINER_ID")
    print(role, number, os.environ["PADDLE_CURRENT_ENDPOINT"], flush=True)
    late = "../late"
    if role == "PSERVER":
        while not os.path.exists(late):
            time.sleep(0.02)
    elif number == "1":
        time.sleep({seconds})
        open(late, "w")
        sys.exit({status})
    print("ends", flush=True)
"""


@pytest.mark.slow
def test_servers_wait_for_trainers_elsewhere(tmp_path: Path) -> None:
    jobs = _start_servers(tmp_path, SERVERS.format(seconds=3, status=0))
    for job in jobs:
        status, _, err = job.finish()
        assert status == 0, err
        assert job.log("serverlog.0").endswith("ends\n")
        assert job.log("workerlog.0").endswith("ends\n") == (job is jobs[0])


@pytest.mark.slow
def test_a_trainer_that_fails_ends_the_servers_elsewhere(tmp_path: Path) -> None:
    script = SERVERS.format(seconds=3, status=7).replace('open(late, "w")', "pass")
    first, second = _start_servers(tmp_path, script)
    status, _, err = second.finish()
    assert status == 7 and "rank 1 failed first: exit status 7" in err
    status, _, err = first.finish()
    assert status == 1 and "failed on another machine: rank 1, exit status 7" in err


@pytest.mark.slow
def test_a_signal_ends_the_servers_elsewhere(tmp_path: Path) -> None:
    first, second = _start_servers(tmp_path, SERVERS.format(seconds=600, status=0))
    for job in (first, second):
        job.wait_for("PSERVER", "serverlog.0")
    second.process.send_signal(signal.SIGTERM)
    assert second.finish()[0] == 128 + signal.SIGTERM
    assert first.finish()[0] == 1
