"""The examples in docstrings of what writes, reads and exports run as they are printed."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.api.test_docstrings import examples

MODULES = ("visualdl.writer", "visualdl.reader", "visualdl.export", "visualdl.watching")


def _documented() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for module in MODULES:
        for name, thing in vars(importlib.import_module(module)).items():
            if getattr(thing, "__module__", None) != module or name.startswith("_"):
                continue
            found.append((f"{module}.{name}", inspect.getdoc(thing) or ""))
            if inspect.isclass(thing):
                members = {key: item for key, item in vars(thing).items() if key.startswith("add_")}
                found += [
                    (f"{name}.{key}", inspect.getdoc(item) or "") for key, item in members.items()
                ]
    return [(name, doc) for name, doc in found if doc]


CASES = [(name, code) for name, doc in _documented() for code in examples(doc)]


def test_every_method_has_one() -> None:
    have = {name for name, _ in CASES}
    from visualdl import LogWriter

    assert {f"LogWriter.{name}" for name in vars(LogWriter) if name.startswith("add_")} <= have


@pytest.mark.parametrize(("name", "code"), CASES, ids=[name for name, _ in CASES])
def test_an_example(name: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name.endswith("add_graph") and importlib.util.find_spec("visualdl.graph") is None:
        pytest.skip("visualdl.graph is not there")
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(code, name, "exec"), space)
    assert list(tmp_path.rglob("vdlrecords.*"))
