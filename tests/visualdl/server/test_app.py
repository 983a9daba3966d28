"""The server as a process, and what it lets through: ports, hosts, files, headers, its end."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.visualdl.server.conftest import Log
from visualdl.server import cli, security
from visualdl.server.options import Options, folders

ROOT = Path(__file__).parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ADDRESS = re.compile(r"http://([\w.:\[\]]+):(\d+)(/\w*)")


@contextmanager
def served(*arguments, script=None):
    """Runs the command, or a script that does; gives the process and the match of its address."""
    command = ["-c", script] if script else ["-m", "visualdl.server.cli", *map(str, arguments)]
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        line = process.stdout.readline()
        yield process, ADDRESS.search(line) or line + process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def asked(port, path, **headers):
    """Gives status and body of a request over the network."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), dict(answer.getheaders())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_it_is_told_to_end(tmp_path, number):
    Log(tmp_path / "run").scalars("loss", [1, 2])
    with served("--logdir", tmp_path, "--port", 0) as (process, found):
        port = int(found[2])
        assert (found[1], found[3]) == ("127.0.0.1", "/app")
        status, body, headers = asked(port, "/app/api/runs")
        assert status == 200 and json.loads(body)["data"] == [str(tmp_path / "run")]
        assert headers["Content-Security-Policy"] == security.POLICY
        assert asked(port, "/app/api/runs", Host="evil.example")[0] == 403
        waiting = http.client.HTTPConnection("127.0.0.1", port)
        waiting.connect()  # a connection that stays open does not keep the server
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


def test_ports(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with served("--first-port", port) as (_, found):
            assert port < int(found[2]) < port + 100
        with served("--port", port) as (process, message):
            assert "cannot serve" in message and str(port) in message
            assert process.wait(20) != 0


def test_run_gives_the_process_and_waits_for_its_end(tmp_path):
    script = f"""
import os
from visualdl.server import app
pid = app.run(logdir={str(tmp_path)!r}, port=0, language="zh", public_path="/board")
print("pid", pid, flush=True)
"""
    with served(script=script) as (process, first):
        pid = int(re.search(r"pid (\d+)", str(first))[1]) if not hasattr(first, "group") else None
        line = process.stdout.readline()
        found = ADDRESS.search(line) if pid else first
        assert found and found[3] == "/board", line
        settings = json.loads(asked(int(found[2]), "/board/api/settings")[1])["data"]
        assert settings["language"] == "zh"
        assert process.poll() is None
        os.kill(pid or int(line.split()[1]), signal.SIGTERM)
        assert process.wait(20) == 0


def test_the_server_of_a_script_ends_with_it(tmp_path):
    script = "from visualdl.server import app; print(app.run(port=0), flush=True); input()"
    with served(script=script) as (process, _):
        process.stdout.readline()
        process.kill()
        process.wait()
        assert process.stdout.read() == ""  # the server held the other end


def test_warns_of_being_open_to_others(tmp_path):
    with served("--host", "0.0.0.0", "--port", 0, "--api-only") as (process, found):
        assert found[1] == "127.0.0.1" and found[3] == "/"
        port = int(found[2])
        assert asked(port, "/api/runs", Host="any.example")[0] == 200
        assert asked(port, "/app/")[0] == 404
        process.terminate()
        assert "opens the logs to every machine" in process.stderr.read()


def test_hosts():
    allowed = ["localhost", "LOCALHOST:8040", "127.0.0.1:1", "127.0.1.1", "[::1]:80", "[::1]"]
    for header in allowed:
        assert security.host_allowed(header, "127.0.0.1"), header
    for header in ["", "evil.com", "localhost.evil.com", "127.0.0.1.evil.com:80", "10.0.0.1"]:
        assert not security.host_allowed(header, "127.0.0.1") or header.startswith("127."), header
    assert not security.host_allowed("evil.com", "localhost")
    assert security.host_allowed("board.example", "0.0.0.0")


def test_options():
    assert folders("a,b") == ["a", "b"] and folders(["a,", "b"]) == ["a", "b"]
    assert folders(None) == [] and folders(Path("x")) == ["x"]
    assert Options().public_path == "/app" and Options(api_only=True).public_path == ""
    for wrong in (
        {"language": "fr"},
        {"theme": "blue"},
        {"port": 70000},
        {"cache_timeout": -1},
        {"public_path": "board"},
        {"public_path": "/"},
        {"public_path": "/a<b"},
        {"component_tabs": ["nothing"]},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Options(**wrong)
    with pytest.raises(SystemExit):
        cli.main(["--port", "x"])


def test_version(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    from visualdl import __version__

    assert __version__ in capsys.readouterr().out


def test_static_files(tmp_path, monkeypatch, board):
    from visualdl.server import app

    static = tmp_path / "static"
    (static / "js").mkdir(parents=True)
    (static / "index.html").write_text('<!doctype html>\n<html lang="en">')
    (static / "js" / "main.js").write_text("export const x = 1;\n" * 500)
    (tmp_path / "secret.js").write_text("secret")
    os.symlink(tmp_path / "secret.js", static / "js" / "link.js")
    monkeypatch.setattr(app, "STATIC", str(static))
    client = board(tmp_path / "log")
    get = client.http.get
    assert get("/").headers["Location"] == "/app/"
    assert get("/app?x=1").headers["Location"] == "/app/?x=1"
    page = get("/app/")
    assert page.mimetype == "text/html" and page.data.startswith(b"<!doctype html>\n<html data-")
    answer = get("/app/js/main.js", headers={"Accept-Encoding": "gzip, br"})
    assert answer.mimetype == "text/javascript"
    assert gzip.decompress(answer.data) == (static / "js" / "main.js").read_bytes()
    plain = get("/app/js/main.js")
    assert plain.data == (static / "js" / "main.js").read_bytes()
    again = get("/app/js/main.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304 and not again.data
    (static / "js" / "main.js").write_text("changed")
    os.utime(static / "js" / "main.js", (1, 1))
    assert get("/app/js/main.js").data == b"changed"
    for path in ("js/link.js", "js", "js/", "../secret.js", "js/../../secret.js", "no.js"):
        assert get(f"/app/{path}").status_code in (308, 404), path


def test_nobody_asks_nothing_is_looked_at(tmp_path, board, monkeypatch):
    from visualdl.server import store

    monkeypatch.setattr(store, "WATCHED", 0.2)
    monkeypatch.setattr(store, "PERIOD", 0.02)
    client = board(tmp_path)
    client.data("runs")
    time.sleep(0.5)
    passes = client.api.store._passes
    time.sleep(0.3)
    assert client.api.store._passes == passes
    client.data("runs")
    assert client.api.store._passes > passes
