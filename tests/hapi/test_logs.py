"""Logs that are computed when somebody looks, and what that saves Model.fit."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

import paddle
from paddle.core.tensor import Tensor
from paddle.hapi.logs import Logs
from tests.hapi.stories import Points, Recorder, prepared


def _logs(asked: list) -> Logs:
    def fill() -> dict[str, Any]:
        asked.append(1)
        return {"loss": [0.5], "acc": 0.75}

    return Logs(fill, step=3)


FULL = {"loss": [0.5], "acc": 0.75, "step": 3}


def test_known_entries_cost_nothing() -> None:
    asked: list = []
    logs = _logs(asked)
    assert logs["step"] == 3 and logs.get("step") == 3 and "step" in logs
    assert asked == []


@pytest.mark.parametrize(
    "look, expected",
    [
        (lambda d: d["loss"], [0.5]),
        (lambda d: d.get("acc"), 0.75),
        (lambda d: d.get("none", 7), 7),
        (lambda d: "acc" in d, True),
        (lambda d: "none" in d, False),
        (lambda d: len(d), 3),
        (list, ["loss", "acc", "step"]),
        (lambda d: list(d.keys()), ["loss", "acc", "step"]),
        (lambda d: list(d.values()), [[0.5], 0.75, 3]),
        (dict, FULL),
        (lambda d: {**d}, FULL),
        (lambda d: d | {}, FULL),
        (lambda d: d == FULL, True),
        (lambda d: d != FULL, False),
        (str, str(FULL)),
        (lambda d: d.copy(), FULL),
        (copy.copy, FULL),
        (copy.deepcopy, FULL),
        (lambda d: pickle.loads(pickle.dumps(d)), FULL),
        (lambda d: json.loads(json.dumps(d)), FULL),
        (lambda d: d.pop("loss"), [0.5]),
        (lambda d: d.setdefault("loss", 1), [0.5]),
    ],
)
def test_every_way_to_look_fills_once(look: Any, expected: Any) -> None:
    asked: list = []
    logs = _logs(asked)
    assert look(logs) == expected
    look(logs) if not isinstance(expected, list) or "loss" in logs else None
    assert asked == [1]


def test_missing_key() -> None:
    with pytest.raises(KeyError, match="none"):
        _logs([])["none"]


def test_entries_of_a_callback_are_kept() -> None:
    logs = _logs([])
    logs["mine"] = 1
    assert dict(logs) == {**FULL, "mine": 1}


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list:
    """Counts how often any Tensor is copied to an array."""
    seen: list = []
    original = Tensor.numpy

    def numpy(self: Tensor) -> Any:
        seen.append(self.shape)
        return original(self)

    monkeypatch.setattr(Tensor, "numpy", numpy)
    return seen


def test_a_silent_fit_reads_the_loss_once_per_epoch(fetched: list) -> None:
    model = prepared()
    data = [(paddle.ones([4, 4]), paddle.ones([4, 1], "int64"))] * 20
    fetched.clear()
    model.fit(data, epochs=2, verbose=0)
    assert len(fetched) == 2


def test_a_log_reads_only_what_it_prints(fetched: list, capsys: Any) -> None:
    model = prepared()
    data = [(paddle.ones([4, 4]), paddle.ones([4, 1], "int64"))] * 20
    fetched.clear()
    model.fit(data, epochs=1, verbose=2, log_freq=8)
    assert len(fetched) == 3  # steps 8, 16 and 20


def test_metrics_wait_without_being_fetched(fetched: list) -> None:
    model = prepared(metrics=paddle.metric.Accuracy())
    data = [(paddle.ones([4, 4]), paddle.ones([4, 1], "int64"))] * 70
    fetched.clear()
    steps_then: list = []

    class Watch(paddle.callbacks.Callback):
        def on_train_batch_end(self, step: int, logs: Any = None) -> None:
            steps_then.append(len(fetched))

    model.fit(data, epochs=1, verbose=0, callbacks=Watch())
    assert steps_then[62] == 0 and steps_then[63] == 64 and steps_then[69] == 64
    assert model._metrics[0].count == [280]


def test_large_metric_inputs_do_not_pile_up(fetched: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paddle.hapi.loops, "MOST_NUMBERS", 10)
    model = prepared(metrics=paddle.metric.Accuracy())
    data = [(paddle.ones([4, 4]), paddle.ones([4, 1], "int64"))] * 6
    fetched.clear()
    steps_then: list = []

    class Watch(paddle.callbacks.Callback):
        def on_train_batch_end(self, step: int, logs: Any = None) -> None:
            steps_then.append(len(fetched))

    model.fit(data, epochs=1, verbose=0, callbacks=Watch())
    assert steps_then == [0, 0, 3, 3, 3, 6]


def test_a_callback_that_reads_every_step_gets_every_loss() -> None:
    paddle.seed(3)
    model = prepared(metrics=paddle.metric.Accuracy())
    recorder = Recorder(read=True)
    model.fit(Points(9), batch_size=4, shuffle=False, verbose=0, callbacks=recorder)
    seen = [call for call in recorder.calls if call[0] == "train_batch_end"]
    assert [list(logs) for *_, logs in seen] == [["loss", "acc", "step", "batch_size"]] * 3
    assert [logs["batch_size"] for *_, logs in seen] == [4, 4, 1]
    again = prepared()
    expected = [again.train_batch([x], [y])[0][0] for x, y in _split(9, 4)]
    assert [logs["loss"] for *_, logs in seen] == [[float(v)] for v in expected]


def _split(count: int, size: int) -> Any:
    import numpy as np

    points = Points(count)
    for start in range(0, count, size):
        part = [points[i] for i in range(start, min(start + size, count))]
        yield np.stack([x for x, _ in part]), np.stack([y for _, y in part])
