"""The passes dead_code, constants and merge_optimizers."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.analysis.marks import HOISTED
from tests.executor.building import building
from tests.passes.cases import normal, prepared, same, types

F = paddle.nn.functional
X = {"x": normal(4, 3)}


def data():
    return paddle.static.data("x", [4, 3])


# -- dead code -------------------------------------------------------------------------------------


def test_what_nobody_asks_for_is_not_computed():
    with building() as (main, startup):
        x = data()
        out = paddle.tanh(x)
        other = paddle.exp(paddle.sqrt(out))
    assert types(main, X, [out]) == ["tanh"]
    assert types(main, X, [out], skipped=["dead_code"]) == ["tanh", "sqrt", "exp"]
    assert types(main, X, [other, out]) == ["tanh", "sqrt", "exp"]
    assert types(main, X, []) == []
    same(main, startup, X, [out])


def show(x):
    paddle.static.Print(x)


def test_stored_variables_and_effects_are_kept():
    with building() as (main, startup):
        x = data()
        counter = paddle.static.create_global_var([1], 0.0, "float32", persistable=True)
        paddle.increment(counter)
        paddle.static.Print(x * 2.0)
        paddle.static.nn.cond(paddle.mean(x) > 9.0, lambda: show(x), lambda: None)
        paddle.static.py_func(lambda a: None, x=paddle.tanh(x), out=None)
        paddle.exp(x)
    kept = types(main, X, [])
    assert {"increment", "print", "conditional_block", "py_func", "tanh"} <= set(kept)
    assert "exp" not in kept
    same(main, startup, X, [counter])


def test_what_a_needed_block_or_gradient_reads_is_kept():
    with building() as (main, startup):
        x = data()
        h, unused = paddle.tanh(x), paddle.exp(x)
        out = paddle.static.nn.cond(paddle.mean(x) > 0.0, lambda: h * 2.0, lambda: h * 3.0)
        w = paddle.static.create_parameter([3], "float32")
        loss = paddle.mean(F.sigmoid(x * w))
        paddle.optimizer.SGD(0.1).minimize(loss)
    kept = types(main, X, [out])
    assert "tanh" in kept and "sigmoid" in kept and unused.op.type not in kept
    same(main, startup, X, [out])


# -- constants -------------------------------------------------------------------------------------


def once(main, fetch, feed=X):
    return [
        op.type for op in prepared(main, feed, fetch).global_block().ops if op.attrs.get(HOISTED)
    ]


def test_what_depends_on_constants_alone_is_computed_once():
    with building() as (main, startup):
        x = data()
        out = x * paddle.sqrt(paddle.full([3], 4.0) + paddle.ones([3]))
    assert once(main, [out]) == ["fill_constant", "fill_constant", "elementwise_add", "sqrt"]
    assert not any(
        op.attrs.get(HOISTED) for op in prepared(main, X, [out], skipped=["constants"]).block(0).ops
    )
    same(main, startup, X, [out])


def random_numbers(x):
    return x * paddle.cast(paddle.uniform([3]) > 2.0, "float32") * F.dropout(paddle.ones([3]), 0.0)


def fetched(x):
    return paddle.full([3], 4.0)


def written_twice(x):
    c = paddle.full([4, 3], 4.0)
    y = c * x
    paddle.assign(x, c)
    return y + c


def counted(x):
    c = paddle.full([1], 4.0)
    paddle.increment(c)
    return x * c


def large(x):
    return paddle.sum(paddle.full([513, 512], 4.0)) + x


def of_a_block(x):
    c = paddle.full([1], 4.0)
    return paddle.static.nn.cond(paddle.mean(x) > 9.0, lambda: c * x, lambda: c + x)


@pytest.mark.parametrize(
    ("net", "kind"),
    [
        (random_numbers, "uniform_random"), (random_numbers, "dropout"),
        (fetched, "fill_constant"), (written_twice, "fill_constant"), (counted, "increment"),
        (large, "reduce_sum"),
    ],
)  # fmt: skip
def test_it_is_computed_in_every_run(net, kind):
    with building() as (main, startup):
        out = net(data())
    assert kind in types(main, X, [out])
    assert kind not in once(main, [out])
    if net is random_numbers:
        assert not run_twice_equal(main, [v for v in main.list_vars() if "uniform" in v.name])
    same(main, startup, X, [out])


def run_twice_equal(main, fetch):
    from tests.executor.building import run

    first, second = run(main, X, fetch), run(main, X, fetch)
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_constants_of_a_block():
    with building() as (main, startup):
        out = of_a_block(data())
    same(main, startup, X, [out])


def test_a_fed_constant_is_what_was_fed():
    with building() as (main, startup):
        x = data()
        c = paddle.full([3], 4.0)
        out = x * c
    feed = {**X, c.name: np.zeros(3, "float32")}
    assert once(main, [out], feed) == []
    assert (same(main, startup, X, [out], steps=1)[0] == X["x"] * 4.0).all()


# -- merge_optimizers ------------------------------------------------------------------------------


def trained(optimizer, **options):
    h = F.relu(paddle.static.nn.fc(data(), 4, **options))
    loss = paddle.mean(paddle.square(paddle.static.nn.fc(h, 2)))
    optimizer.minimize(loss)
    return loss


OPTIMIZERS = {
    "sgd": lambda: paddle.optimizer.SGD(0.1),
    "momentum": lambda: paddle.optimizer.Momentum(0.1, 0.9, use_nesterov=True, weight_decay=0.1),
    "adam": lambda: paddle.optimizer.Adam(0.01, weight_decay=0.1),
    "adamw": lambda: paddle.optimizer.AdamW(0.01, weight_decay=0.1),
    "adamax": lambda: paddle.optimizer.Adamax(0.01),
    "adagrad": lambda: paddle.optimizer.Adagrad(0.01, initial_accumulator_value=0.1),
    "adadelta": lambda: paddle.optimizer.Adadelta(0.5),
    "rmsprop": lambda: paddle.optimizer.RMSProp(0.01, momentum=0.9, centered=True),
    "lamb": lambda: paddle.optimizer.Lamb(0.01, 0.1),
}


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_updates_of_one_kind_are_joined(kind):
    with building() as (main, startup):
        loss = trained(OPTIMIZERS[kind]())
    plain, joined = types(main, X, [loss], fuse=False), types(main, X, [loss])
    assert plain.count(kind) == 4
    assert joined.count("merged_update") == 1 and kind not in joined
    assert types(main, X, [loss], skipped=["merge_optimizers"]).count(kind) == 4
    same(main, startup, X, [loss])


def test_operators_without_a_rule_update_one_after_the_other():
    with building() as (main, startup):
        loss = trained(paddle.optimizer.Adagrad(0.01))
        for op in main.global_block().ops:
            if op.type == "adagrad":
                op.type = "decayed_adagrad"
    assert types(main, X, [loss]).count("decayed_adagrad") == 4
    same(main, startup, X, [loss])


@pytest.mark.parametrize("kind", ["adamax", "lamb", "adam"])
def test_numbers_of_updates_that_differ(kind):
    """What is corrected by the number of updates has another factor for each parameter then."""
    with building() as (main, startup):
        loss = trained(OPTIMIZERS[kind]())
    powers = [v.name for v in startup.list_vars() if "_beta" in v.name]
    owners = sorted({name.rpartition("_beta")[0] for name in powers})
    for op in startup.global_block().ops:
        if op.output_arg_names[0] in powers:
            number = 1 + owners.index(op.output_arg_names[0].rpartition("_beta")[0])
            op._set_attr("value", op.attrs["value"] ** number)
            op._set_attr("str_value", "")
    assert types(main, X, [loss]).count("merged_update") == 1
    same(main, startup, X, [loss])


def test_rates_of_their_own_make_groups():
    with building() as (main, startup):
        slow = paddle.ParamAttr(learning_rate=0.1)
        loss = trained(paddle.optimizer.SGD(0.1), weight_attr=slow, bias_attr=slow)
    found = types(main, X, [loss])
    assert found.count("merged_update") + found.count("sgd") >= 2
    same(main, startup, X, [loss])


def looked_at_in_between(block, ops):
    seen = block.create_var(name="seen", shape=[3, 4], dtype="float32")
    w = ops[0].inputs["Param"][0]
    at = ops[0].idx + 1
    block._insert_op(at, "scale", {"X": [w]}, {"Out": [seen.name]}, {"scale": 2.0})
    return seen


def gradient_written_in_between(block, ops):
    grad = ops[-1].inputs["Grad"][0]
    at = ops[0].idx + 1
    block._insert_op(at, "scale", {"X": [grad]}, {"Out": [grad]}, {"scale": 2.0})


def assigned_before(block, ops):
    for op in ops:
        w = op.inputs["Param"][0]
        block._insert_op(op.idx, "scale", {"X": [w]}, {"Out": [w]}, {"scale": 0.5})


def updated_twice(block, ops):
    last = ops[-1]
    block.append_op("sgd", dict(last.inputs), dict(last.outputs), dict(last.attrs))


@pytest.mark.parametrize(
    "change",
    [looked_at_in_between, gradient_written_in_between, assigned_before, updated_twice],
)
def test_it_leaves_alone(change):
    with building() as (main, startup):
        loss = trained(paddle.optimizer.SGD(0.1))
        block = main.global_block()
        extra = change(block, [op for op in block.ops if op.type == "sgd"])
    fetch = [loss, extra] if extra is not None else [loss]
    assert "merged_update" not in types(main, X, fetch)
    same(main, startup, X, fetch)


def test_parameters_of_another_dtype_are_updated_apart():
    with building() as (main, startup):
        x = data()
        ws = [paddle.static.create_parameter([3, 2], t) for t in ("float32", "float64")] * 1
        ws += [paddle.static.create_parameter([3, 2], t) for t in ("float32", "float64")]
        terms = [paddle.mean(paddle.matmul(paddle.cast(x, w.dtype), w)) for w in ws]
        loss = paddle.add_n([paddle.cast(t, "float32") for t in terms])
        paddle.optimizer.SGD(0.1).minimize(loss)
    assert types(main, X, [loss]).count("merged_update") <= 2
    same(main, startup, X, [loss])
