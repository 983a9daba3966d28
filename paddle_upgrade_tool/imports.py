"""The import statements: what nothing uses any more goes, `import paddle` and the mode come."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .names import Import

if TYPE_CHECKING:
    from .convert import File

_FLUID = "paddle.fluid"


def of_fluid(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether a statement imports something of fluid."""
    return any(_full(node, alias).startswith(_FLUID) for alias in node.names)


def _full(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    if isinstance(node, ast.Import):
        return alias.name
    if node.level or not node.module:
        return ""
    return node.module if alias.name == "*" else f"{node.module}.{alias.name}"


def edit(file: File) -> list[tuple[int, int, str]]:
    """Return the changes to import statements, and the line that turns static mode on."""
    edits: list[tuple[int, int, str]] = []
    remaining, seen = _remaining(file)
    bound = file.walk.module.bound.get("paddle") is not None and any(
        _binds_paddle_at_top(item, file) for item in file.walk.imports
    )
    uses_paddle = file.converted > 0 or "paddle" in seen
    suites = _suites(file.tree) if file.fluid_imports else {}
    first = True
    for item in file.fluid_imports:
        keep = [a for a in item.node.names if _stays(file, item, a, remaining, seen)]
        at_top = item.scope.parent is None
        needed = uses_paddle and not bound and (at_top or not _top_import(file))
        if len(keep) == len(item.node.names):
            if needed and (first or not at_top):
                edits.append(_before(file, item.node, "import paddle"))
                bound = bound or at_top
            first = False
            continue
        start, end = file.source.span(item.node)
        if "#" in file.text[start:end]:
            if needed:
                edits.append(_before(file, item.node, "import paddle"))
                bound = bound or at_top
            continue
        new = _statement(item.node, keep)
        if needed:
            indent = file.source.indent(item.node.lineno)
            alone = file.text[file.source.starts[item.node.lineno - 1] : start].strip() == ""
            between = file.newline + indent if alone else "; "
            new = "import paddle" + (between + new if new else "")
            bound = bound or at_top
        elif not new:
            edits.append(_without(file, item.node, suites))
            first = False
            continue
        edits.append((start, end, new))
        first = False
    if file.wants_static and file.converted:
        edits.append(_static_mode(file))
    return edits


def _remaining(file: File) -> tuple[set[tuple[int, str]], set[str]]:
    """Return which imported names are still used, and which were used at all."""
    remaining: set[tuple[int, str]] = set()
    seen: set[str] = set()
    for chain in file.walk.chains:
        base = chain.parts[0]
        seen.add(base)
        fluid = chain.full.startswith((_FLUID, "?")) or not chain.full
        if chain.new is None or chain.new.split(".")[0] == base != "paddle":
            if fluid:
                remaining.add((0, base))
            if chain.full.startswith(_FLUID):
                remaining.add((1, base))
    return remaining, seen


def _stays(file: File, item: Import, alias: ast.alias, remaining, seen) -> bool:
    full = _full(item.node, alias)
    if not full.startswith(_FLUID):
        return True
    if alias.name == "*":
        return any(
            c.new is None and c.full.startswith(full + ".") and "." not in c.full[len(full) + 1 :]
            and c.parts[0] not in file.walk.module.bound
            for c in file.fluid
        ) or file.name == "__init__.py"  # fmt: skip
    name = alias.asname or alias.name.split(".")[0]
    if isinstance(item.node, ast.Import) and alias.asname is None:
        return (1, "paddle") in remaining
    if name in file.walk.exported:
        return True
    if name not in seen and file.name == "__init__.py":
        return True
    return (0, name) in remaining


def _binds_paddle_at_top(item: Import, file: File) -> bool:
    """Whether a statement of the module binds `paddle`, and stays."""
    if item.scope.parent is not None or not isinstance(item.node, ast.Import):
        return False
    return any(
        (a.asname or a.name.split(".")[0]) == "paddle" and not a.name.startswith(_FLUID)
        for a in item.node.names
    )


def _top_import(file: File) -> bool:
    return any(i.scope.parent is None for i in file.fluid_imports)


def _statement(node: ast.Import | ast.ImportFrom, keep: list[ast.alias]) -> str:
    if not keep:
        return ""
    names = ", ".join(a.name + (f" as {a.asname}" if a.asname else "") for a in keep)
    return (
        f"import {names}" if isinstance(node, ast.Import) else f"from {node.module} import {names}"
    )


def _before(file: File, node: ast.stmt, new: str) -> tuple[int, int, str]:
    start = file.source.span(node)[0]
    begin = file.source.starts[node.lineno - 1]
    alone = not file.text[begin:start].strip()
    indent = file.source.indent(node.lineno)
    return start, start, new + (file.newline + indent if alone else "; ")


def _suites(tree: ast.Module) -> dict[ast.stmt, list[ast.stmt]]:
    """Return the block that each statement stands in."""
    result: dict[ast.stmt, list[ast.stmt]] = {}
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                result.update(dict.fromkeys((s for s in block if isinstance(s, ast.stmt)), block))
    return result


def _without(file: File, node: ast.stmt, suites: dict) -> tuple[int, int, str]:
    """Take a statement away, with its line if it stands alone there."""
    start, end = file.source.span(node)
    block = suites.get(node, [])
    text = file.text
    if all(isinstance(s, (ast.Import, ast.ImportFrom)) and of_fluid(s) for s in block):
        if block and not isinstance(file.tree.body[0], type(None)) and block is not file.tree.body:
            return start, end, "pass"
    begin = file.source.starts[node.lineno - 1]
    stop = end
    while stop < len(text) and text[stop] in " \t":
        stop += 1
    rest = text[stop : stop + 2]
    if text[begin:start].strip() or rest[:1] not in ("", "\n", "\r"):
        if rest[:1] == "#":
            return start, stop, ""
        return start, end, "pass"
    if rest == "\r\n":
        stop += 2
    elif rest:
        stop += 1
    return begin, stop, ""


def _static_mode(file: File) -> tuple[int, int, str]:
    """Put `paddle.enable_static()` after the imports that the file begins with."""
    last: ast.stmt | None = None
    for statement in file.tree.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement, (ast.Import, ast.ImportFrom)) or _imports_only(statement) or (not text and any(_mentions(statement, i) for i in file.fluid_imports)):
            last = statement
        elif not text and last is not None and not _later_import(file, statement):
            break
    assert last is not None
    end = file.source.span(last)[1]
    line = file.source.starts.index(max(s for s in file.source.starts if s <= end))
    newline = file.newline
    if line + 1 < len(file.source.starts):
        at = file.source.starts[line + 1]
        return at, at, f"{newline}paddle.enable_static(){newline}"
    at = len(file.text)
    return at, at, f"{newline}{newline}paddle.enable_static(){newline}"


def _imports_only(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Try, ast.If)):
        blocks = [*statement.body, *statement.orelse]
        return bool(blocks) and all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in blocks)
    return False


def _mentions(statement: ast.stmt, item: Import) -> bool:
    return statement.lineno <= item.node.lineno <= (statement.end_lineno or 0)


def _later_import(file: File, statement: ast.stmt) -> bool:
    """Whether the first import of fluid comes only after a statement."""
    tops = [i.node.lineno for i in file.fluid_imports if i.scope.parent is None]
    return bool(tops) and min(tops) > statement.lineno
