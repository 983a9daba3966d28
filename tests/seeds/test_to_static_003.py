"""The page on ``to_static``: its examples run as printed (003 chapters 1, 2 and 3.1).

    1, both ways                      test_way_one, test_way_two
    2.1                               test_export_by_forward, test_export_as_printed_names_the_layer
    2.2.1, three ways                 test_input_spec_directly, ..._from_tensor, ..._from_numpy
    2.2.2, way 1                      test_spec_in_the_decorator, and its three notes
    2.2.2, way 2                      test_spec_in_the_function
    2.2.2, way 3                      test_list_of_specs, test_dict_of_specs
    2.2.2, way 4                      test_use_act_*
    3.1                               test_dynamic_deployment

Chapter 3.2 is in test_static_deploy_guide.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.jit import to_static
from paddle.nn import Layer
from paddle.static import InputSpec
from tests.seeds.printed import output


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    assert paddle.in_dynamic_mode()


def array(shape: list[int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def linear(net: Any, x: np.ndarray) -> np.ndarray:
    return x @ net.linear.weight.numpy() + net.linear.bias.numpy()


def assert_saves(net: Any, path: str, given: list[np.ndarray], expected: np.ndarray) -> None:
    """Asserts that what lies at ``path`` computes ``expected``."""
    assert sorted(p.name for p in Path().glob(f"{Path(path).name}.*")) == [
        f"{Path(path).name}.{end}" for end in ("pdiparams", "pdiparams.info", "pdmodel")
    ]
    loaded = paddle.jit.load(path)
    loaded.eval()
    out = loaded(*[paddle.to_tensor(v) for v in given])
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)


# -- 1 --------------------------------------------------------------------------------------------


class Decorated(paddle.nn.Layer):
    def __init__(self):
        super(Decorated, self).__init__()  # noqa: UP008
        self.linear = paddle.nn.Linear(10, 3)

    @to_static  # 动静转换
    def forward(self, x, y):  # fmt: skip
        out = self.linear(x)
        out = out + y
        return out


class SimpleNet(paddle.nn.Layer):
    def __init__(self):
        super(SimpleNet, self).__init__()  # noqa: UP008
        self.linear = paddle.nn.Linear(10, 3)

    def forward(self, x, y):
        out = self.linear(x)
        out = out + y
        return out

    def another_func(self, x):
        out = self.linear(x)
        out = out * 2
        return out


def test_way_one() -> None:
    net = Decorated()
    net.eval()
    x = paddle.rand([2, 10])
    y = paddle.rand([2, 3])
    out = net(x, y)
    paddle.jit.save(net, './net')  # fmt: skip

    expected = linear(net, x.numpy()) + y.numpy()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert_saves(net, "./net", [x.numpy(), y.numpy()], expected)


def test_way_two() -> None:
    net = SimpleNet()
    net.eval()
    net = paddle.jit.to_static(net)  # 动静转换
    x = paddle.rand([2, 10])
    y = paddle.rand([2, 3])
    out = net(x, y)
    paddle.jit.save(net, './net')  # fmt: skip

    expected = linear(net, x.numpy()) + y.numpy()
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert_saves(net, "./net", [x.numpy(), y.numpy()], expected)


def test_a_decorated_layer_trains() -> None:
    """“使用 @to_static 除了支持预测模型导出外，在模型训练时，还会转为静态图子图训练”"""
    paddle.seed(3)
    net, plain = Decorated(), SimpleNet()
    plain.set_state_dict(net.state_dict())
    losses = []
    for model in (net, plain):
        sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
        told = []
        for step in range(4):
            x, y = paddle.to_tensor(array([4, 10], step)), paddle.to_tensor(array([4, 3], step))
            loss = paddle.mean(model(x, y) ** 2)
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            told.append(float(loss))
        losses.append(told)
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6, atol=1e-6)
    assert losses[0][-1] != losses[0][0]


# -- 2.1 ------------------------------------------------------------------------------------------


def test_export_by_forward() -> None:
    net = SimpleNet()
    # step 1: 切换到 eval() 模式
    net.eval()

    # step 2: 定义 InputSpec 信息
    x_spec = InputSpec(shape=[None, 10], dtype='float32', name='x')  # fmt: skip
    y_spec = InputSpec(shape=[3], dtype='float32', name='y')  # fmt: skip

    # step 3: 调用 jit.save 接口
    saved = paddle.jit.save(net, path='simple_net', input_spec=[x_spec, y_spec])  # fmt: skip

    assert saved is None
    x, y = array([5, 10]), array([3])
    assert_saves(net, "simple_net", [x, y], linear(net, x) + y)
    assert sorted(os.listdir()) == [
        "simple_net.pdiparams", "simple_net.pdiparams.info", "simple_net.pdmodel",
    ]  # fmt: skip


def test_export_as_printed_names_the_layer() -> None:
    """Printed is ``[None, 3]`` for a Linear that takes 10."""
    net = SimpleNet()
    net.eval()
    x_spec = InputSpec(shape=[None, 3], dtype='float32', name='x')  # fmt: skip
    y_spec = InputSpec(shape=[3], dtype='float32', name='y')  # fmt: skip
    with pytest.raises(ValueError) as caught:
        paddle.jit.save(net, path='simple_net', input_spec=[x_spec, y_spec])  # fmt: skip
    text = str(caught.value)
    assert text.startswith("In transformed code:\n\n  File ")
    assert "in forward (* user code *)\n    out = self.linear(x)\n" in text
    assert "linear(x): expected shape [..., 10]" in text and "-1, 3" in text
    assert os.listdir() == []


# -- 2.2.1 ----------------------------------------------------------------------------------------


def test_input_spec_directly() -> None:
    x = InputSpec([None, 784], 'float32', 'x')  # fmt: skip
    label = InputSpec([None, 1], 'int64', 'label')  # fmt: skip
    with output() as out:
        print(x)
        print(label)
    assert out.lines == [
        "InputSpec(shape=(-1, 784), dtype=VarType.FP32, name=x)",
        "InputSpec(shape=(-1, 1), dtype=VarType.INT64, name=label)",
    ]
    assert str(InputSpec([2])) == "InputSpec(shape=(2,), dtype=VarType.FP32, name=None)"


def test_input_spec_from_tensor() -> None:
    x = paddle.to_tensor(np.ones([2, 2], np.float32))
    x_spec = InputSpec.from_tensor(x, name='x')  # fmt: skip
    with output() as out:
        print(x_spec)
    assert out.lines == ["InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)"]
    assert InputSpec.from_tensor(x).name == x.name


def test_input_spec_from_numpy() -> None:
    x = np.ones([2, 2], np.float32)
    x_spec = InputSpec.from_numpy(x, name='x')  # fmt: skip
    with output() as out:
        print(x_spec)
    assert out.lines == ["InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)"]
    assert InputSpec.from_numpy(x).name is None


# -- 2.2.2, way 1 ---------------------------------------------------------------------------------


class WithSpec(Layer):
    def __init__(self):
        super(WithSpec, self).__init__()  # noqa: UP008
        self.linear = paddle.nn.Linear(10, 3)

    @to_static(input_spec=[InputSpec(shape=[None, 10], name="x"), InputSpec(shape=[3], name="y")])
    def forward(self, x, y):  # fmt: skip
        out = self.linear(x)
        out = out + y
        return out


def test_spec_in_the_decorator() -> None:
    net = WithSpec()

    # save static model for inference directly
    paddle.jit.save(net, './simple_net')  # fmt: skip

    x, y = array([7, 10]), array([3])
    assert_saves(net, "./simple_net", [x, y], linear(net, x) + y)


def test_one_program_serves_every_batch_size() -> None:
    net = WithSpec()
    y = array([3])
    for size in (1, 4, 9):
        x = array([size, 10])
        out = net(paddle.to_tensor(x), paddle.to_tensor(y))
        np.testing.assert_allclose(out.numpy(), linear(net, x) + y, rtol=1e-5, atol=1e-6)
    assert [v.shape for v in net.forward.inputs] == [(-1, 10), (3,)] or [
        list(v.shape) for v in net.forward.inputs
    ] == [[-1, 10], [3]]
    assert [v.name for v in net.forward.inputs] == ["x", "y"]


def test_note_1_python_values_among_the_specs() -> None:
    class Scaled(Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[InputSpec([None, 10], name="x"), 3, 0.5])
        def forward(self, x, times, offset):
            return self.linear(x) * times + offset

    net = Scaled()
    paddle.jit.save(net, "./simple_net")
    x = array([2, 10])
    assert_saves(net, "./simple_net", [x], linear(net, x) * 3 + 0.5)


def test_note_2_every_required_argument_needs_a_spec() -> None:
    class OnlyX(SimpleNet):
        @to_static(input_spec=[InputSpec(shape=[None, 10], name="x")])
        def forward(self, x, y):
            return self.linear(x) + y

    with pytest.raises((ValueError, TypeError), match=r"\by\b"):
        paddle.jit.save(OnlyX(), "./simple_net")
    assert os.listdir() == []


def test_note_3_other_arguments_have_a_default() -> None:
    class Normed(Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(10, 3)
            self.bn = paddle.nn.BatchNorm1D(3)

        @to_static(input_spec=[InputSpec(shape=[None, 10], name="x")])
        def forward(self, x, use_bn=False):
            out = self.linear(x)
            if use_bn:
                out = self.bn(out)
            return out

    net = Normed()
    paddle.jit.save(net, "./simple_net")
    x = array([2, 10])
    assert_saves(net, "./simple_net", [x], linear(net, x))


# -- 2.2.2, way 2 ---------------------------------------------------------------------------------


def test_spec_in_the_function() -> None:
    def train_step(net, train_reader):
        x, y = train_reader()
        loss = paddle.mean(net(x, y))
        loss.backward()
        sgd.step()
        sgd.clear_grad()

    def train_reader():
        return paddle.rand([4, 10]), paddle.rand([4, 3])

    net = SimpleNet()
    sgd = paddle.optimizer.SGD(parameters=net.parameters())

    # train process (Pseudo code)
    for epoch_id in range(10):  # noqa: B007
        train_step(net, train_reader)

    net = to_static(net, input_spec=[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')])  # noqa: E501  # fmt: skip

    # save static model for inference directly
    paddle.jit.save(net, './simple_net')  # fmt: skip

    x, y = array([6, 10]), array([3])
    assert_saves(net, "./simple_net", [x, y], linear(net, x) + y)


# -- 2.2.2, way 3 ---------------------------------------------------------------------------------


def test_list_of_specs() -> None:
    class SimpleNet(Layer):
        def __init__(self):
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')]])  # noqa: E501  # fmt: skip
        def forward(self, inputs):
            x, y = inputs[0], inputs[1]
            out = self.linear(x)
            out = out + y
            return out

    net = SimpleNet()
    x, y = array([6, 10]), array([3])
    out = net([paddle.to_tensor(x), paddle.to_tensor(y)])
    np.testing.assert_allclose(out.numpy(), linear(net, x) + y, rtol=1e-5, atol=1e-6)
    paddle.jit.save(net, "./simple_net")
    assert_saves(net, "./simple_net", [x, y], linear(net, x) + y)


def test_dict_of_specs() -> None:
    class SimpleNet(Layer):
        def __init__(self):
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[InputSpec(shape=[None, 10], name='x'), {'x': InputSpec(shape=[3], name='bias')}])  # noqa: E501  # fmt: skip
        def forward(self, x, bias_info):
            x_bias = bias_info['x']  # fmt: skip
            out = self.linear(x)
            out = out + x_bias
            return out

    net = SimpleNet()
    x, y = array([6, 10]), array([3])
    out = net(paddle.to_tensor(x), {"x": paddle.to_tensor(y)})
    np.testing.assert_allclose(out.numpy(), linear(net, x) + y, rtol=1e-5, atol=1e-6)
    paddle.jit.save(net, "./simple_net")
    assert_saves(net, "./simple_net", [x, y], linear(net, x) + y)
    assert [v.name for v in net.forward.inputs] == ["x", "bias"]


# -- 2.2.2, way 4 ---------------------------------------------------------------------------------


class UseAct(Layer):
    def __init__(self, ):  # fmt: skip
        super(UseAct, self).__init__()  # noqa: UP008
        self.linear = paddle.nn.Linear(10, 3)
        self.relu = paddle.nn.ReLU()

    def forward(self, x, use_act=False):
        out = self.linear(x)
        if use_act:
            out = self.relu(out)
        return out


@pytest.mark.parametrize("use_act", [False, True])
def test_use_act_in_the_saved_model(use_act: bool) -> None:
    """As meant: with the net, which the printed call leaves out."""
    net = UseAct()
    spec: list = [InputSpec(shape=[None, 10], name='x')]  # fmt: skip
    net = to_static(net, input_spec=[*spec, True] if use_act else spec)
    paddle.jit.save(net, path='./simple_net')  # fmt: skip
    x = array([6, 10])
    expected = linear(net, x)
    assert_saves(net, "./simple_net", [x], np.maximum(expected, 0) if use_act else expected)


@pytest.mark.parametrize("more", [[], [True]])
def test_use_act_as_printed(more: list) -> None:
    """``to_static(input_spec=...)`` without a net is a decorator: to be called, not saved."""
    decorate = to_static(input_spec=[InputSpec(shape=[None, 10], name='x'), *more])  # fmt: skip
    with pytest.raises((TypeError, ValueError), match=r"expected .*Layer.*decorator"):
        paddle.jit.save(decorate, path='./simple_net')  # fmt: skip
    assert os.listdir() == []

    net = decorate(UseAct())
    paddle.jit.save(net, path="./simple_net")
    x = array([6, 10])
    expected = linear(net, x)
    assert_saves(net, "./simple_net", [x], np.maximum(expected, 0) if more else expected)


def test_use_act_switched_from_step_to_step() -> None:
    """“动转静支持非 Tensor 参数在训练时取不同的值 ... 行为与动态图一致”"""
    net, plain = to_static(UseAct()), UseAct()
    plain.set_state_dict(net.state_dict())
    for model in (net, plain):
        adam = paddle.optimizer.Adam(parameters=model.parameters())
        for step in range(6):
            x = paddle.to_tensor(array([4, 10], step))
            use_act = step % 2 == 0
            loss = paddle.mean(model(x, use_act))
            loss.backward()
            adam.step()
            adam.clear_grad()
    for name, value in net.state_dict().items():
        np.testing.assert_allclose(
            value.numpy(), plain.state_dict()[name].numpy(), rtol=1e-6, atol=1e-6
        )
    x = paddle.to_tensor(array([4, 10]))
    assert (net(x, True).numpy() >= 0).all()
    assert (net(x, False).numpy() < 0).any()


# -- 3.1 ------------------------------------------------------------------------------------------


def test_dynamic_deployment() -> None:
    net = SimpleNet()

    layer_state_dict = net.state_dict()
    paddle.save(layer_state_dict, "net.pdiparams")  # 导出模型  # fmt: skip

    again = SimpleNet()
    again.set_state_dict(paddle.load("net.pdiparams"))
    x, y = paddle.rand([2, 10]), paddle.rand([3])
    np.testing.assert_array_equal(again(x, y).numpy(), net(x, y).numpy())

    zeros = paddle.zeros(shape=[1,2], dtype='float32')  # fmt: skip
    with output() as out:
        print(zeros)
    out.is_(
        """Tensor(shape=[1, 2], dtype=float32, place=CPUPlace, stop_gradient=True,
                  [[0., 0.]])"""
    )
    assert sorted(net._sub_layers) == ["linear"]
    assert sorted(net.linear._parameters) == ["bias", "weight"]
    sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
    assert [p.name for p in sgd._parameter_list] == [p.name for p in net.parameters()]
