"""The guide where it leaves dynamic mode: files of Programs, Python operators, the fleet MLP.

on dynamic and static graphs, 3.2   test_a_variable_is_a_symbol_only, test_print_a_program,
                                    test_a_program_and_its_parameters_become_files
2.8.1.1.2, the older interface      test_static_save_and_load, test_load_program_state_and_...,
                                    test_save_and_load_an_inference_model (names, no code)
2.8.3, the static example           test_a_data_loader_feeds_a_program
8.3, operators in Python            test_tanh_in_python, test_a_network_with_a_python_...,
                                    test_several_inputs_and_..., test_a_function_for_its_effect
6.2.2, the fleet MLP                test_the_single_machine_trainer; its distributed forms are
                                    left to the issue that brings paddle.distributed
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from tests.seeds.printed import output

pytestmark = pytest.mark.usefixtures("fresh_static")


# -- on dynamic and static graphs, 3.2 -------------------------------------------------------------


def test_a_variable_is_a_symbol_only() -> None:
    # 开启静态图模式
    paddle.enable_static()

    zeros = paddle.zeros(shape=[1,2], dtype='float32')  # fmt: skip
    with output() as out:
        print(zeros)
    # The page on Program and this one disagree on the form of a printed variable; 2.0 is the former.  # noqa: E501
    out.is_(
        "var fill_constant_0.tmp_0 : paddle.VarType.LOD_TENSOR.shape(1, 2).astype(VarType.FP32)"
    )
    with pytest.raises(Exception, match="no value") as raised:
        zeros.numpy()
    assert "Executor.run" in str(raised.value)
    (value,) = paddle.static.Executor().run(fetch_list=[zeros])
    assert value.tolist() == [[0, 0]]


# What the guide prints, without the attributes that only its release had.
PRINTED = """
{ // block 0
   var x : LOD_TENSOR.shape(-1, 10).dtype(float32).stop_gradient(True)
   var y : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(True)
   persist trainable param fc_0.w_0 : LOD_TENSOR.shape(10, 3).dtype(float32).stop_gradient(False)
   var fc_0.tmp_0 : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(False)
   persist trainable param fc_0.b_0 : LOD_TENSOR.shape(3,).dtype(float32).stop_gradient(False)
   var fc_0.tmp_1 : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(False)
   var elementwise_add_0 : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(False)

   {Out=['fc_0.tmp_0']} = mul(inputs={X=['x'], Y=['fc_0.w_0']}, op_device = , op_namescope = /,
   op_role = 0, op_role_var = [], x_num_col_dims = 1, y_num_col_dims = 1)
   {Out=['fc_0.tmp_1']} = elementwise_add(inputs={X=['fc_0.tmp_0'], Y=['fc_0.b_0']}, axis = 1,
   op_device = , op_namescope = /, op_role = 0, op_role_var = [])
   {Out=['elementwise_add_0']} = elementwise_add(inputs={X=['fc_0.tmp_1'], Y=['y']}, axis = -1,
   op_device = , op_namescope = /, op_role = 0, op_role_var = [])
}
"""


def test_print_a_program() -> None:
    # 开启静态图模式
    paddle.enable_static()

    # placeholder 信息
    x = paddle.static.data(shape=[None, 10], dtype="float32", name="x")
    y = paddle.static.data(shape=[None, 3], dtype="float32", name="y")

    out = paddle.static.nn.fc(x, 3)
    out = paddle.add(out, y)
    # 打印查看 Program 信息
    with output() as printed:
        print(paddle.static.default_main_program())
    printed.is_(PRINTED)


def test_a_program_and_its_parameters_become_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paddle.enable_static()
    x = paddle.static.data(shape=[None, 10], dtype="float32", name="x")
    out = paddle.static.nn.fc(x, 3)
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())

    main_program = paddle.static.default_main_program()

    # ...... 训练过程(略)

    prog_path='main_program.pdimodel'  # fmt: skip
    paddle.save(main_program, prog_path)  # 导出为 .pdimodel

    para_path='main_program.pdiparams'  # fmt: skip
    paddle.save(main_program.state_dict(), para_path)  # 导出为 .pdiparams

    feed = {"x": np.random.rand(2, 10).astype("float32")}
    expected = exe.run(feed=feed, fetch_list=[out])[0]
    loaded = paddle.load(prog_path)
    with paddle.static.scope_guard(paddle.static.Scope()):
        loaded.set_state_dict(paddle.load(para_path))
        got = exe.run(loaded, feed=feed, fetch_list=[out.name])[0]
    np.testing.assert_array_equal(got, expected)
    assert Path(prog_path).read_bytes() == main_program.desc.serialize_to_string()


# -- the older ways of saving, 2.8.1.1.2 -----------------------------------------------------------


def trained() -> tuple[Any, Any, dict[str, np.ndarray]]:
    """A trained layer in the default Programs: (output, executor, feed)."""
    paddle.enable_static()
    image = paddle.static.data("image", [None, 4], "float32")
    out = paddle.static.nn.fc(image, 2)
    paddle.optimizer.Adam(0.1).minimize(paddle.mean(out * out))
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    feed = {"image": np.random.rand(3, 4).astype("float32")}
    for _ in range(3):
        exe.run(feed=feed)
    return out, exe, feed


def state() -> dict[str, np.ndarray]:
    held = paddle.static.default_main_program().state_dict()
    return {n: np.array(v) for n, v in held.items()}


def test_static_save_and_load(tmp_path: Path) -> None:
    _, exe, feed = trained()
    program, path = paddle.static.default_main_program(), str(tmp_path / "static_save" / "model")
    paddle.static.save(program, path)
    kept = state()
    exe.run(feed=feed)
    assert any((kept[n] != v).any() for n, v in state().items())
    paddle.static.load(program, path, exe)
    for name, value in state().items():
        np.testing.assert_array_equal(value, kept[name])
    assert {p.name for p in (tmp_path / "static_save").iterdir()} == {
        "model.pdparams", "model.pdopt", "model.pdmodel",
    }  # fmt: skip


def test_load_program_state_and_set_program_state(tmp_path: Path) -> None:
    trained()
    program, path = paddle.static.default_main_program(), str(tmp_path / "model")
    paddle.static.save(program, path)
    loaded = paddle.static.load_program_state(path)
    np.testing.assert_array_equal(loaded["fc_0.w_0"], state()["fc_0.w_0"])
    doubled = {n: 2 * v for n, v in loaded.items()}
    paddle.static.set_program_state(program, doubled)
    for name, value in state().items():
        np.testing.assert_array_equal(value, doubled[name])
    assert paddle.io.load_program_state is paddle.static.load_program_state  # as 2.8.4 calls it


def test_save_and_load_an_inference_model(tmp_path: Path) -> None:
    out, exe, feed = trained()
    path = str(tmp_path / "infer")
    image = paddle.static.default_main_program().block(0).var("image")
    paddle.static.save_inference_model(path, [image], [out], exe)
    expected = exe.run(
        paddle.static.default_main_program().clone(for_test=True), feed=feed, fetch_list=[out]
    )[0]
    with paddle.static.scope_guard(paddle.static.Scope()):
        program, feed_names, fetch_vars = paddle.static.load_inference_model(path, exe)
        got = exe.run(program, feed={feed_names[0]: feed["image"]}, fetch_list=fetch_vars)[0]
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert feed_names == ["image"]


# -- operators in Python, 8.3 ----------------------------------------------------------------------


# 前向函数1：模拟tanh激活函数
def tanh(x):
    # 可以直接将Tensor作为np.tanh的输入参数
    return np.tanh(x)


# 前向函数2：将两个2-D Tenosr相加，输入多个Tensor以list[Tensor]或tuple(Tensor)形式
def element_wise_add(x, y):
    # 必须先手动将Tensor转换为numpy数组，否则无法支持numpy的shape操作
    x = np.array(x)
    y = np.array(y)

    if x.shape != y.shape:
        raise AssertionError("the shape of inputs must be the same!")

    result = np.zeros(x.shape, dtype="int32")
    for i in range(len(x)):
        for j in range(len(x[0])):
            result[i][j] = x[i][j] + y[i][j]

    return result


# 前向函数3：可用于调试正在运行的网络（打印值）
def debug_func(x):
    # 可以直接将Tensor作为print的输入参数
    print(x)


# 前向函数1对应的反向函数，默认的输入顺序为：x、out、out的梯度
def tanh_grad(x, y, dy):
    # 必须先手动将Tensor转换为numpy数组，否则"+/-"等操作无法使用
    return np.array(dy) * (1 - np.square(np.array(y)))


def tanh_grad_without_x(y, dy):
    return np.array(dy) * (1 - np.square(np.array(y)))


def create_tmp_var(program, name, dtype, shape):
    return program.current_block().create_var(name=name, dtype=dtype, shape=shape)


@pytest.mark.parametrize("skips", [False, True])
def test_tanh_in_python(skips: bool) -> None:
    paddle.enable_static()

    in_var = paddle.static.data(name="input", dtype="float32", shape=[-1, 28, 28])
    in_var.stop_gradient = False
    # 手动创建前向输出变量
    out_var = create_tmp_var(
        paddle.static.default_main_program(), name="output", dtype="float32", shape=[-1, 28, 28]
    )

    if skips:
        paddle.static.nn.py_func(
            func=tanh,
            x=in_var,
            out=out_var,
            backward_func=tanh_grad_without_x,
            skip_vars_in_backward_input=in_var,
        )
    else:
        paddle.static.nn.py_func(func=tanh, x=in_var, out=out_var, backward_func=tanh_grad)

    (grad,) = paddle.static.gradients([paddle.sum(out_var * 3.0)], [in_var])
    x = np.random.randn(2, 28, 28).astype("float32")
    got, slope = paddle.static.Executor().run(feed={"input": x}, fetch_list=[out_var, grad])
    np.testing.assert_allclose(got, np.tanh(x), rtol=1e-6)
    np.testing.assert_allclose(slope, 3 * (1 - np.tanh(x) ** 2), rtol=1e-4, atol=1e-6)


def test_a_network_with_a_python_operator_trains() -> None:
    """此至，使用py_func编写Python Op的步骤结束。我们可以与使用其他Op一样进行网路训练/预测。"""
    paddle.enable_static()
    x = paddle.static.data("x", [None, 4], "float32")
    hidden = paddle.static.nn.fc(x, 8)
    program = paddle.static.default_main_program()
    out = create_tmp_var(program, "activated", "float32", [-1, 8])
    paddle.static.py_func(tanh, hidden, out, tanh_grad_without_x, hidden)
    loss = paddle.mean((paddle.static.nn.fc(out, 1) - 1.0) ** 2)
    paddle.optimizer.Adam(0.05).minimize(loss)
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    before = np.array(paddle.static.global_scope().find_var("fc_0.w_0").get_tensor()).copy()
    feed = {"x": np.random.rand(16, 4).astype("float32")}
    losses = [exe.run(feed=feed, fetch_list=[loss])[0].item() for _ in range(60)]
    assert losses[-1] < 0.05 * losses[0]
    after = np.array(paddle.static.global_scope().find_var("fc_0.w_0").get_tensor())
    assert (after != before).all()  # the gradient came through the Python function


def test_several_inputs_and_a_function_that_fails() -> None:
    paddle.enable_static()
    program = paddle.static.default_main_program()
    x, y = (paddle.static.data(n, [-1, 2], "int32") for n in "xy")
    out = create_tmp_var(program, "sum", "int32", [-1, 2])
    paddle.static.nn.py_func(element_wise_add, (x, y), out)
    exe, ones = paddle.static.Executor(), np.ones([3, 2], "int32")
    assert exe.run(feed={"x": ones, "y": ones}, fetch_list=[out])[0].tolist() == [[2, 2]] * 3
    with pytest.raises(AssertionError, match="the shape of inputs must be the same!") as raised:
        exe.run(feed={"x": ones, "y": ones[:2]}, fetch_list=[out])
    assert "py_func(element_wise_add, (x, y), out)" in str(raised.value)  # the user's own line


def test_a_function_for_its_effect() -> None:
    paddle.enable_static()
    x = paddle.static.data("x", [1, 2], "float32")
    paddle.static.nn.py_func(func=debug_func, x=x, out=None)
    with output() as printed:
        paddle.static.Executor().run(feed={"x": np.array([[1, 2]], "float32")})
    assert printed.text.count("data: [1 2]") == 1


# -- the fleet MLP on one machine, 6.2.2 -----------------------------------------------------------


def mlp(input_x, input_y, hid_dim=128, label_dim=2):
    fc_1 = paddle.static.nn.fc(input=input_x, size=hid_dim, act="tanh")
    fc_2 = paddle.static.nn.fc(input=fc_1, size=hid_dim, act="tanh")
    prediction = paddle.static.nn.fc(input=[fc_2], size=label_dim, act="softmax")
    cost = paddle.static.nn.cross_entropy(input=prediction, label=input_y)
    avg_cost = paddle.static.nn.mean(x=cost)
    return avg_cost


def gen_data():
    return {
        "x": np.random.random(size=(128, 32)).astype("float32"),
        "y": np.random.randint(2, size=(128, 1)).astype("int64"),
    }


def test_the_single_machine_trainer() -> None:
    paddle.enable_static()  # forgotten there; the next test shows what happens without it
    np.random.seed(0)
    paddle.seed(1)

    input_x = paddle.static.data(name="x", shape=[None, 32], dtype="float32")
    input_y = paddle.static.data(name="y", shape=[None, 1], dtype="int64")

    cost = mlp(input_x, input_y)
    optimizer = paddle.optimizer.SGD(learning_rate=0.01)
    optimizer.minimize(cost)
    place = paddle.CPUPlace()

    exe = paddle.static.Executor(place)
    exe.run(paddle.static.default_startup_program())
    step = 61  # 1001 there
    with output() as out:
        for i in range(step):
            cost_val = exe.run(feed=gen_data(), fetch_list=[cost.name])
            print("step%d cost=%f" % (i, cost_val[0][0]))  # noqa: UP031
    costs = [float(re.fullmatch(r"step\d+ cost=(\d\.\d{6})", line)[1]) for line in out.lines]  # type: ignore[index]
    assert len(costs) == step
    assert np.mean(costs) == pytest.approx(np.log(2), abs=0.05)  # labels are random

    rows = np.random.random(size=(128, 32)).astype("float32")
    fixed = {"x": rows, "y": (rows[:, :1] > 0.5).astype("int64")}  # and now there is a rule
    costs = [exe.run(feed=fixed, fetch_list=[cost])[0].item() for _ in range(60)]
    assert costs[-1] < costs[0] - 0.05


def test_the_trainer_without_static_mode_says_what_is_missing() -> None:
    input_x = paddle.static.data(name="x", shape=[None, 32], dtype="float32")
    with pytest.raises(RuntimeError, match=r"call paddle\.enable_static\(\) first"):
        mlp(input_x, input_x)


# -- a DataLoader that feeds a Program, 2.8.3 ------------------------------------------------------

BATCH_SIZE = 16
BATCH_NUM = 4
IMAGE_SIZE = 784
CLASS_NUM = 10


# define a random dataset
class RandomDataset(paddle.io.Dataset):
    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __getitem__(self, idx):
        image = np.random.random([IMAGE_SIZE]).astype("float32")
        label = np.random.randint(0, CLASS_NUM - 1, (1,)).astype("int64")
        return image, label

    def __len__(self):
        return self.num_samples


@pytest.mark.parametrize("return_list", [False, True])
def test_a_data_loader_feeds_a_program(return_list: bool) -> None:
    # enable static mode
    paddle.enable_static()
    image = paddle.static.data(name="image", shape=[None, 784], dtype="float32")
    label = paddle.static.data(name="label", shape=[None, 1], dtype="int64")
    pred = paddle.static.nn.fc(image, size=10, activation="softmax")
    loss = paddle.nn.functional.cross_entropy(pred, label, reduction="none")
    avg_loss = paddle.mean(loss)

    optimizer = paddle.optimizer.SGD(learning_rate=0.001)
    optimizer.minimize(avg_loss)

    place = paddle.CPUPlace()
    exe = paddle.static.Executor(place)
    exe.run(paddle.static.default_startup_program())

    # create data loader
    dataset = RandomDataset(BATCH_NUM * BATCH_SIZE)
    loader = paddle.io.DataLoader(dataset,
        feed_list=[image, label],
        places=place,
        batch_size=BATCH_SIZE,
        shuffle=True,
        drop_last=True,
        return_list=return_list,
        num_workers=2)  # fmt: skip

    # train model
    losses = []
    for data in loader():
        feed = dict(zip(["image", "label"], data)) if return_list else data
        losses += exe.run(paddle.static.default_main_program(), feed=feed, fetch_list=[avg_loss])
    assert len(losses) == BATCH_NUM
    assert all(value.shape == (1,) and 1.5 < value.item() < 3.5 for value in losses)
