"""The library starts the right Python, in a program and loaded apart, and says why it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def loader(compiled) -> Path:
    """A program that loads the library into a scope of its own."""
    return compiled("loader.c", standard="gnu99", linked=False)


def _run(program: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *args],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )


def test_a_library_loaded_apart_starts_python(loader, library, mixed):
    done = _run(loader, str(library), mixed.prog, mixed.params, PYPADDLE_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "inputs: 2, in a thread: 2\n"


def test_an_interpreter_that_is_not_there_is_named(loader, library):
    done = _run(loader, str(library), PYPADDLE_PYTHON="/no/python")
    assert done.returncode == 3
    assert "PYPADDLE_PYTHON names /no/python, which is not there" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_python_without_paddle_is_named(loader, library, tmp_path):
    (tmp_path / "paddle").mkdir()
    (tmp_path / "paddle" / "__init__.py").write_text("raise ImportError('another paddle')")
    done = _run(loader, str(library), PYTHONPATH=str(tmp_path))
    assert done.returncode == 3
    assert "paddle.inference cannot be imported by " in done.stderr
    assert "another paddle" in done.stderr
