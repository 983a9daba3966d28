"""What ``paddle.jit.explain`` reads off the source of a function, before and after conversion."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from paddle.jit.rewriting import source
from paddle.jit.transforms.nodes import generated

Place = tuple[str, int, str]  # file, line and kind of a statement

_KINDS = {
    ast.If: "if", ast.IfExp: "if", ast.While: "while", ast.For: "for", ast.Assert: "assert",
}  # fmt: skip


def _plain(function: Any) -> types.FunctionType:
    """The function of Python behind a StaticFunction or a method."""
    function = getattr(function, "_function", function)
    found: types.FunctionType = getattr(function, "__func__", function)
    return found


def _places(tree: ast.AST, file: str) -> Iterator[Place]:
    for node in ast.walk(tree):
        kind = _KINDS.get(type(node))
        if kind is not None and not generated(node):
            yield file, node.lineno, kind  # type: ignore[attr-defined]


def _converted(function: Any) -> source.TransformedFunction | None:
    try:
        return source.transform(_plain(function))
    except source.NotConvertible:
        return None


def written_statements(function: Any) -> Iterator[Place]:
    """The control flow in a function as it is written."""
    plain = _plain(function)
    try:
        tree, _ = source.find(plain)
    except source.NotConvertible:
        return
    yield from _places(tree, plain.__code__.co_filename)


def kept_statements(function: Any) -> Iterator[Place]:
    """The control flow that conversion left to Python, since no Tensor can decide it."""
    made = _converted(function)
    if made is not None:
        yield from _places(made.tree, _plain(function).__code__.co_filename)


def foreign_calls(function: Any) -> Iterator[tuple[str, str, str]]:
    """Calls that are known to go to other packages: the name, the package, ``file:line``."""
    made, plain = _converted(function), _plain(function)
    if made is None:
        return
    for node in ast.walk(made.tree):
        if isinstance(node, ast.Call) and not generated(node):
            name, value = _looked_up(node.func, plain.__globals__)
            top = _package(value)
            if callable(value) and top not in ("", "paddle", "builtins"):
                yield name, top, f"{plain.__code__.co_filename}:{node.lineno}"


def _looked_up(node: ast.expr, names: dict[str, Any]) -> tuple[str, Any]:
    """What ``module.name`` stands for; nothing where it does not begin with a module."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or not path:
        return "", None
    value = names.get(node.id)
    if not isinstance(value, types.ModuleType):
        return "", None
    top = value.__name__.partition(".")[0]
    for part in path:
        value = getattr(value, part, None)
    return (".".join([node.id, *path]), value) if top != "paddle" else ("", None)


def _package(value: Any) -> str:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return str(module).partition(".")[0]
