"""Every public name has a docstring, and every example in one runs as printed."""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import os
import random
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.jit.explaining import logs
from scripts import api_table
from tests.api.test_conformance import ROWS
from tests.dataset import small_home

# Python calls these itself; what they do is said once, at the class or in the language reference.
SPECIAL_MEMBERS = ("forward", "extra_repr")


def examples(doc: str) -> list[str]:
    """The source of each `.. code-block:: python` in a docstring."""
    lines = inspect.cleandoc(doc).splitlines()
    found: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.strip() != ".. code-block:: python":
            continue
        indent = len(line) - len(line.lstrip())
        block: list[str] = []
        while at < len(lines):
            text = lines[at]
            if text.strip() and len(text) - len(text.lstrip()) <= indent:
                break
            block.append(text)
            at += 1
        found.append(textwrap.dedent("\n".join(block)).strip("\n") + "\n")
    return found


def _documented(row: api_table.Row, obj: Any) -> bool:
    """Whether the row is something a user looks up: no data, no Python protocol."""
    last = row.name.rpartition(".")[2]
    if row.kind == "module-constant" or last.startswith("__"):
        return False
    if getattr(obj, "__module__", "") == "builtins":
        return False  # paddle.compat.long_type is int
    return not (row.is_member and last in SPECIAL_MEMBERS)


def _collect() -> list[tuple[api_table.Row, Any, list[str]]]:
    """Rows that exist, with their examples; an example shown twice is run where it comes first."""
    found, seen = [], set()
    for row in api_table.rows():
        obj = api_table.resolve(row.name)
        if obj is api_table.MISSING:
            continue
        blocks = []
        if callable(obj) or isinstance(obj, property):
            for block in examples(inspect.getdoc(obj) or ""):
                if block not in seen:
                    seen.add(block)
                    blocks.append(block)
        found.append((row, obj, blocks))
    return found


COLLECTED = _collect()
COVERED = {row.name for row in ROWS}
DOCUMENTED = [(r, o) for r, o, _ in COLLECTED if r.name in COVERED and _documented(r, o)]
RUNNABLE = [(r.name, i, b) for r, _, blocks in COLLECTED for i, b in enumerate(blocks)]


@pytest.fixture
def small_datasets(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Puts small data sets where the examples of readers and data sets look for the true ones."""
    if request.node.callspec.params["name"].startswith(("paddle.dataset.", "paddle.text.")):
        home = small_home.write_home(tmp_path_factory.mktemp("datasets"))
        monkeypatch.setenv("PADDLE_DATASET_HOME", str(home))


@pytest.fixture
def clean_state(tmp_path: Path) -> Any:
    """Give an example the state of a fresh process, in a folder of its own, and put it back."""
    dtype, device, folder = paddle.get_default_dtype(), paddle.get_device(), os.getcwd()
    paddle.seed(0)
    np.random.seed(0)
    random.seed(0)
    os.chdir(tmp_path)
    static = paddle.static
    with (
        paddle.utils.unique_name.guard(),
        static.scope_guard(static.Scope()),
        static.program_guard(static.Program(), static.Program()),
    ):
        yield
    os.chdir(folder)
    if not paddle.in_dynamic_mode():
        paddle.disable_static()
    paddle.set_default_dtype(dtype)
    paddle.set_device(device)
    paddle.set_printoptions(precision=8, threshold=1000, edgeitems=3, sci_mode=False)
    logs.Settings.verbosity = logs.Settings.code_level = None


@pytest.mark.parametrize("row, obj", DOCUMENTED, ids=[r.name for r, _ in DOCUMENTED])
def test_public_names_have_a_docstring(row: api_table.Row, obj: Any) -> None:
    doc = inspect.getdoc(obj)
    assert doc and doc.strip(), f"{row.name} has no docstring"
    if row.kind in ("class", "function"):
        own = obj.__doc__
        assert own and own.strip(), f"{row.name} only inherits a docstring; say what it adds"
        assert examples(own), f"{row.name} has no `.. code-block:: python` example"


@pytest.mark.usefixtures("clean_state", "small_datasets")
@pytest.mark.parametrize("name, index, source", RUNNABLE, ids=[f"{n}-{i}" for n, i, _ in RUNNABLE])
def test_examples_run(name: str, index: int, source: str) -> None:
    file = f"<example {index} of {name}>"
    # As Jupyter does for its cells: what is converted by to_static needs its source.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    code = compile(source, file, "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, {"__name__": "__example__"})


def test_examples_are_found_in_a_docstring() -> None:
    doc = """One.

    Examples:
        .. code-block:: python

            a = 1
            if a:
                b = 2

        Then:

        .. code-block:: python

            c = 3
    Returns: nothing
    """
    assert examples(doc) == ["a = 1\nif a:\n    b = 2\n", "c = 3\n"]
