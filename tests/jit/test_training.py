"""Networks of many kinds train as a Program as they train eagerly: losses, parameters, buffers."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.jit import to_static
from paddle.static import InputSpec
from tests.jit.cases.models_flow import Branches, Tied, UseAct, rows
from tests.jit.cases.models_text import Bert, Sentiment, Seq2Seq, masked_sentences, sentences
from tests.jit.cases.models_vision import (
    Classifier,
    Critic,
    Generator,
    LeNet,
    YoloHead,
    boxes,
    images,
)
from tests.jit.cases.training import (
    both,
    fit,
    gradients,
    momentum,
    same,
    seeded,
    slow,
    state,
)


def ids(*shape):
    return InputSpec(list(shape), "int64")


def translations(count, length, steps, seed):
    source, lengths, _ = sentences(count, length, seed)
    return source, lengths, sentences(count, 6, seed + 9)[0], paddle.to_tensor([steps])


def resnet():
    return Classifier(paddle.vision.models.resnet18(num_classes=4))


SIZES = [(3, 6), (2, 4), (4, 5)]
# name -> network, batches of one size, batches of several sizes, what describes those
NETWORKS = {
    "LeNet": (
        LeNet, [images(3, seed=i) for i in range(3)],
        [images(n, seed=n) for n in (4, 2, 3)], [InputSpec([None, 1, 28, 28]), ids(None, 1)],
    ),
    "ResNet18": (
        resnet, [images(2, 32, 3, seed=i) for i in range(2)],
        [images(n, 32, 3, seed=n) for n in (2, 1)], [InputSpec([None, 3, 32, 32]), ids(None, 1)],
    ),
    "LSTM": (
        Sentiment, [sentences(3, seed=i) for i in range(3)],
        [sentences(*size) for size in SIZES], [ids(None, None), ids(None), ids(None, 1)],
    ),
    "seq2seq": (
        Seq2Seq, [(*translations(3, 5, 4, i), True) for i in range(3)],
        [(*translations(n, l, n + 2, n), True) for n, l in SIZES],
        [ids(None, None), ids(None), ids(None, None), ids(1)],
    ),
    "seq2seq, own words": (
        Seq2Seq, [(*translations(3, 5, 4, i), False) for i in range(3)],
        [(*translations(n, l, n + 2, n), False) for n, l in SIZES],
        [ids(None, None), ids(None), ids(None, None), ids(1), False],
    ),
    "BERT": (
        Bert, [masked_sentences(2, seed=i) for i in range(3)],
        [masked_sentences(*size) for size in SIZES],
        [ids(None, None), ids(None, None), ids(None, 1), ids(None, None)],
    ),
    "YOLO": (
        YoloHead, [boxes(2, seed=i) for i in range(3)],
        [boxes(n, seed=n) for n in (2, 3, 1)],
        [InputSpec([None, 3, 8, 8]), InputSpec([None, 4])],
    ),
    "conditions": (
        Branches, [(rows(3, seed=i, scale=s),) for i, s in enumerate([1, 4, 20, 0.1, 1e-6])],
        [(rows(2 + i % 2, seed=i, scale=s),) for i, s in enumerate([1, 4, 20, 60, 1e-6])],
        [InputSpec([None, 4])],
    ),
    "shared parameters": (
        Tied, [(rows(2, seed=i),) for i in range(4)],
        [(rows(n, seed=n),) for n in (2, 3, 1)], [InputSpec([None, 4])],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("sizes", ["one size", "several"])
def test_losses_and_parameters(name, sizes):
    make, equal, several, spec = NETWORKS[name]
    batches, options = (equal, {}) if sizes == "one size" else (several, {"input_spec": spec})

    def run(convert):
        net = seeded(make)
        convert(net, **options)
        losses = fit(net, batches, make=slow if make in (LeNet, resnet) else momentum)
        if convert is to_static:
            assert len(net.forward.program_cache) == 1
        return losses, state(net)

    both(run)


# -- forms of to_static ---------------------------------------------------------------------------


def test_decorated_forward():
    class Plain(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x):
            if x.mean() > 0:
                return (self.fc(x) ** 2).mean()
            return self.fc(x).mean()

    class Decorated(Plain):
        @to_static(input_spec=[InputSpec([None, 4], name="x")])
        def forward(self, x):
            if x.mean() > 0:
                return (self.fc(x) ** 2).mean()
            return self.fc(x).mean()

    def run(make):
        net = seeded(make)
        return fit(net, [(rows(1 + i, seed=i),) for i in range(4)]), state(net)

    same(run(Plain), run(Decorated))


def test_loss_function_around_a_network():
    def run(convert):
        net = seeded(lambda: nn.Linear(4, 3))

        @convert
        def loss(x, weight=None):
            out = F.log_softmax(net(x))
            if weight is not None:
                out = out * weight
            return -out[:, 0].mean()

        batches = [(rows(2, seed=0),), (rows(2, seed=1), rows(2, 3)), (rows(2, seed=2),)]
        return fit(net, batches, loss), state(net)

    both(run)


def test_only_some_sublayers():
    def run(convert):
        net = seeded(LeNet)
        net.features = convert(net.features)
        convert(net.fc[1])
        return fit(net, [images(2, seed=i) for i in range(3)], make=slow), state(net)

    both(run)


def test_converted_inside_of_converted():
    def run(convert):
        net = seeded(Branches)
        convert(net.first)
        net.calm = convert(net.calm)
        convert(net)
        batches = [(rows(3, seed=i, scale=s),) for i, s in enumerate([1, 4, 20])]
        return fit(net, batches), state(net)

    both(run)


def test_greedy_decoding_stops_at_the_end_token():
    net = seeded(Seq2Seq)
    net.eval()
    draw = np.random.RandomState(3)
    net.target.weight.set_value(draw.standard_normal([20, 6]) * 4)  # so that words differ
    ids, lengths, _ = sentences(1, 5)
    free, _ = net.greedy(ids, lengths, paddle.to_tensor([-1]))
    assert len(set(free.numpy().tolist())) > 1
    greedy = to_static(net.greedy)
    for end in [-1, *free.numpy().tolist()[:3]]:
        wanted = net.greedy(ids, lengths, paddle.to_tensor([end]))
        found = greedy(ids, lengths, paddle.to_tensor([end]))
        same(list(wanted), list(found))
    assert found[1].item() < 8
    assert len(greedy.program_cache) == 1


# -- several networks, several steps --------------------------------------------------------------


def test_two_networks_against_each_other():
    def run(convert):
        generator, critic = seeded(Generator), seeded(Critic)
        convert(generator)
        convert(critic)

        @convert
        def difference(real, fake):
            return F.softplus(-critic(real)).mean() + F.softplus(critic(fake)).mean()

        first = paddle.optimizer.Adam(0.01, parameters=critic.parameters())
        second = paddle.optimizer.Adam(0.01, parameters=generator.parameters())
        losses = []
        for i in range(3):
            noise = rows(3, 4, i + 50)
            for p in critic.parameters():
                p.stop_gradient = False
            loss = difference(rows(3, 6, i), generator(noise).detach())
            loss.backward()
            assert not any(g is not None and g.any() for g in gradients(generator))
            first.step()
            critic.clear_gradients()
            for p in critic.parameters():
                p.stop_gradient = True
            losses.append(loss.item())
            loss = F.softplus(-critic(generator(noise))).mean()
            loss.backward()
            assert not any(g is not None and g.any() for g in gradients(critic))
            second.step()
            generator.clear_gradients()
            losses.append(loss.item())
        return losses, state(generator), state(critic)

    both(run)


def test_gradients_add_up_and_graphs_are_kept():
    def run(convert):
        net = seeded(Branches)
        convert(net)
        found = []
        for seed in range(2):
            loss = net(rows(3, seed=seed, scale=4))
            loss.backward(retain_graph=True)
            loss.backward()
            with pytest.raises(RuntimeError, match="retain_graph=True"):
                loss.backward()
            found.append(gradients(net))
        return found

    both(run)


def test_clipping_regularization_and_schedules():
    def run(convert):
        net = seeded(Branches)
        convert(net)
        rate = paddle.optimizer.lr.NoamDecay(8, 2, learning_rate=0.5)

        def adam(parameters):
            clip = nn.ClipGradByGlobalNorm(0.1)
            return paddle.optimizer.AdamW(
                rate, parameters=parameters, weight_decay=0.1, grad_clip=clip
            )

        def sgd(parameters):
            decay = paddle.regularizer.L2Decay(0.1)
            return paddle.optimizer.Momentum(0.1, 0.9, parameters, weight_decay=decay)

        batches = [(rows(3, seed=i, scale=4),) for i in range(3)]
        losses = [fit(net, batches, make=adam, after=rate.step), fit(net, batches, make=sgd)]
        return losses, state(net)

    both(run)


def test_layers_are_frozen_and_thawed():
    def run(convert):
        net = seeded(LeNet)
        convert(net)
        found = []
        for frozen in ([0, 2], [], [0, 1, 2, 3, 4, 5, 6, 7], [0]):
            for i, p in enumerate(net.parameters()):
                p.stop_gradient = i in frozen
            loss = net(*images(2))
            loss.backward()
            found += [loss.item(), gradients(net)]
            net.clear_gradients()
        if convert is to_static:
            assert len(net.forward.program_cache) == 1
        return found

    both(run)


def test_parameters_are_replaced_and_loaded():
    def run(convert):
        net = seeded(UseAct)
        convert(net)
        batches = [(rows(2, seed=i),) for i in range(2)]
        found = [fit(net, batches)]
        saved = state(net)
        constant = nn.initializer.Constant(0.3)
        net.fc.weight = net.create_parameter([4, 4], default_initializer=constant)
        found += [fit(net, batches), state(net)]
        net.set_state_dict(saved)
        return [*found, fit(net, batches), state(net)]

    both(run)


def test_parameters_written_between_forward_and_backward():
    net = seeded(LeNet)
    to_static(net)
    loss = net(*images(2))
    weight = net.fc[1].weight
    weight.set_value(weight.numpy() * 2)
    with pytest.raises(RuntimeError, match=r"run_program .* overwritten in place"):
        loss.backward()
