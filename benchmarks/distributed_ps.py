"""The parameter server beside torch RPC: rows looked up and pushed, first touches, memory.

    .venv/bin/python -m benchmarks.distributed_ps [--rounds 24] [--dims 8,16,64]

Two server and two trainer processes hold both engines and take turns: in every round all trainers
make some steps with one engine, then with the other. A step looks up 26 x 512 ids with repetitions
and pushes a gradient for each; both engines send every id once, and update by SGD. torch RPC runs
over TCP, and its server has a dense tensor, which finds rows without an index. The rates are of the
quietest eighth of the rounds; only ratios inside a run mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

SLOTS, BATCH, HEIGHT = 26, 512, 1_000_000
SERVERS, TRAINERS = 2, 2
STEPS = 8  # in one round
NEW = 50_000  # ids of one first touch


def ids_of(seed: int) -> list[np.ndarray]:
    """Ids of some batches, of which 3.6 look-ups go to the same row."""
    rng = np.random.default_rng(seed)
    return [(rng.zipf(1.2, SLOTS * BATCH) % HEIGHT).astype(np.int64) for _ in range(STEPS)]


def processor_seconds(folder: str) -> float:
    """What all processes of the job have used so far."""
    total = 0
    for entry in Path(folder).glob("*.pid"):
        fields = Path(f"/proc/{entry.stem}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """A port of the loopback that nobody listens at."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# -- torch RPC -------------------------------------------------------------------------------------

_tables: dict[int, Any] = {}


def rpc_pull(dim: int, ids: Any) -> Any:
    """On a server: rows of a dense tensor."""
    return _tables[dim].index_select(0, ids)


def rpc_push(dim: int, ids: Any, grads: Any) -> None:
    """On a server: a step of SGD for rows."""
    _tables[dim].index_add_(0, ids, grads, alpha=-0.1)


def start_rpc(name: str, rank: int, port: int) -> Any:
    """Joins the group of processes that call one another, over TCP alone."""
    import torch.distributed.rpc as rpc

    options = rpc.TensorPipeRpcBackendOptions(
        num_worker_threads=4, rpc_timeout=60, init_method=f"tcp://127.0.0.1:{port}",
        _transports=["uv"], _channels=["basic"],
    )  # fmt: skip
    rpc.init_rpc(name, rank=rank, world_size=SERVERS + TRAINERS, rpc_backend_options=options)
    return rpc


class RpcTrainer:
    """Look-ups and pushes by torch RPC."""

    def __init__(self, rpc: Any) -> None:
        self.rpc = rpc

    def step(self, dim: int, ids: np.ndarray, grads: Any, wait: bool) -> list:
        """Looks rows up and pushes; returns what is still on its way."""
        import torch

        unique, inverse = np.unique(ids, return_inverse=True)
        places = [np.flatnonzero(unique % SERVERS == s) for s in range(SERVERS)]
        local = [torch.from_numpy(unique[p] // SERVERS) for p in places]
        inverse = torch.from_numpy(inverse)
        asked = [
            self.rpc.rpc_async(f"server{s}", rpc_pull, (dim, local[s])) for s in range(SERVERS)
        ]
        found = torch.empty(len(unique), dim)
        for place, answer in zip(places, asked):
            found[torch.from_numpy(place)] = answer.wait()
        found.index_select(0, inverse)
        total = torch.zeros(len(unique), dim).index_add_(0, inverse, grads)
        sent = [
            self.rpc.rpc_async(
                f"server{s}", rpc_push, (dim, local[s], total[torch.from_numpy(places[s])])
            )
            for s in range(SERVERS)
        ]
        if wait:
            for answer in sent:
                answer.wait()
            return []
        return sent


# -- ours ------------------------------------------------------------------------------------------


def our_tables(dims: list[int]) -> list:
    """A table for each width, and one more for first touches."""
    from paddle.distributed.ps.initial import Initial
    from paddle.distributed.ps.rules import Rule
    from paddle.distributed.ps.spec import TableSpec

    uniform = Initial("uniform", low=-0.1, high=0.1)
    rule = Rule("sgd", 0.1)
    specs = [TableSpec(d, f"dim{d}", "sparse", d, rule=rule, initial=uniform) for d in dims]
    return [*specs, TableSpec(1000, "new", "sparse", 16, rule=rule, initial=uniform)]


def serve(args: argparse.Namespace) -> None:
    """One server process, for both engines."""
    import torch

    from paddle.distributed.ps.server import Server

    torch.set_num_threads(1)
    dims = [int(d) for d in args.dims.split(",")]
    for dim in dims:
        _tables[dim] = torch.rand(HEIGHT // SERVERS, dim)
    server = Server(
        args.endpoints.split(",")[args.rank], our_tables(dims), TRAINERS, args.mode, token="bench",
        folder=Path(args.folder) / str(args.rank), server=args.rank, servers=SERVERS,
    )  # fmt: skip
    with server:
        rpc = start_rpc(f"server{args.rank}", args.rank, args.port)
        server.wait(600)
        rpc.shutdown()


def train(args: argparse.Namespace) -> None:
    """One trainer process; the first prints times as JSON."""
    import torch

    from paddle.distributed.ps.client import Client

    torch.set_num_threads(1)
    dims = [int(d) for d in args.dims.split(",")]
    client = Client(args.endpoints.split(","), args.rank, token="bench", deadline=60)
    rpc = RpcTrainer(start_rpc(f"trainer{args.rank}", SERVERS + args.rank, args.port))
    batches = ids_of(args.rank)
    times: dict[str, list[float]] = {}

    def ours(dim: int, ids: np.ndarray, grads: Any, wait: bool) -> list:
        client.pull_sparse(dim, ids)
        client.push_sparse(dim, ids, grads.numpy(), wait=wait)
        return []

    def measured(name: str, step: Any, dim: int, grads: Any, wait: bool) -> None:
        client.barrier(name)
        start, used = time.perf_counter(), processor_seconds(args.folder)
        flying: list = []
        for ids in batches:
            flying.append(step(dim, ids, grads, wait))
            if args.mode == "sync":
                client.barrier("step")
            while len(flying) > 8:
                for answer in flying.pop(0):
                    answer.wait()
        for answers in flying:
            for answer in answers:
                answer.wait()
        client.flush()
        client.barrier("end")
        times.setdefault(name, []).append(time.perf_counter() - start)
        used = processor_seconds(args.folder) - used
        times[f"cpu {name}"] = [times.get(f"cpu {name}", [0.0])[0] + used]

    for dim in dims:
        grads = torch.rand(SLOTS * BATCH, dim)
        for _ in range(args.rounds):
            for wait, word in ((True, "waiting"), (False, "on the way")):
                measured(f"ours {dim} {word}", ours, dim, grads, wait)
                if args.mode != "sync":
                    measured(f"torch RPC {dim} {word}", rpc.step, dim, grads, wait)
    rng = np.random.default_rng(args.rank)
    for _ in range(8):
        new = rng.integers(0, 1 << 62, NEW)
        client.barrier("new")
        start = time.perf_counter()
        client.pull_sparse(1000, new)
        client.barrier("made")
        times.setdefault("first touch", []).append(time.perf_counter() - start)
    small = np.array([1, 2])
    for _ in range(100):
        start = time.perf_counter()
        client.pull_sparse(dims[0], small)
        times.setdefault("small call", []).append(time.perf_counter() - start)
    stat = client.stat()
    client.stop()
    if args.rank == 0:
        print(json.dumps({"times": times, "stat": stat}), flush=True)
    rpc.rpc.shutdown()


# -- the run ---------------------------------------------------------------------------------------


def quietest(samples: list[float]) -> float:
    """The mean of the fastest eighth."""
    kept = sorted(samples)[: max(1, len(samples) // 8)]
    return sum(kept) / len(kept)


def run(args: argparse.Namespace, mode: str) -> dict:
    """Starts all processes of one job and returns what the first trainer measured."""
    ports = [free_port() for _ in range(SERVERS + 1)]
    endpoints = ",".join(f"127.0.0.1:{p}" for p in ports[:-1])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TP_SOCKET_IFNAME": "lo",
           "GLOO_SOCKET_IFNAME": "lo"}  # fmt: skip
    with tempfile.TemporaryDirectory(dir=args.disk) as folder:
        shared = [
            "--endpoints", endpoints, "--port", str(ports[-1]), "--dims", args.dims, "--mode", mode,
            "--rounds", str(args.rounds), "--folder", folder,
        ]  # fmt: skip
        children = []
        try:
            for role, count in (("server", SERVERS), ("trainer", TRAINERS)):
                for rank in range(count):
                    command = [sys.executable, "-m", "benchmarks.distributed_ps", "--role", role]
                    first = role == "trainer" and rank == 0
                    children.append(subprocess.Popen(
                        [*command, "--rank", str(rank), *shared], env=env, text=True,
                        stdout=subprocess.PIPE if first else subprocess.DEVNULL,
                        stderr=None if args.loud else subprocess.DEVNULL,
                    ))  # fmt: skip
            text = children[SERVERS].communicate(timeout=500)[0]
            for child in children:
                child.wait(60)
        finally:
            for child in children:
                if child.poll() is None:
                    child.send_signal(signal.SIGKILL)
                    child.wait()
    return json.loads(text.strip().splitlines()[-1])


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--dims", default="8,16,64")
    parser.add_argument("--disk", default=None, help="where the tables' files are")
    parser.add_argument("--loud", action="store_true", help="show what the processes print")
    for hidden in ("role", "endpoints", "folder"):
        parser.add_argument(f"--{hidden}", default="", help=argparse.SUPPRESS)
    parser.add_argument("--mode", default="async", help=argparse.SUPPRESS)
    parser.add_argument("--rank", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.role:
        (Path(args.folder) / f"{os.getpid()}.pid").touch()
        serve(args) if args.role == "server" else train(args)
        return
    found = run(args, "async")
    times, stat = found["times"], found["stat"]
    looked_up = TRAINERS * STEPS * SLOTS * BATCH
    print("| dim | pushes | ours, M rows/s | torch RPC over TCP | ours / theirs | target "
          "| processor time, ours / theirs |")  # fmt: skip
    print("|---|---|---|---|---|---|---|")
    for dim in args.dims.split(","):
        rates = {}
        for word in ("waiting", "on the way"):
            sides = [f"{side} {dim} {word}" for side in ("ours", "torch RPC")]
            ours, theirs = (looked_up / quietest(times[s]) / 1e6 for s in sides)
            rates[word] = ours
            used = [times[f"cpu {s}"][0] for s in sides]
            print(f"| {dim} | {word} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} | 0.90 | "
                  f"{used[0] / used[1]:.2f} |")  # fmt: skip
        print(f"| {dim} | on the way / waiting | {rates['on the way'] / rates['waiting']:.2f} "
              "| | | 1.10 | |")  # fmt: skip
    touched = TRAINERS * NEW / SERVERS / quietest(times["first touch"]) / 1e6
    print(f"first touch: {touched:.2f} M new rows/s a server (target 0.3), dim 16")
    print(f"small call: {quietest(times['small call']) * 1e3:.2f} ms")
    sync = run(args, "sync")["times"]
    for dim in args.dims.split(","):
        word = f"ours {dim} on the way"
        gain = quietest(sync[word]) / quietest(times[word])
        print(f"async / sync with a barrier a step, dim {dim}: {gain:.2f} (target 1.1)")
    table = stat[0]["tables"]["1000"]
    print(f"file: {table['bytes'] / (table['rows'] * 64):.2f} of {table['rows']} touched rows' "
          "bytes (target 2.5)")  # fmt: skip


if __name__ == "__main__":
    main()
