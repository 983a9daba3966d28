"""JoinedPlan: a Program and its gradients compiled together, as one function each.

The passes see forward and backward as one Program, so both can be fused. Then it is cut in two:
``step`` computes the results and returns what the gradients need besides, ``back`` goes on there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.core.parsing import parse
from paddle.executor.codegen import Emitter
from paddle.executor.limits import limit_lines
from paddle.executor.plan import Plan
from paddle.ir.autodiff.backward import gradients
from paddle.ir.autodiff.gradient_flow import carries, flags_of, slots_out
from paddle.ir.block import Block
from paddle.ir.cloning import clone
from paddle.ir.needs import gradient_needs, inner_names, is_gradient
from paddle.ir.operator import Operator, Role
from paddle.ir.program import Program
from paddle.passes import prepare
from paddle.passes.in_place import mark_in_place
from paddle.passes.lifetimes import mark_lifetimes
from paddle.passes.sparse_updates import gather_gradients

# Marks say which values may be overwritten or dropped. They come after the cut is known.
_MARKS = ("in_place", "lifetimes")


class JoinedPlan(Plan):
    """Compiles a Program together with the gradients of some of its variables.

    Args:
        program (Program): the forward part; stays as it is.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables to return.
        wrt (Sequence[str]): fed or stored variables whose gradients are computed.

    Attributes:
        through (list[str]): the fetched variables that a gradient comes back through, each once.
        found (list[bool]): for each of ``wrt`` whether there is a gradient. That of a table
            may be :class:`paddle.core.selected_rows.Rows`.
    """

    def __init__(
        self, program: Program, feeds: Sequence[str], fetches: Sequence[str], wrt: Sequence[str]
    ) -> None:
        joined = clone(program)
        self.results = list(fetches)
        flags = connected(joined, wrt)
        self.through = through = list(dict.fromkeys(n for n in fetches if n in flags))
        given, grads = differentiated(joined, through, wrt)
        self.found = [g is not None for g in grads]
        self.forward_feeds = list(feeds)
        made = [g for g in grads if g is not None]
        names, asked = [*feeds, *given], [*fetches, *made]
        prepared = prepare(joined, names, asked, skipped=_MARKS)
        gather_gradients(prepared, fetches, _of_stored(prepared, wrt, grads))
        mark_in_place(prepared, names, [*asked, *_crossing(prepared)])
        mark_lifetimes(prepared, names, asked)
        self._given, self._made_grads = given, made
        super().__init__(prepared, names, asked)

    def _emitter(self, op_callback: Any, keeps_rank_0: bool) -> Emitter:
        return _JoinedEmitter(
            self.program, self.forward_feeds, self._given, self.results, self._made_grads,
            keeps_rank_0,
        )  # fmt: skip


def _backward(op: Operator) -> bool:
    return bool(op.role & Role.BACKWARD) and op.role != Role.NOT_SPECIFIED


def connected(program: Program, wrt: Sequence[str]) -> set[str]:
    """Marks the leaves that need a gradient; returns the variables that depend on them."""
    block = program.global_block()
    names = set(wrt)
    for name, var in block.vars.items():
        if var.persistable or var.is_data:
            var.stop_gradient = name not in names
    found: set[str] = set()
    flags = flags_of(block, block.ops, lambda var, made: var.name in names and not made)
    for op, marked in zip(block.ops, flags, strict=True):
        carried = [n for s in slots_out(op) for n in op.outputs.get(s, ())] if marked else []
        for name in op.output_arg_names:
            made = block._find_var_recursive(name)
            if name in carried and made is not None and not made.stop_gradient and carries(made):
                found.add(name)
            else:
                found.discard(name)
    return found


def differentiated(
    program: Program, through: list[str], wrt: Sequence[str]
) -> tuple[list[str], list[str | None]]:
    """Adds the gradients; returns the names that are given and those that are found."""
    if not through:
        return [], [None] * len(wrt)
    block = program.global_block()
    last = block.ops[-1]  # gradients may copy values before it that it overwrites
    given = []
    for name in through:
        var = block.var(name)
        options = {"shape": var.shape, "dtype": var.dtype, "is_data": True, "stop_gradient": True}
        given.append(block.create_var(name=f"{name}@GIVEN", **options))
    targets = [block.var(n) for n in through]
    grads = gradients(targets, [block.var(n) for n in wrt], given)
    for op in block.ops[block.ops.index(last) + 1 :]:
        op.attrs["op_role"] = int(Role.BACKWARD)
    return [v.name for v in given], [None if g is None else g.name for g in grads]


def _of_stored(program: Program, wrt: Sequence[str], grads: Sequence[str | None]) -> dict[str, str]:
    """Gradient -> stored variable, of those variables that have one."""
    block = program.global_block()
    pairs = [(g, w) for g, w in zip(grads, wrt, strict=True) if g is not None]
    return {g: w for g, w in pairs if w in block.vars and block.var(w).persistable}


def _crossing(program: Program) -> set[str]:
    """Values that the forward part makes and the backward part reads."""
    made: set[str] = set()
    read: set[str] = set()
    for op in program.global_block().ops:
        if _backward(op):
            read.update(gradient_needs(op)[0] if is_gradient(op) else op.input_arg_names)
            read |= inner_names(op)
        else:
            made.update(op.output_arg_names)
    return made & read


class _JoinedEmitter(Emitter):
    """Writes two functions: the operators before the first gradient, and the rest."""

    def __init__(
        self, program: Program, feeds: Sequence[str], given: Sequence[str],
        results: Sequence[str], grads: Sequence[str], keep_rank_0: bool,
    ) -> None:  # fmt: skip
        self._cut: int | None = None
        self._results, self._given, self._grads = list(results), list(given), list(grads)
        super().__init__(program, [*feeds, *given], [*results, *grads], None, keep_rank_0)

    def operator(self, op: Operator) -> None:
        if self._cut is None and _backward(op) and op.block.idx == 0:
            self._finish_forward(op.block)
        super().operator(op)

    def _finish_forward(self, top: Block) -> None:
        current, self._current = self._current, None
        self._returned = [self.read(n) for n in self._results]
        self._hand_over(top)
        self.written.clear()
        self._cut = len(self.lines)
        for text in limit_lines(self):
            self.line(text)
        self._current = current

    def source(self) -> str:
        """Writes both functions and returns their source."""
        top = self.program.global_block()
        args = [self._fed(name) for name in self.feeds]
        inputs, given = args[: len(args) - len(self._given)], args[len(args) - len(self._given) :]
        self.block(top, kept=self.fetches)
        self._current = None
        if self._cut is None:
            self._finish_forward(top)
        found = [self.read(n) for n in self._grads]
        self._hand_over(top)
        if self.functions:
            raise PreconditionNotMetError(
                "to_static: control flow is nested too deeply to be differentiated as a whole.",
                hint="move the inner loops into a function of their own that is called less deep",
            )
        self._prologue[:0] = limit_lines(self)
        cut = self._cut or 0
        first, second = self.lines[:cut], self.lines[cut:]
        saved, unsure = _saved(self._prologue, inputs, first, [*second, f"        {_tuple(found)}"])
        second = _without_strange_drops(second, [*saved, *given])
        held = _tuple(saved)
        parts: list[list[tuple[str, Operator | None]]] = [
            [(text, None) for text in self._notes()],
            [(f"def bind({', '.join(self._slots.values())}):", None)],
            [(f"    {text}", op) for text, op in self._bind_lines],
            [(f"    def step({', '.join(inputs)}):", None)],
            [(f"        {' = '.join([*unsure, 'None'])}", None)] if unsure else [],
            [(f"        {text}", None) for text in self._prologue],
            list(zip(first, self.origin[:cut], strict=True)),
            [(f"        return {_tuple(self._returned)}, {held}", None)],
            [(f"    def back({', '.join(['saved', *given])}):", None)],
            [(f"        {held} = saved", None), ("        saved.clear()", None)] if saved else [],
            list(zip(second, self.origin[cut:], strict=True)),
            [(f"        return {_tuple(found)}", None)],
        ]
        pairs = [pair for part in parts for pair in part]
        self.origin = [op for _, op in pairs]
        return "\n".join([*(text for text, _ in pairs), "    return step, back", ""])


def _tuple(names: Iterable[str]) -> str:
    return "(" + "".join(f"{n}, " for n in names).rstrip() + ")"


def _saved(prologue: list[str], args: list[str], first: list[str], second: list[str]) -> tuple:
    """Which local variables the second function reads, and those that may not be set then."""
    certain = set(args)
    maybe: set[str] = set()
    for statement in _parsed([*(f"        {text}" for text in prologue), *first]).body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            certain |= _names(statement, ast.Store)
        elif isinstance(statement, ast.Delete):
            dropped = _names(statement, ast.Del)
            certain -= dropped
            maybe -= dropped
        else:
            maybe |= _names(statement, ast.Store) - _names(statement, ast.Del)
    rest = _parsed(second)
    maybe -= _written_first(rest)
    names = sorted(_names(rest, ast.Load) & (certain | maybe))
    return names, [n for n in names if n not in certain]


def _written_first(tree: ast.Module) -> set[str]:
    """Names that are assigned before they are read, going by the text."""
    first: dict[str, tuple[int, bool]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):  # of one line, what is read comes before what is assigned
            place = node.lineno, isinstance(node.ctx, ast.Store)
            first[node.id] = min(first.get(node.id, place), place)
    return {name for name, (_, stored) in first.items() if stored}


def _without_strange_drops(lines: list[str], known: list[str]) -> list[str]:
    """Leaves out of ``del`` what only the first function knows."""
    there = {*known, *_names(_parsed(lines), ast.Store)}
    made = []
    for line in lines:
        text = line.lstrip()
        if text.startswith("del "):
            kept = [n for n in text[4:].split(", ") if n in there]
            text = "del " + ", ".join(kept) if kept else "pass"
            line = line[: len(line) - len(line.lstrip())] + text
        made.append(line)
    return made


def _parsed(lines: list[str]) -> ast.Module:
    """Lines of a function body that is indented twice."""
    return parse("\n".join(line[8:] for line in lines))


def _names(tree: ast.AST, kind: type) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, kind)}
