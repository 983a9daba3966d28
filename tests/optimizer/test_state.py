"""Saving and loading: names, files, resuming, entries that do not fit, master copies."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import paddle
from tests.optimizer import cases
from tests.optimizer.test_step import ALL, build, give, leaf

SLOTS = {
    "SGD": [],
    "Momentum": ["velocity"],
    "Adam": ["moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc"],
    "AdamW": ["moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc"],
    "Adamax": ["moment", "inf_norm", "beta1_pow_acc"],
    "Lamb": ["moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc"],
    "Adagrad": ["moment"],
    "Adadelta": ["_avg_squared_grad", "_avg_squared_update"],
    "RMSProp": ["momentum", "mean_square", "mean_grad"],
}


def named(name, values=(1.0, -2.0), dtype="float32"):
    made = leaf(list(values), dtype)
    made.name = name
    return made


def trained(kind, tensors, steps=3, **options):
    optimizer = build(kind, tensors, **options)
    go_on(optimizer, tensors, range(steps))
    return optimizer


def go_on(optimizer, tensors, steps):
    for step in steps:
        for t in tensors:
            give(t, np.cos(np.arange(t.size) + step))
        optimizer.step()


@pytest.mark.parametrize("name", ALL)
def test_names(name):
    weight, bias = named(f"{name}_0.w_0"), named(f"{name}_0.b_0")
    optimizer = build(name, [weight, bias])
    assert optimizer.state_dict() == {}
    go_on(optimizer, [weight, bias], range(2))
    expected = [f"{name}_0.{p}_{slot}_0" for slot in SLOTS[name] for p in ("w_0", "b_0")]
    state = optimizer.state_dict()
    assert list(state) == expected
    assert [t.name for t in state.values()] == expected
    assert optimizer.get_opti_var_name_list() == expected
    for key, tensor in state.items():
        assert tensor.shape == ([1] if "pow_acc" in key else [2])
    if "beta1_pow_acc" in SLOTS[name]:
        power = state[f"{name}_0.w_0_beta1_pow_acc_0"].numpy()
        np.testing.assert_allclose(power, [0.9**3], rtol=1e-6)


def test_the_optimizers_name_is_a_part_and_a_second_one_counts_on():
    weight = named("prefixed_0.w_0")
    state = trained("Momentum", [weight], name="mine").state_dict()
    assert list(state) == ["prefixed_0.w_0_mine_velocity_0"]
    again = trained("Momentum", [weight], name="mine")
    assert list(again.state_dict()) == ["prefixed_0.w_0_mine_velocity_1"]
    again.set_state_dict(state)
    np.testing.assert_array_equal(
        again.state_dict()["prefixed_0.w_0_mine_velocity_1"].numpy(),
        state["prefixed_0.w_0_mine_velocity_0"].numpy(),
    )


@pytest.mark.parametrize("name", [n for n in ALL if n != "SGD"])  # which has no state
def test_resuming_is_bit_identical(name, tmp_path):
    tensors = [named(f"resume_{name}.w_0"), named(f"resume_{name}.b_0", (0.5,))]
    optimizer = trained(name, tensors)
    path = str(tmp_path / "x.pdopt")
    paddle.save(optimizer.state_dict(), path)
    fresh = [named(t.name, t.numpy()) for t in tensors]
    other = build(name, fresh)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.set_state_dict(paddle.load(path))
    for t, o in zip(tensors, fresh, strict=True):
        o.set_value(t)
    go_on(optimizer, tensors, range(3, 7))
    go_on(other, fresh, range(3, 7))
    for t, o in zip(tensors, fresh, strict=True):
        np.testing.assert_array_equal(t.numpy(), o.numpy())


@pytest.mark.parametrize("name", ["Adam", "Adamax", "Lamb"])
@pytest.mark.parametrize("steps", [0, 1, 500, 1000, 100000, 1000000])
def test_the_number_of_updates_survives(name, steps):
    """Powers of beta vanish in float32 long before; then the corrections are exactly 1 anyway."""
    one, other = named(f"count_{name}_{steps}"), named(f"count_{name}_{steps}")
    first, second = trained(name, [one]), trained(name, [other])
    first._steps[one.name] = steps
    first._plans.clear()
    second.set_state_dict(first.state_dict())
    for optimizer, tensor in ((first, one), (second, other)):
        go_on(optimizer, [tensor], range(3))
    np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6)
    if steps <= 1000 and (name != "Adamax" or steps <= 500):
        assert second._steps == first._steps


CONTINUE = """
import sys
import numpy as np
import paddle
from tests.optimizer import cases
linear, optimizer = cases.build(paddle, sys.argv[1])
linear.set_state_dict(paddle.load(sys.argv[2] + ".pdparams"))
optimizer.set_state_dict(paddle.load(sys.argv[2] + ".pdopt"))
cases.train(paddle, linear, optimizer, range(3, 6))
np.save(sys.argv[2] + ".npy", linear.weight.numpy())
"""


def test_another_process_goes_on(tmp_path):
    with paddle.core.unique_name.guard():
        linear, optimizer = cases.build(paddle, "adam_scheduler")
    cases.train(paddle, linear, optimizer, range(3))
    prefix = str(tmp_path / "model")
    paddle.save(linear.state_dict(), prefix + ".pdparams")
    paddle.save(optimizer.state_dict(), prefix + ".pdopt")
    cases.train(paddle, linear, optimizer, range(3, 6))
    subprocess.run(
        [sys.executable, "-c", CONTINUE, "adam_scheduler", prefix],
        check=True,
        timeout=120,
        cwd=Path(__file__).parents[2],
    )
    np.testing.assert_array_equal(np.load(prefix + ".npy"), linear.weight.numpy())


# -- entries that do not fit --------------------------------------------------------------------


def test_unexpected_entries_are_named():
    tensor = named("known.w_0")
    optimizer = trained("Adam", [tensor])
    state = optimizer.state_dict() | {"other.w_0_moment1_0": tensor, "known.w_0_velocity_0": tensor}
    with pytest.warns(UserWarning, match="2 entries belong to no parameter") as caught:
        optimizer.set_state_dict(state)
    text = str(caught[0].message)
    assert "other.w_0_moment1_0" in text and "known.w_0_velocity_0" in text
    assert "Expected names like known.w_0_moment1_0" in text


def test_missing_entries_are_named():
    tensor, fresh = named("half.w_0"), named("half.w_0")
    state = trained("Adam", [tensor]).state_dict()
    del state["half.w_0_moment2_0"]
    optimizer = build("Adam", [fresh])
    with pytest.warns(UserWarning, match=r"no entries for 1 accumulators.*half.w_0_moment2_0"):
        optimizer.set_state_dict(state)
    with pytest.warns(UserWarning) as caught:
        trained("Adam", [named("whole.w_0")]).set_state_dict({"x": 1})
    assert "1 entries belong to no parameter" in str(caught[0].message)
    assert "no entries for 4 accumulators" in str(caught[1].message)


def test_entries_of_another_shape():
    tensor = named("shape.w_0")
    optimizer = trained("Adam", [tensor])
    with pytest.raises(ValueError, match=r"shape.w_0_moment1_0 has shape \[3\].*expects \[2\]"):
        optimizer.set_state_dict({"shape.w_0_moment1_0": np.zeros(3, "float32")})
    with pytest.raises(ValueError, match="must be one number in"):
        optimizer.set_state_dict({"shape.w_0_beta1_pow_acc_0": np.zeros(3, "float32")})
    with pytest.raises(ValueError, match=r"must be one number in \[0, 1\]"):
        optimizer.set_state_dict({"shape.w_0_beta1_pow_acc_0": np.array([1.5], "float32")})
    with pytest.raises(TypeError, match=r"set_state_dict\(state_dict\): expected a dict, got list"):
        optimizer.set_state_dict([1])


def test_the_schedulers_state():
    def scheduled():
        return paddle.optimizer.lr.StepDecay(0.1, step_size=1, gamma=0.5)

    tensor = named("sched.w_0")
    optimizer = build("SGD", [tensor], rate=scheduled())
    optimizer._learning_rate.step()
    state = optimizer.state_dict()
    assert state["LR_Scheduler"]["last_lr"] == 0.05
    other = build("SGD", [tensor], rate=scheduled())
    other.set_state_dict(state)
    assert other.get_lr() == 0.05
    with pytest.warns(UserWarning, match="LR_Scheduler is not used"):
        build("SGD", [tensor]).set_state_dict(state)
    with pytest.warns(UserWarning, match="no entry LR_Scheduler"):
        build("Momentum", [tensor], rate=scheduled()).set_state_dict(
            {"sched.w_0_velocity_0": np.zeros(2, "float32")}
        )


# -- float32 copies of parameters of low precision ------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["Adam", "AdamW", "Momentum"])
def test_master_copies(name, dtype):
    low, high = named(f"m_{name}_{dtype}", dtype=dtype), named(f"f_{name}_{dtype}")
    optimizer = build(name, [low], rate=1e-3, multi_precision=True)
    exact = build(name, [high], rate=1e-3)
    for _ in range(20):
        give(low, [0.5, 0.25])
        give(high, [0.5, 0.25])
        optimizer.step()
        exact.step()
    assert low.dtype == getattr(paddle, dtype)
    (master,) = optimizer.state_dict()["master_weights"].values()
    np.testing.assert_array_equal(master.numpy(), high.numpy())
    np.testing.assert_array_equal(
        low.astype("float32").numpy(), master.astype(dtype).astype("float32").numpy()
    )
    slots = [k for k in optimizer.state_dict() if "moment1" in k or "velocity" in k]
    assert slots[0].startswith(f"m_{name}_{dtype}_fp32_master_0_")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_low_precision_without_master_copies(name, dtype):
    tensor = named("plain_low.w_0", dtype=dtype)
    optimizer = build(name, [tensor], rate=0.5)
    before = tensor.astype("float32").numpy()
    give(tensor, [1.0, -1.0])
    optimizer.step()
    change = tensor.astype("float32").numpy() - before
    assert tensor.dtype == getattr(paddle, dtype)
    assert np.isfinite(change).all()
    assert change[0] < 0 < change[1] or name == "Adadelta"  # its first steps round to nothing


def test_master_copies_are_saved(tmp_path):
    tensor = named("mp.w_0", dtype="bfloat16")
    optimizer = trained("Adam", [tensor], rate=1e-3, multi_precision=True)
    path = str(tmp_path / "x.pdopt")
    paddle.save(optimizer.state_dict(), path)
    fresh = named("mp.w_0", dtype="bfloat16")
    fresh.set_value(tensor)
    other = build("Adam", [fresh], rate=1e-3, multi_precision=True)
    other.set_state_dict(paddle.load(path))
    for both in ((optimizer, tensor), (other, fresh)):
        go_on(both[0], [both[1]], range(3, 30))
    masters = [o.state_dict()["master_weights"]["mp.w_0"].numpy() for o in (optimizer, other)]
    np.testing.assert_array_equal(masters[0], masters[1])
    with pytest.warns(UserWarning, match="master_weights has stranger"):
        other.set_state_dict({"master_weights": {"stranger": np.zeros(2, "float32")}})


def test_a_loaded_parameter_reaches_its_master_copy():
    tensor = named("follow.w_0", dtype="bfloat16")
    optimizer = trained("Momentum", [tensor], rate=1e-3, multi_precision=True)
    tensor.set_value(np.array([8.0, 8.0], "float32"))
    give(tensor, [0.0, 0.0])
    optimizer.step()
    assert (abs(tensor.astype("float32").numpy() - 8.0) < 0.1).all()
