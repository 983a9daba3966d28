"""The command and `app.run`, as processes: options, ports, what is printed, how they end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.visualdl.server.boards import Log
from visualdl import __version__
from visualdl.server import app, cli

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "tests" / "data" / "visualdl" / "graph" / "vdlgraph.1700000000.log"
ADDRESS = re.compile(r"http://([\w.:\[\]]+):(\d+)(/\S*)")
PATIENCE = 60


def _hears_ctrl_c() -> None:
    """A suite that a shell put into the background ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def started(*arguments, script=None, module="visualdl.server.cli", **more):
    """Runs the command, or a script that calls `app.run`."""
    command = ["-c", script] if script else ["-m", module, *map(str, arguments)]
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        preexec_fn=_hears_ctrl_c,
        **more,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def place(process):
    """Gives (host, port, path) of the address that is printed."""
    for line in process.stdout:
        found = ADDRESS.search(line)
        if found:
            return found[1], int(found[2]), found[3]
    raise AssertionError(process.stderr.read())


def asked(port, path, **headers):
    """Gives status, body and headers of a request over the network."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, dict(answer.getheaders())


def data(port, path):
    """Gives the data of an answer that has to be a good one."""
    status, body, _ = asked(port, path)
    assert status == 200, body
    return json.loads(body)["data"]


def test_ctrl_c_ends_it_whatever_is_under_way(tmp_path):
    Log(tmp_path / "run").scalars("loss", [1, 2])
    with started("--logdir", tmp_path, "--port", 0) as process:
        host, port, path = place(process)
        assert (host, path) == ("127.0.0.1", "/app/")
        assert data(port, "/app/api/runs") == [str(tmp_path / "run")]
        assert asked(port, "/app/api/runs", Host="evil.example")[0] == 403
        idle = http.client.HTTPConnection("127.0.0.1", port)
        idle.connect()
        half = socket.create_connection(("127.0.0.1", port))
        half.sendall(b"POST /app/api/graph/upload HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""
        idle.close()
        half.close()


def test_all_options_of_the_command(tmp_path):
    for folder in ("a", "b"):
        Log(tmp_path / folder).scalars("loss", [1])
    missing = tmp_path / "later"
    with started(
        "--logdir", tmp_path / "a", tmp_path / "b", missing, "--model", MODEL, "-t", "localhost",
        "-p", 0, "--cache-timeout", 5, "-L", "zh", "--public-path", "/board/of/mine",
        "--component_tabs", "scalar", "static_graph", "--theme", "dark", "-v",
    ) as process:  # fmt: skip
        host, port, path = place(process)
        assert (host, path) == ("localhost", "/board/of/mine/")
        api = "/board/of/mine/api"
        settings = data(port, f"{api}/settings")
        assert settings == {
            "language": "zh",
            "theme": "dark",
            "version": __version__,
            "logdirs": [str(tmp_path / "a"), str(tmp_path / "b"), str(missing)],
            "model": MODEL.name,
            "tabs": ["scalar", "static_graph"],
        }
        assert data(port, f"{api}/component_tabs") == ["scalar", "static_graph"]
        assert data(port, f"{api}/runs") == [str(tmp_path / "a"), str(tmp_path / "b")]
        assert data(port, f"{api}/graph/models")[0]["source"] == "model"
        assert asked(port, f"{api}/graph/static_graph")[1] == MODEL.read_bytes()
        page = asked(port, "/board/of/mine/")[1].decode()
        assert 'data-language-option="zh"' in page and 'data-theme-option="dark"' in page
        assert asked(port, "/")[2]["Location"].endswith("/board/of/mine/")
        assert asked(port, "/app/api/runs")[0] == 404
        Log(missing).scalars("loss", [1])
        assert len(data(port, f"{api}/runs")) == 3
        process.terminate()
        told = process.stderr.read()
        assert process.wait(PATIENCE) == 0
        assert f"{missing} is no folder yet" in told
        assert "GET /board/of/mine/api/runs" in told


@pytest.mark.parametrize("module", ["visualdl", "visualdl.server.app"])
def test_the_command_as_a_module(tmp_path, module):
    """VisualDL 2 starts by its `server.app`, whose `main` other packages call."""
    Log(tmp_path).scalars("loss", [1])
    with started("--logdir", tmp_path, "-p", 0, module=module) as process:
        assert data(place(process)[1], "/app/api/runs") == [str(tmp_path)]
        process.terminate()
        assert (process.wait(PATIENCE), process.stderr.read()) == (0, "")
    assert app.main is cli.main


def test_a_model_that_is_missing_is_told_and_waited_for(tmp_path):
    later = tmp_path / "later.pdmodel"
    with started("--model", later, "-p", 0) as process:
        _, port, _ = place(process)
        assert data(port, "/app/api/graph/models") == []
        later.write_bytes(MODEL.read_bytes())
        assert len(data(port, "/app/api/graph/models")) == 1
        process.terminate()
        assert f"there is no model {later} yet" in process.stderr.read()
        assert process.wait(PATIENCE) == 0


def test_ports_that_are_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with started("--port", port) as process:
            assert process.wait(PATIENCE) == 2
            told = process.stderr.read()
            assert f"cannot serve at 127.0.0.1:{port}" in told and "Traceback" not in told
        with started("--first-port", min(port, 65435), "--logdir", tmp_path) as process:
            found = place(process)[1]
            assert found != port and 0 <= found - min(port, 65435) < 100


def test_open_to_others_by_name_and_without_page(tmp_path):
    with started("--host", "0.0.0.0", "--port", 0, "--api-only") as process:
        host, port, path = place(process)
        assert (host, path) == ("127.0.0.1", "/")
        assert data(port, "/api/runs") == []
        assert asked(port, "/api/runs", Host="any.example")[0] == 200
        assert asked(port, "/app/")[0] == asked(port, "/")[0] == 404
        process.terminate()
        assert "opens the logs to every machine" in process.stderr.read()


def test_many_connections_that_say_nothing(tmp_path):
    """Some twenty browsers, of which each keeps six open, are no reason to answer nobody else."""
    with started("--port", 0, "--logdir", tmp_path) as process, contextlib.ExitStack() as held:
        _, port, _ = place(process)
        for _ in range(130):
            one = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(b"GET /app/ HTTP/1.1\r\nHost: localhost\r\n")
        assert data(port, "/app/api/runs") == []


RUN = """
import sys
from visualdl.server import app
print("pid", app.run(logdir={logdir!r}, port=0, language="zh", public_path="/board"), flush=True)
{then}
"""


def told_pid(process):
    """Gives the process id that the script prints, before the server can have said a word."""
    first = process.stdout.readline()
    assert first.startswith("pid "), first + process.stderr.read()
    return int(first.split()[1])


def test_run_gives_the_process_at_once_and_waits_for_its_end(tmp_path):
    with started(script=RUN.format(logdir=[str(tmp_path)], then="print('done', flush=True)")) as p:
        pid = told_pid(p)
        assert p.stdout.readline() == "done\n"
        _, port, path = place(p)
        assert path == "/board/"
        assert data(port, "/board/api/settings")["language"] == "zh"
        assert p.poll() is None
        os.kill(pid, signal.SIGTERM)
        assert p.wait(PATIENCE) == 0


def test_ctrl_c_ends_the_script_and_its_server(tmp_path):
    script = RUN.format(logdir=str(tmp_path), then="")
    with started(script=script, start_new_session=True) as process:
        told_pid(process)
        _, port, _ = place(process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it: to both
        assert process.wait(PATIENCE) == 0
        assert "Traceback" not in process.stderr.read()
        with pytest.raises(ConnectionRefusedError):
            asked(port, "/board/api/runs")


def test_the_server_ends_with_its_script(tmp_path):
    with started(script=RUN.format(logdir=str(tmp_path), then="input()"), stdin=-1) as process:
        told_pid(process)
        place(process)
        process.kill()
        process.wait()
        assert process.stdout.read() == ""  # until then the server held the other end
