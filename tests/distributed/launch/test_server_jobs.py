"""Jobs with parameter servers: each process by itself."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from paddle.distributed.launch import ps
from paddle.distributed.launch.main import launch
from tests.distributed.launch.jobs import Launched
from tests.distributed.launch.ports import free_range

# A server that counts at its port until somebody says stop; it may be asked to die.
JOB = """
    import json, os, signal, socket, sys, time
    role, ip, port = (os.environ[n] for n in ("TRAINING_ROLE", "POD_IP", "PADDLE_PORT"))
    count = os.environ["PADDLE_RESTART_COUNT"]
    number = os.environ.get("PADDLE_TRAINER_ID", port)
    json.dump(dict(os.environ), open(f"env.{role}.{number}.{count}", "w"))
    servers = os.environ["PADDLE_PSERVERS_IP_PORT_LIST"].split(",")
    assert os.environ["PADDLE_RESTART_ROUND"] == "0"

    def ask(word, server):
        end = time.time() + 60
        while True:
            try:
                host, port = server.split(":")
                with socket.create_connection((host, int(port))) as s:
                    s.sendall(word.encode())
                    s.shutdown(socket.SHUT_WR)
                    return s.recv(100).decode()
            except OSError:
                if time.time() > end:
                    raise
                time.sleep(0.02)

    if role == "PSERVER":
        listening = socket.create_server((ip, int(port)))
        print("listens", flush=True)
        stopped = 0
        while stopped < 2:
            s, _ = listening.accept()
            word = s.recv(100).decode()
            if word == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            s.sendall(count.encode())
            s.close()
            stopped += word == "stop"
        print("ends", flush=True)
    else:
        if number == "0" and count == "0":
            assert [ask("hello", s) for s in servers] == ["0", "0"]
            ask("die", servers[1])
            sys.exit(3)
        while ask("hello", servers[1]) != "1":
            time.sleep(0.05)
        for server in servers:
            ask("stop", server)
"""


def _environments(folder: Path) -> dict[str, dict[str, str]]:
    return {p.name: json.loads(p.read_text()) for p in folder.glob("env.*")}


def test_each_process_is_started_again_by_itself(tmp_path: Path) -> None:
    job = Launched(tmp_path, JOB, "--server_num", "2", "--worker_num", "2", "--max_restarts", "1",
                   arguments=("x",))  # fmt: skip
    status, _, err = job.finish()
    logs = {p.name: p.read_text() for p in (tmp_path / "log").iterdir()}
    assert status == 0, (err, logs)
    assert "server 1 failed: killed by signal 9 (SIGKILL); it is started again" in err
    assert "rank 0 failed: exit status 3; it is started again" in err
    assert logs["serverlog.0"] == "listens\nends\n"
    assert logs["serverlog.1"] == "listens\nlistens\nends\n"
    assert set(logs) == {"endpoints.log", "serverlog.0", "serverlog.1", "workerlog.0",
                         "workerlog.1"}  # fmt: skip
    given = _environments(tmp_path)
    servers = given["env.TRAINER.1.0"]["PADDLE_PSERVERS_IP_PORT_LIST"].split(",")
    first, second = (s.partition(":")[2] for s in servers)
    assert set(given) == {
        "env.TRAINER.0.0", "env.TRAINER.0.1", "env.TRAINER.1.0", f"env.PSERVER.{first}.0",
        f"env.PSERVER.{second}.0", f"env.PSERVER.{second}.1",
    }  # fmt: skip
    for name, env in given.items():
        assert env["PADDLE_TRAINERS_NUM"] == "2"
        assert env["PADDLE_CURRENT_ENDPOINT"] == f"{env['POD_IP']}:{env['PADDLE_PORT']}"
        where = "PADDLE_TRAINER_ENDPOINTS" if "TRAINER" in name else "PADDLE_PSERVERS_IP_PORT_LIST"
        assert env["PADDLE_CURRENT_ENDPOINT"] in env[where].split(",")
        assert ("PADDLE_TRAINER_ID" in env) == ("TRAINER" in name)
        assert env["PADDLE_GLOO_HTTP_ENDPOINT"] == env["PADDLE_JOB_STORE"]


@pytest.mark.slow
def test_addresses_and_a_trainer_that_fails(tmp_path: Path) -> None:
    script = """
        import os, sys, time
        import torch.distributed as d
        role = os.environ["TRAINING_ROLE"] + os.environ.get("PADDLE_TRAINER_ID", "")
        print(role, os.environ["PADDLE_CURRENT_ENDPOINT"], flush=True)
        if role == "TRAINER1":
            while not (os.path.exists("ready.PSERVER") and os.path.exists("ready.TRAINER0")):
                time.sleep(0.02)
            sys.exit(4)
        ip, _, port = os.environ["PADDLE_JOB_STORE"].rpartition(":")
        store = d.TCPStore(ip, int(port), is_master=False)
        open("ready." + role, "w")
        key = os.environ["PADDLE_JOB_TOKEN"] + "/0/failed"
        print("told:", store.get(key + "/1").decode(), flush=True)
    """
    port = free_range(["127.0.0.1"], 3)
    job = Launched(tmp_path, script, "--servers", f"127.0.0.1:{port}",
                   "--workers", f"127.0.0.1:{port + 1},127.0.0.1:{port + 2}",
                   module="launch_ps")  # fmt: skip
    status, _, err = job.finish()
    assert status == 4 and "rank 1 failed first: exit status 4" in err
    assert job.log("serverlog.0") == f"PSERVER 127.0.0.1:{port}\ntold: 1|exit status 4\n"
    assert job.log("workerlog.0") == f"TRAINER0 127.0.0.1:{port + 1}\ntold: 1|exit status 4\n"


def test_servers_that_go_on_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, time\n"
        "print('begins', flush=True)\n"
        "time.sleep(600 if os.environ['TRAINING_ROLE'] == 'PSERVER' else 0.3)\n"
    )
    monkeypatch.setattr(ps, "SERVERS_END_SECONDS", 0.2)
    before = signal.getsignal(signal.SIGINT)
    words = ["--server_num", "1", "--worker_num", "1", "--log_dir", str(tmp_path / "log")]
    assert launch([*words, str(script)]) == 0
    assert signal.getsignal(signal.SIGINT) is before
    assert (tmp_path / "log" / "serverlog.0").read_text() == "begins\n"
