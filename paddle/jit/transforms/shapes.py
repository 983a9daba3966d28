"""``x.shape`` and ``x.shape[i]``: sizes that only a run knows become Tensors."""

from __future__ import annotations

import ast
import types

from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import generated, located


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the reads of ``shape``; a method or a module's function of this name stays."""
    return _Shapes(context).visit(tree)


class _Shapes(ScopedTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "shape":
            func.value = self.visit(func.value)
            node.args = self._visit_list(node.args)
            node.keywords = self._visit_list(node.keywords)
            return node
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not self._is_shape(node):
            return self.generic_visit(node)
        node.value = self.visit(node.value)
        return located(self.context.call("convert_var_shape", node.value), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        shape = node.value
        plain = isinstance(node.ctx, ast.Load) and not isinstance(
            node.slice, (ast.Slice, ast.Tuple)
        )
        if not (plain and self._is_shape(shape)):
            return self.generic_visit(node)
        assert isinstance(shape, ast.Attribute)
        value, index = self.visit(shape.value), self.visit(node.slice)
        return located(self.context.call("convert_var_shape", value, index), node)

    def _is_shape(self, node: ast.AST) -> bool:
        if not (isinstance(node, ast.Attribute) and node.attr == "shape" and not generated(node)):
            return False
        if isinstance(self.value_of(node.value), types.ModuleType):
            return False
        return isinstance(node.ctx, ast.Load)
