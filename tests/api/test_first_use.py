"""What everyday programs import: what they need, and nothing of torch's compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddle import ops
from paddle.core.op import REGISTRY
from scripts import make_op_index

ROOT = Path(__file__).resolve().parent.parent.parent

# Runs each script, then prints the new modules that are not Paddle's, NumPy's or Python's.
_RUN = """
import json, runpy, sys
import torch
import paddle
before = set(sys.modules)
for script in sys.argv[1:]:
    runpy.run_path(script)
foreign = ("torch", "sympy", "mpmath", "functorch", "networkx", "jinja2")
print(json.dumps(sorted(m for m in set(sys.modules) - before if m.split(".")[0] in foreign)))
families = [m for m in sys.modules if m.startswith("paddle.ops.") and m.count(".") > 2]
print(json.dumps(sorted(families)))
"""


def run(*scripts):
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", _RUN, *map(str, scripts)], env=env, cwd=ROOT,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    foreign, families = done.stdout.splitlines()[-2:]
    return json.loads(foreign), json.loads(families)


@pytest.mark.slow
def test_everyday_programs_import_no_compiler():
    scripts = sorted((ROOT / "benchmarks" / "everyday").glob("[a-z]*.py"))
    assert len(scripts) >= 16
    foreign, _ = run(*scripts)
    assert not foreign, f"{len(foreign)} modules that no common program needs: {foreign[:20]}"


def test_a_short_program_imports_the_families_of_its_operators():
    _, families = run(ROOT / "benchmarks" / "everyday" / "lenet_eager.py")
    assert len(families) < 30
    assert "paddle.ops.detection.yolo_loss" not in families


def test_the_index_of_operators_is_up_to_date():
    assert make_op_index.text() == make_op_index.TARGET.read_text(encoding="utf8"), (
        "run `python scripts/make_op_index.py`"
    )
    assert make_op_index.traits_text() == make_op_index.TRAITS.read_text(encoding="utf8"), (
        "run `python scripts/make_op_index.py`"
    )


def test_every_operator_is_found_by_the_index():
    index = ops._families()
    defined = [op for op in REGISTRY.values() if op.module.startswith("paddle.ops.")]
    missing = [op.name for op in defined if op.base is None and op.name not in index]
    assert not missing
    assert len(index) >= 460


def test_an_unknown_operator_imports_nothing():
    program = (
        "import sys, paddle\n"
        "from paddle.core.op import REGISTRY\n"
        "before = set(sys.modules)\n"
        "assert 'no_such_operator' not in REGISTRY\n"
        "assert not set(sys.modules) - before, set(sys.modules) - before\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_unknown_operator_is_named():
    with pytest.raises(KeyError, match="no_such_operator"):
        REGISTRY["no_such_operator"]
