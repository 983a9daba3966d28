"""Functions inside the generated one, for blocks that are nested too deeply for Python.

Python allows 20 loops inside of each other and 100 levels of indentation. Beyond a depth a block
becomes a function of its own, which shares the variables of the function around it.
"""

from __future__ import annotations

import ast
import contextlib
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddle.core.parsing import parse

if TYPE_CHECKING:
    from paddle.executor.codegen import Emitter

DEEPEST = 16


@contextlib.contextmanager
def indented(em: Emitter) -> Iterator[None]:
    """Writes the lines inside one level deeper; ``pass`` if there are none."""
    if em.depth < DEEPEST:
        em.depth += 1
        before = len(em.lines)
        try:
            yield
            if len(em.lines) == before:
                em.line("pass")
        finally:
            em.depth -= 1
        return
    name = em.temporary("part")
    outside = em.lines, em.origin, em.depth
    em.lines, em.origin, em.depth = [], [], 3
    try:
        yield
        lines, origin = em.lines or ["            pass"], em.origin or [None]
    finally:
        em.lines, em.origin, em.depth = outside
    shared = assigned(lines)
    head = [f"        def {name}():"]
    if shared:
        head.append("            nonlocal " + ", ".join(sorted(shared)))
    em.functions += [(line, None) for line in head]
    em.functions += zip(lines, origin, strict=True)
    em.shared |= shared
    em.depth += 1
    em.line(f"{name}()")
    em.depth -= 1


def assigned(lines: list[str]) -> set[str]:
    """The names that lines of Python assign or delete."""
    tree = parse(textwrap.dedent("\n".join(lines)))
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
