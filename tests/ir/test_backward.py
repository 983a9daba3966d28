"""append_backward and gradients: the operators they add, against PaddlePaddle 2.6.2 and by rule."""

from __future__ import annotations

import json

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.ir.autodiff.backward import append_backward, gradients
from paddle.ir.operator import EMPTY, Role
from paddle.ir.program import Program
from paddle.ir.unused import drop_unused_variables
from tests.ir.corpus_cases import names, read_case
from tests.static.harness import run
from tests.static.harness import static as building

# 2.6.2 does not differentiate this loop at all, names second gradients "grad/grad/x@GRAD", and
# keeps second order kernels of its own; control flow has a test of its own.
OTHERWISE = {"looped", "twice", "conditional"}
GRADS = [n for n in names("backward") if n.split("grads_")[1] not in OTHERWISE]
_SAME = {"fill_any_like": "fill_zeros_like"}  # what fills in for an output that nobody used


def variables(block, listed):
    return [None if n is None else block.var(n) for n in listed]


def differentiate(case):
    """The case's Program with gradients added: (program, number of forward operators, pairs)."""
    program = Program.parse_from_string(case.files["forward.pb"])
    block, meta = program.global_block(), case.meta
    count = len(block.ops)
    if meta["loss"] is not None:
        options = {
            k: meta[k] for k in ("parameter_list", "no_grad_set", "checkpoints") if k in meta
        }
        pairs = append_backward(block.var(meta["loss"]), **options)
        return program, count, [[p.name, g.name] for p, g in pairs]
    found = gradients(
        variables(block, meta["targets"]),
        variables(block, meta["inputs"]),
        variables(block, meta["target_gradients"]) or None,
    )
    return program, count, [[n, g.name] for n, g in zip(meta["inputs"], found) if g is not None]


def form(type, outputs, role, role_var):
    found = {s: n for s, n in outputs.items() if set(n) - {EMPTY}}
    pairs = sorted(zip(role_var[::2], role_var[1::2], strict=True))
    zeros = type in _SAME and role == Role.BACKWARD
    return _SAME[type] if zeros else type, found, role, pairs


@pytest.mark.parametrize("name", GRADS)
def test_same_operators_as_paddle(name):
    case = read_case(name)
    program, count, pairs = differentiate(case)
    listed = json.loads(case.files["grads.json"])[0]["ops"]
    if case.meta["loss"] is None:  # the ones to start from
        _SAME_TARGET = [o for o in listed if o["type"] == "fill_any_like"]
        assert [o.type for o in program.global_block().ops[count:]].count("fill_any_like") == len(
            _SAME_TARGET
        )
    expected = [
        form(o["type"], o["outputs"], o["op_role"], o.get("op_role_var", [])) for o in listed
    ]
    made = program.global_block().ops[count:]
    got = [form(o.type, o.outputs, o.role, o.attrs.get("op_role_var", [])) for o in made]
    assert got == expected
    for op, other in zip(made, listed, strict=True):  # every input that 2.6.2 gives is there
        for slot, listed_names in other["inputs"].items():
            assert op.inputs.get(slot, []) == listed_names, (op.type, slot)
    assert [p for p in pairs if p in case.meta["pairs"]] == pairs


@pytest.mark.parametrize("name", [n for n in GRADS if "stopped_branch" not in n])
def test_same_numbers_as_paddle(name):
    case = read_case(name)
    program, _, _ = differentiate(case)
    scope = static.Scope()
    for key, value in case.values("params.npz").items():
        scope.var(key).get_tensor().set(value, paddle.CPUPlace())
    got = static.Executor(paddle.CPUPlace()).run(
        program, feed=case.values("feeds.npz"), fetch_list=case.meta["fetches"], scope=scope
    )
    for value, expected in zip(got, case.fetched(), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_second_gradient_has_the_same_numbers_as_paddle():
    case = read_case("2.6.2_grads_twice")
    with paddle.utils.unique_name.guard():  # other tests have taken names from the same counter
        program, _, pairs = differentiate(case)
    assert pairs == [["x", "x@GRAD_0"]]
    got = static.Executor(paddle.CPUPlace()).run(
        program, feed=case.values("feeds.npz"), fetch_list=["x@GRAD_0"]
    )
    np.testing.assert_allclose(got[0], case.fetched()[0], rtol=1e-5, atol=1e-5)


def _straight(name):
    case = read_case(name)
    block = Program.parse_from_string(case.files["main.pb"]).global_block()
    known = all(op.definition is not None for op in block.ops if not op.role & Role.BACKWARD)
    return name.startswith("2.6.2") and known and any(op.role == Role.LOSS for op in block.ops)


@pytest.mark.parametrize("name", [n for n in names("train") if _straight(n)])
def test_backward_of_a_trained_net_is_the_same(name):
    program = Program.parse_from_string(read_case(name).files["main.pb"])
    block = program.global_block()
    expected = [_form(op) for op in block.ops if op.role & Role.BACKWARD]
    loss = next(op for op in block.ops if op.role == Role.LOSS).output_arg_names[0]
    later = Role.BACKWARD | Role.OPTIMIZE | Role.LR_SCHED
    block.ops = [op for op in block.ops if not op.role & later]
    drop_unused_variables(program)
    count = len(block.ops)
    append_backward(block.var(loss))
    assert [_form(op) for op in block.ops[count:]] == expected


def _form(op):
    return form(op.type, op.outputs, op.role, [])


# -- by rule ---------------------------------------------------------------------------------------


def parameter(name, shape=(4, 4), **options):
    return static.create_parameter(list(shape), "float32", name=name, **options)


def added(main, count):
    return [op.type for op in main.global_block().ops[count:]]


def test_default_form_roles_and_names():
    with building() as (main, _):
        x, w = static.data("x", [None, 4]), parameter("w")
        loss = paddle.mean(paddle.tanh(paddle.matmul(x, w)))
        pairs = append_backward(loss)
    ops = main.global_block().ops
    assert [(p.name, g.name) for p, g in pairs] == [("w", "w@GRAD")]
    assert ops[2].role == Role.LOSS
    assert (ops[3].type, ops[3].role) == ("fill_constant", Role.BACKWARD | Role.LOSS)
    assert {op.role for op in ops[4:]} == {Role.BACKWARD}
    product = ops[-1]
    assert product.type == "matmul_v2_grad"
    out = ops[0].output("Out")
    assert product.inputs == {"X": ["x"], "Y": ["w"], "Out": out, "Out@GRAD": [out[0] + "@GRAD"]}
    assert product.outputs == {"Y@GRAD": ["w@GRAD"]}
    assert product.attr("op_role_var") == ["w", "w@GRAD"]
    assert product.attr("trans_x") is False
    assert product.location == ops[0].location
    grad = main.global_block().var("w@GRAD")
    assert (grad.shape, grad.dtype, grad.persistable) == ((4, 4), paddle.float32, False)
    assert main.global_block().var(out[0] + "@GRAD").shape == (-1, 4)


def test_branches_without_parameters_are_pruned():
    with building() as (main, _):
        x, w = static.data("x", [3, 4]), parameter("w")
        loss = paddle.mean(paddle.tanh(x) * 2.0 + paddle.matmul(paddle.exp(x), w))
        count = len(main.global_block().ops)
        append_backward(loss)
    assert added(main, count) == ["fill_constant", "reduce_mean_grad", "elementwise_add_grad",
                                  "matmul_v2_grad"]  # fmt: skip
    assert main.global_block().ops[-2].outputs.keys() == {"Y@GRAD"}


def test_a_list_with_an_unwanted_part():
    with building() as (main, _):
        x, w = static.data("x", [3, 4]), parameter("w", (3, 4))
        append_backward(paddle.sum(paddle.square(paddle.concat([x, w, x]))))
        joined = next(op for op in main.global_block().ops if op.type == "concat_grad")
    assert joined.output("X@GRAD") == [EMPTY, "w@GRAD", EMPTY]


def test_integers_and_undifferentiable_operators_stop_it():
    with building() as (main, _):
        w = parameter("w", (3, 4))
        index = paddle.argmax(w, axis=1)
        loss = paddle.sum(paddle.gather(w, index)) + paddle.sum(paddle.cast(w > 0.0, "float32"))
        pairs = append_backward(loss)
    assert [p.name for p, _ in pairs] == ["w"]
    types = [op.type for op in main.global_block().ops]
    assert "gather_grad" in types
    assert "arg_max_grad" not in types
    assert "greater_than_grad" not in types


def test_no_grad_set_takes_variables_and_names():
    with building() as (main, _):
        w, v = parameter("w"), parameter("v")
        y = paddle.matmul(w, v)
        loss = paddle.sum(y * w)
        main_again = main.clone()
        assert [p.name for p, _ in append_backward(loss, no_grad_set={y})] == ["w"]
    again = append_backward(main_again.global_block().var(loss.name), no_grad_set=["w"])
    assert [p.name for p, _ in again] == ["v"]


def test_a_frozen_parameter_gets_no_gradient():
    with building() as (main, _):
        w = parameter("w", attr=paddle.ParamAttr(name="w", trainable=False))
        v = parameter("v")
        pairs = append_backward(paddle.sum(paddle.matmul(w, v)))
    assert [p.name for p, _ in pairs] == ["v"]
    assert not main.global_block().has_var("w@GRAD")


X = np.array([0.1, -0.4, 0.7], "float32")


def test_a_variable_written_again_has_a_gradient_for_each_value():
    with building() as (main, startup):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = x * 2.0
        main.global_block().append_op("scale", {"X": y}, {"Out": y}, {"scale": 3.0})
        z = paddle.sum(paddle.exp(y) + y)
        (g,) = gradients(z, x)
    np.testing.assert_allclose(
        run(main, startup, {"x": X}, [g])[0], 6 * np.exp(6 * X) + 6, rtol=1e-5
    )


def test_a_value_that_is_overwritten_is_kept_for_its_gradient():
    with building() as (main, startup):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = paddle.tanh(x)
        main.global_block().append_op("scale", {"X": y}, {"Out": y}, {"scale": 3.0})
        (g,) = gradients(paddle.sum(y), x)
    np.testing.assert_allclose(
        run(main, startup, {"x": X}, [g])[0], 3 * (1 - np.tanh(X) ** 2), rtol=1e-5
    )


def test_outputs_that_nobody_used_have_zero_gradients():
    with building() as (main, startup):
        x = static.data("x", [3, 4])
        x.stop_gradient = False
        a, _, c = paddle.split(x, [1, 1, 2], axis=1)
        (g,) = gradients(paddle.sum(a) + paddle.sum(c * c), x)
    value = np.arange(12, dtype="float32").reshape(3, 4)
    expected = np.concatenate([np.ones((3, 1)), np.zeros((3, 1)), 2 * value[:, 2:]], 1)
    np.testing.assert_allclose(run(main, startup, {"x": value}, [g])[0], expected)


def test_third_order():
    with building() as (main, startup):
        x = static.data("x", [3])
        x.stop_gradient = False
        g = paddle.exp(x * 2.0) * x
        for _ in range(3):
            (g,) = gradients(g, x)
    expected = np.exp(2 * X) * (12 + 8 * X)
    np.testing.assert_allclose(run(main, startup, {"x": X}, [g])[0], expected, rtol=1e-5)


def test_gradients_of_what_does_not_depend_or_is_stopped():
    with building():
        x, y = static.data("x", [3]), static.data("y", [3])
        x.stop_gradient = False
        assert gradients(x * y, [y]) == [None]
        other = static.data("other", [3])
        other.stop_gradient = False
        first, second = gradients(x * y, [x, other])
    assert (first.name, second) == ("x@GRAD", None)


def test_gradient_with_respect_to_a_value_on_the_way():
    with building() as (main, startup):
        x = static.data("x", [3])
        y = x * 2.0
        (g,) = gradients(paddle.sum(y * y), y)
        count = [op.type for op in main.global_block().ops].count("scale")
    assert count == 1  # nothing goes on to x
    np.testing.assert_allclose(run(main, startup, {"x": X}, [g])[0], 4 * X, rtol=1e-6)


def test_two_losses_in_one_program():
    with building() as (main, startup):
        w = parameter("w")
        first = append_backward(paddle.sum(w * w))
        second = append_backward(paddle.sum(paddle.exp(w)))
    assert [g.name for _, g in first + second] == ["w@GRAD", "w@GRAD_0"]
    w, a, b = run(main, startup, {}, ["w", "w@GRAD", "w@GRAD_0"])
    np.testing.assert_allclose(a, 2 * w, rtol=1e-6)
    np.testing.assert_allclose(b, np.exp(w), rtol=1e-6)


def test_callbacks_see_every_operator():
    seen = []
    with building() as (main, _):
        w = parameter("w")
        loss = paddle.sum(w * w)
        count = len(main.global_block().ops)

        def callback(block, context):
            seen.append((context["__current_op_desc__"].type, context.get("w@GRAD"), block.idx))

        append_backward(loss, callbacks=[callback])
    assert seen == [(type, "w", 0) for type in added(main, count)]


def test_error_clip_goes_behind_the_complete_gradient():
    class Clip:
        def _append_clip_op(self, block, name):
            block.append_op("clip", {"X": name}, {"Out": name}, {"min": -0.5, "max": 0.5})

    with building() as (main, startup):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = x * 2.0
        y.error_clip = Clip()
        (g,) = gradients(paddle.sum(y * y + y), x)
    types = [op.type for op in main.global_block().ops]
    assert types[types.index("clip") - 1] == "sum"
    assert {op.role for op in main.global_block().ops if op.type == "clip"} == {Role.BACKWARD}
    expected = 2 * np.clip(4 * X + 1, -0.5, 0.5)
    np.testing.assert_allclose(run(main, startup, {"x": X}, [g])[0], expected, rtol=1e-6)


# -- recomputation ---------------------------------------------------------------------------------


def _net(x, dropout):
    """Four layers with running statistics; returns the loss and the outputs of the layers."""
    outs = []
    for i in range(4):
        x = paddle.tanh(paddle.matmul(x, parameter(f"w{i}")))
        x = paddle.nn.BatchNorm1D(4)(x)
        x = paddle.nn.functional.dropout(x, 0.5) if dropout else x
        outs.append(x)
    return paddle.mean(x * x), outs


@pytest.mark.parametrize("dropout", [False, True])
def test_recomputation_changes_no_number(dropout):
    results = []
    for recompute in (False, True):
        with building() as (main, startup):
            startup.random_seed = main.random_seed = 5
            x = static.data("x", [8, 4])
            loss, outs = _net(x, dropout)
            pairs = append_backward(
                loss, checkpoints=[outs[0], outs[2].name] if recompute else None
            )
            copies = [n for n in main.global_block().vars if ".subprog_" in n]
        assert bool(copies) == recompute
        value = np.random.RandomState(0).randn(8, 4).astype("float32")
        statistics = [v.name for v in main.list_vars() if v.persistable and v.stop_gradient]
        results.append(run(main, startup, {"x": value}, [g for _, g in pairs] + statistics))
    assert len(results[0]) == 12 + 8
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_recomputation_keeps_what_crosses_segments_and_what_is_random():
    with building() as (main, _):
        x = static.data("x", [8, 4])
        a = paddle.tanh(paddle.matmul(x, parameter("w")))
        b = paddle.nn.functional.dropout(paddle.exp(a), 0.5)
        c = paddle.tanh(b)
        append_backward(paddle.mean(paddle.tanh(c + a)), checkpoints=[c])
        block = main.global_block()
    copies = {n for n in block.vars if ".subprog_" in n}
    assert copies == {"matmul_v2_0.tmp_0.subprog_0", "exp_0.tmp_0.subprog_0"}
    assert [op.type for op in block.ops].count("dropout") == 1
    assert all(op.role == Role.BACKWARD for op in block.ops if op.output_arg_names[0] in copies)


def test_bad_arguments():
    with building():
        x, w = static.data("x", [None, 4]), parameter("w")
        y = paddle.matmul(x, w)
        with pytest.raises(TypeError, match=r"append_backward\(loss\): expected a Variable.*float"):
            append_backward(1.0)
        with pytest.raises(ValueError, match=r"expected one number, but .* has shape \[-1, 4\]"):
            append_backward(y)
        with pytest.raises(ValueError, match=r"no operator of block 0 computes 'x'"):
            append_backward(x)
        with pytest.raises(ValueError, match=r"floating point loss.*INT64"):
            append_backward(paddle.cast(paddle.sum(y), "int64"))
        loss = paddle.sum(y)
        with pytest.raises(TypeError, match=r"parameter_list.*list or set.*str"):
            append_backward(loss, "w")
        with pytest.raises(ValueError, match=r"no variable 'u'"):
            append_backward(loss, ["u"])
        with pytest.raises(TypeError, match=r"no_grad_set.*holds int"):
            append_backward(loss, no_grad_set={3})
        with pytest.raises(TypeError, match=r"callbacks.*list of callables"):
            append_backward(loss, callbacks=print)
        with pytest.raises(ValueError, match=r"checkpoints.*'z' is not computed"):
            append_backward(loss, checkpoints=["z"])
        with pytest.raises(TypeError, match=r"gradients\(targets\).*list"):
            gradients([[y]], x)
        with pytest.raises(ValueError, match=r"at least one"):
            gradients([], x)
        with pytest.raises(ValueError, match=r"one for each of the 1 targets.*received 2"):
            gradients(y, x, [None, None])
        with pytest.raises(ValueError, match=r"expected shape \[-1, 4\].*received \[4, 4, 1\]"):
            gradients(y, x, parameter("g", (4, 4, 1)))
