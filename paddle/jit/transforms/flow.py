"""Liveness of names: which are still read after each statement, by walking backwards."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from paddle.jit.transforms.context import ScopedTransformer, root_module
from paddle.jit.transforms.names import Names, walrus_names
from paddle.jit.transforms.nodes import FUNCTIONS

Set = frozenset


class _Around(NamedTuple):
    """What may run next besides the following statement."""

    handlers: Set[str]  # live where an exception raised here would be caught
    leave: Set[str]  # live after the innermost loop
    again: Set[str]  # live at its head


class Liveness:
    """Notes on every ``if`` and loop which names matter around it.

    The notes are attributes of the nodes: ``live_out`` (read later), ``live_in`` (read by the
    bodies before they are assigned, or passed by to something later), ``caught`` (read by handlers
    of exceptions).

    Args:
        always (set): names that count as read everywhere: closures and other functions use them.
        scopes (ScopedTransformer): resolves names.
    """

    def __init__(self, always: Iterable[str], scopes: ScopedTransformer) -> None:
        self._always = Set(always)
        self._scopes = scopes

    def function(self, body: Sequence[ast.stmt]) -> None:
        """Walks the body of a function."""
        self.block(body, self._always, _Around(Set(), Set(), Set()))

    def block(self, body: Sequence[ast.stmt], out: Set[str], around: _Around) -> Set[str]:
        """Returns the names that are live before a block, given those live after it."""
        for stmt in reversed(body):
            out = self._stmt(stmt, out | around.handlers | self._always, around)
        return out | around.handlers

    def _stmt(self, stmt: ast.stmt, out: Set[str], around: _Around) -> Set[str]:
        handler = getattr(self, "_" + type(stmt).__name__, None)
        if handler is not None:
            found: Set[str] = handler(stmt, out, around)
            return found
        return uses([stmt]) | (out - kills(stmt))

    def _If(self, stmt: ast.If, out: Set[str], around: _Around) -> Set[str]:
        body = self.block(stmt.body, out, around)
        orelse = self.block(stmt.orelse, out, around)
        self._note(stmt, out, body | orelse, around)
        return uses([stmt.test]) | ((body | orelse) - _sure_walrus(stmt.test))

    def _While(self, stmt: ast.While, out: Set[str], around: _Around) -> Set[str]:
        after = self.block(stmt.orelse, out, around)
        head = after | out | uses([stmt.test])
        while True:
            inner = _Around(around.handlers, out, head)
            wider = head | self.block(stmt.body, head, inner)
            if wider == head:
                break
            head = wider
        self._note(stmt, out | after, head, around)
        return head

    def _For(self, stmt: ast.For, out: Set[str], around: _Around) -> Set[str]:
        after = self.block(stmt.orelse, out, around)
        target = Names([stmt.target])
        bound, head = Set(target.stores), after | out | Set(target.loads)
        if has_stop(stmt):  # what takes the loop asks for the flags of every round
            head |= uses([stmt.body[-1].test])  # type: ignore[attr-defined]
        while True:
            inner = _Around(around.handlers, out, head)
            wider = head | (self.block(stmt.body, head, inner) - bound)
            if wider == head:
                break
            head = wider
        self._note(stmt, out | after, head, around)
        return uses([stmt.iter]) | head

    def _note(self, stmt: ast.stmt, out: Set[str], inside: Set[str], around: _Around) -> None:
        stmt.live_out = out  # type: ignore[attr-defined]
        stmt.live_in = inside  # type: ignore[attr-defined]
        stmt.caught = around.handlers  # type: ignore[attr-defined]

    def _Try(self, stmt: ast.Try, out: Set[str], around: _Around) -> Set[str]:
        final = self.block(stmt.finalbody, out, around)
        guarded = around._replace(handlers=around.handlers | (final if stmt.finalbody else Set()))
        caught: Set[str] = guarded.handlers
        for handler in stmt.handlers:
            inside = self.block(handler.body, final, guarded) - {handler.name or ""}
            caught |= inside | (uses([handler.type]) if handler.type else Set())
        orelse = self.block(stmt.orelse, final, guarded)
        return self.block(stmt.body, orelse, around._replace(handlers=caught))

    _TryStar = _Try

    def _With(self, stmt: ast.With, out: Set[str], around: _Around) -> Set[str]:
        inner = around
        if any(self._may_swallow(item.context_expr) for item in stmt.items):
            inner = around._replace(handlers=around.handlers | out)
        body = self.block(stmt.body, out, inner)
        bound = Names(i.optional_vars for i in stmt.items if i.optional_vars is not None)
        return uses([i.context_expr for i in stmt.items]) | Set(bound.loads) | (
            body - Set(bound.stores)
        )  # fmt: skip

    def _may_swallow(self, context: ast.expr) -> bool:
        """Whether a context manager may end an exception; those of paddle do not."""
        made_by = context.func if isinstance(context, ast.Call) else context
        module = root_module(self._scopes, made_by)
        return not _is_paddle(module)

    def _Match(self, stmt: ast.Match, out: Set[str], around: _Around) -> Set[str]:
        found = out | uses([stmt.subject])
        for case in stmt.cases:
            pattern = Names([case.pattern])
            guard = uses([case.guard]) if case.guard else Set()
            found |= (self.block(case.body, out, around) | guard) - Set(pattern.stores)
            found |= Set(pattern.loads)
        return found

    def _Return(self, stmt: ast.Return, out: Set[str], around: _Around) -> Set[str]:
        return uses([stmt]) | around.handlers | self._always

    _Raise = _Return

    def _Break(self, stmt: ast.Break, out: Set[str], around: _Around) -> Set[str]:
        return around.leave

    def _Continue(self, stmt: ast.Continue, out: Set[str], around: _Around) -> Set[str]:
        return around.again


def has_stop(node: ast.For) -> bool:
    """Says whether a loop ends its body by ``if flag: break``."""
    last = node.body[-1]
    return isinstance(last, ast.If) and isinstance(last.body[0], ast.Break)


def _is_paddle(module: types.ModuleType | None) -> bool:
    return module is not None and module.__name__.split(".")[0] == "paddle"


def uses(nodes: Iterable[ast.AST]) -> Set[str]:
    """The names that code reads."""
    return Set(Names(nodes).loads)


def kills(stmt: ast.stmt) -> Set[str]:
    """The names that a plain statement surely assigns."""
    if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
        return Set([stmt.name])  # type: ignore[union-attr]
    bound = Names([stmt])
    return Set(bound.stores) - (set(walrus_names([stmt])) - _sure_walrus(stmt))


def _sure_walrus(node: ast.AST) -> Set[str]:
    """The names that ``:=`` surely binds: not behind and, or, if-else or a comparison's chain."""
    found: set[str] = set()
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.NamedExpr):
            found.add(part.target.id)
        if isinstance(part, ast.BoolOp):
            todo.append(part.values[0])
        elif isinstance(part, ast.IfExp):
            todo.append(part.test)
        elif isinstance(part, ast.Compare):
            todo += [part.left, part.comparators[0]]
        elif not isinstance(part, (*FUNCTIONS, ast.ClassDef, ast.comprehension)):
            if not hasattr(part, "generators"):
                todo.extend(ast.iter_child_nodes(part))
    return Set(found)
