"""The 1.3 page on fluid: each example about static graphs, written with paddle.static.

    BuildStrategy            test_build_strategy; its members: test_the_defaults_of_the_page,
                             test_gradients_of_the_places_are_averaged, test_gradient_scale_...,
                             test_debug_graphviz_path
    CompiledProgram          test_compiled_program
    ExecutionStrategy        test_execution_strategy
    Executor, run, close     test_executor, test_close, test_only_persistable_variables_...
    global_scope, scope_guard
                             test_global_scope_and_scope_guard, test_all_variables_of_a_run_...
    name_scope               test_name_scope
    ParallelExecutor, run    test_parallel_executor_..., test_a_test_executor_shares_variables
    ParamAttr                test_param_attr, test_a_parameter_that_is_not_trainable_stays
    Program                  test_program, test_roles_of_operators, test_the_role_of_...
    Program.clone, 1 and 2   test_clone; with for_test before minimize: the page on Program
    program_guard            test_program, test_program_guard_without_a_startup_program_...
    WeightNormParamAttr      test_weight_norm

Left to the issue that brings ``paddle.fluid``: DataFeeder, LoDTensor, memory_optimize,
release_memory, the transpilers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static
from paddle.core import unique_name
from paddle.executor.plan import Plan
from paddle.nn.initializer import Assign, Constant

pytestmark = pytest.mark.usefixtures("fresh_static")

FEED = {"x": np.arange(8, dtype="float32").reshape(8, 1)}


def small_network(rate: float = 0.1) -> Any:
    """Adds a line through the origin and its training to the default Programs; the loss."""
    x = static.data("x", [None, 1], "float32")
    loss = paddle.mean((static.nn.fc(x, 1, weight_attr=Constant(0.5), bias_attr=False) - x) ** 2)
    paddle.optimizer.SGD(rate).minimize(loss)
    return loss


def started() -> Any:
    """An Executor that has run the startup Program."""
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    return exe


def weight() -> np.ndarray:
    return np.array(static.global_scope().find_var("fc_0.w_0").get_tensor()).copy()


# -- strategies and several places -----------------------------------------------------------------


def test_build_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    loss = small_network()
    started()
    build_strategy = static.BuildStrategy()
    build_strategy.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce

    train_exe = static.ParallelExecutor(use_cuda=False,
                                        loss_name=loss.name,
                                        build_strategy=build_strategy)  # fmt: skip

    (train_loss,) = train_exe.run([loss.name], feed=FEED)
    # 0.25 x^2 over the first and over the second half of the batch
    np.testing.assert_allclose(train_loss, [0.25 * 3.5, 0.25 * 31.5])


def test_the_defaults_of_the_page() -> None:
    build, execution = static.BuildStrategy(), static.ExecutionStrategy()
    assert build.debug_graphviz_path == ""
    assert not build.fuse_elewise_add_act_ops
    assert not build.remove_unnecessary_lock
    scale = static.BuildStrategy.GradientScaleStrategy
    assert build.gradient_scale_strategy == scale.CoeffNumDevice
    assert build.reduce_strategy == static.BuildStrategy.ReduceStrategy.AllReduce
    assert (execution.num_threads, execution.num_iteration_per_drop_scope) == (0, 100)
    assert not execution.allow_op_delay


@pytest.mark.parametrize("strategy", ["AllReduce", "Reduce"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_gradients_of_the_places_are_averaged(strategy: str, count: int) -> None:
    paddle.enable_static()
    loss = small_network(rate=0.01)
    exe = started()
    build = static.BuildStrategy()
    build.reduce_strategy = getattr(static.BuildStrategy.ReduceStrategy, strategy)
    compiled = static.CompiledProgram(static.default_main_program()).with_data_parallel(
        loss.name, build, places=static.cpu_places(count)
    )
    exe.run(compiled, feed=FEED)
    gradient = np.mean(2 * (0.5 - 1) * FEED["x"] ** 2)  # equal parts: as for the whole batch
    np.testing.assert_allclose(weight(), [[0.5 - 0.01 * gradient]], rtol=1e-6)


def test_gradient_scale_one_adds_the_gradients_up() -> None:
    paddle.enable_static()
    loss = small_network(rate=0.01)
    exe = started()
    build = static.BuildStrategy()
    build.gradient_scale_strategy = static.BuildStrategy.GradientScaleStrategy.One
    compiled = static.CompiledProgram(static.default_main_program()).with_data_parallel(
        loss.name, build, places=static.cpu_places(2)
    )
    exe.run(compiled, feed=FEED)
    np.testing.assert_allclose(weight(), [[0.5 + 2 * 0.01 * 17.5]], rtol=1e-6)


def test_gradient_scale_customized_takes_the_fed_gradient_of_the_loss() -> None:
    paddle.enable_static()
    loss = small_network(rate=0.01)
    exe = started()
    build = static.BuildStrategy()
    build.gradient_scale_strategy = static.BuildStrategy.GradientScaleStrategy.Customized
    compiled = static.CompiledProgram(static.default_main_program()).with_data_parallel(
        loss.name, build, places=static.cpu_places(1)
    )
    exe.run(compiled, feed={**FEED, loss.name + "@GRAD": np.array([3.0], "float32")})
    np.testing.assert_allclose(weight(), [[0.5 + 3 * 0.01 * 17.5]], rtol=1e-6)


def test_debug_graphviz_path(tmp_path: Path) -> None:
    paddle.enable_static()
    loss = small_network()
    exe = started()
    build = static.BuildStrategy()
    build.debug_graphviz_path = str(tmp_path / "graph.dot")
    exe.run(static.CompiledProgram(static.default_main_program(), build), FEED, [loss])
    text = (tmp_path / "graph.dot").read_text()
    assert text.startswith("digraph")
    for word in ("sgd", "fc_0.w_0", loss.name):
        assert word in text


def test_compiled_program() -> None:
    paddle.enable_static()
    loss = small_network(rate=0.01)
    startup, main, feed_dict = (
        static.default_startup_program(), static.default_main_program(), FEED,
    )  # fmt: skip
    place = paddle.CPUPlace()
    exe = static.Executor(place)
    exe.run(startup)
    compiled_prog = static.CompiledProgram(main).with_data_parallel(loss_name=loss.name)
    losses = []
    for _i in range(5):
        test_loss, = exe.run(compiled_prog,
                             feed=feed_dict,
                             fetch_list=[loss.name])  # fmt: skip
        losses.append(test_loss.item())
    # w - 1 shrinks by the factor 1 - 2 * 0.01 * mean(x^2)
    expected = 0.25 * 17.5 * (1 - 0.02 * 17.5) ** (2 * np.arange(5))
    np.testing.assert_allclose(losses, expected, rtol=1e-4)


def test_execution_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    loss = small_network()
    started()
    exec_strategy = static.ExecutionStrategy()
    exec_strategy.num_threads = 4

    train_exe = static.ParallelExecutor(use_cuda=False,
                                        loss_name=loss.name,
                                        exec_strategy=exec_strategy)  # fmt: skip

    (train_loss,) = train_exe.run([loss.name], feed=FEED)
    np.testing.assert_allclose(train_loss, [0.25 * 3.5, 0.25 * 31.5])


def test_parallel_executor_splits_a_dict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    image = static.data("image", [None, 1, 28, 28], "float32")
    rows = paddle.shape(image)[0:1]
    total = paddle.sum(image)
    exe = static.ParallelExecutor(use_cuda=False)
    assert exe.device_count == 2

    # 图像会被split到设备中。假设有两个设备，那么每个设备将会处理形为 (24, 1, 28, 28)的图像
    fed = np.random.random(size=(48, 1, 28, 28)).astype("float32")
    counts, sums = exe.run(feed={"image": fed}, fetch_list=[rows.name, total.name])
    assert counts.tolist() == [24, 24]
    np.testing.assert_allclose(sums, [fed[:24].sum(), fed[24:].sum()], rtol=1e-4)

    # 各设备挨个处理列表中的每个元素
    # 第一个设备处理形为 (48, 1, 28, 28) 的图像
    # 第二个设备处理形为 (32, 1, 28, 28) 的图像
    feed = [{"image": np.random.random(size=(n, 1, 28, 28)).astype("float32")} for n in (48, 32)]
    assert exe.run(feed=feed, fetch_list=[rows])[0].tolist() == [48, 32]
    assert exe.run([rows], feed_dict=feed)[0].tolist() == [48, 32]  # the older name


def test_parallel_executor_refuses_what_cannot_be_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    out = static.data("x", [None, 1]) * 2.0
    exe = static.ParallelExecutor(use_cuda=False)
    with pytest.raises(ValueError, match="2 places, but received 3"):
        exe.run([out], feed=[FEED, FEED, FEED])
    with pytest.raises(TypeError, match="expected a dict of arrays, but received int"):
        exe.run([out], feed=[FEED, 1])
    with pytest.raises(ValueError, match="has 1 rows, but there are 2 places"):
        exe.run([out], feed={"x": FEED["x"][:1]})
    with pytest.raises(TypeError, match=r"ParallelExecutor\(share_vars_from\)"):
        static.ParallelExecutor(use_cuda=False, share_vars_from=static.Program())  # type: ignore[arg-type]


def test_a_test_executor_shares_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    paddle.enable_static()
    scope = static.Scope()
    x = static.data("x", [None, 1])
    loss = paddle.mean((static.nn.fc(x, 1, weight_attr=Constant(0.5), bias_attr=False) - x) ** 2)
    test_program = static.default_main_program().clone(for_test=True)
    paddle.optimizer.SGD(0.01).minimize(loss)
    static.Executor().run(static.default_startup_program(), scope=scope)
    train = static.ParallelExecutor(use_cuda=False, loss_name=loss.name, scope=scope)
    test = static.ParallelExecutor(use_cuda=False, main_program=test_program, share_vars_from=train)
    before = test.run([loss.name], feed=FEED)[0].mean()
    train.run([], feed=FEED)
    after = test.run([loss.name], feed=FEED)[0].mean()
    np.testing.assert_allclose(after, before * (1 - 0.02 * 17.5) ** 2, rtol=1e-5)


# -- Executor --------------------------------------------------------------------------------------


def test_executor() -> None:
    paddle.enable_static()
    data = static.data(name="X", shape=[None, 1], dtype="float32")
    hidden = static.nn.fc(data, size=10)
    block = static.default_main_program().current_block()
    out = block.create_var(name="out", shape=[-1, 10], dtype="float32")
    paddle.assign(hidden, out)
    loss = paddle.mean(out)
    adam = paddle.optimizer.Adam()
    adam.minimize(loss)

    cpu = paddle.CPUPlace()
    exe = static.Executor(cpu)
    exe.run(static.default_startup_program())

    x = np.random.random(size=(10, 1)).astype("float32")
    before = weight()
    outs = exe.run(feed={"X": x}, fetch_list=[loss.name])
    np.testing.assert_allclose(outs[0], [(x @ before).mean()], rtol=1e-5)
    # 应注意，执行器会执行program中的所有算子而不仅仅是依赖于fetch_list的那部分。
    np.testing.assert_allclose(weight(), before - 0.001 * np.sign(x.sum()), atol=1e-5)


def test_close() -> None:
    cpu = paddle.CPUPlace()
    exe = static.Executor(cpu)
    exe.close()
    with pytest.raises(RuntimeError, match="the executor was closed"):
        exe.run(static.Program())


def test_only_persistable_variables_stay_in_the_scope() -> None:
    paddle.enable_static()
    loss = small_network()
    started().run(feed=FEED, fetch_list=[loss])
    scope = static.global_scope()
    assert scope.find_var("fc_0.w_0") is not None
    assert scope.find_var(loss.name) is None


def test_a_program_is_made_ready_once() -> None:
    paddle.enable_static()
    loss = small_network()
    exe = started()
    exe.run(feed=FEED, fetch_list=[loss])
    built = Plan.built
    for use_program_cache in (True, False):
        exe.run(feed=FEED, fetch_list=[loss], use_program_cache=use_program_cache)
    assert Plan.built == built


# -- scopes ----------------------------------------------------------------------------------------


def test_global_scope_and_scope_guard() -> None:
    new_scope = static.Scope()
    with static.scope_guard(new_scope):
        static.global_scope().var("data").get_tensor().set(np.ones((2, 2)), paddle.CPUPlace())
    assert np.array(new_scope.find_var("data").get_tensor()).tolist() == [[1, 1], [1, 1]]
    assert static.global_scope().find_var("data") is None


def test_all_variables_of_a_run_go_to_the_new_scope() -> None:
    paddle.enable_static()
    loss = small_network()
    mine, other = static.Scope(), static.Scope()
    with static.scope_guard(mine):
        exe = started()
    exe.run(static.default_startup_program(), scope=other)
    exe.run(feed=FEED, scope=mine)
    values = [np.array(s.find_var("fc_0.w_0").get_tensor()).item() for s in (mine, other)]
    assert values[0] != values[1] == 0.5
    with pytest.raises(RuntimeError, match=r"'fc_0.w_0' is not initialized"):
        exe.run(feed=FEED, fetch_list=[loss])  # the scope of this test is empty


# -- name_scope, guards ----------------------------------------------------------------------------


def test_name_scope() -> None:
    paddle.enable_static()
    x = static.data("x", [1])
    with static.name_scope("encoder"):
        a = x + 1.0
    with static.name_scope("decoder"):
        b = a * 2.0
        with static.name_scope("attention"):
            c = b - 1.0
    with static.name_scope("decoder"):
        c / 2.0
    names = [op.attr("op_namescope") for op in static.default_main_program().block(0).ops]
    assert names == ["/encoder/", "/decoder/", "/decoder/attention/", "/decoder_1/"]


def test_program() -> None:
    paddle.enable_static()
    main_program = static.Program()
    startup_program = static.Program()
    with static.program_guard(main_program=main_program, startup_program=startup_program):
        x = static.data(name="x", shape=[-1, 784], dtype="float32")
        static.data(name="y", shape=[-1, 1], dtype="int32")
        static.nn.fc(x, name="fc", size=10, activation="relu")
    assert list(main_program.block(0).vars) == [
        "x", "y", "fc.w_0", "fc.tmp_0", "fc.b_0", "fc.tmp_1", "fc.tmp_2",
    ]  # fmt: skip
    assert {n for op in startup_program.block(0).ops for n in op.output_arg_names} == {
        "fc.w_0", "fc.b_0",
    }  # fmt: skip
    assert not static.default_main_program().block(0).vars


def network(is_test: bool) -> Any:
    img = static.data(name="image", shape=[None, 784])
    hidden = static.nn.fc(img, size=200, activation="relu")
    hidden = F.dropout(hidden, 0.5, training=not is_test)
    prediction = static.nn.fc(hidden, size=10, activation="softmax")
    label = static.data(name="label", shape=[None, 1], dtype="int64")
    return paddle.mean(static.nn.cross_entropy(input=prediction, label=label))


def test_clone() -> None:
    paddle.enable_static()
    train_program = static.Program()
    startup_program = static.Program()
    with static.program_guard(train_program, startup_program), unique_name.guard():
        loss = network(is_test=False)
    test_program = train_program.clone(for_test=True)
    sgd = paddle.optimizer.SGD(learning_rate=1e-3)
    with static.program_guard(train_program, startup_program), unique_name.guard():
        sgd.minimize(loss)

    train_program_2, startup_program_2 = static.Program(), static.Program()
    test_program_2 = static.Program()
    with static.program_guard(train_program_2, startup_program_2):
        with unique_name.guard():
            loss = network(is_test=False)
            sgd = paddle.optimizer.SGD(learning_rate=1e-3)
            sgd.minimize(loss)
    # 不使用测试阶段的startup program
    with static.program_guard(test_program_2, static.Program()):
        with unique_name.guard():
            loss = network(is_test=True)

    # 上边两个代码片段生成的Program是一样的。
    # (But for the type of a mask that nobody writes: a clone keeps what training said.)
    assert str(test_program) == str(test_program_2).replace("uint8", "float32")
    assert [op.type for op in train_program.block(0).ops] == [
        op.type for op in train_program_2.block(0).ops
    ]
    exe = static.Executor()
    exe.run(startup_program)
    feed = {"image": np.random.rand(4, 784).astype("float32"), "label": np.ones([4, 1], "int64")}
    first, second = (
        exe.run(p, feed=feed, fetch_list=[loss.name])[0].item()
        for p in (test_program, test_program_2)
    )
    assert first == second  # they share the parameters of the scope, and dropout is off in both


def test_program_guard_without_a_startup_program_of_its_own() -> None:
    paddle.enable_static()
    main_program = static.Program()
    # 如果您不需要关心startup program,传入一个临时值即可
    with static.program_guard(main_program, static.Program()):
        static.nn.fc(static.data("data", [None, 2]), 2)
    assert not static.default_startup_program().block(0).ops
    # 若传入 None 则不改变当前的启动程序。
    with static.program_guard(static.Program(), None):
        static.nn.fc(static.data("data", [None, 2]), 2)
    assert len(static.default_startup_program().block(0).ops) == 2


def test_roles_of_operators() -> None:
    """Forward, Backward and Optimize, with the parameters that an operator is about."""
    paddle.enable_static()
    small_network()
    ops = static.default_main_program().block(0).ops
    roles = {op.type: op.attr("op_role") for op in ops}
    assert (roles["mul"], roles["mul_grad"], roles["sgd"]) == (0, 1, 2)
    for op in ops:
        if op.type in ("mul_grad", "sgd"):
            assert op.attr("op_role_var") == ["fc_0.w_0", "fc_0.w_0@GRAD"]


def test_the_role_of_operators_to_come() -> None:
    paddle.enable_static()
    program = static.default_main_program()
    x = static.data("x", [1])
    assert (program.op_role, program.op_role_var) == (0, [])
    program.op_role, program.op_role_var = 2, ["w", "w@GRAD"]
    x + 1.0
    op = program.block(0).ops[-1]
    assert (op.attr("op_role"), op.attr("op_role_var")) == (2, ["w", "w@GRAD"])


# -- attributes of parameters ----------------------------------------------------------------------


def test_param_attr() -> None:
    paddle.enable_static()
    w_param_attrs = paddle.ParamAttr(name="fc_weight",
                                     initializer=Assign(np.full([1, 10], 2.0)),
                                     learning_rate=0.5,
                                     regularizer=paddle.regularizer.L2Decay(1.0),
                                     trainable=True)  # fmt: skip
    x = static.data(name="X", shape=[None, 1], dtype="float32")
    y_predict = static.nn.fc(x, size=10, weight_attr=w_param_attrs)
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(y_predict))
    exe = started()
    exe.run(feed={"X": np.ones([4, 1], "float32")})
    value = np.array(static.global_scope().find_var("fc_weight").get_tensor())
    # w - rate * factor * (gradient + coefficient * w)
    np.testing.assert_allclose(value, np.full([1, 10], 2 - 0.1 * 0.5 * (0.1 + 2.0)), rtol=1e-6)


def test_a_parameter_that_is_not_trainable_stays() -> None:
    paddle.enable_static()
    x = static.data(name="x", shape=[None, 1], dtype="float32")
    kept = paddle.ParamAttr(trainable=False, initializer=Constant(0.5))
    loss = paddle.mean(static.nn.fc(x, size=10, weight_attr=kept))
    _, pairs = paddle.optimizer.SGD(0.1).minimize(loss)
    assert [p.name for p, _ in pairs] == ["fc_0.b_0"]
    exe = started()
    exe.run(feed=FEED)
    assert (weight() == 0.5).all()


def test_weight_norm() -> None:
    paddle.enable_static()
    data = static.data(name="data", shape=[None, 3, 32, 32], dtype="float32")
    fc = static.nn.fc(data,
                      size=1000,
                      weight_attr=static.WeightNormParamAttr(
                          dim=None,
                          name='weight_norm_param'))  # fmt: skip
    assert {p.name: p.shape for p in static.default_main_program().all_parameters()} == {
        "weight_norm_param_v": (3072, 1000), "weight_norm_param_g": (1, 1), "fc_0.b_0": (1000,),
    }  # fmt: skip
    exe = started()
    scope = static.global_scope()
    v, g = (np.array(scope.find_var(f"weight_norm_param_{n}").get_tensor()) for n in "vg")
    np.testing.assert_allclose(g, [[np.linalg.norm(v)]], rtol=1e-4)
    x = np.random.rand(2, 3, 32, 32).astype("float32")
    scope.find_var("weight_norm_param_g").get_tensor().set(2 * g, paddle.CPUPlace())
    (out,) = exe.run(feed={"data": x}, fetch_list=[fc])
    np.testing.assert_allclose(out, x.reshape(2, -1) @ (2 * v), rtol=1e-3, atol=1e-3)
