"""A fusion is a pattern: trial fusions of operators that only these tests know, gradients too."""

from __future__ import annotations

import pytest
import torch

import paddle
import paddle.passes
from paddle.core.op import REGISTRY, C, op
from paddle.passes.bias import LINEAR
from paddle.passes.fusion import Fusion, fuse
from paddle.passes.matching import Operand, Pattern
from tests.executor.building import building
from tests.passes.cases import normal, prepared, same, types

F = paddle.nn.functional
FEED = {"x": normal(4, 3), "y": normal(4, 3, seed=1)}

_sigmoid = Pattern("sigmoid", X=Operand("Gate"))
GATE = Fusion(Pattern("elementwise_mul", X=Operand("X"), Y=_sigmoid), "trial_gate")

_own_gate = Pattern("sigmoid", X=Operand("X"))
SWISH = Fusion(Pattern("elementwise_mul", X=Operand("X"), Y=_own_gate), "trial_swish")

_shift = Pattern("scale", optional=True, X=Operand("X"))
_tanh = Pattern("tanh", X=_shift)
SHIFTED = Fusion(
    Pattern("scale", X=_tanh), "trial_shifted",
    lambda m: {
        "before": sum(o.attrs["bias"] for o in m.every(_shift)),
        "factor": m.root.attrs["scale"],
    },
    lambda m, _: all(o.attrs["scale"] == 1.0 for o in m.every(_shift)) and not m.root.attrs["bias"],
)  # fmt: skip

_qr = Pattern("qr", out="R", X=Operand("X"))
UPPER = Fusion(Pattern("abs", X=_qr), "trial_upper")


def define():
    """The fused operators; all but one have the generic gradient."""

    @op("trial_gate", "X Gate -> Out", infer="broadcast", proto="for a test")
    def gate(x, gate):
        return x * torch.sigmoid(gate)

    @gate.grad("X Gate")
    def _(d_out, x, gate):
        part = torch.sigmoid(gate)
        return d_out * part, d_out * x * part * (1 - part)

    @op("trial_swish", "X -> Out", infer="same", proto="for a test")
    def swish(x):
        return x * torch.sigmoid(x)

    @op("trial_shifted", "X -> Out", infer="same", proto="for a test")
    def shifted(x, *, before=0.0, factor=1.0):
        return torch.tanh(x + before) * factor

    @op("trial_upper", "X -> Out", proto="for a test")
    def upper(x):
        return torch.linalg.qr(x)[1].abs()


@pytest.fixture(autouse=True)
def operators():
    """The trial operators, for one test."""
    define()
    yield
    for name in [n for n in dict.keys(REGISTRY) if n.startswith("trial_")]:
        dict.pop(REGISTRY, name)


@pytest.fixture
def fused(monkeypatch):
    """Puts a fusion into the table of passes."""

    def into_table(fusion):
        def rewrite(program, feeds, fetches):
            return fuse(fusion, program.blocks, fetches)

        table = paddle.passes.TABLE
        monkeypatch.setattr(
            paddle.passes, "TABLE", [*table[:3], ("trial", True, rewrite), *table[3:]]
        )

    return into_table


def data(*names, trained=True):
    made = [paddle.static.data(name, [None, 3]) for name in names]
    for x in made:
        x.stop_gradient = not trained
    return made


def trained(net, *names):
    """A Program that trains: (main, startup, what to fetch)."""
    with building() as (main, startup):
        parts = [x * paddle.static.create_parameter([3], "float32") for x in data(*names)]
        loss = paddle.mean(net(*parts) ** 2)
        paddle.optimizer.SGD(0.5).minimize(loss)
    return main, startup, [loss, *(f"{part.name}@GRAD" for part in parts)]


def check(main, startup, fetch, fused_type, joined=True):
    """Compares with a run without passes, and whether the fused operators are there."""
    feed = {n: FEED[n] for n in FEED if n in main.global_block().vars}
    found = types(main, feed, fetch)
    assert (fused_type in found) is joined and (f"{fused_type}_grad" in found) is joined
    same(main, startup, feed, fetch)
    return found


# -- what is derived -------------------------------------------------------------------------------


def test_forward_and_backward_are_found_by_the_forward_pattern_alone(fused):
    fused(GATE)
    found = check(*trained(lambda x, y: x * F.sigmoid(y), "x", "y"), "trial_gate")
    assert not any(t.startswith("sigmoid") for t in found)
    joined = prepared(*_last(trained(lambda x, y: x * F.sigmoid(y), "x", "y"))).global_block().ops
    gradient = next(o for o in joined if o.type == "trial_gate_grad")
    assert list(gradient.inputs) == ["X", "Gate", "Out", "Out@GRAD"]
    assert list(gradient.outputs) == ["X@GRAD", "Gate@GRAD"]


def _last(built):
    main, _, fetch = built
    return main, FEED, fetch


def test_without_gradients(fused):
    fused(GATE)
    with building() as (main, startup):
        x, y = data("x", "y")
        out = x * F.sigmoid(y)
    assert types(main, FEED, [out]) == ["trial_gate"]
    same(main, startup, FEED, [out])


def test_an_operand_that_is_read_twice(fused):
    fused(SWISH)
    found = check(*trained(lambda x: x * F.sigmoid(x), "x"), "trial_swish")
    assert "sum" not in found  # it added the two gradients up
    found = check(*trained(lambda x: x * F.sigmoid(x) + paddle.tanh(x), "x"), "trial_swish")
    assert "sum" in found  # of the other reader's gradient and this one
    found = check(
        *trained(lambda x: x * F.sigmoid(x) + F.sigmoid(x) ** 2 - x * F.sigmoid(x), "x"),
        "trial_swish",
    )
    assert found.count("trial_swish") == 2 and found.count("sum") == 1  # of three, after another


def test_operands_that_have_to_be_the_same_variable(fused):
    fused(SWISH)
    check(*trained(lambda x, y: x * F.sigmoid(y), "x", "y"), "trial_swish", joined=False)
    with building() as (main, _):
        x, y = data("x", "y")
        out = x * F.sigmoid(y)
    assert "trial_swish" not in types(main, FEED, [out])


def test_different_operands_may_be_one_variable(fused):
    fused(GATE)
    found = check(*trained(lambda x: x * F.sigmoid(x), "x"), "trial_gate")
    assert "sum" in found


@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_gradients_that_are_other_operators_and_parts_that_may_be_missing(fused, shift):
    def net(x):
        return paddle.scale(paddle.tanh(paddle.scale(x, 1.0, bias=shift) if shift else x), 2.0)

    fused(SHIFTED)
    built = trained(net, "x")
    found = check(*built, "trial_shifted")
    assert "scale" not in found
    ops = prepared(*_last(built)).global_block().ops
    assert [(o.attrs["before"], o.attrs["factor"]) for o in ops if o.type == "trial_shifted"] == [
        (shift, 2.0)
    ]


def test_zeros_for_a_result_that_nobody_differentiates(fused):
    def net(x):
        return paddle.abs(C.qr(paddle.reshape(x, [4, 3]))[1])

    fused(UPPER)
    main, startup, fetch = trained(net, "x")
    assert "fill_zeros_like" in types(main, FEED, fetch, skipped=["trial"])
    found = check(main, startup, fetch, "trial_upper")
    assert "fill_zeros_like" not in found and "qr_grad" not in found


def test_a_part_that_wants_no_gradient_keeps_its_operators(fused):
    fused(GATE)

    def net(x, y):
        y.stop_gradient = True
        return x * F.sigmoid(y)

    with building() as (main, startup):
        x, y = (v * paddle.static.create_parameter([3], "float32") for v in data("x", "y"))
        loss = paddle.mean(net(x, y))
        paddle.optimizer.SGD(0.5).minimize(loss)
    check(main, startup, [loss], "trial_gate", joined=False)


def test_an_operand_without_a_gradient_of_its_own(fused):
    fused(GATE)

    def net(x, y):
        return paddle.assign(FEED["x"]) * F.sigmoid(y)

    main, startup, fetch = trained(net, "x", "y")
    found = check(main, startup, [fetch[0], fetch[2]], "trial_gate")
    assert "sigmoid_grad" not in found


def test_it_works_inside_of_blocks(fused):
    fused(GATE)
    with building() as (main, startup):
        x, y = data("x", "y")
        out = paddle.static.nn.cond(
            paddle.mean(x) > -9.0, lambda: x * F.sigmoid(y), lambda: x - F.sigmoid(y)
        )
    inner = [[o.type for o in b.ops] for b in prepared(main, FEED, [out]).blocks[1:]]
    assert sum("trial_gate" in kinds for kinds in inner) == 1
    same(main, startup, FEED, [out])


def test_parameters_that_optimizers_look_for_are_told_by_the_fused_gradient(fused):
    fused(GATE)
    with building() as (main, _):
        w = [paddle.static.create_parameter([4, 3], "float32", name=n) for n in ("a", "b")]
        loss = paddle.mean(w[0] * F.sigmoid(w[1]))
        paddle.optimizer.SGD(0.5).minimize(loss)
    ops = prepared(main, [], [loss]).global_block().ops
    marks = [o.attrs["op_role_var"] for o in ops if o.type == "trial_gate_grad"]
    assert [sorted(m) for m in marks] == [["a", "a@GRAD", "b", "b@GRAD"]]


# -- what is left alone ----------------------------------------------------------------------------


def read_elsewhere(x, y):
    part = F.sigmoid(y)
    return x * part + part


def read_by_a_block(x, y):
    part = F.sigmoid(y)
    more = paddle.static.nn.cond(
        paddle.mean(x) > 0.0, lambda: paddle.sum(part), lambda: paddle.max(part)
    )
    return x * part + more


def times_itself(x, y):
    part = F.sigmoid(y)
    return part * part + x


@pytest.mark.parametrize(
    "net", [read_elsewhere, read_by_a_block, times_itself], ids=lambda f: f.__name__
)
def test_values_that_are_needed_elsewhere(fused, net):
    fused(GATE)
    check(*trained(net, "x", "y"), "trial_gate", joined=False)


def test_values_and_gradients_that_are_fetched(fused):
    fused(GATE)
    main, startup, fetch = trained(lambda x, y: x * F.sigmoid(y), "x", "y")
    part = next(o for o in main.global_block().ops if o.type == "sigmoid").outputs["Out"][0]
    for name in (part, f"{part}@GRAD"):
        check(main, startup, [*fetch, name], "trial_gate", joined=False)


def test_operands_that_are_written_on_the_way(fused):
    fused(GATE)
    with building() as (main, startup):
        x, y = (paddle.assign(v) for v in data("x", "y"))
        part = F.sigmoid(y)
        paddle.assign(y * 2.0, y)
        out = x * part + y
    assert "trial_gate" not in types(main, FEED, [out])
    same(main, startup, FEED, [out])


def test_a_gradient_that_somebody_changed(fused):
    fused(SHIFTED)
    main, startup, fetch = trained(lambda x: paddle.scale(paddle.tanh(x), 2.0), "x")
    gradient = [o for o in main.global_block().ops if o.type == "scale"][-1]
    assert gradient.attrs["op_role"] == 1
    gradient._set_attr("scale", 3.0)
    check(main, startup, fetch, "trial_shifted", joined=False)


def test_values_that_are_differentiated_twice(fused):
    fused(GATE)
    with building() as (main, startup):
        x, y = data("x", "y")
        out = x * F.sigmoid(y)
        first = paddle.static.gradients([out], [x, y])
        second = paddle.static.gradients([out * out], [x, y])
    fetch = [*first, *second]
    assert "trial_gate" not in types(main, FEED, fetch)
    same(main, startup, FEED, fetch)


def test_an_operator_with_an_input_that_the_pattern_does_not_name(fused):
    fused(SHIFTED)
    with building() as (main, startup):
        x, y = data("x", "y")
        out = paddle.scale(paddle.tanh(x), paddle.mean(y))
    assert "trial_shifted" not in types(main, FEED, [out])
    same(main, startup, FEED, [out])


@pytest.mark.parametrize(
    ("fusion", "kind", "joined"),
    [
        (GATE, "trial_gate", False),  # the gradient of sigmoid reads its result, not the parameter
        (SWISH, "trial_swish", False),  # that of the product reads both
        (LINEAR, "linear", True),  # both read the parameter as it is then
    ],
    ids=["gate", "swish", "linear"],
)
def test_a_parameter_that_is_updated_before_the_gradient(fused, fusion, kind, joined):
    fused(fusion)
    with building() as (main, startup):
        (x,) = data("x")
        w = paddle.static.create_parameter([3, 3], "float32")
        part = paddle.matmul(x, x, transpose_x=True)
        made = {
            "trial_gate": lambda: part * F.sigmoid(w),
            "trial_swish": lambda: paddle.matmul(x, w * F.sigmoid(w)),
            "linear": lambda: paddle.matmul(x, w) + paddle.static.create_parameter([3], "float32"),
        }[kind]()
        paddle.optimizer.SGD(0.5).minimize(paddle.mean(w * w))
        paddle.optimizer.SGD(0.5).minimize(paddle.mean(made))
    feed = {"x": FEED["x"]}
    found = types(main, feed, [made])
    assert (kind in found) is (f"{kind}_grad" in found) is joined
    same(main, startup, feed, [made])


def test_an_operand_that_is_read_twice_and_differentiated_once(fused):
    twice = Pattern("scale", optional=True, X=Operand("X"))
    fused(Fusion(Pattern("elementwise_mul", X=Operand("X"), Y=twice), "trial_swish"))

    def net(x):
        doubled = paddle.scale(x, 2.0)
        doubled.stop_gradient = True
        return x * doubled

    check(*trained(net, "x"), "trial_swish", joined=False)


def test_a_gradient_that_is_written_before_its_operator(fused):
    fused(GATE)
    main, startup, fetch = trained(lambda x, y: x * F.sigmoid(y), "x", "y")
    block = main.global_block()
    at = next(i for i, o in enumerate(block.ops) if o.type == "sigmoid_grad")
    name = block.ops[at].outputs["X@GRAD"][0]
    block.append_op("scale", {"X": [fetch[1]]}, {"Out": [name]}, {"scale": 7.0})
    block.ops.insert(at, block.ops.pop())
    check(main, startup, fetch, "trial_gate", joined=False)


def test_an_operator_that_writes_what_it_reads(fused):
    fused(Fusion(Pattern("relu", X=Pattern("scale", repeated=True, X=Operand("X"))), "trial_swish"))
    with building() as (main, _):
        (x,) = data("x")
        block = main.global_block()
        block.append_op("scale", {"X": [x]}, {"Out": [x]}, {"scale": 2.0})
        out = F.relu(x)
    found = types(main, FEED, [out])
    assert found == ["scale", "trial_swish"]  # the relu is one of no scale


# -- what a report says ----------------------------------------------------------------------------


def test_a_fusion_is_reported_with_the_lines_of_the_user(fused, monkeypatch, capsys):
    fused(GATE)
    main, _, fetch = trained(lambda x, y: x * F.sigmoid(y), "x", "y")
    monkeypatch.setenv("PADDLE_DEBUG", "passes")
    prepared(main, FEED, fetch)
    text = capsys.readouterr().out
    part = text.split("# pass trial: ")[1].split("# pass")[0].splitlines()
    before = len(main.global_block().ops)
    time, _, counts = part[0].partition(" ms, ")
    assert float(time) >= 0.0 and counts == f"{before} -> {before - 2} operators"
    assert part[1] == (
        "#   sigmoid, elementwise_mul, elementwise_mul_grad, sigmoid_grad"
        " -> trial_gate, trial_gate_grad"
    )
    assert part[2].startswith(f'#     File "{__file__}", line ')
    assert part[2].endswith('main, _, fetch = trained(lambda x, y: x * F.sigmoid(y), "x", "y")')
