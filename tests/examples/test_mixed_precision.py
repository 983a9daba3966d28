"""Mixed precision: as good as float32 in less memory; what a GradScaler is for."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.examples.running import needs_mnist, run

# Limited to AVX2, oneDNN takes ten times as long in bfloat16, and more memory.
full_speed = pytest.mark.skipif(
    "ONEDNN_MAX_CPU_ISA" in os.environ, reason="oneDNN may not use what it has for bfloat16"
)


@pytest.mark.slow
@needs_mnist
@full_speed
def test_mixed_precision_is_as_good_in_less_memory(tmp_path: Path) -> None:
    done = run("mixed_precision", tmp_path, "--quick")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    results = json.loads((tmp_path / "output/mixed_precision/results.json").read_text())
    ways = results["ways"]
    assert {way["dtype"] for way in ways.values()} == {"VarType.FP32"}  # of parameters
    for way in ways.values():
        assert way["accuracy"] > 0.9
        assert way["accuracy"] == pytest.approx(ways["float32"]["accuracy"], abs=0.02)
    mixed = min(ways[name]["memory"] for name in ("mixed, O1", "mixed, O2"))
    assert mixed < 0.85 * ways["float32"]["memory"]
    assert ways["Model, O1"]["losses"] == ways["mixed, O1"]["losses"]
    lost, kept = results["gradients"]
    assert lost == 0.0
    assert kept == pytest.approx(1e-8, rel=0.01)
    assert 1 <= results["left_out"] < 20
