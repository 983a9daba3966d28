"""Training with fluid against 1.8.5 (scripts/oracle/fluid_training_185.py): dygraph, files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from tests.fluid import dygraph_optimizers, saving

DATA = Path(__file__).parent.parent / "data" / "fluid"


@pytest.fixture(scope="module")
def frozen() -> dict[str, Any]:
    with np.load(DATA / "training.npz") as file:
        return dict(file)


@pytest.fixture
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("name", sorted(dygraph_optimizers.CASES))
def test_dygraph(name: str, frozen: dict[str, Any]) -> None:
    got = dygraph_optimizers.run(fluid, name)
    want = {k.split("/", 1)[1]: v for k, v in frozen.items() if k.startswith(f"{name}/")}
    assert got.keys() == want.keys()
    for key, value in want.items():
        assert got[key].shape == value.shape, key
        np.testing.assert_allclose(got[key], value, 1e-4, 1e-5, err_msg=key)


# -- files ---------------------------------------------------------------------------------------


def test_files_are_those_of_185(tmp_path: Path, static_mode: Any, frozen: dict) -> None:
    out = saving.run(fluid, str(tmp_path))
    np.testing.assert_allclose(out, frozen["saved"], 1e-5, 1e-6)
    theirs = {f.relative_to(DATA / "saved"): f for f in (DATA / "saved").rglob("*") if f.is_file()}
    ours = {f.relative_to(tmp_path): f for f in tmp_path.rglob("*") if f.is_file()}
    assert ours.keys() == theirs.keys()
    for path, file in theirs.items():
        if path.name not in ("__model__", "net"):  # Programs tell of files of their own
            assert ours[path].read_bytes() == file.read_bytes(), path


def test_files_of_185_are_loaded(static_mode: Any, frozen: dict) -> None:
    exe = fluid.Executor(fluid.CPUPlace())
    for folder, names in (("model", {}), ("one", ("net", "values"))):
        with fluid.scope_guard(fluid.Scope()):
            path = str(DATA / "saved" / folder)
            program, feeds, fetches = fluid.io.load_inference_model(path, exe, *names)
            assert feeds == ["x"]
            with pytest.warns(UserWarning, match="nothing in the Program reads 'label'"):
                feed = {"x": saving.X, "label": saving.X}
                (got,) = exe.run(program, feed, fetches)
            np.testing.assert_allclose(got, frozen["saved"], 1e-5, 1e-6)
    main, startup, _, loss = saving.build(fluid)
    with fluid.scope_guard(fluid.Scope()) as _:
        exe.run(startup)
        fluid.io.load_persistables(exe, str(DATA / "saved" / "all"), main, filename="all")
        fluid.io.load_params(exe, str(DATA / "saved" / "params"), main)
        assert np.isfinite(exe.run(main, {"x": saving.X}, [loss])[0]).all()


def test_files_refused(tmp_path: Path, static_mode: Any) -> None:
    main, startup, out, _ = saving.build(fluid)
    io, exe = fluid.io, fluid.Executor(fluid.CPUPlace())
    folder = str(tmp_path / "model")
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for names, targets, error in (
            (1, [out], ValueError), (["x"], "out", ValueError), (["nope"], [out], ValueError),
        ):  # fmt: skip
            with pytest.raises(error):
                io.save_inference_model(folder, names, targets, exe, main)
        with pytest.raises(TypeError, match="Program"):
            io.save_params(exe, folder, 3)
        with pytest.raises(ValueError, match="no directory"):
            io.load_inference_model(str(tmp_path / "nope"), exe)
        with pytest.raises(RuntimeError, match="no file"):
            io.load_params(exe, str(tmp_path), main)
        with pytest.warns(UserWarning, match="program_only"):
            io.save_inference_model(folder, ["x"], [out], exe, main, program_only=True)
        assert [f.name for f in Path(folder).iterdir()] == ["__model__"]
        whole = str(tmp_path / "whole")
        io.save_inference_model(whole, ["x"], [out], exe, main, export_for_deployment=False)
        assert "__model__.main_program" in {f.name for f in Path(whole).iterdir()}
        assert "fc_0.w_0_velocity_0" in {f.name for f in Path(whole).iterdir()}
    block = main.global_block()
    assert io.is_parameter(block.var("fc_0.w_0")) and not io.is_parameter(block.var("x"))
    assert io.is_persistable(block.var("learning_rate_0"))
    assert len(io.get_program_parameter(main)) == 4


# -- running -------------------------------------------------------------------------------------


def test_feeds_that_nothing_reads(static_mode: Any) -> None:
    x = np.ones([2, 3], "float32")
    main, startup, _, loss = saving.build(fluid)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    with pytest.warns(UserWarning, match="'other'"):
        exe.run(main, {"x": x, "other": x}, [loss])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exe.run(main, {"x": x, "other": x}, [loss])  # told once
    parallel = fluid.ParallelExecutor(False, loss_name=loss.name, main_program=main)
    with pytest.warns(UserWarning, match="'other'"):
        parallel.run([loss.name], feed_dict={"x": x, "other": x})
    plain = paddle.static.Program()
    with paddle.static.program_guard(plain, paddle.static.Program()):
        y = paddle.static.data("x", [None, 3]) * 2.0
    with pytest.raises(RuntimeError, match="other"):
        exe.run(plain, {"x": x, "other": x}, [y])


def test_averages_are_applied_and_taken_back(static_mode: Any) -> None:
    main, startup, _, loss = saving.build(fluid)
    with fluid.program_guard(main, startup):
        average = fluid.optimizer.ModelAverage(0.5, 2, 10)
        moving = fluid.optimizer.ExponentialMovingAverage(0.5)
        moving.update()
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        seen = []
        for _ in range(2):
            exe.run(main, {"x": saving.X}, [loss])
            seen.append(fluid.executor._fetch_var("fc_1.b_0"))
        with average.apply(exe):
            mean = fluid.executor._fetch_var("fc_1.b_0")
        np.testing.assert_allclose(mean, np.mean(seen, 0), 1e-5)
        np.testing.assert_allclose(fluid.executor._fetch_var("fc_1.b_0"), seen[-1])
        with moving.apply(exe, need_restore=False):
            pass
        wanted = (0.25 * seen[0] + 0.5 * seen[1]) / 0.75
        np.testing.assert_allclose(fluid.executor._fetch_var("fc_1.b_0"), wanted, 1e-5)
        moving.restore(exe)
        np.testing.assert_allclose(fluid.executor._fetch_var("fc_1.b_0"), seen[-1])
        with pytest.raises(AssertionError, match="nope"):
            fluid.executor._fetch_var("nope")


def _losses(make: Any) -> list[float]:
    """Eight steps of a net with a parameter of 16384 elements."""
    main, startup = fluid.Program(), fluid.Program()
    constant = fluid.initializer.Constant
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 128], "float32")
        attr = fluid.ParamAttr(initializer=constant(0.01))
        hidden = fluid.layers.fc(x, 128, act="tanh", param_attr=attr)
        last = fluid.ParamAttr(initializer=constant(0.1))
        loss = fluid.layers.mean(fluid.layers.square(fluid.layers.fc(hidden, 1, param_attr=last)))
        make().minimize(loss)
    feed = {"x": np.cos(np.arange(512, dtype="float32")).reshape(4, 128)}
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        return [float(exe.run(main, feed, [loss])[0][0]) for _ in range(8)]


def test_deep_gradient_compression(static_mode: Any) -> None:
    opt, clip = fluid.optimizer, fluid.clip.GradientClipByNorm(1.0)
    plain = _losses(lambda: opt.Momentum(0.002, 0.9))
    late = _losses(lambda: opt.DGCMomentumOptimizer(0.002, 0.9, rampup_begin_step=100))
    np.testing.assert_allclose(late, plain, 1e-5)
    early = _losses(
        lambda: opt.DGCMomentumOptimizer(
            0.002, 0.9, 2, sparsity=[0.5, 0.9], rampup_step=2, grad_clip=clip, num_trainers=4
        )
    )
    np.testing.assert_allclose(early[:2], plain[:2], 1e-5)
    assert early[-1] < early[0] and not np.allclose(early, plain)
    with pytest.raises(TypeError, match="GradientClipByNorm"):
        opt.DGCMomentumOptimizer(0.1, 0.9, 0, grad_clip=fluid.clip.GradientClipByValue(1.0))


def test_profiler(static_mode: Any, tmp_path: Path, capsys: Any) -> None:
    main, startup, _, loss = saving.build(fluid)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    trace = tmp_path / "trace"
    with fluid.profiler.profiler("CPU", "calls", str(trace)):
        exe.run(main, {"x": saving.X}, [loss])
    told = capsys.readouterr().out
    assert "Sorted by number of calls" in told and "thread0::momentum" in told
    rows = [line.split() for line in told.splitlines() if line.startswith("thread0::")]
    assert [int(row[1]) for row in rows] == sorted((int(row[1]) for row in rows), reverse=True)
    events = json.loads(trace.read_text(encoding="utf8"))["traceEvents"]
    assert "mul" in {event["name"] for event in events}
    for call in (
        lambda: fluid.profiler.start_profiler("abc"),
        lambda: fluid.profiler.stop_profiler("abc"),
        lambda: fluid.profiler.start_profiler("CPU", "abc"),
    ):
        with pytest.raises(ValueError, match="abc"):
            call()


# -- what is refused -----------------------------------------------------------------------------


def test_arguments_of_optimizers(static_mode: Any) -> None:
    opt = fluid.optimizer
    for make, error, text in (
        (lambda: opt.SGD("abc"), TypeError, "float or a Variable, but received str"),
        (lambda: opt.SGD(None), TypeError, "NoneType"),
        (lambda: opt.SGD(0.1, grad_clip=3), TypeError, "GradientClipBase"),
        (lambda: opt.SGD(0.1, regularization=0.1), TypeError, "L2Decay, but received float"),
        (lambda: opt.Adam(0.1, beta1=1.5), ValueError, "beta1"),
        (lambda: opt.LookaheadOptimizer(None), AssertionError, "inner"),
        (lambda: opt.LookaheadOptimizer(opt.SGD(0.1), k=0), AssertionError, "positive"),
        (lambda: opt.RecomputeOptimizer(opt.SGD(0.1)).load({}), NotImplementedError, "set_dict"),
        (lambda: fluid.contrib.extend_with_decoupled_weight_decay(int), TypeError, "int"),
        (lambda: fluid.initializer.NumpyArrayInitializer([1]), TypeError, "list"),
        (lambda: fluid.initializer.Uniform(1.0, 0.0), ValueError, "high >= low"),
        (lambda: fluid.initializer.Constant("a"), TypeError, "str"),
        (lambda: fluid.clip.set_gradient_clip(3), TypeError, "GradientClipBase"),
    ):
        with pytest.raises(error, match=text), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        rows = fluid.layers.fc(fluid.data("x", [None, 3], "float32"), 2)
        with pytest.raises(AssertionError, match=r"shape \[1\]"):
            opt.SGD(0.1).minimize(rows)
        with pytest.raises(TypeError, match="int"):
            opt.SGD(0.1).minimize(3)
    with fluid.dygraph.guard():
        with pytest.raises(AttributeError, match="parameters"):
            opt.SGD(0.1)
        with pytest.raises(RuntimeError, match="dygraph"):
            opt.ModelAverage(0.1)


def test_rate_and_state(static_mode: Any) -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3], "float32"), 2))
        opt = fluid.optimizer.Adam(0.1)
        opt.minimize(loss)
    names = opt.get_opti_var_name_list()
    assert {"fc_0.w_0_moment1_0", "fc_0.b_0_beta1_pow_acc_0"} <= set(names) and len(names) == 8
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    assert opt.current_step_lr() == 0.1
    opt.set_lr(0.5)
    exe.run(main, {"x": saving.X}, [loss])
    held = fluid.global_scope().find_var("learning_rate_0").get_tensor()
    assert np.array(held)[0] == np.float32(0.5)
    assert set(opt.state_dict()) == set(names)


# -- small tools ---------------------------------------------------------------------------------


def test_metrics() -> None:
    """The numbers are those of 1.8.5."""
    m = fluid.metrics
    preds = np.array([[0.1], [0.7], [0.8], [0.9], [0.2]])
    labels = np.array([[0], [1], [1], [0], [1]])
    both = m.CompositeMetric()
    both.add_metric(m.Precision())
    both.add_metric(m.Recall())
    both.update(preds, labels)
    assert both.eval() == [pytest.approx(2 / 3), pytest.approx(2 / 3)]
    chunks = m.ChunkEvaluator()
    chunks.update(10, 8, 5)
    assert chunks.eval() == (0.5, 0.625, pytest.approx(0.5555556))
    distance = m.EditDistance("d")
    distance.update(np.array([[1.0], [0.0], [3.0]]), 3)
    assert distance.eval() == (pytest.approx(4 / 3), pytest.approx(2 / 3))
    auc = m.Auc("auc")
    auc.update(np.array([[0.3, 0.7], [0.6, 0.4], [0.1, 0.9], [0.8, 0.2]]), np.eye(4)[:, :1] + 0)
    assert auc.eval() == pytest.approx(2 / 3)
    accuracy = m.Accuracy()
    accuracy.update(0.5, 10)
    accuracy.update(np.array([0.9]), 5)
    np.testing.assert_allclose(accuracy.eval(), [0.6333333], 1e-6)
    accuracy.reset()
    for call, text in (
        (accuracy.eval, "nothing was added"),
        (lambda: accuracy.update("x", 1), "str"),
        (lambda: accuracy.update(1.0, -1), "-1"),
        (lambda: chunks.update("a", 1, 1), "str"),
        (lambda: both.add_metric(3), "int"),
        (lambda: m.Precision().update([1], labels), "list"),
        (m.EditDistance("d").eval, "nothing"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_tools(static_mode: Any, tmp_path: Path, capsys: Any) -> None:
    main, startup, _, loss = saving.build(fluid)
    low, high, unit = fluid.contrib.memory_usage(main, 10)
    assert 0 < low < high and unit == "KB"
    single, pairs = fluid.contrib.op_freq_statistic(main)
    assert ("tanh", 1) in single and ("tanh->dropout", 1) in pairs
    with pytest.warns(DeprecationWarning, match="changes nothing"):
        fluid.transpiler.memory_optimization_transpiler._told.clear()
        fluid.memory_optimize(main, level=1, skip_grads=True)
    fluid.debugger.pprint_program_codes(main)
    assert "Out=[fc_0.tmp_0] = mul(" in capsys.readouterr().out
    fluid.debugger.draw_block_graphviz(main.block(0), ["fc_0"], str(tmp_path / "a.dot"))
    assert (tmp_path / "a.dot").read_text(encoding="utf8").startswith("digraph G {")
    text = fluid.net_drawer.draw_graph(startup, main, filename=str(tmp_path / "b.dot"))
    assert "momentum" in text
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    broken = np.full([1, 3], np.nan, "float32")
    with pytest.raises(RuntimeError, match="mul"):
        fluid.debugger.run_fast_nan_inf_debug(exe, main, {"x": broken}, [loss])
    scope = fluid.Scope()
    scope.var("a").get_tensor().set(np.ones([2], "float32"), fluid.CPUPlace())
    fluid.op.Operator("scale", X="a", Out="b", scale=2.0).run(scope, fluid.CPUPlace())
    np.testing.assert_array_equal(np.array(scope.find_var("b").get_tensor()), [2, 2])
    with pytest.raises(ValueError, match="nope"):
        fluid.op.Operator("nope")
    average = fluid.average.WeightedAverage()
    average.add(2.0, 1)
    average.add(4.0, 3)
    assert average.eval() == 3.5
    seen: list[Any] = []
    fluid.default_scope_funcs.scoped_function(
        lambda: seen.append(fluid.default_scope_funcs.var("inner"))
    )
    assert seen and fluid.default_scope_funcs.find_var("inner") is None


def test_evaluators(static_mode: Any) -> None:
    """The numbers are those of 1.8.5."""

    def rows(values: list[int]) -> Any:
        array = np.array(values, "int64").reshape(-1, 1)
        return fluid.create_lod_tensor(array, [[2, 4]], fluid.CPUPlace())

    feed = {"a": rows([0, 1, 6, 2, 3, 4]), "b": rows([0, 1, 6, 2, 2, 4])}
    for kind, wanted in (("EditDistance", [0.125, 0.5]), ("ChunkEvaluator", [2 / 3, 0.5, 4 / 7])):
        main, startup = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, startup):
            a = fluid.layers.data("a", [1], dtype="int64", lod_level=1)
            b = fluid.layers.data("b", [1], dtype="int64", lod_level=1)
            more = ("IOB", 3) if kind == "ChunkEvaluator" else ()
            with pytest.warns(DeprecationWarning, match="fluid.metrics"):
                evaluator = getattr(fluid.evaluator, kind)(a, b, *more)
        exe = fluid.Executor(fluid.CPUPlace())
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            for _ in range(2):
                evaluator.reset(exe)
                for _ in range(2):
                    exe.run(main, feed, evaluator.metrics)
                np.testing.assert_allclose(np.ravel(evaluator.eval(exe)), wanted, 1e-5)
