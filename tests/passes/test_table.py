"""The table of passes: its order, switches, printing, and the checker that follows each pass."""

from __future__ import annotations

import inspect
import re

import pytest

import paddle
import paddle.passes
import paddle.passes.running
from paddle.analysis.aliasing import IN_PLACE
from paddle.analysis.marks import DROPS
from paddle.core.errors import PreconditionNotMetError
from paddle.passes import TABLE
from paddle.passes.checker import check
from tests.executor.building import building
from tests.passes.cases import normal, prepared, types

X = {"x": normal(4, 3)}


def network():
    """A Program that trains, with a block: (main, what to fetch)."""
    with building() as (main, _):
        x = paddle.static.data("x", [None, 3])
        hidden = paddle.nn.functional.relu(paddle.static.nn.fc(x, 3))
        hidden = paddle.static.nn.cond(
            paddle.mean(x) > 0.0, lambda: hidden * 2.0, lambda: hidden - 1.0
        )
        loss = paddle.mean(paddle.square(hidden))
        paddle.optimizer.SGD(0.1).minimize(loss)
    return main, [loss]


def test_the_order_of_the_table():
    assert [name for name, _, _ in TABLE] == [
        "custom_gradients", "versions", "flat_gradients", "gather_rows", "fuse_all_reduce",
        "overlap_exchanges", "dead_code", "int8_weights", "fc", "conv_bias", "conv_bn",
        "attention", "loss", "gru_pairs", "constants", "sparse_updates", "merge_optimizers",
        "outer_epsilon", "in_place", "lifetimes",
    ]  # fmt: skip
    assert [name for name, joins, _ in TABLE if not joins] == [
        "custom_gradients", "versions", "flat_gradients", "gather_rows", "fuse_all_reduce",
        "overlap_exchanges", "dead_code", "int8_weights", "sparse_updates", "outer_epsilon",
        "lifetimes",
    ]  # fmt: skip


@pytest.mark.parametrize("entry", TABLE, ids=lambda e: e[0])
def test_each_pass_says_what_it_matches(entry):
    name, _, rewrite = entry
    text = inspect.getdoc(rewrite) or ""
    assert name == "versions" or "Matches" in text, name


def test_a_pass_leaves_the_program_of_the_user_alone():
    main, fetch = network()
    before = str(main)
    prepared(main, X, fetch)
    assert str(main) == before
    assert not any(k.startswith("_") for op in main.global_block().ops for k in op.attrs)


def test_interpreting_keeps_every_operator():
    main, fetch = network()
    assert types(main, X, fetch, fuse=False) == [op.type for op in main.global_block().ops]


def test_use_prune_keeps_what_leads_to_the_fetched():
    main, fetch = network()
    assert "sgd" in types(main, X, fetch, fuse=False)
    pruned = types(main, X, fetch, fuse=False, use_prune=True)
    assert "sgd" not in pruned and not any(t.endswith("_grad") for t in pruned)


def test_debug_prints_what_each_pass_changed(monkeypatch, capsys):
    main, fetch = network()
    monkeypatch.setenv("PADDLE_DEBUG", "passes")
    prepared(main, X, fetch)
    parts = capsys.readouterr().out.split("# pass ")[1:]
    assert [part.split(":")[0] for part in parts] == [name for name, _, _ in TABLE]
    said = {part.split(":")[0]: part for part in parts}
    removed = [t for t in said["fc"].splitlines() if t.startswith("-") and " = mul(" in t]
    added = [t for t in said["fc"].splitlines() if t.startswith("+") and " = linear(" in t]
    assert len(removed) == len(added) == 1
    count = sum(len(block.ops) for block in main.blocks)
    assert re.match(rf"fc: \d+\.\d\d ms, {count} -> {count - 2} operators\n#   mul, ", said["fc"])
    assert re.fullmatch(r"conv_bn: \d+\.\d\d ms, (\d+) -> \1 operators\n", said["conv_bn"])
    assert "#   marked with _drops: " in said["lifetimes"]
    assert "_in_place = [" in said["in_place"] and "_drops = [" in said["lifetimes"]
    monkeypatch.setenv("PADDLE_DEBUG", "")
    prepared(main, X, fetch)
    assert capsys.readouterr().out == ""


# -- the checker -----------------------------------------------------------------------------------


def loses_an_operator(program, feeds, fetches):
    ops = program.global_block().ops
    ops.remove(next(op for op in ops if op.type == "relu"))


def loses_the_result(program, feeds, fetches):
    ops = program.global_block().ops
    ops.remove(next(op for op in ops if fetches[0] in op.output_arg_names))


def loses_an_update(program, feeds, fetches):
    ops = program.global_block().ops
    ops.remove(next(op for op in ops if op.type == "sgd"))


def turns_operators_round(program, feeds, fetches):
    program.global_block().ops.reverse()


def names_nothing(program, feeds, fetches):
    op = next(op for op in program.global_block().ops if op.type == "relu")
    op.inputs["X"] = ["nothing"]


def loses_a_variable(program, feeds, fetches):
    op = next(op for op in program.global_block().ops if op.type == "relu")
    del program.global_block().vars[op.outputs["Out"][0]]


def takes_an_operator_of_another_program(program, feeds, fetches):
    from paddle.ir.cloning import clone

    program.global_block().ops[0] = clone(program).global_block().ops[0]


def mixes_blocks_up(program, feeds, fetches):
    program.blocks[1:3] = program.blocks[2:0:-1]


def drops_too_early(program, feeds, fetches):
    op = next(op for op in program.global_block().ops if op.type == "relu")
    op.attrs[DROPS] = [op.outputs["Out"][0]]


def overwrites_what_is_read(program, feeds, fetches):
    op = next(op for op in program.global_block().ops if op.type == "relu_grad")
    op.attrs[IN_PLACE] = [op.inputs["Out"][0]]
    op = next(op for op in program.global_block().ops if op.type == "relu")
    op.attrs[IN_PLACE] = [op.inputs["X"][0]]
    after = program.global_block().ops[op.idx + 1]
    after.inputs.setdefault("X", []).append(op.inputs["X"][0])


BROKEN = {
    loses_an_operator: r"nothing makes \['relu_0.tmp_0'\] any more",
    loses_the_result: r"nothing makes \['.*mean.*'\] any more",
    loses_an_update: r"nothing makes \['fc_0.w_0'\] any more|nothing makes \['fc_0.b_0'\] any more",
    turns_operators_round: r"reads .* before it is made",
    names_nothing: "operator relu names 'nothing', which is no variable",
    loses_a_variable: r"names 'relu_0.tmp_0', which is no variable|which is no variable",
    takes_an_operator_of_another_program: "does not belong to its block",
    mixes_blocks_up: "block 1 does not know its place",
    drops_too_early: r"reads .*, which is dropped after relu",
    overwrites_what_is_read: r"reads .*, which is overwritten by relu",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda f: f.__name__)
def test_the_checker_finds_a_broken_pass(broken, monkeypatch):
    main, fetch = network()
    monkeypatch.setattr(paddle.passes, "TABLE", [*TABLE[:2], ("broken", True, broken)])
    with pytest.raises(PreconditionNotMetError, match=BROKEN[broken]) as caught:
        prepared(main, X, fetch)
    assert "after pass 'broken' the Program is broken" in str(caught.value)
    monkeypatch.setattr(paddle.passes.running, "checking", False)
    prepared(main, X, fetch)  # users do not pay for the check


def test_the_checker_runs_after_each_pass_in_tests(monkeypatch):
    seen = []
    monkeypatch.setattr(
        paddle.passes.running, "check", lambda p, feeds, name, before: seen.append(name)
    )
    main, fetch = network()
    prepared(main, X, fetch)
    assert seen == [name for name, _, _ in TABLE]
    assert check(prepared(main, X, fetch), ["x"], "all") is None
