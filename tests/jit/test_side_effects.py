"""Attributes of layers that a converted function sets or writes: as eager, call after call."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.jit import to_static
from paddle.static import InputSpec
from tests.jit.cases.models_flow import rows
from tests.jit.cases.training import Rebuilt, both, fit, gradients, momentum, seeded, state


class Holder(nn.Layer):
    """Has buffers, a list of Tensors and a function to call."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("mean", paddle.zeros([3]))
        self.register_buffer("steps", paddle.zeros([1], "int64"))
        self.other = paddle.ones([3])
        self.listed = [paddle.zeros([3]), "text"]
        self.config = {"rate": 0.5}

    def forward(self, x):
        return self.function(self, x)

    def update(self, x):
        self.mean = self.mean * 0.5 + x.mean(axis=0)


def replaced(self, x):
    self.mean, self.other = self.other, self.mean + x.mean(axis=0)
    return x + self.other


def previous(self, x):
    self.before = self.mean
    self.mean = x.mean(axis=0)
    return x + self.before


def counted(self, x):
    if self.steps > 1:
        self.steps = self.steps * 2
    else:
        self.steps += 1
    paddle.increment(self.steps)
    return x * self.steps.astype("float32")


def in_a_loop(self, x):
    for _ in range(self.steps + 2):
        self.mean = self.mean + x.mean(axis=0)
        if self.mean.sum() > 1:
            break
    self.steps = self.steps + 1
    return x + self.mean


def in_a_method(self, x):
    self.update(x)
    if x.mean() > 0:
        self.update(x * 2)
    return x + self.mean


def item_of_a_tensor(self, x):
    self.mean[0] = x.mean()
    self.mean[1:] = self.mean[1:] + 1
    return x + self.mean


def item_of_a_list(self, x):
    self.listed[0] = self.listed[0] + x.mean(axis=0)
    return x + self.listed[0]


def another_list(self, x):
    self.listed = [self.listed[0] * 2 + x.mean(axis=0), self.listed[1]]
    return x + self.listed[0]


def growing_list(self, x):
    self.listed.append(x * 2)
    return x + self.listed[0] + sum(self.listed[2:])


def key_of_a_dict(self, x):
    self.config["last"] = self.config.get("last", x * 0) + x * self.config["rate"]
    return x + self.config["last"]


def assigned(self, x):
    paddle.assign(self.mean + x.mean(axis=0), output=self.mean)
    return x + self.mean


def set_to_a_tensor(self, x):
    self.mean.set_value(self.mean * 0.5 + x.mean(axis=0))
    return x + self.mean


def set_to_an_array(self, x):
    self.mean.set_value(np.ones(3))
    y = x + self.mean
    self.mean.set_value([3, 4, 5])
    self.steps.set_value(self.mean.astype("int32").sum())
    return y


def copied(self, x):
    self.mean.copy_(self.mean + 1)
    return x + self.mean


FUNCTIONS = [
    replaced, previous, counted, in_a_loop, in_a_method, item_of_a_tensor, item_of_a_list,
    another_list, growing_list, key_of_a_dict, assigned, set_to_a_tensor, set_to_an_array, copied,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("spec", [None, [InputSpec([None, 3])]], ids=["", "spec"])
def test_state_after_each_call(function, spec):
    def run(convert):
        net = Holder(function)
        convert(net, **({} if spec is None else {"input_spec": spec}))
        found = []
        for i in range(4):
            if function is growing_list or function is key_of_a_dict or spec is None:
                x = rows(2, 3, i)
            else:
                x = rows(2 + i % 2, 3, i)
            found += [net(x), state(net), net.other.numpy(), list(net.listed), dict(net.config)]
        return found

    both(run)


@pytest.mark.parametrize("function", [replaced, counted, in_a_loop, item_of_a_list, assigned])
def test_new_state_needs_no_new_program(function):
    net = Holder(function)
    to_static(net)
    for i in range(2):
        net(rows(2, 3, i))
    with Rebuilt(net.forward) as rebuilt:
        for i in range(3):
            net(rows(2, 3, i))
    assert (rebuilt.programs, rebuilt.plans) == (0, 0)


def test_buffers_without_gradient_stay_the_same_tensors():
    net = Holder(in_a_method)
    held = net.mean
    to_static(net)
    net(rows(2, 3))
    assert net.mean is held and held.numpy().any()


class Recurrent(nn.Layer):
    """Carries its state from call to call, with the graph."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)
        self.h = None

    def forward(self, x):
        if self.h is None:
            self.h = paddle.zeros([x.shape[0], 4])
        out, self.h = self.cell(x, self.h)
        return (out**2).mean()


def test_gradients_through_carried_state():
    def run(convert):
        net = seeded(Recurrent)
        convert(net)
        optimizer = momentum(net.parameters())
        found = []
        for i in range(3):
            held = net.h
            total = net(rows(2, seed=2 * i))
            middle = net.h
            total = total + net(rows(2, seed=2 * i + 1))
            assert held is None or held is not middle
            total.backward()
            found += [total.item(), gradients(net), middle.numpy()]
            optimizer.step()
            optimizer.clear_grad()
            net.h = net.h.detach()
        if convert is to_static:
            assert len(net.forward.program_cache) == 2  # the first has no state yet
            with Rebuilt(net.forward) as rebuilt:
                net(rows(2))
            assert (rebuilt.programs, rebuilt.plans) == (0, 0)
        return found

    both(run)


def test_teacher_that_follows_a_student():
    class Ema(nn.Layer):
        def __init__(self):
            super().__init__()
            self.student, self.teacher = nn.Linear(4, 2), nn.Linear(4, 2)
            for p in self.teacher.parameters():
                p.stop_gradient = True

        def forward(self, x):
            pairs = zip(self.student.parameters(), self.teacher.parameters())
            for mine, other in pairs:
                other.set_value(0.9 * other + 0.1 * mine)
            return ((self.student(x) - self.teacher(x)) ** 2).mean()

    def run(convert):
        net = seeded(Ema)
        convert(net)
        return fit(net, [(rows(2, seed=i),) for i in range(4)]), state(net)

    both(run)


@pytest.mark.parametrize("root", [True, False], ids=["of the layer itself", "inside"])
@pytest.mark.parametrize("kind", ["weight_norm", "spectral norm by a hook"])
def test_hooks_that_make_weights_anew(root, kind):
    def normalized(inputs, outputs):
        layer = nn.Linear(inputs, outputs)
        if kind == "weight_norm":
            return nn.utils.weight_norm(layer)
        norm = nn.SpectralNorm([inputs, outputs], dim=1, power_iters=2)
        weight = layer.weight
        del layer.weight
        layer.raw = weight

        def hook(layer, inputs):
            layer.__dict__["weight"] = norm(layer.raw)

        layer.register_forward_pre_hook(hook)
        return layer

    def run(convert):
        if root:
            net = seeded(lambda: normalized(4, 3))
        else:
            net = seeded(lambda: nn.Sequential(normalized(4, 5), nn.ReLU(), normalized(5, 2)))
        convert(net)
        losses = fit(net, [(rows(2, seed=i),) for i in range(2)], lambda x: (net(x) ** 2).mean())
        if convert is to_static:
            with Rebuilt(net.forward) as rebuilt:
                losses += fit(net, [(rows(2, seed=i),) for i in range(3)], lambda x: net(x).mean())
            assert (rebuilt.programs, rebuilt.plans) == (0, 0)
        else:
            losses += fit(net, [(rows(2, seed=i),) for i in range(3)], lambda x: net(x).mean())
        return losses, state(net)

    both(run)


def test_tensors_that_were_one_and_are_two():
    net = Holder(lambda self, x: x + self.other + self.mean)
    net.mean = net.other = paddle.ones([3])
    to_static(net)
    x = paddle.zeros([1, 3])
    assert net(x).numpy().tolist() == [[2, 2, 2]]
    net.mean = paddle.full([3], 5.0)
    assert net(x).numpy().tolist() == [[6, 6, 6]]
    net.other = net.mean
    assert net(x).numpy().tolist() == [[10, 10, 10]]
    net.other, net.mean = paddle.ones([3]), paddle.full([3], 2.0)
    assert net(x).numpy().tolist() == [[3, 3, 3]]


def test_tensor_of_another_shape_or_type():
    net = Holder(lambda self, x: x + self.other)
    to_static(net)
    x = paddle.zeros([1, 3])
    net(x)
    net.other = paddle.full([1], 4.0)
    assert net(x).numpy().tolist() == [[4, 4, 4]]
    net.other = paddle.full([2, 3], 6.0)
    assert net(x).shape == [2, 3]


# -- what cannot be written -----------------------------------------------------------------------


def test_trained_parameters_cannot_be_set_inside():
    net = nn.Linear(3, 3)

    @to_static
    def clip(x):
        net.weight.set_value(paddle.clip(net.weight, -0.1, 0.1))
        return net(x)

    with pytest.raises(ValueError, match=r"set_value: .* is trained.*\n.*stop_gradient to True"):
        clip(rows(2, 3))


def test_value_of_the_wrong_shape():
    net = Holder(lambda self, x: self.mean.set_value(x))
    to_static(net)
    with pytest.raises(ValueError, match=r"expected shape \[3\], but received \[2, 3\]"):
        net(rows(2, 3))
