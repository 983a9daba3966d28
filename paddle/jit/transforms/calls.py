"""Calls: ``convert_call(f)(x)``, except of what has nothing to convert."""

from __future__ import annotations

import ast
import builtins
import types

from paddle.jit.transforms.context import (
    MISSING,
    Context,
    ScopedTransformer,
    is_plain_module,
    root_module,
)
from paddle.jit.transforms.nodes import generated, located

# These take the user's functions and call them.
_CALLERS = ("map", "filter", "sorted", "min", "max")


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the calls of a function; decorators and annotations stay."""
    return _Calls(context).visit(tree)


class _Calls(ScopedTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators, node.decorator_list = node.decorator_list, []
        super().visit_FunctionDef(node)
        node.decorator_list = decorators
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        decorators, node.decorator_list = node.decorator_list, []
        super().visit_ClassDef(node)
        node.decorator_list = decorators
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._to_assign(node):
            node.func = located(self.context.api("nn.functional.assign"), node.func)
        self.generic_visit(node)
        if not generated(node) and not self._stays(node.func):
            node.func = located(self.context.call("convert_call", node.func), node.func)
        return node

    def _to_assign(self, node: ast.Call) -> bool:
        """Whether it is ``paddle.to_tensor(x)`` of a parameter, which is a Variable: a copy.

        Of other arrays ``assign`` makes what 2.0 can store, float32 instead of float64.
        """
        if len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.Name):
            return False
        if node.args[0].id not in self.context.parameters:
            return False
        found = self.value_of(node.func)
        named = getattr(found, "__name__", "") == "to_tensor"
        return named and (getattr(found, "__module__", "") or "").split(".")[0] == "paddle"

    def _stays(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Call) and generated(func):
            return True
        if self.builtin(func):
            return func.id not in _CALLERS  # type: ignore[attr-defined]
        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if (
            isinstance(root, ast.Name)
            and root.id == self.context.root
            and not self.is_local(root.id)
        ):
            return True
        module = root_module(self, func)
        if module is not None and is_plain_module(module):
            return self.value_of(func) is not MISSING or module.__name__.split(".")[0] == "paddle"
        return _needs_nothing(self.value_of(func))


def _needs_nothing(found: object) -> bool:
    if found is MISSING or isinstance(found, types.ModuleType):
        return False
    if isinstance(found, (type, types.FunctionType, types.BuiltinFunctionType)):
        top = (getattr(found, "__module__", None) or "").split(".")[0]
        return top == "paddle" or found in vars(builtins).values()
    return False
