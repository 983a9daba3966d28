"""DataParallel over two processes: gradients are those of one process with the joined batch."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
import paddle.fluid
from paddle import nn
from paddle.core.mode import set_grad_enabled
from tests.distributed.ranks import Ranks


@pytest.fixture(scope="module")
def job() -> Iterator[Ranks]:
    with Ranks(2) as started:
        yield started


def _batch(step: int, rows: int = 8, width: int = 6) -> np.ndarray:
    return np.random.RandomState(step).randn(rows, width).astype("float32")


def _part(batch: np.ndarray) -> Any:
    """This process's half of a batch."""
    half = len(batch) // 2
    return paddle.to_tensor(batch[dist.get_rank() * half :][:half])


def _mlp() -> nn.Layer:
    paddle.seed(5)
    return nn.Sequential(
        nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)
    )


def _pair(make: Callable[[], nn.Layer], **options: Any) -> tuple[Any, Any]:
    """A wrapped network and the same unwrapped; the parameters come from process 0."""
    plain = make()
    other = make()
    if dist.get_rank():
        for p in other.parameters():
            p.set_value(np.full(p.shape, 7.0, "float32"))
    return paddle.DataParallel(other, **options), plain


def _grads(net: Any) -> list:
    return [None if p.grad is None else p.grad.numpy() for p in net.parameters()]


def _agree(wrapped: Any, plain: Any, tolerance: float = 1e-6) -> None:
    for a, b in zip(_grads(wrapped), _grads(plain), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, atol=tolerance)


def _buckets(wrapped: Any) -> list:
    return wrapped._exchange._layout.buckets


def _trained(size: float, last: float, clip: Any = None) -> int:
    wrapped, plain = _pair(_mlp, comm_buffer_size=size, last_comm_buffer_size=last)
    optimizers = [
        paddle.optimizer.Adam(0.01, parameters=net.parameters(), grad_clip=clip)
        for net in (wrapped, plain)
    ]
    flats = []
    for step in range(5):
        batch = _batch(step)
        loss = wrapped.scale_loss((wrapped(_part(batch)) ** 2).mean())
        loss.backward()
        wrapped.apply_collective_grads()
        whole = (plain(paddle.to_tensor(batch)) ** 2).mean()
        whole.backward()
        _agree(wrapped, plain)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.clear_grad()
        flats.append([b.flat.data_ptr() for b in _buckets(wrapped)])
    for p, q in zip(wrapped.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(p.numpy(), q.numpy(), atol=1e-5)
    assert flats == [flats[0]] * 5, "the memory of buckets is used again"
    assert all(flats[0])
    return len(flats[-1])


def test_equals_one_process(job: Ranks) -> None:
    assert job.run(_trained, 25, 1) == [1, 1]
    several = job.run(_trained, 0.001, 0.0001)
    assert several[0] == several[1] > 2


def _old_style() -> None:
    d = paddle.fluid.dygraph
    strategy = d.prepare_context()
    assert (strategy.nranks, strategy.local_rank) == (2, dist.get_rank())
    net, plain = d.DataParallel(d.Linear(6, 2), strategy), d.Linear(6, 2)
    for p, q in zip(plain.parameters(), net.parameters(), strict=True):
        p.set_value(q.numpy())
    sgd = paddle.fluid.optimizer.SGDOptimizer(0.1, parameter_list=net.parameters())
    loss = net.scale_loss(paddle.fluid.layers.reduce_mean(net(_part(_batch(0))) ** 2))
    loss.backward()
    net.apply_collective_grads()
    (plain(paddle.to_tensor(_batch(0))) ** 2).mean().backward()
    _agree(net, plain)
    sgd.minimize(loss)
    net.clear_gradients()


def test_as_in_1_8(job: Ranks) -> None:
    job.run(_old_style)


def test_clips_come_after_the_exchange(job: Ranks) -> None:
    for clip in (nn.ClipGradByGlobalNorm(0.05), nn.ClipGradByNorm(0.02), nn.ClipGradByValue(0.01)):
        job.run(_trained, 0.001, 0.0001, clip)


class _Recomputed(paddle.autograd.PyLayer):
    """A layer whose forward runs again in backward."""

    @staticmethod
    def forward(ctx: Any, x: Any, layer: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.layer = layer
        return layer(x)

    @staticmethod
    def backward(ctx: Any, d: Any) -> Any:
        x = ctx.saved_tensor()[0].detach()
        x.stop_gradient = False
        before = set_grad_enabled(True)
        paddle.autograd.backward([ctx.layer(x)], [d])
        set_grad_enabled(before)
        return x.grad


def _again(net: Any, x: Any, parts: range) -> Any:
    for i, layer in enumerate(net):
        if i in parts and not x.stop_gradient:
            x = _Recomputed.apply(x, layer)
        else:
            x = layer(x)
    return (x**2).mean()


def _recomputed() -> None:
    sizes = {"comm_buffer_size": 0.0001, "last_comm_buffer_size": 0.0001}
    for parts in (range(2, 3), range(5)):  # some layers, and all
        wrapped, plain = _pair(_mlp, **sizes)
        for step in range(3):
            batch = _batch(step)
            x, whole = _part(batch), paddle.to_tensor(batch)
            x.stop_gradient = whole.stop_gradient = False
            _again(wrapped._layers, x, parts).backward()
            _again(plain, whole, range(0)).backward()
            _agree(wrapped, plain)
            for net in (wrapped, plain):
                net.clear_gradients()


def test_backward_inside_of_backward(job: Ranks) -> None:
    job.run(_recomputed)


class _Branches(nn.Layer):
    """Linear layers of which some are used, some twice, some never."""

    def __init__(self) -> None:
        super().__init__()
        paddle.seed(9)
        self.first, self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 6)
        self.never = nn.Linear(6, 6)

    def forward(self, x: Any, way: str = "a") -> Any:
        x = self.first(self.first(x).tanh())
        for name in way:
            x = getattr(self, name)(x)
        return (x**2).mean()


def _branches() -> None:
    wrapped, plain = _pair(_Branches, comm_buffer_size=0.0001, last_comm_buffer_size=0.0001)
    rank = dist.get_rank()
    for step, ways in enumerate([("a", "a"), ("ab", "ab"), ("a", "b"), ("", "a"), ("b", "")]):
        batch = _batch(step)
        wrapped(_part(batch), ways[rank]).backward()
        for i, way in enumerate(ways):  # the mean of both ranks' losses
            half = paddle.to_tensor(batch[i * 4 :][:4])
            (plain(half, way) / 2).backward()
        _agree(wrapped, plain)
        assert wrapped._layers.never.weight.grad is None
        for net in (wrapped, plain):
            for p in net.parameters():
                p.clear_gradient()


def test_unused_and_shared_parameters(job: Ranks) -> None:
    job.run(_branches)


def _several_backwards() -> None:
    wrapped, plain = _pair(_mlp)
    for start in (0, 10, 20):  # the last rounds use the buckets' memory again
        for step in range(start, start + 2):  # two before a step
            batch = _batch(step)
            (wrapped(_part(batch)) ** 2).mean().backward()
            (plain(paddle.to_tensor(batch)) ** 2).mean().backward()
        _agree(wrapped, plain)
        batch = _batch(start + 3)
        loss = (wrapped(_part(batch)) ** 2).mean()
        whole = (plain(paddle.to_tensor(batch)) ** 2).mean()
        for one in (loss, whole):
            one.backward(retain_graph=True)
            one.backward()
        _agree(wrapped, plain)
        for net in (wrapped, plain):
            net.clear_gradients()


def test_several_backwards_before_a_step(job: Ranks) -> None:
    job.run(_several_backwards)


def _without_sync() -> None:
    wrapped, plain = _pair(_mlp)
    for start in (0, 10):
        with wrapped.no_sync():
            for step in range(start, start + 2):
                (wrapped(_part(_batch(step))) ** 2).mean().backward()
        own = _grads(wrapped)
        others: list = []
        dist.all_gather(others, paddle.to_tensor(own[0]))
        assert np.abs(others[0].numpy() - others[1].numpy()).max() > 1e-3
        for step in range(start, start + 3):
            (plain(paddle.to_tensor(_batch(step))) ** 2).mean().backward()
        (wrapped(_part(_batch(start + 2))) ** 2).mean().backward()
        _agree(wrapped, plain)
        for net in (wrapped, plain):
            net.clear_gradients()


def test_no_sync(job: Ranks) -> None:
    job.run(_without_sync)


def _held() -> None:
    wrapped, plain = _pair(_mlp)
    first = wrapped.parameters()[0]
    steps: list = []
    for step in range(4):
        batch = _batch(step)
        (wrapped(_part(batch)) ** 2).mean().backward()
        (plain(paddle.to_tensor(batch)) ** 2).mean().backward()
        _agree(wrapped, plain)
        grad = first.grad
        held = [grad, grad.detach(), grad.reshape([-1]), wrapped.parameters()[2].grad[0]][step]
        steps.append((held, held.numpy()))
        for net in (wrapped, plain):
            net.clear_gradients()
    for held, before in steps:
        np.testing.assert_array_equal(held.numpy(), before)
    # Writing to a gradient writes to nothing else.
    (wrapped(_part(_batch(9))) ** 2).mean().backward()
    others = _grads(wrapped)[1:]
    first.grad.set_value(np.zeros(first.shape, "float32"))
    for a, b in zip(_grads(wrapped)[1:], others, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not first.grad.numpy().any()
    (wrapped(_part(_batch(10))) ** 2).mean().backward()
    for p in plain.parameters():
        p.clear_gradient()
    (plain(paddle.to_tensor(_batch(10))) ** 2).mean().backward()
    np.testing.assert_allclose(first.grad.numpy(), plain.parameters()[0].grad.numpy(), atol=1e-6)


def test_gradients_that_somebody_holds(job: Ranks) -> None:
    job.run(_held)


def _frozen() -> None:
    wrapped, plain = _pair(_mlp)
    for step, frozen in enumerate([(), (0, 1), (0, 1), (0, 1, 2), ()]):
        for net in (wrapped, plain):
            for i, p in enumerate(net.parameters()):
                p.stop_gradient = i in frozen
                p.clear_gradient()
        batch = _batch(step)
        (wrapped(_part(batch)) ** 2).mean().backward()
        (plain(paddle.to_tensor(batch)) ** 2).mean().backward()
        _agree(wrapped, plain)
        assert sum(len(b.leaves) for b in _buckets(wrapped)) == 6 - len(frozen)


def test_layers_frozen_later(job: Ranks) -> None:
    job.run(_frozen)


def _hooked() -> None:
    wrapped, plain = _pair(_mlp)
    seen: list = []
    last = wrapped.parameters()[-1]
    last.register_hook(lambda g: seen.append(g.numpy()) or g * 2)
    plain.parameters()[-1].register_hook(lambda g: g * 2)
    batch = _batch(3)
    (wrapped(_part(batch)) ** 2).mean().backward()
    (plain(paddle.to_tensor(batch)) ** 2).mean().backward()
    _agree(wrapped, plain)
    assert len(seen) == 1
    assert np.abs(seen[0] * 2 - last.grad.numpy()).max() > 1e-4, "a hook sees the own gradient"


def test_hooks_come_before_the_exchange(job: Ranks) -> None:
    job.run(_hooked)


def _penalty() -> None:
    wrapped, plain = _pair(_mlp)
    batch = _batch(4)
    halves = [paddle.to_tensor(batch[:4]), paddle.to_tensor(batch[4:])]

    def loss(net: Any, x: Any) -> Any:
        x.stop_gradient = False
        y = net(x).sum()
        (dx,) = paddle.grad([y], [x], create_graph=True)
        return (dx**2).mean()

    loss(wrapped, halves[dist.get_rank()]).backward()
    for half in halves:
        (loss(plain, half) / 2).backward()
    _agree(wrapped, plain)
    (own,) = paddle.grad([wrapped(halves[dist.get_rank()]).mean()], [wrapped.parameters()[0]])
    parts: list = []
    dist.all_gather(parts, own)
    assert np.abs(parts[0].numpy() - parts[1].numpy()).max() > 1e-4


def test_derivatives_of_higher_order(job: Ranks) -> None:
    job.run(_penalty)


def _two_networks() -> None:
    g, plain_g = _pair(lambda: nn.Linear(6, 6))
    d, plain_d = _pair(lambda: nn.Linear(6, 1))
    for a, b in ((g, plain_g), (d, plain_d)):
        for p, q in zip(a.parameters(), b.parameters(), strict=True):
            q.set_value(p.numpy())
    for step in range(3):
        batch = _batch(step)
        (d(g(_part(batch))) ** 2).mean().backward()
        (plain_d(plain_g(paddle.to_tensor(batch))) ** 2).mean().backward()
        d(_part(batch)).mean().backward()  # without the other
        plain_d(paddle.to_tensor(batch)).mean().backward()
        _agree(g, plain_g)
        _agree(d, plain_d)


def test_two_networks(job: Ranks) -> None:
    job.run(_two_networks)


def _broken() -> None:
    wrapped, plain = _pair(_mlp, comm_buffer_size=0.0001, last_comm_buffer_size=0.0001)
    (wrapped(_part(_batch(0))) ** 2).mean().backward()
    handle = wrapped.parameters()[0].register_hook(_raises)
    for step in range(2):
        with pytest.raises(ZeroDivisionError):
            (wrapped(_part(_batch(step))) ** 2).mean().backward()
    handle.remove()
    dist.barrier()
    for net in (wrapped, plain):
        net.clear_gradients()
    (wrapped(_part(_batch(1))) ** 2).mean().backward()
    (plain(paddle.to_tensor(_batch(1))) ** 2).mean().backward()
    _agree(wrapped, plain)


def _raises(grad: Any) -> None:
    raise ZeroDivisionError


def test_goes_on_after_an_error_in_backward(job: Ranks) -> None:
    job.run(_broken)


def _scaled() -> list:
    paddle.seed(1)
    wrapped, _ = _pair(lambda: nn.Linear(6, 3))
    other = paddle.nn.Linear(6, 3)  # of this process alone
    parameters = [*wrapped.parameters(), *other.parameters()]
    optimizer = paddle.optimizer.SGD(0.1, parameters=parameters)
    scaler = paddle.amp.GradScaler(init_loss_scaling=64.0, decr_every_n_nan_or_inf=1)
    found = []
    for step in range(4):
        x = _part(_batch(step))
        if step == 1 and dist.get_rank() == 1:
            x = x * float("inf")
        y = _part(_batch(step))
        if step == 2 and dist.get_rank() == 0:
            y = y * float("inf")  # in a network that is not wrapped
        loss = scaler.scale(wrapped(x).mean() + other(y).mean())
        loss.backward()
        scaler.minimize(optimizer, loss)
        optimizer.clear_grad()
        found.append((float(scaler._scale), wrapped.parameters()[0].numpy()))
    return found


def test_processes_leave_the_same_steps_out(job: Ranks) -> None:
    first, second = job.run(_scaled)
    for (a, p), (b, q) in zip(first, second, strict=True):
        assert a == b
        np.testing.assert_array_equal(p, q)
    assert [scale for scale, _ in first] == [64, 32, 16, 16]
    np.testing.assert_array_equal(first[0][1], first[2][1])


def _forgotten() -> None:
    from paddle.core import listening

    gc.collect()
    before = len(listening._listeners)
    wrapped, _ = _pair(_mlp)
    assert len(listening._listeners) == before + 1
    del wrapped
    gc.collect()
    assert len(listening._listeners) == before


def test_a_dropped_wrapper_listens_no_more(job: Ranks) -> None:
    job.run(_forgotten)


def _different() -> None:
    with pytest.raises(ValueError, match=r"rank 0: DataParallel.*\[6, 3\].*rank 1:.*\[6, 4\]"):
        paddle.DataParallel(nn.Linear(6, 3 + dist.get_rank()))


def test_networks_that_differ(job: Ranks) -> None:
    job.run(_different)


def _ends() -> None:
    wrapped, _ = _pair(_mlp)
    (wrapped(_part(_batch(0))) ** 2).mean().backward()
    if dist.get_rank() == 1:
        os._exit(7)
    (wrapped(_part(_batch(1))) ** 2).mean().backward()


def test_a_process_that_ends() -> None:
    with Ranks(2) as own:
        first, second = own.run_each(_ends, [(), ()], alive=True)
    assert second == "exit status 7"
    assert re.search(r"rank 1 failed \(exit status 7\) while rank 0 was in all_reduce", str(first))
