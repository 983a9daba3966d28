"""Parameters, buffers and initializers in static mode: who gets what, and where."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
import paddle.nn as nn
import paddle.nn.initializer as init
from paddle.core import unique_name
from paddle.ir.variable import Parameter, Variable
from tests.static.harness import data, run, static


def _ops(program):
    return [(op.type, op.output_arg_names) for op in program.global_block().ops]


def test_a_layer_has_parameters_in_both_programs():
    with static() as (main, startup):
        layer = nn.Linear(3, 4)
        assert type(layer.weight) is Parameter
        assert layer.weight.block is main.global_block()
    assert [p.name for p in main.all_parameters()] == ["linear_0.w_0", "linear_0.b_0"]
    assert [p.name for p in startup.all_parameters()] == ["linear_0.w_0", "linear_0.b_0"]
    assert not main.global_block().ops
    assert _ops(startup) == [
        ("uniform_random", ["linear_0.w_0"]),
        ("fill_constant", ["linear_0.b_0"]),
    ]
    op = startup.global_block().ops[0]
    assert op.attr("shape") == [3, 4]
    assert op.attr("max") == -op.attr("min") == pytest.approx((6 / 7) ** 0.5)


def test_names_are_those_of_eager_mode():
    def names():
        net = nn.Sequential(nn.Conv2D(1, 2, 3), nn.BatchNorm2D(2), nn.Linear(2, 2))
        return [v.name for v in net.state_dict().values()], list(net.state_dict())

    with unique_name.guard():
        eager = names()
    with static():
        recorded = names()
    assert recorded == eager


def test_options_of_a_parameter():
    with static() as (main, startup):
        decay = paddle.regularizer.L2Decay(0.1)
        attr = paddle.ParamAttr(
            "w", init.Constant(2.0), learning_rate=0.5, regularizer=decay, trainable=False,
            need_clip=False,
        )  # fmt: skip
        made = paddle.create_parameter([2, 3], "float64", attr=attr)
    assert (made.name, made.shape, str(made.dtype)) == ("w", (2, 3), "VarType.FP64")
    assert made.optimize_attr == {"learning_rate": 0.5}
    assert made.regularizer is decay
    assert made.stop_gradient and not made.trainable and not made.need_clip
    assert made.persistable
    assert run(main, startup, {}, [made])[0].tolist() == [[2.0] * 3] * 2
    assert main.global_block().var("w") is made


def test_paddle_static_create_parameter_is_the_same():
    assert paddle.static.create_parameter is paddle.create_parameter


def test_a_name_that_exists_is_shared():
    with static() as (_, startup):
        first = nn.Linear(3, 3, weight_attr="shared", bias_attr=False)
        second = nn.Linear(3, 3, weight_attr="shared", bias_attr=False)
        assert first.weight is second.weight
        with pytest.raises(RuntimeError, match="'shared'"):
            nn.Linear(3, 2, weight_attr="shared", bias_attr=False)
    assert _ops(startup) == [("uniform_random", ["shared"])]


def test_a_parameter_of_unknown_size_is_refused():
    with static(), pytest.raises(ValueError, match=r"positive sizes|sizes >= 0"):
        paddle.create_parameter([-1, 3], "float32")


@pytest.mark.parametrize(
    ("initializer", "operator", "attrs"),
    [
        (init.Constant(0.1), "fill_constant", {"value": 0.1, "str_value": "0.1"}),
        (init.Normal(1.0, 2.0), "gaussian_random", {"mean": 1.0, "std": 2.0, "seed": 0}),
        (init.TruncatedNormal(1.0, 2.0), "truncated_gaussian_random", {"mean": 1.0, "std": 2.0}),
        (init.Uniform(-1.0, 3.0), "uniform_random", {"min": -1.0, "max": 3.0}),
        (init.XavierNormal(), "gaussian_random", {"mean": 0.0, "std": (2 / 7) ** 0.5}),
        (init.KaimingUniform(), "uniform_random", {"max": 2**0.5}),
        (init.Assign(np.arange(12).reshape(3, 4)), "assign_value", {"fp32_values": [*range(12)]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_initializers_add_one_operator(initializer, operator, attrs):
    with static() as (_, startup):
        paddle.create_parameter([3, 4], "float32", attr=paddle.ParamAttr("w", initializer))
    assert _ops(startup) == [(operator, ["w"])]
    op = startup.global_block().ops[0]
    for name, value in attrs.items():
        assert op.attr(name) == (value if isinstance(value, str) else pytest.approx(value))


def test_an_initializer_may_be_called_on_a_variable():
    with static() as (main, startup):
        made = paddle.create_parameter([2], "float32", attr="w")
        init.Constant(3.0)(made)
        other = main.global_block().create_var(name="v", shape=[2], dtype="int64", persistable=True)
        init.Constant(4)(other)
        inside = main.global_block().create_var(name="u", shape=[2], dtype="float32")
        init.Constant(5.0)(inside, main.global_block())
    assert _ops(startup)[1:] == [("fill_constant", ["w"]), ("fill_constant", ["v"])]
    assert _ops(main) == [("fill_constant", ["u"])]
    w, v, u = run(main, startup, {}, [made, other, inside])
    assert (w.tolist(), v.tolist(), u.tolist()) == ([3.0, 3.0], [4, 4], [5.0, 5.0])
    with static() as (main, _):
        unknown = main.global_block().create_var(name="x", shape=[-1, 2], dtype="float32")
        with pytest.raises(ValueError, match="known shape"):
            init.Constant(1.0)(unknown)
        with pytest.raises(ValueError, match="floating type"):
            init.Normal()(main.global_block().create_var(name="i", shape=[2], dtype="int64"))


def test_the_global_initializer_applies():
    init.set_global_initializer(init.Constant(2.0), init.Constant(1.0))
    try:
        with static() as (_, startup):
            nn.Linear(2, 2)
    finally:
        init.set_global_initializer(None)
    values = [op.attr("value") for op in startup.global_block().ops]
    assert values == [2.0, 1.0]


def test_half_precision_goes_over_single():
    with static() as (main, startup):
        attr = paddle.ParamAttr("w", init.Assign([1.0, 2.0]))
        made = paddle.create_parameter([2], "float16", attr=attr)
    assert [kind for kind, _ in _ops(startup)] == ["assign_value", "cast"]
    assert run(main, startup, {}, [made])[0].tolist() == [1.0, 2.0]


def test_batch_norm_writes_its_running_statistics():
    with static() as (main, _):
        layer = nn.BatchNorm1D(3)
        layer(data("x", np.ones((4, 3), "float32")))
        op = main.global_block().ops[-1]
        assert op.output("MeanOut") == [layer._mean.name] == op.input("Mean")
        assert op.attr("is_test") is False
        layer.eval()
        layer(data("x", np.ones((4, 3), "float32")))
        assert main.global_block().ops[-1].attr("is_test") is True
    assert [p.trainable for p in main.all_parameters()] == [True, True, False, False]


def test_members_of_a_layer_may_be_variables():
    with static() as (main, _):
        layer = nn.Layer()
        layer.w = layer.create_parameter([2])
        layer.register_buffer("ones", paddle.ones([2]))
        layer.hidden = paddle.zeros([2])
        assert list(layer.state_dict()) == ["w", "ones"]
        assert all(isinstance(v, Variable) for v in layer.state_dict().values())
        assert "hidden" not in layer._buffers
        ones = layer.ones
        layer.ones = layer.ones + 1.0
        assert layer.ones is ones
        assert main.global_block().ops[-1].output("Out") == [ones.name]
        made = layer.create_variable(name="state", persistable=True, dtype="int64")
        assert (made.name, made.persistable, str(made.dtype)) == ("state", True, "VarType.INT64")
        assert isinstance(layer.create_tensor(), Variable)
        with pytest.raises(TypeError, match="Parameter or None"):
            layer.w = paddle.zeros([2])
        with pytest.raises(RuntimeError, match="static Program"):
            layer.to(dtype="float64")


def test_state_goes_into_the_scope():
    with static() as (main, startup):
        layer = nn.Linear(2, 2)
        out = layer(data("x", np.ones((1, 2), "float32")))
    scope = paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(startup)
        layer.set_state_dict({"weight": np.full((2, 2), 2.0, "float32"), "bias": np.ones(2)})
        got = exe.run(main, feed={"x": np.ones((1, 2), "float32")}, fetch_list=[out])[0]
    assert got.tolist() == [[5.0, 5.0]]


def test_arrays_given_to_a_layer_become_constants():
    with static() as (main, startup):
        out = nn.ReLU()(np.array([-1.0, 2.0], "float32"))
    assert run(main, startup, {}, [out])[0].tolist() == [0.0, 2.0]
