"""Training through converted functions: modes, precision, gradients, Model, caches, memory."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.jit import to_static
from paddle.static import InputSpec
from tests.jit.cases.models_flow import Branches, Buffered, Several, UseAct, rows
from tests.jit.cases.models_text import Bert, Sentiment, masked_sentences, sentences
from tests.jit.cases.models_vision import Critic, LeNet, images
from tests.jit.cases.training import (
    Rebuilt,
    as_is,
    both,
    fit,
    gradients,
    momentum,
    seeded,
    slow,
    state,
)

LENET_SPEC = [InputSpec([None, 1, 28, 28]), InputSpec([None, 1], "int64")]
NETWORKS = {
    "LeNet": (LeNet, [images(3, seed=i) for i in range(2)]),
    "LSTM": (Sentiment, [sentences(3, seed=i) for i in range(2)]),
    "BERT": (Bert, [masked_sentences(2, seed=i) for i in range(2)]),
    "conditions": (Branches, [(rows(3, seed=i, scale=s),) for i, s in enumerate([1, 4, 20])]),
}


# -- modes ----------------------------------------------------------------------------------------


def test_buffers_and_dropout_in_both_modes():
    def run(convert):
        net = seeded(Buffered)
        convert(net)
        found = []
        for seed in range(2):
            net.train()
            found.append(fit(net, [(rows(3, seed=seed + i),) for i in range(3)]))
            net.eval()
            found += [net(rows(3, seed=9)).item(), state(net)]
        if convert is to_static:
            assert len(net.forward.program_cache) == 2
            net.train()
            with Rebuilt(net.forward) as rebuilt:
                net(rows(3))
            assert (rebuilt.programs, rebuilt.plans) == (0, 0)
        return found

    both(run)


def test_without_gradients():
    def run(convert):
        net = seeded(Buffered)
        convert(net)
        with paddle.no_grad():
            first = net(rows(3))
        losses = fit(net, [(rows(3, seed=i),) for i in range(2)])
        with paddle.no_grad():
            last = net(rows(3))
        assert first.stop_gradient and last.stop_gradient
        return first, losses, last, state(net)

    both(run)


@pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
@pytest.mark.parametrize("where", ["around", "inside", "around, with spec"])
def test_mixed_precision(where):
    spec = {"input_spec": LENET_SPEC} if "spec" in where else {}

    def run(convert):
        net = seeded(LeNet)

        def inside(x, label):
            with paddle.amp.auto_cast():
                return net(x, label)

        if where == "inside":
            call = convert(inside)
        else:
            convert(net, **spec)
            call = inside
        scaler = paddle.amp.GradScaler(init_loss_scaling=1024)
        optimizer = slow(net.parameters())
        losses = []
        for i in range(3):
            loss = call(*images(2, seed=i))
            scaled = scaler.scale(loss)
            scaled.backward()
            scaler.minimize(optimizer, scaled)
            optimizer.clear_grad()
            losses.append(loss.item())
        assert loss.dtype == paddle.float32
        return losses, state(net)

    both(run)


@pytest.mark.filterwarnings("ignore:mixed precision on a CPU")
@pytest.mark.parametrize("name, rtol", [("LSTM", 1e-5), ("BERT", 1e-2), ("conditions", 1e-2)])
def test_mixed_precision_of_other_networks(name, rtol):
    make, batches = NETWORKS[name]

    def run(convert):
        net = seeded(make)
        convert(net)

        def call(*args):
            with paddle.amp.auto_cast():
                return net(*args)

        return fit(net, batches, call), state(net)

    both(run, rtol, rtol)


def test_arguments_that_are_no_tensors():
    def run(convert):
        net = seeded(UseAct)
        convert(net)
        optimizer = momentum(net.parameters())
        found = []
        for i in range(6):
            loss = net(rows(2, seed=i), use_act=i % 2 == 0)
            loss.backward()
            found += [loss.item(), gradients(net)]
            optimizer.step()
            optimizer.clear_grad()
        if convert is to_static:
            assert len(net.forward.program_cache) == 2
        return found, state(net)

    both(run)


# -- results and gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["tuple", "dict", "named"])
def test_nests_of_results(kind):
    def run(convert):
        net = seeded(Several)
        convert(net)
        found = []

        def call(x):
            found.append(net(x, kind=kind))
            return found[-1]["loss"] if kind == "dict" else found[-1][0]

        return fit(net, [(rows(2, seed=i),) for i in range(3)], call), found, state(net)

    both(run)


def test_gradients_of_inputs():
    def run(convert):
        net = seeded(Several)
        convert(net)
        x = rows(2)
        x.stop_gradient = False
        loss, _, (hidden, _) = net(x)
        found = [paddle.grad([loss], [x], retain_graph=True)]
        found.append(paddle.grad([loss, hidden.sum()], [net.fc.weight, x]))
        assert x.grad is None and net.fc.weight.grad is None
        leaf = rows(2, seed=1)
        leaf.stop_gradient = False
        net(leaf * 2)[0].backward()
        return [*found, leaf.grad, gradients(net)]

    both(run)


def test_gradient_penalty_inside():
    def run(convert):
        critic = seeded(Critic)

        @convert
        def loss(x):
            x.stop_gradient = False
            value = critic(x).sum()
            grad = paddle.grad(value, x, create_graph=True)[0]
            return ((grad.norm(p=2, axis=1) - 1) ** 2).mean() + value

        return fit(critic, [(rows(2, 6, i),) for i in range(3)], loss), state(critic)

    both(run)


def test_backward_inside_says_what_to_do():
    net = seeded(lambda: nn.Linear(4, 1))

    @to_static
    def step(x):
        loss = net(x).mean()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="return the loss and call backward"):
        step(rows(2))


def test_hooks_of_layers_and_parameters():
    def run(convert):
        net = seeded(LeNet)
        net.fc[0].register_forward_post_hook(lambda layer, inputs, output: output * 2)
        net.fc[1].weight.register_hook(lambda grad: grad * 0.5)
        convert(net)
        return fit(net, [images(2, seed=i) for i in range(2)], make=slow), state(net)

    both(run)


def test_no_grad_and_detach_inside():
    def run(convert):
        net, other = seeded(lambda: nn.Linear(4, 4)), seeded(lambda: nn.Linear(4, 4))

        @convert
        def loss(x):
            with paddle.no_grad():
                target = other(x)
            y = net(x)
            return ((y - target) ** 2).mean() + (y.detach() * other(x)).sum()

        losses = fit(net, [(rows(2, seed=i),) for i in range(3)], loss)
        return losses, state(net), gradients(other)

    both(run)


def test_sparse_gradients_of_tables():
    def run(convert):
        table = seeded(lambda: nn.Embedding(20, 4, sparse=True))

        @convert
        def loss(ids):
            return (table(ids) ** 2).mean()

        def sgd(parameters):
            return paddle.optimizer.SGD(0.5, parameters=parameters)

        batches = [(sentences(2, seed=i)[0],) for i in range(3)]
        return fit(table, batches, loss, sgd), state(table)

    both(run)


# -- Model, DataLoader ----------------------------------------------------------------------------


class Points(paddle.io.Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        draw = np.random.RandomState(index)
        return draw.standard_normal(4).astype("float32"), draw.randint(0, 3, (1,)).astype("int64")


def small():
    return nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)
    )


def test_model_of_a_converted_network():
    def run(convert):
        net = convert(seeded(small))
        model = paddle.Model(net)
        adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        model.prepare(adam, nn.CrossEntropyLoss(), paddle.metric.Accuracy())
        paddle.seed(3)
        model.fit(Points(), batch_size=3, epochs=2, shuffle=False, verbose=0)
        found = model.evaluate(Points(), batch_size=3, verbose=0)
        shown = model.predict(Points(), batch_size=3, stack_outputs=True)
        return np.asarray(found["loss"]), found["acc"], list(shown), state(net)

    both(run)


@pytest.mark.parametrize("spec, programs", [(None, 2), ([InputSpec([None, 4])], 1)])
def test_last_batch_of_a_loader_is_smaller(spec, programs):
    def run(convert):
        net = convert(seeded(small), **({} if spec is None else {"input_spec": spec}))
        batches = paddle.io.DataLoader(Points(), batch_size=3, shuffle=False, return_list=True)
        losses = [fit(net, batches, lambda x, y: F.cross_entropy(net(x), y)) for _ in range(2)]
        if convert is to_static:
            assert len(net.forward.program_cache) == programs
        return losses, state(net)

    both(run)


# -- what is not done again, what is not kept -----------------------------------------------------


@pytest.mark.parametrize("name", ["LeNet", "conditions", "BERT"])
def test_second_call_rebuilds_nothing(name):
    make, batches = NETWORKS[name]
    net = seeded(make)
    to_static(net)
    fit(net, batches[:1])
    with Rebuilt(net.forward) as rebuilt:
        fit(net, batches[:2])
    assert (rebuilt.programs, rebuilt.plans) == (0, 0)


@pytest.mark.parametrize("convert", [as_is, to_static])
def test_graphs_are_freed_without_the_collector(convert):
    net = seeded(Branches)
    convert(net)
    optimizer = momentum(net.parameters())
    net(rows(3)).backward()
    gc.collect()
    gc.disable()
    try:
        for i in range(3):
            x = rows(3, seed=i, scale=4)
            x.stop_gradient = False
            loss = net(x)
            parts = [weakref.ref(v) for v in (x, x._buf, loss, loss._buf)]
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            del loss, x
            assert [part() for part in parts] == [None] * 4
        x = rows(3, scale=4)
        loss = net(x)  # no backward
        parts = [weakref.ref(v) for v in (x, x._buf, loss, loss._buf)]
        del loss, x
        assert [part() for part in parts] == [None] * 4
    finally:
        gc.enable()
