"""Definite assignment: which names have a value at each statement; reads that may find none."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from paddle.jit.transforms.context import Context
from paddle.jit.transforms.flow import kills
from paddle.jit.transforms.names import (
    Names,
    all_args,
    body_of,
    comprehension_names,
    local_names,
    outer_parts,
)
from paddle.jit.transforms.nodes import COMPREHENSIONS, FUNCTIONS, located, own_nodes


class _State:
    """What is known where a statement starts.

    Attributes:
        bound (set): names with a value, as the user's code has it.
        there (set): names that can be read without an error of Python: a value or a stand-in.
        maybe (set): names that may have a value.
        dead (bool): the place is never reached.
    """

    def __init__(self, bound: set[str], there: set[str], maybe: set[str]) -> None:
        self.bound, self.there, self.maybe = bound, there, maybe
        self.dead = False

    def copy(self) -> _State:
        found = _State(set(self.bound), set(self.there), set(self.maybe))
        found.dead = self.dead
        return found

    def bind(self, *names: str) -> None:
        for part in (self.bound, self.there, self.maybe):
            part.update(names)

    def join(self, other: _State) -> _State:
        if self.dead or other.dead:
            found = (other if self.dead else self).copy()
            found.maybe |= self.maybe | other.maybe
            found.dead = self.dead and other.dead
            return found
        return _State(
            self.bound & other.bound, self.there & other.there, self.maybe | other.maybe
        )  # fmt: skip


class Binding:
    """Decides where carried names need a stand-in, and finds reads that must be checked.

    Args:
        node (ast.FunctionDef): the function; its statements have ``carried`` noted.
        own (set): its local names.
        carried (set): the names that are carried anywhere in it.

    Attributes:
        at_start (list): names that get their stand-in at the start of the function.
    """

    def __init__(self, node: ast.FunctionDef, own: set[str], carried: set[str]) -> None:
        self._node, self._own, self._carried = node, own, carried
        self.at_start: list[str] = []
        self._doubtful: list[ast.Name] = []
        self._guards = 0
        # Bodies that become functions, from the outside in: their own names, their stand-ins.
        self._bodies: list[tuple[set[str], list[str]]] = []
        self._added = 0

    def run(self) -> None:
        """Walks the function, again whenever a name turns out to need its stand-in earlier."""
        params = {a.arg for a in all_args(self._node.args)}
        while True:
            known = len(self.at_start), self._added
            start = set(self.at_start)
            self._doubtful = []
            self._block(self._node.body, _State(set(params), params | start, params | start))
            if (len(self.at_start), self._added) == known:
                return

    def check_reads(self, context: Context) -> None:
        """Makes reads of names that may have a stand-in ask whether they do."""
        stand_ins = set(self.at_start)
        for node in ast.walk(self._node):
            if hasattr(node, "carried"):
                stand_ins.update(node.carried.undefined)
                stand_ins.update(node.carried.first)
            stand_ins.update([node.unbinds] if hasattr(node, "unbinds") else [])
        reads = {id(n) for n in self._doubtful if n.id in stand_ins}
        # Of closures nobody knows when they run.
        for node in own_nodes(self._node.body):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                reads |= _free_reads(node, stand_ins & self._own)
        _Check(reads, context).visit(self._node)

    # -- statements ----------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], state: _State) -> _State:
        for stmt in body:
            state = self._stmt(stmt, state)
        return state

    def _stmt(self, stmt: ast.stmt, state: _State) -> _State:
        handler = getattr(self, "_" + type(stmt).__name__, None)
        if handler is not None:
            found: _State = handler(stmt, state)
            return found
        if isinstance(stmt, FUNCTIONS):
            parts = [*stmt.decorator_list, *outer_parts(stmt.args)]  # type: ignore[union-attr]
            self._reads(parts, state)
        else:
            self._reads([stmt], state)
        names = Names([stmt])
        state.bind(*kills(stmt))
        gone = names.deleted & set(names.stores)
        for name in [*gone, *([stmt.unbinds] if hasattr(stmt, "unbinds") else [])]:
            self._unbind(name, state)
        return state

    def _unbind(self, name: str, state: _State) -> None:
        state.bound.discard(name)
        if name not in self._carried:
            state.there.discard(name)
            state.maybe.discard(name)

    def _leave(self, stmt: ast.stmt, state: _State) -> _State:
        self._reads([stmt], state)
        state.dead = True
        return state

    _Return = _Raise = _Break = _Continue = _leave

    def _If(self, stmt: ast.If, state: _State) -> _State:
        self._reads([stmt.test], state)
        state.bind(*kills(ast.copy_location(ast.Expr(value=stmt.test), stmt)))
        if not hasattr(stmt, "carried"):
            body = self._block(stmt.body, state.copy())
            return body.join(self._block(stmt.orelse, state.copy()))
        self._stand_ins(stmt, state)
        self._guards += hasattr(stmt, "guard")
        body = self._block(stmt.body, self._entered(stmt, state))
        orelse = self._block(stmt.orelse, self._entered(stmt, state))
        del self._bodies[-2:]
        self._guards -= hasattr(stmt, "guard")
        return self._after(stmt, state, body.join(orelse))

    def _While(self, stmt: ast.While, state: _State) -> _State:
        return self._loop(stmt, state, [stmt.test], [])

    def _For(self, stmt: ast.For, state: _State) -> _State:
        self._reads([stmt.iter], state)
        return self._loop(stmt, state, [], list(Names([stmt.target]).stores))

    def _loop(self, stmt: Any, state: _State, test: list, target: list[str]) -> _State:
        names = Names([stmt])
        state.bound -= names.deleted | _unbound(stmt)
        if hasattr(stmt, "carried"):
            self._stand_ins(stmt, state)
            start = self._entered(stmt, state)
        else:
            state.there -= names.deleted - self._carried
            start = state.copy()
            start.maybe |= set(names.stores)
        self._reads(test, start)
        start.bind(*target)
        body = self._block(stmt.body, start)
        if getattr(stmt, "enters", False):
            after = body
        else:
            after = body.join(state)
        if hasattr(stmt, "carried"):
            self._bodies.pop()
            return self._after(stmt, state, after)
        return after.join(self._block(stmt.orelse, state.copy()))

    def _stand_ins(self, stmt: Any, state: _State) -> None:
        stmt.carried.undefined = []
        for name in stmt.carried.locals:
            if name in state.there:
                continue
            idle = state.dead or name not in stmt.live_in
            if idle or name not in state.maybe:
                stmt.carried.undefined.append(name)
            else:
                self._earlier(name)
            state.there.add(name)

    def _earlier(self, name: str) -> None:
        """Gives a name its stand-in at the start of the function that it is a local name of."""
        for own, first in reversed(self._bodies):
            if name in own:
                if name not in first:
                    first.append(name)
                    self._added += 1
                return
        if name not in self.at_start:
            self.at_start.append(name)

    def _entered(self, stmt: Any, state: _State) -> _State:
        """The start of a body that becomes a function: it has names of its own, and parameters."""
        carried = set(stmt.carried.locals)
        parts = [*stmt.body, *stmt.orelse]
        if isinstance(stmt, ast.For):
            parts.append(stmt.target)
        own = set(Names(parts).stores) - carried
        first = set(stmt.carried.first)
        self._bodies.append((own, stmt.carried.first))
        found = state.copy()
        found.bound -= own
        found.there = (state.there - own) | carried | first
        found.maybe = (state.maybe - own) | carried | first
        return found

    def _after(self, stmt: Any, before: _State, inside: _State) -> _State:
        carried = set(stmt.carried.locals)
        names = Names([stmt])
        bound = inside.bound | (before.bound - set(names.stores))
        found = _State(bound, before.there | carried, before.maybe | carried)
        found.dead = inside.dead
        return found

    def _Try(self, stmt: ast.Try, state: _State) -> _State:
        names = Names(stmt.body)
        handled = state.copy()
        handled.bound -= names.deleted | _unbound(stmt)
        handled.there -= names.deleted - self._carried
        handled.maybe |= set(names.stores)
        end = self._block(stmt.orelse, self._block(stmt.body, state.copy()))
        for handler in stmt.handlers:
            start = handled.copy()
            if handler.type is not None:
                self._reads([handler.type], start)
            if handler.name:
                start.bind(handler.name)
            one = self._block(handler.body, start)
            if handler.name:
                one.bound.discard(handler.name)
                one.there.discard(handler.name)
            end = end.join(one)
        if not stmt.finalbody:
            return end
        final = handled.copy()
        everything = Names([*stmt.body, *stmt.orelse, *stmt.handlers])
        final.maybe |= set(everything.stores)
        final.bound -= everything.deleted
        final.there -= everything.deleted - self._carried
        last = self._block(stmt.finalbody, final.copy())
        gone = set(Names(stmt.finalbody).deleted).union(*map(_unbound, stmt.finalbody))
        end.bound -= gone - last.bound
        end.there -= final.there - last.there
        end.bind(*(last.bound - handled.bound))
        end.dead = end.dead or last.dead
        return end

    _TryStar = _Try

    def _With(self, stmt: ast.With, state: _State) -> _State:
        for item in stmt.items:
            self._reads([item.context_expr], state)
            if item.optional_vars is not None:
                state.bind(*Names([item.optional_vars]).stores)
        before = state.copy()
        before.maybe |= set(Names(stmt.body).stores)
        before.bound -= Names(stmt.body).deleted | _unbound(stmt)
        return self._block(stmt.body, state).join(before)

    def _Match(self, stmt: ast.Match, state: _State) -> _State:
        self._reads([stmt.subject], state)
        end = state.copy()
        for case in stmt.cases:
            start = state.copy()
            start.bind(*Names([case.pattern]).stores)
            if case.guard is not None:
                self._reads([case.guard], start)
            end = end.join(self._block(case.body, start))
        return end

    # -- reads ---------------------------------------------------------------------------------

    def _reads(self, nodes: Sequence[ast.AST], state: _State) -> None:
        for node in nodes:
            self._look(node, state.bound)

    def _look(self, node: ast.AST, safe: set[str]) -> None:
        if isinstance(node, ast.Name):
            doubtful = isinstance(node.ctx, ast.Load) and node.id not in safe
            if doubtful and node.id in self._own:
                node.guarded = self._guards > 0  # type: ignore[attr-defined]
                self._doubtful.append(node)
            return
        if isinstance(node, FUNCTIONS):
            return
        if isinstance(node, COMPREHENSIONS):
            safe = safe | comprehension_names(node)
        if isinstance(node, ast.AugAssign):
            self._look(node.target, safe)
        for part in ast.iter_child_nodes(node):
            self._look(part, safe)


def _free_reads(node: ast.AST, names: set[str]) -> set[int]:
    """The reads of some names of the surrounding function inside of a nested function or class."""
    if isinstance(node, FUNCTIONS):
        names = names - local_names(node)
    found: set[int] = set()
    todo = body_of(node) if names else []
    while todo:
        part = todo.pop()
        if isinstance(part, (*FUNCTIONS, ast.ClassDef)):
            found |= _free_reads(part, names)
        elif isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Load) and part.id in names:
                found.add(id(part))
        else:
            todo.extend(ast.iter_child_nodes(part))
    return found


def _unbound(stmt: ast.AST) -> set[str]:
    return {node.unbinds for node in ast.walk(stmt) if hasattr(node, "unbinds")}


class _Check(ast.NodeTransformer):
    def __init__(self, reads: set[int], context: Context) -> None:
        self._reads, self._context = reads, context

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        self.generic_visit(node)
        idle = hasattr(node, "of_del") and isinstance(node.value, ast.Name)
        return None if idle else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if id(node) in self._reads:
            keywords = {}
            if getattr(node, "guarded", False):
                # The branch that did not assign it has left: where this runs, it has a value.
                keywords["guarded"] = ast.Constant(value=True)
            return located(self._context.call("defined", node, **keywords), node)
        return node
