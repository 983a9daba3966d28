"""spawn, with one process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import paddle


def _write(path: str, *words: str) -> None:
    env = paddle.distributed.ParallelEnv()
    Path(path).write_text(f"{env.rank} {env.world_size} {' '.join(words)}", encoding="utf8")


def _fail() -> None:
    raise KeyError("what went wrong")


def test_spawn_runs_the_function_in_a_process(tmp_path: Path) -> None:
    target = tmp_path / "out"
    context = paddle.distributed.spawn(_write, (str(target), "a", "b"), start_method="fork")
    assert target.read_text(encoding="utf8") == "0 1 a b"
    assert [p.exitcode for p in context.processes] == [0]
    assert context.processes[0].pid != os.getpid()


def test_what_fails_in_the_process_is_told() -> None:
    with pytest.raises(OSError, match=r"process 0 failed:[\s\S]*_fail[\s\S]*what went wrong"):
        paddle.distributed.spawn(_fail, nprocs=1, start_method="fork")
    with pytest.raises(OSError, match="process 0 failed:\nit ended with exit status 3"):
        paddle.distributed.spawn(os._exit, (3,), start_method="fork")


def test_a_process_that_is_not_waited_for() -> None:
    context = paddle.distributed.spawn(time.sleep, (30,), 1, join=False, daemon=True,
                                       start_method="fork")  # fmt: skip
    assert context.join(timeout=0.01) is False
    context.processes[0].kill()
    with pytest.raises(OSError, match="exit status -9"):
        context.join()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"func": 3}, TypeError, r"spawn\(func\): expected a function, but received int"),
        ({"nprocs": 0}, ValueError, r"spawn\(nprocs\): expected a positive int, or -1.* 0"),
        ({"ips": "10.0.0.1,10.0.0.2"}, NotImplementedError, r"spawn\(ips='10[\s\S]*--ips"),
        ({"started_port": "near"}, ValueError, r"spawn\(started_port\): .*'near'"),
        ({"start_method": "run"}, ValueError, r"spawn\(start_method\): .*'run'"),
        ({"gpus": "0,1"}, RuntimeError, r"spawn\(gpus='0,1'\): no GPU is here"),
        ({"colour": 1}, ValueError, r"there is no option 'colour'"),
    ],
)
def test_bad_spawns(arguments: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        paddle.distributed.spawn(**{"func": _fail, **arguments})
