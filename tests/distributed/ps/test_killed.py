"""A server process that is killed and started again on its port, with its files."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("grpc")

from paddle.distributed.ps.client import Client

SCRIPT = """
import sys
from paddle.distributed.ps.initial import Initial
from paddle.distributed.ps.server import Server
from paddle.distributed.ps.spec import TableSpec
rows = TableSpec(0, "rows", "sparse", 8, initial=Initial("uniform"))
block = TableSpec(1, "block", "dense", 8)
with Server(sys.argv[1], [rows, block], trainers=2, token="t", folder=sys.argv[2]) as server:
    server.wait(120)
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_pushes_are_applied_once_although_the_server_is_killed(tmp_path):
    endpoint = f"127.0.0.1:{free_port()}"
    said = tmp_path / "errors"
    children = []

    def start():
        command = [sys.executable, "-c", SCRIPT, endpoint, str(tmp_path / "files")]
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        with open(said, "a") as errors:
            children.append(subprocess.Popen(command, env=env, stderr=errors))

    ids = np.arange(50)
    pushed = [0, 0]
    done = threading.Event()

    def train(trainer):
        with Client([endpoint], trainer, token="t", deadline=120) as client:
            while not done.is_set():
                client.push_sparse(0, ids, np.ones((50, 8), "f4"), mode="delta", wait=False)
                client.push_dense(1, np.ones(8), mode="delta", wait=pushed[trainer] % 5 == 0)
                pushed[trainer] += 1
            client.barrier("end")  # what is on its way is answered before
            found.append((client.pull_sparse(0, ids), client.pull_dense(1)))
            client.barrier("seen")

    found: list = []
    threads = [threading.Thread(target=train, args=[i], daemon=True) for i in (0, 1)]
    start()
    try:
        for thread in threads:
            thread.start()
        end = time.monotonic() + 120
        while min(pushed) < 20:
            assert time.monotonic() < end, said.read_text()
            time.sleep(0.02)
        children[-1].send_signal(signal.SIGKILL)
        children[-1].wait()
        start()
        end = time.monotonic() + 120
        before = list(pushed)
        while any(n < b + 20 for n, b in zip(pushed, before)) and time.monotonic() < end:
            time.sleep(0.02)
        done.set()
        for thread in threads:
            thread.join(120)
        assert len(found) == 2, said.read_text()
        total = sum(pushed)
        for rows, block in found:
            begun = rows - total
            assert (abs(begun) <= 1.001).all(), (rows[0], total)
            np.testing.assert_array_equal(block, total)
        assert children[-1].wait(60) == 0  # all have left
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
