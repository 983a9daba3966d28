"""``print``: ``convert_print``, which records an operator for Tensors."""

from __future__ import annotations

import ast

from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import located


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the calls of the builtin ``print``."""
    return _Prints(context).visit(tree)


class _Prints(ScopedTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.builtin(node.func) != "print":
            return node
        made = self.context.call("convert_print", *node.args)
        made.keywords = node.keywords
        return located(made, node)
