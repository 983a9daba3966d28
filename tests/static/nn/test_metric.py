"""paddle.static.accuracy, auc and create_global_var: values over several runs, and wrong use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import paddle
from paddle import static
from tests.static.harness import static as fresh
from tests.static.nn.test_training import Session


def scores(rows: int, classes: int, seed: int) -> np.ndarray:
    return np.random.RandomState(seed).dirichlet(np.ones(classes), rows).astype("float32")


@pytest.mark.parametrize("k", [1, 3])
def test_accuracy(k: int) -> None:
    p, y = scores(20, 5, 0), np.random.RandomState(1).randint(0, 5, (20, 1))
    hits = sum(int(c[0] in np.argsort(-row)[:k]) for row, c in zip(p, y, strict=True))
    with fresh() as (main, startup):
        given = [static.create_global_var([1], 7, "int32", True, name=n) for n in ("hits", "rows")]
        x, label = static.data("x", [None, 5]), static.data("y", [None, 1], "int64")
        share = static.accuracy(x, label, k, correct=given[0], total=given[1])
        assert share.shape == (1,) and share.stop_gradient
        assert [op.type for op in main.global_block().ops] == ["top_k_v2", "accuracy"]
    session = Session(startup)
    assert session["hits"] == 7
    assert session.run(main, {"x": p, "y": y}, [share])[0] == np.float32(hits / 20)
    assert session["hits"].tolist() == [hits] and session["rows"].tolist() == [20]


def test_accuracy_at_once() -> None:
    p, y = scores(9, 4, 2), np.random.RandomState(3).randint(0, 4, (9, 1))
    got = static.accuracy(paddle.to_tensor(p), paddle.to_tensor(y))
    assert got.numpy() == np.float32((p.argmax(1) == y[:, 0]).mean())


def area(p: np.ndarray, y: np.ndarray) -> float:
    """The share of pairs that are in the right order, a tie counting half."""
    good, bad = p[y == 1][:, None], p[y == 0][None]
    return ((good > bad) + 0.5 * (good == bad)).mean()


@pytest.mark.parametrize("slide_steps", [0, 1, 2])
def test_auc_of_everything_and_of_the_last_batches(slide_steps: int) -> None:
    bins = 64
    with fresh() as (main, startup):
        x, label = static.data("x", [None, 2]), static.data("y", [None, 1], "int64")
        whole, last, counters = static.auc(
            x, label, num_thresholds=bins - 1, slide_steps=slide_steps
        )
        size = (slide_steps + 1) * bins + 1
        shapes = [(size,)] * 2 if slide_steps else [(1, bins)] * 2
        assert [c.shape for c in counters] == [*shapes, (1, bins), (1, bins)]
        assert all(c.persistable and c.stop_gradient for c in counters)
    session = Session(startup)
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    for i in range(4):
        p, y = scores(30, 2, i), np.random.RandomState(i + 50).randint(0, 2, (30, 1))
        seen.append((np.floor(p[:, 1] * (bins - 1)), y[:, 0]))
        got = session.run(main, {"x": p, "y": y}, [whole, last])
        for value, start in zip(got, (0, -slide_steps if slide_steps else 0), strict=True):
            expected = area(*(np.concatenate(part) for part in zip(*seen[start:], strict=True)))
            assert value.dtype == np.float64 and value.shape == (1,)
            assert value[0] == pytest.approx(expected, abs=1e-12)
    totals = session[counters[2].name].sum(), session[counters[3].name].sum()
    labels = np.concatenate([y for _, y in seen])
    assert totals == (labels.sum(), (1 - labels).sum())


def test_create_global_var() -> None:
    with fresh() as (main, startup):
        a = static.create_global_var([2, 3], 1.5, "float64", persistable=True, name="a")
        b = static.create_global_var([1], -4, "int64", True, force_cpu=True)
        c = a + 1.0
        assert (a.stop_gradient, a.persistable, b.name) == (True, True, "_generated_var_0")
        fill = startup.global_block().ops
        assert [(op.type, op.attr("force_cpu")) for op in fill] == [
            ("fill_constant", False), ("fill_constant", True),
        ]  # fmt: skip
        assert not main.all_parameters() and len(main.global_block().ops) == 1
    session = Session(startup)
    got = session.run(main, None, [a, b, c])
    np.testing.assert_array_equal(got[0], np.full((2, 3), 1.5))
    assert got[1].tolist() == [-4] and got[1].dtype == np.int64
    np.testing.assert_array_equal(got[2], np.full((2, 3), 2.5))


def test_create_global_var_wrong_use() -> None:
    with pytest.raises(RuntimeError, match="dynamic mode"):
        static.create_global_var([1], 0, "int64")
    with fresh():
        static.create_global_var([1], 0, "int64", name="a")
        with pytest.raises(RuntimeError, match="'a' already"):
            static.create_global_var([1], 0, "int64", name="a")
        with pytest.raises(TypeError, match=r"value\): expected a number, but received str"):
            static.create_global_var([1], "0", "int64")
        with pytest.raises(ValueError, match=r"an integer for dtype int64, but received 0.5"):
            static.create_global_var([1], 0.5, "int64")
        with pytest.raises(ValueError, match=r"sizes >= 0, but received \[-1, 2\]"):
            static.create_global_var([-1, 2], 0, "int64")
        with pytest.raises(TypeError, match=r"name\): expected a str or None, but received 3"):
            static.create_global_var([1], 0, "int64", name=3)


def metric_errors() -> list[tuple[Any, type, str]]:
    def make(f: Any) -> Any:
        return lambda: f(static.data("x", [None, 2]), static.data("y", [None, 1], "int64"))

    return [
        (make(lambda x, y: static.accuracy([1], y)), TypeError, r"input\): expected a Variable"),
        (make(lambda x, y: static.accuracy(x, x)), ValueError, "int32 or int64.*float32"),
        (make(lambda x, y: static.accuracy(x, y, k=3)), ValueError, "number of classes, 2.* 3"),
        (make(lambda x, y: static.accuracy(x, y, k=1.5)), TypeError, r"k\): expected an int.*1.5"),
        (make(lambda x, y: static.accuracy(x, y, correct=y)), ValueError, "1 dimensions"),
        (make(lambda x, y: static.accuracy(y, y)), ValueError, "float32.*received int64"),
        (make(lambda x, y: static.auc(x, y, curve="PR")), NotImplementedError, "use 'ROC'"),
        (make(lambda x, y: static.auc(x, y, curve="R")), ValueError, r"curve\): expected 'ROC'"),
        (make(lambda x, y: static.auc(x, y, topk=2)), NotImplementedError, "topk=2"),
        (make(lambda x, y: static.auc(x, y, num_thresholds=0)), ValueError, "int >= 1.* 0"),
        (make(lambda x, y: static.auc(y, y)), ValueError, "float32 or float64.*int64"),
        (make(lambda x, y: static.auc(x, x)), ValueError, "int32 or int64.*float32"),
    ]


@pytest.mark.parametrize("at", range(12))
def test_wrong_metrics(at: int) -> None:
    call, raises, match = metric_errors()[at]
    with fresh(), pytest.raises(raises, match=match):
        call()
