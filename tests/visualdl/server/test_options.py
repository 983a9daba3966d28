"""Options, and what the server lets through: hosts, headers, files of the page."""

from __future__ import annotations

import errno
import gzip
import json
import logging
import os
import socket
import time
from pathlib import Path

import pytest

from tests.visualdl.server.boards import Log
from visualdl import __version__
from visualdl.server import app, cli, security
from visualdl.server.asking import Kept
from visualdl.server.options import TABS, Options, folders


def parsed(*arguments):
    """Gives the options of a command line."""
    given = vars(cli.parser().parse_args(arguments))
    given.pop("ends_with_input")
    return Options(**given)


# -- options -------------------------------------------------------------------------------------
def test_what_is_there_without_options():
    options = parsed()
    assert (options.host, options.port, options.first_port) == ("127.0.0.1", None, 8040)
    assert (options.public_path, options.language, options.theme) == ("/app", None, None)
    assert options.logdir == [] and options.component_tabs is None and not options.open_browser
    assert parsed("--api-only").public_path == ""
    assert parsed("--api-only", "--public-path", "/x/").public_path == "/x"


@pytest.mark.parametrize(
    "wrong",
    [
        {"language": "fr"},
        {"theme": "blue"},
        {"port": 70000},
        {"port": -1},
        {"cache_timeout": -1},
        {"cache_timeout": float("nan")},
        {"public_path": "board"},
        {"public_path": "/"},
        {"public_path": "/a<b"},
        {"public_path": "/a b"},
        {"public_path": "//evil.example"},
        {"component_tabs": ["nothing"]},
    ],
    ids=str,
)
def test_wrong_options_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Options(**wrong)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        app.run("./log", **wrong)


@pytest.mark.parametrize(
    "line",
    ["--port x", "--theme blue", "--language fr", "--component_tabs no", "--public-path board",
     "--logdir", "--no-such", "--port 70000"],
)  # fmt: skip
def test_wrong_command_lines(line, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(line.split())
    assert ended.value.code == 2
    assert "visualdl: error:" in capsys.readouterr().err


def test_what_is_told_is_as_much_as_was_asked_for(monkeypatch):
    levels = []
    monkeypatch.setattr(app, "serve", lambda options, ends_with_input: 7)
    monkeypatch.setattr(cli.logging, "basicConfig", lambda level, **_: levels.append(level))
    queue = logging.getLogger("waitress.queue")
    monkeypatch.setattr(queue, "level", logging.NOTSET)
    for line in ([], ["-v"], ["-vv"], ["-v", "-v", "-v"]):
        assert cli.main(line) == 7
        assert (queue.level == logging.ERROR) or len(levels) > 2
    assert levels == [logging.WARNING, logging.INFO, logging.DEBUG, logging.DEBUG]


def test_version_says_whose_code_runs(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"visualdl {__version__} (of pypaddle)\n"


def test_folders_as_users_write_them(tmp_path):
    assert folders("a,b") == ["a", "b"] and folders(["a,", "b"]) == ["a", "b"]
    assert folders(None) == [] and folders(Path("x")) == ["x"]
    comma = tmp_path / "lr=1,batch=2"
    comma.mkdir()
    assert folders(str(comma)) == [str(comma)]


def test_run_hands_every_option_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = Options(
        logdir=["-odd", "b"],
        model="m.pdmodel",
        host="localhost",
        port=0,
        first_port=8080,
        cache_timeout=3.5,
        language="zh",
        public_path="/x",
        api_only=False,
        component_tabs=list(TABS[:3]),
        theme="dark",
        open_browser=True,
    )
    again = parsed(*app.command_line(given))
    given.logdir = ["./-odd", "b"]
    assert again == given


def test_ports_are_searched_unless_one_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = min(taken.getsockname()[1], 65535)
        if port < 65500:
            with app.bound(Options(first_port=port)) as found:
                assert port < found.getsockname()[1] < port + app.PORTS
        with pytest.raises(OSError) as raised:
            app.bound(Options(port=port))
        assert raised.value.errno == errno.EADDRINUSE
    with pytest.raises(OSError):
        app.bound(Options(host="no.such.host.invalid", port=0))


def test_the_browser_is_opened_where_it_answers(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(app.webbrowser, "open", opened.append)
    app._tell(Options(open_browser=True, public_path="/x"), 1234)
    limit = time.monotonic() + 30
    while not opened and time.monotonic() < limit:
        time.sleep(0.01)
    assert opened == ["http://127.0.0.1:1234/x/"]
    app._tell(Options(open_browser=True, api_only=True), 1234)
    assert "HTTP interface at http://127.0.0.1:1234/ " in capsys.readouterr().out
    assert len(opened) == 1
    assert app.address(Options(host="::"), 1) == "http://[::1]:1/app/"
    assert app.address(Options(host="fe80::1"), 1) == "http://[fe80::1]:1/app/"


def test_answers_are_kept_for_a_time():
    made = []
    kept = Kept(timeout=1000, most=2)
    for key in ("a", "a", "b", "a", "c", "a", "b"):
        assert kept.get(key, lambda key=key: made.append(key) or key) == key
    assert made == ["a", "b", "c", "b"]
    never = Kept(timeout=-1)
    for _ in range(2):
        never.get("a", lambda: made.append("a"))
    assert made[-2:] == ["a", "a"]


# -- hosts and headers ---------------------------------------------------------------------------
def test_hosts():
    for header in ["localhost", "LOCALHOST:8040", "127.0.0.1:1", "127.0.1.1", "[::1]:80", "[::1]",
                   "localhost.", "::1"]:  # fmt: skip
        assert security.host_allowed(header, "127.0.0.1"), header
    for header in ["", "evil.com", "localhost.evil.com", "127.0.0.1.evil.com:80", "127.evil.com",
                   "10.0.0.1", "evil.com:localhost", "localhost@evil.com", "[::2]", "127.0.0.256",
                   "127.1.evil", "0x7f.1"]:  # fmt: skip
        assert not security.host_allowed(header, "127.0.0.1"), header
    assert not security.host_allowed("evil.com", "localhost")
    assert security.host_allowed("board.example", "0.0.0.0")
    assert security.is_local("127.0.0.2") and not security.is_local("127.0.0.1.evil.com")
    assert not security.is_local("::")


def test_every_answer_has_the_headers(tmp_path, board):
    Log(tmp_path).scalars("loss", [1])
    client = board(tmp_path)
    paths = ["/", "/app", "/app/", "/app/js/main.js", "/app/api/runs", "/app/api/none", "/none",
             "/alive", "/app/api/scalar/list"]  # fmt: skip
    for path in paths:
        answer = client.http.get(path)
        policy = answer.headers["Content-Security-Policy"]
        parts = dict(part.split(" ", 1) for part in policy.split("; "))
        assert parts["default-src"] == parts["script-src"] == "'self'", path
        assert parts["object-src"] == "'none'" and "unsafe-eval" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] in ("no-store", "no-cache")
        refused = client.http.get(path, headers={"Host": "evil.example"})
        assert refused.status_code == 403
        assert refused.headers["Content-Security-Policy"] == policy
        assert "evil.example" in refused.json["msg"]


def test_the_page_has_no_script_of_its_own(board):
    text = board().http.get("/app/").data.decode()
    assert "<script" in text
    for part in text.split("<script")[1:]:
        assert "src=" in part.partition(">")[0]
    assert not any(f" on{name}=" in text for name in ("click", "load", "error", "change", "input"))


def test_languages_are_the_browser_s_unless_one_is_named(board):
    """A request without Accept-Language is one like any other."""
    for options, expected in (({}, ""), ({"language": "zh"}, "zh")):
        client = board(**options)
        for headers in ({}, {"Accept-Language": "zh-CN,zh;q=0.9"}, {"Accept-Language": ";;q=,"}):
            answer = client.http.get("/app/", headers=headers)
            assert answer.status_code == 200
            assert f'data-language-option="{expected}"' in answer.data.decode()
        assert client.http.get("/app/api/runs").status_code == 200


# -- files ---------------------------------------------------------------------------------------
def test_static_files(tmp_path, monkeypatch, board):
    static = tmp_path / "static"
    (static / "js").mkdir(parents=True)
    (static / "index.html").write_text('<!doctype html>\n<html lang="en">')
    script = static / "js" / "main.js"
    script.write_text("export const x = 1;\n" * 500)
    (tmp_path / "secret.js").write_text("secret")
    os.symlink(tmp_path / "secret.js", static / "js" / "link.js")
    os.symlink(tmp_path, static / "up")
    monkeypatch.setattr(app, "STATIC", str(static))
    get = board(tmp_path / "log").http.get
    assert get("/").headers["Location"] == "/app/"
    assert get("/app?x=1").headers["Location"] == "/app/?x=1"
    page = get("/app/")
    assert page.mimetype == "text/html" and page.data.startswith(b"<!doctype html>\n<html data-")
    answer = get("/app/js/main.js", headers={"Accept-Encoding": "gzip, br"})
    assert answer.mimetype == "text/javascript"
    assert gzip.decompress(answer.data) == get("/app/js/main.js").data == script.read_bytes()
    again = get("/app/js/main.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304 and not again.data
    script.write_text("changed")
    os.utime(script, (1, 1))
    assert get("/app/js/main.js").data == b"changed"
    for path in ("js/link.js", "up/secret.js", "js", "js/", "../secret.js", "js/../../secret.js",
                 "no.js", "js/%2e%2e/%2e%2e/secret.js", "//secret.js"):  # fmt: skip
        found = get(f"/app/{path}")
        assert found.status_code in (308, 404), path
        assert found.data != b"secret"


def test_without_the_files_of_the_page(tmp_path, monkeypatch, board):
    monkeypatch.setattr(app, "STATIC", str(tmp_path / "none"))
    client = board()
    assert client.http.get("/app/").status_code == 404
    assert client.http.get("/favicon.ico").status_code == 404
    assert client.data("runs") == []


def test_answers_are_packed_for_those_far_away(tmp_path, board):
    Log(tmp_path).scalars("loss", range(500))
    client = board(tmp_path)
    query = {"run": str(tmp_path), "tag": "loss"}
    for address, packed in (("127.0.0.1", False), ("10.1.2.3", True)):
        answer = client.http.get(
            "/app/api/scalar/list",
            query_string=query,
            headers={"Accept-Encoding": "gzip"},
            environ_base={"REMOTE_ADDR": address},
        )
        assert (answer.headers.get("Content-Encoding") == "gzip") == packed
        body = gzip.decompress(answer.data) if packed else answer.data
        assert len(json.loads(body)["data"]) == 500


def test_nobody_asks_nothing_is_looked_at(tmp_path, board, monkeypatch):
    from visualdl.server import store

    monkeypatch.setattr(store, "WATCHED", 0.2)
    monkeypatch.setattr(store, "PERIOD", 0.02)
    client = board(tmp_path)
    client.data("runs")
    kept = client.api.store
    limit = time.monotonic() + 30
    while time.monotonic() < limit:  # the machine may be busy: until it rests
        passes = kept._passes
        time.sleep(0.3)
        if kept._passes == passes:
            break
    assert kept._passes == passes
    client.data("runs")
    assert kept._passes > passes
