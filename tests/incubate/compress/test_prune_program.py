"""Pruned Programs: of inference, of training with gradients, and their test Programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.incubate import compress
from paddle.static import nn


class Net(NamedTuple):
    main: Any
    test: Any
    startup: Any
    out: str
    loss: str
    scope: Any
    run: Any


@pytest.fixture(autouse=True)
def _static() -> Iterator[None]:
    paddle.enable_static()
    yield
    paddle.disable_static()


def build(optimizer: str = "Momentum", layout: str = "NCHW") -> Net:
    """A residual network with a shuffle, a depthwise convolution, and a loss."""
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = static.data("x", [None, 3, 8, 8])
        label = static.data("label", [None, 1], "int64")
        y = nn.batch_norm(nn.conv2d(x, 8, 3, padding=1), act="relu")
        z = nn.conv2d(y, 8, 3, padding=1, groups=8)
        y = y + nn.conv2d(z, 8, 1)
        y = paddle.reshape(y, [-1, 2, 4, 8, 8])
        y = paddle.transpose(y, [0, 2, 1, 3, 4])
        y = paddle.reshape(y, [-1, 8, 8, 8])
        a, b = paddle.split(y, [4, 4], axis=1)
        y = paddle.concat([nn.conv2d(a, 6, 3), nn.conv2d(b, 4, 3)], axis=1)
        out = nn.fc(nn.fc(y, 12, activation="relu"), 5)
        loss = paddle.nn.functional.cross_entropy(out, label)
        test = main.clone(for_test=True)
        made = getattr(paddle.optimizer, optimizer)(
            0.05, weight_decay=1e-4, **({"momentum": 0.9} if optimizer == "Momentum" else {})
        )
        made.minimize(loss)
    executor = static.Executor()

    def run(program: Any, feed: Any, fetch: list[str]) -> list[Any]:
        with static.scope_guard(scope):
            return executor.run(program, feed=feed, fetch_list=fetch)

    paddle.seed(4)
    with static.scope_guard(scope):
        executor.run(startup)
    return Net(main, test, startup, out.name, loss.name, scope, run)


def feed() -> dict[str, Any]:
    random = np.random.RandomState(0)
    x = random.standard_normal([6, 3, 8, 8]).astype("float32")
    return {"x": x, "label": np.arange(6).reshape(6, 1) % 5}


def values(net: Net) -> dict[str, Any]:
    return {p.name: np.array(net.scope.find_var(p.name).get_tensor())
            for p in net.test.list_vars() if p.persistable}  # fmt: skip


def mask(net: Net, kept: Any) -> None:
    for name, axes in kept.items():
        holder = net.scope.find_var(name).get_tensor()
        value = np.array(holder)
        for axis, places in axes.items():
            gone = np.setdiff1d(np.arange(value.shape[axis]), places)
            np.moveaxis(value, axis, 0)[gone] = 0
        holder.set(value, paddle.CPUPlace())


@pytest.mark.parametrize("optimizer", ["Momentum", "Adam"])
def test_a_training_program_is_pruned_and_goes_on(optimizer: str) -> None:
    net, masked = build(optimizer), build(optimizer)
    for _ in range(3):
        for each in (net, masked):
            each.run(each.main, feed(), [each.loss])
    done = compress.prune(net.main, 0.5, scope=net.scope)
    done.apply(net.test)
    mask(masked, done.kept)
    (found,) = net.run(net.test, feed(), [net.out])
    (expected,) = masked.run(masked.test, feed(), [masked.out])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    losses = [float(net.run(net.main, feed(), [net.loss])[0][0]) for _ in range(8)]
    assert losses[-1] < losses[0]
    for var in net.main.list_vars():
        held = net.scope.find_var(var.name)
        if var.persistable and held is not None and held.is_initialized():
            assert list(var.shape) == held.get_tensor().shape(), var.name
    grads = {v.name: list(v.shape) for v in net.main.list_vars() if v.name.endswith("@GRAD")}
    for p in [p for p in net.main.all_parameters() if p.trainable]:
        assert grads[f"{p.name}@GRAD"] == list(p.shape)


def test_attributes_follow() -> None:
    net = build()
    done = compress.prune(net.main, 0.5, scope=net.scope)
    ops = net.main.global_block().ops
    assert [o.attr("shape") for o in ops if o.type == "reshape2"] == [
        [-1, 2, 2, 8, 8], [-1, 4, 8, 8],
    ]  # fmt: skip
    assert [o.attr("sections") for o in ops if o.type == "split"] == [[2, 2]]
    assert [o.attr("groups") for o in ops if "conv2d" in o.type and "grad" not in o.type] == [
        1, 4, 1, 1, 1,
    ]  # fmt: skip
    groups = [o.attr("groups") for o in ops if "conv2d" in o.type and "grad" in o.type]
    assert sorted(groups) == [1, 1, 1, 1, 4]
    assert done.left < 0.5
    x = net.main.global_block().var("batch_norm_0.tmp_3")
    assert list(x.shape)[1] == 4


def test_the_share_of_operations_that_is_left() -> None:
    net = build()
    done = compress.prune(net.main, flops=0.6, scope=net.scope)
    assert 0.4 < done.left <= 0.6
    again = compress.prune(net.main, flops=0.99, scope=net.scope)
    assert again.flops_before == done.flops_after


def test_a_pruned_program_is_saved_and_loaded(tmp_path: Path) -> None:
    net = build()
    done = compress.prune(net.main, 0.5, scope=net.scope)
    done.apply(net.test)
    expected = net.run(net.test, feed(), [net.out])[0]
    executor, block = static.Executor(), net.test.global_block()
    with static.scope_guard(net.scope):
        static.save_inference_model(
            str(tmp_path / "net"), [block.var("x")], [block.var(net.out)], executor,
            program=net.test,
        )  # fmt: skip
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "net"), executor)
        found = executor.run(program, feed={feeds[0]: feed()["x"]}, fetch_list=fetches)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_a_loaded_inference_model_is_pruned(tmp_path: Path) -> None:
    net = build()
    executor, scope = static.Executor(), static.Scope()
    with static.scope_guard(net.scope):
        block = net.test.global_block()
        static.save_inference_model(
            str(tmp_path / "net"), [block.var("x")], [block.var(net.out)], executor,
            program=net.test,
        )  # fmt: skip
    with static.scope_guard(scope):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / "net"), executor)
        done = compress.prune(program, 0.5)
        mask(net, done.kept)
        found = executor.run(program, feed={feeds[0]: feed()["x"]}, fetch_list=fetches)[0]
    expected = net.run(net.test, feed(), [net.out])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_program_of_1x_with_mul() -> None:
    from paddle import fluid

    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = fluid.data("x", [None, 1, 8, 8])
        y = fluid.layers.conv2d(x, 6, 3, act="relu")
        y = fluid.layers.pool2d(y, 2, "max", 2)
        out = fluid.layers.fc(fluid.layers.fc(y, 10), 3, act="softmax")
    executor, scope = static.Executor(), static.Scope()
    with static.scope_guard(scope):
        executor.run(startup)
        done = compress.prune(main, {"conv2d_0.w_0": 0.5, "fc_0.w_0": 0.3})
        x = np.ones([2, 1, 8, 8], "float32")
        value = executor.run(main, feed={"x": x}, fetch_list=[out])
    assert value[0].shape == (2, 3)
    assert {p.name: p.after for p in done.parameters} == {
        "conv2d_0.w_0": [3, 1, 3, 3], "conv2d_0.b_0": [3], "fc_0.w_0": [27, 7], "fc_0.b_0": [7],
        "fc_1.w_0": [7, 3],
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"'fc_1.w_0' have to stay: softmax"):
        compress.prune(main, {"fc_1.w_0": 0.5}, scope=scope)


def test_a_loss_that_is_the_mean_of_everything() -> None:
    """Its declared shape is [1], though it has no axis that channels could lie along."""
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = static.data("x", [None, 1, 6, 6])
        loss = paddle.mean(nn.fc(nn.conv2d(x, 4, 3), 3))
        paddle.optimizer.Momentum(0.1).minimize(loss)
    executor = static.Executor()
    with static.scope_guard(scope):
        executor.run(startup)
        done = compress.prune(main, 0.5)
        assert done.kept["conv2d_0.w_0"][0].size == 2
        feed = {"x": np.ones([2, 1, 6, 6], "float32")}
        one, other = (executor.run(main, feed=feed, fetch_list=[loss])[0] for _ in range(2))
    assert other.item() < one.item()


def test_values_that_are_not_there_yet() -> None:
    net = build()
    with pytest.raises(RuntimeError, match="run the startup Program"):
        compress.prune(net.main, 0.5, scope=static.Scope())


def test_a_program_without_anything_to_prune() -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        paddle.tanh(static.data("x", [None, 4]))
    with pytest.raises(ValueError, match="there is nothing to prune"):
        compress.prune(main, 0.5)
