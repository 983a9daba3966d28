"""Guide, 4.1 to 4.4 on ``to_static``: the examples run as printed.

2.8.3 is in test_jit_save_guide.py, 4.5 and 4.6 are in test_to_static_debugging_guide.py.

4.1.1   test_a_shape_decides, test_save_the_fc_layer
4.1.2   test_traced_layer, test_a_trace_knows_one_branch
4.3     test_supported_* and test_refused_* (described, no code)
4.4.1   test_input_spec_forms
4.4.2   test_spec_in_the_decorator, test_spec_in_the_function, test_list_and_dict_of_specs,
        test_use_act
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.jit import TracedLayer, to_static
from paddle.static import InputSpec
from tests.seeds.printed import output


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    paddle.jit.ProgramTranslator().enable(True)
    assert paddle.in_dynamic_mode()


# -- 4.1.1 ----------------------------------------------------------------------------------------


def test_a_shape_decides() -> None:
    @paddle.jit.to_static
    def func(input_var):
        # if 判断与输入 input_var 的 shape 有关
        if input_var.shape[0] > 1:
            out = paddle.cast(input_var, "float64")
        else:
            out = paddle.cast(input_var, "int64")
        return out

    in_np = np.array([-2]).astype('int')  # fmt: skip
    input_var = paddle.to_tensor(in_np)
    out = func(input_var)

    assert (out.dtype, out.numpy().tolist()) == (paddle.int64, [-2])
    out = func(paddle.to_tensor([-2, 3]))
    assert (out.dtype, out.numpy().tolist()) == (paddle.float64, [-2.0, 3.0])


class SimpleFcLayer(paddle.nn.Layer):
    def __init__(self, batch_size, feature_size, fc_size):
        super(SimpleFcLayer, self).__init__()  # noqa: UP008
        self._linear = paddle.nn.Linear(feature_size, fc_size)
        self._offset = paddle.to_tensor(
            np.random.random((batch_size, fc_size)).astype('float32'))  # fmt: skip

    @paddle.jit.to_static
    def forward(self, x):
        fc = self._linear(x)
        return fc + self._offset


class PlainFcLayer(paddle.nn.Layer):
    def __init__(self, batch_size, feature_size, fc_size):
        super(PlainFcLayer, self).__init__()  # noqa: UP008
        self._linear = paddle.nn.Linear(feature_size, fc_size)
        self._offset = paddle.to_tensor(
            np.random.random((batch_size, fc_size)).astype('float32'))  # fmt: skip

    def forward(self, x):
        fc = self._linear(x)
        return fc + self._offset


def fc_result(layer: Any, x: np.ndarray) -> np.ndarray:
    linear = layer._linear
    return x @ linear.weight.numpy() + linear.bias.numpy() + layer._offset.numpy()


def test_save_the_fc_layer() -> None:
    fc_layer = SimpleFcLayer(3, 4, 2)
    in_np = np.random.random([3, 4]).astype('float32')  # fmt: skip
    input_var = paddle.to_tensor(in_np)
    out = fc_layer(input_var)
    paddle.jit.save(fc_layer, "./fc_layer_dy2stat", input_spec=[input_var])

    np.testing.assert_allclose(out.numpy(), fc_result(fc_layer, in_np), rtol=1e-5, atol=1e-6)
    assert sorted(os.listdir()) == [
        f"fc_layer_dy2stat.{end}" for end in ("pdiparams", "pdiparams.info", "pdmodel")
    ]
    loaded = paddle.jit.load("./fc_layer_dy2stat")
    loaded.eval()
    np.testing.assert_allclose(loaded(input_var).numpy(), out.numpy(), rtol=1e-6, atol=1e-6)


# -- 4.1.2 ----------------------------------------------------------------------------------------


def test_traced_layer() -> None:
    fc_layer = PlainFcLayer(3, 4, 2)
    in_np = np.random.random([3, 4]).astype('float32')  # fmt: skip

    # 将 numpy 的 ndarray 类型的数据转换为 Tensor 类型
    input_var = paddle.to_tensor(in_np)

    # 通过 TracerLayer.trace 接口将命令式模型转换为声明式模型
    out_dygraph, static_layer = TracedLayer.trace(fc_layer, inputs=[input_var])
    save_dirname = './saved_infer_model'  # fmt: skip

    # 将转换后的模型保存
    static_layer.save_inference_model(save_dirname, feed=[0], fetch=[0])

    expected = fc_result(fc_layer, in_np)
    np.testing.assert_allclose(out_dygraph.numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(static_layer([input_var])[0].numpy(), expected, rtol=1e-5, atol=1e-6)

    # 载入的模型可以使用静态图方式运行
    place = paddle.CPUPlace()
    exe = paddle.Executor(place)
    program, feed_vars, fetch_vars = paddle.static.load_inference_model(save_dirname, exe)
    fetch, = exe.run(program, feed={feed_vars[0]: in_np}, fetch_list=fetch_vars)  # fmt: skip

    np.testing.assert_allclose(fetch, expected, rtol=1e-5, atol=1e-6)


def test_a_trace_knows_one_branch() -> None:
    class Func(paddle.nn.Layer):
        def forward(self, input_var):
            # if 判断与输入 input_var 的 shape 有关
            if input_var.shape[0] > 1:
                return paddle.cast(input_var, "float64")
            else:
                return paddle.cast(input_var, "int64")

    in_np = np.array([-2]).astype('int')  # fmt: skip
    input_var = paddle.to_tensor(in_np)
    out, static_layer = TracedLayer.trace(Func(), inputs=[input_var])
    assert out.dtype == paddle.int64
    casts = [op for op in static_layer.program.global_block().ops if op.type == "cast"]
    assert [op.attr("out_dtype") for op in casts] == [int(paddle.int64)]


# -- 4.3 ------------------------------------------------------------------------------------------


def ones(*shape: int, value: float = 1.0) -> paddle.Tensor:
    return paddle.full(list(shape), value, "float32")


def test_supported_if_elif_else() -> None:
    @to_static
    def func(x):
        if x > 10:
            y = x * 2
        elif x > 5:
            y = x * 3
        else:
            y = x * 4
        return y

    assert [func(ones(1, value=v)).numpy().tolist() for v in (11, 6, 1)] == [[22], [18], [4]]


def test_supported_while_with_break_and_continue() -> None:
    @to_static
    def func(x):
        i = paddle.zeros([1], "float32")
        while i < 10:
            i = i + 1
            if i == 3:
                continue
            if i > x:
                break
            x = x + 0.5
        return i, x

    def expected(x):
        i = 0.0
        while i < 10:
            i = i + 1
            if i == 3:
                continue
            if i > x:
                break
            x = x + 0.5
        return [i], [x]

    for start in (0.0, 2.0, 4.0, 50.0):
        i, x = func(ones(1, value=start))
        assert (i.numpy().tolist(), x.numpy().tolist()) == expected(start)


def test_supported_for_over_tensors() -> None:
    @to_static
    def func(x, n):
        total = paddle.zeros([2], "float32")
        for i in range(n):
            total = total + i
        for row in x:
            total = total + row
        for idx, val in enumerate(x):
            total = total + idx * val
        return total

    x = np.arange(6, dtype="float32").reshape(3, 2)
    out = func(paddle.to_tensor(x), paddle.to_tensor([4]))
    expected = 6 + x.sum(0) + sum(i * row for i, row in enumerate(x))
    np.testing.assert_allclose(out.numpy(), expected)


def test_supported_return_anywhere() -> None:
    @to_static
    def func(x):
        for i in range(5):
            if x > 3:
                return x, i + x
            x = x + 1
        return x, x

    for start in (0.0, -9.0, 7.0):
        a, b = func(ones(1, value=start))
        x = start
        for i in range(5):
            if x > 3:
                expected = [x, i + x]
                break
            x += 1
        else:
            expected = [x, x]
        assert [a.numpy()[0], b.numpy()[0]] == expected


@pytest.mark.parametrize("other", ["tuple", "dtype"])
def test_supported_return_of_other_lengths_and_types(other: str) -> None:
    """“也能够支持 return不同长度 tuple和不同类型的 Tensor”"""

    @to_static
    def func(x):
        if x > 3:
            return (x, x * 2) if other == "tuple" else paddle.cast(x, "int64")
        return x

    assert func(ones(1)).numpy().tolist() == [1.0]
    if other == "tuple":
        assert [v.numpy().tolist() for v in func(ones(1, value=5.0))] == [[5.0], [10.0]]
    else:
        assert func(ones(1, value=5.0)).dtype == paddle.int64


def test_supported_logic_casts_len_assert_lambda() -> None:
    @to_static
    def func(x, flag):
        assert x.sum() < 100, "large"
        scale = lambda v: v * len(x)
        if flag and (x.sum() > 2 or not (x.sum() > -2)):
            return scale(float(x.sum()))
        return float(int(x.sum()) + helper(x))

    def helper(x):
        if x.sum() > 1:
            return paddle.ones([1], "int64")
        return paddle.zeros([1], "int64")

    flag = paddle.to_tensor([True])
    assert func(ones(3), flag).numpy().tolist() == [9.0]
    with pytest.raises(Exception, match="large"):
        func(ones(3, value=99.0), flag)


def test_supported_lists_and_dicts() -> None:
    @to_static
    def func(x, n):
        parts = []
        i = paddle.zeros([1], "int32")
        while i < n:
            parts.append(x + i.astype("float32"))
            i = i + 1
        parts.pop()
        parts[0] = x * 10
        table = {"first": parts[0], "count": len(parts)}
        return table["first"], table["count"]

    first, count = func(ones(2), paddle.to_tensor([4], "int32"))
    assert first.numpy().tolist() == [10, 10]
    assert int(count) == 3


def test_refused_list_sort_says_where() -> None:
    """“其他 list操作，比如 sort无法支持”: works where the list is Python's."""

    @to_static
    def func(x):
        parts = [3, 1, 2]
        parts.sort()
        return x * parts[0]

    assert func(ones(1)).numpy().tolist() == [1.0]


def test_refused_numpy_inside() -> None:
    @to_static
    def func(x):
        return paddle.to_tensor(np.abs(x.numpy()))

    with pytest.raises(Exception) as caught:
        func(ones(2))
    text = str(caught.value)
    assert text.startswith("In transformed code:")
    assert "return paddle.to_tensor(np.abs(x.numpy()))" in text
    assert re.search(r"numpy\(\).*(no value|static|Program)", text, re.S)


def test_refused_recursion_without_an_end() -> None:
    @to_static
    def func(x):
        return down(x)

    def down(x):
        if x > 0:
            return down(x - 1)
        return x

    with pytest.raises(ValueError, match="down calls itself under a condition on a Tensor") as e:
        func(ones(1, value=3.0))
    text = str(e.value)
    assert text.startswith("In transformed code:")
    assert "in down (* user code *)\n    return down(x - 1)\n  [Previous line repeated" in text
    assert "write it as a loop" in text  # 遇到这种情况我们建议将代码改为非递归写法
    assert "true_fn" not in text
    assert len(text) < 2000  # what repeats is not listed


# -- 4.4 ------------------------------------------------------------------------------------------


def test_input_spec_forms() -> None:
    x = InputSpec([None, 784], 'float32', 'x')  # fmt: skip
    label = InputSpec([None, 1], 'int64', 'label')  # fmt: skip
    with output() as out:
        print(x)  # InputSpec(shape=(-1, 784), dtype=VarType.FP32, name=x)  # fmt: skip
        print(label)  # InputSpec(shape=(-1, 1), dtype=VarType.INT64, name=label)  # fmt: skip
        x = paddle.to_tensor(np.ones([2, 2], np.float32))
        x_spec = InputSpec.from_tensor(x, name='x')  # fmt: skip
        print(x_spec)  # InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)  # fmt: skip
        x = np.ones([2, 2], np.float32)
        x_spec = InputSpec.from_numpy(x, name='x')  # fmt: skip
        print(x_spec)  # InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)  # fmt: skip
    assert out.lines == [
        "InputSpec(shape=(-1, 784), dtype=VarType.FP32, name=x)",
        "InputSpec(shape=(-1, 1), dtype=VarType.INT64, name=label)",
        "InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)",
        "InputSpec(shape=(2, 2), dtype=VarType.FP32, name=x)",
    ]


def fluid_layer() -> Any:
    """``from paddle.fluid.dygraph import Layer``, as printed, where fluid has arrived."""
    try:
        return importlib.import_module("paddle.fluid.dygraph").Layer
    except ModuleNotFoundError:
        return paddle.nn.Layer


def linear(net: Any, x: np.ndarray) -> np.ndarray:
    return x @ net.linear.weight.numpy() + net.linear.bias.numpy()


def check_saved(net: Any, path: str) -> None:
    """The file computes ``linear(x) + y`` for any batch."""
    loaded = paddle.jit.load(path)
    loaded.eval()
    for size in (1, 5):
        x, y = np.random.rand(size, 10).astype("float32"), np.random.rand(3).astype("float32")
        out = loaded(paddle.to_tensor(x), paddle.to_tensor(y))
        np.testing.assert_allclose(out.numpy(), linear(net, x) + y, rtol=1e-5, atol=1e-6)


def test_spec_in_the_decorator() -> None:
    Layer = fluid_layer()

    class SimpleNet(Layer):
        def __init__(self):
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')])  # noqa: E501  # fmt: skip
        def forward(self, x, y):
            out = self.linear(x)
            out = out + y
            return out

    net = SimpleNet()

    # save static model for inference directly
    paddle.jit.save(net, './simple_net')  # fmt: skip

    check_saved(net, "./simple_net")


def test_spec_in_the_function() -> None:
    Layer = fluid_layer()

    class SimpleNet(Layer):
        def __init__(self):
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        def forward(self, x, y):
            out = self.linear(x)
            out = out + y
            return out

    net = SimpleNet()

    # train process (Pseudo code)
    sgd = paddle.optimizer.SGD(parameters=net.parameters())
    for _epoch_id in range(10):
        paddle.mean(net(paddle.rand([4, 10]), paddle.rand([3]))).backward()
        sgd.step()
        sgd.clear_grad()

    net = to_static(net, input_spec=[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')])  # noqa: E501  # fmt: skip

    # save static model for inference directly
    paddle.jit.save(net, './simple_net')  # fmt: skip

    check_saved(net, "./simple_net")


def test_list_and_dict_of_specs() -> None:
    Layer = fluid_layer()

    class ListNet(Layer):
        def __init__(self):
            super(ListNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[[InputSpec(shape=[None, 10], name='x'), InputSpec(shape=[3], name='y')]])  # noqa: E501  # fmt: skip
        def forward(self, inputs):
            x, y = inputs[0], inputs[1]
            out = self.linear(x)
            out = out + y
            return out

    class DictNet(Layer):
        def __init__(self):
            super(DictNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)

        @to_static(input_spec=[InputSpec(shape=[None, 10], name='x'), {'x': InputSpec(shape=[3], name='bias')}])  # noqa: E501  # fmt: skip
        def forward(self, x, bias_info):
            x_bias = bias_info['x']  # fmt: skip
            out = self.linear(x)
            out = out + x_bias
            return out

    for net in (ListNet(), DictNet()):
        paddle.jit.save(net, "./simple_net")
        check_saved(net, "./simple_net")


def test_use_act() -> None:
    class SimpleNet(paddle.nn.Layer):
        def __init__(self, ):  # fmt: skip
            super(SimpleNet, self).__init__()  # noqa: UP008
            self.linear = paddle.nn.Linear(10, 3)
            self.relu = paddle.nn.ReLU()

        @to_static(input_spec=[InputSpec(shape=[None, 10], name='x')])  # fmt: skip
        def forward(self, x, use_act=False):
            out = self.linear(x)
            if use_act:
                out = self.relu(out)
            return out

    net = SimpleNet()
    adam = paddle.optimizer.Adam(parameters=net.parameters())

    # train model
    batch_num = 10
    for step in range(batch_num):
        before = net.linear.weight.numpy()
        x = paddle.rand([4, 10], 'float32')  # fmt: skip
        use_act = (step%2 == 0)  # fmt: skip
        out = net(x, use_act)
        loss = paddle.mean(out)
        loss.backward()
        adam.minimize(loss)
        net.clear_gradients()
        # 保证了取值不同的训练过程都可以更新模型的网络参数
        assert (net.linear.weight.numpy() != before).any()

    # save inference model with use_act=False
    with pytest.warns(DeprecationWarning, match="model_path"):
        paddle.jit.save(net, model_path='./simple_net')  # fmt: skip

    loaded = paddle.jit.load("./simple_net")
    loaded.eval()
    x = np.random.standard_normal([6, 10]).astype("float32")
    out = loaded(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(out, linear(net, x), rtol=1e-4, atol=1e-6)
    assert (out < 0).any()  # 默认值 use_act=False
