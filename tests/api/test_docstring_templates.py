"""Docstrings from templates: they fit the signatures, and examples print what they show."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from typing import Any

import numpy as np
import pytest

import paddle
from paddle.core import docstrings
from scripts import api_table
from tests.api.test_docstrings import examples

FILLED = {s.__qualname__: s for s in docstrings._words_of}


def arguments(doc: str) -> dict[str, str]:
    """The section Args: parameter -> what stands after its name."""
    section = re.search(r"\nArgs:\n(.*?)(\n\n|$)", doc, re.DOTALL)
    assert section, doc
    lines = section[1].split("\n")
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}


def test_most_functions_of_one_call_use_a_template() -> None:
    assert len(FILLED) >= 80
    for name in ("tanh", "log2", "add", "less_than", "isnan", "relu", "softplus", "ReLU", "ELU"):
        assert name in FILLED


@pytest.mark.parametrize("subject", FILLED.values(), ids=FILLED)
def test_arguments_are_those_of_the_signature(subject: Any) -> None:
    doc = subject.__doc__
    described = arguments(doc)
    assert list(described) == list(inspect.signature(subject).parameters)
    for name, parameter in inspect.signature(subject).parameters.items():
        text = described[name]
        assert ("optional" in text) == (parameter.default is not inspect.Parameter.empty)
        assert "Any" not in text.split(")")[0]
        if parameter.default not in (None, inspect.Parameter.empty):
            assert text.endswith(f" Default: {parameter.default}.")
    assert "{" not in doc.split("Examples:")[1]
    assert doc == inspect.cleandoc(doc) + "\n"


@pytest.mark.parametrize("subject", FILLED.values(), ids=FILLED)
def test_a_filled_function_is_itself(subject: Any) -> None:
    assert not hasattr(subject, "__wrapped__")
    module = inspect.getmodule(subject)
    assert module is not None and subject.__module__ == module.__name__
    assert getattr(module, subject.__name__) is subject
    assert f" {subject.__name__}(" in inspect.getsource(subject)


@pytest.mark.parametrize("subject", FILLED.values(), ids=FILLED)
def test_the_example_prints_what_it_shows(subject: Any) -> None:
    (source,) = examples(subject.__doc__)
    shown = source.rstrip().rpartition("  # ")[2]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(source, {})
    values = [np.array(_words(text)) for text in (shown, printed.getvalue())]
    if values[0].dtype.kind == "U":
        assert list(values[0]) == list(values[1])
    else:
        np.testing.assert_allclose(*values, rtol=1e-4, atol=1e-6)


def _words(text: str) -> list[Any]:
    """The numbers of a printed vector; its words if they are none."""
    words = text.replace("[", " ").replace("]", " ").split()
    try:
        return [float(word) for word in words]
    except ValueError:
        return words


@pytest.mark.parametrize("name", [n for n, s in FILLED.items() if isinstance(s, type)])
def test_layers_show_the_name_they_are_given(name: str) -> None:
    assert "name (str, optional): shown when the layer is printed." in FILLED[name].__doc__
    assert "name=mine" in repr(getattr(paddle.nn, name)(name="mine"))


# ---------------------------------------------------------------- the argument `name`
WITHOUT_EFFECT = re.compile(r"unused|not used|no effect|ignored|(dynamic|eager) mode")
DESCRIBED = re.compile(r"^\s+name \(([^)]*)\): (.*)$", re.MULTILINE)


def _public_docstrings() -> list[tuple[str, str]]:
    found = []
    for row in api_table.rows():
        obj = api_table.resolve(row.name)
        if callable(obj) and isinstance(getattr(obj, "__doc__", None), str):
            found.append((row.name, obj.__doc__))
    return found


def test_a_name_without_effect_is_documented_in_one_wording() -> None:
    documented = 0
    for owner, doc in _public_docstrings():
        for kind, text in DESCRIBED.findall(doc):
            if WITHOUT_EFFECT.search(text):
                documented += 1
                assert (kind, text) == ("str, optional", docstrings.NAME), owner
    assert documented > 300
