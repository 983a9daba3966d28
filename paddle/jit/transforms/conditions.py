"""Which conditions are Python's alone: no Tensor can come out of them, so they stay as they are."""

from __future__ import annotations

import ast

from paddle.jit.transforms.context import ScopedTransformer
from paddle.jit.transforms.nodes import FUNCTIONS

# Builtins that answer with Python's True and False, or with a plain object.
_ANSWERS = frozenset(
    ["isinstance", "issubclass", "hasattr", "callable", "type", "id", "repr", "str"]
)
_DISPLAYS = (
    ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
)  # fmt: skip
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def python_only(test: ast.expr, scopes: ScopedTransformer) -> bool:
    """Says whether the truth of an expression can only be Python's own.

    ``x is None``, ``key in table``, ``isinstance(x, list)``, ``mode == "train"``, constants, and
    what ``and``, ``or`` and ``not`` make of them.
    """
    if isinstance(test, _DISPLAYS):
        return True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return python_only(test.operand, scopes)
    if isinstance(test, ast.BoolOp):
        return all(python_only(value, scopes) for value in test.values)
    if isinstance(test, ast.NamedExpr):
        return python_only(test.value, scopes)
    if isinstance(test, ast.Compare):
        if all(isinstance(op, _IDENTITY) for op in test.ops):
            return True
        sides = [test.left, *test.comparators]
        return len(sides) == 2 and any(_is_text(side) for side in sides)
    if isinstance(test, ast.Call):
        return scopes.builtin(test.func) in _ANSWERS
    return False


def _is_text(node: ast.expr) -> bool:
    plain = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes, type(None)))
    return plain or isinstance(node, ast.JoinedStr)


def has_walrus(*nodes: ast.AST) -> bool:
    """Says whether code binds names by ``:=``: it cannot move into a lambda."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.NamedExpr):
            return True
        if not isinstance(node, FUNCTIONS):
            todo.extend(ast.iter_child_nodes(node))
    return False


def fixed_iterable(node: ast.expr, scopes: ScopedTransformer) -> bool:
    """Says whether a loop runs over something written out: ``range(3)``, ``(a, b)``, ``"abc"``."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict)):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    if isinstance(node, ast.Call) and not node.keywords and scopes.builtin(node.func) == "range":
        return all(is_number(arg) for arg in node.args)
    return False


def is_number(node: ast.expr) -> bool:
    """Says whether an expression is a number written out."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
