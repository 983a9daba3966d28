"""The server: routes by Flask, served by waitress; `run` starts one beside a script."""

from __future__ import annotations

import atexit
import errno
import importlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Any, NoReturn

from flask import Flask, Response, redirect, request
from waitress.server import create_server
from waitress.task import ThreadedTaskDispatcher
from werkzeug.exceptions import HTTPException

from visualdl import __version__
from visualdl.server import security
from visualdl.server.api import Api, Body, Refused
from visualdl.server.options import RUN_PORT, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run"]

logger = logging.getLogger("visualdl")
STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
THREADS = 8
PORTS = 100
"""So many ports are tried where none was named."""
UPLOAD = (64 << 20) + (1 << 20)
"""The largest body of a request: a model file as `graph/upload` takes it, and its envelope."""
CONNECTIONS = 500
"""A browser keeps six open; those that say nothing are closed after `IDLE` seconds."""
IDLE = 30
GRACE = 0.3
"""Seconds that requests under way have at the end."""
CANNOT_START = 2


# -- the application -----------------------------------------------------------------------------
def create_app(options: Options, api: Api | None = None) -> Flask:
    """Makes the application.

    Args:
        options (Options): what the server was started with.
        api (Api, optional): what answers; made from the options by default.

    Returns:
        Flask: the application; its `config["api"]` is what answers.
    """
    app = Flask("visualdl", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = UPLOAD
    app.config["api"] = api = api or Api(options)
    base = options.public_path or ""

    @app.before_request
    def check_host() -> Response | None:
        if security.host_allowed(request.headers.get("Host", ""), options.host):
            return None
        name = request.headers.get("Host", "")
        return _error(403, f"This server does not answer to the host {name[:200]!r}; see --host.")

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in security.HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        logger.info("%s %s: %s", request.method, request.full_path, response.status_code)
        return response

    @app.errorhandler(Exception)
    def refuse(error: Exception) -> Response:
        return _told(error)

    @app.route(f"{base}/api/<path:route>", methods=["GET", "POST"])
    def answer(route: str) -> Response:
        return _answered(api, route)

    @app.route("/alive")
    def alive() -> Response:
        return Response(status=204)

    if not options.api_only:
        _add_pages(app, options, base)
    return app


def _add_pages(app: Flask, options: Options, base: str) -> None:
    """Adds the page and its files."""
    files = security.StaticFiles(STATIC)
    page = _Page(files, options)

    @app.route("/")
    def root() -> Any:
        return redirect(_with_query(f"{base}/"), code=302)

    @app.route(base)
    def start() -> Any:
        return redirect(_with_query(f"{base}/"), code=302)

    @app.route(f"{base}/")
    @app.route(f"{base}/index")
    @app.route(f"{base}/index.html")
    def index() -> Response:
        found = page.get()
        return _sent(found) if found else _error(404, "The files of the page are not installed.")

    @app.route("/favicon.ico")
    def icon() -> Response:
        found = files.get("css/mark.svg")
        return _sent(found) if found else _error(404, "no icon")

    @app.route(f"{base}/<path:name>")
    def static(name: str) -> Response:
        found = files.get(name)
        return _sent(found) if found else _error(404, f"There is no file {name[:200]!r}.")


class _Page:
    """`index.html` with the options of the server as attributes of its first element."""

    def __init__(self, files: security.StaticFiles, options: Options) -> None:
        self._files, self._options = files, options
        self._made: tuple[str, security.StaticFile] | None = None

    def get(self) -> security.StaticFile | None:
        """Gives the page, None where it is not installed."""
        file = self._files.get("index.html")
        if file is None:
            return None
        if self._made is None or self._made[0] != file.tag:
            body = file.body.replace(b"<html ", f"<html {self._attributes()} ".encode(), 1)
            self._made = (file.tag, security.made(body, "index.html"))
        return self._made[1]

    def _attributes(self) -> str:
        given = {
            "version": __version__,
            "language-option": self._options.language or "",
            "theme-option": self._options.theme or "",
        }
        return " ".join(f'data-{name}="{value}"' for name, value in given.items())


def _with_query(path: str) -> str:
    query = request.query_string.decode("latin-1")
    return f"{path}?{query}" if query else path


def _sent(file: security.StaticFile) -> Response:
    """Sends a file, packed where the browser takes that, or tells that it has not changed."""
    headers = {"ETag": file.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if file.tag in request.headers.get("If-None-Match", ""):
        return Response(status=304, headers=headers)
    body = file.body
    if file.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        body = file.packed
        headers["Content-Encoding"] = "gzip"
    kind = file.kind
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    return Response(body, headers=headers, content_type=kind)


def _answered(api: Api, route: str) -> Response:
    """Answers a route of the HTTP interface."""
    sent = request.files if request.method == "POST" else None
    if sent is not None and not _same_origin():
        raise Refused("a page of another site cannot send anything here.", 403)
    data = api.answer(route, request.args, sent, request.remote_addr or "")
    if not isinstance(data, Body):
        body = _json({"status": 0, "msg": "", "data": data})
        data = Body(body, "application/json")
    response = Response(data.content, content_type=data.kind, headers=data.headers)
    near = security.is_local(request.remote_addr or "")
    if (
        isinstance(data.content, bytes)
        and not near
        and "gzip" in request.headers.get("Accept-Encoding", "")
    ):
        packed = security.packed_by_gzip(data.content, data.kind, 1)
        if packed is not None:
            response.set_data(packed)
            response.headers["Content-Encoding"] = "gzip"
            response.headers["Vary"] = "Accept-Encoding"
    return response


def _same_origin() -> bool:
    """Says whether a request was sent by our page, or by no page at all."""
    origin = request.headers.get("Origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("Host")


def _json(data: Any) -> bytes:
    """Writes JSON that every reader takes: what is not finite is a text."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(plain(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def plain(data: Any) -> Any:
    """Gives data in which what is not finite is "NaN", "Infinity" or "-Infinity"."""
    if isinstance(data, float):
        if data != data:
            return "NaN"
        if data in (float("inf"), float("-inf")):
            return "Infinity" if data > 0 else "-Infinity"
    elif isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    elif isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    return data


def _error(code: int, text: str) -> Response:
    body = _json({"status": 1, "msg": text, "data": None})
    return Response(body, status=code, content_type="application/json")


def _told(error: Exception) -> Response:
    """Answers a failure: what was asked is wrong, or, told in the log, we are."""
    if isinstance(error, Refused):
        return _error(error.code, str(error))
    if isinstance(error, HTTPException):
        code = error.code or 400
        if 300 <= code < 400:
            return error.get_response()  # type: ignore[return-value]
        return _error(code if code < 500 else 400, error.description or str(error))
    logger.error("%s %s: %s", request.method, request.full_path, error, exc_info=error)
    return _error(400, f"{type(error).__name__}: {error}")


# -- the server ----------------------------------------------------------------------------------
class _Dispatcher(ThreadedTaskDispatcher):
    """Threads that do not keep the server from ending."""

    def shutdown(self, cancel_pending: bool = True, timeout: float = GRACE) -> bool:
        return super().shutdown(cancel_pending, min(timeout, GRACE))


def bound(options: Options) -> socket.socket:
    """Gives a socket that listens where the options say.

    Raises:
        OSError: the named port, or every port that was tried, is in use; or the host is not ours.
    """
    named = options.port is not None
    first = options.port if options.port is not None else options.first_port
    for port in [first] if named else range(first, min(first + PORTS, 65536)):
        try:
            family, _, _, _, address = socket.getaddrinfo(
                options.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            return socket.create_server(address[:2], family=family, backlog=128)
        except OSError as error:
            if named or error.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, f"no port from {first} to {first + PORTS - 1} is free")


def serve(options: Options, ends_with_input: bool = False) -> int:
    """Serves until Ctrl-C or SIGTERM.

    Args:
        options (Options): what to serve, and where.
        ends_with_input (bool): end when the standard input ends: its other end is a script that
            started this server.

    Returns:
        int: the exit status.
    """
    signal.signal(signal.SIGTERM, _leave)
    if ends_with_input:
        threading.Thread(target=_follow_input, daemon=True).start()
    try:
        listener = bound(options)
    except OSError as error:
        where = f"{options.host}:{options.port or options.first_port}"
        print(f"visualdl: cannot serve at {where}: {error.strerror or error}", file=sys.stderr)
        return CANNOT_START
    port = listener.getsockname()[1]
    try:
        app = create_app(options)
        api = app.config["api"]
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a page asks much at once
        dispatcher = _Dispatcher()
        dispatcher.set_thread_count(THREADS)
        server = create_server(
            app,
            sockets=[listener],
            threads=THREADS,
            ident="visualdl",
            max_request_body_size=UPLOAD,
            connection_limit=CONNECTIONS,
            channel_timeout=IDLE,
            cleanup_interval=IDLE // 3,
            asyncore_use_poll=True,  # select knows no more than a thousand files
            _dispatcher=dispatcher,
        )
        _tell(options, port)
        server.run()
    except (KeyboardInterrupt, SystemExit):
        pass
    finally:
        listener.close()
    api.close()
    logging.shutdown()
    sys.stdout.flush()
    os._exit(0)  # requests under way are not waited for


def address(options: Options, port: int) -> str:
    """Gives the address of the page, as a browser on this machine takes it."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(options.host, options.host)
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    return f"http://{host}:{port}{options.public_path}/"


def _tell(options: Options, port: int) -> None:
    """Prints where the server answers, and what to be aware of."""
    place = address(options, port)
    for folder in options.logdir:
        if not os.path.isdir(folder):
            print(f"visualdl: {folder} is no folder yet; waiting for it.", file=sys.stderr)
    places = (options.model, f"{options.model}.pdmodel")
    if options.model and not any(os.path.exists(path) for path in places):
        print(f"visualdl: there is no model {options.model} yet; waiting for it.", file=sys.stderr)
    if not security.is_local(options.host):
        print(
            f"visualdl: --host {options.host} opens the logs to every machine that reaches this"
            " one; there is no password.",
            file=sys.stderr,
        )
    what = "HTTP interface" if options.api_only else "board"
    print(f"VisualDL {__version__} (of pypaddle): {what} at {place} (Ctrl-C ends it)", flush=True)
    if options.open_browser:
        threading.Thread(target=webbrowser.open, args=(place,), daemon=True).start()


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)


def _follow_input() -> None:
    """Ends the server when the script that started it has ended."""
    try:
        while os.read(0, 1 << 10):
            pass
    except OSError:
        return
    os.kill(os.getpid(), signal.SIGTERM)


# -- beside a script -----------------------------------------------------------------------------
_started: list[subprocess.Popen[bytes]] = []


def run(
    logdir: str | Sequence[str] | None = None,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    cache_timeout: float = 20,
    language: str | None = None,
    public_path: str | None = None,
    api_only: bool = False,
    open_browser: bool = False,
    model: str = "",
    component_tabs: Sequence[str] | None = None,
    theme: str | None = None,
    telemetry: bool = False,
) -> int:
    """Starts a server in a process of its own.

    The call returns at once. The script stays alive at its end until the server ends, by Ctrl-C or
    by a signal to the process; the server ends with the script where that is ended.

    Args:
        logdir (str or list): folders of logs.
        host (str): what to bind to.
        port (int, optional): the port; by default 8080, or the next that is free.
        cache_timeout (float): seconds that computed answers are kept.
        language (str, optional): "en" or "zh"; by default the browser's.
        public_path (str, optional): what addresses begin with; `/app` by default.
        api_only (bool): no page, only the HTTP interface.
        open_browser (bool): open the page when the server answers.
        model (str): a model file for the graph page.
        component_tabs (list, optional): the pages that are shown.
        theme (str, optional): "light" or "dark"; by default the browser's.
        telemetry (bool): False, as scripts for VisualDL 2 say; this server reports to nobody.

    Returns:
        int: the id of the process.

    Raises:
        ValueError: an option has a value that it cannot have.

    Examples:
        .. code-block:: python

            import os, signal
            from visualdl.server import app

            pid = app.run(logdir="./log", port=0)
            os.kill(pid, signal.SIGTERM)
    """
    if telemetry:
        raise ValueError("telemetry: expected False, this server reports to nobody.")
    options = Options(
        logdir=logdir,  # type: ignore[arg-type]
        model=model,
        host=host,
        port=port,
        first_port=RUN_PORT,
        cache_timeout=cache_timeout,
        language=language,
        public_path=public_path,
        api_only=api_only,
        component_tabs=list(component_tabs) if component_tabs else None,
        theme=theme,
        open_browser=open_browser,
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [root, os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        [sys.executable, "-m", "visualdl.server.cli", *command_line(options)],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)},
    )
    if not _started:
        atexit.register(_wait)
    _started.append(process)
    return process.pid


def command_line(options: Options) -> list[str]:
    """Gives the arguments of the command that starts a server with some options."""
    result = ["--host", options.host, "--first-port", str(options.first_port), "--ends-with-input"]
    values = {
        "--port": options.port,
        "--cache-timeout": options.cache_timeout,
        "--language": options.language,
        "--public-path": options.public_path,
        "--model": options.model,
        "--theme": options.theme,
    }
    for name, value in values.items():
        if value not in (None, ""):
            result.append(f"{name}={value}")
    result += ["--api-only"] * options.api_only + ["--open-browser"] * options.open_browser
    if options.component_tabs:
        result += ["--component_tabs", *options.component_tabs]
    if options.logdir:
        result += [
            "--logdir",
            *(f"./{path}" if path.startswith("-") else path for path in options.logdir),
        ]
    return result


def _wait() -> None:
    """Keeps the script alive until the servers it started have ended."""
    try:
        for process in _started:
            process.wait()
    except KeyboardInterrupt:
        for process in _started:
            process.terminate()


# -- the command under the name that VisualDL 2 has it ---------------------------------------------
def __getattr__(name: str) -> Any:
    """Gives `main`, the command: it imports this module when it serves."""
    if name == "main":
        return importlib.import_module("visualdl.server.cli").main
    raise AttributeError(f"module 'visualdl.server.app' has no attribute {name!r}")


if __name__ == "__main__":
    sys.exit(importlib.import_module("visualdl.server.cli").main())
