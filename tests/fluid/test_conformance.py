"""Every name and member of the table of 1.8: it is there, and is called in the same way."""

from __future__ import annotations

import importlib
import re
import sys
import warnings
from typing import Any

import pytest

from paddle._module_paths import NotThereYet
from paddle.core.not_yet import MissingPartError, NotYet
from scripts import api_table

ROWS = api_table.fluid_rows()
# What is not there yet, and says so when it is used: pattern of names -> which issue brings it.
REFUSED = {
    r"contrib\.(slim\.(?!quantization\.).*|Compressor(\.\w+)?)": "K: slim",
    r"(incubate\.fleet\.parameter_server\.pslib|distributed)\..*": "pslib is not public",
}
# The class is there; making one says what to use.
REFUSED_CLASSES = {
    r"contrib\.slim\.quantization\.\w+Strategy(\.\w+)?": "the Compressor of 1.x",
    r"dygraph\.dygraph_to_static\.(AstNodeWrapper|DygraphToStaticAst|LoopTransformer|NameVisitor"
    r"|NodeVarType|StaticAnalysisVisitor|\w+\.BreakContinueTransformer|\w+\.ReturnTransformer"
    r"|create_fill_constant_node|create_static_variable_gast_node|to_static_variable_gast_node)"
    r"(\.\w+)?": "a converter that walks trees of the package gast",
}
# Pattern of names -> why they are not the same.
EXCEPTIONS = {
    r"LoDTensorArray\.__getitem__": "a list of Python, whose signature inspect cannot read",
    r"Variable\.where": "x and y may be left out, as in later versions",
    r"_cuda_synchronize": "the table has a stand-in for a native function, which is a class",
}


def _short(name: str) -> str:
    return name.removeprefix("paddle.fluid.")


def _matches(table: dict[str, str], name: str) -> bool:
    return any(re.fullmatch(pattern, _short(name)) for pattern in table)


@pytest.fixture(scope="module")
def found() -> dict[str, str | None]:
    """Name -> what is wrong with it; None: nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {row.name: _wrong(row) for row in ROWS}


def _wrong(row: api_table.Row) -> str | None:
    made = api_table.resolve(row.name)
    if made is api_table.MISSING:
        return "is missing"
    if any("(*args, **kwargs) | (" in text for text in (row.signature, row.signature_202)):
        return None  # a native class: the table has all its overloads
    return api_table.mismatch(row, made)


def test_the_table_is_that_of_the_whole_api_of_1x() -> None:
    names = [row.name for row in ROWS if not row.is_member]
    parts = ("paddle.fluid.", "paddle.dataset.", "paddle.reader.", "paddle.batch")
    counted = [sum(name.startswith(part) for name in names) for part in parts]
    assert counted == [802, 66, 10, 1]
    assert sum("incubate.data_generator" in row.name for row in ROWS) > 3


def test_names_and_members_are_those_of_the_table(found: dict[str, str | None]) -> None:
    tables = (REFUSED, REFUSED_CLASSES, EXCEPTIONS)
    wrong = {
        name: told for name, told in found.items()
        if told is not None and not any(_matches(table, name) for table in tables)
    }  # fmt: skip
    assert not wrong, "\n".join(f"{name} {told}" for name, told in wrong.items())


def test_every_exception_is_needed(found: dict[str, str | None]) -> None:
    for pattern, reason in EXCEPTIONS.items():
        if "inspect cannot read" in reason and sys.version_info >= (3, 13):
            continue  # there it can
        names = [name for name in found if re.fullmatch(pattern, _short(name))]
        assert any(found[name] for name in names), f"{pattern} is not needed any more"


def _used(name: str) -> Any:
    """Imports the module of a name, takes the name from it as 1.x code does, and calls it."""
    parts = name.split(".")
    module, rest = "paddle", parts[1:]
    while rest and (module in ("paddle", "paddle.fluid") or rest[0].islower()):
        try:
            importlib.import_module(f"{module}.{rest[0]}")
        except NotThereYet:
            raise
        except ModuleNotFoundError:
            break
        module, rest = f"{module}.{rest[0]}", rest[1:]
    made = importlib.import_module(module)
    for part in rest:
        made = getattr(made, part)
    return made if isinstance(made, int | str) else made()


@pytest.mark.parametrize("pattern", [*REFUSED, *REFUSED_CLASSES])
def test_what_another_issue_brings_says_that_it_is_missing(
    pattern: str, found: dict[str, str | None]
) -> None:
    names = [row.name for row in ROWS if re.fullmatch(pattern, _short(row.name))]
    assert names
    for name in names:
        parent = name.rpartition(".")[0]
        if parent in names or parent.rpartition(".")[2][0].isupper():
            continue  # a member: nobody gets that far
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises((NotImplementedError, AttributeError, NotThereYet)) as raised:
                _used(name)
        told = str(raised.value)
        assert "not part of this version" in told or "belongs to the converter" in told, name


def test_refused_names_are_nothing_else() -> None:
    """What resolves in a refused package must be in no pattern."""
    for row in ROWS:
        if _matches(REFUSED, row.name) and not row.is_member:
            made = api_table.resolve(row.name)
            assert made is api_table.MISSING or isinstance(made, NotYet), row.name
    assert issubclass(MissingPartError, NotImplementedError)
