"""``assert``: ``convert_assert``, which can check when a Program runs."""

from __future__ import annotations

import ast
import sys

from paddle.jit.transforms.conditions import has_walrus, python_only
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import located, pure, thunk


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the assertions of a function; under ``python -O`` there are none."""
    return tree if sys.flags.optimize else _Asserts(context).visit(tree)


class _Asserts(ScopedTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        stays = self.in_class or python_only(node.test, self)
        stays = stays or (node.msg is not None and has_walrus(node.msg))
        self.generic_visit(node)
        if stays:
            return node
        args = [node.test]
        if node.msg is not None:  # a message is made only for those who read it
            args.append(node.msg if pure(node.msg) else thunk(node.msg))
        made = self.context.call("convert_assert", *args)
        return located(ast.Expr(value=made), node)
