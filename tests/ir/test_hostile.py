"""Damaged Programs of the corpus: they run, or fail with our errors; nothing hangs or crashes."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.ir import wire

sys.path.insert(0, str(Path(__file__).parent))
import corpus_cases
from hostile import damage

# No loops: one that loses its counter runs for ever, as it says.
CASES = ("2.6.2_dense", "1.8.5_dense", "2.6.2_cond_true", "2.6.2_dense_two_inputs",
         "1.8.5_optimizer_adagrad", "here_net_static_rnn", "here_net_cond_taken")  # fmt: skip


def run(case: corpus_cases.Case, data: bytes) -> None:
    program = wire.from_bytes(data)
    scope = Scope()
    for name, value in case.values("params.npz").items():
        scope.var(name).get_tensor().set(value, paddle.CPUPlace())
    feed = case.values("feeds.npz")
    Executor(paddle.CPUPlace()).run(program, feed, case.meta["fetches"], scope=scope)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_damaged_programs_run_or_are_refused(name: str) -> None:
    case = corpus_cases.read_case(name)
    r, outcomes = random.Random(f"2021 {name}"), {"ran": 0, "refused": 0}
    for _ in range(60):
        desc = wire.message_class("ProgramDesc").FromString(case.files["main.pb"])
        changed = [damage(desc, r) for _ in range(r.choice((1, 1, 2)))]
        try:
            run(case, desc.SerializePartialToString())
            outcomes["ran"] += 1
        except Exception as error:
            assert type(error).__module__.startswith("paddle."), (changed, repr(error))
            assert str(error).startswith("(") and len(str(error)) > 30, (changed, str(error))
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 5, outcomes


def changed(name: str, change: object) -> None:
    case = corpus_cases.read_case(name)
    desc = wire.message_class("ProgramDesc").FromString(case.files["main.pb"])
    change(desc)
    run(case, desc.SerializePartialToString())


def operator(desc, type):
    return next(op for block in desc.blocks for op in block.ops if op.type == type)


def slots(op, name):
    return next(s for s in (*op.inputs, *op.outputs) if s.parameter == name)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda d: setattr(operator(d, "relu"), "type", "relu9000"), "relu9000"),
        (
            lambda d: slots(operator(d, "softmax"), "X").ClearField("arguments"),
            r"operator \d+ \(softmax\) of block 0 has no input 'X'",
        ),
        (
            lambda d: slots(operator(d, "mul"), "Out").ClearField("arguments"),
            r"operator \d+ \(mul\) of block 0 has no output 'Out'",
        ),
        (lambda d: setattr(d.version, "version", 9_000_000), "PaddlePaddle 9.0.0"),
    ],
)
def test_what_is_wrong_is_named(change, text):
    with pytest.raises(Exception, match=text) as caught:
        changed("1.8.5_dense", change)
    assert type(caught.value).__module__ == "paddle.core.errors"


def test_a_control_operator_without_its_block():
    def change(desc):
        op = operator(desc, "conditional_block")
        kept = [a for a in op.attrs if a.name != "sub_block"]
        del op.attrs[:]
        op.attrs.extend(kept)

    with pytest.raises(
        InvalidArgumentError, match=r"conditional_block\).* has no attribute 'sub_b"
    ):
        changed("2.6.2_cond_true", change)
