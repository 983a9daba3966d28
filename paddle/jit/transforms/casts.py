"""The builtins that Tensors may be given to: int, len, range, zip, max, isinstance and others."""

from __future__ import annotations

import ast
import math

from paddle.jit.transforms.conditions import is_number
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.nodes import located

_CASTS = ("int", "float", "bool")
_ITERATION = ("range", "enumerate", "zip")
_REDUCTIONS = ("max", "min", "sum", "any", "all")
_MATH = ("sqrt", "exp", "log", "sin", "cos", "tanh", "fabs")
# What a Variable may stand for.
_STANDS_FOR = (list, int, float, bool)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites calls of these names where they are really the builtins."""
    return _Casts(context).visit(tree)


class _Casts(ScopedTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self._of_math(node):
            node.func = located(self.context.call("convert_math", node.func), node.func)
            return node
        name, args, context = self.builtin(node.func), node.args, self.context
        starred = any(isinstance(a, ast.Starred) for a in args)
        one = len(args) == 1 and not starred and not node.keywords
        if one and name == "len":
            return located(context.call("convert_len", args[0]), node)
        if one and name in _CASTS and not isinstance(args[0], (ast.Constant, ast.JoinedStr)):
            made = context.call("convert_var_dtype", args[0], ast.Constant(value=name))
            return located(made, node)
        if name in _ITERATION and not (name == "range" and all(is_number(a) for a in args)):
            made = context.call(f"convert_{name}", *args)
            made.keywords = node.keywords
            return located(made, node)
        if name in _REDUCTIONS and node.args:
            made = context.call(f"convert_{name}", *args)
            made.keywords = node.keywords
            return located(made, node)
        if name == "type" and one:
            return located(context.call("convert_type", args[0]), node)
        if name == "isinstance" and len(args) == 2 and not starred and self._asks(args[1]):
            return located(context.call("convert_isinstance", *args), node)
        return node

    def _of_math(self, node: ast.Call) -> bool:
        """Whether a function of ``math`` is called with one value that is not written out."""
        plain = len(node.args) == 1 and not node.keywords
        if not plain or isinstance(node.args[0], (ast.Constant, ast.Starred)):
            return False
        found = self.value_of(node.func)
        return getattr(found, "__name__", "") in _MATH and found is getattr(math, found.__name__)

    def _asks(self, classes: ast.expr) -> bool:
        """Whether a Variable could count as an instance of one of some classes."""
        parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
        found = [self.value_of(part) for part in parts]
        return not all(isinstance(f, type) and _is_other(f) for f in found)


def _is_other(kind: type) -> bool:
    """Whether a class is none that a Variable may count as."""
    if any(base.__name__ == "Tensor" for base in kind.__mro__):
        return False
    return kind is not object and not any(issubclass(c, kind) for c in _STANDS_FOR)
