"""Callbacks: the order of calls, and what each of the built-in ones does."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.callbacks import (
    CallbackList,
    EarlyStopping,
    LRScheduler,
    ModelCheckpoint,
    ProgBarLogger,
    ReduceLROnPlateau,
    VisualDL,
    config_callbacks,
)
from tests.hapi.stories import Points, Recorder, batches, prepared


# -- order ----------------------------------------------------------------------------------------
def test_order_of_calls_in_fit() -> None:
    recorder = Recorder()
    prepared().fit(Points(8), Points(4), batch_size=4, epochs=2, verbose=0, callbacks=[recorder])
    train = ["train_batch_begin", "train_batch_end"] * 2
    evaluation = ["eval_begin", "eval_batch_begin", "eval_batch_end", "eval_end"]
    epoch = ["epoch_begin", *train, "epoch_end", *evaluation]
    assert [name for name, *_ in recorder.calls] == ["train_begin", *epoch, *epoch, "train_end"]
    steps = [call[1] for call in recorder.calls if call[0] == "train_batch_end"]
    epochs = [call[1] for call in recorder.calls if call[0] == "epoch_begin"]
    assert (steps, epochs) == ([0, 1, 0, 1], [0, 1])


def test_order_of_calls_in_predict() -> None:
    recorder = Recorder(read=True)
    prepared().predict(Points(5, labelled=False), 4, callbacks=recorder, verbose=0)
    assert recorder.calls == [
        ("predict_begin", {"steps": 2}),
        ("predict_batch_begin", 0, None),
        ("predict_batch_end", 0, {"step": 0, "batch_size": 4}),
        ("predict_batch_begin", 1, None),
        ("predict_batch_end", 1, {"step": 1, "batch_size": 1}),
        ("predict_end", {"samples": 5}),
    ]


def test_what_callbacks_are_told() -> None:
    recorder = Recorder(read=True)
    model = prepared(metrics=paddle.metric.Accuracy())
    model.fit(Points(9), Points(5), batch_size=4, epochs=3, verbose=0, callbacks=recorder)
    assert recorder.model is model
    assert recorder.params == {
        "batch_size": 4, "epochs": 3, "steps": 3, "verbose": 0, "metrics": ["loss", "acc"],
    }  # fmt: skip
    begins = [call for call in recorder.calls if call[0] == "eval_begin"]
    assert begins == [("eval_begin", {"steps": 2, "metrics": ["loss", "acc"]})] * 3
    end = next(logs for name, logs in reversed(recorder.calls[:-1]) if name == "eval_end")
    assert set(end) == {"loss", "acc", "step", "batch_size"}


def test_stop_training_ends_fit_after_the_epoch() -> None:
    class Stop(paddle.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            self.model.stop_training = epoch == 1

    recorder = Recorder()
    model = prepared()
    model.fit(Points(4), batch_size=4, epochs=9, verbose=0, callbacks=[Stop(), recorder])
    assert [call[1] for call in recorder.calls if call[0] == "epoch_end"] == [0, 1]
    model.fit(Points(4), batch_size=4, epochs=1, verbose=0, callbacks=recorder)
    assert not model.stop_training


# -- the list ---------------------------------------------------------------------------------
def test_default_callbacks() -> None:
    def kinds(*args: Any, **kwargs: Any) -> list[str]:
        return [type(c).__name__ for c in config_callbacks(*args, **kwargs)]

    assert kinds() == ["ProgBarLogger", "ModelCheckpoint", "LRScheduler"]
    assert kinds(verbose=0) == ["ModelCheckpoint", "LRScheduler"]
    assert kinds(mode="eval") == ["ProgBarLogger", "ModelCheckpoint"]
    own = [EarlyStopping(), ProgBarLogger(), LRScheduler(), ModelCheckpoint()]
    expected = ["EarlyStopping", "ProgBarLogger", "LRScheduler", "ModelCheckpoint"]
    assert kinds(own) == expected
    assert len(own) == 4  # the user's list stays as it is


def test_users_callbacks_stand_between_log_and_checkpoints() -> None:
    recorder = Recorder()
    told = list(config_callbacks(recorder))
    assert [type(c) for c in told] == [ProgBarLogger, Recorder, ModelCheckpoint, LRScheduler]
    assert told[1] is recorder


@pytest.mark.parametrize("bad", [3, [3], "log", [None]])
def test_a_callback_that_is_none(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"callbacks: expected paddle\.callbacks\.Callback"):
        prepared().fit(Points(), verbose=0, callbacks=bad)


def test_unknown_mode() -> None:
    with pytest.raises(ValueError, match=r"'train', 'eval', 'predict'.*received 'test'"):
        CallbackList([]).on_begin("test")


# -- checkpoints ----------------------------------------------------------------------------------
def test_checkpoints_of_fit(tmp_path: Path, capsys: Any) -> None:
    folder = str(tmp_path / "new" / "ck")
    model = prepared()
    model.fit(
        Points(4), batch_size=4, epochs=4, verbose=0, save_dir=folder, save_freq=2, log_freq=1
    )
    kinds = ("pdopt", "pdparams", "pdstate")
    assert sorted(os.listdir(folder)) == [
        f"{name}.{kind}"
        for name in ("0", "2", "final")
        for kind in (kinds if name != "final" else kinds[:2])
    ]
    assert capsys.readouterr().out.splitlines() == [
        f"save checkpoint at {os.path.abspath(folder)}/{name}" for name in ("0", "2", "final")
    ]
    other = prepared()
    other.load(os.path.join(folder, "final"))
    np.testing.assert_array_equal(other.network.weight.numpy(), model.network.weight.numpy())


def test_other_processes_neither_write_nor_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    stop = EarlyStopping(patience=1, verbose=0)
    data = list(batches())
    prepared().fit(data, data, verbose=1, save_dir=str(tmp_path), callbacks=stop)
    assert capsys.readouterr().out == "" and not list(tmp_path.iterdir())


@pytest.mark.parametrize("bad, error", [(0, ValueError), ("1", TypeError), (True, TypeError)])
def test_save_freq(bad: Any, error: type) -> None:
    with pytest.raises(error, match="save_freq"):
        ModelCheckpoint(save_freq=bad)


# -- learning rate --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "callbacks, moves",
    [
        (None, 6),
        (LRScheduler(), 6),
        (LRScheduler(by_step=False, by_epoch=True), 3),
        (LRScheduler(by_step=False), 0),
    ],
)
def test_scheduler_moves(callbacks: Any, moves: int) -> None:
    rate = paddle.optimizer.lr.StepDecay(0.1, 2)
    prepared(rate).fit(Points(8), batch_size=4, epochs=3, verbose=0, callbacks=callbacks)
    assert rate.last_epoch == moves


def test_scheduler_by_step_and_by_epoch() -> None:
    with pytest.raises(ValueError, match="at most one"):
        LRScheduler(by_step=True, by_epoch=True)


def _evaluations(callback: Any, name: str, values: list[float], model: Any) -> None:
    callback.set_model(model)
    callback.set_params({})
    callback.on_train_begin()
    for value in values:
        callback.on_eval_end({name: value})
        if model.stop_training:
            break


@pytest.mark.parametrize(
    "options, values, rates",
    [
        # PaddlePaddle 2.6.2 gives these, too.
        ({"monitor": "acc", "patience": 2, "cooldown": 1, "factor": 0.5}, [0.6] * 6, [0.05, 0.025]),
        ({"patience": 1, "factor": 0.5}, [1.0, 0.9, 0.95, 0.5, 0.4], [0.05]),
        ({"patience": 1, "factor": 0.5}, [1.0, 0.99995, 0.9999, 0.9], [0.05, 0.025]),
        ({"patience": 1, "factor": 0.1, "min_lr": 0.05}, [1.0] * 4, [0.05]),
        ({"mode": "max", "patience": 1, "factor": 0.5}, [1.0, 2.0, 3.0, 2.0], [0.05]),
        ({"patience": 3}, [1.0, 1.0, 1.0], []),
    ],
)
def test_reduce_on_plateau(options: Any, values: Any, rates: Any, capsys: Any) -> None:
    model = prepared(0.1)
    callback = ReduceLROnPlateau(**options)
    _evaluations(callback, options.get("monitor", "loss"), values, model)
    told = [line.rpartition(" ")[2].rstrip(".") for line in capsys.readouterr().out.splitlines()]
    assert [float(t) for t in told if t] == pytest.approx(rates)
    assert model._optimizer.get_lr() == pytest.approx(rates[-1] if rates else 0.1)


def test_reduce_on_plateau_text(capsys: Any) -> None:
    _evaluations(ReduceLROnPlateau(patience=2, factor=0.5), "loss", [1.0] * 3, prepared(0.1))
    expected = "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.05.\n"
    assert capsys.readouterr().out == expected


def test_reduce_on_plateau_needs_a_constant_rate() -> None:
    model = prepared(paddle.optimizer.lr.StepDecay(0.1, 2))
    with pytest.warns(UserWarning, match="float as learning rate, but it has StepDecay"):
        _evaluations(ReduceLROnPlateau(patience=1), "loss", [1.0, 1.0], model)


def test_reduce_on_plateau_factor() -> None:
    with pytest.raises(ValueError, match=r"factor.*less than 1\.0, but received 1\.5"):
        ReduceLROnPlateau(factor=1.5)


# -- early stopping -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "options, name, values, stops_after",
    [
        ({"patience": 2}, "loss", [1.0, 0.9, 0.95, 0.91, 0.8], 4),
        ({"patience": 1, "min_delta": 0.1}, "loss", [1.0, 0.95, 0.5], 2),
        ({"patience": 1, "monitor": "acc"}, "acc", [0.5, 0.6, 0.55, 0.9], 3),
        ({"patience": 1, "monitor": "acc", "mode": "min"}, "acc", [0.5, 0.6, 0.4], 2),
        ({"patience": 1, "baseline": 0.5}, "loss", [0.6, 0.4], 1),
        ({"patience": 0}, "loss", [1.0, 0.5], 1),
        ({"patience": 3}, "loss", [3.0, 2.0, 1.0], None),
    ],
)
def test_early_stopping(options: Any, name: str, values: Any, stops_after: Any) -> None:
    model = prepared()
    callback = EarlyStopping(verbose=0, **options)
    _evaluations(callback, name, values, model)
    assert model.stop_training == (stops_after is not None)
    assert callback.stopped_epoch == (stops_after or len(values))


def test_early_stopping_in_fit(tmp_path: Path, capsys: Any) -> None:
    folder = str(tmp_path)
    model = prepared(rate=0.0)
    stop = EarlyStopping(patience=1)
    model.fit(
        Points(4), Points(4), batch_size=4, epochs=9, verbose=0, save_dir=folder, callbacks=stop
    )
    assert capsys.readouterr().out.splitlines() == [
        f"save checkpoint at {folder}/0",
        f"save checkpoint at {folder}/1",
        "Epoch 2: Early stopping.",
        f"Best checkpoint has been saved at {folder}/best_model",
        f"save checkpoint at {folder}/final",
    ]
    assert os.path.exists(tmp_path / "best_model.pdparams")
    assert stop.best_value == pytest.approx(np.log(3), rel=1e-6)


def test_early_stopping_without_folder_saves_nothing(capsys: Any) -> None:
    _evaluations(EarlyStopping(patience=1), "loss", [1.0, 1.0], prepared())
    assert capsys.readouterr().out == "Epoch 2: Early stopping.\n"


def test_early_stopping_can_be_used_again() -> None:
    stop = EarlyStopping(patience=1, verbose=0)
    _evaluations(stop, "loss", [1.0, 2.0], prepared())
    again = prepared()
    _evaluations(stop, "loss", [5.0, 4.0, 3.0], again)
    assert not again.stop_training and stop.best_value == 3.0


def test_unknown_monitor_names_what_there_is() -> None:
    with pytest.warns(UserWarning, match=r"'f1' is not among the logs \['acc', 'loss'\]"):
        prepared(metrics=paddle.metric.Accuracy()).fit(
            Points(4), Points(4), verbose=0, callbacks=EarlyStopping(monitor="f1")
        )


def test_unknown_mode_of_monitoring() -> None:
    with pytest.warns(UserWarning, match="'auto', 'min' or 'max', but received 'up'"):
        EarlyStopping(mode="up")


# -- VisualDL -------------------------------------------------------------------------------------
def test_visualdl_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "visualdl", None)
    with pytest.raises(ImportError, match="visualdl is not installed; it comes with this paddle"):
        prepared().fit(Points(4), verbose=0, callbacks=VisualDL("logs"))


def test_visualdl_gets_scalars(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list = []

    class LogWriter:
        def __init__(self, folder: str) -> None:
            written.append(folder)

        def add_scalar(self, tag: str, value: float, step: int, walltime: Any = None) -> None:
            written.append((tag, round(value, 4), step))

        def close(self) -> None:
            written.append("closed")

    fake = types.SimpleNamespace(LogWriter=LogWriter)
    monkeypatch.setitem(sys.modules, "visualdl", fake)
    model = prepared(rate=0.0, metrics=paddle.metric.Accuracy())
    callback = VisualDL("logs")
    model.fit(Points(6), Points(3), batch_size=3, verbose=0, callbacks=callback, shuffle=False)
    train = [("train/loss", 1.0986), ("train/acc", 0.3333)]
    assert written == [
        "logs",
        *[(*pair, 1) for pair in train],
        *[(*pair, 2) for pair in train],
        ("eval/loss", 1.0986, 0),
        ("eval/acc", 0.3333, 0),
        "closed",
    ]
    written.clear()
    model.evaluate(Points(3), batch_size=3, verbose=0, callbacks=callback)
    assert written == ["logs", ("eval/loss", 1.0986, 1), ("eval/acc", 0.3333, 1), "closed"]
