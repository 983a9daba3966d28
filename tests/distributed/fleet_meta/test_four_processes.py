"""Copies of a divided model that train together: two groups of two processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.distributed.fleet_meta import jobs
from tests.distributed.ranks import Ranks

pytestmark = pytest.mark.slow  # four processes

RULE = ("Adam", {"learning_rate": 0.05, "clip": 0.05})
SHARDING = {"sharding": True, "sharding_configs": {"hybrid_dp": True, "sharding_group_size": 2}}
PIPELINE = {"pipeline": True, "pipeline_configs": {"micro_batch": 2}}


@pytest.fixture(scope="module")
def job() -> Any:
    with Ranks(4) as made:
        yield made


def test_sharding_in_two_copies(job: Any) -> None:
    made = job.run(jobs.rank, {"switches": SHARDING, "rule": RULE})
    one = jobs.train({}, RULE)
    np.testing.assert_allclose(np.mean([m.losses for m in made], axis=0), one.losses, atol=2e-6)
    _compare(made, one)
    assert "w1" in made[0].values and "w1" in made[2].values and "w1" not in made[1].values


def test_pipelines_side_by_side(job: Any) -> None:
    made = job.run(jobs.rank, {"switches": PIPELINE, "rule": RULE, "devices": True,
                               "group_size": 2})  # fmt: skip
    one = jobs.train({}, RULE)
    assert made[0].losses == made[1].losses and made[2].losses == made[3].losses
    losses = np.mean([made[0].losses, made[2].losses], axis=0)
    np.testing.assert_allclose(losses, one.losses, atol=2e-6)
    _compare(made, one)


def test_only_the_first_copy_saves(job: Any, tmp_path: Any) -> None:
    parts = job.run(jobs.save_all, str(tmp_path), SHARDING, "whole", False)
    assert {p.name for p in tmp_path.iterdir()} == set(parts[0]) | set(parts[1])


def _compare(made: list, one: jobs.Trained) -> None:
    for name in ("w1", "b1", "w2", "b2"):
        held = [m.values[name] for m in made if name in m.values]
        assert len(held) == 2
        for value in held:
            np.testing.assert_allclose(value, one.values[name], atol=2e-6, err_msg=name)
