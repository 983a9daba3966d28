"""paddle.Model: training, evaluation, prediction, files, and what is said of wrong arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from benchmarks.fit import note_reads
from paddle import nn
from paddle.static import InputSpec
from tests.hapi.stories import Points, Stream, batches, prepared


# -- stories --------------------------------------------------------------------------------------
def test_fit_is_the_plain_loop() -> None:
    paddle.seed(7)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    start = {k: v.numpy() for k, v in net.state_dict().items()}
    model = paddle.Model(net)
    loss = nn.CrossEntropyLoss()
    model.prepare(paddle.optimizer.Adam(0.01, parameters=net.parameters()), loss)
    model.fit(Points(12), batch_size=4, epochs=2, shuffle=False, verbose=0)
    fitted = {k: v.numpy() for k, v in net.state_dict().items()}

    net.set_state_dict(start)
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    for _ in range(2):
        for x, y in paddle.io.DataLoader(Points(12), batch_size=4, shuffle=False):
            loss(net(x), y).backward()
            optimizer.step()
            optimizer.clear_grad()
    for name, value in net.state_dict().items():
        np.testing.assert_allclose(fitted[name], value.numpy(), rtol=1e-6)


def test_learns_and_measures() -> None:
    paddle.seed(5)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    model = paddle.Model(net)
    model.prepare(
        paddle.optimizer.Adam(0.05, parameters=net.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(topk=(1, 2)),
    )
    model.fit(Points(30), epochs=40, batch_size=30, verbose=0)
    result = model.evaluate(Points(30), batch_size=10, verbose=0)
    assert list(result) == ["loss", "acc_top1", "acc_top2"]
    assert result["acc_top1"] == 1.0 and result["loss"][0] < 0.3
    classes = model.predict(Points(6), batch_size=4, stack_outputs=True, verbose=0)[0].argmax(1)
    assert classes.tolist() == [0, 1, 2, 0, 1, 2]


def test_the_host_reads_nothing_between_lines_of_the_log(capsys) -> None:
    class Steps(paddle.callbacks.Callback):
        now = 0

        def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
            self.now = step

    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    model = paddle.Model(net)
    adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    steps = Steps()
    with note_reads(lambda: steps.now) as read:
        model.fit(Points(40), batch_size=2, verbose=2, log_freq=10, callbacks=[steps])
    assert capsys.readouterr().out.count("\nstep ") == 2  # after 10 and 20 steps
    assert set(read) == {9, 19}


def test_evaluate_leaves_the_network_as_it_is() -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1D(3))
    model = paddle.Model(net)
    model.prepare(loss=nn.CrossEntropyLoss())
    before = {k: v.numpy() for k, v in net.state_dict().items()}
    first = model.evaluate(Points(8), batch_size=4, verbose=0)
    assert model.evaluate(Points(8), batch_size=4, verbose=0) == first
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(before[name], value.numpy())
    assert all(p.grad is None for p in net.parameters())


def test_dropout_is_on_in_training_only() -> None:
    net = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))
    model = paddle.Model(net)
    x = np.ones([2, 4], "float32")
    np.testing.assert_array_equal(model.predict_batch([x])[0], model.predict_batch([x])[0])
    model.prepare(paddle.optimizer.SGD(0.0, parameters=net.parameters()), nn.MSELoss())
    y = np.zeros([2, 64], "float32")
    paddle.seed(1)
    assert model.train_batch([x], [y])[0] != model.train_batch([x], [y])[0]
    assert model.mode == "train" and net.training


def test_shuffle_and_drop_last() -> None:
    seen: list = []

    class Keep(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            seen.append(x.numpy()[:, 0].tolist())
            return self.linear(x)

    class Counted(Points):
        def __getitem__(self, index: int) -> Any:
            return np.full([4], index, "float32"), np.array([0])

    model = prepared(net=Keep())
    model.fit(Counted(10), batch_size=4, drop_last=True, shuffle=False, verbose=0)
    assert seen == [[0, 1, 2, 3], [4, 5, 6, 7]]
    seen.clear()
    model.fit(Counted(10), batch_size=5, epochs=2, verbose=0)
    first, second = seen[0] + seen[1], seen[2] + seen[3]
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


@pytest.mark.parametrize(
    "data",
    [
        Stream(),
        paddle.io.DataLoader(Stream(), batch_size=2),
        paddle.io.DataLoader(Points(6), batch_size=2),
        list(batches()),
        [{"x": x, "y": y} for x, y in batches()],
        [[paddle.to_tensor(part) for part in batch] for batch in batches()],
    ],
    ids=["stream", "stream loader", "loader", "list", "dicts", "tensors"],
)
def test_kinds_of_data(data: Any) -> None:
    model = prepared(metrics=paddle.metric.Accuracy())
    model.fit(data, data, batch_size=2, epochs=2, verbose=0)
    assert model.evaluate(data, batch_size=2, verbose=0)["loss"][0] < np.log(3)
    predicted = model.predict(data, batch_size=2, verbose=0)[0]
    assert len(predicted) == 3 and predicted[0].shape[1] == 3


def test_a_generator_is_used_once() -> None:
    model = prepared()
    with pytest.warns(UserWarning, match="gave no batch this time. A generator can be gone"):
        model.fit(batches(), epochs=2, verbose=0)


@pytest.mark.parametrize("run", ["fit", "evaluate", "predict"])
def test_data_without_a_batch(run: str) -> None:
    with pytest.raises(ValueError, match="at least one batch"):
        getattr(prepared(), run)([], verbose=0)


def test_eval_freq_counts_from_the_first_epoch() -> None:
    ran: list = []

    class Count(paddle.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.epoch = epoch

        def on_eval_end(self, logs: Any = None) -> None:
            ran.append(self.epoch)

    prepared().fit(
        Points(4), Points(4), batch_size=4, epochs=5, eval_freq=2, verbose=0, callbacks=Count()
    )
    assert ran == [0, 2, 4]


# -- several inputs, outputs and labels -----------------------------------------------------------
class Both(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, a: Any, b: Any = None) -> Any:
        return self.linear(a), self.linear(a if b is None else b)


class BothLoss(nn.Layer):
    def forward(self, first: Any, second: Any, *labels: Any) -> Any:
        self.labels = len(labels)
        return paddle.mean(first * first), paddle.mean(second)


def _both(inputs: Any = None, labels: Any = None) -> paddle.Model:
    net = Both()
    net.linear.bias.set_value(np.ones([3], "float32"))
    model = paddle.Model(net, inputs, labels)
    model.prepare(paddle.optimizer.SGD(0.0, parameters=net.parameters()), BothLoss())
    return model


def test_several_losses_are_added_and_all_shown(capsys: Any) -> None:
    model = _both()
    x = np.zeros([2, 4], "float32")
    losses = model.train_batch([x], [x])
    assert [float(v[0]) for v in losses] == [1.0, 1.0]
    model.fit([(x, x)], verbose=2)
    assert " - loss: 1.0000 1.0000 - " in capsys.readouterr().out
    assert model.evaluate([(x, x)], verbose=0) == {"loss": [1.0, 1.0]}


def test_two_losses_both_train() -> None:
    net = Both()
    model = paddle.Model(net)
    net.linear.bias.set_value(np.ones([3], "float32"))
    net.linear.weight.set_value(np.zeros([4, 3], "float32"))
    model.prepare(paddle.optimizer.SGD(1.0, parameters=net.parameters()), BothLoss())
    model.train_batch([np.zeros([2, 4], "float32")])
    # d mean(b^2) / db = 2 / 3 and d mean(b) / db = 1 / 3 for each of the three
    np.testing.assert_allclose(net.linear.bias.numpy(), [0.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    "inputs, labels, parts, taken, left",
    [
        (None, None, 2, 1, 1),
        (None, None, 3, 2, 1),
        (None, None, 4, 2, 2),
        (InputSpec([None, 4], "float32", "a"), None, 3, 1, 2),
        (None, [InputSpec([None, 4], "float32", "y")] * 2, 3, 1, 2),
        ([InputSpec([None, 4], "float32", "a")] * 2, None, 4, 2, 2),
    ],
)
def test_which_parts_are_inputs(
    inputs: Any, labels: Any, parts: int, taken: int, left: int
) -> None:
    model = _both(inputs, labels)
    got: list = []
    forward = model.network.forward

    def noted(a: Any, b: Any = None) -> Any:
        got.append(1 if b is None else 2)
        return forward(a, b)

    model.network.forward = noted
    model.fit([tuple(np.zeros([2, 4], "float32") for _ in range(parts))], verbose=0)
    assert (got, model._loss.labels) == ([taken], left)


def test_predict_takes_as_many_inputs_as_training() -> None:
    model = _both()
    x = np.zeros([2, 4], "float32")
    model.fit([(x, x)], verbose=0)
    assert [len(o) for o in model.predict([(x, x + 9)], verbose=0)] == [1, 1]
    first, second = (o[0] for o in model.predict([(x, x + 9)], verbose=0))
    np.testing.assert_array_equal(first, second)  # the label was not taken for b


def test_loss_of_the_outputs_alone() -> None:
    net = nn.Linear(4, 3)
    model = paddle.Model(net)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    model.prepare(sgd, lambda out: paddle.mean(out * out))
    data = [np.ones([2, 4], "float32")] * 3
    model.fit(data, epochs=3, verbose=0)
    assert model.evaluate(data, verbose=0)["loss"][0] >= 0.0


def test_network_that_takes_a_dict_and_gives_one() -> None:
    class Named(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(4, 3)

        def forward(self, given: Any) -> Any:
            return {"score": self.linear(given["x"])}

    net = Named()
    model = paddle.Model(net)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    model.prepare(sgd, lambda out, y: nn.functional.cross_entropy(out["score"], y))
    x, y = next(batches())
    model.fit([({"x": x}, y)] * 2, verbose=0)
    out = model.predict([({"x": x},)] * 2, stack_outputs=True, verbose=0)
    assert out[0]["score"].shape == (8, 3)


def test_predict_gives_a_tuple_of_batches_for_each_output() -> None:
    out = _both().predict([np.zeros([2, 4], "float32"), np.zeros([1, 4], "float32")], verbose=0)
    assert [type(o) for o in out] == [tuple, tuple]
    assert [part.shape for part in out[0]] == [(2, 3), (1, 3)]
    stacked = _both().predict(
        [np.zeros([2, 4], "float32"), np.zeros([1, 4], "float32")], stack_outputs=True, verbose=0
    )
    assert [o.shape for o in stacked] == [(3, 3), (3, 3)]


# -- the guide's own metric and loss --------------------------------------------------------------
class Hits(paddle.metric.Metric):
    """Without compute, as in the guide: update gets the arrays of outputs and labels."""

    def __init__(self) -> None:
        super().__init__()
        self._name = "hits"
        self.reset()

    def update(self, preds: Any, labels: Any) -> Any:
        assert isinstance(preds, np.ndarray) and isinstance(labels, np.ndarray)
        self.hits += int((preds.argmax(1) == labels.reshape(-1)).sum())
        return self.hits

    def reset(self) -> None:
        self.hits = 0

    def accumulate(self) -> Any:
        return self.hits

    def name(self) -> Any:
        return self._name


class SoftmaxWithCrossEntropy(nn.Layer):
    def forward(self, score: Any, label: Any) -> Any:
        loss = nn.functional.softmax_with_cross_entropy(score, label, return_softmax=False)
        return paddle.mean(loss)


def test_own_metric_and_own_loss() -> None:
    net = nn.Linear(4, 3)
    net.weight.set_value(np.zeros([4, 3], "float32"))
    model = paddle.Model(net)
    sgd = paddle.optimizer.SGD(0.0, parameters=net.parameters())
    model.prepare(sgd, SoftmaxWithCrossEntropy(), [Hits(), paddle.metric.Accuracy()])
    result = model.evaluate(Points(10), batch_size=4, verbose=0)
    assert result == {"loss": [pytest.approx(np.log(3))], "hits": 4, "acc": 0.4}
    losses, values = model.eval_batch(*[[part] for part in next(batches())])
    assert losses[0].shape == (1,) and values == [4, 0.0]  # hits go on, acc is of the batch
    assert model.train_batch(*[[part] for part in next(batches())])[1] == [4, 0.0]


def test_metric_without_loss() -> None:
    model = paddle.Model(nn.Linear(4, 3))
    model.prepare(metrics=paddle.metric.Accuracy())
    assert list(model.evaluate(Points(6), verbose=0)) == ["acc"]
    assert model.eval_batch(*[[part] for part in next(batches())]) in ([0.0], [1.0])


# -- files ----------------------------------------------------------------------------------------
def test_save_and_load_go_on_training(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "net")
    model = prepared()
    model.fit(Points(8), batch_size=4, shuffle=False, verbose=0)
    model.save(path)
    model.fit(Points(8), batch_size=4, shuffle=False, verbose=0)

    other = prepared(net=nn.Linear(4, 3))
    other.load(path)
    other.fit(Points(8), batch_size=4, shuffle=False, verbose=0)
    np.testing.assert_allclose(other.network.weight.numpy(), model.network.weight.numpy(), 1e-6)

    fresh = prepared(net=nn.Linear(4, 3))
    fresh.load(path + ".pdparams", reset_optimizer=True)
    fresh.fit(Points(8), batch_size=4, shuffle=False, verbose=0)
    assert not np.allclose(fresh.network.weight.numpy(), model.network.weight.numpy())


def test_an_optimizer_without_state_has_no_file(tmp_path: Path) -> None:
    model = paddle.Model(nn.Linear(4, 3))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    model.save(str(tmp_path / "net"))
    assert [p.name for p in tmp_path.iterdir()] == ["net.pdparams"]


def test_load_names_every_mismatch(tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    prepared().save(path)
    wider = paddle.Model(nn.Linear(4, 2))
    with pytest.raises(
        ValueError,
        match=r"weight has shape \[4, 3\] in the file, but the network expects \[4, 2\]; bias",
    ):
        wider.load(path)
    other = paddle.Model(nn.Sequential(nn.Linear(4, 3)))
    with pytest.raises(ValueError, match=r"0\.weight is not in the file; 0\.bias is not"):
        other.load(path)


def test_skip_mismatch_loads_the_rest(tmp_path: Path) -> None:
    path = str(tmp_path / "net")
    source = paddle.Model(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)))
    source.save(path)
    target = paddle.Model(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 5)))
    kept = target.network[1].weight.numpy()
    with pytest.warns(UserWarning, match=r"skipped: 1\.weight has shape \[3, 2\]"):
        target.load(path, skip_mismatch=True)
    np.testing.assert_array_equal(
        target.network[0].weight.numpy(), source.network[0].weight.numpy()
    )
    np.testing.assert_array_equal(target.network[1].weight.numpy(), kept)


def test_load_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"nope\.pdparams"):
        prepared().load(str(tmp_path / "nope"))


def test_save_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected folder/name"):
        prepared().save(str(tmp_path) + "/")
    with pytest.raises(TypeError, match="expected a str, got int"):
        prepared().save(3)


# -- summary --------------------------------------------------------------------------------------
def test_summary_takes_the_shape_from_where_it_is_known(capsys: Any) -> None:
    net = nn.Linear(4, 3)
    assert paddle.Model(net).summary((2, 4))["total_params"] == 15
    declared = paddle.Model(net, InputSpec([None, 4], "float32", "x"))
    assert declared.summary() == {"total_params": 15, "trainable_params": 15}
    used = paddle.Model(net)
    used.predict_batch([np.ones([5, 4], "float32")])
    capsys.readouterr()
    used.summary()
    assert "[[5, 4]]" in capsys.readouterr().out
    with pytest.raises(ValueError, match="expected a shape"):
        paddle.Model(net).summary()


# -- wrong arguments ------------------------------------------------------------------------------
@pytest.mark.parametrize("bad", [3, len, "net"])
def test_network_must_be_a_layer(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"Model\(network\): expected a paddle\.nn\.Layer, got"):
        paddle.Model(bad)


@pytest.mark.parametrize("name", ["inputs", "labels"])
def test_specs(name: str) -> None:
    with pytest.raises(TypeError, match=rf"Model\({name}\): expected InputSpec or Tensor, got int"):
        paddle.Model(nn.Linear(1, 1), **{name: [3]})


@pytest.mark.parametrize("name, bad", [("optimizer", 3), ("loss", 3), ("metrics", [len])])
def test_prepare(name: str, bad: Any) -> None:
    with pytest.raises(TypeError, match=rf"Model\.prepare\({name}\): expected"):
        paddle.Model(nn.Linear(1, 1)).prepare(**{name: bad})


def test_use_before_prepare() -> None:
    model = paddle.Model(nn.Linear(4, 3))
    with pytest.raises(RuntimeError, match="training needs an optimizer"):
        model.fit(Points(4), verbose=0)
    with pytest.raises(RuntimeError, match="an evaluation needs a loss or metrics"):
        model.evaluate(Points(4), verbose=0)
    model.prepare(paddle.optimizer.SGD(parameters=model.parameters()))
    with pytest.raises(RuntimeError, match="training needs a loss"):
        model.train_batch([np.ones([2, 4], "float32")])
    assert model.predict(Points(4), verbose=0)[0][0].shape == (1, 3)


@pytest.mark.parametrize("bad", [3, None])
def test_data_that_is_none(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"expected (data|a Dataset)"):
        prepared().fit(bad)


@pytest.mark.parametrize("name", ["epochs", "eval_freq"])
@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_counts(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=rf"Model\.fit\({name}\).*at least 1.*received {bad}"):
        prepared().fit(Points(), verbose=0, **{name: bad})
