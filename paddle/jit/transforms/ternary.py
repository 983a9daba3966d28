"""``a if condition else b``: ``convert_ifelse`` with the two values as functions."""

from __future__ import annotations

import ast

from paddle.jit.transforms.conditions import has_walrus, python_only
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import located, thunk


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the conditional expressions of a function."""
    return _Ternary(context).visit(tree)


class _Ternary(ScopedTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        stays = (
            self.in_class or python_only(node.test, self) or has_walrus(node.body, node.orelse)
        )  # fmt: skip
        self.generic_visit(node)
        if stays:
            return node
        nothing = [ast.Tuple(elts=[], ctx=ast.Load()) for _ in range(3)]
        made = self.context.call(
            "convert_ifelse", node.test, thunk(node.body), thunk(node.orelse), *nothing
        )
        return located(made, node)
