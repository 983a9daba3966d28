"""Preparation: what is refused, what nested code is kept; ``global``, ``nonlocal`` go first."""

from __future__ import annotations

import ast

from paddle.jit.transforms.context import Context, NotConvertible, ScopedTransformer
from paddle.jit.transforms.names import body_of, local_names
from paddle.jit.transforms.nodes import own_nodes

_WAITING = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Refuses generators and coroutines; lifts declarations to the start of their functions."""
    if isinstance(tree, ast.AsyncFunctionDef):
        raise NotConvertible("an async function: it runs when it is awaited")
    reason = suspends(tree)
    if reason:
        raise NotConvertible(reason)
    return _Declarations(context).visit(tree)


def suspends(function: ast.AST) -> str:
    """Says why the code of a function does not run in one go; an empty text if it does."""
    for node in own_nodes(body_of(function)):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return f"a generator function (yield on line {node.lineno})"
        if isinstance(node, _WAITING):
            return f"a coroutine (line {node.lineno})"  # type: ignore[attr-defined]
    return ""


class _Declarations(ScopedTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if suspends(node) or any(self._not_to_static(d) for d in node.decorator_list):
            node.kept = True  # type: ignore[attr-defined]
            return node
        super().visit_FunctionDef(node)
        node.first_locals = local_names(node)  # type: ignore[attr-defined]
        declared = [n for n in own_nodes(node.body) if isinstance(n, (ast.Global, ast.Nonlocal))]
        if any(d not in node.body for d in declared):
            _Without(declared).generic_visit_body(node)
            node.body[doc_length(node) : doc_length(node)] = declared
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        if suspends(node):
            node.kept = True  # type: ignore[attr-defined]
            return node
        return super().visit_Lambda(node)

    def _not_to_static(self, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        return getattr(called, "attr", getattr(called, "id", "")) == "not_to_static"


class _Without(ast.NodeTransformer):
    def __init__(self, unwanted: list) -> None:
        self._unwanted = {id(node) for node in unwanted}

    def generic_visit_body(self, node: ast.FunctionDef) -> None:
        node.body = [s for s in map(self.visit, node.body) if s is not None] or [ast.Pass()]
        for inner in own_nodes(node.body):
            if getattr(inner, "body", True) == []:
                inner.body = [ast.Pass()]  # type: ignore[attr-defined]

    def visit_Global(self, node: ast.Global) -> ast.AST | None:
        return None if id(node) in self._unwanted else node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST | None:
        return None if id(node) in self._unwanted else node


def doc_length(function: ast.FunctionDef) -> int:
    """How many statements the docstring is: 0 or 1."""
    first = function.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return int(is_doc and isinstance(first.value.value, str))  # type: ignore[attr-defined]


def insert_first(function: ast.FunctionDef, statements: list[ast.stmt]) -> None:
    """Puts statements at the start of a function, after docstring and declarations."""
    i = doc_length(function)
    while i < len(function.body) and isinstance(function.body[i], (ast.Global, ast.Nonlocal)):
        i += 1
    function.body[i:i] = statements
