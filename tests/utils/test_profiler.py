"""The profiler: which operators it counts, its table, its files, steps, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import paddle
from paddle.utils import profiler


def _work() -> None:
    x = paddle.ones([4, 4])
    for _ in range(3):
        paddle.tanh(x)


def _events(path: Path) -> list[str]:
    return [e["name"] for e in json.loads(path.read_text())["traceEvents"]]


def test_block(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = tmp_path / "trace.json"
    with profiler.profiler("CPU", "calls", str(path)):
        _work()
    paddle.exp(paddle.ones([1]))
    names = _events(path)
    assert names.count("tanh") == 3 and "exp" not in names
    table = capsys.readouterr().out.splitlines()
    assert table[1].split()[:2] == ["Event", "Calls"]
    assert table[2].split()[:2] == ["tanh", "3"]


def test_gradients_are_the_same_under_the_profiler(tmp_path: Path) -> None:
    x = paddle.to_tensor([2.0], stop_gradient=False)
    with profiler.profiler("All", None, str(tmp_path / "t")):
        (x * x).backward()
    assert x.grad.numpy() == [4.0]


def test_start_reset_stop(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    profiler.start_profiler("CPU")
    profiler.start_profiler("CPU")  # it is on already
    _work()
    profiler.reset_profiler()
    paddle.exp(paddle.ones([1]))
    profiler.stop_profiler(profile_path=str(path))
    profiler.stop_profiler(profile_path=str(path))
    assert "exp" in _events(path) and "tanh" not in _events(path)


def test_steps_of_a_range(tmp_path: Path) -> None:
    path, summary = tmp_path / "t.json", tmp_path / "s.txt"
    options = paddle.utils.ProfilerOptions({
        "batch_range": [1, 3], "state": "CPU", "timeline_path": str(path),
        "op_summary_path": str(summary), "sorted_key": "total",
    })  # fmt: skip
    with paddle.utils.Profiler(options=options) as prof:
        assert paddle.utils.get_profiler() is prof
        for _ in range(5):
            paddle.tanh(paddle.ones([1]))
            prof.record_step()
    assert _events(path).count("tanh") == 2
    assert "tanh" in summary.read_text()


def test_a_disabled_profiler_times_nothing(capsys: pytest.CaptureFixture) -> None:
    with paddle.utils.Profiler(enabled=False) as prof:
        _work()
        prof.record_step()
    assert capsys.readouterr().out == ""


def test_options() -> None:
    options = paddle.utils.ProfilerOptions()
    assert options["state"] == "All" and options["profile_path"] is None
    assert options.with_state("CPU")["state"] == "CPU" and options["state"] == "All"
    with pytest.raises(ValueError, match="there is no setting 'stat'"):
        paddle.utils.ProfilerOptions({"stat": "CPU"})
    with pytest.raises(NotImplementedError, match="output_thread_detail"):
        paddle.utils.ProfilerOptions({"output_thread_detail": True})


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"start_profiler\(state\): expected one of"):
        profiler.start_profiler("TPU")
    with pytest.raises(ValueError, match=r"start_profiler\(tracer_option\)"):
        profiler.start_profiler("CPU", "All")
    with pytest.raises(ValueError, match=r"stop_profiler\(sorted_key\)"):
        profiler.stop_profiler("mean")
    with pytest.raises(NotImplementedError, match="nsys profile"):
        profiler.cuda_profiler("x")
    paddle.enable_static()
    try:
        with pytest.raises(NotImplementedError, match="PADDLE_DEBUG=time"):
            profiler.start_profiler("CPU")
    finally:
        paddle.disable_static()


def test_attributes_named_like_python_words(tmp_path: Path) -> None:
    """softshrink has an attribute ``lambda``, which calls name otherwise."""
    x = paddle.to_tensor([-1.0, 0.2, 2.0])
    with profiler.profiler("CPU", None, str(tmp_path / "t")):
        out = paddle.nn.functional.softshrink(x, threshold=0.5)
    assert out.numpy().tolist() == [-0.5, 0.0, 1.5]
    assert _events(tmp_path / "t") == ["softshrink"]
