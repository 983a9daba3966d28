"""paddle/operators.h: a function of C++ for each operator, and what calls of operators can say."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core.op import C
from tests.native.chapter8.building import chapter8

ROOT = Path(__file__).resolve().parents[3]


def test_the_header_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location(
        "make_operator_header", ROOT / "scripts" / "make_operator_header.py"
    )
    assert spec is not None and spec.loader is not None
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    same = maker.TARGET.read_text("utf8") == maker.text()
    assert same, "operators have changed: run python scripts/make_operator_header.py"


@pytest.fixture(scope="module")
def library(built_here: Path) -> Iterator[Any]:
    with chapter8(built_here, "calling.cc") as found:
        yield found


def test_a_kernel_of_operators(library: Any) -> None:
    rng = np.random.default_rng(0)
    x, y, b = (rng.random(s).astype("float32") for s in ([4, 3], [5, 3], [5]))
    out = C.calls_linear(paddle.to_tensor(x), paddle.to_tensor(y), paddle.to_tensor(b)).numpy()
    raised = np.exp(x @ y.T + b)
    np.testing.assert_allclose(out, raised / raised.sum(1, keepdims=True), rtol=1e-5)


def test_several_results_and_lists(library: Any) -> None:
    x = paddle.to_tensor([[1.0, 5.0, 3.0, 4.0], [8.0, 5.0, 6.0, 7.0]])
    assert C.calls_best(x, k=4).numpy().tolist() == [[3, 1, 5, 4], [6, 5, 8, 7]]


def test_attributes_by_position(library: Any) -> None:
    x = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], "float32")
    got = [t.numpy() for t in C.calls_positions(paddle.to_tensor(x))]
    rows = np.concatenate([x, 2 * x + 1]).reshape(2, 2, 3)
    best = np.clip(rows, -1, 4).max(1)[:, 1:]
    np.testing.assert_allclose(got[0], x @ x.T)
    assert got[1].tolist() == best.reshape(-1).tolist()
    assert got[2].dtype == np.float64 and got[2].tolist() == x.sum(1, keepdims=True).tolist()
    np.testing.assert_allclose(got[3], [(x * x).mean()], rtol=1e-6)
    assert got[4].tolist() == (2 * x).tolist()
    np.testing.assert_allclose(got[5], np.exp(x) / np.exp(x).sum(0), rtol=1e-5)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("name", RuntimeError, "there is no operator named 'no_such_operator'"),
        ("attribute", ValueError, "operator relu has no attribute 'slope'"),
        ("inputs", ValueError, "operator relu has 1 inputs, but a library gave it 2"),
        ("shape", ValueError, "cannot be multiplied"),
    ],
)
def test_wrong_calls(library: Any, how: str, kind: type, words: str) -> None:
    with pytest.raises(kind) as caught:
        C.calls_wrong(paddle.ones([2, 3]), how=how)
    assert words in str(caught.value) and "calls_wrong" in str(caught.value)
    assert C.calls_wrong(paddle.ones([2, 3]), how="").numpy().tolist() == np.ones([2, 3]).tolist()
