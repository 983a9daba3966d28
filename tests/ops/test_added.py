"""An operator that is defined here is fast, cast, converted and saved by its definition alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import paddle
from paddle import static
from paddle.core.op import REGISTRY, C, op
from paddle.core.traits import InPlace
from tests.executor.building import building, started
from tests.op_samples.sample import Sample, apart
from tests.ops import test_contract as contract
from tests.ops import test_traits as traits
from tests.ops.table import arrays
from tests.passes.cases import same, types

X = np.linspace(-3, 3, 12, dtype="float32").reshape(3, 4)


def symlog_into(x, scale=1.0):
    signs = torch.sign(x)
    return x.abs_().mul_(scale).log1p_().mul_(signs)


@pytest.fixture(autouse=True)
def trial():
    """A logarithm of both signs."""

    @op(
        "trial_symlog", "X -> Out", infer="same", inplace=InPlace(symlog_into), amp="black",
        speculatable="floats", proto="a trial of a test",
    )  # fmt: skip
    def symlog(x, *, scale=1.0):
        return torch.log1p(torch.abs(x) * scale) * torch.sign(x)

    @symlog.grad("X")
    def _(d_out, x, *, scale):
        return d_out * scale / (torch.abs(x) * scale + 1)

    yield symlog
    for name in ("trial_symlog", "trial_symlog_grad"):
        dict.pop(REGISTRY, name, None)
        vars(C).pop(name, None)  # the caller that was compiled for it


def by_hand(x, scale=1.0):
    return np.sign(x) * np.log1p(scale * np.abs(x))


def slope(x, scale=1.0):
    return scale / (1 + scale * np.abs(x))


def test_a_sample_proves_it(trial):
    sample = Sample("trial_symlog", {"X": apart(3, 4)}, {"scale": 2.5}, by_hand, orders=3)
    contract.test_forward(sample)
    for order in (1, 2, 3):
        contract.test_gradient(sample, order)
    contract.test_shape_rule_gives_the_real_shape(sample)
    contract.test_shape_rule_agrees_with_meta(sample)
    contract.test_not_a_tensor_is_named(trial)
    args = [torch.from_numpy(a) for a in arrays(sample)]
    assert traits.check_in_place(trial, trial.inplace, args, {"scale": 2.5})
    assert traits.check_no_alias(trial, args, {"scale": 2.5})


def test_it_trains_in_a_program_and_writes_in_place():
    with building() as (main, startup):
        x = static.data("x", [None, 4])
        loss = paddle.mean(C.trial_symlog(static.nn.fc(x, 3) * 2.0, scale=2.0))
        paddle.optimizer.SGD(0.5).minimize(loss)
        out = C.trial_symlog(x * 2.0)
    found = types(main, {"x": X}, [loss, out])
    assert found.count("trial_symlog") == 2 and found.count("trial_symlog_grad") == 1
    same(main, startup, {"x": X}, [loss, out])
    source = static.Executor(paddle.CPUPlace()).plan(main, ("x",), (out.name,)).source
    assert "trial_symlog_(" in source  # the form that overwrites


def test_mixed_precision_keeps_it_in_32_bits(trial):
    x = paddle.to_tensor(X, stop_gradient=False)
    with paddle.amp.auto_cast():
        low = paddle.matmul(x, x, transpose_y=True)
        assert C.trial_symlog(low).dtype == "float32" != low.dtype
    with paddle.amp.auto_cast(custom_white_list={"trial_symlog"}):
        assert C.trial_symlog(x).dtype == low.dtype
    assert "trial_symlog" in static.amp.AutoMixedPrecisionLists().black_list
    with building() as (main, _):
        data = static.data("x", [None, 4])
        loss = paddle.mean(C.trial_symlog(static.nn.fc(data, 3)))
        static.amp.decorate(paddle.optimizer.SGD(0.5)).minimize(loss)
    (made,) = [o for o in main.global_block().ops if o.type == "trial_symlog"]
    assert main.global_block().var(made.inputs["X"][0]).dtype == paddle.float32


def test_a_converted_function_runs_it_trains_and_is_saved(tmp_path):
    @paddle.jit.to_static(input_spec=[static.InputSpec([None, 4])])
    def function(x):
        if paddle.mean(x) > 100.0 and paddle.mean(C.trial_symlog(x)) > 0.0:
            x = x - 1.0
        return C.trial_symlog(x, scale=2.0)

    x = paddle.to_tensor(X, stop_gradient=False)
    out = function(x)
    out.sum().backward()
    np.testing.assert_allclose(out.numpy(), by_hand(X, 2.0), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), slope(X, 2.0), rtol=1e-6)
    kinds = [o.type for o in function.concrete_program.main_program.global_block().ops]
    assert kinds.count("trial_symlog") == 2  # that of the condition needs no block of its own
    assert kinds.count("logical_and") == 1
    paddle.jit.save(function, str(tmp_path / "net"))
    again = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_array_equal(again(x).numpy(), out.numpy())


def test_a_program_with_it_is_saved_and_loaded(tmp_path):
    with building() as (main, startup):
        x = static.data("x", [None, 4])
        out = C.trial_symlog(static.nn.fc(x, 3), scale=2.0)
    scope = started(startup)
    exe = static.Executor(paddle.CPUPlace())
    (expected,) = exe.run(main, feed={"x": X}, fetch_list=[out], scope=scope)
    with static.scope_guard(scope):
        paddle.enable_static()
        static.save_inference_model(str(tmp_path / "net"), [x], [out], exe, program=main)
        loaded, feeds, fetches = static.load_inference_model(str(tmp_path / "net"), exe)
        paddle.disable_static()
    (found,) = exe.run(loaded, feed={feeds[0]: X}, fetch_list=fetches, scope=scope)
    np.testing.assert_array_equal(found, expected)
