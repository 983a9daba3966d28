"""The import statements: what nothing uses any more goes, `import paddle` and the mode come."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .names import Import, Scope

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
    edits = unalias(file)
    remaining, seen = _remaining(file)
    # Scopes in which `paddle` is bound by a statement that stays.
    has = {id(i.scope) for i in file.walk.imports if _binds_paddle(i)}
    module = file.walk.module
    wanting = _scopes_that_use_paddle(file)
    at_top = any(i.scope is module for i in file.fluid_imports)
    module_has = id(module) in has or (at_top and id(module) in wanting)
    for item in file.fluid_imports:
        keep = [a for a in item.node.names if _stays(file, item, a, remaining, seen)]
        needed = id(item.scope) not in has and id(item.scope) in wanting
        if item.scope is not module and module_has:
            needed = False
        if len(keep) == len(item.node.names):
            if needed:
                edits.append(_before(file, item.node, "import paddle"))
                has.add(id(item.scope))
            continue
        start, end = file.source.span(item.node)
        if "#" in file.text[start:end]:
            if needed:
                edits.append(_before(file, item.node, "import paddle"))
                has.add(id(item.scope))
            continue
        new = _statement(item.node, keep)
        if needed:
            indent = file.source.indent(item.node.lineno)
            alone = file.text[file.source.starts[item.node.lineno - 1] : start].strip() == ""
            between = file.newline + indent if alone else "; "
            new = "import paddle" + (between + new if new else "")
            has.add(id(item.scope))
        elif not new:
            edits.append(_without(file, item.node))
            continue
        edits.append((start, end, new))
    if file.wants_static and file.converted:
        edits.append(_static_mode(file, "" if module_has else f"import paddle{file.newline}"))
    return edits


def unalias(file: File) -> list[tuple[int, int, str]]:
    """Take `layers = fluid.layers` away where nothing under that name stays; report it else."""
    edits: list[tuple[int, int, str]] = []
    for alias in reversed(file.walk.aliases):
        remaining, _ = _remaining(file)
        (chain,) = [c for c in file.chains if c.node is alias.node.value]
        if (0, alias.name) in remaining or alias.name in file.walk.exported \
                or file.name == "__init__.py":  # fmt: skip
            file.leave_module(chain)
            continue
        chain.new = ""
        begin, stop, new = _without(file, alias.node)
        # What stood between blank lines leaves one of them.
        blank = file.newline
        if not new and file.text[:begin].endswith(2 * blank) and file.text[stop:].startswith(blank):
            stop += len(blank)
        edits.append((begin, stop, new))
    return edits


def _scopes_that_use_paddle(file: File) -> set[int]:
    """Return the scopes in which the name `paddle` is needed, enclosing ones included."""
    result: set[int] = set()
    for chain in file.walk.chains:
        if (chain.new or "").startswith("paddle") or chain.parts[0] == "paddle" or chain.action:
            scope: Scope | None = chain.scope
            while scope is not None and id(scope) not in result:
                result.add(id(scope))
                scope = scope.parent
    return result | ({id(file.walk.module)} if file.converted else set())


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


def _binds_paddle(item: Import) -> bool:
    """Whether a statement binds `paddle`, and stays."""
    if not isinstance(item.node, ast.Import):
        return False
    return any(
        (a.asname or a.name.split(".")[0]) == "paddle" and not a.name.startswith(_FLUID)
        for a in item.node.names
    )


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


def _without(file: File, node: ast.stmt) -> tuple[int, int, str]:
    """Take a statement away, with its line if it stands alone there."""
    start, end = file.source.span(node)
    top = file.tree.body
    block = top if any(s is node for s in top) else _suites(file.tree).get(node, [])
    text = file.text
    if all(isinstance(s, (ast.Import, ast.ImportFrom)) and of_fluid(s) for s in block):
        if block and block is not top:
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


def _static_mode(file: File, before: str) -> tuple[int, int, str]:
    """Put `paddle.enable_static()` after the imports that the file begins with."""
    last: ast.stmt | None = None
    for statement in file.tree.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if (
            isinstance(statement, (ast.Import, ast.ImportFrom))
            or _imports_only(statement)
            or (not text and any(_mentions(statement, i) for i in file.fluid_imports))
        ):
            last = statement
        elif not text and last is not None and not _later_import(file, statement):
            break
    newline = file.newline
    if last is None:
        at = file.source.starts[file.tree.body[0].lineno - 1]
        return (
            at,
            at,
            f"{before}{newline if before else ''}paddle.enable_static(){newline}{newline}",
        )
    end = file.source.span(last)[1]
    line = file.source.starts.index(max(s for s in file.source.starts if s <= end))
    if line + 1 < len(file.source.starts):
        at = file.source.starts[line + 1]
        return at, at, f"{before}{newline}paddle.enable_static(){newline}"
    at = len(file.text)
    return at, at, f"{newline}{before}{newline}paddle.enable_static(){newline}"


def _imports_only(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Try, ast.If)):
        blocks = [*statement.body, *statement.orelse]
        return bool(blocks) and all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in blocks)
    return False


def _mentions(statement: ast.stmt, item: Import) -> bool:
    if item.scope.parent is not None:
        return False
    return statement.lineno <= item.node.lineno <= (statement.end_lineno or 0)


def _later_import(file: File, statement: ast.stmt) -> bool:
    """Whether the first import of fluid comes only after a statement."""
    tops = [i.node.lineno for i in file.fluid_imports if i.scope.parent is None]
    return bool(tops) and min(tops) > statement.lineno
