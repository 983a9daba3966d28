"""What ``PADDLE_DEBUG=passes`` prints of a pass: its time, what it matched, what it changed."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.passes.fusion import Replacement

# Operators by their id, each with the attributes that it had.
_Operators = dict[int, tuple[Operator, dict[str, Any]]]


def run_and_report(
    name: str,
    rewrite: Callable[[Program, Sequence[str], Sequence[str]], list[Replacement] | None],
    program: Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
) -> None:
    """Runs a pass and prints what it did.

    A line tells the time and the number of operators before and after. Then comes what was matched:
    operators that became others, were taken away or added, with the user's lines they come from,
    and how many were marked; at last the lines of the Program that differ.

    Args:
        name (str): the pass.
        rewrite (callable): its function.
        program (Program): what it changes.
        feeds (Sequence[str]): variables that are given.
        fetches (Sequence[str]): variables that are asked for.
    """
    text, before = str(program), _operators(program)
    start = perf_counter()
    replaced = rewrite(program, feeds, fetches)
    milliseconds = (perf_counter() - start) * 1e3
    after = _operators(program)
    print(f"# pass {name}: {milliseconds:.2f} ms, {len(before)} -> {len(after)} operators")
    for line in (*_matched(before, after, replaced or []), *_marked(before, after)):
        print(f"#   {line}")
    lines = difflib.unified_diff(
        text.splitlines(), str(program).splitlines(), "before", name, n=0, lineterm=""
    )
    for line in lines:
        print(line)


def _operators(program: Program) -> _Operators:
    return {id(op): (op, dict(op.attrs)) for block in program.blocks for op in block.ops}


def _matched(before: _Operators, after: _Operators, replaced: list[Replacement]) -> Iterator[str]:
    """A line for each group of operators, and below it the lines of the user."""
    told = {id(op) for done in replaced for op in (*done.old, *done.new)}
    for old, new in replaced:
        yield f"{_types(old)} -> {_types(new)}"
        yield from _locations(old)
    gone = [op for key, (op, _) in before.items() if key not in after and key not in told]
    come = [op for key, (op, _) in after.items() if key not in before and key not in told]
    for what, ops in (("removed", gone), ("added", come)):
        for op in ops:
            yield f"{what} {op.type}"
            yield from _locations([op])


def _types(ops: Iterable[Operator]) -> str:
    return ", ".join(op.type for op in ops)


def _locations(ops: Iterable[Operator]) -> Iterator[str]:
    """The different lines of the user that some operators come from."""
    found = dict.fromkeys(str(op.location) for op in ops if op.location)
    return (f"  {location}".replace("\n    ", ": ") for location in found)


def _marked(before: _Operators, after: _Operators) -> Iterator[str]:
    """For each attribute that was set or changed, on how many operators of each type."""
    counts: dict[str, Counter[str]] = {}
    for key, (op, attrs) in after.items():
        if key in before:
            earlier = before[key][1]
            for name in attrs:
                if name not in earlier or earlier[name] != attrs[name]:
                    counts.setdefault(name, Counter())[op.type] += 1
    for name, types in counts.items():
        listed = ", ".join(f"{count} {type}" for type, count in types.items())
        yield f"marked with {name}: {listed}"
