"""The passes in_place and lifetimes: what may be overwritten, and when a value can go."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.analysis.aliasing import IN_PLACE
from paddle.analysis.marks import DROPS
from paddle.core.op import REGISTRY, C, py
from paddle.static import Executor, Scope
from tests.executor.building import building, names_of, run, run_plainly
from tests.ops.table import SAMPLES, identities
from tests.passes.cases import normal, prepared, same

F = paddle.nn.functional
X = {"x": normal(4, 4)}


def marked(main, fetch, feed=X, **options):
    """The operators that run in place."""
    made = prepared(main, feed, fetch, **options)
    return [op.type for block in made.blocks for op in block.ops if IN_PLACE in op.attrs]


def data(shape=(4, 4), dtype="float32"):
    return paddle.static.data("x", list(shape), dtype)


def fresh(x):
    """A value in memory of its own."""
    return paddle.matmul(x, x)


def with_forms():
    """The samples, one for each set of attributes, of what can overwrite its only operand."""
    found = {}
    for sample in SAMPLES:
        op = REGISTRY[sample.op]
        if op.inplace is None or len(op.inputs) > 1 or op.inputs[0].many:
            continue
        if all(sample.attrs.get(k, v) == v for k, v in op.inplace.only.items()):
            found.setdefault((op.name, *map(repr, sorted(sample.attrs.items()))), sample)
    return list(found.values())


UNARY = with_forms()


def test_every_form_of_one_operand_is_in_these_tests():
    forward = [op for op in REGISTRY.values() if op.inplace is not None and op.base is None]
    unary = {op.name for op in forward if len(op.inputs) == 1}
    assert unary == {*(sample.op for sample in UNARY), "sum"} and len(unary) >= 13


@pytest.mark.parametrize("sample", UNARY, ids=identities(UNARY))
@pytest.mark.parametrize("maker", ["add", "product", "convolution"])
def test_an_activation_runs_on_the_memory_of_what_was_computed_for_it(sample, maker):
    with building() as (main, _):
        x = data()
        made = {
            "add": lambda: x + x,
            "product": lambda: fresh(x),
            "convolution": lambda: F.conv2d(
                paddle.reshape(x, [1, 1, 4, 4]), paddle.full([2, 1, 2, 2], 0.5)
            ),
        }[maker]()
        out = getattr(C, sample.op)(made, **{py(k): v for k, v in sample.attrs.items()})
    feed = {"x": np.abs(X["x"])} if (sample.inputs["X"] > 0).all() else X
    assert marked(main, [out]) == [sample.op]
    assert marked(main, [out], fuse=False) == marked(main, [out], skipped=["in_place"]) == []
    np.testing.assert_array_equal(run(main, feed, [out])[0], run_plainly(main, feed, [out])[0])


def test_nan_stays_nan():
    with building() as (main, _):
        x = paddle.static.data("x", [37])
        outs = [f(x + x) for f in (F.relu, F.relu6, F.leaky_relu, F.hardswish, paddle.tanh)]
    feed = {"x": np.full(37, np.nan, "float32")}
    for out in run(main, feed, outs):
        assert np.isnan(out).all()


BINARY = {
    "elementwise_add": lambda a, b: a + b,
    "elementwise_sub": lambda a, b: a - b,
    "elementwise_mul": lambda a, b: a * b,
    "sum": lambda a, b: paddle.add_n([a, b]),
}


@pytest.mark.parametrize("kind", BINARY)
def test_sums_differences_and_products_take_the_left_operand(kind):
    with building() as (main, startup):
        x = data()
        out = BINARY[kind](fresh(x), x)
    assert marked(main, [out]) == [kind]
    same(main, startup, X, [out])


def test_a_sum_takes_the_other_operand_if_the_first_is_needed():
    with building() as (main, startup):
        x = data()
        out = paddle.add_n([x, fresh(x)])
    assert marked(main, [out]) == ["sum"]
    same(main, startup, X, [out])


def test_a_network_with_gradients():
    with building() as (main, startup):
        x = data()
        h = F.relu(paddle.static.nn.fc(x, 4))
        h = F.relu(paddle.static.nn.fc(h, 4) + h)
        loss = paddle.mean(paddle.square(h))
        paddle.optimizer.SGD(0.1).minimize(loss)
    found = marked(main, [loss])
    assert found.count("relu") == 2 and found.count("relu_grad") >= 1
    same(main, startup, X, [loss])


# -- not in place ----------------------------------------------------------------------------------


def of_the_feed(x):
    return [F.relu(x)]


def of_a_parameter(x):
    return [F.relu(paddle.static.create_parameter([4, 4], "float32")) + x]


def of_a_view(x):
    return [F.relu(paddle.reshape(x, [2, 8])), F.relu(paddle.transpose(x, [1, 0]))]


def fetched(x):
    h = fresh(x)
    return [F.relu(h), h]


def read_again(x):
    h = fresh(x)
    return [F.relu(h), h * 1.5]


def read_by_a_view(x):
    h = fresh(x)
    return [F.relu(h), paddle.reshape(h, [16]) * 1.5]


def read_by_a_gradient(x):
    x.stop_gradient = False
    h = fresh(x)
    out = C.silu(h)  # its gradient needs what it was computed from
    return [out, *paddle.static.gradients([out], [x])]


def read_by_a_block(x):
    h = fresh(x)
    out = F.relu(h)
    return [out, paddle.static.nn.cond(paddle.mean(x) > 9.0, lambda: h * 2.0, lambda: h * 3.0)]


def written_again(x):
    h = fresh(x)
    out = F.relu(h)
    paddle.assign(x, h)
    return [out, h + 0.5]


def of_another_dtype(x):
    whole = paddle.cast(x, "int32") + paddle.cast(x, "int32")
    return [F.sigmoid(paddle.cast(whole, "float32") * 1.0)]


def of_a_constant(x):
    return [F.relu(paddle.full([4, 4], -1.0) + paddle.full([4, 4], 0.5)) + x]


def of_other_shapes(x):
    return [paddle.add(paddle.matmul(x[0:1], x), x)]


def with_other_settings(x):
    block = paddle.static.default_main_program().global_block()
    out = block.create_var(name="out", shape=[4, 4], dtype="float32")
    block.append_op("swish", {"X": fresh(x)}, {"Out": out}, {"beta": 2.0})
    return [out]


NOT = {
    of_the_feed: "relu", of_a_parameter: "relu", of_a_view: "relu", fetched: "relu",
    read_again: "relu", read_by_a_view: "relu", read_by_a_gradient: "silu",
    read_by_a_block: "relu", written_again: "relu", of_a_constant: "relu",
    of_other_shapes: "elementwise_add", with_other_settings: "swish",
}  # fmt: skip


@pytest.mark.parametrize("net", NOT, ids=lambda f: f.__name__)
def test_it_leaves_alone(net):
    with building() as (main, startup):
        outs = net(data())
    assert NOT[net] not in marked(main, outs)
    same(main, startup, X, outs)


def test_an_integer_is_not_the_memory_of_a_fraction():
    with building() as (main, _):
        x = data(dtype="int32")
        block = main.global_block()
        out = block.create_var(name="out", shape=[4, 4], dtype="int32")
        block.append_op("sqrt", {"X": x + x}, {"Out": out})
    assert marked(main, [out]) == []


# -- lifetimes -------------------------------------------------------------------------------------


def chain(x):
    a = fresh(x)
    b = paddle.matmul(a, x)
    c = paddle.matmul(b, a)
    return a, b, c, paddle.matmul(c, c)


def drops(program):
    return [op.attrs.get(DROPS, []) for op in program.global_block().ops]


def test_values_end_with_their_last_use():
    with building() as (main, _):
        a, b, c, d = names_of(chain(data()))
    found = drops(prepared(main, X, [d]))
    assert [sorted(names) for names in found] == [[], [], sorted([a, b]), [c]]
    assert drops(prepared(main, X, [d], skipped=["lifetimes"])) == [[], [], [], []]
    assert [sorted(n) for n in drops(prepared(main, X, [d, a]))] == [[], [], [b], [c]]


def test_what_a_block_reads_lives_until_the_block_has_run():
    with building() as (main, startup):
        x = data()
        h = fresh(x)
        once = h * 2.0
        out = paddle.static.nn.cond(paddle.mean(x) > 0.0, lambda: h + once, lambda: h - once)
    made = prepared(main, X, [out])
    ends = {n: op.type for op in made.global_block().ops for n in op.attrs.get(DROPS, [])}
    assert ends[h.name] == ends[once.name] == "conditional_block"
    same(main, startup, X, [out])


def test_a_gradient_that_needs_only_a_shape_does_not_keep_the_value():
    with building() as (main, startup):
        x = data()
        x.stop_gradient = False
        h = paddle.tanh(x)
        out = paddle.mean(h)
        (grad,) = paddle.static.gradients([out], [x])
        summed = paddle.sum(paddle.matmul(x, x))
        (other,) = paddle.static.gradients([summed], [x])
    made = prepared(main, X, [grad, other])
    product = next(op for op in made.global_block().ops if op.type == "matmul_v2")
    ended = [op.type for op in made.global_block().ops
             if product.output_arg_names[0] in op.attrs.get(DROPS, [])]  # fmt: skip
    assert ended in (["reduce_sum"], ["matmul_v2"])
    same(main, startup, X, [grad, other])


def test_the_plan_drops_what_the_pass_says():
    with building() as (main, _):
        a, b, _, d = names_of(chain(data()))
    plan = Executor(paddle.CPUPlace()).plan(main, ("x",), [d])
    deleted = [t.split("del ")[1] for t in plan.source.splitlines() if "del " in t]
    assert len(deleted) == 2
    assert sorted(deleted[0].split(", ")) == sorted(n.replace(".", "_") for n in (a, b))
    assert Scope().local_var_names() == []
