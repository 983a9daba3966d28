"""Damaged Programs of the corpus: they run, or fail with our errors; nothing hangs or crashes."""

from __future__ import annotations

import contextlib
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.core.errors import FrameworkError, InvalidArgumentError
from paddle.executor.executor import Executor
from paddle.executor.scope import Scope
from paddle.serialization.program import proto

sys.path.insert(0, str(Path(__file__).parent))
import corpus_cases
from hostile import damage

# No loops: one that loses its counter runs for ever, as it says.
CASES = ("2.6.2_dense", "1.8.5_dense", "2.6.2_cond_true", "2.6.2_dense_two_inputs",
         "1.8.5_optimizer_adagrad", "here_net_static_rnn", "here_net_cond_taken")  # fmt: skip


def run(case: corpus_cases.Case, data: bytes) -> None:
    program = proto.from_bytes(data)
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
        desc = proto.message_class("ProgramDesc").FromString(case.files["main.pb"])
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
    desc = proto.message_class("ProgramDesc").FromString(case.files["main.pb"])
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


# -- what used to come out of the plan as an UnboundLocalError, an AttributeError and the like -----


def named(desc, name):
    return next(v for block in desc.blocks for v in block.vars if v.name == name)


def stored(name):
    return lambda d: setattr(named(d, name), "persistable", True)


def scope_of(desc):
    return slots(operator(desc, "conditional_block"), "Scope").arguments[0]


def without(type, slot):
    def change(desc):
        op = operator(desc, type)
        for listed in (op.inputs, op.outputs):
            kept = [s for s in listed if s.parameter != slot]
            del listed[:]
            listed.extend(kept)

    return change


def twice(type, slot):
    def change(desc):
        found = slots(operator(desc, type), slot).arguments
        found.append(found[0])

    return change


@pytest.mark.parametrize(
    ("name", "change", "text"),
    [
        ("2.6.2_cond_true", lambda d: setattr(named(d, scope_of(d)), "persistable", True),
         r"conditional_block\) of block 0 writes '.*', which is persistable .* no tensor"),
        ("2.6.2_cond_true", without("conditional_block", "Cond"),
         r"conditional_block\) of block \d has no input 'Cond'"),
        ("2.6.2_cond_true", without("select_input", "Mask"),
         r"select_input\).* has no input 'Mask'"),
        ("1.8.5_optimizer_adagrad", without("mean_grad", "Out@GRAD"),
         r"mean_grad\) of block 0 has no input 'Out@GRAD'"),
        ("1.8.5_while_training", without("while_grad", "X@GRAD"),
         r"while_grad\) of block 0 has no output 'X@GRAD'"),
        ("1.8.5_while_training", without("while_grad", "StepScopes"),
         r"while_grad\) of block 0 has no input 'StepScopes'"),
        ("1.8.5_dense", twice("softmax", "X"), r"softmax\).* has 2 variables as input 'X'"),
        ("2.6.2_dense", lambda d: named(d, "fc_0.b_0").type.lod_tensor.tensor.ClearField("dims"),
         r"'fc_0\.b_0' has no dimensions, but the scope holds a value of shape \[16\]"),
    ],
)  # fmt: skip
def test_broken_operators_are_named(name, change, text):
    with pytest.raises(InvalidArgumentError, match=text):
        changed(name, change)


@pytest.mark.parametrize(
    ("name", "variable"),
    [("2.6.2_cond_true", "tanh_0.tmp_0"), ("1.8.5_cond_false", "tmp_4"),
     ("2.6.2_switch_case_7", "_generated_var_2"), ("1.8.5_switch_case_1", "_generated_var_14")],
)  # fmt: skip
def test_what_a_branch_makes_may_be_stored(name, variable):
    """A flag that changes no number: the value is stored where the branch runs."""
    case = corpus_cases.read_case(name)
    desc = proto.message_class("ProgramDesc").FromString(case.files["main.pb"])
    stored(variable)(desc)
    scope = Scope()
    for key, value in case.values("params.npz").items():
        scope.var(key).get_tensor().set(value, paddle.CPUPlace())
    got = Executor(paddle.CPUPlace()).run(
        proto.from_bytes(desc.SerializeToString()), case.values("feeds.npz"), case.meta["fetches"],
        scope=scope,
    )  # fmt: skip
    for mine, theirs in zip(got, case.fetched(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def inference(tmp_path, change):
    """A saved convolutional model whose Program is changed before it is loaded and run."""
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data("x", [None, 1, 4, 4])
            y = static.nn.batch_norm(static.nn.conv2d(x, 2, 3), is_test=True)
        exe, scope = static.Executor(paddle.CPUPlace()), static.Scope()
        with static.scope_guard(scope):
            exe.run(startup)
            prefix = str(tmp_path / "net")
            static.save_inference_model(prefix, [x], [y], exe, program=main)
            desc = proto.message_class("ProgramDesc").FromString(
                (tmp_path / "net.pdmodel").read_bytes()
            )
            change(desc)
            (tmp_path / "net.pdmodel").write_bytes(desc.SerializePartialToString())
            program, feeds, fetches = static.load_inference_model(prefix, exe)
            return exe.run(program, {feeds[0]: np.ones([1, 1, 4, 4], "float32")}, fetches)
    finally:
        paddle.disable_static()


def test_a_fetch_without_its_input(tmp_path):
    with pytest.raises(InvalidArgumentError, match=r"net\.pdmodel'.* \(fetch\).* no input 'X'"):
        inference(tmp_path, without("fetch", "X"))


@pytest.mark.parametrize("slot", ["X", "Scale", "Bias", "Mean"])
def test_a_batch_norm_without_shapes(tmp_path, slot):
    def change(desc):
        name = slots(operator(desc, "batch_norm"), slot).arguments[0]
        named(desc, name).type.lod_tensor.tensor.ClearField("dims")

    with contextlib.suppress(FrameworkError):  # runs where the shape is not needed
        inference(tmp_path, change)
    with contextlib.suppress(FrameworkError):
        inference(tmp_path, lambda d: named(
            d, slots(operator(d, "batch_norm"), slot).arguments[0]
        ).type.ClearField("lod_tensor"))  # fmt: skip
