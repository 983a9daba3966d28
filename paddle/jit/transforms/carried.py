"""What every converted ``if`` and loop carries: the variables its functions take and return."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from paddle.jit.transforms.binding import Binding
from paddle.jit.transforms.conditions import fixed_iterable, has_walrus, python_only
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.declarations import insert_first
from paddle.jit.transforms.flow import Liveness, has_stop
from paddle.jit.transforms.names import Names, local_names
from paddle.jit.transforms.nodes import located, own_nodes, set_name, store

CONVERTED = (ast.If, ast.While, ast.For)


@dataclass
class CarriedVariable:
    """One thing that a converted statement may change.

    Attributes:
        name (str): how it is written: ``x``, ``self.h``.
        param (str): the parameter that takes its value; ``x`` itself where nobody else sees it.
        declared (str): ``nonlocal`` or ``global``: the function sets the variable of the
            surrounding code, because closures or handlers of exceptions look at it.
        place (ast.expr|None): the attribute or item.
        outside (bool): it belongs to other code, which may not have given it a value.
    """

    name: str
    param: str
    declared: str = ""
    place: ast.expr | None = None
    outside: bool = False


@dataclass
class Carried:
    """The variables of one converted statement.

    Attributes:
        variables (list): in the order of parameters and results.
        undefined (list): names that get a stand-in in front of the statement.
        first (list): names that get one at the start of its bodies, whose own names they are.
    """

    variables: list[CarriedVariable]
    undefined: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)

    @property
    def locals(self) -> list[str]:
        """The names among the variables that are the function's own."""
        return [v.name for v in self.variables if v.place is None and not v.outside]


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Notes on ``if``, ``while`` and ``for`` what they carry; gives stand-ins to unset names."""
    return _Carry(context).visit(tree)


class _Carry(ScopedTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if getattr(node, "kept", False):
            return node
        super().visit_FunctionDef(node)
        _keep_local(node)
        self.scopes.append(local_names(node))
        _Function(self, node).annotate()
        self.scopes.pop()
        return node


class _Function:
    """The statements of one function."""

    def __init__(self, scopes: ScopedTransformer, node: ast.FunctionDef) -> None:
        self._scopes, self._node = scopes, node
        self._names = Names(node.body)
        self._locals = local_names(node)

    def annotate(self) -> None:
        statements = [
            n for n in own_nodes(self._node.body)
            if isinstance(n, CONVERTED) and converts(n, self._scopes)
        ]  # fmt: skip
        if not statements:
            return
        declared = self._names.globals | self._names.nonlocals
        Liveness(self._names.captured | declared, self._scopes).function(self._node.body)
        for stmt in statements:
            stmt.carried = Carried(self._variables(stmt))  # type: ignore[union-attr]
        everywhere = {name for s in statements for name in s.carried.locals}  # type: ignore[union-attr]
        _keep_bound(self._node, everywhere, self._scopes.context)
        own = self._locals - self._scopes.context.made
        binding = Binding(self._node, own, everywhere)
        binding.run()
        self._stand_ins(binding.at_start)
        binding.check_reads(self._scopes.context)

    def _variables(self, stmt: ast.stmt) -> list[CarriedVariable]:
        inside = _names_in(stmt)
        live = stmt.live_out | stmt.live_in  # type: ignore[attr-defined]
        found = [self._variable(name, stmt) for name in inside.stores if name in live]
        fresh = self._scopes.context.fresh_plain
        for text, place in inside.targets.items():
            if not _moves(place, inside):
                param = fresh("_".join(_words(place)))
                found.append(CarriedVariable(text, param, place=place))
        return found

    def _variable(self, name: str, stmt: ast.stmt) -> CarriedVariable:
        names, fresh = self._names, self._scopes.context.fresh
        if name in names.globals:
            return CarriedVariable(name, fresh(name)[0], "global", outside=True)
        if name in names.nonlocals:
            return CarriedVariable(name, fresh(name)[0], "nonlocal", outside=True)
        if name in names.captured or name in stmt.caught:  # type: ignore[attr-defined]
            return CarriedVariable(name, fresh(name)[0], "nonlocal")
        return CarriedVariable(name, name)

    def _stand_ins(self, at_start: Sequence[str]) -> None:
        context = self._scopes.context
        _Insert(context).block(self._node)
        first = self._node.body[0]
        made = [located(undefined(name, context), first) for name in at_start]
        insert_first(self._node, list(made))


def _keep_local(node: ast.FunctionDef) -> None:
    """Declares names that only code after a jump assigned, which is gone: they stay local."""
    gone = sorted(getattr(node, "first_locals", set()) - local_names(node))
    made = [
        ast.AnnAssign(target=store(n), annotation=ast.Constant(value=None), value=None, simple=1)
        for n in gone
    ]
    insert_first(node, [located(one, node.body[0]) for one in made])


def undefined(name: str, context: Context) -> ast.stmt:
    """``name = paddle.jit.dy2static.undefined('name')``."""
    return set_name(name, context.call("undefined", ast.Constant(value=name)))


def converts(node: ast.AST, scopes: ScopedTransformer) -> bool:
    """Says whether a statement is converted: not where only Python can decide."""
    if isinstance(node, ast.If):
        if isinstance(node.body[0], ast.Break):
            return False  # the end of a loop's body, which the loop takes
        return not python_only(node.test, scopes)
    if isinstance(node, ast.While):
        return not python_only(node.test, scopes) and not has_walrus(node.test)
    if isinstance(node, ast.For):
        return has_stop(node) or not fixed_iterable(node.iter, scopes)
    return False


def _names_in(stmt: ast.AST) -> Names:
    if isinstance(stmt, ast.For):
        return Names([stmt.target, *stmt.body])
    return Names([*stmt.body, *stmt.orelse])  # type: ignore[attr-defined]


def _moves(place: ast.expr, inside: Names) -> bool:
    """Whether the statement also changes what an attribute is looked up on."""
    node: ast.AST = place
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        if not isinstance(node, ast.Name) and ast.unparse(node) in inside.targets:
            return True
    return isinstance(node, ast.Name) and node.id in inside.stores


def _words(place: ast.AST) -> list[str]:
    if isinstance(place, ast.Attribute):
        return [*_words(place.value), place.attr]
    if isinstance(place, ast.Subscript):
        assert isinstance(place.slice, ast.Constant)
        key = "".join(c if c.isalnum() else "_" for c in str(place.slice.value))
        return [*_words(place.value), key]
    assert isinstance(place, ast.Name)
    return [place.id]


class _Insert:
    """Puts the stand-ins in front of the statements that need them."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def block(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [made for stmt in body for made in self._before(stmt)])
        for part in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
            self.block(part)

    def _before(self, stmt: ast.stmt) -> list[ast.stmt]:
        if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return [stmt]
        self.block(stmt)
        names = stmt.carried.undefined if hasattr(stmt, "carried") else []
        return [*(located(undefined(n, self._context), stmt) for n in names), stmt]


def _keep_bound(function: ast.FunctionDef, names: set[str], context: Context) -> None:
    """A carried name that ``del`` or ``except`` would unbind gets a stand-in instead."""
    _Unbinding(names, context).generic_visit(function)


class _Unbinding(ast.NodeTransformer):
    def __init__(self, names: set[str], context: Context) -> None:
        self._names, self._context = names, context

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        if not any(isinstance(t, ast.Name) and t.id in self._names for t in node.targets):
            return node
        out: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in self._names:
                # To delete what is not there is an error, which this read gives.
                read = ast.Expr(value=ast.Name(id=target.id, ctx=ast.Load()))
                read.of_del = True  # type: ignore[attr-defined]
                out.append(located(read, node))
                made = undefined(target.id, self._context)
                made.unbinds = target.id  # type: ignore[attr-defined]
                out.append(located(made, node))
            else:
                out.append(located(ast.Delete(targets=[target]), node))
        return out

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        if node.name in self._names:
            name = node.name
            node.name = self._context.fresh(name)[0]
            value = ast.Name(id=node.name, ctx=ast.Load())
            start = located(ast.Assign(targets=[store(name)], value=value), node.body[0])
            end = undefined(name, self._context)
            end.unbinds = name  # type: ignore[attr-defined]
            body = ast.Try(body=node.body, handlers=[], orelse=[], finalbody=[end])
            node.body = [start, located(body, node.body[-1])]
        return node
