"""Syntax trees of the assignments that converted code begins with."""

from __future__ import annotations

import ast
from typing import Any

from paddle.core.parsing import parse


def _statement(text: str) -> ast.stmt:
    return parse(text).body[0]


def _checked(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a variable, but got {type(name).__name__}.")
    return name


def create_fill_constant_node(name: str, value: Any) -> ast.stmt:
    """Returns the tree of ``name = paddle.full(...)`` for a number.

    Args:
        name (str): the variable.
        value (bool|int|float): the number.
    """
    for kind, dtype in ((bool, "bool"), (int, "int64"), (float, "float64")):
        if isinstance(value, kind):
            return _statement(
                f"{_checked(name)} = paddle.full(shape=[1], fill_value={value!r}, dtype={dtype!r})"
            )
    raise TypeError(
        f"create_fill_constant_node(value): expected a number, but got {type(value).__name__}."
    )


def create_static_variable_gast_node(name: str) -> ast.stmt:
    """Returns the tree of an assignment that makes an input of unknown shape.

    Args:
        name (str): the variable.
    """
    return _statement(
        f"{_checked(name)} = paddle.jit.dy2static.data_layer_not_check("
        f"name={name!r}, shape=[-1], dtype='float32')"
    )


def to_static_variable_gast_node(name: str) -> ast.stmt:
    """Returns the tree of ``name = paddle.jit.dy2static.to_static_variable(name)``.

    Args:
        name (str): the variable.
    """
    return _statement(f"{_checked(name)} = paddle.jit.dy2static.to_static_variable({name})")
