"""Every public function of visualdl has an example in its docstring, which runs as printed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import visualdl
from tests.api.test_docstrings import examples
from visualdl.export import export
from visualdl.server import app


def _public() -> dict[str, Callable[..., Any]]:
    """Gives the public functions, classes and methods by their names."""
    found: dict[str, Callable[..., Any]] = {
        "visualdl.export.export": export,
        "visualdl.server.app.run": app.run,
    }
    for name in visualdl.__all__:
        thing = getattr(visualdl, name)
        found[name] = thing
        if inspect.isclass(thing):
            for key, member in inspect.getmembers(thing, inspect.isfunction):
                if not key.startswith("_"):
                    found[f"{name}.{key}"] = member
    return found


PUBLIC = _public()
CASES = [
    (f"{name}-{number}", code)
    for name, thing in PUBLIC.items()
    for number, code in enumerate(examples(inspect.getdoc(thing) or ""))
]


def test_the_public_names_are_found() -> None:
    assert {"LogWriter.add_image", "LogWriter.add_scalar", "LogReader.get_data"} <= set(PUBLIC)
    assert {"log_model", "LogWriter", "LogReader"} <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_has_an_example(name: str) -> None:
    doc = PUBLIC[name].__doc__ or ""
    assert examples(doc), f"{name} has no `.. code-block:: python`"


@pytest.mark.parametrize(("name", "code"), CASES, ids=[name for name, _ in CASES])
def test_an_example(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(code, name, "exec"), space)
    if "LogWriter" in code:
        assert list(tmp_path.rglob("vdlrecords.*"))
