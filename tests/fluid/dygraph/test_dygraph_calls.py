"""What 1.x dygraph has around its layers: guards, saving, tracing, processes, bad arguments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import dygraph as d


@pytest.fixture(autouse=True)
def guarded() -> Any:
    with d.guard(fluid.CPUPlace()), fluid.unique_name.guard():
        yield


def ones(*shape: int) -> Any:
    return d.to_variable(np.ones(shape, "float32"))


def test_gradients_in_the_manner_of_1x() -> None:
    linear = d.Linear(3, 2)
    strategy = d.BackwardStrategy()
    strategy.sort_sum_gradient = True
    for backward in ("positional", "keyword"):
        loss = paddle.sum(linear(ones(4, 3)))
        if backward == "keyword":
            loss.backward(backward_strategy=strategy)
        else:
            loss.backward(strategy)
        assert (linear.weight.gradient() == 4).all()
        linear.clear_gradients()
        assert (linear.weight.gradient() == 0).all()
    with pytest.raises(RuntimeError, match=r"freed|retain"):
        loss.backward(strategy)  # a strategy does not keep the graph
    x = ones(2)
    x.stop_gradient = False
    (g,) = d.grad([paddle.sum(x * x)], [x], backward_strategy=strategy)
    assert g.numpy().tolist() == [2, 2]
    with d.no_grad():
        assert (x * x).stop_gradient
    with d.base._switch_tracer_mode_guard_(is_train=False):
        assert (x * x).stop_gradient
        with d.base._switch_tracer_mode_guard_(is_train=True):
            assert not (x * x).stop_gradient
    assert d.enabled() and not (x * x).stop_gradient

    @d.no_grad
    def square(value: Any) -> Any:
        return value * value

    assert square(x).stop_gradient


def test_minimize_uses_the_gradients_there_are() -> None:
    linear = d.Linear(2, 1, bias_attr=False)
    sgd = fluid.optimizer.SGD(0.5, parameter_list=linear.parameters())
    before = linear.weight.numpy().copy()
    loss = paddle.mean(linear(ones(1, 2)))
    ops, pairs = sgd.minimize(loss)  # no backward: nothing moves
    assert (linear.weight.numpy() == before).all() and (ops, pairs) == ([], [])
    loss.backward()
    sgd.minimize(loss)
    np.testing.assert_allclose(linear.weight.numpy(), before - 0.5)
    with pytest.raises(AttributeError, match="dynamic mode needs it"):
        fluid.optimizer.SGD(0.5)


def test_a_layer_of_the_user() -> None:
    class Net(fluid.dygraph.Layer):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.scale = self.create_parameter([1], dtype="float32")
            self.parts = d.LayerList([d.Linear(2, 2, act="relu") for _ in range(2)])

        def forward(self, x: Any) -> Any:
            for part in self.parts:
                x = part(x)
            return x * self.scale

    net, other = Net("net"), Net("net")
    assert (net.full_name(), other.full_name()) == ("net_0", "net_1")
    assert net.scale.name == "net_0.w_0" and net.parts[1].weight.name == "linear_1.w_0"
    assert isinstance(net.scale, fluid.framework.Parameter) and isinstance(net, fluid.Layer)
    net.set_dict(stat_dict=other.state_dict())
    net.load_dict(other.state_dict())
    assert (net(ones(1, 2)).numpy() == other(ones(1, 2)).numpy()).all()
    with pytest.raises(ValueError, match="no backward of its own"):
        net.backward()


def test_saving(tmp_path: Path) -> None:
    linear = d.Linear(2, 3)
    path = str(tmp_path / "folder" / "net")
    fluid.save_dygraph(linear.state_dict(), path)
    params, state = fluid.load_dygraph(path)
    assert state is None and sorted(params) == ["bias", "weight"]
    assert fluid.load_dygraph(path + ".pdparams", True)[0]["StructuredToParameterName@@"] == {
        "weight": "linear_0.w_0", "bias": "linear_0.b_0"
    }  # fmt: skip
    adam = fluid.optimizer.Adam(0.1, parameter_list=linear.parameters())
    paddle.sum(linear(ones(1, 2))).backward()
    adam.minimize(None or paddle.sum(ones(1)))
    fluid.save_dygraph(adam.state_dict(), path)
    assert "linear_0.w_0_moment1_0" in d.load_dygraph(path)[1]
    assert sorted(os.listdir(tmp_path / "folder")) == ["net.pdopt", "net.pdparams"]
    with pytest.raises(RuntimeError, match=r"neither .*none\.pdparams"):
        fluid.load_dygraph(str(tmp_path / "none"))
    with pytest.raises(AssertionError, match="empty"):
        d.save_dygraph({}, path)
    with pytest.raises(AssertionError, match="folder/name"):
        d.save_dygraph(linear.state_dict(), str(tmp_path) + "/")
    with pytest.raises(TypeError, match="expected a dict"):
        d.save_dygraph(3, path)


def test_states_of_schedules(tmp_path: Path) -> None:
    linear = d.Linear(1, 1)
    for make, state in (
        (lambda: d.NoamDecay(4, 5), {"step_num": 3}),
        (lambda: d.StepDecay(0.5, 2), {"epoch_num": 2, "learning_rate": 0.05}),
    ):
        rate, again = make(), make()
        for _ in range(2):
            rate() if state.get("step_num") else rate.epoch()
        assert rate.state_dict() == pytest.approx(state)
        sgd = fluid.optimizer.SGD(rate, parameter_list=linear.parameters())
        fluid.save_dygraph(sgd.state_dict(), str(tmp_path / "sgd"))
        loaded = fluid.load_dygraph(str(tmp_path / "sgd"))[1]
        fluid.optimizer.SGD(again, parameter_list=linear.parameters()).set_dict(loaded)
        assert float(again().numpy()[0]) == pytest.approx(float(rate().numpy()[0]))
    with pytest.raises(RuntimeError, match="'epoch_num' is missing"):
        d.StepDecay(0.5, 2).set_dict({})


def test_one_process_trains_as_it_is() -> None:
    strategy = d.prepare_context()
    env = d.parallel.Env()
    assert strategy is None and (env.nranks, env.local_rank, env.dev_id) == (1, 0, 0)
    linear = d.Linear(2, 2)
    for given in (None, d.parallel.ParallelStrategy()):
        model = d.DataParallel(linear, given)
        loss = paddle.mean(model(ones(1, 2)))
        assert model.scale_loss(loss) is loss
        model.apply_collective_grads()
        assert list(model.state_dict()) == ["weight", "bias"]
    given.nranks = 2
    for refused in (lambda: d.prepare_context(given), lambda: d.DataParallel(linear, given)):
        with pytest.raises(ValueError, match=r"says that there are 2 processes.* 1"):
            refused()


def test_tracing_and_declaring(tmp_path: Path) -> None:
    linear = d.Linear(3, 2, act="relu")
    out, traced = d.TracedLayer.trace(linear, inputs=[ones(4, 3)])
    assert isinstance(traced, d.TracedLayer)
    np.testing.assert_allclose(traced([ones(4, 3)])[0].numpy(), out.numpy(), rtol=1e-6)
    traced.save_inference_model(str(tmp_path / "model"), feed=[0], fetch=[0])
    assert {"__model__", "linear_0.b_0", "linear_0.w_0"} <= set(os.listdir(tmp_path / "model"))
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = paddle.static.load_inference_model(str(tmp_path / "model"), exe)
        feed = {feeds[0]: np.ones((4, 3), "float32")}
        got = exe.run(program, feed=feed, fetch_list=fetches)[0]
    np.testing.assert_allclose(got, out.numpy(), rtol=1e-6)

    @d.declarative
    def halved(x: Any) -> Any:
        if paddle.mean(x) > 0:
            return x / 2
        return x

    assert halved(ones(2)).numpy().tolist() == [0.5, 0.5]
    assert halved(ones(2) * -1).numpy().tolist() == [-1, -1]
    translator = d.ProgramTranslator.get_instance()
    translator.get_output(lambda x: x + 1, ones(2))
    translator.save_inference_model(str(tmp_path / "last"))
    assert "__model__" in os.listdir(tmp_path / "last")
    translator.enable(enable_declarative=False)
    translator.enable(True)

    @d.dygraph_to_static_func
    def shifted(x: Any) -> Any:
        if paddle.mean(x) > 0:
            x = x - 1.0
        return x

    assert shifted(ones(1)).numpy() == [0]
    main = fluid.Program()
    paddle.enable_static()
    with fluid.program_guard(main):
        shifted(paddle.full([1], 3.0))
    paddle.disable_static()
    assert "conditional_block" in {op.type for op in main.global_block().ops}


@pytest.mark.parametrize("make, error, text", [
    (lambda: d.Linear(3, 4, act="nothing"), ValueError, r"Linear\(act\).*no activation.*nothing"),
    (lambda: d.Linear(3, 4, act=3), TypeError, r"Linear\(act\)"),
    (lambda: d.Conv2D(3, 4, 3, act="softmx"), ValueError, r"Conv2D\(act\)"),
    (lambda: d.BatchNorm(3, act="elementwise_add"), ValueError, r"BatchNorm\(act\)"),
    (lambda: d.Pool2D(), ValueError, r"pool_size.*global_pooling"),
    (lambda: d.Pool2D(2, "mean"), ValueError, r"pool_type.*'mean'"),
    (lambda: d.Pool2D([2, 2, 2]), ValueError, r"expected 2 sizes"),
    (lambda: d.PRelu("some"), ValueError, "'some'"),
    (lambda: d.PRelu("channel"), ValueError, "channel.*None"),
    (lambda: d.PRelu("element"), ValueError, "input_shape.*None"),
    (lambda: d.GRUUnit(10), ValueError, "multiple of 3"),
    (lambda: d.GRUUnit(9, activation="soft"), ValueError, "activation.*'soft'"),
    (lambda: d.GroupNorm(4, 3), ValueError, "divisor of channels"),
    (lambda: d.GroupNorm(4, 2, data_layout="NHWC"), ValueError, "'NHWC'"),
    (lambda: d.InstanceNorm(4, param_attr=False), ValueError, "False together"),
    (lambda: d.Embedding(5), TypeError, r"\[rows, width\].*5"),
    (lambda: d.Embedding([5, 2], padding_idx=5), ValueError, "a row of 5"),
    (lambda: d.Embedding([5, 2], is_distributed=True), NotImplementedError, "parameter servers"),
    (lambda: d.NCE(7, 4, sampler="some"), ValueError, "sampler.*'some'"),
    (lambda: d.NCE(3, 4, sampler="custom_dist"), ValueError, "3 chances.*None"),
    (lambda: d.Dropout(2.0), ValueError, "0 to 1.*2.0"),
    (lambda: d.Dropout(0.5, dropout_implementation="some"), ValueError, "'some'"),
    (lambda: d.PiecewiseDecay([1], [1.0], 0), ValueError, "expected 2"),
    (lambda: d.StepDecay("a", 3), TypeError, "float.*str"),
    (lambda: d.StepDecay(1.0, 3.0), TypeError, "int.*float"),
    (lambda: d.StepDecay(1.0, 3, 2.0), ValueError, "less than 1"),
    (lambda: d.MultiStepDecay(1.0, 3), TypeError, "list of ints"),
    (lambda: d.MultiStepDecay(1.0, [3, 2]), ValueError, "rising"),
    (lambda: d.LambdaDecay(1.0, 3), TypeError, "function"),
    (lambda: d.ReduceLROnPlateau(1.0, "x"), ValueError, "'x'"),
    (lambda: d.ReduceLROnPlateau(1.0).step(3), TypeError, r"shape \[1\]"),
    (lambda: d.LinearLrWarmup("a", 1, 0.0, 1.0), TypeError, "float.*str"),
    (lambda: d.LinearLrWarmup(0.1, 8, 3.0, 1.0), AssertionError, "more than start_lr"),
    (lambda: d.dygraph_to_static.LoopTransformer(None), NotImplementedError, "to_static"),
    (lambda: d.dygraph_to_static.to_static_variable_gast_node("x"), NotImplementedError, "gast"),
])  # fmt: skip
def test_bad_arguments(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_first_values_are_spread_as_in_185() -> None:
    # standard deviations of 1.8.5's parameters of these sizes
    for layer, spread in (
        (d.Linear(400, 300), 0.0534), (d.Conv2D(40, 60, 3, groups=2), 0.0745),
        (d.Conv3D(40, 30, 3), 0.0426), (d.Conv2DTranspose(40, 60, 3), 0.0472),
        (d.Embedding([500, 30]), 0.0615), (d.BilinearTensorProduct(40, 30, 50), 0.0272),
        (d.TreeConv(30, 40, 2), 0.0276), (d.GRUUnit(900), 0.0408),
        (d.NCE(700, 40, bias_attr=fluid.ParamAttr()), 0.0522),
    ):  # fmt: skip
        assert layer.weight.numpy().std() == pytest.approx(spread, rel=0.05), type(layer).__name__
    table = d.Embedding([5, 3], padding_idx=-2)
    assert table(d.to_variable(np.array([3], "int64"))).numpy().any() == False  # noqa: E712
    assert d.Linear(2, 2, dtype="float64").weight.dtype == paddle.float64


def test_dropout_and_sampling_draw() -> None:
    x = ones(50, 40)
    assert np.unique(d.Dropout(0.5)(x).numpy()).tolist() == [0, 1]
    assert np.unique(d.Dropout(0.5, None, "upscale_in_train")(x).numpy()).tolist() == [0, 2]
    first, second = (d.Dropout(0.5, seed=3)(x).numpy() for _ in range(2))
    assert (first == second).all()
    label = d.to_variable(np.array([[1], [2]], "int64"))
    for options in (
        {"sampler": "log_uniform"},
        {"sampler": "custom_dist", "custom_dist": [0.25] * 4},
    ):
        cost = d.NCE(4, 3, num_neg_samples=2, seed=1, **options)(ones(2, 3), label)
        assert cost.shape == [2, 1] and np.isfinite(cost.numpy()).all()


def test_cells_of_2_0_fluid() -> None:
    x, h = ones(2, 3), ones(2, 4) * 0.5
    for kind, there in ((d.LSTMCell, paddle.nn.LSTMCell), (d.GRUCell, paddle.nn.GRUCell)):
        cell, other = kind(4, 3, dtype="float32"), there(3, 4)
        for mine, theirs in zip(cell.parameters(), other.parameters(), strict=True):
            theirs.set_value(mine.numpy())
        if kind is d.LSTMCell:
            (got, c), (_, (want, c2)) = cell(x, h, h), other(x, (h, h))
            np.testing.assert_allclose(c.numpy(), c2.numpy(), rtol=1e-5)
        else:
            got, (want, _) = cell(x, h), other(x, h)
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5)
    plain = d.LSTMCell(4, 3, use_cudnn_impl=False, dtype="float32")
    assert [p.shape for p in plain.parameters()] == [[7, 16], [16]]
    assert plain(x, h, h)[0].shape == [2, 4]
    plain = d.GRUCell(4, 3, use_cudnn_impl=False)
    assert [p.shape for p in plain.parameters()] == [[7, 8], [8], [7, 4], [4]]


def test_mixed_precision_by_its_old_names() -> None:
    linear = d.Linear(4, 2)
    sgd = fluid.optimizer.SGD(0.1, parameter_list=linear.parameters())
    scaler = d.AmpScaler(init_loss_scaling=8.0)
    with d.amp_guard():
        out = linear(ones(3, 4))
    assert out.dtype in (paddle.bfloat16, paddle.float16)
    before = linear.weight.numpy().copy()
    scaled = scaler.scale(paddle.mean(out.astype("float32")))
    scaled.backward()
    scaler.minimize(sgd, scaled)
    np.testing.assert_allclose(linear.weight.numpy(), before - 0.05, rtol=1e-2)


def test_a_seed_in_the_manner_of_1x() -> None:
    drawn = []
    for _ in range(2):
        fluid.default_main_program().random_seed = 3
        drawn.append(d.Linear(2, 2).weight.numpy())
    assert (drawn[0] == drawn[1]).all()
    fluid.default_main_program().random_seed = 0
    assert (d.Linear(2, 2).weight.numpy() != drawn[0]).any()
