"""VisualDL: what the callback writes into its log, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.callbacks import VisualDL
from paddle.core.errors import InvalidArgumentError, UnimplementedError
from visualdl import LogReader

STEPS = 5


class Pictures(paddle.io.Dataset):
    """Pictures of 4 x 4 with their class; counts how often each is taken."""

    def __init__(self, count: int = 4 * STEPS, augment: bool = False) -> None:
        super().__init__()
        rng = np.random.RandomState(3)
        self.images = rng.rand(count, 1, 4, 4).astype("float32")
        self.labels = rng.randint(0, 3, (count, 1))
        self.augment = augment

    def __getitem__(self, i):
        noise = np.random.rand() if self.augment else 0.0
        return self.images[i] + np.float32(noise * 0.01), self.labels[i]

    def __len__(self):
        return len(self.images)


def made(static: bool = False, accuracy: bool = True, **options) -> paddle.Model:
    paddle.seed(1)
    np.random.seed(1)
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    inputs = paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")
    labels = paddle.static.InputSpec([None, 1], "int64", "y")
    model = paddle.Model(network, inputs, labels) if static else paddle.Model(network)
    metric = paddle.metric.Accuracy() if accuracy else None
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    model.prepare(optimizer, nn.CrossEntropyLoss(), metric, **options)
    return model


def fit(model: paddle.Model, *args, **kwargs) -> paddle.callbacks.Callback:
    options = {"batch_size": 4, "verbose": 0, "shuffle": False, **kwargs}
    return model.fit(Pictures(), *args, **options)


def curve(folder: Path, tag: str) -> list[tuple[int, float]]:
    return [(r.id, r.value) for r in LogReader(str(folder)).get_data("scalar", tag)]


def test_every_step_has_its_loss_and_accuracy(tmp_path: Path) -> None:
    seen: list = []

    class Looks(paddle.callbacks.Callback):
        def on_train_batch_end(self, step, logs=None):
            seen.append((logs["loss"][0], logs["acc"]))

    fit(made(), epochs=2, callbacks=Looks())
    fit(made(), epochs=2, log_freq=3, callbacks=VisualDL(str(tmp_path)))
    for number, name in enumerate(["loss", "acc"]):
        steps, values = zip(*curve(tmp_path, f"train/{name}"), strict=True)
        assert steps == tuple(range(1, 2 * STEPS + 1))
        np.testing.assert_allclose(values, [pair[number] for pair in seen], rtol=1e-6)


def test_one_file_for_a_training_and_what_comes_after(tmp_path: Path) -> None:
    callback, model = VisualDL(str(tmp_path)), made()
    fit(model, Pictures(8), epochs=2, callbacks=callback)
    model.evaluate(Pictures(8), batch_size=4, verbose=0, callbacks=callback)
    assert len(list(tmp_path.glob("vdlrecords.*"))) == 1
    assert [step for step, _ in curve(tmp_path, "eval/acc")] == [0, 1, 1]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_steps_before_an_error_are_written(tmp_path: Path, error: type) -> None:
    class Fails(paddle.callbacks.Callback):
        def on_train_batch_end(self, step, logs=None):
            if step == 2:
                raise error("here")

    log, whole = tmp_path / "log", tmp_path / "whole"
    with pytest.raises(error):
        fit(made(), epochs=1, log_freq=100, callbacks=[VisualDL(str(log)), Fails()])
    fit(made(), epochs=1, callbacks=VisualDL(str(whole)))
    assert curve(log, "train/loss") == curve(whole, "train/loss")[:3]
    assert [step for step, _ in curve(log, "train/acc")] == [1, 2, 3]


def test_resumed_training_goes_on_in_the_file(tmp_path: Path) -> None:
    log, saved = tmp_path / "log", str(tmp_path / "saved")
    fit(made(), epochs=1, save_dir=saved, callbacks=VisualDL(str(log)))
    fit(made(), epochs=2, save_dir=saved, resume=True, callbacks=VisualDL(str(log)))
    assert len(list(log.glob("vdlrecords.*"))) == 1
    whole = tmp_path / "whole"
    fit(made(), epochs=2, callbacks=VisualDL(str(whole)))
    assert curve(log, "train/loss") == curve(whole, "train/loss")


def test_losses_are_fetched_every_log_freq_steps(tmp_path: Path, monkeypatch) -> None:
    from paddle.hapi import losses

    fetched: list[int] = []
    original = losses.numbers
    monkeypatch.setattr(losses, "numbers", lambda rows: fetched.append(len(rows)) or original(rows))
    fit(made(), log_freq=2, callbacks=VisualDL(str(tmp_path)))
    assert fetched == [2, 2, 1]


def test_training_is_the_same_with_everything_written(tmp_path: Path) -> None:
    everything = VisualDL(
        str(tmp_path), histograms=True, gradients=True, images=2, graph=True, hparams={"rate": 0.01}
    )
    data = Pictures(augment=True)
    models = []
    for callbacks in (None, everything):
        models.append(made())
        models[-1].fit(data, batch_size=4, epochs=2, verbose=0, callbacks=callbacks)
    for a, b in zip(*(model.parameters() for model in models), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_histograms_and_gradients(tmp_path: Path) -> None:
    model = made()
    fit(model, epochs=2, callbacks=VisualDL(str(tmp_path), histograms=True, gradients=True))
    reader = LogReader(str(tmp_path))
    weights = reader.get_data("histogram", "weights/1/weight")
    assert [r.id for r in weights] == [STEPS, 2 * STEPS]
    edges = weights[-1].histogram.bin_edges
    value = model.network[1].weight.numpy()
    np.testing.assert_allclose([edges[0], edges[-1]], [value.min(), value.max()], rtol=1e-6)
    gradients = reader.get_data("histogram", "gradients/1/weight")
    assert [r.id for r in gradients] == [STEPS, 2 * STEPS]
    assert sum(gradients[0].histogram.hist) == value.size


@pytest.mark.filterwarnings("ignore:mixed precision")  # told once in a process
def test_gradients_are_those_without_the_scaling_of_mixed_precision(tmp_path: Path) -> None:
    folders = tmp_path / "plain", tmp_path / "mixed"
    fit(made(), callbacks=VisualDL(str(folders[0]), gradients=True))
    fit(made(amp_configs="O1"), callbacks=VisualDL(str(folders[1]), gradients=True))
    ends = []
    for folder in folders:
        record = LogReader(str(folder)).get_data("histogram", "gradients/1/weight")[0]
        ends.append(record.histogram.bin_edges[-1])
    assert ends[0] == pytest.approx(ends[1], rel=0.2)


def test_pictures_network_and_settings(tmp_path: Path) -> None:
    callback = VisualDL(str(tmp_path), images=3, graph=True, hparams={"rate": 0.01, "kind": "adam"})
    fit(made(), Pictures(4), callbacks=callback)
    reader = LogReader(str(tmp_path))
    pictures = [f"train/sample_{i}" for i in range(3)]
    assert all(len(reader.get_data("image", tag)) == 1 for tag in pictures)
    assert len(list(tmp_path.glob("vdlgraph.*.pdmodel"))) == 1
    (record,) = reader.get_data("hyper_parameters", "hparam")
    assert [info.name for info in record.hparam.hparamInfos] == ["rate", "kind"]
    metrics = [info.name for info in record.hparam.metricInfos]
    assert metrics == ["train/loss", "train/acc", "eval/loss", "eval/acc"]


def test_without_metrics_and_in_static_mode(tmp_path: Path) -> None:
    paddle.enable_static()
    try:
        fit(made(static=True, accuracy=False), callbacks=VisualDL(str(tmp_path), histograms=True))
    finally:
        paddle.disable_static()
    assert [step for step, _ in curve(tmp_path, "train/loss")] == list(range(1, STEPS + 1))
    assert LogReader(str(tmp_path)).get_data("histogram", "weights/1/weight")


@pytest.mark.parametrize("option", ["gradients", "graph"])
def test_what_static_mode_cannot_give(option: str, tmp_path: Path) -> None:
    paddle.enable_static()
    try:
        with pytest.raises(UnimplementedError, match=f"VisualDL.{option}=True. works in dynamic"):
            fit(made(static=True), callbacks=VisualDL(str(tmp_path), **{option: True}))
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(("option", "value"), [("images", -1), ("images", True), ("hparams", 3)])
def test_bad_options(option: str, value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=f"VisualDL.{option}.: expected"):
        VisualDL("logs", **{option: value})


def test_data_without_pictures(tmp_path: Path) -> None:
    data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
    model = paddle.Model(nn.Linear(2, 1))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    with pytest.raises(InvalidArgumentError, match=r"a picture of shape .* received shapes"):
        model.fit(data, batch_size=4, verbose=0, callbacks=VisualDL(str(tmp_path), images=1))


def test_only_the_first_process_writes(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    callback = VisualDL(str(tmp_path))
    callback.on_train_begin()
    callback.on_epoch_begin(0)
    callback.on_train_batch_end(0, {"loss": [1.0]})
    callback.on_train_end()
    assert not list(tmp_path.iterdir())
