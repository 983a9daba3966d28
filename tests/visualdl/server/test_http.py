"""The server on a socket: requests that are none, random ones, many at once while a log grows."""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import threading
from urllib.parse import quote, urlencode

import pytest
from waitress.server import create_server

from tests.visualdl.server.boards import Log
from visualdl.graph.routes import UPLOAD_LIMIT
from visualdl.server.api import ROUTES
from visualdl.server.app import UPLOAD, create_app
from visualdl.server.options import Options

PATIENCE = 60
REQUESTS = 300
CLIENTS, ROUNDS = 6, 25


@pytest.fixture
def served(tmp_path):
    """A server in a thread over `tmp_path`; gives its port."""
    app = create_app(Options(logdir=[str(tmp_path)]))
    server = create_server(
        app, host="127.0.0.1", port=0, threads=4, clear_untrusted_proxy_headers=True
    )
    # pytest may have so many files open that `select` refuses the numbers of sockets
    ended = threading.Event()

    def run():
        while not ended.is_set():
            server.asyncore.loop(timeout=0.05, use_poll=True, map=server._map, count=1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield server.effective_port
    ended.set()
    thread.join(PATIENCE)
    server.task_dispatcher.shutdown(timeout=1)
    server.close()
    app.config["api"].close()


def sent(port, data):
    """Sends bytes as they are; gives the status and the body, (0, b"") where there is no answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        text = b""
        try:
            while piece := connection.recv(1 << 16):
                text += piece
        except ConnectionError:
            pass
    found = re.match(rb"HTTP/1\.[01] (\d+) ", text)
    return (int(found[1]), text.partition(b"\r\n\r\n")[2]) if found else (0, text)


def test_requests_that_are_none(served):
    good = b"GET /app/api/runs HTTP/1.0\r\nHost: localhost\r\n"
    assert sent(served, good + b"\r\n")[0] == 200
    for data in (
        b"",
        b"\r\n\r\n",
        b"\0" * 100 + b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /app/api/runs HTTP/1.1\r\n\r\n",  # no Host
        b"GET http://evil.example/app/api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET //evil.example/%2e%2e/app HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /app/api/runs HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"BREW /app/api/runs HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        good + b"Transfer-Encoding: nonsense\r\n\r\n",
        good + b"Content-Length: -5\r\n\r\n",
        good + b"Content-Length: 99999999999999999999\r\n\r\n",
        good + b"X: " + b"y" * 400_000 + b"\r\n\r\n",
        b"GET /app/api/" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /app/api/graph/upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked"
        b"\r\n\r\nzz\r\n\r\n",
        b"POST /app/api/graph/upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n\r\n--",
    ):
        status, body = sent(served, data)
        assert status < 500 or status == 501, (data[:80], status, body[:200])
        assert b"Traceback" not in body
    assert sent(served, good + b"\r\n")[0] == 200


def test_bodies_that_are_too_large_are_not_taken_in(tmp_path):
    """What `graph/upload` would refuse is not kept on the disk before."""
    assert 1.5 * UPLOAD_LIMIT > UPLOAD > UPLOAD_LIMIT
    app = create_app(Options(logdir=[str(tmp_path)]))
    assert app.config["MAX_CONTENT_LENGTH"] == UPLOAD
    app.config["api"].close()


def test_random_requests(tmp_path, served):
    """Random bytes in random places of good requests: never a failure of the server."""
    log = Log(tmp_path / "run")
    log.scalars("loss", range(20))
    log.add({"tag": "note", "text": {"encoded_text_string": "<script>"}})
    chance = random.Random(18)
    routes = [*ROUTES, "changes", "settings", "graph/graph", "graph/search", "graph_runs", "none"]
    values = [str(tmp_path / "run"), "loss", "note", "../..", "-1", "1e999", "\0", "损失", ""]
    for _ in range(REQUESTS):
        names = chance.sample(["run", "tag", "index", "points", "since", "type", "name", "k"], 3)
        query = urlencode({name: chance.choice(values) for name in names})
        path = chance.choice(["/app/api/", "/app/", "/"]) + quote(chance.choice(routes))
        text = f"GET {path}?{query} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n"
        request = bytearray(f"{text}Connection: close\r\n\r\n".encode())
        for _ in range(chance.choice([0, 0, 1, 3, 10])):
            at = chance.randrange(4, len(request) - 4)
            request[at] = chance.randrange(256)
        status, body = sent(served, bytes(request))
        assert status < 500 or status == 501, (bytes(request), body)
        assert b"Traceback" not in body, (bytes(request), body)


def test_many_clients_while_a_log_grows(tmp_path, served):
    log = Log(tmp_path / "run")
    log.scalars("loss", [0])
    run = str(tmp_path / "run")
    problems = []

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", served, timeout=PATIENCE)
        kept, cursor = [], ""

        def data(route, **query):
            connection.request("GET", f"/app/api/{route}?{urlencode(query)}")
            answer = connection.getresponse()
            body = json.loads(answer.read())
            if answer.status != 200:
                raise AssertionError(body["msg"])
            return body["data"]

        try:
            for _ in range(ROUNDS):
                cursor = data("changes", since=cursor)["cursor"]
                new = data("scalar/list", run=run, tag="loss", since=len(kept), points=0)
                kept += new
                assert [step for _, step, _ in kept] == list(range(len(kept)))
                assert all(value == step for _, step, value in kept)
            connection.close()
        except Exception as error:
            problems.append(repr(error))

    clients = [threading.Thread(target=client, daemon=True) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    written = 1
    while any(thread.is_alive() for thread in clients) and written < 20_000:
        log.scalars("loss", range(written, written + 20), first=written)
        written += 20
        clients[0].join(0.005)
    for thread in clients:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert problems == []
