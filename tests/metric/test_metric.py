"""Metrics against their formulas, and against values that PaddlePaddle 2.6.2 gave."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.metric import Accuracy, Auc, Metric, Precision, Recall, accuracy

SCORES = np.array(
    [[0.1, 0.5, 0.4], [0.3, 0.31, 0.39], [0.2, 0.3, 0.1], [0.9, 0.06, 0.04]], "float32"
)
LABELS = np.array([1, 0, 2, 0], "int64")


def two_columns(score: np.ndarray) -> np.ndarray:
    return np.stack([1 - score, score], axis=1)


def random_binary(seed: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(seed)
    return rng.rand(count), rng.randint(0, 2, count)


# -- Metric ------------------------------------------------------------------------------
def test_a_metric_must_define_its_methods() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Metric()


@pytest.mark.parametrize("method", ["reset", "update", "accumulate", "name"])
def test_the_base_methods_say_what_is_missing(method: str) -> None:
    class Half(Metric):
        def reset(self) -> None:
            super().reset()

        def update(self, *args: Any) -> Any:
            return super().update(*args)

        def accumulate(self) -> Any:
            return super().accumulate()

        def name(self) -> Any:
            return super().name()

    with pytest.raises(NotImplementedError, match=rf"Half does not define {method}\(\)"):
        getattr(Half(), method)()
    assert Half().compute(1, 2) == (1, 2)


def test_signatures() -> None:
    defaults = {n: p.default for n, p in inspect.signature(accuracy).parameters.items()}
    none, empty = None, inspect.Parameter.empty
    assert defaults == {
        "input": empty, "label": empty, "k": 1, "correct": none, "total": none, "name": none
    }  # fmt: skip
    assert list(inspect.signature(Auc).parameters) == [
        "curve", "num_thresholds", "name", "args", "kwargs"
    ]  # fmt: skip


# -- Accuracy ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "label",
    [
        LABELS,
        LABELS.astype("int32"),
        LABELS[:, None],
        np.eye(3, dtype="float32")[LABELS],
        np.eye(3, dtype="int64")[LABELS],
    ],
    ids=["flat", "int32", "column", "one-hot", "one-hot int"],
)
def test_accuracy_takes_labels_in_every_form(label: np.ndarray) -> None:
    metric = Accuracy(topk=(1, 2))
    correct = metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(label))
    assert correct.dtype == paddle.float32
    assert correct.numpy().tolist() == [[1, 0], [0, 0], [0, 0], [1, 0]]
    assert metric.update(correct) == [0.5, 0.5]


def test_accuracy_adds_up_over_batches() -> None:
    metric = Accuracy(topk=(1, 2))
    assert metric.update(np.array([[1.0, 0], [0, 1], [0, 0], [1, 0]])) == [0.5, 0.75]
    assert metric.update(paddle.to_tensor([[0.0, 1.0]])) == [0.0, 1.0]
    assert metric.accumulate() == [2 / 5, 4 / 5]
    assert (metric.total, metric.count) == ([2.0, 4.0], [5, 5])
    metric.reset()
    assert metric.accumulate() == [0.0, 0.0]


def test_one_k_gives_a_number() -> None:
    metric = Accuracy()
    assert metric.update(metric.compute(paddle.to_tensor(SCORES), paddle.to_tensor(LABELS))) == 0.5
    assert metric.accumulate() == 0.5
    assert isinstance(metric.accumulate(), float)


def test_of_equal_scores_the_first_class_counts() -> None:
    scores, label = paddle.to_tensor(np.zeros((3, 7), "float32")), paddle.to_tensor([0, 3, 6])
    assert Accuracy().compute(scores, label).numpy().tolist() == [[1], [0], [0]]


def test_accuracy_of_sequences() -> None:
    rng = np.random.RandomState(0)
    scores, label = rng.rand(2, 5, 4).astype("float32"), rng.randint(0, 4, (2, 5))
    want = (scores.argmax(-1) == label).mean()
    for shaped in (label, label[..., None], np.eye(4)[label]):
        metric = Accuracy()
        got = metric.update(metric.compute(paddle.to_tensor(scores), paddle.to_tensor(shaped)))
        assert got == pytest.approx(want)


def test_accuracy_at_k_against_sorting() -> None:
    rng = np.random.RandomState(1)
    scores, label = rng.rand(50, 10).astype("float32"), rng.randint(0, 10, (50, 1))
    order = np.argsort(-scores, axis=1)
    metric = Accuracy(topk=(1, 3, 5))
    got = metric.update(metric.compute(paddle.to_tensor(scores), paddle.to_tensor(label)))
    assert got == pytest.approx([(order[:, :k] == label).any(1).mean() for k in (1, 3, 5)])


def test_accuracy_does_not_wait_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, *args: Any) -> Any:
        raise AssertionError("compute read a value back")

    for reader in ("numpy", "item", "tolist", "__bool__", "__int__", "__float__", "__array__"):
        monkeypatch.setattr(paddle.Tensor, reader, fail)
    Accuracy(topk=(1, 2)).compute(paddle.to_tensor(SCORES), paddle.to_tensor(LABELS))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["acc"]),
        ({"topk": (1, 2)}, ["acc_top1", "acc_top2"]),
        ({"topk": [2]}, ["acc_top2"]),
        ({"topk": (1, 5), "name": "x"}, ["x_top1", "x_top5"]),
        ({"name": "q"}, ["q"]),
    ],
)
def test_names_of_accuracy(options: dict, names: list[str]) -> None:
    assert Accuracy(**options).name() == names


@pytest.mark.parametrize(
    ("topk", "error", "text"),
    [
        (3, TypeError, "topk to be a tuple of ints, but received 3"),
        ((1, 2.0), TypeError, r"tuple of ints, but received \(1, 2.0\)"),
        ((), ValueError, r"positive numbers, but received \(\)"),
        ((0, 1), ValueError, r"positive numbers, but received \(0, 1\)"),
    ],
)
def test_wrong_topk(topk: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        Accuracy(topk=topk)


@pytest.mark.parametrize(
    ("scores", "label", "text"),
    [
        ((4, 3), (3,), r"shape \[4\], \[4, 1\] or .* \[4, 3\].* received \[3\]"),
        ((4, 3), (3, 1), r"received \[3, 1\]"),
        ((4, 3), (4, 2), r"received \[4, 2\]"),
        ((4, 3), (4, 1, 1), r"received \[4, 1, 1\]"),
        ((2, 5, 3), (2, 1), r"received \[2, 1\]"),
        ((4, 1), (4,), r"C at least 2 \(max of topk\), but received \[4, 1\]"),
        ((4,), (4,), r"C at least 2 \(max of topk\), but received \[4\]"),
    ],
)
def test_shapes_that_do_not_fit(scores: tuple, label: tuple, text: str) -> None:
    with pytest.raises(ValueError, match=rf"Accuracy.compute: .*{text}"):
        Accuracy(topk=(1, 2)).compute(
            paddle.to_tensor(np.zeros(scores, "float32")),
            paddle.to_tensor(np.zeros(label, "int64")),
        )


def test_wrong_types_for_accuracy() -> None:
    with pytest.raises(TypeError, match=r"compute: expected pred to be a Tensor, .* ndarray"):
        Accuracy().compute(SCORES, paddle.to_tensor(LABELS))
    with pytest.raises(ValueError, match=r"'correct' must be a numpy.ndarray or a Tensor, .* list"):
        Accuracy().update([[1.0]])
    with pytest.raises(ValueError, match=r"shape \[..., 3\], but received \[2, 1\]"):
        Accuracy(topk=(3,)).update(np.ones((2, 1)))


# -- accuracy ----------------------------------------------------------------------------
def test_accuracy_of_a_batch_has_shape_1() -> None:
    scores, label = paddle.to_tensor(SCORES), paddle.to_tensor(LABELS[:, None])
    got = accuracy(scores, label)
    assert (got.shape, got.dtype) == ([1], paddle.float32)
    assert str(got.numpy()) == "[0.5]"
    assert accuracy(scores, paddle.to_tensor(LABELS)).numpy() == [0.5]
    assert accuracy(scores, label, k=3).numpy() == [1.0]
    assert accuracy(paddle.to_tensor(SCORES.astype("float64")), label).dtype == paddle.float32


def test_accuracy_prints_as_in_the_guide() -> None:
    scores = np.zeros((64, 10), "float32")
    label = np.arange(64)[:, None] % 10
    scores[np.arange(64), label[:, 0]] = 1
    label[:6] = (label[:6] + 1) % 10
    acc = accuracy(paddle.to_tensor(scores), paddle.to_tensor(label))
    assert f"acc is: {acc.numpy()}" == "acc is: [0.90625]"


def test_accuracy_fills_the_given_counts() -> None:
    correct, total = (paddle.to_tensor(np.zeros(1, "int32")) for _ in range(2))
    label = paddle.to_tensor(LABELS[:, None].astype("int32"))
    accuracy(paddle.to_tensor(SCORES), label, 1, correct, total)
    assert (correct.numpy().tolist(), total.numpy().tolist()) == ([2], [4])


@pytest.mark.parametrize(
    ("label", "options", "error", "text"),
    [
        (np.zeros((3, 1), "int64"), {}, ValueError, r"received \[4, 3\] and \[3, 1\]"),
        (np.zeros((4, 2), "int64"), {}, ValueError, r"received \[4, 3\] and \[4, 2\]"),
        (np.zeros((4, 1, 1), "int64"), {}, ValueError, r"and \[4, 1, 1\]"),
        (np.zeros((4, 1), "float32"), {}, ValueError, "label to be int32 or int64, .*FP32"),
        (np.zeros((4, 1), "int64"), {"k": 5}, ValueError, "k from 1 to .* 3, but received 5"),
        (np.zeros((4, 1), "int64"), {"k": 0}, ValueError, "k from 1 to .* 3, but received 0"),
        (np.zeros((4, 1), "int64"), {"k": 1.0}, TypeError, "k to be an int, .* float"),
    ],
)
def test_wrong_arguments_of_accuracy(
    label: np.ndarray, options: dict, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=f"accuracy: .*{text}"):
        accuracy(paddle.to_tensor(SCORES), paddle.to_tensor(label), **options)


def test_accuracy_wants_tensors() -> None:
    with pytest.raises(TypeError, match="expected label to be a Tensor, but received ndarray"):
        accuracy(paddle.to_tensor(SCORES), LABELS)


# -- Precision and Recall ----------------------------------------------------------------
def test_precision_and_recall_round_the_half_differently() -> None:
    # The values of PaddlePaddle 2.6.2: 0.5 counts as positive for one and not for the other.
    preds, labels = np.array([0.1, 0.5, 0.6, 0.7, 0.49999]), np.array([0, 1, 1, 0, 1])
    precision, recall = Precision(), Recall()
    precision.update(preds, labels)
    recall.update(preds, labels)
    assert (precision.tp, precision.fp, precision.accumulate()) == (2, 1, 2 / 3)
    assert (recall.tp, recall.fn, recall.accumulate()) == (1, 2, 1 / 3)
    columns = paddle.to_tensor([[0.1], [0.5], [0.6], [0.7]]), paddle.to_tensor([[0], [1], [1], [0]])
    precision.update(*columns)
    recall.update(*columns)
    assert (precision.accumulate(), recall.accumulate()) == (4 / 6, 2 / 5)


def test_precision_and_recall_against_counting() -> None:
    precision, recall = Precision(), Recall()
    tp = fp = fn = 0
    for seed in range(3):
        preds, labels = random_binary(seed)
        precision.update(preds, labels)
        recall.update(paddle.to_tensor(preds), paddle.to_tensor(labels))
        for p, y in zip(preds, labels):
            tp += p > 0.5 and y == 1
            fp += p > 0.5 and y == 0
            fn += p <= 0.5 and y == 1
    assert precision.accumulate() == tp / (tp + fp)
    assert recall.accumulate() == tp / (tp + fn)


@pytest.mark.parametrize("kind", [Precision, Recall])
def test_without_samples_the_value_is_0(kind: type) -> None:
    metric = kind()
    assert metric.accumulate() == 0.0
    metric.update(np.array([0.9]), np.array([1]))
    assert metric.accumulate() == 1.0
    metric.reset()
    assert metric.accumulate() == 0.0
    assert metric.name() == kind.__name__.lower()
    assert kind(name="n").name() == "n"


@pytest.mark.parametrize("kind", [Precision, Recall])
def test_wrong_arguments_of_precision_and_recall(kind: type) -> None:
    name = kind.__name__
    with pytest.raises(
        ValueError, match=rf"{name}.update: 'preds' must be a numpy.* received list"
    ):
        kind().update([0.1], np.array([1]))
    with pytest.raises(ValueError, match=r"'labels' must be a numpy.* received int"):
        kind().update(np.array([0.1]), 1)
    for preds, labels in (((2,), (1,)), ((2, 2), (2,)), ((2, 2), (2, 2))):
        with pytest.raises(ValueError, match=rf"{name}.update: expected .* shape \[N\]"):
            kind().update(np.ones(preds), np.ones(labels, "int64"))


# -- Auc ---------------------------------------------------------------------------------
def test_auc_values_of_paddlepaddle() -> None:
    rng = np.random.RandomState(0)
    score, labels = rng.rand(50, 1), rng.randint(0, 2, (50, 1))
    preds = np.concatenate([1 - score, score], 1)
    fine, coarse = Auc(), Auc(num_thresholds=10)
    fine.update(preds, labels)
    coarse.update(paddle.to_tensor(preds), paddle.to_tensor(labels))
    assert fine.accumulate() == pytest.approx(0.4983974358974359, abs=1e-14)
    assert coarse.accumulate() == pytest.approx(0.4951923076923077, abs=1e-14)
    assert coarse._stat_pos.tolist() == [1, 3, 1, 3, 4, 3, 2, 5, 1, 3, 0]
    assert coarse._stat_neg.tolist() == [4, 0, 1, 1, 2, 3, 8, 1, 2, 2, 0]


def test_auc_is_the_chance_that_a_positive_ranks_higher() -> None:
    metric = Auc(num_thresholds=1000)
    kept = []
    for seed in range(3):
        score, labels = random_binary(seed)
        score = np.floor(score * 100) / 100 + 0.005
        metric.update(two_columns(score), labels)
        kept.append((score, labels))
    score, labels = (np.concatenate(part) for part in zip(*kept))
    gap = score[labels == 1][:, None] - score[labels == 0][None]
    want = np.mean((gap > 1e-9) + 0.5 * (np.abs(gap) < 1e-9))
    assert metric.accumulate() == pytest.approx(want, abs=1e-12)


def test_area_under_the_precision_recall_curve() -> None:
    score, labels = random_binary(5)
    score = np.floor(score * 50) / 50 + 0.01
    metric = Auc("PR", num_thresholds=50)
    metric.update(two_columns(score), labels)
    points = [(0.0, 1.0)]
    for cut in sorted(set(np.round(score, 6)), reverse=True):
        chosen = score >= cut - 1e-9
        hits = (chosen & (labels == 1)).sum()
        points.append((hits / labels.sum(), hits / chosen.sum()))
    want = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))
    assert metric.accumulate() == pytest.approx(want, abs=1e-12)
    assert metric.accumulate() != Auc().accumulate()


def test_perfect_and_reversed_scores() -> None:
    score, labels = np.array([0.1, 0.2, 0.8, 1.0]), np.array([0, 0, 1, 1])
    metric = Auc()
    metric.update(two_columns(score), labels)
    assert metric.accumulate() == 1.0
    metric.reset()
    metric.update(two_columns(score), 1 - labels)
    assert metric.accumulate() == 0.0


def test_auc_of_one_class_is_0() -> None:
    metric = Auc(name="area")
    assert (metric.accumulate(), metric.name()) == (0.0, "area")
    metric.update(two_columns(np.array([0.5, 0.6])), np.array([1, 1]))
    assert metric.accumulate() == 0.0
    assert Auc.trapezoid_area(1, 3, 2, 5) == 7.0


@pytest.mark.parametrize(
    ("preds", "labels", "text"),
    [
        (np.ones((3, 1)), np.ones(3), r"preds of shape \[N, 2\] .* received \[3, 1\] and \[3\]"),
        (np.ones(3), np.ones(3), r"received \[3\] and \[3\]"),
        (np.ones((3, 2)), np.ones(2), r"received \[3, 2\] and \[2\]"),
        (np.ones((3, 2)), np.array([0, 2, 1]), "labels 0 and 1, but received 2"),
        (np.full((3, 2), 1.5), np.ones(3), "probabilities from 0 to 1, but received 1.5"),
        (np.full((3, 2), -0.5), np.ones(3), "probabilities from 0 to 1, but received -0.5"),
        (np.full((3, 2), np.nan), np.ones(3), "probabilities from 0 to 1, but received nan"),
        ([[0.5, 0.5]], np.ones(1), "'preds' must be a numpy.ndarray or a Tensor"),
    ],
)
def test_wrong_arguments_of_auc(preds: Any, labels: Any, text: str) -> None:
    metric = Auc()
    with pytest.raises(ValueError, match=f"Auc.update: .*{text}"):
        metric.update(preds, labels)
    assert metric._stat_pos.sum() == metric._stat_neg.sum() == 0


def test_wrong_options_of_auc() -> None:
    with pytest.raises(ValueError, match="curve to be 'ROC' or 'PR', but received 'roc'"):
        Auc(curve="roc")
    with pytest.raises(ValueError, match="num_thresholds to be a positive int, but received 0"):
        Auc(num_thresholds=0)
