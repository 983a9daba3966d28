"""paddle.distributed.split in two processes: results and gradients are those of whole layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


X = np.random.RandomState(0).randn(4, 6).astype("float32")
W = np.random.RandomState(1).randn(6, 10).astype("float32")
B = np.random.RandomState(2).randn(10).astype("float32")
G = np.random.RandomState(3).randn(4, 10).astype("float32")
IDS = np.array([[0, 3], [4, 2], [1, 4]])


def _attr(value: np.ndarray) -> Any:
    return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(value))


def _half(array: np.ndarray, axis: int) -> np.ndarray:
    return np.split(array, 2, axis)[dist.get_rank()]


def _linear(x: Any, axis: int, gather_out: bool = True) -> Any:
    bias = B if axis == 0 else _half(B, 0)
    return dist.split(x, (6, 10), "linear", axis, 2, gather_out, _attr(_half(W, axis)), _attr(bias))


def _table(x: Any) -> Any:
    part = W[:5][:3] if dist.get_rank() == 0 else W[:5][3:]
    return dist.split(x, (5, 10), "embedding", 0, 2, weight_attr=_attr(part))


def _weights(out: Any) -> dict[int, np.ndarray]:
    """The gradients of the parameters behind a result, by their number of dimensions."""
    from paddle.core.listening import last_uses
    from paddle.core.tape import edge_of

    return {p.ndim: p.grad.numpy() for p in last_uses([edge_of(out)]) if p.is_parameter}


def _dynamic() -> None:
    for axis in (0, 1):
        x = paddle.to_tensor(X, stop_gradient=False)
        out = _linear(x, axis)
        (out * paddle.to_tensor(G)).sum().backward(retain_graph=True)
        np.testing.assert_allclose(out.numpy(), X @ W + B, atol=1e-5)
        np.testing.assert_allclose(x.grad.numpy(), G @ W.T, atol=1e-5)
        grads = _weights(out)
        np.testing.assert_allclose(grads[2], _half(X.T @ G, axis), atol=1e-5)
        bias = G.sum(0)
        np.testing.assert_allclose(grads[1], bias if axis == 0 else _half(bias, 0), atol=1e-5)
    part = paddle.to_tensor(_half(X, 1))
    np.testing.assert_allclose(_linear(part, 0).numpy(), X @ W + B, atol=1e-5)
    own = _linear(part, 0, False).numpy()
    np.testing.assert_allclose(own, _half(X, 1) @ _half(W, 0), atol=1e-5)
    own = _linear(paddle.to_tensor(X), 1, False).numpy()
    np.testing.assert_allclose(own, _half(X @ W + B, 1), atol=1e-5)
    found = _table(paddle.to_tensor(IDS))
    np.testing.assert_array_equal(found.numpy(), W[IDS])
    found.sum().backward(retain_graph=True)
    counts = np.bincount(IDS.ravel(), minlength=5).astype("float32")
    counts = counts[:3] if dist.get_rank() == 0 else counts[3:]
    np.testing.assert_allclose(_weights(found)[2], np.repeat(counts[:, None], 10, 1))


def test_dynamic(job: Ranks) -> None:
    job.run(_dynamic)


def _static() -> None:
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 6], "float32")
            ids = paddle.static.data("ids", [None, 2], "int64")
            x.stop_gradient = False
            rows, columns, table = _linear(x, 0), _linear(x, 1), _table(ids)
            loss = (rows * columns).sum() + table.sum()
            pairs = paddle.static.append_backward(loss)
            (dx,) = paddle.static.gradients([loss], [x])
        executor = paddle.static.Executor()
        executor.run(startup)
        got = executor.run(
            main, feed={"x": X, "ids": IDS},
            fetch_list=[rows, columns, table, dx, *[g for _, g in pairs]],
        )  # fmt: skip
    finally:
        paddle.disable_static()
    whole = X @ W + B
    np.testing.assert_allclose(got[0], whole, atol=1e-5)
    np.testing.assert_allclose(got[1], whole, atol=1e-5)
    np.testing.assert_array_equal(got[2], W[IDS])
    np.testing.assert_allclose(got[3], 2 * whole @ W.T, rtol=1e-4)
    shapes = sorted(g.shape for g in got[4:])
    last = 3 if dist.get_rank() == 0 else 2
    assert shapes == sorted([(3, 10), (10,), (6, 5), (5,), (last, 10)])
    for grad in got[4:]:
        if grad.shape == (6, 5):
            np.testing.assert_allclose(grad, _half(X.T @ whole, 1), rtol=1e-4, atol=1e-4)


def test_static(job: Ranks) -> None:
    job.run(_static)


@pytest.mark.parametrize(
    ("size", "operation", "axis", "shape", "words"),
    [
        ((5, 4), "linear", 0, [2, 5], r"number that 2 processes can divide at 0.*\(5, 4\)"),
        ((4, 5), "linear", 1, [2, 4], r"number that 2 processes can divide at 1.*\(4, 5\)"),
        ((4, 4), "linear", 0, [2, 3], r"last dimension of 4, or of 2.*\[2, 3\]"),
        ((1, 4), "embedding", 0, [2], "rows for each of 2 processes, but received 1"),
    ],
)
def test_bad_arguments(
    job: Ranks, size: tuple, operation: str, axis: int, shape: list, words: str
) -> None:
    for told in job.run(_bad, size, operation, axis, shape):
        assert re.search(words, told)


def _bad(size: tuple, operation: str, axis: int, shape: list) -> str:
    x = paddle.zeros(shape, "int64" if operation == "embedding" else "float32")
    with pytest.raises(ValueError) as raised:
        dist.split(x, size, operation, axis, 2)
    return str(raised.value)
