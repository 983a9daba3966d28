"""Jobs without parameter servers: what the processes are given, how they end, how they restart."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from tests.distributed.launch.jobs import Launched, run

SHOW = """
    import json, os, sys
    print("first rank" if os.environ["PADDLE_TRAINER_ID"] == "0" else "second rank", sys.argv[1:])
    json.dump(dict(os.environ), open("env." + os.environ["PADDLE_TRAINER_ID"], "w"))
"""


def test_what_each_process_is_given(tmp_path: Path) -> None:
    job = Launched(tmp_path, SHOW, "--nproc_per_node", "2", arguments=("--lr", "0.1"),
                   http_proxy="http://nobody:1", https_proxy="http://nobody:1")  # fmt: skip
    status, out, err = job.finish()
    assert (status, out, err) == (0, "first rank ['--lr', '0.1']\n", "")
    given = [json.loads((tmp_path / f"env.{rank}").read_text()) for rank in range(2)]
    endpoints = given[0]["PADDLE_TRAINER_ENDPOINTS"].split(",")
    assert len(set(endpoints)) == 2
    for rank, env in enumerate(given):
        assert env["PADDLE_TRAINER_ID"] == str(rank)
        assert env["PADDLE_TRAINERS_NUM"] == "2"
        assert env["PADDLE_TRAINER_ENDPOINTS"].split(",") == endpoints
        assert env["PADDLE_CURRENT_ENDPOINT"] == endpoints[rank]
        assert re.fullmatch(r"127\.0\.0\.1:\d+", env["PADDLE_JOB_STORE"])
        assert re.fullmatch(r"[0-9a-f]{32}", env["PADDLE_JOB_TOKEN"])
        assert env["PADDLE_RESTART_ROUND"] == env["PADDLE_RESTART_COUNT"] == "0"
        assert env["PADDLE_LOG_DIR"] == str(tmp_path / "log")
        assert not {"http_proxy", "https_proxy", "FLAGS_selected_gpus"} & set(env)
    assert given[0]["PADDLE_JOB_TOKEN"] == given[1]["PADDLE_JOB_TOKEN"]
    assert job.log("workerlog.0") == out
    assert job.log("workerlog.1") == "second rank ['--lr', '0.1']\n"
    assert endpoints[1] in job.log("endpoints.log")


def test_without_arguments_there_is_one_process(tmp_path: Path) -> None:
    status, out, err = run(tmp_path, SHOW)
    assert status == 0 and out == "first rank []\n"
    assert "--nproc_per_node" in err


def test_the_exit_status_is_that_of_the_first_failure(tmp_path: Path) -> None:
    script = f"""
        import os, sys, time
        leaves = {str(tmp_path / "leaves")!r}
        if os.environ["PADDLE_TRAINER_ID"] == "1":
            print("what went wrong", flush=True)
            open(leaves, "w").close()
            os._exit(5)
        while not os.path.exists(leaves):
            time.sleep(0.05)
        time.sleep(1.0)
        print("what rank 0 saw of it")
        sys.exit(3)
    """
    job = Launched(tmp_path, script, "--nproc_per_node", "2")
    status, out, err = job.finish()
    assert status == 5
    assert "rank 1 failed first: exit status 5" in err
    assert "workerlog.1:\n    what went wrong" in err
    assert out == "what rank 0 saw of it\n"


HANG = """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print("ready")
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes(number: int, tmp_path: Path) -> None:
    script = HANG if number == signal.SIGTERM else HANG.replace("SIG_IGN", "SIG_DFL")
    job = Launched(tmp_path, script, "--nproc_per_node", "2")
    job.wait_for("ready", "workerlog.0", "workerlog.1")
    assert len(job.left()) == 4
    job.process.send_signal(number)
    status, _, err = job.finish()
    assert status == 128 + number and f"signal {int(number)}" in err


def test_a_launcher_that_is_killed_takes_its_processes_along(tmp_path: Path) -> None:
    script = "import time; print('ready'); time.sleep(600)"
    job = Launched(tmp_path, script, "--nproc_per_node", "2")
    job.wait_for("ready", "workerlog.0", "workerlog.1")
    job.process.kill()
    job.wait_until_alone()
    job.finish()


@pytest.mark.slow
def test_all_processes_are_started_again(tmp_path: Path) -> None:
    script = """
        import os, time
        number, rank = os.environ["PADDLE_RESTART_ROUND"], os.environ["PADDLE_TRAINER_ID"]
        print("round", number, os.environ["PADDLE_JOB_TOKEN"], flush=True)
        if number == "0":
            time.sleep(0.5 if rank == "1" else 600)
            os.abort()
    """
    job = Launched(tmp_path, script, "--nproc_per_node", "2", "--max_restarts", "1")
    status, out, err = job.finish()
    assert status == 0, err
    lines = [line.split()[1:] for line in out.splitlines()]
    assert [number for number, _ in lines] == ["0", "1"] and lines[0][1] == lines[1][1]
    assert job.log("workerlog.1").count("round") == 2
    assert "rank 1 failed: killed by signal 6 (SIGABRT); all processes are started again" in err


def test_restarts_come_to_an_end(tmp_path: Path) -> None:
    script = """
        import os, sys
        print("round", os.environ["PADDLE_RESTART_ROUND"], flush=True)
        sys.exit(4 + int(os.environ["PADDLE_RESTART_ROUND"]))
    """
    job = Launched(tmp_path, script, "--nproc_per_node", "2", "--max_restarts", "2")
    status, out, err = job.finish()
    assert (status, out) == (6, "round 0\nround 1\nround 2\n")
    assert "exit status 6" in err and "\n    round 2" in err and "\n    round 1" not in err


def _listening(pid: int) -> list[str]:
    """The addresses at which a process listens, as the kernel writes them."""
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(os.readlink(link))
        except OSError:
            pass
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                found.append(words[1].rpartition(":")[0])
    return found


def test_the_others_name_the_rank_that_was_killed(tmp_path: Path) -> None:
    script = """
        import os, signal, time
        import paddle
        paddle.distributed.init_parallel_env()
        rank = paddle.distributed.get_rank()
        value = paddle.to_tensor([float(rank + 1)])
        paddle.distributed.all_reduce(value)
        print("sum", value.numpy(), flush=True)
        while rank == 1 and not os.path.exists("seen"):
            time.sleep(0.02)
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        paddle.distributed.all_reduce(value)
    """
    job = Launched(tmp_path, script, "--nproc_per_node", "2")
    job.wait_for("sum [3.]", "workerlog.0", "workerlog.1")
    found = {pid: _listening(pid) for pid in [job.process.pid, *job.left()]}
    (tmp_path / "seen").touch()
    status, _, err = job.finish()
    assert status == 128 + signal.SIGKILL
    assert "rank 1 failed first: killed by signal 9 (SIGKILL)" in err
    log = job.log("workerlog.0")
    assert "ExternalError" in log
    assert "rank 1 failed (killed by signal 9 (SIGKILL)) while rank 0 was in all_reduce" in log
    # Nothing listens on every interface, nor at any address but 127.0.0.1.
    assert found[job.process.pid] == ["0100007F"]  # the store
    assert {address for listed in found.values() for address in listed} == {"0100007F"}
