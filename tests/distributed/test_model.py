"""paddle.Model in two processes: fit, evaluate and predict are those of one with whole batches."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle.distributed import fleet
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


class _Digits(paddle.io.Dataset):
    """Images with a bright square whose place tells the label."""

    def __init__(self, count: int) -> None:
        super().__init__()
        random = np.random.RandomState(count)
        self.labels = random.randint(0, 10, [count, 1]).astype("int64")
        self.images = random.rand(count, 1, 28, 28).astype("float32")
        for image, label in zip(self.images, self.labels, strict=True):
            image[0, 2 * int(label[0]) :][:4, 4:10] += 1

    def __getitem__(self, i: int) -> tuple:
        return self.images[i], self.labels[i]

    def __len__(self) -> int:
        return len(self.labels)


class _Steps(paddle.callbacks.Callback):
    """Notes the loss of each step, and looks at the logs on one process only."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []
        self.accuracies: list[float] = []

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self.losses.append(float(np.ravel(logs["loss"])[0]))
        if dist.get_rank() == 0:
            self.accuracies.append(float(logs["acc"]))


def _model(rank: int) -> paddle.Model:
    paddle.seed(3)
    net = paddle.vision.models.LeNet()
    if rank:  # process 0's parameters count
        for p in net.parameters():
            p.set_value(np.zeros(p.shape, "float32"))
    model = paddle.Model(net)
    sgd = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    model.prepare(sgd, paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    return model


def _fit(batch: int, folder: str, gathered: int = 1) -> dict[str, Any]:
    model, steps = _model(dist.get_rank()), _Steps()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        model.fit(
            _Digits(75), _Digits(29), batch_size=batch, epochs=2, shuffle=False, verbose=2,
            callbacks=[steps], save_dir=folder or None, accumulate_grad_batches=gathered,
        )  # fmt: skip
    evaluated = model.evaluate(_Digits(29), batch_size=batch, verbose=0)
    predicted = model.predict(_Digits(29), batch_size=batch, stack_outputs=True, verbose=0)[0]
    return {
        "losses": steps.losses, "accuracies": steps.accuracies, "evaluated": evaluated,
        "predicted": predicted, "printed": printed.getvalue(),
        "parameters": [p.numpy() for p in model.parameters()],
        "history": {k: v for k, v in model.history.history.items() if "time" not in k},
    }  # fmt: skip


def test_equals_one_process(job: Ranks, tmp_path: Path) -> None:
    first, second = job.run(_fit, 8, str(tmp_path))
    whole = _fit(16, "")
    # 75 samples: the last batch has 6 of each process, one of them a repeated one.
    for got in (first, second):
        np.testing.assert_allclose(got["losses"][:4], whole["losses"][:4], atol=1e-6)
        assert len(got["losses"]) == len(whole["losses"]) == 10
        for a, b in zip(got["parameters"], first["parameters"], strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(got["predicted"], first["predicted"])
        assert got["evaluated"] == first["evaluated"]
        assert got["predicted"].shape == (29, 10)
    assert first["accuracies"] and not second["accuracies"]
    assert "step" in first["printed"] and "Eval samples: 29" in first["printed"]
    assert not second["printed"]
    assert {"0.pdparams", "1.pdparams", "final.pdparams"} <= set(os.listdir(tmp_path))


def _even(batch: int, gathered: int) -> dict[str, Any]:
    model, steps = _model(dist.get_rank()), _Steps()
    model.fit(
        _Digits(64), _Digits(29), batch_size=batch, epochs=3, shuffle=False, verbose=0,
        callbacks=[steps], accumulate_grad_batches=gathered,
    )  # fmt: skip
    return {
        "losses": steps.losses, "accuracies": steps.accuracies,
        "evaluated": model.evaluate(_Digits(29), batch_size=batch, verbose=0),
        "predicted": model.predict(_Digits(29), batch_size=batch, stack_outputs=True, verbose=0)[0],
        "history": model.history.history,
    }  # fmt: skip


@pytest.mark.parametrize("gathered", [1, 2])
def test_the_same_losses(job: Ranks, gathered: int) -> None:
    first, second = job.run(_even, 8, gathered)
    whole = _even(16, gathered)
    np.testing.assert_allclose(first["losses"], whole["losses"], atol=1e-6)
    np.testing.assert_allclose(second["losses"], whole["losses"], atol=1e-6)
    np.testing.assert_allclose(first["accuracies"], whole["accuracies"], atol=1e-9)
    np.testing.assert_allclose(first["evaluated"]["loss"], whole["evaluated"]["loss"], atol=1e-5)
    assert first["evaluated"]["acc"] == second["evaluated"]["acc"] == whole["evaluated"]["acc"]
    np.testing.assert_allclose(first["predicted"], whole["predicted"], atol=1e-5)
    assert set(first["history"]) == set(whole["history"])
    for name, values in whole["history"].items():
        np.testing.assert_allclose(first["history"][name], values, atol=1e-5, err_msg=name)


class _Stream(paddle.io.IterableDataset):
    """Samples of which nobody knows how many there are; each process has its share of them."""

    def __init__(self, count: int, ranks: int) -> None:
        super().__init__()
        self.whole, self.ranks = _Digits(count), ranks

    def __iter__(self) -> Iterator[tuple]:
        return (self.whole[i] for i in range(dist.get_rank(), len(self.whole), self.ranks))


def _rest(batch: int, ranks: int, gathered: int) -> list[np.ndarray]:
    model = _model(dist.get_rank())
    loader = paddle.io.DataLoader(_Stream(48, ranks), batch_size=batch)
    model.fit(loader, epochs=2, verbose=0, accumulate_grad_batches=gathered)
    return [p.numpy() for p in model.parameters()]


@pytest.mark.parametrize("gathered", [2, 4])  # of three batches
def test_the_rest_of_data_of_unknown_length(job: Ranks, gathered: int) -> None:
    first, second = job.run(_rest, 8, 2, gathered)
    for a, b, c in zip(first, second, _rest(16, 1, gathered), strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, c, atol=1e-5)


class _Means(paddle.metric.Metric):
    """A metric that computes one number of a batch: not by samples."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def reset(self) -> None:
        self.seen = []

    def name(self) -> str:
        return "mean"

    def compute(self, outputs: Any, labels: Any) -> Any:
        return (outputs.argmax(-1) == labels.flatten()).astype("float32").mean()

    def update(self, value: Any) -> float:
        self.seen.append(float(np.ravel(value)[0]))
        return self.seen[-1]

    def accumulate(self) -> float:
        return float(np.mean(self.seen))


def _own_metric(batch: int) -> list[float]:
    model = _model(dist.get_rank())
    model.prepare(model._optimizer, model._loss, _Means())
    history = model.fit(_Digits(64), batch_size=batch, epochs=2, shuffle=False, verbose=0)
    model.evaluate(_Digits(29), batch_size=batch, verbose=0)
    return [*history.history["mean"], *model._metrics[0].seen]


def test_metrics_that_are_not_by_samples(job: Ranks) -> None:
    first, second = job.run(_own_metric, 8)
    assert first == second
    np.testing.assert_allclose(first, _own_metric(16), atol=1e-6)


class _Uneven(paddle.metric.Accuracy):
    """A metric that gives more in process 1: Tensors by samples, but not equally many."""

    def compute(self, outputs: Any, labels: Any) -> Any:
        found = super().compute(outputs, labels)
        return [found] * (1 + dist.get_rank())


def _uneven() -> str:
    model = _model(dist.get_rank())
    model.prepare(model._optimizer, model._loss, _Uneven())
    with pytest.raises(ValueError, match="but they called different ones") as error:
        model.fit(_Digits(64), batch_size=8, epochs=1, verbose=0)
    return str(error.value)


def test_processes_that_have_other_numbers_of_tensors(job: Ranks) -> None:
    for text in job.run(_uneven):
        kind = "torch.float32 [1]"
        assert f"rank 0: rows of Tensors({kind}); rank 1: rows of Tensors({kind}; {kind})" in text


def _half() -> list[float]:
    model = _model(dist.get_rank())
    model.prepare(model._optimizer, model._loss, paddle.metric.Accuracy(), amp_configs="O1")
    steps = _Steps()
    model.fit(_Digits(64), batch_size=8, epochs=2, shuffle=False, verbose=0, callbacks=[steps])
    return steps.losses


def test_mixed_precision(job: Ranks) -> None:
    first, second = job.run(_half)
    assert first == second
    assert np.isfinite(first).all() and first[-1] < first[0]


class _Boldest(paddle.metric.Metric):
    """A metric whose ``compute`` gives one number for all samples, not one for each."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def name(self) -> str:
        return "boldest"

    def compute(self, predicted: Any, label: Any) -> Any:
        return paddle.max(paddle.nn.functional.softmax(predicted))

    def update(self, value: Any) -> Any:
        self.values.append(float(np.ravel(value)[0]))
        return self.values[-1]

    def reset(self) -> None:
        self.values = []

    def accumulate(self) -> float:
        return max(self.values, default=0.0)


def _static(batch: int, gathered: int, folder: str = "") -> dict[str, Any]:
    """The same as ``_fit``, with Programs."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 3 + dist.get_rank()  # process 0's parameters count
    names = paddle.utils.unique_name.guard()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()), names:
            with paddle.static.program_guard(main, startup):
                return _static_fit(batch, gathered, folder)
    finally:
        paddle.disable_static()


def _static_fit(batch: int, gathered: int, folder: str) -> dict[str, Any]:
    spec = paddle.static.InputSpec
    model = paddle.Model(
        paddle.vision.models.LeNet(), spec([None, 1, 28, 28], "float32", "image"),
        spec([None, 1], "int64", "label"),
    )  # fmt: skip
    sgd = paddle.optimizer.SGD(0.05, parameters=model.parameters())
    metrics = [paddle.metric.Accuracy(), _Boldest()]
    model.prepare(sgd, paddle.nn.CrossEntropyLoss(), metrics)
    steps, printed = _Steps(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        model.fit(
            _Digits(64), _Digits(29), batch_size=batch, epochs=2, shuffle=False, verbose=2,
            callbacks=[steps], save_dir=folder or None, accumulate_grad_batches=gathered,
        )  # fmt: skip
    return {
        "losses": steps.losses, "accuracies": steps.accuracies, "printed": printed.getvalue(),
        "evaluated": model.evaluate(_Digits(29), batch_size=batch, verbose=0),
        "predicted": model.predict(_Digits(29), batch_size=batch, stack_outputs=True, verbose=0)[0],
        "history": {k: v for k, v in model.history.history.items() if "time" not in k},
    }  # fmt: skip


@pytest.mark.parametrize("gathered", [1, 2])
def test_static_mode(job: Ranks, gathered: int, tmp_path: Path) -> None:
    first, second = job.run(_static, 8, gathered, str(tmp_path))
    whole = _static(16, gathered)
    for got in (first, second):
        np.testing.assert_allclose(got["losses"], whole["losses"], atol=1e-6)
        np.testing.assert_allclose(got["predicted"], whole["predicted"], atol=1e-5)
        np.testing.assert_allclose(got["evaluated"]["loss"], whole["evaluated"]["loss"], atol=1e-5)
        assert got["evaluated"]["acc"] == whole["evaluated"]["acc"]
        np.testing.assert_allclose(got["evaluated"]["boldest"], whole["evaluated"]["boldest"], 1e-5)
    np.testing.assert_allclose(first["accuracies"], whole["accuracies"], atol=1e-9)
    for name, values in whole["history"].items():
        np.testing.assert_allclose(first["history"][name], values, atol=1e-5, err_msg=name)
    assert "Eval samples: 29" in first["printed"] and not second["printed"]
    assert {"0.pdparams", "1.pdparams", "final.pdparams"} <= set(os.listdir(tmp_path))


def _by_fleet() -> tuple[list[float], int]:
    """The losses of a Model whose optimizer is fleet's, and the exchanges of its Program."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    try:
        with paddle.static.scope_guard(paddle.static.Scope()):
            with paddle.static.program_guard(main, startup):
                fleet.init(is_collective=True)
                spec, start = paddle.static.InputSpec, paddle.nn.initializer.Constant(0.1)
                net = paddle.nn.Linear(784, 10, weight_attr=paddle.ParamAttr(initializer=start))
                model = paddle.Model(
                    paddle.nn.Sequential(paddle.nn.Flatten(), net),
                    spec([None, 1, 28, 28], "float32", "image"), spec([None, 1], "int64", "label"),
                )  # fmt: skip
                sgd = paddle.optimizer.SGD(0.01, parameters=model.parameters())
                model.prepare(fleet.distributed_optimizer(sgd), paddle.nn.CrossEntropyLoss())
                batch = 16 // fleet.worker_num()
                model.fit(_Digits(64), batch_size=batch, epochs=2, shuffle=False, verbose=0)
                program = model._adapter.training_programs()["train"]
    finally:
        paddle.disable_static()
    kinds = [op.type for op in program.global_block().ops]
    return model.history.history["loss"], kinds.count("c_allreduce_sum")


def test_the_optimizer_of_fleet_exchanges_once(job: Ranks) -> None:
    whole, _ = _by_fleet()
    for losses, exchanges in job.run(_by_fleet):
        np.testing.assert_allclose(losses, whole, atol=1e-5)
        assert exchanges == 2  # of a weight and a bias


def _shares() -> list[list[int]]:
    sampler = paddle.io.DistributedBatchSampler(_Digits(10), 2, shuffle=True)
    return [list(batch) for _ in range(2) for batch in sampler]


def test_the_sampler_deals_out(job: Ranks) -> None:
    first, second = job.run(_shares)
    for epoch in (slice(0, 3), slice(3, 6)):
        dealt = [i for batch in first[epoch] + second[epoch] for i in batch]
        assert sorted(dealt) == list(range(10))
    assert first[:3] != first[3:]
