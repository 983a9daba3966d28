"""A pass that is no fusion, defined here: readers of ``scale`` by 1 read what it scales."""

from __future__ import annotations

import pytest

import paddle
import paddle.passes
from paddle import static
from paddle.analysis.def_use import DefUse, single
from paddle.passes.fusion import Replacement
from tests.executor.building import building
from tests.passes.cases import normal, prepared, same, types

FEED = {"x": normal(4, 3)}


def remove_identities(program, feeds, fetches):
    """Takes operators out that return their operand as it is.

    Matches ``scale`` by 1 with bias 0 in the global block. Not matched: factors in a Tensor,
    results that are fetched, stored, written again or read by a sub-block, operands that are
    written later, and gradients of parameters, which are found by their names.
    """
    block = program.global_block()
    def_use = DefUse(block, fetches)
    done = []
    for op in block.ops:
        if identity(op) and replaceable(op, def_use):
            def_use.substitute(op)
            def_use.redirect(op.outputs["Out"][0], op.inputs["X"][0])
            done.append(Replacement([op], []))
    def_use.commit()
    return done


def identity(op):
    if op.type != "scale" or op.inputs.get("ScaleTensor") or op.attrs.get("op_role_var"):
        return False
    return op.attrs.get("scale", 1.0) == 1.0 and op.attrs.get("bias", 0.0) == 0.0


def replaceable(op, def_use):
    source, result = single(op, "X"), single(op, "Out", output=True)
    if source is None or result is None or not def_use.is_temporary(result):
        return False
    written_later = any(not def_use.precedes(w, op) for w in def_use.definitions.get(source, ()))
    return not written_later and not any(r.sub_blocks for r in def_use.uses.get(result, ()))


@pytest.fixture(autouse=True)
def in_table(monkeypatch):
    """Puts the pass into the table of passes, where the checker follows it."""
    table = list(paddle.passes.TABLE)
    at = [name for name, _, _ in table].index("dead_code") + 1
    table.insert(at, ("trial", True, remove_identities))
    monkeypatch.setattr(paddle.passes, "TABLE", table)


def test_it_removes_chains_and_their_gradients():
    with building() as (main, startup):
        x = static.data("x", [None, 3])
        h = paddle.scale(paddle.scale(static.nn.fc(x, 3), 1.0), 1.0)
        loss = paddle.mean(paddle.square(paddle.scale(h, 2.0) + h))
        paddle.optimizer.SGD(0.1).minimize(loss)
    assert [op.type for op in main.global_block().ops].count("scale") == 6
    assert types(main, FEED, [loss], skipped=["trial"]).count("scale") == 6
    assert types(main, FEED, [loss]).count("scale") == 2
    assert types(main, FEED, [loss], fuse=False).count("scale") == 6
    same(main, startup, FEED, [loss])


def test_both_operands_of_a_reader_may_be_redirected():
    with building() as (main, startup):
        x = static.data("x", [None, 3])
        out = paddle.scale(x, 1.0) * paddle.scale(x, 1.0) + x
    assert types(main, FEED, [out]) == ["elementwise_mul", "elementwise_add"]
    same(main, startup, FEED, [out])


def fetched(x):
    h = paddle.scale(x, 1.0)
    return [h, h + x]


def does_something(x):
    return [paddle.scale(x, 1.0, bias=0.5) + paddle.scale(x, paddle.full([1], 2.0))]


def operand_is_written_later(x):
    h = paddle.tanh(x)
    kept = paddle.scale(h, 1.0)
    paddle.assign(x, h)
    return [kept + h]


def read_by_a_block(x):
    h = paddle.scale(x, 1.0)
    return [static.nn.cond(paddle.mean(x) > 0.0, lambda: h * 2.0, lambda: h - 1.0)]


@pytest.mark.parametrize(
    "net", [fetched, does_something, operand_is_written_later, read_by_a_block],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_is_left_alone(net):
    with building() as (main, startup):
        outs = net(static.data("x", [None, 3]))
    before = types(main, FEED, outs, skipped=["trial"])
    assert "scale" in before and types(main, FEED, outs) == before
    same(main, startup, FEED, outs)


def test_chains_stay_right_while_they_are_changed():
    with building() as (main, _):
        x = static.data("x", [None, 3])
        h = paddle.scale(x, 1.0)
        out = h * x + h
    block = main.global_block()
    def_use = DefUse(block)
    scale, times, plus = block.ops
    def_use.substitute(scale)
    def_use.redirect(h.name, "x")
    def_use.commit()
    assert def_use.uses["x"] == [times, plus] and h.name not in def_use.uses
    assert def_use.definition(out.name) is plus and block.ops == [times, plus]
    fresh = DefUse(block)
    assert {n: set(map(id, ops)) for n, ops in fresh.uses.items()} == {
        n: set(map(id, ops)) for n, ops in def_use.uses.items() if ops
    }


def test_what_it_did_is_reported(monkeypatch, capsys):
    with building() as (main, _):
        out = paddle.tanh(paddle.scale(static.data("x", [None, 3]), 1.0))
    monkeypatch.setenv("PADDLE_DEBUG", "passes")
    prepared(main, FEED, [out])
    said = capsys.readouterr().out.split("# pass trial: ")[1].splitlines()
    assert said[0].endswith("2 -> 1 operators") and said[1].startswith("#   scale")
