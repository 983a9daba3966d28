"""Each strategy over two processes: the numbers of one process with the joined batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.distributed.fleet_meta import jobs, models
from tests.distributed.ranks import Ranks

SGD = ("SGD", {"learning_rate": 0.1})
MOMENTUM = ("Momentum", {"learning_rate": 0.1, "weight_decay": 0.01})
ADAM = ("Adam", {"learning_rate": 0.05})
CLIPPED = ("Adam", {"learning_rate": 0.05, "clip": 0.05})
LARS = {"lars": True, "lars_configs": {"exclude_from_weight_decay": ["b1"], "epsilon": 1e-6,
                                       "lars_coeff": 0.5}}  # fmt: skip
LAMB = {"lamb": True, "lamb_configs": {"lamb_weight_decay": 0.1,
                                       "exclude_from_weight_decay": ["b"]}}  # fmt: skip
GM = {"gradient_merge": True, "gradient_merge_configs": {"k_steps": 2}}


@pytest.fixture(scope="module")
def job() -> Any:
    with Ranks(2) as made:
        yield made


def both(job: Any, **spec: Any) -> list[jobs.Trained]:
    """What the two ranks have after training; the parameters that both have agree."""
    made = job.run(jobs.rank, spec)
    for name in set(made[0].values) & set(made[1].values) & {"w1", "b1", "w2", "b2"}:
        assert np.array_equal(made[0].values[name], made[1].values[name]), name
    return made


def compare(
    made: list[jobs.Trained], one: jobs.Trained, atol: float = 2e-6, mean: bool = True
) -> None:
    """Losses and parameters of two ranks against one process."""
    losses = np.mean([m.losses for m in made], axis=0) if mean else made[0].losses
    np.testing.assert_allclose(losses, one.losses, atol=atol)
    for name in ("w1", "b1", "w2", "b2"):
        held = [m.values[name] for m in made if name in m.values]
        assert held, name
        for value in held:
            np.testing.assert_allclose(value, one.values[name], atol=atol, err_msg=name)


@pytest.mark.parametrize(
    ("switches", "rule", "atol"),
    [
        ({}, SGD, 2e-6),
        ({}, CLIPPED, 2e-6),
        ({"fuse_all_reduce_ops": False}, MOMENTUM, 2e-6),
        ({"recompute": True}, SGD, 2e-6),
        (LARS, MOMENTUM, 2e-6),
        (LAMB, CLIPPED, 2e-6),
        ({"recompute": True, **LARS}, MOMENTUM, 2e-6),
        (LARS, ("fluid.Momentum", {"momentum": 0.9, **MOMENTUM[1]}), 2e-6),
        ({"sharding": True}, ("fluid.Momentum", {"momentum": 0.9, **MOMENTUM[1]}), 2e-6),
        ({"amp": True}, SGD, 5e-3),  # 16 bits
        ({"amp": True, "recompute": True, **LAMB}, ADAM, 5e-3),
        ({"fp16_allreduce": True}, SGD, 2e-4),
        ({"sharding": True}, CLIPPED, 2e-6),
        ({"sharding": True, "sharding_configs": {"fuse_broadcast_MB": 0.0001}}, MOMENTUM, 2e-6),
        ({"sharding": True, "amp": True, "recompute": True}, SGD, 5e-3),
        ({"sharding": True, **LAMB}, ADAM, 2e-6),
        ({"sync_batch_norm": True}, SGD, 2e-6),
    ],
    ids=lambda v: "-".join(k for k in v if "configs" not in k) if isinstance(v, dict) else "",
)
def test_two_processes_are_one_with_the_joined_batch(
    job: Any, switches: dict, rule: tuple, atol: float
) -> None:
    model = {"norm": True} if "sync_batch_norm" in switches else {}
    alone = {k: v for k, v in switches.items() if k.split("_")[0] in ("amp", "lars", "lamb")}
    one = jobs.train(alone, rule, **model)
    compare(both(job, switches=switches, rule=rule, **model), one, atol)


@pytest.mark.parametrize(
    ("switches", "rule", "atol"),
    [
        (GM, MOMENTUM, 2e-6),
        ({**GM, "recompute": True}, CLIPPED, 2e-6),
        ({**GM, **LARS}, MOMENTUM, 2e-6),
        ({**GM, "amp": True}, SGD, 5e-3),
        ({**GM, "fp16_allreduce": True}, SGD, 2e-4),
    ],
)
def test_merged_gradients_are_those_of_a_larger_batch(
    job: Any, switches: dict, rule: tuple, atol: float
) -> None:
    alone = LARS if "lars" in switches else {}
    one = jobs.train(alone, rule, steps=3, group=2)
    made = both(job, switches=switches, rule=rule, steps=6)
    pairs = np.mean([m.losses for m in made], axis=0).reshape(3, 2).mean(1)
    np.testing.assert_allclose(pairs, one.losses, atol=atol)
    for name in ("w1", "b1", "w2", "b2"):
        np.testing.assert_allclose(made[0].values[name], one.values[name], atol=atol)


def test_merged_gradients_without_a_mean(job: Any) -> None:
    given = {"gradient_merge": True, "gradient_merge_configs": {"k_steps": 2, "avg": False}}
    made = both(job, switches=given, rule=SGD, steps=4)
    one = jobs.train({}, ("SGD", {"learning_rate": 0.2}), steps=2, group=2)
    np.testing.assert_allclose(made[0].values["w1"], one.values["w1"], atol=2e-6)


@pytest.mark.parametrize(
    ("switches", "rule", "atol", "parts"),
    [({}, CLIPPED, 2e-6, 4), ({}, SGD, 2e-6, 1), ({"amp": True}, SGD, 5e-3, 2),
     ({"recompute": True}, MOMENTUM, 2e-6, 2)],
)  # fmt: skip
def test_pipeline(job: Any, switches: dict, rule: tuple, atol: float, parts: int) -> None:
    given = {"pipeline": True, "pipeline_configs": {"micro_batch": parts}, **switches}
    made = both(job, switches=given, rule=rule, feed="whole", devices=True)
    one = jobs.train({}, rule, devices=True)
    compare(made, one, atol, mean=False)
    assert made[0].losses == made[1].losses  # every section knows the loss
    assert {n for n in made[0].values if n[0] in "wb"} >= {"w1", "b1"}
    assert not {"w1", "b1"} & set(made[1].values) and not {"w2", "b2"} & set(made[0].values)


@pytest.mark.parametrize("rule", [SGD, MOMENTUM])
@pytest.mark.parametrize(("k_steps", "begin"), [(1, 1), (3, 1), (2, 4)])
def test_localsgd(job: Any, rule: tuple, k_steps: int, begin: int) -> None:
    given = {"localsgd": True, "localsgd_configs": {"k_steps": k_steps, "begin_step": begin}}
    made = job.run(jobs.rank, {"switches": given, "rule": rule, "steps": 8})
    models.check_local(made, rule, 8, lambda *_: k_steps, begin)


def test_adaptive_localsgd(job: Any) -> None:
    given = {"adaptive_localsgd": True,
             "adaptive_localsgd_configs": {"init_k_steps": 5, "begin_step": 2}}  # fmt: skip
    made = job.run(jobs.rank, {"switches": given, "rule": SGD, "steps": 12})

    def period(loss: float, first: float) -> int:
        return int(np.clip(np.ceil(np.sqrt(loss / first * 5)), 1, 16))

    used = models.check_local(made, SGD, 12, period, 2, first=5)
    assert len(set(used)) > 1  # it did adapt
    assert all(m.values["k_steps"].item() == used[-1] for m in made)


@pytest.mark.parametrize(
    ("begin", "extra", "nesterov"),
    [
        (0, {}, False),
        (2, {"weight_decay": 0.01}, True),
        (1, {"clip_one": 0.05}, False),
        (1, {"clip_one": 0.05, "weight_decay": 0.01, "momentum": 0.9}, False),  # of 1.x
    ],
)
def test_dgc(job: Any, begin: int, extra: dict, nesterov: bool) -> None:
    name = "fluid.Momentum" if "momentum" in extra else "Momentum"
    rule = (name, {"learning_rate": 0.001, "use_nesterov": nesterov, **extra})
    given = {"dgc": True, "dgc_configs": {"rampup_begin_step": begin, "rampup_step": 2,
                                          "sparsity": [0.9, 0.99]}}  # fmt: skip
    made = both(job, switches=given, rule=rule, width=models.WIDE, steps=5)
    models.check_dgc(made, rule, 5, begin, [0.9, 0.99], 2)


def test_an_overflow_in_one_process_is_one_in_all(job: Any) -> None:
    amp = {"amp": True, "amp_configs": {"decr_every_n_nan_or_inf": 1, "init_loss_scaling": 1024.0}}
    made = both(job, switches={"sharding": True, **amp}, rule=SGD, steps=3, spoil=2)
    before = both(job, switches={"sharding": True, **amp}, rule=SGD, steps=2)
    for bad, good in zip(made, before, strict=True):
        for name in {"w1", "b1", "w2", "b2"} & set(good.values):
            assert np.array_equal(bad.values[name], good.values[name]), name
        scale = next(v for n, v in bad.values.items() if n.startswith("loss_scaling"))
        assert scale.item() == pytest.approx(1024 * 0.8)


def test_only_some_parameters(job: Any) -> None:
    made = both(job, switches={}, rule=SGD, only=["w2", "b2"])
    one = jobs.train({}, SGD, only=["w2", "b2"])
    compare(made, one)
    assert np.array_equal(made[0].values["w1"], jobs.train({}, SGD, steps=0).values["w1"])


def test_sharding_keeps_a_part_of_the_memory(job: Any) -> None:
    whole, peak = jobs.deep_memory({})
    given = {"sharding": True, "sharding_configs": {"fuse_broadcast_MB": 2.0}}
    for held, most in job.run(jobs.deep_memory, given):
        assert held <= 0.51 * whole  # parameters and accumulators, exactly
        assert most <= 0.8 * peak  # of the process; about 0.6, but pages are not given back at once


@pytest.mark.parametrize("devices", [False, True], ids=["sharding", "pipeline"])
def test_every_part_of_a_model_is_saved(job: Any, tmp_path: Path, devices: bool) -> None:
    name = "pipeline" if devices else "sharding"
    parts = job.run(jobs.save_all, str(tmp_path), {name: True}, "whole", devices)
    (whole,) = {frozenset(parts[0] | parts[1])}
    assert {p.name for p in tmp_path.iterdir()} == whole
    assert {"w1", "b1", "w2", "b2", "w2_moment1_0"} <= whole
    assert len(parts[0]) < len(whole) > len(parts[1])
    one = jobs.save_all(str(tmp_path / "one"), {}, "whole", devices)
    for file in whole:
        there = (tmp_path / file).read_bytes()
        assert len(there) == len((tmp_path / "one" / file).read_bytes())
    for part in parts:
        for key, value in part.items():
            np.testing.assert_allclose(value, one[key], atol=1e-6, err_msg=key)


@pytest.mark.parametrize("devices", [False, True], ids=["sharding", "pipeline"])
def test_a_model_for_inference_is_whole(job: Any, tmp_path: Path, devices: bool) -> None:
    switches = {"pipeline" if devices else "sharding": True}
    job.run(jobs.save_model, str(tmp_path / "parts"), switches, devices)
    jobs.save_model(str(tmp_path / "one"), {}, devices)
    files = [{p.name for p in (tmp_path / name).iterdir()} for name in ("parts", "one")]
    assert files[0] == files[1] == {"__model__", "w1", "b1", "w2", "b2"}
    found, expected = (jobs.predicted(str(tmp_path / name)) for name in ("parts", "one"))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_pipeline_fed_by_a_loader(job: Any) -> None:
    given = {"pipeline": True, "pipeline_configs": {"micro_batch": 2}}
    made = job.run(jobs.loaded_by, "SGD", given, 6, True)  # two batches of the loader a step
    assert made[0] == made[1] and len(made[0]) == 3
    one = jobs.train({}, SGD, steps=3, group=2)
    np.testing.assert_allclose(made[0], one.losses, atol=2e-6)


@pytest.mark.parametrize("devices", [False, True], ids=["sharding", "pipeline"])
def test_a_copy_for_testing(job: Any, devices: bool) -> None:
    name = "pipeline" if devices else "sharding"
    given = {name: True, **({"pipeline_configs": {"micro_batch": 2}} if devices else {})}
    made = job.run(jobs.tested, given, devices)
    one = jobs.tested({}, devices)
    for losses in made:
        np.testing.assert_allclose(losses, one, atol=2e-6)
