"""`with fluid.dygraph.guard(place):` goes, or becomes a mode that is set and put back."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .rules import find

if TYPE_CHECKING:
    from .convert import File


def unguard(file: File) -> tuple[str, list[int]] | None:
    """Return the text without guards, and the old line of each new line; None if it has none.

    Where nothing in the file is static, dynamic mode is simply turned on and the block moves to
    the left. Where a file uses both modes, the mode is put back after the block.
    """
    blocks = [b for b in (_block(file, node) for node, _ in file.walk.withs) if b is not None]
    if file.mixed:  # what is set has to be put back behind the block
        blocks = [(node, place) for node, place in blocks if len(node.items) == 1]
    if not blocks:
        return None
    source = file.source
    lines = [source.text[a:b] for a, b in zip(source.starts, [*source.starts[1:], None])]
    numbers = list(range(1, len(lines) + 1))
    frozen = set().union(*(_inside_strings(node) for node, _ in blocks))
    after: dict[int, str] = {}
    for node, place in blocks:
        outer = source.indent(node.lineno)
        first = node.body[0].lineno
        inner = source.indent(first)
        newline = file.newline
        head = lines[node.lineno - 1]
        indent = head[: len(head) - len(head.lstrip())]
        comment = head[_end_of_header(head) :].strip()
        comment = f"  {comment}" if comment else ""
        start = f"{indent}paddle.disable_static({place}){comment}{newline}"
        last = node.end_lineno or first
        if file.mixed:
            lines[node.lineno - 1] = start + f"{indent}try:{newline}"
            unit = inner[len(outer) :] or "    "
            end = f"{indent}finally:{newline}{indent}{unit}paddle.enable_static(){newline}"
            if not lines[last - 1].endswith(("\n", "\r")):
                lines[last - 1] += newline
            after[last] = after.get(last, "") + end
            continue
        if len(node.items) > 1:  # the other items keep the block
            one, two = (source.span(item.context_expr)[0] for item in node.items[:2])
            at = source.starts[node.lineno - 1]
            start = f"{indent}paddle.disable_static({place}){newline}"
            lines[node.lineno - 1] = start + head[: one - at] + head[two - at :]
            continue
        lines[node.lineno - 1] = start
        for number in range(node.lineno + 1, last + 1):
            if number in frozen:
                continue
            line = lines[number - 1]
            if line.startswith(inner):
                lines[number - 1] = indent + line[len(inner) :]
            elif line.strip().startswith("#"):
                lines[number - 1] = indent + line.lstrip()
    text, origin = [], []
    for number, line in zip(numbers, lines):
        whole = line + after.get(number, "")
        text.append(whole)
        origin += [number] * max(whole.count("\n") or whole.count("\r"), 1)
    file.converted += len(blocks)
    return "".join(text), origin


def _block(file: File, node: ast.With) -> tuple[ast.With, str] | None:
    """Return a `with` statement that is, or begins with, a guard, and the guard's place."""
    if node.items[0].optional_vars is not None:
        return None
    if len(node.items) > 1 and node.items[1].context_expr.lineno != node.lineno:
        return None
    call = node.items[0].context_expr
    if not isinstance(call, ast.Call) or node.body[0].lineno == node.lineno:
        return None
    for chain in file.chains:
        if chain.call is call and chain.node is call.func:
            rule = find(chain.full)[0]
            if rule is None or rule.handler != "guard" or chain.tail:
                return None
            break
    else:
        return None
    values = [*call.args, *(k.value for k in call.keywords)]
    if len(values) > 1 or any(k.arg != "place" for k in call.keywords):
        return None
    if node.items[0].context_expr.end_lineno != node.lineno:
        return None
    text = file.source.of(values[0]) if values else ""
    return node, "" if text == "None" else text


def _end_of_header(line: str) -> int:
    """Return where the comment behind `with ...:` begins, or the line's end."""
    depth, quote = 0, ""
    for index, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "#":
            return index
    return len(line)


def _inside_strings(tree: ast.AST) -> set[int]:
    """Return the lines that begin inside of a string."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        text = isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
        if isinstance(node, ast.expr) and (text or isinstance(node, ast.JoinedStr)):
            lines.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    return lines
