"""The comparison of signatures itself: it must notice what the conformance test relies on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts import api_table
from scripts.api_table import Row, mismatch, parse


def _row(signature: str, kind: str = "function", later: str = "") -> Row:
    return Row("paddle.f", kind, signature, later, (), "", "doc")


def test_parse_reads_names_defaults_and_stars() -> None:
    args = parse("(x, axis=-1, *args, flag=True, size=[1], **kwargs)")
    assert [a.name for a in args] == ["x", "axis", "*args", "flag", "size", "**kwargs"]
    assert args[1].default == -1 and args[3].default is True and args[4].default == [1]
    assert args[0].default is api_table.MISSING


def test_parse_takes_marks_and_placeholders() -> None:
    assert [a.name for a in parse("(layer, inputs) [static]")] == ["layer", "inputs"]
    assert parse("(file=<TextIOWrapper object>)")[0].default is api_table.ANY


def test_every_row_of_the_table_parses() -> None:
    for row in api_table.rows():
        if row.kind not in ("module-constant", "property"):
            for version in row.signature.split(" | "):
                assert isinstance(parse(version), list)


@pytest.mark.parametrize(
    "signature, function",
    [
        ("(x, name=None)", lambda x, name=None: x),
        ("(x, p=2)", lambda x, p=2.0: x),
        ("(x, size=(1, 2))", lambda x, size=[1, 2]: x),
        ("(x)", lambda x, extra=1: x),
        ("(x, **configs)", lambda x, **others: x),
        ("(*args, **kwargs)", lambda a, b=1: a),
    ],
)
def test_equal_signatures(signature: str, function: Callable[..., Any]) -> None:
    assert mismatch(_row(signature), function) is None


@pytest.mark.parametrize(
    "signature, function, expected",
    [
        ("(x, name=None)", lambda y, name=None: y, "parameter 1 should be `x`, it is `y`"),
        ("(x, name=None)", lambda x: x, "there is none"),
        ("(x, a=1, b=2)", lambda x, b=2, a=1: x, "parameter 2 should be `a=1`"),
        ("(x, flag=False)", lambda x, flag=0: x, "flag=False"),
        ("(x, axis=None)", lambda x, axis=-1: x, "axis=None"),
        ("(x, axis)", lambda x, axis=-1: x, "`axis`, it is `axis=-1`"),
        ("(x)", lambda x, y: x, "extra parameter `y` has no default"),
        ("(x, **configs)", lambda x: x, "takes no **configs"),
    ],
)
def test_differences_are_found(signature: str, function: Callable[..., Any], expected: str) -> None:
    assert expected in str(mismatch(_row(signature), function))


def test_the_signature_of_202_is_accepted_too() -> None:
    row = _row("(obj, path)", later="(obj, path, protocol=2)")
    assert mismatch(row, lambda obj, path, protocol=2: None) is None
    assert mismatch(row, lambda obj, path: None) is None


def test_operands_of_an_operator_are_counted_not_named() -> None:
    row = Row("paddle.T.__eq__", "method", "(other_var)", "", (), "", "doc")
    assert mismatch(row, lambda value: value) is None
    assert "there is none" in str(mismatch(row, lambda: None))
    call = Row("paddle.T.__call__", "method", "(other_var)", "", (), "", "doc")
    assert "should be `other_var`" in str(mismatch(call, lambda value: value))


def test_kind_is_checked() -> None:
    assert "should be a class" in str(mismatch(_row("()", "class"), len))
    assert "the table has a property" in str(mismatch(_row("readonly", "property"), len))


def test_resolve_finds_modules_and_attributes() -> None:
    assert api_table.resolve("os.path.join").__name__ == "join"
    assert api_table.resolve("os.path.no_such_thing") is api_table.MISSING
    assert api_table.resolve("no_such_package.x") is api_table.MISSING
