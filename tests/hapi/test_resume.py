"""A fit that goes on from a checkpoint in the same process, and what is said where it cannot."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.callbacks import Callback, EarlyStopping, ModelCheckpoint
from paddle.static import InputSpec
from tests.hapi.stories import Points
from tests.hapi.test_model_static import mode


class Numbered(Points):
    """Samples that differ."""

    def __getitem__(self, index: int) -> Any:
        return np.linspace(0, index, 4).astype("float32"), np.array([index % 3])


class Noted(Callback):
    """Losses by epoch and step; presses Ctrl-C at one of them, or in an evaluation."""

    def __init__(self, stop: Any = None, error: Any = None) -> None:
        super().__init__()
        self.stop, self.error = stop, error
        self.seen: dict = {}
        self.epoch = 0

    def _note(self, key: tuple, logs: Any) -> None:
        self.seen[key] = logs["loss"][0]
        if key == self.stop:
            if self.error is not None:
                raise self.error
            os.kill(os.getpid(), signal.SIGINT)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self._note((self.epoch, step), logs)

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        self._note((self.epoch, "eval", step), logs)


def made(optimizer: str = "Adam", width: int = 8, seed: int = 3, **options: Any) -> paddle.Model:
    paddle.seed(seed)
    net = nn.Sequential(nn.Linear(4, width), nn.Dropout(0.3), nn.Linear(width, 3))
    specs = InputSpec([None, 4], "float32", "x"), InputSpec([None, 1], "int64", "y")
    model = paddle.Model(net, *specs)
    held = getattr(paddle.optimizer, optimizer)(0.01, parameters=net.parameters())
    model.prepare(held, nn.CrossEntropyLoss(), paddle.metric.Accuracy(), **options)
    return model


def fit(model: paddle.Model, noted: Noted, **options: Any) -> Any:
    told = {"batch_size": 4, "epochs": 3, "verbose": 0, "callbacks": [noted]} | options
    return model.fit(told.pop("data", Numbered(22)), told.pop("eval", Numbered(6)), **told)


@pytest.fixture
def python_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("python_signals")
@pytest.mark.parametrize(
    "kind, stop",
    [
        ("dynamic", (0, 0)),
        ("dynamic", (1, 5)),
        ("static", (1, "eval", 0)),
        ("static", (1, 5)),
        ("gathered", (1, 2)),
        ("gathered static", (1, 2)),
        ("mixed", (1, 2)),
        ("mixed static", (1, 2)),
        ("workers", (1, 2)),
        ("workers", (1, "eval", 0)),
    ],
)
def test_interrupted_and_gone_on(kind: str, stop: tuple, tmp_path: Path, capsys: Any) -> None:
    options: dict = {"accumulate_grad_batches": 4} if "gathered" in kind else {}
    configs = {"amp_configs": "O1"} if "mixed" in kind else {}
    options["num_workers"] = 1 if kind == "workers" else 0
    folder = str(tmp_path / "ck")
    with mode("static" in kind):
        whole = Noted()
        expected = fit(made(**configs), whole, **options)
    with mode("static" in kind):
        first = Noted(stop)
        model = made(**configs)
        with pytest.raises(KeyboardInterrupt):
            fit(model, first, save_dir=folder, **options)
        assert list(first.seen)[-1] == stop and model.history.epoch == expected.epoch[: stop[0]] + (
            [stop[0]] if "eval" in stop else []
        )
    text = capsys.readouterr().out
    path = os.path.join(folder, "interrupted")
    assert multiprocessing.active_children() == []
    assert f"checkpoint saved at {path}. model.load({path!r})" in text
    with mode("static" in kind):
        model = made(seed=99, **configs)
        model.load(path)
        second = Noted()
        history = fit(model, second, **options | {"verbose": 2})
    assert {**first.seen, **second.seen} == whole.seen
    assert len(second.seen) < len(whole.seen)
    assert (history.history, history.steps) == (expected.history, expected.steps)
    assert f"going on from {path}.pdstate: " in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("python_signals")
def test_without_a_folder_nothing_is_written(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    model = made()
    with pytest.raises(KeyboardInterrupt):
        fit(model, Noted((1, 3)))
    text = capsys.readouterr().out
    assert "interrupted in epoch 2, after step 4. Nothing was saved: fit(save_dir=...)" in text
    assert list(tmp_path.iterdir()) == []
    assert model.history.epoch == [0] and not model._run


def test_interrupted_in_a_step_the_parameters_are_saved(tmp_path: Path, capsys: Any) -> None:
    model = made()
    with pytest.raises(KeyboardInterrupt):
        fit(model, Noted((1, 3), KeyboardInterrupt()), save_dir=str(tmp_path))
    assert "in the middle of a step: after model.load fit begins a new" in capsys.readouterr().out
    assert not (tmp_path / "interrupted.pdstate").exists()
    other, noted = made(seed=5), Noted()
    other.load(str(tmp_path / "interrupted"))
    np.testing.assert_array_equal(model.network[0].weight.numpy(), other.network[0].weight.numpy())
    fit(other, noted, epochs=1)
    assert (0, 0) in noted.seen


@pytest.mark.usefixtures("python_signals")
def test_a_second_interrupt_comes_at_once(tmp_path: Path) -> None:
    class Twice(Points):
        def __getitem__(self, index: int) -> Any:
            if index == 9:
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
                raise AssertionError("not interrupted")
            return super().__getitem__(index)

    with pytest.raises(KeyboardInterrupt):
        fit(made(), Noted(), data=Twice(22), shuffle=False, save_dir=str(tmp_path))
    made().load(str(tmp_path / "interrupted"))
    assert not list(tmp_path.glob(".paddle*"))


@pytest.mark.usefixtures("python_signals")
def test_an_interrupt_while_a_checkpoint_is_written(tmp_path: Path, monkeypatch: Any) -> None:
    fit(made(), Noted(), epochs=1, save_dir=str(tmp_path))
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    replace = os.replace

    def pressed(*args: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        replace(*args)

    monkeypatch.setattr(os, "replace", pressed)
    with pytest.raises(KeyboardInterrupt):
        fit(made(seed=8), Noted(), save_dir=str(tmp_path))
    monkeypatch.undo()
    after = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert after == before


def test_threads_and_handlers_of_the_user_are_left_alone() -> None:
    mine = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        held: list = []

        class Look(Callback):
            def on_train_batch_end(self, step: int, logs: Any = None) -> None:
                held.append(signal.getsignal(signal.SIGINT))

        made().fit(Points(4), batch_size=4, verbose=0, callbacks=Look())
        assert held == [signal.SIG_IGN]
    finally:
        signal.signal(signal.SIGINT, mine)
    thread = threading.Thread(target=fit, args=(made(), Noted()), kwargs={"epochs": 1})
    thread.start()
    thread.join()


# -- which checkpoint -----------------------------------------------------------------------------
def test_a_checkpoint_of_any_epoch(tmp_path: Path) -> None:
    whole = Noted()
    fit(made(), whole, save_dir=str(tmp_path))
    for number in (0, 1):
        model, noted = made(seed=9), Noted()
        model.load(str(tmp_path / f"{number}.pdparams"))
        fit(model, noted)
        assert noted.seen.items() <= whole.seen.items()
        assert (number + 1, 0) in noted.seen and (number, 5) not in noted.seen


def test_final_begins_a_new_training(tmp_path: Path) -> None:
    fit(made(), Noted(), save_dir=str(tmp_path))
    for path, options in (("final", {}), ("1", {"reset_optimizer": True})):
        model, noted = made(), Noted()
        model.load(str(tmp_path / path), **options)
        fit(model, noted, epochs=1, data=Numbered(9))
        assert (0, 0) in noted.seen


def test_a_complete_training_stays_complete_and_more_epochs_go_on(tmp_path: Path) -> None:
    whole = Noted()
    fit(made(), whole, epochs=4)
    fit(made(), Noted(), epochs=2, save_dir=str(tmp_path))
    model, noted = made(seed=9), Noted()
    model.load(str(tmp_path))
    assert fit(model, noted, epochs=4).epoch == [0, 1, 2, 3]
    assert noted.seen.items() <= whole.seen.items() and (2, 0) in noted.seen
    again = Noted()
    fit(model, again, epochs=1)
    assert (0, 0) in again.seen  # only the first fit after load goes on


def test_the_newest_whole_one_of_a_folder(tmp_path: Path) -> None:
    fit(made(), Noted(), save_dir=str(tmp_path))
    for number, when in (("2", 300), ("1", 200), ("0", 100)):
        for suffix in ("pdparams", "pdopt", "pdstate"):
            os.utime(tmp_path / f"{number}.{suffix}", (when, when))
    (tmp_path / "2.pdstate").write_bytes((tmp_path / "1.pdstate").read_bytes())
    os.utime(tmp_path / "2.pdstate", (300, 300))
    model, noted = made(), Noted()
    with pytest.warns(UserWarning, match=r"took '.*/1'; newer ones are not whole: '.*/2.pdstate'"):
        model.load(str(tmp_path))
    fit(model, noted)
    assert (2, 0) in noted.seen and (1, 0) not in noted.seen
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"folder '.*/empty', but there is no file \*.pdst"):
        model.load(str(tmp_path / "empty"))


def test_checkpoints_within_an_epoch(tmp_path: Path) -> None:
    seen: list = []

    class Look(Callback):
        def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
            seen.append(sorted(p.stem for p in tmp_path.glob("*.pdstate")))

    keep = ModelCheckpoint(save_dir=str(tmp_path), save_steps=2)
    made().fit(Points(20), batch_size=4, epochs=2, verbose=0, callbacks=[Look(), keep])
    assert seen == [
        [], [], ["0_2"], ["0_2"], ["0_4"], ["0"], ["0", "1_1"], ["0", "1_1"], ["0", "1_3"],
        ["0", "1_3"],
    ]  # fmt: skip
    assert sorted(p.stem for p in tmp_path.glob("*.pdstate")) == ["0", "1"]
    keep = ModelCheckpoint(save_steps=1)  # the folder comes from fit
    made().fit(Points(4), batch_size=4, verbose=0, callbacks=keep, save_dir=str(tmp_path / "more"))
    assert (tmp_path / "more" / "0.pdstate").exists()
    with pytest.raises(TypeError, match=r"save_steps\): expected an int, got str"):
        ModelCheckpoint(save_steps="2")
    with pytest.raises(ValueError, match=r"save_steps\): expected at least 1, but received 0"):
        ModelCheckpoint(save_steps=0)
    with pytest.raises(TypeError, match=r"save_dir\): expected a str, got int"):
        ModelCheckpoint(save_dir=3)


# -- what does not fit ----------------------------------------------------------------------------
@pytest.fixture(scope="session")
def saved(tmp_path_factory: Any) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("saved")
    stop = EarlyStopping(patience=9, save_best_model=False)
    made().fit(
        Numbered(22), Numbered(6), batch_size=4, epochs=2, verbose=0, save_dir=str(folder),
        callbacks=[stop],
    )  # fmt: skip
    yield str(folder / "0")
    shutil.rmtree(folder)


def going_on(path: str, model: paddle.Model | None = None, **options: Any) -> None:
    model = model or made()
    model.load(path)
    stop = EarlyStopping(patience=9, save_best_model=False)
    told = {"batch_size": 4, "epochs": 2, "verbose": 0, "callbacks": [stop]} | options
    data = told.pop("data", Numbered(22))
    before = {k: v.numpy() for k, v in model.network.state_dict().items()}
    try:
        model.fit(data, Numbered(6), **told)
    finally:
        if model.history is not None and not model.history.epoch:
            for name, value in model.network.state_dict().items():
                np.testing.assert_array_equal(before[name], value.numpy())


@pytest.mark.parametrize(
    "options, text",
    [
        ({"batch_size": 5}, "batch_size=4 where fit has 5"),
        ({"data": Numbered(21)}, "samples=22 where fit has 21"),
        ({"num_workers": 1}, "num_workers=0 where fit has 1"),
        ({"drop_last": True}, "drop_last=False where fit has True"),
        ({"accumulate_grad_batches": 2}, "accumulate_grad_batches=1 where fit has 2"),
        ({"callbacks": None}, r"expected the state of 2 callbacks that have one|callback"),
    ],
)
def test_another_fit_is_refused(saved: str, options: dict, text: str) -> None:
    with pytest.raises(ValueError, match=text) as caught:
        going_on(os.path.dirname(saved), **options)
    told = f"the training of '{os.path.dirname(saved)}/1.pdstate' cannot go on here"
    assert f"Model.fit: {told}" in str(caught.value)
    assert "reset_optimizer=True" in str(caught.value)


@pytest.mark.parametrize(
    "options, text",
    [
        (
            {"data": Numbered(21), "epochs": 2},
            r"samples=22 where fit has 21\. A new training begins",
        ),
        ({"epochs": 1}, r"has done these 1 epochs\. A new training begins"),
    ],
)
def test_a_certain_checkpoint_may_begin_a_new_training(
    saved: str, options: dict, text: str
) -> None:
    model, noted = made(), Noted()
    model.load(saved)
    moment = next(v for k, v in model._optimizer.state_dict().items() if k.endswith("moment1_0"))
    assert np.abs(moment.numpy()).max() > 0
    told = {"data": Numbered(22), "batch_size": 4, "epochs": 1, "verbose": 0} | options
    with pytest.warns(UserWarning, match=text):
        history = model.fit(told.pop("data"), callbacks=[noted], **told)
    assert history.epoch[0] == 0 and (0, 0) in noted.seen


def test_another_optimizer_is_refused(saved: str) -> None:
    with pytest.warns(UserWarning), pytest.raises(ValueError, match=r"expected SGD.*'Adam'"):
        going_on(os.path.dirname(saved), made("SGD"))


def test_another_network_is_refused(saved: str) -> None:
    with pytest.raises(ValueError, match=r"0.weight has shape \[4, 8\] in the file.*\[4, 9\]"):
        going_on(saved, made(width=9))


def test_prepare_comes_before_load(saved: str) -> None:
    ready = made()
    model = paddle.Model(ready.network)
    model.load(os.path.dirname(saved))
    adam = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    with pytest.raises(ValueError, match=r"call prepare\(optimizer, loss\) before load"):
        model.fit(Numbered(22), batch_size=4, verbose=0)


@pytest.mark.parametrize("damage", ["cut", "changed", "other", "text", "gone"])
def test_a_damaged_state_is_named(saved: str, tmp_path: Path, damage: str) -> None:
    for suffix in (".pdparams", ".pdopt", ".pdstate"):
        shutil.copy(saved + suffix, tmp_path)
    path = tmp_path / "0.pdstate"
    held = path.read_bytes()
    model = made()
    before = model.network[0].weight.numpy()
    if damage == "gone":
        path.unlink()
        with pytest.warns(UserWarning, match="0.pdstate', which is not there; fit will begin"):
            model.load(str(tmp_path / "0"))
        return
    if damage == "other":
        shutil.copy(os.path.join(os.path.dirname(saved), "1.pdstate"), path)
    else:
        path.write_bytes(
            {"cut": held[:-20], "changed": held[:99] + b"x" + held[100:], "text": b"no"}[damage]
        )
    with pytest.raises(ValueError, match=r"cannot go on from '.*0.pdstate'"):
        model.load(str(tmp_path / "0"))
    np.testing.assert_array_equal(before, model.network[0].weight.numpy())
    model.load(str(tmp_path / "0"), reset_optimizer=True)


@pytest.mark.parametrize("fails", [True, False])
def test_a_callback_whose_state_no_file_can_hold(tmp_path: Path, fails: bool) -> None:
    class Odd(Callback):
        def state_dict(self) -> dict:
            if fails:
                raise RuntimeError("Odd")
            return {"held": object()}

        def set_state_dict(self, state: dict) -> None:
            raise AssertionError(state)

    with pytest.warns(UserWarning, match="does not tell where the training stands.*Odd"):
        made().fit(Points(4), batch_size=4, verbose=0, save_dir=str(tmp_path), callbacks=Odd())
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "0.pdopt", "0.pdparams", "final.pdopt", "final.pdparams",
    ]  # fmt: skip
