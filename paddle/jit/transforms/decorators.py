"""Decorators that ask for conversion go: ``@to_static`` on a nested function; others stay."""

from __future__ import annotations

import ast
from typing import Any

from paddle.jit.transforms.context import MISSING, Context, ScopedTransformer

_STRIPPED = ("to_static", "declarative", "dygraph_to_static_func")


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Takes all decorators from the function itself, which is made without them."""
    if isinstance(tree, ast.FunctionDef):
        tree.decorator_list = []
    return _Decorators(context).visit(tree)


class _Decorators(ScopedTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [d for d in node.decorator_list if not self._stripped(d)]
        return super().visit_FunctionDef(node)

    def _stripped(self, decorator: ast.expr) -> bool:
        called: Any = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = self.value_of(called)
        if found is not MISSING:
            module = getattr(found, "__module__", None) or ""
            ours = module.split(".")[0] == "paddle"
            return ours and getattr(found, "__name__", "") in _STRIPPED
        return getattr(called, "attr", getattr(called, "id", "")) in _STRIPPED
