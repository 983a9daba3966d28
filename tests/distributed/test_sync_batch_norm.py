"""Batch norm over two processes: values and gradients are those of one with the joined batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.core.op import C
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


SHAPES = [((6, 3), "NCHW"), ((6, 3, 4, 5), "NCHW"), ((6, 4, 5, 3), "NHWC"), ((6, 7, 3), "NLC")]


def _layers(layout: str) -> tuple[Any, Any]:
    layers = nn.SyncBatchNorm(3, data_format=layout), nn.BatchNorm1D(3)
    for layer in layers:
        layer.weight.set_value(np.array([0.5, 1.5, -2.0], "float32"))
        layer.bias.set_value(np.array([0.1, 0.2, 0.3], "float32"))
    return layers


def _normalized(shape: tuple, layout: str, cut: int) -> None:
    """Rank 0 has the first rows and rank 1 the others, some more."""
    random = np.random.RandomState(1)
    x = (random.randn(*shape) * 3 + 100).astype("float32")
    g = random.randn(*shape).astype("float32")
    own = slice(0, cut) if dist.get_rank() == 0 else slice(cut, None)
    sync, plain = _layers(layout)
    last = layout in ("NHWC", "NLC")

    def flat(array: np.ndarray) -> np.ndarray:  # rows and channels, which the layer of one has
        return (array if last else np.moveaxis(array, 1, -1)).reshape(-1, 3)

    part = paddle.to_tensor(x[own], stop_gradient=False)
    whole = paddle.to_tensor(flat(x), stop_gradient=False)
    for _ in range(2):
        y = sync(part)
        z = plain(whole)
    (y * paddle.to_tensor(g[own])).sum().backward()
    (z * paddle.to_tensor(flat(g))).sum().backward()
    rows = np.arange(len(flat(x))).reshape(shape[0], -1)[own].ravel()
    np.testing.assert_allclose(flat(y.numpy()), z.numpy()[rows], atol=2e-4)
    np.testing.assert_allclose(flat(part.grad.numpy()), whole.grad.numpy()[rows], atol=2e-4)
    for a, b in ((sync._mean, plain._mean), (sync._variance, plain._variance)):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)
    for a, b in ((sync.weight, plain.weight), (sync.bias, plain.bias)):
        total = a.grad
        dist.all_reduce(total)
        np.testing.assert_allclose(total.numpy(), b.grad.numpy(), atol=1e-3)
    sync.eval()
    plain.eval()
    np.testing.assert_allclose(flat(sync(part).numpy()), plain(whole).numpy()[rows], atol=2e-4)


@pytest.mark.parametrize(("shape", "layout"), SHAPES)
@pytest.mark.parametrize("cut", [3, 2, 0])
def test_layer(job: Ranks, shape: tuple, layout: str, cut: int) -> None:
    job.run(_normalized, shape, layout, cut)


def _network() -> nn.Layer:
    paddle.seed(11)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3)
    )


def _trained() -> list[float]:
    wrapped = paddle.DataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(_network()))
    plain = _network()
    pairs = [(n, paddle.optimizer.Momentum(0.05, 0.9, n.parameters())) for n in (wrapped, plain)]
    for step in range(4):
        x = np.random.RandomState(step).randn(8, 1, 8, 8).astype("float32")
        own = x[dist.get_rank() * 4 :][:4]
        losses = []
        for (net, optimizer), data in zip(pairs, (own, x), strict=True):
            loss = (net(paddle.to_tensor(data)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(loss)
        mean = losses[0].detach() / 2
        dist.all_reduce(mean)
        np.testing.assert_allclose(mean.numpy(), losses[1].numpy(), rtol=1e-5)
    state = plain.state_dict()
    for name, value in wrapped.state_dict().items():
        np.testing.assert_allclose(value.numpy(), state[name].numpy(), atol=1e-5)
    return [float(mean)]


def test_training(job: Ranks) -> None:
    first, second = job.run(_trained)
    assert first == second


def _program() -> list:
    """The operator in a Program, with its gradient."""
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 3], "float32")
            x.stop_gradient = False
            y = nn.SyncBatchNorm(3)(x)
            (dx,) = paddle.static.gradients([(y**3).sum()], [x])
        assert "sync_batch_norm" in [op.type for op in main.global_block().ops]
        executor = paddle.static.Executor()
        executor.run(startup)
        data = np.random.RandomState(0).randn(6, 3).astype("float32")
        own = data[dist.get_rank() * 3 :][:3]
        got = executor.run(main, feed={"x": own}, fetch_list=[y, dx])
    finally:
        paddle.disable_static()
    whole = paddle.to_tensor(data, stop_gradient=False)
    z = nn.BatchNorm1D(3)(whole)
    (z**3).sum().backward()
    for a, b in zip(got, (z.numpy(), whole.grad.numpy()), strict=True):
        np.testing.assert_allclose(a, b[dist.get_rank() * 3 :][:3], atol=1e-4)
    return got


def test_program(job: Ranks) -> None:
    job.run(_program)


def _half() -> None:
    x = paddle.to_tensor(np.random.RandomState(3).randn(8, 3).astype("float32"))
    part = x[dist.get_rank() * 4 :][:4].astype("bfloat16")
    ones, zeros = paddle.ones([3]), paddle.zeros([3])
    y = C.sync_batch_norm(part, ones, zeros, paddle.zeros([3]), paddle.ones([3]))[0]
    assert y.dtype == paddle.bfloat16
    whole = nn.BatchNorm1D(3)(x).numpy()[dist.get_rank() * 4 :][:4]
    np.testing.assert_allclose(y.astype("float32").numpy(), whole, atol=5e-2)


def test_half_precision(job: Ranks) -> None:
    job.run(_half)


def _twice() -> None:
    x = paddle.to_tensor(np.eye(3, dtype="float32"), stop_gradient=False)
    y = nn.SyncBatchNorm(3)(x)
    (dx,) = paddle.grad([(y**2).sum()], [x], create_graph=True)
    with pytest.raises(NotImplementedError, match="no derivatives of higher order in several"):
        dx.sum().backward()


def test_second_derivatives_are_refused(job: Ranks) -> None:
    job.run(_twice)
