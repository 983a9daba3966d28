"""spawn with two processes: the ways of the guide, and how failures are told."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

import paddle
import paddle.distributed as dist
import paddle.nn as nn


class LinearNet(nn.Layer):
    """The network of the guide, §1.2.4."""

    def __init__(self) -> None:
        super().__init__()
        self._linear1 = nn.Linear(10, 10)
        self._linear2 = nn.Linear(10, 1)

    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        return self._linear2(self._linear1(x))


def train(print_result: bool = False) -> None:
    """The function of the guide; it can be given to processes."""
    dist.init_parallel_env()
    total = paddle.to_tensor([float(dist.get_rank() + 1)])
    dist.all_reduce(total)
    if print_result is True:
        line = f"total: {total.numpy()} {dist.ParallelEnv().current_endpoint}\n"
        os.write(1, line.encode())  # in one piece


def _spawned(capfd: pytest.CaptureFixture, *args: object, **options: object) -> list[str]:
    dist.spawn(train, *args, **options)  # type: ignore[arg-type]
    return sorted(capfd.readouterr().out.splitlines())


@pytest.mark.slow
def test_the_ways_of_the_guide(
    capfd: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _spawned(capfd, args=(True,), nprocs=2, print_config=True)[0].startswith("spawn: proc")
    monkeypatch.setenv("CPU_NUM", "2")
    lines = _spawned(capfd, args=(True,))
    assert len(lines) == 2 and all(line.startswith("total: [3.] 127.0.0.1:") for line in lines)
    assert lines[0] != lines[1]


def test_ports_from_a_number_on(capfd: pytest.CaptureFixture) -> None:
    with __import__("socket").socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    lines = _spawned(capfd, args=(True,), nprocs=2, started_port=port if port < 65000 else 30000)
    ports = sorted(int(line.rpartition(":")[2]) for line in lines)
    assert ports[1] == ports[0] + 1


def _fail_on(rank: int) -> None:
    dist.init_parallel_env()
    if dist.get_rank() == rank:
        raise KeyError("what went wrong")
    dist.barrier()


def test_the_process_that_failed_by_itself_is_told() -> None:
    with pytest.raises(OSError, match=r"process 1 failed:[\s\S]*_fail_on[\s\S]*what went wrong"):
        dist.spawn(_fail_on, (1,), nprocs=2)


def _fail_at_length() -> None:
    raise KeyError("a" * 200_000 + "the end")


def test_a_long_text_does_not_keep_a_process() -> None:
    context = dist.spawn(_fail_at_length, nprocs=1, join=False, daemon=True, start_method="fork")
    with pytest.raises(OSError, match=r"process 0 failed:[\s\S]*the end"):
        assert context.join(60), "it waits for somebody to read its report"


def _exit_or_sleep(folder: str) -> None:
    rank = dist.get_rank()
    Path(folder, str(rank)).write_text(str(os.getpid()), encoding="ascii")
    if rank == 0:
        os._exit(5)
    time.sleep(60)


@pytest.mark.slow
def test_no_process_is_left(tmp_path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(OSError, match="process 0 failed:\nit ended with exit status 5"):
        dist.spawn(_exit_or_sleep, (str(tmp_path),), nprocs=2, start_method="fork")
    assert time.monotonic() - begin < 40
    other = tmp_path / "1"
    if other.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(other.read_text()), 0)


def _by_hand() -> None:
    """Two processes that no launcher started: the first hosts the store at its endpoint."""
    for name in ("PADDLE_JOB_STORE", "PADDLE_JOB_TOKEN", "PADDLE_RESTART_ROUND"):
        os.environ.pop(name)
    train(True)


@pytest.mark.slow
def test_variables_set_by_hand_are_enough(capfd: pytest.CaptureFixture) -> None:
    dist.spawn(_by_hand, nprocs=2)
    assert capfd.readouterr().out.count("total: [3.]") == 2


def test_what_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match=r"spawn\(func, args\): expected what can be sent") as told:
        dist.spawn(lambda: None, nprocs=2)
    assert "start_method='fork'" in str(told.value)


def test_a_process_that_cannot_be_started_ends_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context = multiprocessing.get_context("fork")
    started: list = []
    begin = context.Process.start

    def start(process: object) -> None:
        if started:
            raise OSError("no more processes")
        begin(process)  # type: ignore[arg-type]
        started.append(process)

    monkeypatch.setattr(context.Process, "start", start)
    with pytest.raises(OSError, match="no more processes"):
        dist.spawn(time.sleep, args=(60,), nprocs=2, start_method="fork")
    assert started[0].exitcode == -signal.SIGTERM
