"""Taking jumps (return, break, continue) out of a block: what follows moves, or waits for a flag.

Two ways. At the *tail* of a block nothing else follows, so a jump is left out and the rest of the
block moves into the branch that does not jump: no flag is needed. Elsewhere a jump sets a *flag*,
and what follows is put under ``if not flag``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from paddle.jit.transforms.context import NotConvertible
from paddle.jit.transforms.nodes import blocks_of, located, negated

Block = list[ast.stmt]
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_SMALL = 40  # nodes of a rest that may be written into both branches


def falls_through(block: Sequence[ast.stmt]) -> bool:
    """Says whether the end of a block can be reached; when in doubt, yes."""
    return all(_passes(stmt) for stmt in block)


def _passes(stmt: ast.stmt) -> bool:
    if isinstance(stmt, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return False
    if isinstance(stmt, ast.If):
        return falls_through(stmt.body) or falls_through(stmt.orelse)
    if isinstance(stmt, ast.Try):
        plain = falls_through(stmt.body) and falls_through(stmt.orelse)
        handled = any(falls_through(h.body) for h in stmt.handlers)
        return (plain or handled) and falls_through(stmt.finalbody)
    if isinstance(stmt, ast.While) and isinstance(stmt.test, ast.Constant) and stmt.test.value:
        return has_jump(stmt.body, (ast.Break,))
    return True


def has_jump(block: Sequence[ast.AST], kinds: tuple[type, ...]) -> bool:
    """Says whether a block has jumps of these kinds that leave it; loops keep their own."""
    return any(_jumps(stmt, kinds) for stmt in block)


def _jumps(stmt: ast.AST, kinds: tuple[type, ...]) -> bool:
    if isinstance(stmt, kinds):
        return True
    if not isinstance(stmt, (ast.stmt, ast.ExceptHandler, ast.match_case)):
        return False
    inner = tuple(k for k in kinds if k is ast.Return)
    for part, field in blocks_of(stmt):  # type: ignore[arg-type]
        keep = inner if isinstance(stmt, LOOPS) and field == "body" else kinds
        if keep and has_jump(getattr(part, field), keep):
            return True
    return False


def refuse_in_finally(block: Sequence[ast.stmt], kinds: tuple[type, ...]) -> None:
    """Refuses jumps out of ``finally``: they swallow exceptions, which no flag can do."""
    for stmt in block:
        for part, field in blocks_of(stmt):
            inner = getattr(part, field)
            if field == "finalbody" and has_jump(inner, (*kinds, ast.Return)):
                raise NotConvertible(
                    f"line {inner[0].lineno}: return, break or continue inside of finally"
                )
            refuse_in_finally(inner, kinds)


class Jumps:
    """Takes the jumps of some kinds out of a block.

    Args:
        kinds (tuple): ast.Return; or ast.Break and ast.Continue.
        at_tail (Callable): jump -> the statements that stand for it at the tail.
        flagged (Callable): jump -> the statements that set its flag.
        waiting (Callable): statement with jumps inside -> the test that none of them was taken.
        at_end (Callable): block that is not left by a jump -> what its end needs.
        loop (Callable|None): how a loop with jumps inside is handled.
    """

    def __init__(
        self,
        kinds: tuple[type, ...],
        at_tail: Callable[[ast.stmt], Block],
        flagged: Callable[[ast.stmt], Block],
        waiting: Callable[[ast.stmt], ast.expr],
        at_end: Callable[[], Block] = list,
        loop: Callable[[ast.stmt], ast.stmt] | None = None,
    ) -> None:
        self.kinds = kinds
        self._at_tail, self._flagged, self._waiting = at_tail, flagged, waiting
        self._at_end, self._loop = at_end, loop

    def has(self, *block: ast.stmt) -> bool:
        """Says whether statements have jumps of these kinds."""
        return has_jump(block, self.kinds)

    def tail(self, block: Sequence[ast.stmt], at: ast.stmt | None = None) -> Block:
        """Rewrites a block after which nothing of its function or loop body runs.

        Args:
            block (list): the statements.
            at (ast.stmt|None): where an empty block stands in the file.
        """
        out: Block = []
        for i, stmt in enumerate(block):
            if isinstance(stmt, self.kinds):
                return out + [located(s, stmt) for s in self._at_tail(stmt)]
            if not self.has(stmt):
                out.append(stmt)
                if not _passes(stmt):
                    return out
                continue
            rest = list(block[i + 1 :])
            if isinstance(stmt, ast.If) and self._can_move(stmt, rest):
                both = falls_through(stmt.body) and falls_through(stmt.orelse)
                body, orelse = _with_rest(stmt, rest, copied=both)
                return [*out, *_made_if(stmt, self.tail(body, stmt), self.tail(orelse, stmt))]
            test = self._waiting(stmt)
            out.append(self._stmt(stmt))
            ending = self.tail(rest, stmt)
            if ending:
                at = rest[0] if rest else stmt
                out.append(located(_guard(test, ending), at))
            return out
        place = block[-1] if block else at
        return out + [located(s, place) if place else s for s in self._at_end()]

    def _can_move(self, stmt: ast.If, rest: Block) -> bool:
        if not (falls_through(stmt.body) and falls_through(stmt.orelse)):
            return True
        size = sum(1 for s in [*rest, *self._at_end()] for _ in ast.walk(s))
        return size <= _SMALL and not self.has(*rest[:-1])

    def guarded(self, block: Sequence[ast.stmt]) -> Block:
        """Rewrites a block whose jumps set flags: what follows it will ask for them."""
        out: Block = []
        for i, stmt in enumerate(block):
            if isinstance(stmt, self.kinds):
                return out + [located(s, stmt) for s in self._flagged(stmt)]
            if not self.has(stmt):
                out.append(stmt)
                continue
            rest = list(block[i + 1 :])
            if not rest:
                return [*out, self._stmt(stmt)]
            if isinstance(stmt, ast.If) and not (
                falls_through(stmt.body) and falls_through(stmt.orelse)
            ):  # one way
                body, orelse = _with_rest(stmt, rest, copied=False)
                return [*out, *_made_if(stmt, self.guarded(body), self.guarded(orelse))]
            test = self._waiting(stmt)
            out.append(self._stmt(stmt))
            inner = self.guarded(rest)
            out.append(located(_guard(test, inner), rest[0]))
            return out
        return out

    def _stmt(self, stmt: ast.stmt) -> ast.stmt:
        if isinstance(stmt, LOOPS):
            loop = stmt
            if self._loop is not None and has_jump(stmt.body, (ast.Return,)):
                loop = self._loop(stmt)  # type: ignore[assignment]  # a loop gives a loop
            loop.orelse = self.guarded(loop.orelse)
            return loop
        if isinstance(stmt, ast.Try) and stmt.orelse and self.has(*stmt.body):
            # else of try runs only if nothing jumped.
            test, inner = self._guard_of(stmt.body), self.guarded(stmt.orelse)
            stmt.body = self.guarded(stmt.body)
            stmt.orelse = [located(_guard(test, inner), inner[0])]
            for handler in stmt.handlers:
                handler.body = self.guarded(handler.body)
            return stmt
        for part, field in blocks_of(stmt):
            setattr(part, field, self.guarded(getattr(part, field)))
        return stmt

    def _guard_of(self, block: Block) -> ast.expr:
        return self._waiting(ast.If(test=ast.Constant(value=True), body=block, orelse=[]))


def _guard(test: ast.expr, body: Block) -> ast.If:
    """``if not flag: body``: reached only where the code before it was not left."""
    made = ast.If(test=test, body=body, orelse=[])
    made.guard = True  # type: ignore[attr-defined]
    return made


def _with_rest(stmt: ast.If, rest: Block, copied: bool) -> tuple[Block, Block]:
    body, orelse = list(stmt.body), list(stmt.orelse)
    if falls_through(body):
        body += rest
    if falls_through(orelse):
        orelse += copy.deepcopy(rest) if copied else rest
    return body, orelse


def _made_if(stmt: ast.If, body: Block, orelse: Block) -> Block:
    if not body and orelse:  # "if not c: rest" reads better than "if c: pass; else: rest"
        stmt.test = located(negated(stmt.test), stmt.test)
        body, orelse = orelse, []
    stmt.body, stmt.orelse = body or [ast.copy_location(ast.Pass(), stmt)], orelse
    return [stmt]
