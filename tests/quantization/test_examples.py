"""The examples in docstrings of paddle.quantization print what they say."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest

import paddle
from paddle import quantization, static
from paddle.static import ir_graph
from tests.api.test_docstrings import examples

NAMES = {n: getattr(quantization, n) for n in quantization.__all__} | {"IrGraph": ir_graph.IrGraph}
SHOWN = [(n, code) for n, obj in NAMES.items() for code in examples(inspect.getdoc(obj) or "")]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with paddle.utils.unique_name.guard(), static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


@pytest.mark.parametrize("name, code", SHOWN, ids=[name for name, _ in SHOWN])
def test_an_example_prints_what_it_says(name: str, code: str) -> None:
    out = io.StringIO()
    scope: dict[str, Any] = {}
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), scope)
    said = " ".join(re.findall(r"# (.*)$", code, re.M))
    lines = out.getvalue().splitlines()
    assert lines and all(line.strip() in said for line in lines)


def test_there_are_some() -> None:
    assert len(SHOWN) >= 12
