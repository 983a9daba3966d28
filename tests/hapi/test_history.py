"""The curves that Model.fit returns, and their picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.hapi.history import History
from tests.hapi.stories import Points, prepared


class Seen(paddle.callbacks.Callback):
    """The loss and the size of every batch."""

    def __init__(self) -> None:
        super().__init__()
        self.train: list = []
        self.eval: list = []

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.train.append((logs["loss"][0], logs["batch_size"]))

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        self.eval.append((logs["loss"][0], logs["batch_size"]))


def test_a_point_per_epoch_and_evaluation() -> None:
    seen = Seen()
    model = prepared(metrics=paddle.metric.Accuracy(topk=(1, 2)))
    history = model.fit(
        Points(10), Points(6), batch_size=4, epochs=3, eval_freq=2, verbose=0, callbacks=seen
    )
    assert history is model.history
    assert (history.epoch, history.eval_epoch) == ([0, 1, 2], [0, 2])
    names = ["loss", "acc_top1", "acc_top2"]
    assert list(history.history) == names + ["eval_" + name for name in names]
    assert [len(history.history[name]) for name in ("loss", "acc_top1")] == [3, 3]
    for curve, batches, steps in (("loss", seen.train, 3), ("eval_loss", seen.eval, 2)):
        losses, sizes = np.reshape(batches, [-1, steps, 2]).transpose(2, 0, 1)
        expected = (losses * sizes).sum(1) / sizes.sum(1)
        np.testing.assert_allclose(history.history[curve], expected, rtol=1e-6)
    assert all(type(v) is float for curve in history.history.values() for v in curve)


def test_points_per_line_of_the_log() -> None:
    seen = Seen()
    history = prepared().fit(
        Points(10), batch_size=2, epochs=2, log_freq=2, verbose=0, callbacks=seen
    )
    assert history.steps["step"] == [2, 4, 7, 9]  # steps 2 and 4 of each epoch of 5
    assert history.steps["loss"] == [seen.train[step - 1][0] for step in history.steps["step"]]


def test_several_losses_add_up() -> None:
    class Two(paddle.nn.Layer):
        def forward(self, out: Any, label: Any) -> Any:
            return paddle.nn.functional.cross_entropy(out, label), (out * out).mean() + 1.0

    net = paddle.nn.Linear(4, 3)
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), Two())
    curves = model.fit(Points(6), batch_size=3, epochs=2, verbose=0).history
    assert list(curves) == ["loss", "loss_0", "loss_1"]
    np.testing.assert_allclose(curves["loss"], np.add(curves["loss_0"], curves["loss_1"]))


def test_a_new_training_has_new_curves() -> None:
    model = prepared()
    first = model.fit(Points(4), batch_size=2, epochs=2, verbose=0)
    second = model.fit(Points(4), batch_size=2, verbose=0)
    assert (first.epoch, second.epoch) == ([0, 1], [0])


def test_it_is_shown_in_a_line() -> None:
    history = prepared(rate=0.0).fit(Points(4), batch_size=2, verbose=0)
    assert repr(history) == "History(1 epoch; loss: 1.099)"
    assert repr(History()) == "History(0 epochs)"


def test_picture(tmp_path: Path) -> None:
    model = prepared(metrics=paddle.metric.Accuracy())
    history = model.fit(Points(6), Points(3), batch_size=3, epochs=2, verbose=0)
    figure = history.plot(str(tmp_path / "curves.png"))
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert [axes.get_title() for axes in figure.axes] == ["loss", "acc"]
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["training", "evaluation"]
    assert lines[0].get_xydata().tolist() == [[1, v] for v in history.history["loss"][:1]] + [
        [2, history.history["loss"][1]]
    ]
    history.plot(str(tmp_path / "plain"), keys="loss")
    assert (tmp_path / "plain").read_bytes().startswith(b"\x89PNG")
    history.plot(str(tmp_path / "drawn.svg"), keys=["eval_acc"])
    assert b"<svg" in (tmp_path / "drawn.svg").read_bytes()


def test_pictures_that_cannot_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = prepared().fit(Points(4), batch_size=2, verbose=0)
    with pytest.raises(ValueError, match=r"names out of \['loss'\], but received 'acc'"):
        history.plot(str(tmp_path / "x.png"), keys=["loss", "acc"])
    with pytest.raises(RuntimeError, match="at least one epoch"):
        History().plot(str(tmp_path / "x.png"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install matplotlib"):
        history.plot(str(tmp_path / "x.png"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("static", [False, True])
def test_reading_waits_for_the_end_of_the_epoch(static: bool) -> None:
    if static:
        paddle.enable_static()
    try:
        net = paddle.nn.Linear(4, 3)
        spec = paddle.static.InputSpec
        model = paddle.Model(net, spec([None, 4], "float32", "x"), spec([None, 1], "int64", "y"))
        model.prepare(
            paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.CrossEntropyLoss()
        )
        data = [(np.ones([2, 4], "float32"), np.ones([2, 1], "int64"))] * 600
        curves = model.fit(data, verbose=0, epochs=1)
        assert 0 < curves.history["loss"][0] < 1.0 and len(curves.steps["step"]) == 60
    finally:
        if static:
            paddle.disable_static()
