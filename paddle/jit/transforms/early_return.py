"""``return`` inside of ifs, loops, with and try: one way out, at the end of the function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from paddle.jit.transforms.conditions import python_only
from paddle.jit.transforms.context import Context, ScopedTransformer
from paddle.jit.transforms.declarations import insert_first
from paddle.jit.transforms.jumps import (
    LOOPS,
    Block,
    Jumps,
    falls_through,
    has_jump,
    refuse_in_finally,
)
from paddle.jit.transforms.nodes import blocks_of, load, located, negated, set_flag, set_name

_KINDS = (ast.Return,)


def transform(tree: ast.AST, context: Context) -> ast.AST:
    """Rewrites the returns of a function and of the functions in it."""
    return _EarlyReturn(context).visit(tree)


class _EarlyReturn(ScopedTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if getattr(node, "kept", False):
            return node
        super().visit_FunctionDef(node)
        if any(has_jump([s], _KINDS) for s in node.body if not isinstance(s, ast.Return)):
            refuse_in_finally(node.body, _KINDS)
            _Returns(self).rewrite(node)
        return node


class _Returns:
    """The returns of one function."""

    def __init__(self, scopes: ScopedTransformer) -> None:
        self._scopes = scopes
        self._names: list[str] = []
        self._flag_used = False
        self._jumps = Jumps(
            _KINDS, self._at_tail, self._flagged, self._waiting, self._at_end, self._loop
        )

    def rewrite(self, function: ast.FunctionDef) -> None:
        function.body = self._open_block(function.body, is_end=True)
        if self._flag_used:
            first = located(set_flag(self._flag, False), function.body[0])
            insert_first(function, [first])

    # -- blocks in which a plain return may stay -----------------------------------------------

    def _open_block(self, block: Block, is_end: bool) -> Block:
        out: Block = []
        for i, stmt in enumerate(block):
            if isinstance(stmt, ast.Return):
                return [*out, stmt]
            if not has_jump([stmt], _KINDS):
                out.append(stmt)
                continue
            rest = block[i:]
            if self._can_stay(stmt):
                for part, field in blocks_of(stmt):
                    setattr(part, field, self._open_block(getattr(part, field), False))
                out.append(stmt)
                continue
            assert is_end or not falls_through(rest)
            out += self._jumps.tail(rest, stmt)
            last = located(ast.Return(value=load(self._value)), rest[-1])
            return [*out, last]
        return out

    def _can_stay(self, stmt: ast.stmt) -> bool:
        """Whether returns may stay in a statement: Python alone decides whether they run."""
        if isinstance(stmt, ast.If):
            if not python_only(stmt.test, self._scopes):
                return False
        elif not isinstance(stmt, (ast.With, ast.Try, ast.Match)):
            return False
        return all(self._block_can_stay(getattr(part, field)) for part, field in blocks_of(stmt))

    def _block_can_stay(self, block: Sequence[ast.stmt]) -> bool:
        for i, stmt in enumerate(block):
            if isinstance(stmt, ast.Return):
                return True
            if has_jump([stmt], _KINDS) and not self._can_stay(stmt):
                return not falls_through(block[i:])
        return True

    # -- what a return becomes elsewhere -------------------------------------------------------

    @property
    def _flag(self) -> str:
        if not self._names:
            self._names = self._scopes.context.fresh("return", "return_value")
        return self._names[0]

    @property
    def _value(self) -> str:
        assert self._flag
        return self._names[1]

    def _at_tail(self, stmt: ast.stmt) -> Block:
        assert isinstance(stmt, ast.Return)
        return [set_name(self._value, stmt.value or ast.Constant(value=None))]

    def _flagged(self, stmt: ast.stmt) -> Block:
        self._flag_used = True
        return [*self._at_tail(stmt), set_flag(self._flag, True)]

    def _waiting(self, stmt: ast.stmt) -> ast.expr:
        self._flag_used = True
        return negated(load(self._flag))

    def _at_end(self) -> Block:
        return [set_name(self._value, ast.Constant(value=None))]

    def _loop(self, loop: ast.stmt) -> ast.stmt:
        loop.body = self._in_loop(loop.body)  # type: ignore[attr-defined]
        return loop

    def _in_loop(self, block: Block) -> Block:
        out: Block = []
        for stmt in block:
            if isinstance(stmt, ast.Return):
                leave = [*self._flagged(stmt), self._leave()]
                return out + [located(s, stmt) for s in leave]
            inner_loop = isinstance(stmt, LOOPS) and has_jump(stmt.body, _KINDS)
            for part, field in blocks_of(stmt):
                setattr(part, field, self._in_loop(getattr(part, field)))
            out.append(stmt)
            if inner_loop:
                test = load(self._flag)
                out.append(located(ast.If(test=test, body=[self._leave()], orelse=[]), stmt))
        return out

    def _leave(self) -> ast.stmt:
        leave = ast.Break()
        leave.flag = self._flag  # type: ignore[attr-defined]
        return leave
