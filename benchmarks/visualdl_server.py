"""VisualDL's server: how soon it answers, what a board of ten million points costs, sampling, PCA.

Logs are written as bytes by NumPy, so that their making takes little time. The real VisualDL 2.5.3
is measured beside where `--visualdl PYTHON` names it, as far as it answers within a minute.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import Any
from urllib.parse import urlencode

import numpy as np

from benchmarks.options import Options, skipped
from benchmarks.table import Row

GROUP = "visualdl_server"
ROOT = Path(__file__).resolve().parents[1]
EMPTY = "up on an empty folder"
LARGE = "up on a folder of 1 GB"
BOARD = "20 runs x 50 tags x 10,000 steps"
MILLION = "1,000,000 points sampled to 2,000, warm"
PCA = "PCA of 10,000 x 256"
RUNS, TAGS, STEPS = 20, 50, 10_000
TIME = 1_600_000_000_000
PATIENCE = 60.0
"""Seconds that a side has to answer."""
FILE = "vdlrecords.1600000000.log"


# -- logs ----------------------------------------------------------------------------------------
def write_scalars(folder: Path, tags: list[str], steps: int, seed: int = 0) -> None:
    """Writes a log of scalars: a value of each tag at each step.

    Args:
        folder (Path): where; made if it is not there.
        tags (list): ASCII, of one length, less than 100 characters.
        steps (int): so many steps, less than two million.
        seed (int): of the values.
    """
    folder.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(seed)
    with open(folder / FILE, "wb") as file:
        for low, high in ((1, 1 << 7), (1 << 7, 1 << 14), (1 << 14, 1 << 21)):
            for first in range(low, min(high, steps + 1), 1 << 12):
                numbers = np.arange(first, min(first + (1 << 12), high, steps + 1))
                file.write(_block(tags, numbers, values))


def _block(tags: list[str], steps: np.ndarray, values: np.random.Generator) -> bytes:
    """Gives records of some steps, whose numbers take as many bytes as the first does."""
    width = _width(int(steps[0]))
    times = TIME + steps * 100
    names = np.frombuffer("".join(tags).encode("ascii"), np.uint8).reshape(len(tags), -1)
    head = [np.frombuffer(b"\x08", np.uint8), _varints(steps, width)[:, None]]
    parts = [
        *head,
        np.frombuffer(bytes([0x12, names.shape[1]]), np.uint8),
        names,
        np.frombuffer(b"\x18", np.uint8),
        _varints(times, _width(int(times[0])))[:, None],
        np.frombuffer(b"\x25", np.uint8),
        values.random((len(steps), len(tags)), np.float32)[..., None].view(np.uint8),
    ]
    size = sum(part.shape[-1] for part in parts)
    start = (size + 2).to_bytes(8, "little") + bytes([0x0A, size])
    parts.insert(0, np.frombuffer(start, np.uint8))
    shape = (len(steps), len(tags))
    return np.concatenate(
        [np.broadcast_to(part, (*shape, part.shape[-1])) for part in parts], axis=2
    ).tobytes()


def _width(number: int) -> int:
    return -(-number.bit_length() // 7)


def _varints(numbers: np.ndarray, width: int) -> np.ndarray:
    """Gives whole numbers as bytes of seven bits each, the last without the highest bit."""
    shifts = np.arange(width) * 7
    found = (numbers[:, None] >> shifts & 127).astype(np.uint8)
    found[:, :-1] |= 128
    return found


def _write_large(folder: Path) -> None:
    """Writes 1 GB: eight runs of 64 MB of scalars, and images of 64 kB in eight more."""
    from visualdl.record import Record, framed

    tags = [f"layer{number:02d}/loss" for number in range(TAGS)]
    for run in range(8):
        write_scalars(folder / f"scalars{run}", tags, 28_000, run)
    pixels = np.random.default_rng(0).integers(0, 255, 1 << 16, np.uint8).tobytes()
    for run in range(8):
        (folder / f"images{run}").mkdir()
        with open(folder / f"images{run}" / FILE, "wb") as file:
            for step in range(1000):
                image = {"encoded_image_string": b"\x89PNG" + pixels}
                value = {"id": step, "tag": "picture", "timestamp": TIME + step, "image": image}
                file.write(framed(Record(values=[value]).SerializeToString()))


# -- servers -------------------------------------------------------------------------------------
@dataclass
class Board:
    """A server that was started.

    Attributes:
        process: its process.
        port: where it answers.
        started: when it was started, by `perf_counter`.
    """

    process: subprocess.Popen[bytes]
    port: int
    started: float

    def ask(self, route: str, **query: Any) -> Any:
        """Gives the data of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/app/api/{route}?{urlencode(query, doseq=True)}")
            return json.loads(connection.getresponse().read())["data"]
        finally:
            connection.close()

    def wait(self) -> float:
        """Waits for the first answer; gives the seconds since the start."""
        while True:
            try:
                self.ask("runs")
                return perf_counter() - self.started
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"it ended with {self.process.returncode}") from None
                if perf_counter() - self.started > PATIENCE:
                    raise TimeoutError(f"no answer in {PATIENCE:.0f} s") from None
                sleep(0.005)

    def memory(self, what: str = "VmRSS") -> float:
        """Gives the resident size in MB, or the most that it was: `VmHWM`."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition(f"{what}:")[2].split()[0]) / 1024


@contextmanager
def served(folder: Path, python: str = "") -> Iterator[Board]:
    """Runs a server in a process of its own; `python` is that of the real one."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-P", "-m", "visualdl.server.cli"]
    if python:
        command = [python, "-m", "visualdl.server.app"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": "" if python else str(ROOT)}
    started = perf_counter()
    process = subprocess.Popen(
        [*command, "--logdir", str(folder), "--port", str(port)],
        cwd="/",
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Board(process, port, started)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _up(folder: Path, python: str = "") -> float:
    with served(folder, python) as board:
        return board.wait()


def _real_up(options: Options, folder: Path) -> str:
    """Says how long the real one takes until it answers."""
    if not options.visualdl:
        return "no --visualdl"
    try:
        return f"real {_up(folder, options.visualdl):.1f} s"
    except (OSError, ValueError, RuntimeError, http.client.HTTPException) as error:
        return f"real: {error or type(error).__name__}"


# -- rows ----------------------------------------------------------------------------------------
def rows(options: Options) -> Iterator[Row]:
    """How soon the server answers, and what its answers cost."""
    if 1 not in options.threads:
        return
    measured = {EMPTY: _empty, LARGE: _large, BOARD: _board, MILLION: _million, PCA: _pca}
    for name, measure in measured.items():
        if not options.wants(GROUP, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                yield from measure(options, Path(folder))
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                skipped(f"{GROUP}: {name}", error)


def _row(name: str, unit: str, value: float, target: float | None, note: str = "") -> Row:
    return Row(GROUP, name, 1, "wall", unit, value, None, value, "value", target, note)


def _empty(options: Options, folder: Path) -> Iterator[Row]:
    _up(folder)  # reads the files of the packages from disk
    taken = statistics.median(_up(folder) for _ in range(options.effort(7, 0).rounds))
    yield _row(EMPTY, "s", taken, 1.0, _real_up(options, folder))


def _large(options: Options, folder: Path) -> Iterator[Row]:
    _write_large(folder)
    taken = statistics.median(_up(folder) for _ in range(options.effort(5, 0).rounds))
    size = sum(file.stat().st_size for file in folder.rglob("vdlrecords*"))
    yield _row(LARGE, "s", taken, 3.0, f"{size / 1e9:.2f} GB; {_real_up(options, folder)}")


def _board(options: Options, folder: Path) -> Iterator[Row]:
    """The first chart after the start, all of it, and the memory that it takes."""
    tags = [f"layer{number:02d}/loss" for number in range(TAGS)]
    for run in range(RUNS):
        write_scalars(folder / f"run{run:02d}", tags, STEPS, run)
    first: list[float] = []
    whole: list[float] = []
    memory: list[float] = []
    most: list[float] = []
    charts: list[float] = []
    for _ in range(options.effort(5, 0).rounds):
        with served(folder) as board:
            board.wait()
            found = _chart(board, tags[7])
            first.append(perf_counter() - board.started)
            if len(found) < RUNS:
                raise RuntimeError(f"the first chart has {len(found)} of {RUNS} runs")
            shown = sum(len(line["points"]) for line in found.values())
            while sum(line["total"] for line in found.values()) < RUNS * STEPS:
                if perf_counter() - board.started > PATIENCE:
                    raise TimeoutError(f"not read in {PATIENCE:.0f} s")
                sleep(0.1)
                found = _chart(board, tags[7])
            whole.append(perf_counter() - board.started)
            for tag in tags[::5]:
                started = perf_counter()
                _chart(board, tag)
                charts.append(perf_counter() - started)
            memory.append(board.memory())
            most.append(board.memory("VmHWM"))
    note = f"since the start; {shown} points then, more come while it reads"
    yield _row(f"{BOARD}: first chart", "s", statistics.median(first), 1.5, note)
    yield _row(f"{BOARD}: all read", "s", statistics.median(whole), None, "since the start")
    note = f"after ten charts of {statistics.median(charts) * 1e3:.0f} ms each"
    note += f"; at most {max(most):.0f} MB"
    yield _row(f"{BOARD}: resident", "MB", statistics.median(memory), 300.0, note)


def _chart(board: Board, tag: str) -> dict[str, Any]:
    names = [run["run"] for run in board.ask("changes")["runs"]]
    return board.ask("scalar/many", tag=tag, run=names)


def _million(options: Options, folder: Path) -> Iterator[Row]:
    write_scalars(folder / "run", ["loss"], 1_000_000)
    with served(folder) as board:
        board.wait()
        run = board.ask("runs")[0]
        query = {"run": run, "tag": "loss", "points": 2000}
        while board.ask("scalar/many", **query)[run]["total"] < 1_000_000:
            sleep(0.1)
        taken = []
        for _ in range(options.effort(25, 0).rounds):
            started = perf_counter()
            found = board.ask("scalar/many", **query)[run]
            taken.append(perf_counter() - started)
    note = f"{len(found['points'])} points of {found['total']}, with HTTP and JSON"
    yield _row(MILLION, "ms", statistics.median(taken) * 1e3, 50.0, note)


def _pca(options: Options, folder: Path) -> Iterator[Row]:
    from visualdl.record import Record, framed

    vectors = np.random.default_rng(0).standard_normal((10_000, 256)).astype(np.float32)
    items = [{"label": [str(at)], "vectors": row.tolist()} for at, row in enumerate(vectors)]
    value = {"id": 0, "tag": "words", "timestamp": TIME, "embeddings": {"embeddings": items}}
    (folder / "run").mkdir()
    with open(folder / "run" / FILE, "wb") as file:
        file.write(framed(Record(values=[value]).SerializeToString()))
    computed, asked = [], []
    for _ in range(options.effort(7, 0).rounds):
        computed.append(_pca_alone(vectors))
        with served(folder) as board:
            board.wait()
            run = board.ask("runs")[0]
            started = perf_counter()
            found = board.ask("embedding/points", run=run, tag="words", dimension=3)
            asked.append(perf_counter() - started)
            if len(found["points"]) != len(vectors):
                raise RuntimeError(f"{len(found['points'])} points came")
    note = f"the first request, with reading and JSON: {statistics.median(asked):.2f} s"
    yield _row(PCA, "s", statistics.median(computed), 0.3, note)


def _pca_alone(vectors: np.ndarray) -> float:
    """Seconds of the projection, in a process with one computing thread."""
    program = (
        "import sys, time, numpy as np; from visualdl.server import projection\n"
        f"data = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape{vectors.shape}\n"
        "started = time.perf_counter(); projection.pca(data, 3)\n"
        "print(time.perf_counter() - started)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input=vectors.tobytes(),
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(done.stdout)
