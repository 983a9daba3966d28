"""``break`` and ``continue``: flags, and the rest of the body in the branch that goes on."""

from __future__ import annotations

import ast

from paddle.jit.transforms.conditions import has_walrus
from paddle.jit.transforms.context import Context, NotConvertible, ScopedTransformer
from paddle.jit.transforms.jumps import Block, Jumps, has_jump, refuse_in_finally
from paddle.jit.transforms.nodes import blocks_of, joined, load, located, negated, set_flag

_KINDS = (ast.Break, ast.Continue)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the loops of a function and of the functions in it.

    A ``while`` loop asks for the flags in its condition. A ``for`` loop ends its body by
    ``if flag: break``, the one ``break`` that remains, for the loop transform to take. ``else`` of
    a loop moves behind it.
    """
    return _BreakContinue(context).visit(tree)


class _BreakContinue(ScopedTransformer):
    def visit_For(self, node: ast.For) -> Block:
        return self._rewritten(node)

    def visit_While(self, node: ast.While) -> Block:
        return self._rewritten(node)

    def _rewritten(self, node: ast.For | ast.While) -> Block:
        refuse_in_finally(node.body, _KINDS)
        self.generic_visit(node)
        return [node] if self.in_class else _loop(node, self.context)


def _loop(node: ast.For | ast.While, context: Context) -> Block:
    out: Block = []
    if isinstance(node, ast.While) and has_walrus(node.test):
        if has_jump(node.orelse, _KINDS):
            raise NotConvertible(f"line {node.lineno}: := in the condition of a while ... else")
        _unfold_test(node)
    flags = _Flags(context)
    if has_jump(node.body, _KINDS):
        jumps = Jumps(_KINDS, flags.at_tail, flags.flagged, flags.waiting)
        node.body = jumps.tail(node.body, node) or [ast.copy_location(ast.Pass(), node)]
        if flags.skipping:
            node.body.insert(0, located(set_flag(flags.skipping, False), node.body[0]))
        if flags.own:
            out.append(located(set_flag(flags.own, False), node))
    leaving = flags.leaving()
    out.append(node)
    if node.orelse:
        after = node.orelse
        node.orelse = []
        if leaving:
            test = negated(joined(ast.Or(), [load(f) for f in leaving]))
            out.append(located(ast.If(test=test, body=after, orelse=[]), after[0]))
        else:
            out += after
    if leaving:
        _leave(node, leaving)
    return out


def _leave(node: ast.For | ast.While, leaving: list[str]) -> None:
    test = joined(ast.Or(), [load(f) for f in leaving])
    if isinstance(node, ast.For):
        stop = ast.If(test=test, body=[ast.Break()], orelse=[])
        node.body.append(located(stop, node))
        return
    go_on = negated(test)
    if isinstance(node.test, ast.Constant) and node.test.value:
        node.enters = True  # type: ignore[attr-defined]
        node.test = located(go_on, node.test)
    else:
        node.test = located(ast.BoolOp(op=ast.And(), values=[go_on, node.test]), node.test)


def _unfold_test(node: ast.While) -> None:
    """``while (n := f()): body`` as ``while True: if not (n := f()): break; body``.

    A condition becomes a function of its own, in which ``:=`` would bind another variable.
    """
    leave = ast.If(test=negated(node.test), body=[*node.orelse, ast.Break()], orelse=[])
    node.body.insert(0, located(leave, node))
    node.orelse = []
    node.test = located(ast.Constant(value=True), node.test)


class _Flags:
    """The flags of one loop, made when they are needed."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.own = ""
        self.skipping = ""
        self._foreign: list[str] = []

    def leaving(self) -> list[str]:
        """The flags that end the loop."""
        return self._foreign + ([self.own] if self.own else [])

    def _break_flag(self, jump: ast.stmt) -> str:
        flag = getattr(jump, "flag", "")  # return has set a flag of its own already
        if flag:
            if flag not in self._foreign:
                self._foreign.append(flag)
            return flag
        if not self.own:
            self.own = self._context.fresh("break")[0]
        return self.own

    def at_tail(self, jump: ast.stmt) -> Block:
        if isinstance(jump, ast.Continue):
            return []
        flag = self._break_flag(jump)
        return [] if getattr(jump, "flag", "") else [set_flag(flag, True)]

    def flagged(self, jump: ast.stmt) -> Block:
        if isinstance(jump, ast.Continue):
            return [set_flag(self._skip_flag(), True)]
        return self.at_tail(jump)

    def _skip_flag(self) -> str:
        if not self.skipping:
            self.skipping = self._context.fresh("continue")[0]
        return self.skipping

    def waiting(self, stmt: ast.stmt) -> ast.expr:
        flags: dict[str, None] = {}
        self._collect([stmt], flags)
        return negated(joined(ast.Or(), [load(f) for f in flags]))

    def _collect(self, block: Block, flags: dict[str, None]) -> None:
        for stmt in block:
            if isinstance(stmt, ast.Continue):
                flags.setdefault(self._skip_flag())
            elif isinstance(stmt, ast.Break):
                flags.setdefault(self._break_flag(stmt))
            for part, field in blocks_of(stmt):
                if not (isinstance(stmt, (ast.For, ast.While)) and field == "body"):
                    self._collect(getattr(part, field), flags)
