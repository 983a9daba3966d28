"""Guide 2.7: a loss, a metric and a callback of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.callbacks import Callback
from paddle.metric import Metric
from tests.seeds.printed import output


class SoftmaxWithCrossEntropy(paddle.nn.Layer):
    """2.7.1"""

    def __init__(self):
        super(SoftmaxWithCrossEntropy, self).__init__()  # noqa: UP008

    def forward(self, input, label):
        loss = F.softmax_with_cross_entropy(input,
                                            label,
                                            return_softmax=False,
                                            axis=1)  # fmt: skip
        return paddle.mean(loss)


def test_a_loss_of_ones_own() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((2, 4, 5, 3)).astype("float32")  # classes on axis 1
    label = rng.integers(0, 4, (2, 1, 5, 3))
    shifted = np.exp(scores - scores.max(1, keepdims=True))
    chosen = np.take_along_axis(shifted / shifted.sum(1, keepdims=True), label, 1)
    input = paddle.to_tensor(scores, stop_gradient=False)
    loss = SoftmaxWithCrossEntropy()(input, paddle.to_tensor(label))
    assert loss.shape == [1]
    np.testing.assert_allclose(float(loss), -np.log(chosen).mean(), rtol=1e-5)
    loss.backward()
    hot = np.zeros_like(scores)
    np.put_along_axis(hot, label, 1, 1)
    wanted = (shifted / shifted.sum(1, keepdims=True) - hot) / label.size
    np.testing.assert_allclose(input.grad.numpy(), wanted, atol=1e-6)


def _is_numpy_(var):
    return isinstance(var, (np.ndarray, np.generic))


class Precision(Metric):
    """2.7.2: the share of right ones among those predicted to be 1."""

    def __init__(self, name="precision", *args, **kwargs):
        super(Precision, self).__init__(*args, **kwargs)  # noqa: UP008
        self.tp = 0  # true positive
        self.fp = 0  # false positive
        self._name = name

    def update(self, preds, labels):
        if isinstance(preds, paddle.Tensor):
            preds = preds.numpy()
        elif not _is_numpy_(preds):
            raise ValueError("The 'preds' must be a numpy ndarray or Tensor.")
        if isinstance(labels, paddle.Tensor):
            labels = labels.numpy()
        elif not _is_numpy_(labels):
            raise ValueError("The 'labels' must be a numpy ndarray or Tensor.")

        sample_num = labels.shape[0]
        preds = np.floor(preds + 0.5).astype("int32")

        for i in range(sample_num):
            pred = preds[i]
            label = labels[i]
            if pred == 1:
                if pred == label:
                    self.tp += 1
                else:
                    self.fp += 1

    def reset(self):
        self.tp = 0
        self.fp = 0

    def accumulate(self):
        ap = self.tp + self.fp
        return float(self.tp) / ap if ap != 0 else 0.0

    def name(self):
        return self._name


class SelfDefineMetric(Metric):
    """2.7.2 with every method of the frame: how far the mean output is off the mean label."""

    def __init__(self):
        super(SelfDefineMetric, self).__init__()  # noqa: UP008
        self.reset()
        self.computed = 0

    def name(self):
        return "自定义评价指标的名字"

    def compute(self, pred, label):
        self.computed += 1
        assert isinstance(pred, paddle.Tensor)
        return pred.mean() - label.astype("float32").mean()

    def update(self, off):
        assert isinstance(off, np.ndarray)
        self.offs.append(float(off[0]))
        return self.offs[-1]

    def accumulate(self):
        return float(np.mean(self.offs)) if self.offs else 0.0

    def reset(self):
        self.offs = []


SCORES = np.float32([[0.9], [0.8], [0.3], [0.7], [0.6], [0.1], [0.2], [0.95]])
LABELS = np.int64([[1], [0], [1], [1], [0], [0], [1], [1]])


class Same(paddle.nn.Layer):
    """The output is the input (and there is something to train)."""

    def __init__(self):
        super().__init__()
        self.offset = self.create_parameter(
            [1], default_initializer=paddle.nn.initializer.Constant(0.0)
        )

    def forward(self, x):
        return x + self.offset


def binary_model(*metrics: Metric, learning_rate: float = 0.0) -> paddle.Model:
    model = paddle.Model(Same())
    model.prepare(
        paddle.optimizer.Momentum(learning_rate, parameters=model.parameters()),
        lambda out, label: ((out - label.astype("float32")) ** 2).mean(),
        list(metrics),
    )
    return model


def binary_data() -> paddle.io.Dataset:
    return paddle.io.TensorDataset([paddle.to_tensor(SCORES), paddle.to_tensor(LABELS)])


def test_a_metric_of_ones_own_agrees_with_the_built_in_one() -> None:
    ours, own = paddle.metric.Precision(name="ours"), Precision(name="own")
    result = binary_model(ours, own).evaluate(binary_data(), batch_size=3, verbose=0)
    assert list(result) == ["loss", "ours", "own"]
    assert result["ours"] == result["own"] == 3 / 5


def test_compute_feeds_update_and_the_log_shows_the_result() -> None:
    metric = SelfDefineMetric()
    with output() as out:
        binary_model(metric).fit(binary_data(), batch_size=2, epochs=2, shuffle=False, verbose=2)
    assert metric.computed == 8
    assert len(metric.offs) == 4  # reset between the epochs
    wanted = SCORES.mean() - LABELS.mean()
    assert metric.accumulate() == pytest.approx(wanted, abs=1e-6)
    last = [line for line in out.lines if line.startswith("step 4/4")]
    assert len(last) == 2
    for line in last:
        assert f"自定义评价指标的名字: {wanted:.4f}" in line


class SelfDefineCallback(Callback):
    """2.7.3: every method of the frame, written down."""

    def __init__(self):
        super(SelfDefineCallback, self).__init__()  # noqa: UP008
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append("train_begin")

    def on_train_end(self, logs=None):
        self.calls.append("train_end")

    def on_eval_begin(self, logs=None):
        self.calls.append("eval_begin")

    def on_eval_end(self, logs=None):
        self.calls.append("eval_end")

    def on_predict_begin(self, logs=None):
        self.calls.append("predict_begin")

    def on_predict_end(self, logs=None):
        self.calls.append("predict_end")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"epoch_begin {epoch}")

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append(f"epoch_end {epoch}")
        self.epoch_logs = dict(logs)

    def on_train_batch_begin(self, step, logs=None):
        self.calls.append(f"train_batch_begin {step}")

    def on_train_batch_end(self, step, logs=None):
        self.calls.append(f"train_batch_end {step}")

    def on_eval_batch_begin(self, step, logs=None):
        self.calls.append(f"eval_batch_begin {step}")

    def on_eval_batch_end(self, step, logs=None):
        self.calls.append(f"eval_batch_end {step}")

    def on_predict_batch_begin(self, step, logs=None):
        self.calls.append(f"predict_batch_begin {step}")

    def on_predict_batch_end(self, step, logs=None):
        self.calls.append(f"predict_batch_end {step}")


def batches(kind: str, count: int) -> list[str]:
    return [f"{kind}_batch_{end} {i}" for i in range(count) for end in ("begin", "end")]


def test_when_a_callback_is_called() -> None:
    told = SelfDefineCallback()
    model = binary_model(Precision())
    model.fit(binary_data(), binary_data(), batch_size=4, epochs=2, verbose=0, callbacks=told)
    wanted = ["train_begin"]
    for epoch in (0, 1):
        wanted += [f"epoch_begin {epoch}", *batches("train", 2), f"epoch_end {epoch}"]
        wanted += ["eval_begin", *batches("eval", 2), "eval_end"]
    assert told.calls == [*wanted, "train_end"]
    assert {"loss", "precision"} <= set(told.epoch_logs)
    assert told.model is model

    told.calls.clear()
    model.evaluate(binary_data(), batch_size=4, verbose=0, callbacks=[told])
    assert told.calls == ["eval_begin", *batches("eval", 2), "eval_end"]

    told.calls.clear()
    inputs = paddle.io.TensorDataset([paddle.to_tensor(SCORES)])
    model.predict(inputs, batch_size=4, verbose=0, callbacks=[told])
    assert told.calls == ["predict_begin", *batches("predict", 2), "predict_end"]


class ModelCheckpoint(Callback):
    """2.7.3, the example from the framework."""

    def __init__(self, save_freq=1, save_dir=None):
        self.save_freq = save_freq
        self.save_dir = save_dir

    def on_epoch_begin(self, epoch=None, logs=None):
        self.epoch = epoch

    def _is_save(self):
        return self.model and self.save_dir

    def on_epoch_end(self, epoch, logs=None):
        if self._is_save() and self.epoch % self.save_freq == 0:
            path = "{}/{}".format(self.save_dir, epoch)  # noqa: UP032
            print("save checkpoint at {}".format(os.path.abspath(path)))  # noqa: UP032
            self.model.save(path)

    def on_train_end(self, logs=None):
        if self._is_save():
            path = "{}/final".format(self.save_dir)  # noqa: UP032
            print("save checkpoint at {}".format(os.path.abspath(path)))  # noqa: UP032
            self.model.save(path)


def test_the_guides_checkpoint_callback(tmp_path: Path) -> None:
    model = binary_model(learning_rate=0.1)
    with output() as out:
        model.fit(
            binary_data(), batch_size=4, epochs=3, verbose=0,
            callbacks=ModelCheckpoint(save_freq=2, save_dir=str(tmp_path)),
        )  # fmt: skip
    assert out.lines == [f"save checkpoint at {tmp_path / name}" for name in ("0", "2", "final")]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        f"{name}.{kind}" for name in ("0", "2", "final") for kind in ("pdparams", "pdopt")
    )
    again = binary_model(learning_rate=0.1)
    again.load(str(tmp_path / "final"))
    np.testing.assert_array_equal(again.network.offset.numpy(), model.network.offset.numpy())
    again.load(str(tmp_path / "0"))
    assert again.network.offset.numpy() != model.network.offset.numpy()
