"""Which names a piece of code assigns, reads, and hands to functions that may be called later."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from paddle.jit.transforms.nodes import FUNCTIONS, generated

# Builtins that use up a generator expression before they return.
_CONSUMERS = frozenset(
    ("all", "any", "bytes", "dict", "frozenset", "len", "list")
    + ("max", "min", "set", "sorted", "sum", "tuple")
)


class Names(ast.NodeVisitor):
    """The names of some code, at the level of the function that it belongs to.

    Attributes:
        stores (dict): names that are bound, in the order of their first binding.
        loads (dict): names that are read, free names of nested functions included.
        captured (set): names that nested functions and generators may read later.
        deleted (set): names after ``del`` and ``except ... as``.
        targets (dict): attributes and items that are assigned, as text -> expression.
        globals, nonlocals (set): names declared so.

    Args:
        nodes (iterable): the code.
        deep (bool): whether nested functions are looked into; only reads need that.
    """

    def __init__(self, nodes: Iterable[ast.AST] = (), deep: bool = True) -> None:
        self._deep = deep
        self.stores: dict[str, None] = {}
        self.loads: dict[str, None] = {}
        self.captured: set[str] = set()
        self.deleted: set[str] = set()
        self.declared: set[str] = set()
        self.targets: dict[str, ast.expr] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        for node in nodes:
            self.visit(node)

    def bind(self, name: str) -> None:
        self.stores.setdefault(name)

    # -- names --------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loads.setdefault(node.id)
            return
        self.bind(node.id)
        if isinstance(node.ctx, ast.Del):
            self.loads.setdefault(node.id)
            self.deleted.add(node.id)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.loads.setdefault(node.target.id)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None and isinstance(node.target, ast.Name):
            self.declared.add(node.target.id)  # makes the name local, binds nothing
            self.visit(node.annotation)
        else:
            self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._target(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._target(node)

    def _target(self, node: ast.Attribute | ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store) and is_place(node):
            self.targets.setdefault(ast.unparse(node), node)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.nonlocals.update(node.names)

    def visit_alias(self, node: ast.alias) -> None:
        self.bind(node.asname or node.name.split(".")[0])

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name)
            self.deleted.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.bind(node.rest)
        self.generic_visit(node)

    # -- scopes -------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bind(node.name)
        for part in [*node.decorator_list, *outer_parts(node.args)]:
            self.visit(part)
        if node.returns is not None:
            self.visit(node.returns)
        self._function(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in outer_parts(node.args):
            self.visit(part)
        self._function(node)

    def _function(self, node: ast.AST) -> None:
        if self._deep:
            self._nested(free_names(node), immediate=generated(node))

    def _nested(self, free: Iterable[str], immediate: bool) -> None:
        for name in free:
            self.loads.setdefault(name)
        if not immediate:
            self.captured.update(free)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bind(node.name)
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        inside = Names(node.body)
        self._nested([*inside.loads, *sorted(inside.captured)], immediate=True)
        self.captured |= inside.captured
        for name in inside.nonlocals:
            self.bind(name)

    def visit_Call(self, node: ast.Call) -> None:
        if getattr(node, "changes", ""):
            self.bind(node.changes)  # type: ignore[attr-defined]
        place = getattr(node, "changes_place", None)
        if place is not None:
            self.targets.setdefault(ast.unparse(place), place)
        consumed = (
            (isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS)
            or (isinstance(node.func, ast.Attribute) and node.func.attr == "join")
        )  # fmt: skip
        for part in ast.iter_child_nodes(node):
            if consumed and isinstance(part, ast.GeneratorExp):
                self._comprehension(part, immediate=True)
            else:
                self.visit(part)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node, immediate=False)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node, immediate=True)

    visit_SetComp = visit_ListComp  # type: ignore[assignment]
    visit_DictComp = visit_ListComp  # type: ignore[assignment]

    def _comprehension(self, node: ast.expr, immediate: bool) -> None:
        inside = Names(ast.iter_child_nodes(node))
        own = comprehension_names(node)
        for name in walrus_names([node]):
            self.bind(name)
        free = [n for n in inside.loads if n not in own]
        self._nested(free, immediate)
        self.captured |= inside.captured - own


def comprehension_names(node: ast.expr) -> set[str]:
    """The names that a comprehension has for itself."""
    return set(Names(g.target for g in node.generators).stores)  # type: ignore[attr-defined]


def walrus_names(nodes: Iterable[ast.AST]) -> list[str]:
    """The names that ``:=`` binds in some code, comprehensions included."""
    found: list[str] = []
    for root in nodes:
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop(0)
            if isinstance(node, ast.NamedExpr):
                found.append(node.target.id)
            if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                todo.extend(ast.iter_child_nodes(node))
    return found


def outer_parts(args: ast.arguments) -> list[ast.expr]:
    """Defaults and annotations: what the surrounding code evaluates."""
    parts = [*args.defaults, *(d for d in args.kw_defaults if d is not None)]
    return parts + [a.annotation for a in all_args(args) if a.annotation is not None]


def all_args(args: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    starred = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def body_of(function: ast.AST) -> list[ast.AST]:
    """The statements of a function, or the expression of a lambda."""
    body = function.body  # type: ignore[attr-defined]
    return list(body) if isinstance(body, list) else [body]


def local_names(function: ast.AST) -> set[str]:
    """The names that are local to a function: parameters and what it binds."""
    return _own(function, Names(body_of(function), deep=False))


def _own(function: ast.AST, inside: Names) -> set[str]:
    params = {a.arg for a in all_args(function.args)}  # type: ignore[attr-defined]
    return (params | set(inside.stores) | inside.declared) - inside.globals - inside.nonlocals


def free_names(function: ast.AST) -> list[str]:
    """The names that a function takes from around it."""
    inside = Names(body_of(function))
    own = _own(function, inside) | inside.globals
    used = [*inside.loads, *inside.stores, *sorted(inside.nonlocals)]
    return [name for name in dict.fromkeys(used) if name not in own]


def all_identifiers(tree: ast.AST) -> set[str]:
    """Every identifier in a tree: generated names must not be among them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for field in ("id", "arg", "name", "asname", "attr", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                found.add(value.split(".")[0])
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
    return found


def is_place(node: ast.AST) -> bool:
    """Says whether an attribute or item is one that can be read and put back: ``self.a['k'].b``.

    An item of a plain name counts only by a text key: ``x[0]`` may be an element of a Tensor.
    """
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.value, ast.Name):
            return isinstance(key, str)
        return isinstance(key, (str, int)) and _is_chain(node.value)
    return isinstance(node, ast.Attribute) and _is_chain(node.value)


def _is_chain(node: ast.AST) -> bool:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)
