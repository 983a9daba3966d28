"""What prunes together, and what goes first, is what PaddleSlim 2.2.2 says of the same networks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paddle.incubate import compress
from paddle.incubate.compress.dependency import Dependencies
from paddle.incubate.compress.recording import input_specs, views_of
from tests.incubate.compress import slim_plans

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PLANS = json.loads((HERE / "data" / "paddleslim_plans.json").read_text())
PACKAGE = ROOT / ".venv" / "slim"
CRITERIA = {"L1Norm": "l1", "L2Norm": "l2", "FPGM": "fpgm"}


def found_in(net: Any, shape: list[int]) -> Dependencies:
    return Dependencies(views_of(net, input_specs(net, shape, "test")))


@pytest.mark.parametrize("name", PLANS)
def test_the_same_parameters_go_together(name: str) -> None:
    net, shape = slim_plans.networks()[name]
    found = found_in(net, shape)
    sizes = {n: t.shape for n, t in [*net.named_parameters(), *net.named_buffers()]}
    assert len(PLANS[name]["together"]) >= 2
    for master, rows in PLANS[name]["together"].items():
        ours = {member for group in found.groups_of(master) for member in group.members}
        # PaddleSlim notes an axis of size 1 for the groups that a depthwise convolution loses.
        assert ours == {(n, axis) for n, axis in rows if sizes[n][axis] > 1}, master


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", ["lenet", "resnet18", "mobilenet_v1"])
def test_the_same_channels_stay(name: str, criterion: str) -> None:
    net, shape = slim_plans.networks()[name]
    found, plans = found_in(net, shape), PLANS[name]["kept"][criterion]
    alone = {m: places for m, places in plans.items()
             if all(len(group.makers) == 1 for group in found.groups_of(m))}  # fmt: skip
    assert len(alone) >= 2
    done = compress.prune(net, dict.fromkeys(alone, 0.5), criterion=CRITERIA[criterion],
                          inputs=shape)  # fmt: skip
    for master, places in alone.items():
        assert done.kept[master][0].tolist() == places, master


@pytest.mark.slow
@pytest.mark.skipif(not (PACKAGE / "paddleslim").is_dir(), reason="no PaddleSlim in .venv/slim")
def test_the_package_says_so_still(tmp_path: Path) -> None:
    target = tmp_path / "plans.json"
    command = [sys.executable, str(HERE / "slim_plans.py"), str(PACKAGE), str(target)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(target.read_text()) == PLANS
