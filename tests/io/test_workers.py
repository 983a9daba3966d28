"""Worker processes: order, seeds, failures, deaths, and that nothing of them is left behind."""

from __future__ import annotations

import faulthandler
import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.io import DataLoader, Dataset, IterableDataset, get_worker_info

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
LARGE = 40_000  # float32 values: more than what travels inside of a message


class Made(Dataset):
    def __init__(self, make, size: int = 12) -> None:
        self.make, self.size = make, size

    def __getitem__(self, idx: int):
        return self.make(idx)

    def __len__(self) -> int:
        return self.size


def children() -> set[int]:
    return {process.pid for process in multiprocessing.active_children() if process.pid}


def gone(pids: set[int], seconds: float = 5.0) -> bool:
    """Whether these processes have ended, waiting for it a while."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("size", [3, LARGE])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("workers", [1, 3])
def test_same_batches_in_the_same_order(size: int, shared: bool, workers: int) -> None:
    data = Made(lambda i: (np.full(size, i, "float32"), {"n": i, "s": f"s{i}"}), 11)

    def read(count: int) -> list:
        loader = DataLoader(data, batch_size=2, num_workers=count, use_shared_memory=shared)
        return [(x.numpy(), d["n"].numpy().tolist(), d["s"]) for x, d in loader]

    for here, there in zip(read(0), read(workers), strict=True):
        np.testing.assert_array_equal(here[0], there[0])
        assert here[1:] == there[1:]


def test_slow_samples_do_not_change_the_order() -> None:
    def make(i: int) -> int:
        time.sleep(0.05 if i % 4 == 0 else 0)
        return i

    batches = DataLoader(Made(make, 16), num_workers=3)
    assert [int(b.numpy()[0]) for b in batches] == list(range(16))


def test_received_tensors_can_be_written() -> None:
    for size in (3, LARGE):
        loader = DataLoader(Made(lambda i, n=size: np.zeros(n, "float32"), 2), num_workers=1)
        for batch in loader:
            batch.set_value(np.ones([1, size], "float32"))
            assert float(batch.numpy().min()) == 1.0


def test_many_large_batches_keep_no_files_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    loader = DataLoader(Made(lambda i: np.zeros(LARGE, "float32"), 40), num_workers=2)
    batches = list(loader)
    assert len(batches) == 40
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_tensors_made_in_workers_arrive() -> None:
    data = Made(lambda i: (paddle.ones([2, 2]) * float(i), paddle.to_tensor([i])), 4)
    x, y = list(DataLoader(data, batch_size=2, num_workers=2))[1]
    assert x.numpy()[:, 0, 0].tolist() == [2.0, 3.0]
    assert y.numpy().tolist() == [[2], [3]]


def test_streams_run_in_every_worker() -> None:
    class Stream(IterableDataset):
        def __iter__(self):
            return (np.array([i]) for i in range(5))

    loader = DataLoader(Stream(), batch_size=2, num_workers=2)
    # As in PaddlePaddle: each worker goes through its own copy, batches take turns.
    assert [b.numpy().ravel().tolist() for b in loader] == [[0, 1]] * 2 + [[2, 3]] * 2 + [[4]] * 2


def test_streams_of_unequal_length() -> None:
    class Stream(IterableDataset):
        def __iter__(self):
            info = get_worker_info()
            return iter([info.id] * (1 + 3 * info.id))

    loader = DataLoader(Stream(), batch_size=None, num_workers=3)
    assert sorted(loader) == [0] + [1] * 4 + [2] * 7


def test_worker_info_and_init() -> None:
    assert get_worker_info() is None
    marks: list[int] = []

    def make(i: int) -> tuple:
        info = get_worker_info()
        return info.id, info.num_workers, len(info.dataset), info.seed, sum(marks)

    loader = DataLoader(
        Made(make, 4), num_workers=2, worker_init_fn=lambda i: marks.append(100 + i)
    )
    rows = [[int(field.numpy()[0]) for field in batch] for batch in loader]
    assert [row[:3] for row in rows] == [[0, 2, 4], [1, 2, 4]] * 2
    assert rows[1][3] == rows[0][3] + 1
    assert [row[4] for row in rows] == [100, 101] * 2
    assert marks == []
    with pytest.raises(AttributeError):
        from paddle.io.dataloader.worker_info import WorkerInfo

        WorkerInfo(0, 1, None, 0).id = 3  # type: ignore[misc]


def test_everything_random_in_workers_follows_paddle_seed() -> None:
    def make(i: int) -> tuple:
        return np.random.rand(), random.random(), paddle.rand([1])

    def read() -> np.ndarray:
        loader = DataLoader(Made(make), batch_size=3, shuffle=True, num_workers=2)
        return np.stack([np.concatenate([f.numpy().ravel() for f in batch]) for batch in loader])

    paddle.seed(5)
    first, second = read(), read()
    assert len(np.unique(first)) == first.size
    assert not np.array_equal(first, second)
    paddle.seed(5)
    np.testing.assert_array_equal(read(), first)
    np.testing.assert_array_equal(read(), second)


def test_workers_use_one_thread() -> None:
    import torch

    loader = DataLoader(Made(lambda i: torch.get_num_threads(), 2), num_workers=1)
    assert [int(b.numpy()[0]) for b in loader] == [1, 1]


class Picky(Exception):
    def __init__(self, code: int, place: str) -> None:
        super().__init__(f"{code} at {place}")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (KeyError("lost"), KeyError, "'lost'"),
        (ValueError("bad value"), ValueError, "bad value"),
        (Picky(3, "home"), Picky, "3 at home"),
        (StopIteration(), RuntimeError, "raised StopIteration"),
    ],
)
def test_an_exception_keeps_its_class_and_traceback(error, kind, text) -> None:
    def make(i: int) -> int:
        if i == 5:
            raise error
        return i

    batches = iter(DataLoader(Made(make), batch_size=2, num_workers=2))
    assert [next(batches).numpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(kind) as caught:
        next(batches)
    message = str(caught.value)
    assert text in message
    assert "raised in DataLoader worker 0 (process id " in message
    assert "in make\n" in message


def test_exceptions_of_init_collate_and_sending() -> None:
    def init(i: int) -> None:
        raise OSError("no disk")

    with pytest.raises(OSError, match=r"no disk[\s\S]*DataLoader worker 0"):
        list(DataLoader(Made(lambda i: i), num_workers=1, worker_init_fn=init))
    with pytest.raises(ValueError, match=r"sample 1 has shape \[2\][\s\S]*number 1 of the dataset"):
        list(DataLoader(Made(lambda i: np.ones(i + 1)), batch_size=2, num_workers=1))
    with pytest.raises(Exception, match=r"(?i)pickle[\s\S]*sending a batch"):
        loader = DataLoader(Made(lambda i: i), num_workers=1, collate_fn=lambda s: threading.Lock())
        list(loader)


def crash() -> None:
    faulthandler.disable()  # pytest's would print all of its own stack
    os.kill(os.getpid(), signal.SIGSEGV)


@pytest.mark.parametrize(
    ("die", "text"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by signal SIGKILL.*memory"),
        (crash, "was killed by signal SIGSEGV.*num_workers=0 shows where"),
        (lambda: os._exit(3), "exited with code 3"),
    ],
)
def test_a_dead_worker_is_noticed(die, text: str) -> None:
    def make(i: int) -> int:
        if i == 3:
            die()
        return i

    with pytest.raises(RuntimeError, match=rf"worker 1 \(process id \d+\) {text}"):
        list(DataLoader(Made(make), num_workers=2))
    assert not children()


def test_timeout() -> None:
    def make(i: int) -> int:
        if i == 1:
            time.sleep(60)
        return i

    started = time.monotonic()
    with pytest.raises(
        RuntimeError, match=r"worker 1 .* no batch of samples \[1\] within timeout=2 seconds"
    ):
        list(DataLoader(Made(make), num_workers=2, timeout=2))
    assert time.monotonic() - started < 30
    assert not children()


def test_errors_of_the_sampler_come_after_the_batches_before() -> None:
    def sampler():
        yield [0, 1]
        raise KeyError("sampler")

    class Sampler:
        __iter__ = staticmethod(sampler)

    batches = iter(DataLoader(Made(lambda i: i), batch_sampler=Sampler(), num_workers=2))
    assert next(batches).numpy().tolist() == [0, 1]
    with pytest.raises(KeyError, match="sampler"):
        next(batches)


@pytest.mark.parametrize("leave", ["end", "break", "delete", "cycle"])
def test_no_process_and_no_shared_memory_is_left(leave: str) -> None:
    shm = set(os.listdir("/dev/shm")) if Path("/dev/shm").is_dir() else set()
    batches = iter(DataLoader(Made(lambda i: np.zeros(LARGE), 30), num_workers=2))
    next(batches)
    workers = children()
    assert len(workers) == 2
    if leave == "end":
        for _ in batches:
            pass
    elif leave == "break":
        for _ in batches:
            break
    elif leave == "cycle":
        ring: list = [batches]
        ring.append(ring)
        del ring
    del batches
    gc.collect()
    assert gone(workers)
    if Path("/dev/shm").is_dir():
        assert {n for n in os.listdir("/dev/shm") if n not in shm and "paddle" in n} == set()


def test_workers_end_with_a_killed_trainer(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, time\n"
        "from paddle.io import DataLoader\n"
        "class Pids:\n"
        "    def __len__(self): return 8\n"
        "    def __getitem__(self, i): return os.getpid()\n"
        "batches = iter(DataLoader(Pids(), num_workers=2))\n"
        "print(int(next(batches).numpy()[0]), int(next(batches).numpy()[0]), flush=True)\n"
        "time.sleep(60)\n"
    )
    root = Path(__file__).resolve().parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    trainer = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=env)
    assert trainer.stdout is not None
    workers = {int(pid) for pid in trainer.stdout.readline().split()}
    assert len(workers) == 2
    trainer.kill()
    trainer.wait()
    trainer.stdout.close()
    assert gone(workers, 15)


def test_loaders_inside_of_each_other() -> None:
    inner = DataLoader(Made(lambda i: i, 3), num_workers=1)
    outer = DataLoader(Made(lambda i: i, 2), num_workers=1)
    seen = [(int(a.numpy()[0]), int(b.numpy()[0])) for a in outer for b in inner]
    assert seen == [(a, b) for a in range(2) for b in range(3)]


def test_large_tasks_and_large_replies_do_not_block_each_other() -> None:
    data = Made(lambda i: np.zeros(2, "float64"), 60_000)
    loader = DataLoader(data, batch_size=20_000, num_workers=1, use_shared_memory=False)
    assert [b.shape for b in loader] == [[20_000, 2]] * 3
