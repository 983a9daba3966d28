"""``and``, ``or``, ``not``, chained comparisons: converters that evaluate no more than needed."""

from __future__ import annotations

import ast

from paddle.jit.transforms.conditions import has_walrus, python_only
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import generated, load, located, mark, pure, thunk


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the logical expressions of a function."""
    return _Logical(context).visit(tree)


class _Logical(ScopedTransformer):
    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        stays = self.in_class or has_walrus(node) or python_only(node, self)
        self.generic_visit(node)
        if stays:
            return node
        name = "convert_logical_and" if isinstance(node.op, ast.And) else "convert_logical_or"
        made = node.values[-1]
        for value in reversed(node.values[:-1]):
            made = located(self.context.call(name, thunk(value), thunk(made)), node)
        return made

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if not isinstance(node.op, ast.Not) or generated(node) or python_only(node, self):
            return self.generic_visit(node)
        self.generic_visit(node)
        return located(self.context.call("convert_logical_not", node.operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        stays = len(node.ops) == 1 or self.in_class or has_walrus(node) or python_only(node, self)
        shapes = any(_is_shape(side) for side in (node.left, *node.comparators))
        self.generic_visit(node)
        if shapes and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            sign = ast.Constant(value="==" if isinstance(node.ops[0], ast.Eq) else "!=")
            made = self.context.call("convert_shape_compare", node.left, sign, *node.comparators)
            return located(made, node)
        return node if stays else located(self._chain(node.left, node.ops, node.comparators), node)

    def _chain(self, left: ast.expr, ops: list[ast.cmpop], sides: list[ast.expr]) -> ast.expr:
        middle, rest = sides[0], sides[1:]
        if not rest:
            return ast.Compare(left=left, ops=ops, comparators=sides)
        if pure(middle):
            first = ast.Compare(left=left, ops=ops[:1], comparators=[middle])
            second = self._chain(_again(middle), ops[1:], rest)
            return self.context.call("convert_logical_and", thunk(first), thunk(second))
        # The middle is evaluated once, after what stands left of it.
        names = self.context.fresh("left", "middle")
        first = ast.Compare(left=load(names[0]), ops=ops[:1], comparators=[load(names[1])])
        second = self._chain(load(names[1]), ops[1:], rest)
        both = self.context.call("convert_logical_and", thunk(first), thunk(second))
        return mark(ast.Call(func=thunk(both, *names), args=[left, middle], keywords=[]))


def _is_shape(node: ast.expr) -> bool:
    """Whether an expression is a list of sizes: ``x.shape``, ``x.shape[1:]``, ``list(x.shape)``."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
        return node.func.id in ("list", "tuple") and _is_shape(node.args[0])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_shape(node.value)
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _again(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return load(node.id)
    return ast.Constant(value=node.value) if isinstance(node, ast.Constant) else node
