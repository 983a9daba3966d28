"""What transforms need to know of a function: unused names, and what its names stand for."""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from paddle.jit.transforms.names import (
    Names,
    all_identifiers,
    comprehension_names,
    local_names,
)
from paddle.jit.transforms.nodes import COMPREHENSIONS, load, mark

MISSING = object()
_PLAIN_MODULES = (frozenset(sys.stdlib_module_names) - {"functools", "__main__"}) | {"numpy"}


class NotConvertible(Exception):
    """A function that stays Python's own, and why.

    Attributes:
        reason (str): the cause, in words.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _parameters(tree: ast.AST) -> set[str]:
    """The names of a function's parameters."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            taken = node.args
            listed = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
            return {a.arg for a in listed}
    return set()


class Context:
    """One function on its way through the transforms.

    Args:
        tree (ast.AST): the function or lambda.
        globals (dict): the globals it will run with.
        cells (dict): the values in its closure, as far as there are any yet.
        owner (str): the class around it, which changes ``__names``; empty for none.

    Attributes:
        root (str): the name by which generated code reads ``paddle``.
        made (set): the names that transforms have taken.
        parameters (set): what the function takes.
        settled (bool): whether functions keep the local names that they have now.
        unused_after (dict): functions of loop bodies -> parameters nobody reads after the loop.
    """

    def __init__(
        self,
        tree: ast.AST,
        globals: Mapping[str, Any],
        cells: Mapping[str, Any],
        owner: str = "",
    ) -> None:
        self.owner = owner.lstrip("_")
        self.parameters = _parameters(tree)
        self.made: set[str] = set()
        self.settled = False
        self.globals = globals
        self.cells = cells
        self.unused_after: dict[str, frozenset[str]] = {}
        self._taken = all_identifiers(tree)
        self.root = self._root_name()
        self._taken.add(self.root)

    def _root_name(self) -> str:
        # "paddle" itself unless the user means something else by it.
        name = "paddle"
        if name in self._taken:
            found = self.cells.get(name, self.globals.get(name))
            if found is not sys.modules.get("paddle") or found is None:
                name = "_paddle"
                while name in self._taken:
                    name = "_" + name
        return name

    def fresh(self, *stems: str) -> list[str]:
        """Returns unused names, all with the same number: ``true_fn_0``, ``false_fn_0``."""
        number = 0
        while any(f"{stem}_{number}" in self._taken for stem in stems):
            number += 1
        names = [f"{stem}_{number}" for stem in stems]
        self._taken.update(names)
        self.made.update(names)
        return names

    def fresh_plain(self, name: str) -> str:
        """Returns the name itself if it is unused, else the name with a number."""
        if name in self._taken:
            return self.fresh(name)[0]
        self._taken.add(name)
        self.made.add(name)
        return name

    def mangled(self, name: str) -> str:
        """Returns the name under which a class keeps ``__name``."""
        hidden = name.startswith("__") and not name.endswith("__") and self.owner
        return f"_{self.owner}{name}" if hidden else name

    def api(self, path: str) -> ast.expr:
        """``paddle.<path>``."""
        node: ast.expr = load(self.root)
        for part in path.split("."):
            node = ast.Attribute(value=node, attr=part, ctx=ast.Load())
        return node

    def call(self, name: str, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
        """``paddle.jit.dy2static.<name>(...)``."""
        return mark(
            ast.Call(
                func=self.api("jit.dy2static." + name),
                args=list(args),
                keywords=[ast.keyword(arg=k, value=v) for k, v in keywords.items()],
            )
        )

    def outer_value(self, name: str) -> Any:
        """Returns what a name means outside of the function, MISSING if nothing is known."""
        if name in self.cells:
            return self.cells[name]
        if name in self.globals:
            return self.globals[name]
        return getattr(builtins, name, MISSING)


class ScopedTransformer(ast.NodeTransformer):
    """A transformer that knows which names are local at the place it is at.

    Args:
        context (Context): of the function.

    Attributes:
        in_class (bool): whether the place is the body of a class, whose names no nested function
            sees: nothing may be wrapped into a lambda there.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.scopes: list[set[str]] = []
        self.in_class = False

    def _inside(self, names: set[str], in_class: bool, visit: Callable[[], object]) -> None:
        outer, self.in_class = self.in_class, in_class
        self.scopes.append(names)
        visit()
        self.scopes.pop()
        self.in_class = outer

    def _visit_list(self, nodes: list) -> list:
        found = []
        for node in nodes:
            made = self.visit(node)
            found.extend(made if isinstance(made, list) else [] if made is None else [made])
        return found

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        if getattr(node, "kept", False):
            return node
        node.decorator_list = self._visit_list(node.decorator_list)
        self._defaults(node.args)

        def visit() -> None:
            node.body = self._visit_list(node.body) or [ast.copy_location(ast.Pass(), node)]

        if not self.context.settled:
            self._inside(local_names(node), False, visit)
            return node
        if not hasattr(node, "own_names"):
            node.own_names = local_names(node)
        self._inside(node.own_names, False, visit)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        if getattr(node, "kept", False):
            return node
        self._defaults(node.args)

        def visit() -> None:
            node.body = self.visit(node.body)

        self._inside(local_names(node), False, visit)
        return node

    def _defaults(self, args: ast.arguments) -> None:
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [None if d is None else self.visit(d) for d in args.kw_defaults]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.bases = self._visit_list(node.bases)

        def visit() -> None:
            node.body = self._visit_list(node.body)

        # Names of the body hide outer ones at its own level; for methods this is too careful only.
        self._inside(set(Names(node.body).stores), True, visit)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, COMPREHENSIONS):
            self._inside(
                comprehension_names(node), self.in_class, lambda: self._generic(node)
            )  # fmt: skip
            return node
        return self._generic(node)

    def _generic(self, node: ast.AST) -> ast.AST:
        return super().generic_visit(node)

    # -- what a name stands for ----------------------------------------------------------------

    def is_local(self, name: str) -> bool:
        """Says whether a name is bound by the function or one around the place inside of it."""
        return any(name in scope for scope in self.scopes)

    def is_own_local(self, name: str) -> bool:
        """Says whether a name is bound by the innermost function at the place."""
        return bool(self.scopes) and name in self.scopes[-1]

    def value_of(self, expr: ast.AST) -> Any:
        """Returns the object that ``name`` or ``module.name`` stands for, MISSING if unknown."""
        if isinstance(expr, ast.Name):
            return MISSING if self.is_local(expr.id) else self.context.outer_value(expr.id)
        if isinstance(expr, ast.Attribute):
            base = self.value_of(expr.value)
            if isinstance(base, types.ModuleType):
                return getattr(base, expr.attr, MISSING)
        return MISSING

    def builtin(self, expr: ast.AST) -> str:
        """Returns the name of the builtin that an expression stands for, or an empty text."""
        if isinstance(expr, ast.Name):
            found = self.value_of(expr)
            if found is not MISSING and found is getattr(builtins, expr.id, MISSING):
                return expr.id
        return ""


def is_plain_module(module: types.ModuleType) -> bool:
    """Says whether functions of a module have nothing to convert: paddle, NumPy, Python's own."""
    top = module.__name__.split(".")[0]
    return top == "paddle" or top in _PLAIN_MODULES


def root_module(transformer: ScopedTransformer, expr: ast.AST) -> types.ModuleType | None:
    """Returns the module at the start of ``module.a.b``, None if it starts otherwise."""
    while isinstance(expr, ast.Attribute):
        expr = expr.value
    found = transformer.value_of(expr)
    return found if isinstance(found, types.ModuleType) else None
