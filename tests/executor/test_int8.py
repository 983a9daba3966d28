"""Quantised Programs in the Executor: in floats, and by bytes where FLAGS_executor_int8 says so."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle import quantization, static
from paddle.executor.int8_plan import Int8Plan
from paddle.executor.plan import Plan
from paddle.ops.quantization import int8
from paddle.static.ir_graph import Graph, IrGraph

needs_bytes = pytest.mark.skipif(not int8.usable(), reason="this CPU cannot multiply bytes exactly")
PRODUCTS = ["conv2d", "depthwise_conv2d", "mul", "matmul_v2"]
X = np.random.RandomState(3).rand(4, 3, 8, 8).astype("float32")


@pytest.fixture
def by_bytes():
    paddle.set_flags({"FLAGS_executor_int8": True})
    yield
    paddle.set_flags({"FLAGS_executor_int8": False})


class Aware:
    """A net of 1.x's tools, while it trains and when it is frozen."""

    def __init__(self) -> None:
        self.main, startup = static.Program(), static.Program()
        with static.program_guard(self.main, startup):
            x = static.data("x", [None, 3, 8, 8])
            hidden = static.nn.conv2d(x, 4, 3, act="relu")
            self.hidden = static.nn.conv2d(hidden, 4, 3, padding=1, act="relu")
            self.out = static.nn.fc(self.hidden, 5)
            self.test = self.main.clone(for_test=True)
            self.loss = paddle.mean(self.out * self.out)
            paddle.optimizer.SGD(0.01).minimize(self.loss)
        self.exe, self.scope = static.Executor(paddle.CPUPlace()), static.global_scope()
        self.exe.run(startup)
        self.graphs = [
            IrGraph(Graph(p.desc), for_test=p is self.test) for p in (self.main, self.test)
        ]
        for graph in self.graphs:
            quantization.QuantizationTransformPass(
                scope=self.scope, place=paddle.CPUPlace(), quantizable_op_type=PRODUCTS,
                weight_quantize_type="channel_wise_abs_max",
                activation_quantize_type="moving_average_abs_max",
            ).apply(graph)  # fmt: skip
        self.training = self.graphs[0].to_program()

    def train(self, steps: int = 10) -> list[float]:
        return [self.run(self.training, self.loss)[0].item() for _ in range(steps)]

    def run(self, program, *fetched, x=X):
        return self.exe.run(program, feed={"x": x}, fetch_list=[v.name for v in fetched])

    def frozen(self):
        quantization.QuantizationFreezePass(
            self.scope, paddle.CPUPlace(), weight_quantize_type="channel_wise_abs_max",
            quantizable_op_type=PRODUCTS,
        ).apply(self.graphs[1])  # fmt: skip
        return self.graphs[1].to_program()

    def converted(self):
        convert = quantization.ConvertToInt8Pass(self.scope, paddle.CPUPlace(), PRODUCTS)
        return convert.apply(self.graphs[1]).to_program()

    def plan(self, program, *fetched, exe=None) -> Plan:
        return (exe or self.exe).plan(program, ("x",), [v.name for v in fetched])


@pytest.fixture
def aware():
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
            paddle.seed(1)
            yield Aware()
    finally:
        paddle.disable_static()


def kinds(plan: Plan) -> list[str]:
    return [op.type for op in plan.program.global_block().ops if not op.attrs.get("_hoisted")]


def near(found, expected) -> None:
    assert np.linalg.norm(found - expected) <= 0.05 * np.linalg.norm(expected)
    assert not np.array_equal(found, expected)  # else it was the simulation again


def test_floats_unless_asked(aware):
    aware.train(3)
    frozen = aware.frozen()
    assert not isinstance(aware.plan(frozen, aware.out), Int8Plan)


@needs_bytes
def test_frozen_and_converted_programs(aware, by_bytes):
    paddle.set_flags({"FLAGS_executor_int8": False})
    aware.train()
    frozen = aware.frozen()
    [expected] = aware.run(frozen, aware.out)
    paddle.set_flags({"FLAGS_executor_int8": True})
    [found] = aware.run(frozen, aware.out)
    assert kinds(aware.plan(frozen, aware.out))[:3] == [
        "int8_quantize", "int8_conv2d", "int8_conv2d",
    ]  # fmt: skip
    near(found, expected)
    paddle.set_flags({"FLAGS_executor_int8": False})  # a plan belongs to what was asked
    np.testing.assert_array_equal(aware.run(frozen, aware.out)[0], expected)
    paddle.set_flags({"FLAGS_executor_int8": True})
    converted = aware.converted()
    np.testing.assert_allclose(aware.run(converted, aware.out)[0], found, atol=1e-5)
    assert "cast" not in kinds(aware.plan(converted, aware.out))


@needs_bytes
def test_a_value_on_the_way_can_be_fetched(aware, by_bytes):
    aware.train()
    frozen = aware.frozen()
    [alone] = aware.run(frozen, aware.out)
    hidden, out = aware.run(frozen, aware.hidden, aware.out)
    assert hidden.dtype == np.float32 and hidden.shape == (4, 4, 6, 6)
    np.testing.assert_allclose(out, alone, atol=0.05 * np.abs(alone).max())


@needs_bytes
def test_training_stays_in_floats(aware, by_bytes):
    """Steps, scales and gradients are those of a Program that nobody asked about."""
    losses = aware.train()
    assert not isinstance(aware.plan(aware.training, aware.loss), Int8Plan)
    assert losses[-1] < losses[0]
    before = {
        name: np.array(aware.scope.find_var(name).get_tensor())
        for name, var in aware.training.global_block().vars.items()
        if var.persistable and aware.scope.find_var(name) is not None
        and aware.scope.find_var(name).is_initialized()
    }  # fmt: skip
    frozen = aware.frozen()
    aware.run(frozen, aware.out)
    for name, value in before.items():
        if "scale" in name:
            np.testing.assert_array_equal(value, aware.scope.find_var(name).get_tensor())


@needs_bytes
def test_a_test_program_follows_the_training(aware, by_bytes):
    """What is not frozen is quantised anew when the weights have moved."""
    aware.train(3)
    test = aware.graphs[1].to_program()
    [first] = aware.run(test, aware.out)
    aware.train(20)
    [second] = aware.run(test, aware.out)
    paddle.set_flags({"FLAGS_executor_int8": False})
    [expected] = aware.run(test, aware.out)
    assert np.linalg.norm(first - expected) > 0.2 * np.linalg.norm(expected)
    near(second, expected)


@needs_bytes
def test_weights_that_are_set_anew(aware, by_bytes):
    aware.train(3)
    frozen = aware.frozen()
    [before] = aware.run(frozen, aware.out)
    bias = next(n for n in frozen.global_block().vars if n.startswith("fc") and "b_0" in n)
    tensor = aware.scope.find_var(bias).get_tensor()
    tensor.set(np.array(tensor) + 1.0, paddle.CPUPlace())
    np.testing.assert_allclose(aware.run(frozen, aware.out)[0], before + 1.0, rtol=1e-5, atol=1e-5)
    inner = static.Scope()
    for name in (n for n, v in frozen.global_block().vars.items() if v.persistable):
        held = aware.scope.find_var(name)
        if held is not None and held.is_initialized():
            inner.var(name).get_tensor().set(np.array(held.get_tensor()), paddle.CPUPlace())
    inner.var(bias).get_tensor().set(np.array(tensor) + 1.0, paddle.CPUPlace())
    with static.scope_guard(inner):
        [other] = aware.run(frozen, aware.out)
    np.testing.assert_allclose(other, before + 2.0, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(aware.run(frozen, aware.out)[0], before + 1.0, rtol=1e-5, atol=1e-5)


@needs_bytes
def test_a_scope_without_weights(aware, by_bytes):
    aware.train(1)
    frozen = aware.frozen()
    with static.scope_guard(static.Scope()), pytest.raises(RuntimeError, match="not initialized"):
        aware.run(frozen, aware.out)


@needs_bytes
@pytest.mark.parametrize("parallel", [False, True])
def test_compiled_programs(aware, by_bytes, parallel):
    aware.train(3)
    frozen = aware.frozen()
    [expected] = aware.run(frozen, aware.out)
    compiled = static.CompiledProgram(frozen)
    if parallel:
        compiled = compiled.with_data_parallel(places=static.cpu_places(2))
    [found] = aware.run(compiled, aware.out)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    [plan] = compiled._plans.values()
    assert isinstance(plan.forward, Int8Plan)


@needs_bytes
def test_saved_models(aware, by_bytes, tmp_path):
    aware.train(3)
    frozen = aware.frozen()
    [expected] = aware.run(frozen, aware.out)
    block, prefix = frozen.global_block(), str(tmp_path / "net")
    static.save_inference_model(
        prefix, [block.var("x")], [block.var(aware.out.name)], aware.exe, program=frozen
    )
    with static.scope_guard(static.Scope()):
        exe = static.Executor()
        program, feeds, fetches = static.load_inference_model(prefix, exe)
        [found] = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
        assert isinstance(exe.plan(program, tuple(feeds), [v.name for v in fetches]), Int8Plan)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@needs_bytes
def test_programs_without_quantisation_are_what_they_were(by_bytes):
    paddle.enable_static()
    try:
        with static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [None, 4])
            exe = static.Executor()
            assert not isinstance(exe.plan(x.block.program, ("x",), []), Int8Plan)
            [out] = exe.run(
                feed={"x": np.ones([2, 4], "float32")}, fetch_list=[paddle.nn.functional.relu(x)]
            )
    finally:
        paddle.disable_static()
    assert (out == 1).all()


def test_a_word_where_bytes_stay_floats(aware, by_bytes, monkeypatch):
    aware.train(1)
    frozen = aware.frozen()
    monkeypatch.setattr("paddle.ops.quantization.int8.usable", lambda: False)
    with pytest.warns(UserWarning, match="FLAGS_executor_int8: 8 bits were asked for"):
        aware.run(frozen, aware.out)
    assert not isinstance(aware.plan(frozen, aware.out), Int8Plan)


@needs_bytes
@pytest.mark.parametrize("run_by_run", [True, False])
def test_with_checks_and_without(aware, by_bytes, run_by_run):
    aware.train(1)
    frozen = aware.frozen()
    [expected] = aware.run(frozen, aware.out)
    paddle.set_flags({"FLAGS_check_nan_inf": run_by_run})
    try:
        [found] = aware.run(frozen, aware.out)
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})
    np.testing.assert_array_equal(found, expected)


@needs_bytes
def test_levels_of_sequences_go_on(by_bytes):
    """A recurrent or pooled net of 1.x reads them behind products of bytes."""
    from paddle import fluid
    from tests.inference.int8_nets import append, rounded, weight

    rows = np.random.RandomState(1).randn(5, 8).astype("float32")
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()), static.program_guard(static.Program()):
            x = static.data("x", [None, 8], "float32", lod_level=1)
            matrix = np.random.RandomState(0).randn(8, 6).astype("float32")
            inputs = {"X": rounded(x, 2.5), "Y": weight("m", matrix, 1)}
            out = fluid.layers.sequence_pool(append("mul", inputs, ["Out"], {}), "sum")
            given = {"x": fluid.create_lod_tensor(rows, [[2, 3]], paddle.CPUPlace())}
            exe, program = static.Executor(), static.default_main_program()
            found = []
            for on in (True, False):
                paddle.set_flags({"FLAGS_executor_int8": on})
                found += exe.run(program, feed=given, fetch_list=[out])
                plan = exe.plan(program, ("x",), [out.name])
                assert isinstance(plan, Int8Plan) is on
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found[0], found[1], rtol=1e-4, atol=1e-5)
