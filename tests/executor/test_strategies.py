"""BuildStrategy and ExecutionStrategy: their switches, the table of effects, what acts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.analysis.aliasing import IN_PLACE
from paddle.analysis.marks import DROPS
from paddle.static.strategy import BUILD, EXECUTION
from tests.executor.building import building, started, value

ROOT = Path(__file__).resolve().parents[2]
TABLE = [line.split("\t") for line in (ROOT / "tests/data/api-2.0.tsv").read_text().splitlines()]
CLASSES = {"BuildStrategy": BUILD, "ExecutionStrategy": EXECUTION}
SWITCHES = [(cls, name) for cls, table in CLASSES.items() for name in table]
Reduce = static.BuildStrategy.ReduceStrategy
Scale = static.BuildStrategy.GradientScaleStrategy


def made(cls):
    return getattr(static, cls)()


def test_all_names_are_exported():
    for name in ("BuildStrategy", "CompiledProgram", "ExecutionStrategy", "ParallelExecutor",
                 "cpu_places", "cuda_places", "Executor", "Scope", "global_scope",
                 "scope_guard"):  # fmt: skip
        assert name in static.__all__ and getattr(static, name) is not None


@pytest.mark.parametrize("cls", CLASSES)
def test_the_switches_are_those_of_the_api_table(cls):
    prefix = f"paddle.static.{cls}."
    listed = {row[0][len(prefix) :] for row in TABLE if row[0].startswith(prefix)}
    assert listed == set(CLASSES[cls])
    for name in listed:
        assert isinstance(getattr(getattr(static, cls), name), property)
        assert CLASSES[cls][name].effect in getattr(getattr(static, cls), name).__doc__


ANOTHER = {
    "bool": True, "bool or None": False, "int": 3, "str": "graph.dot", "set of str": {"conv2d"},
    "list of str": ["127.0.0.1:6170"], "ReduceStrategy": Reduce.Reduce,
    "GradientScaleStrategy": Scale.One,
}  # fmt: skip


@pytest.mark.parametrize(("cls", "name"), SWITCHES)
def test_a_switch_has_its_default_and_can_be_set(cls, name):
    switch = CLASSES[cls][name]
    strategy = made(cls)
    assert getattr(strategy, name) == switch.default
    other = ANOTHER[switch.kind]
    if other in switch.refused:
        with pytest.raises(NotImplementedError, match=f"{cls}.{name} = "):
            setattr(strategy, name, other)
        other = switch.default
    setattr(strategy, name, other)
    assert getattr(strategy, name) == other and type(getattr(strategy, name)) is type(other)
    assert getattr(made(cls), name) == switch.default
    assert f"{name}={other!r}" in repr(strategy)


@pytest.mark.parametrize(("cls", "name"), SWITCHES)
def test_a_switch_refuses_what_is_of_another_type(cls, name):
    kind = CLASSES[cls][name].kind
    wrong = {"str": 3, "bool or None": "yes", "set of str": [1], "list of str": {1}}.get(
        kind, "yes"
    )
    for bad in (wrong, 1.5, object()):
        expected = f"{cls}.{name}: expected .*, but received {type(bad).__name__}"
        with pytest.raises(TypeError, match=expected):
            setattr(made(cls), name, bad)


def test_numbers_of_numpy_and_small_integers_are_fine():
    build, execution = static.BuildStrategy(), static.ExecutionStrategy()
    build.enable_inplace = np.bool_(False)
    build.memory_optimize = None
    build.fuse_bn_act_ops = 1
    execution.num_threads = np.int64(2)
    assert build.enable_inplace is False and build.fuse_bn_act_ops is True
    assert type(execution.num_threads) is int


@pytest.mark.parametrize(
    ("cls", "name", "bad"),
    [("ExecutionStrategy", "num_threads", -1), ("ExecutionStrategy", "num_iteration_per_run", 0),
     ("ExecutionStrategy", "num_iteration_per_drop_scope", 0), ("BuildStrategy", "trainer_id", -1),
     ("BuildStrategy", "nccl_comm_num", 0)],
)  # fmt: skip
def test_numbers_that_are_too_small(cls, name, bad):
    with pytest.raises(ValueError, match=rf"{cls}.{name}: expected an int >= \d, got {bad}"):
        setattr(made(cls), name, bad)


def test_what_nothing_can_stand_for_raises():
    build = static.BuildStrategy()
    for name, bad in (("async_mode", True), ("reduce_strategy", Reduce._NoReduce)):
        with pytest.raises(NotImplementedError, match=name):
            setattr(build, name, bad)
        assert getattr(build, name) == BUILD[name].default


def test_unknown_switches():
    with pytest.raises(
        AttributeError, match=r"BuildStrategy has no switch 'enable_inplac'; it has"
    ):
        static.BuildStrategy().enable_inplac = True
    with pytest.raises(AttributeError):
        _ = static.ExecutionStrategy().num_thread


def test_a_list_can_be_added_to():
    build = static.BuildStrategy()
    build.trainers_endpoints.append("127.0.0.1:6170")
    build.mkldnn_enabled_op_types.add("conv2d")
    assert build.trainers_endpoints == ["127.0.0.1:6170"]
    assert static.BuildStrategy().trainers_endpoints == []
    assert static.BuildStrategy().mkldnn_enabled_op_types == set()


def test_the_document_has_the_table_of_the_package():
    path = ROOT / "scripts" / "make_strategy_table.py"
    spec = importlib.util.spec_from_file_location("make_strategy_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = (ROOT / "docs" / "static.md").read_text("utf8")
    assert module.with_table(text) == text, "run: python scripts/make_strategy_table.py"
    for name in (*BUILD, *EXECUTION):
        assert f"| `{name}` |" in text


# -- switches that act -----------------------------------------------------------------------------


def training():
    with building() as (main, startup):
        x = static.data("x", [None, 3])
        hidden = paddle.nn.functional.relu(static.nn.fc(x, 4))
        loss = paddle.mean(paddle.square(static.nn.fc(hidden, 1)))
        paddle.optimizer.Momentum(0.1).minimize(loss)
    return main, startup, loss


X = {"x": np.random.RandomState(3).randn(8, 3).astype("float32")}


def run_with(build=None, execution=None, count=1, steps=3):
    """The ParallelPlan that ran, the losses, and a weight afterwards."""
    main, startup, loss = training()
    scope = started(startup)
    exe = static.Executor(paddle.CPUPlace())
    compiled = static.CompiledProgram(main).with_data_parallel(
        loss.name, build, execution, places=static.cpu_places(count)
    )
    losses = [exe.run(compiled, X, [loss], scope=scope)[0].mean() for _ in range(steps)]
    (plan,) = compiled._plans.values()
    return plan, losses, value(scope, "fc_0.w_0")


def operators(plan):
    return [op for p in (plan.forward, plan.update) for op in p.program.global_block().ops]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("enable_inplace", lambda ops: any(IN_PLACE in op.attrs for op in ops)),
        ("memory_optimize", lambda ops: any(DROPS in op.attrs for op in ops)),
        ("fuse_all_optimizer_ops", lambda ops: any(op.type == "merged_update" for op in ops)),
    ],
    ids=["enable_inplace", "memory_optimize", "fuse_all_optimizer_ops"],
)
def test_a_pass_can_be_left_out(name, seen):
    plain, losses, weight = run_with()
    on, off = static.BuildStrategy(), static.BuildStrategy()
    setattr(on, name, True)
    setattr(off, name, False)
    with_pass, without = run_with(on), run_with(off)
    assert seen(operators(plain)) and seen(operators(with_pass[0]))
    assert not seen(operators(without[0]))
    np.testing.assert_allclose(without[1], losses, rtol=1e-6)
    np.testing.assert_allclose(without[2], weight, rtol=1e-6)
    if name == "memory_optimize":
        assert "del " in plain.forward.source and "del " not in without[0].forward.source


def test_several_steps_in_one_run():
    execution = static.ExecutionStrategy()
    execution.num_iteration_per_run = 3
    _, losses, weight = run_with(steps=6)
    _, last, same_weight = run_with(execution=execution, steps=2)
    np.testing.assert_array_equal(last, [losses[2], losses[5]])
    np.testing.assert_array_equal(weight, same_weight)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_any_number_of_threads_gives_the_same(threads):
    execution = static.ExecutionStrategy()
    execution.num_threads = threads
    _, losses, weight = run_with(execution=execution, count=4)
    np.testing.assert_allclose(losses, run_with()[1], rtol=1e-5)
    np.testing.assert_allclose(weight, run_with()[2], rtol=1e-5)


def test_a_switch_that_changes_later_makes_a_new_plan(tmp_path):
    main, startup, loss = training()
    scope, exe = started(startup), static.Executor(paddle.CPUPlace())
    build = static.BuildStrategy()
    compiled = static.CompiledProgram(main, build)
    exe.run(compiled, X, [loss], scope=scope)
    exe.run(compiled, X, [loss], scope=scope)
    assert len(compiled._plans) == 1
    build.enable_inplace = False
    exe.run(compiled, X, [loss], scope=scope)
    assert len(compiled._plans) == 2


@pytest.mark.parametrize("wrong", [3, "fast", {}, static.ExecutionStrategy])
def test_strategies_of_another_type(wrong):
    main, _, loss = training()
    name = type(wrong).__name__
    with pytest.raises(TypeError, match=rf"CompiledProgram\(build_strategy\): .* {name}"):
        static.CompiledProgram(main, wrong)
    compiled = static.CompiledProgram(main)
    with pytest.raises(TypeError, match=rf"with_data_parallel\(build_strategy\): .* {name}"):
        compiled.with_data_parallel(loss.name, build_strategy=wrong)
    with pytest.raises(TypeError, match=rf"with_data_parallel\(exec_strategy\): .* {name}"):
        compiled.with_data_parallel(loss.name, exec_strategy=wrong)
