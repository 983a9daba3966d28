"""What the tests of the board share: servers on folders, one browser, views that are watched.

A test asks for `serve(folder, *options)` and `view(server, "#/scalar")`. When it ends, each view is
checked: nothing in the console but plain notes, and no request to any host but its server.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]
PICTURES = ROOT / "build" / "board"
LIMIT = 30_000
"""Milliseconds that anything may take; machines may be busy with much else."""
LATE = int(os.environ.get("BOARD_LATE_FRAMES", "0"))
"""Milliseconds by up to which each frame comes late, to find tests that a busy machine fails."""
DELAY = """(() => {
  const ask = window.requestAnimationFrame.bind(window);
  const waiting = new Map();
  let last = 0;
  window.requestAnimationFrame = (call) => {
    const frame = (last += 1);
    const show = (now) => waiting.delete(frame) && call(now);
    waiting.set(frame, setTimeout(() => ask(show), Math.random() * LATE));
    return frame;
  };
  window.cancelAnimationFrame = (frame) => {
    clearTimeout(waiting.get(frame));
    waiting.delete(frame);
  };
})()"""
OPTIONS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]


class Server:
    """A server of the board on some folders, in a process of its own."""

    def __init__(self, *folders: Path | str, options: tuple[str, ...] = ()) -> None:
        command = [sys.executable, "-m", "visualdl.server.cli", "--port", "0", *options]
        if folders:
            command += ["--logdir", *map(str, folders)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True
        )
        assert self.process.stdout is not None
        told = []
        for line in self.process.stdout:
            told.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                self.address = found[0]
                return
        raise AssertionError("the server did not start: " + "".join(told))

    def close(self) -> None:
        """Ends the process."""
        self.process.terminate()
        try:
            self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class View:
    """A tab with the board; `page` is playwright's."""

    def __init__(self, context: Any, server: Server, place: str) -> None:
        self.context = context
        self.server = server
        self.page = context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.set_default_timeout(LIMIT)
        if LATE:
            self.page.add_init_script(DELAY.replace("LATE", str(LATE)))
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        context.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(server.address + place)
        self.until("window.__board && window.__board.page")

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text} ({message.location})")

    def until(self, expression: str) -> Any:
        """Waits until a JavaScript expression is true; gives its value. What raises is not true.

        (Playwright's own waiting evaluates text in the page, which the page's policy forbids.)
        """
        end = time.monotonic() + LIMIT / 1000
        while True:
            value = self.page.evaluate(f"() => {{ try {{ return {expression} }} catch {{}} }}")
            if value:
                return value
            if time.monotonic() > end:
                self.picture("failed")
                raise AssertionError(f"never true: {expression}; console: {self.problems}")
            self.page.wait_for_timeout(40)

    def value(self, expression: str, argument: Any = None) -> Any:
        """Gives the value of a JavaScript expression, or of a function of the argument."""
        return self.page.evaluate(expression, argument)

    def picture(self, name: str) -> Path:
        """Keeps a picture of what is seen."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.page.screenshot(path=str(path))
        return path

    def fits(self) -> bool:
        """Says whether the page is no wider than the window."""
        return self.value("document.documentElement.scrollWidth <= window.innerWidth")

    def check(self) -> None:
        """Fails where the console had errors or a request went elsewhere."""
        home = urlsplit(self.server.address).netloc
        foreign = [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != home
        ]
        assert not self.problems, self.problems
        assert not foreign, foreign


def chromium() -> str:
    """The program to start. Where something is missing, tests are skipped; in the CI they fail."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = None
    if importlib.util.find_spec("playwright") is None:
        missing = "playwright is not installed"
    elif program is None:
        missing = "there is no chromium"
    if missing is not None:
        if os.environ.get("CI"):
            pytest.fail(f"{missing}; scripts/setup_env.sh installs it")
        pytest.skip(missing)
    assert program is not None
    return program


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of a process."""
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        started.loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        yield started
        asyncio._set_running_loop(started.loop)
        started.close()


@pytest.fixture
def running(browser: Any) -> Iterator[None]:
    """Lets playwright's loop run during a test alone: others in the process start loops, too."""
    asyncio._set_running_loop(browser.loop)
    yield
    asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def server(logs: Path) -> Iterator[Server]:
    """A server on the logs of a file of tests."""
    started = Server(logs)
    yield started
    started.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers that end with the test: `serve(folder, ..., options=("--theme", "dark"))`."""
    started: list[Server] = []

    def start(*folders: Path | str, options: tuple[str, ...] = ()) -> Server:
        started.append(Server(*folders, options=options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def view(browser: Any, running: None, serve: Any) -> Iterator[Callable[..., View]]:
    """Opens views that are closed before their servers, and checked.

    `view(server, "#/scalar", width=360, locale="zh-CN", color_scheme="dark")`.
    """
    opened: list[View] = []

    def open_view(
        server: Server, place: str = "", *, width: int = 1280, height: int = 900, **options: Any
    ) -> View:
        options.setdefault("locale", "en-US")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        opened.append(View(context, server, place))
        return opened[-1]

    yield open_view
    for one in opened:
        one.context.close()
    for one in opened:
        one.check()
