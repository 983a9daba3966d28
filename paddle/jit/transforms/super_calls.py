"""``super()`` inside of generated functions and lambdas: ``super(__class__, self)``."""

from __future__ import annotations

import ast

from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import generated, load, located


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Writes out what ``super()`` finds by the first parameter of the method it stands in."""
    return _Super(context).visit(tree)


class _Super(ScopedTransformer):
    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._first = ""  # of the innermost method
        self._moved = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before = self._first, self._moved
        if generated(node):
            self._moved = True
        else:
            args = [*node.args.posonlyargs, *node.args.args]
            self._first, self._moved = args[0].arg if args else "", False
        super().visit_FunctionDef(node)
        self._first, self._moved = before
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        before = self._moved
        self._moved = self._moved or generated(node)
        super().visit_Lambda(node)
        self._moved = before
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        plain = self._moved and self._first and not node.args and not node.keywords
        if plain and self.builtin(node.func) == "super":
            args = [load("__class__"), load(self._first)]
            node.args = [located(arg, node) for arg in args]
        return node
