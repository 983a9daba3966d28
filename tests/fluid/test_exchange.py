"""Programs as files: those of 1.8.5 run here, and what fluid writes here runs as it did before.

That 1.8.5 runs what is written here is tried by ``scripts/oracle/fluid_exchange.py``, over all
cases; ``test_cases.py`` holds every operator that is written against 1.8.5's declarations.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.serialization.program import form_185
from tests.fluid import exchanging

DATA = Path(__file__).parent.parent / "data" / "fluid"


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


def lines(chosen: str, path: Path) -> list[str]:
    """What differs from 1.8.5 when the files of a case are run."""
    family, name = chosen.split(".")
    case = getattr(importlib.import_module(f"tests.fluid.cases.{family}"), name)
    with np.load(DATA / f"{family}.npz") as file:
        want = {k.split("/", 1)[1]: file[k] for k in file.files if k.startswith(f"{name}/")}
    told = json.loads(bytes(want["told"]))
    lod, arrays = exchanging.run_one(fluid, case, str(path))
    return exchanging.differences(want, told, lod, arrays, getattr(case, "close", 1e-4))


@pytest.mark.parametrize("chosen", exchanging.CHOSEN)
def test_files_of_185_run_here(chosen: str, tmp_path: Path) -> None:
    with np.load(DATA / "exchange.npz") as packed:
        for part in exchanging.PARTS:
            (tmp_path / f"case.{part}").write_bytes(packed[f"{chosen}.{part}"].tobytes())
    assert lines(chosen, tmp_path / "case") == []


@pytest.mark.parametrize("chosen", exchanging.CHOSEN)
def test_files_written_here_run_here(chosen: str, tmp_path: Path) -> None:
    family, name = chosen.split(".")
    case = getattr(importlib.import_module(f"tests.fluid.cases.{family}"), name)
    exchanging.write_one(fluid, case, str(tmp_path / "case"))
    assert lines(chosen, tmp_path / "case") == []


def test_which_programs_are_written_for_185() -> None:
    """Those that fluid made, unless 1.8.5 lacks an operator or means something else by it."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.data("x", [2, 3])
        hidden = fluid.layers.fc(x, 3)
        assert form_185.fits(main)
        loss = fluid.layers.mean(hidden)
        fluid.optimizer.Adam(0.1).minimize(loss)
        assert form_185.fits(main) and form_185.fits(main.clone(for_test=True))
        read = fluid.Program.parse_from_string(main.desc.serialize_to_string())
        assert read.program_version == form_185.VERSION
        paddle.matmul(hidden, hidden, transpose_y=True)
        assert not form_185.fits(main)
