"""The HTTP server under load: clients over loopback, with and without the joining of requests."""

from __future__ import annotations

import http.client
import io
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from benchmarks.inference import MODULE, OURS, SAVE
from benchmarks.options import Options, skipped
from benchmarks.saved_models import FOLDER, inputs, prefix
from benchmarks.table import Row
from benchmarks.worker import ROOT, Worker, WorkerFailed

GROUP = "serve"
ALONE, JOINED = "one by one", "joined"
SIDES = {ALONE: ["--max-batch", "1"], JOINED: ["--max-batch", "32", "--batch-timeout-ms", "2"]}
TASKS = {"LeNet": "lenet", "MLP 2048": "mlp"}
CLIENTS = (1, 16)


@contextmanager
def _server(model: str, threads: int, *arguments: str) -> Iterator[int]:
    """Runs the server in a process of its own; gives the port."""
    command = [sys.executable, "-m", "paddle.inference.serve", prefix(model), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--threads", str(threads), *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)},
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("answers on "):
                yield int(line.rpartition(":")[2])
                break
        else:
            raise WorkerFailed(f"the server ended with {process.wait()}")
    finally:
        process.terminate()
        process.communicate()


def _load(port: int, body: bytes, clients: int, seconds: float) -> list[float]:
    """The latencies of all requests that some clients send, one after the other each."""
    taken: list[list[float]] = [[] for _ in range(clients)]
    failures: list[str] = []
    start = threading.Barrier(clients)

    def client(mine: list[float]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        start.wait()
        until = perf_counter() + seconds
        while (began := perf_counter()) < until and not failures:
            connection.request("POST", "/predict", body, {"Content-Type": "application/x-npy"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                failures.append(f"status {answer.status}: {text[:200]!r}")
            mine.append(perf_counter() - began)
        connection.close()

    threads = [threading.Thread(target=client, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise WorkerFailed(failures[0])
    return [t for mine in taken for t in mine]


def _measured(model: str, clients: int, threads: int, options: Options) -> dict[str, list[float]]:
    """Latencies of both sides, in turns."""
    file = io.BytesIO()
    np.save(file, next(iter(inputs(model, 1)[0].values())))
    effort = options.effort(3, 4.0)
    found: dict[str, list[float]] = {side: [] for side in SIDES}
    with (
        _server(model, threads, *SIDES[ALONE]) as alone,
        _server(model, threads, *SIDES[JOINED]) as joined,
    ):
        ports = {ALONE: alone, JOINED: joined}
        for port in ports.values():
            _load(port, file.getvalue(), clients, 0.5)
        for _ in range(min(3, effort.rounds)):
            for side, port in ports.items():
                found[side] += _load(port, file.getvalue(), clients, effort.seconds / 2)
    return found


def rows(options: Options) -> Iterator[Row]:
    names = [n for n in TASKS if options.wants(GROUP, n)]
    if not names:
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        with Worker(MODULE, SAVE, OURS, 1) as worker:
            worker.ask("call", "save")
        for name in names:
            for clients in CLIENTS:
                try:
                    yield from _rows(name, clients, options)
                except WorkerFailed as error:
                    skipped(f"{GROUP}: {name}", error)


def _rows(name: str, clients: int, options: Options) -> Iterator[Row]:
    """Throughput and the latency of the slowest hundredth; the other side takes one by one."""
    found = _measured(TASKS[name], clients, 1, options)
    rates = {side: clients / float(np.mean(taken)) for side, taken in found.items()}
    slow = {side: float(np.percentile(taken, 99)) * 1e3 for side, taken in found.items()}
    what = f"{name}, {clients} client{'s' if clients > 1 else ''}"
    note = f"{JOINED}; the other side is {ALONE}"
    yield Row(GROUP, f"{what}, requests", 1, "wall", "/s", rates[JOINED], rates[ALONE],
              rates[ALONE] / rates[JOINED], note=note + ", the result is it over ours")  # fmt: skip
    yield Row(GROUP, f"{what}, p99", 1, "wall", "ms", slow[JOINED], slow[ALONE],
              slow[JOINED] / slow[ALONE], note=note)  # fmt: skip
