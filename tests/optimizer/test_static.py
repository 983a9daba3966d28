"""Optimizers in static Programs: the operators they add, and the numbers those give."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core import unique_name
from paddle.core.writes import writable
from tests.optimizer import cases

DATA = Path(__file__).parents[1] / "data"
FROZEN = np.load(DATA / "optimizer_expected.npz")
CHANGED_LATER = {"lamb_exclude/bias"}  # see test_values.py


@contextlib.contextmanager
def building():
    """Static mode with fresh Programs, names and values: yields (main, startup, scope)."""
    main, startup, scope = static.Program(), static.Program(), static.Scope()
    paddle.enable_static()
    try:
        with (
            static.program_guard(main, startup),
            unique_name.guard(),
            static.scope_guard(scope),
        ):
            yield main, startup, scope
    finally:
        paddle.disable_static()


def parameter(shape, name, value, **attr):
    attr = paddle.ParamAttr(
        name=name, initializer=paddle.nn.initializer.Assign(np.asarray(value, "float32")), **attr
    )
    return static.create_parameter(shape, "float32", attr=attr)


def two_parameters(attr):
    """The parameters of the frozen cases and a loss with given gradients."""
    state = np.random.RandomState(0)
    w = parameter([3, 2], "linear_0.w_0", state.uniform(-1, 1, (3, 2)), **cases.made(paddle, attr))
    b = parameter([2], "linear_0.b_0", state.uniform(-1, 1, (2,)))
    gw, gb = static.data("gw", [3, 2]), static.data("gb", [2])
    return w, b, paddle.sum(w * gw) + paddle.sum(b * gb)


def executor(startup):
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    return exe


def step(exe, main, number, fetch=()):
    gw, gb = cases.gradients(number)
    return exe.run(main, feed={"gw": gw, "gb": gb}, fetch_list=list(fetch))


def value(name):
    return np.array(static.global_scope().find_var(name).get_tensor())


@pytest.mark.parametrize("name", cases.CASES)
def test_as_paddle(name):
    cls, options, attr = cases.CASES[name]
    expected = {k.split("/")[1]: FROZEN[k] for k in FROZEN.files if k.startswith(f"{name}/")}
    with building() as (main, startup, _):
        *_, loss = two_parameters(attr)
        optimizer = getattr(paddle.optimizer, cls)(**cases.made(paddle, options))
        optimizer.minimize(loss)
        exe = executor(startup)
        for number in range(cases.STEPS):
            step(exe, main, number)
            if hasattr(optimizer._learning_rate, "step"):
                optimizer._learning_rate.step()
        got = {"weight": value("linear_0.w_0"), "bias": value("linear_0.b_0")}
        for key, held in optimizer.state_dict().items():
            if key != "LR_Scheduler":
                got[cases.slot(key)] = held.numpy()
    assert set(got) == set(expected)
    for key, wanted in expected.items():
        if f"{name}/{key}" not in CHANGED_LATER:
            np.testing.assert_allclose(got[key], wanted, rtol=2e-5, atol=2e-6, err_msg=key)


# -- the operators ---------------------------------------------------------------------------------


def operators(program, role=None):
    return [op for op in program.global_block().ops if role is None or op.role & role]


def test_what_adam_adds():
    with building() as (main, startup, _):
        *_, loss = two_parameters({"learning_rate": 0.5})
        ops, pairs = paddle.optimizer.Adam(0.25, beta1=0.5).minimize(loss)
    assert [(p.name, g.name) for p, g in pairs] == [
        ("linear_0.w_0", "linear_0.w_0@GRAD"), ("linear_0.b_0", "linear_0.b_0@GRAD"),
    ]  # fmt: skip
    assert [op.type for op in ops] == ["adam", "scale", "adam"]
    bias, factor, weight = ops
    state = {"Moment1": "moment1_0", "Moment2": "moment2_0", "Beta1Pow": "beta1_pow_acc_0",
             "Beta2Pow": "beta2_pow_acc_0"}  # fmt: skip
    kept = {slot: [f"linear_0.b_0_{name}"] for slot, name in state.items()}
    assert bias.inputs == {
        "Param": ["linear_0.b_0"],
        "Grad": ["linear_0.b_0@GRAD"],
        "LearningRate": ["learning_rate_0"],
        **kept,
    }
    assert bias.outputs == {
        "ParamOut": ["linear_0.b_0"], **{f"{slot}Out": names for slot, names in kept.items()},
    }  # fmt: skip
    assert (bias.attr("beta1"), bias.attr("beta2"), bias.attr("epsilon")) == (0.5, 0.999, 1e-8)
    assert (bias.role, bias.attr("op_role_var")) == (2, ["linear_0.b_0", "linear_0.b_0@GRAD"])
    assert (factor.role, factor.attr("scale"), factor.input("X")) == (18, 0.5, ["learning_rate_0"])
    assert weight.input("LearningRate") == factor.output("Out")
    starts = {op.output("Out")[0]: op for op in startup.global_block().ops}
    assert starts["learning_rate_0"].attr("value") == 0.25
    assert starts["linear_0.w_0_beta1_pow_acc_0"].attr("value") == 0.5
    assert starts["linear_0.w_0_moment1_0"].attr("shape") == [3, 2]
    held = main.global_block().var("linear_0.w_0_moment1_0")
    assert (held.persistable, held.belong_to_optimizer, held.stop_gradient) == (True, True, True)


def test_clipping_and_penalties_are_operators_in_paddles_order():
    with building() as (main, *_):
        *_, loss = two_parameters({"regularizer": lambda p: p.regularizer.L1Decay(0.1)})
        clip = paddle.nn.ClipGradByGlobalNorm(0.7)
        paddle.optimizer.Momentum(0.1, grad_clip=clip, weight_decay=0.2).minimize(loss)
    found = operators(main, 2)
    assert [op.type for op in found] == [
        "squared_l2_norm", "squared_l2_norm", "sum", "sqrt", "fill_constant", "elementwise_max",
        "elementwise_div", "elementwise_mul", "elementwise_mul", "sign", "scale", "sum",
        "momentum", "momentum",
    ]  # fmt: skip
    assert found[7].output("Out") == ["linear_0.b_0@GRAD"]
    assert found[11].attr("op_role_var") == ["linear_0.w_0", "linear_0.w_0@GRAD"]
    bias, weight = found[-2:]
    assert bias.attr("regularization_method") == "l2_decay"
    assert bias.attr("regularization_coeff") == 0.2
    assert weight.attr("regularization_method") == ""


def test_parameters_are_chosen_by_constructor_or_call():
    with building():
        _, b, loss = two_parameters({})
        _, pairs = paddle.optimizer.SGD(0.1, parameters=[b]).minimize(loss)
        assert [p.name for p, _ in pairs] == ["linear_0.b_0"]
        _, pairs = paddle.optimizer.SGD(0.1).minimize(loss, parameters=["linear_0.w_0"])
        assert [p.name for p, _ in pairs] == ["linear_0.w_0"]
        _, pairs = paddle.optimizer.SGD(0.1).minimize(loss, no_grad_set={b})
        assert [p.name for p, _ in pairs] == ["linear_0.w_0"]


def test_groups_have_their_own_settings():
    with building() as (main, startup, _):
        w, b, loss = two_parameters({})
        groups = [{"params": [w], "learning_rate": 0.1, "weight_decay": 0.5}, {"params": [b]}]
        paddle.optimizer.SGD(1.0, parameters=groups).minimize(loss)
        exe = executor(startup)
        before = value("linear_0.w_0"), value("linear_0.b_0")
        step(exe, main, 0)
        gw, gb = cases.gradients(0)
        np.testing.assert_allclose(
            value("linear_0.w_0"), before[0] - 0.1 * (gw + 0.5 * before[0]), rtol=1e-5
        )
        np.testing.assert_allclose(value("linear_0.b_0"), before[1] - gb, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "kind, own, attrs",
    [
        ("Momentum", {"momentum": 0.5, "use_nesterov": True}, {"mu": 0.5, "use_nesterov": True}),
        ("Adamax", {"beta1": 0.5, "epsilon": 0.1}, {"beta1": 0.5, "epsilon": 0.1}),
        ("RMSProp", {"rho": 0.5, "centered": True}, {"decay": 0.5, "centered": True}),
        ("Lamb", {"lamb_weight_decay": 0.5}, {"weight_decay": 0.5}),
        ("Adagrad", {"initial_accumulator_value": 1.0}, {}),
    ],
)
def test_groups_have_hyperparameters_of_their_own(kind, own, attrs):
    found = []
    for grouped in (True, False):
        with building() as (main, startup, _):
            w, b, loss = two_parameters({})
            groups = [{"params": [b]}, {"params": [w], **own}] if grouped else [b, w]
            optimizer = getattr(paddle.optimizer, kind)(
                learning_rate=0.1, parameters=groups, **({} if grouped else own)
            )
            optimizer.minimize(loss)
            ops = {
                op.input("Param")[0]: op
                for op in main.global_block().ops
                if op.type == kind.lower()
            }
            for name, value_ in attrs.items():
                assert ops[w.name].attr(name) == pytest.approx(value_)
                same = ops[b.name].attr(name) == pytest.approx(value_)
                assert same is not grouped
            exe = executor(startup)
            for k in range(2):
                step(exe, main, k)
            found.append(value(w.name))
    np.testing.assert_array_equal(*found)


def test_backward_and_apply_gradients_are_the_halves_of_minimize():
    programs = []
    for halves in (False, True):
        with building() as (main, startup, _):
            *_, loss = two_parameters({})
            optimizer = paddle.optimizer.Adam(0.1, grad_clip=paddle.nn.ClipGradByNorm(1.0))
            if halves:
                pairs = optimizer.backward(loss)
                ops = optimizer.apply_gradients(pairs)
                assert [op.type for op in ops] == ["adam", "adam"]
            else:
                optimizer.minimize(loss)
            programs.append((str(main), str(startup)))
    assert programs[0] == programs[1]


# -- rate and state --------------------------------------------------------------------------------


def test_the_rate_can_be_set_before_and_after_startup():
    with building() as (main, startup, _):
        *_, loss = two_parameters({})
        optimizer = paddle.optimizer.SGD(0.1)
        optimizer.minimize(loss)
        optimizer.set_lr(0.5)
        exe = executor(startup)
        before = value("linear_0.b_0")
        assert optimizer.get_lr() == 0.5
        step(exe, main, 0)
        np.testing.assert_allclose(
            value("linear_0.b_0"), before - 0.5 * cases.gradients(0)[1], rtol=1e-6
        )
        optimizer.set_lr(2.0)
        before = value("linear_0.b_0")
        step(exe, main, 1)
        np.testing.assert_allclose(
            value("linear_0.b_0"), before - 2.0 * cases.gradients(1)[1], rtol=1e-6
        )


def test_a_scheduler_can_take_over_and_survives_clone():
    with building() as (main, startup, _):
        *_, loss = two_parameters({})
        optimizer = paddle.optimizer.SGD(0.1)
        optimizer.minimize(loss)
        scheduler = paddle.optimizer.lr.StepDecay(1.0, 1, gamma=0.5)
        optimizer.set_lr_scheduler(scheduler)
        exe = executor(startup)
        twin = main.clone()
        (first,) = step(exe, twin, 0, ["learning_rate_0"])
        scheduler.step()
        (second,) = step(exe, twin, 0, ["learning_rate_0"])
        assert (first.tolist(), second.tolist()) == ([1.0], [0.5])


def test_state_goes_on_where_it_was():
    with building() as (main, startup, _):
        *_, loss = two_parameters({})
        optimizer = paddle.optimizer.Adam(0.1)
        optimizer.minimize(loss)
        assert set(optimizer.get_opti_var_name_list()) == {
            f"linear_0.{p}_0_{s}_0" for p in "wb"
            for s in ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
        }  # fmt: skip
        exe = executor(startup)
        step(exe, main, 0)
        names = ["linear_0.w_0", "linear_0.b_0"]
        params = {n: value(n) for n in names}
        state = {k: v.numpy() for k, v in optimizer.state_dict().items()}
        step(exe, main, 1)
        expected = [value(n) for n in names]
        exe.run(startup)
        with pytest.warns(UserWarning, match=r"1 entries belong to no parameter.*'?nothing"):
            optimizer.set_state_dict({**state, "nothing": np.zeros(1)})
        for n in names:
            main.global_block().var(n).set_value(params[n])
        step(exe, main, 1)
        for n, wanted in zip(names, expected, strict=True):
            np.testing.assert_array_equal(value(n), wanted)


# -- bad input -------------------------------------------------------------------------------------


def test_errors():
    linear = paddle.nn.Linear(2, 2)
    eager = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
    with building():
        w, _, loss = two_parameters({})
        with pytest.raises(ValueError, match=r"parameters are eager Tensors"):
            eager.minimize(loss)
        optimizer = paddle.optimizer.SGD(0.1)
        with pytest.raises(
            ValueError, match=r"SGD.minimize\(loss\): expected shape \[1\].*\[3, 2\]"
        ):
            optimizer.minimize(w * 2.0)
        with pytest.raises(TypeError, match=r"startup_program\): expected a Program.*int"):
            optimizer.minimize(loss, startup_program=3)
        with pytest.raises(RuntimeError, match=r"SGD.step: this optimizer works on static"):
            optimizer.step()
        with pytest.raises(RuntimeError, match=r"SGD.clear_grad"):
            optimizer.clear_grad()
        with pytest.raises(TypeError, match=r"expected pairs \(parameter, gradient\).*Parameter"):
            optimizer.apply_gradients([w])
        with pytest.raises(TypeError, match=r"expected Variables.*Parameter and ndarray"):
            optimizer.apply_gradients([(w, np.zeros((3, 2)))])


# -- a whole net -----------------------------------------------------------------------------------


def _classifier():
    return paddle.nn.Sequential(
        paddle.nn.Linear(6, 8), paddle.nn.ReLU(), paddle.nn.BatchNorm1D(8), paddle.nn.Linear(8, 3)
    )


@pytest.mark.parametrize("cls", ["SGD", "Momentum", "Adam", "AdamW", "Adamax", "Lamb", "Adagrad",
                                 "Adadelta", "RMSProp"])  # fmt: skip
def test_losses_of_a_net_equal_those_of_eager_mode(cls):
    state = np.random.RandomState(3)
    x = state.randn(16, 6).astype("float32")
    y = state.randint(0, 3, (16, 1))
    settings = {"learning_rate": 0.05, "grad_clip": paddle.nn.ClipGradByGlobalNorm(1.0)}
    with unique_name.guard():
        net = _classifier()
        weights = {p.name: p.numpy() for p in net.parameters()}
        optimizer = getattr(paddle.optimizer, cls)(parameters=net.parameters(), **settings)
        expected = []
        for _ in range(6):
            loss = paddle.nn.functional.cross_entropy(net(paddle.to_tensor(x)), paddle.to_tensor(y))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            expected.append(float(loss))
    with building() as (main, startup, _):
        inputs, label = static.data("x", [None, 6]), static.data("y", [None, 1], "int64")
        loss = paddle.nn.functional.cross_entropy(_classifier()(inputs), label)
        getattr(paddle.optimizer, cls)(**settings).minimize(loss)
        exe = executor(startup)
        for name, array in weights.items():
            main.global_block().var(name).set_value(array)
        losses = [
            exe.run(main, feed={"x": x, "y": y}, fetch_list=[loss])[0].item() for _ in range(6)
        ]
    np.testing.assert_allclose(losses, expected, rtol=2e-5)
    assert losses[-1] != losses[0]


@pytest.mark.parametrize("how", ["set", "in place"])
def test_powers_of_beta_that_are_written_between_runs_count(how):
    """They share a buffer with those of other parameters, which must not change with them."""
    with building() as (main, startup, scope):
        a, b = parameter([2], "a", [1, 2]), parameter([2], "b", [3, 4])
        x = static.data("x", [2], "float32")
        loss = paddle.sum(a * x + b * x)
        paddle.optimizer.Adam(0.1).minimize(loss)
        exe = static.Executor(paddle.CPUPlace())
        exe.run(startup)
        feed = {"x": np.ones(2, "float32")}
        for _ in range(3):
            exe.run(main, feed=feed)
        names = [n for n in scope.local_var_names() if n.startswith("a_beta")]
        assert len(names) == 2
        for name, start in zip(sorted(names), (0.9, 0.999), strict=True):
            held = scope.find_var(name).get_tensor()
            if how == "set":
                held.set(np.array([start], "float32"), paddle.CPUPlace())
            else:
                writable(held.tensor).fill_(start)
        exe.run(main, feed=feed)
        found = {
            n: scope.find_var(f"{n}_beta1_pow_acc_0").get_tensor().numpy().item() for n in "ab"
        }
        assert found["a"] == pytest.approx(0.9**2) and found["b"] == pytest.approx(0.9**5)
        moved = {n: scope.find_var(n).get_tensor().numpy() for n in "ab"}
    # b moves by 0.1 a step; the moments of a are those of the fourth step, corrected as the first
    np.testing.assert_allclose(moved["b"], [2.6, 3.6], rtol=1e-5)
    first = (1 - 0.9**4) / 0.1 / np.sqrt((1 - 0.999**4) / 0.001)
    np.testing.assert_allclose(moved["a"], np.array([0.7, 1.7]) - 0.1 * first, rtol=1e-5)
