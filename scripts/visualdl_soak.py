"""Serves a log for minutes while one writer writes and many clients poll; tells memory and times.

    python scripts/visualdl_soak.py --minutes 30 --clients 20

The writer logs every component; each half minute it starts a run and deletes the oldest of six, so
what is shown stays as large, and what the server holds has to stay so too. The clients do what the
page does: they ask for what is new once a second, then for that. The exit status is 1 where an
answer was no good one, the server ended, or its memory grew by more than `--most` MB from the
second sixth of the time to the last.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

KEPT_RUNS = 6
RUN_SECONDS = 30.0
SCALARS = 10
"""Tags of scalars; each gets a point in every round of the writer."""
ROUND = 0.05
"""Seconds of a round of the writer."""
OTHERS = (
    "hparams/list", "hparams/importance", "component_tabs", "runs", "embedding/list", "graph_runs",
    "tags",
)  # fmt: skip
GONE = (404,)
"""Status of what was deleted between two questions."""


# -- the writer ----------------------------------------------------------------------------------
def write(folder: str) -> None:
    """Logs until the standard input ends."""
    import numpy as np

    from visualdl import LogWriter

    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    drawn = np.random.default_rng(0)
    runs: list[str] = []
    while not ended.is_set():
        runs.append(os.path.join(folder, f"run{time.time_ns() // 10**6}"))
        with LogWriter(runs[-1], flush_secs=1) as writer:
            writer.add_hparams({"lr": float(drawn.random()), "size": len(runs)}, ["s0"])
            _write_run(writer, drawn, ended)
        if len(runs) >= KEPT_RUNS:
            shutil.rmtree(runs.pop(0))


def _write_run(writer: Any, drawn: Any, ended: threading.Event) -> None:
    until = time.monotonic() + RUN_SECONDS
    step = 0
    while time.monotonic() < until and not ended.wait(ROUND):
        for number in range(SCALARS):
            writer.add_scalar(f"s{number}", float(drawn.random()), step)
        if step % 40 == 0:
            writer.add_image("image", drawn.integers(0, 255, (64, 64, 3), "uint8"), step)
            writer.add_audio("audio", drawn.integers(-9000, 9000, 4000).astype("int16"), step)
            writer.add_text("text", f"step {step}", step)
            writer.add_histogram("histogram", drawn.standard_normal(1000), step)
            labels, shares = drawn.integers(0, 2, 200), drawn.random(200)
            writer.add_pr_curve("pr", labels, shares, step)
            writer.add_roc_curve("roc", labels, shares, step)
        if step % 200 == 0:
            names = [str(number) for number in range(300)]
            writer.add_embeddings("words", mat=drawn.random((300, 16)), metadata=names)
        step += 1


# -- the clients ---------------------------------------------------------------------------------
class Client(threading.Thread):
    """Asks as a page that is open does.

    Attributes:
        taken: the seconds of each answer.
        statuses: how often each status came.
        problems: what went wrong.
    """

    def __init__(self, port: int, seed: int, ended: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.ended = port, ended
        self.chance = random.Random(seed)
        self.taken: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.problems: list[str] = []
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def run(self) -> None:
        cursor = ""
        while not self.ended.wait(0.5 + self.chance.random()):
            found = self.ask("changes", since=cursor)
            if found is None:
                continue
            cursor = found["cursor"]
            if self.chance.random() < 0.02:
                cursor = ""  # a page that was opened again
            for component, runs in self._changed(found).items():
                for run, tags in list(runs.items())[:2]:
                    self.follow(component, run, self.chance.choice(tags))
            self.ask(self.chance.choice(OTHERS))

    def _changed(self, found: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
        if found["changed"] != "all":
            return found["changed"]
        tags = self.ask("scalar/tags") or {"runs": [], "tags": []}
        return {"scalar": dict(zip(tags["runs"], tags["tags"]))}

    def follow(self, component: str, run: str, tag: str) -> None:
        """Asks for what is new of a tag."""
        some = {"run": run, "tag": tag}
        if component == "scalar":
            self.ask("scalar/many", **some, points=500, since=self.chance.choice([0, 100]))
        elif component in ("image", "audio", "text"):
            listed = self.ask(f"{component}/list", **some)
            if listed:
                self.ask(f"{component}/{component}", **some, index=len(listed) - 1)
        elif component == "embeddings":
            self.ask("embedding/points", **some, dimension=3)
            self.ask("embedding/neighbors", **some, index=5)
        elif component != "hyper_parameters":
            self.ask(f"{component.replace('_', '-')}/list", **some)

    def ask(self, route: str, **query: Any) -> Any:
        """Gives the data of an answer, None where there is none."""
        started = time.perf_counter()
        try:
            self.connection.request("GET", f"/app/api/{route}?{urlencode(query)}")
            answer = self.connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            if not self.ended.is_set():
                self.problems.append(f"{route} {query}: {error!r}")
            return None
        self.taken.append(time.perf_counter() - started)
        self.statuses[answer.status] += 1
        if answer.status != 200:
            if answer.status not in GONE:
                self.problems.append(f"{route} {query}: {answer.status} {body[:200]!r}")
            return None
        if answer.getheader("Content-Type") == "application/json":
            return json.loads(body)["data"]
        return body


# -- all of it -----------------------------------------------------------------------------------
def resident(pid: int) -> float:
    """Gives the resident size of a process in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def waited(port: int) -> None:
    """Waits until the server answers."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the server did not start")


def soak(minutes: float, clients: int, every: float) -> dict[str, Any]:
    """Runs server, writer and clients.

    Args:
        minutes (float): for so long.
        clients (int): so many.
        every (float): seconds between looks at the memory.

    Returns:
        dict: the figures.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "visualdl.server.cli", "--logdir", folder, "--port", str(port)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        writer = subprocess.Popen(
            [sys.executable, __file__, "--write", folder], env=environment, stdin=subprocess.PIPE
        )
        ended = threading.Event()
        asking = [Client(port, seed, ended) for seed in range(clients)]
        memory: list[float] = []
        try:
            waited(port)
            for client in asking:
                client.start()
            until = time.monotonic() + minutes * 60
            while time.monotonic() < until and server.poll() is None and writer.poll() is None:
                time.sleep(every)
                memory.append(round(resident(server.pid), 1))
                print(f"{len(memory) * every:6.0f} s  {memory[-1]:7.1f} MB", flush=True)
            alive = server.poll() is None and writer.poll() is None
        finally:
            ended.set()
            writer.stdin.close()  # type: ignore[union-attr]
            writer.wait()
            for client in asking:
                client.join(30)
            started = time.perf_counter()
            server.terminate()  # Ctrl-C is not heard by what a script started in the background
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
            end = time.perf_counter() - started
    return {**_figures(asking, memory, alive), "seconds to end": round(end, 2)}


def _figures(asking: list[Client], memory: list[float], alive: bool) -> dict[str, Any]:
    taken = sorted(t for client in asking for t in client.taken) or [0.0]
    statuses = sum((client.statuses for client in asking), Counter[int]())
    sixth = max(1, len(memory) // 6)
    early = statistics.median(memory[sixth : 2 * sixth] or [0.0])
    late = statistics.median(memory[-sixth:] or [0.0])
    problems = [problem for client in asking for problem in client.problems]
    return {
        "alive": alive,
        "requests": len(taken),
        "statuses": dict(statuses),
        "ms, median": round(statistics.median(taken) * 1e3, 1),
        "ms, p99": round(taken[int(len(taken) * 0.99)] * 1e3, 1),
        "ms, most": round(taken[-1] * 1e3, 1),
        "MB, second sixth": early,
        "MB, last sixth": late,
        "MB, most": max(memory, default=0.0),
        "grown": round(late - early, 1),
        "problems": len(problems),
        "the first": problems[:5],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between looks")
    parser.add_argument("--most", type=float, default=20.0, help="MB that memory may grow by")
    parser.add_argument("--write", metavar="FOLDER", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write(given.write)
        return 0
    found = soak(given.minutes, given.clients, given.every)
    print(json.dumps(found, indent=1))
    good = found["alive"] and not found["problems"] and found["grown"] <= given.most
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
