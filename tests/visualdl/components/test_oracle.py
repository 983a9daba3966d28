"""Logs of VisualDL 2.5.3 read equal, and ours are read by it (`--oracle-visualdl PYTHON`)."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from visualdl import LogWriter

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "oracle" / "visualdl_253.py"
FROZEN = ROOT / "tests" / "data" / "visualdl"
EXPECTED = json.loads((FROZEN / "expected.json").read_text("utf-8"))


def _loaded() -> ModuleType:
    """Loads the script that ran with 2.5.3; it takes this repository from the path, for itself."""
    spec = importlib.util.spec_from_file_location("visualdl_253", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


oracle = _loaded()
CASES = {case.__name__: case for case in oracle.CASES}


def written_here(name: str, folder: Path) -> str:
    """Makes the calls of a case with our LogWriter; gives the path of the log."""
    with LogWriter(folder / name) as writer:
        CASES[name](writer, np)
    return writer.file_name


def decoded(data: str) -> Any:
    """Gives the colours of a PNG; 2.5.3 writes grey as three equal ones."""
    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        return np.asarray(picture.convert("RGB")).tolist()


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Takes out what depends on time and place; pictures are compared by their pixels."""
    found = json.loads(json.dumps(found))
    for rows in found["meta_data"].values():
        rows[0].pop("timestamp")
    for rows in found.get("image", {}).values():
        for row in rows:
            row["image"] = decoded(row["image"]["encoded_image_string"])
    for rows in found.get("hyper_parameters", {}).values():
        for row in rows:
            row["hparam"].pop("name")
    for rows in found.get("roc_curve", {}).values():
        for row in rows:  # 2.5.3 divides by the negatives: its tpr may be above 1
            row["roc_curve"].pop("tpr")
    return found


def test_every_case_is_frozen() -> None:
    assert set(EXPECTED) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_logs_of_253_read_equal(name: str) -> None:
    found = oracle.read(oracle.log(str(FROZEN), CASES[name]))
    assert found == EXPECTED[name]


@pytest.mark.parametrize("name", CASES)
def test_our_writer_gives_the_same_records(name: str, tmp_path: Path) -> None:
    found = oracle.read(written_here(name, tmp_path))
    assert comparable(found) == comparable(EXPECTED[name])


@pytest.mark.parametrize("name", CASES)
def test_253_reads_our_logs(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    python = request.config.getoption("--oracle-visualdl")
    if not python:
        pytest.skip("needs --oracle-visualdl PYTHON")
    path = written_here(name, tmp_path)
    done = subprocess.run(
        [python, str(SCRIPT), "read", path], cwd="/", capture_output=True, timeout=120, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == oracle.read(path)
