"""Notebooks: the code cells are one module to the tool, and go back to their cells."""

from __future__ import annotations

import dataclasses
import json
import re

from .convert import convert
from .report import Finding

_CELL = "#@@upgrade-cell-{}@@"
_SPLIT = re.compile(r"^#@@upgrade-cell-(\d+)@@\n", re.M)
_MAGIC = re.compile(r"pass  #@@upgrade-magic-(\d+)@@")


def convert_notebook(text: str, steps: frozenset[str]) -> tuple[str, list[Finding], int]:
    """Return the converted notebook, the findings (their lines count in the cell), and changes.

    Raises:
        ValueError: the text is no notebook.
        SyntaxError: the code is not Python 3.
    """
    book = json.loads(text)
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        raise ValueError("is no notebook of format 4: it has no cells")
    magics: list[str] = []
    pieces, cells = [], []
    for index, cell in enumerate(book["cells"]):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        source = "".join(source) if isinstance(source, list) else source
        if source.lstrip().startswith("%%"):
            continue
        lines = [_hidden(line, magics) for line in source.split("\n")]
        pieces.append(_CELL.format(index) + "\n" + "\n".join(lines) + "\n")
        cells.append(index)
    whole = "".join(pieces)
    new, findings, changes = convert(whole, "notebook.ipynb", steps)
    findings = [_in_cell(finding, whole) for finding in findings]
    if new == whole:
        return text, findings, 0
    parts = _SPLIT.split(new)
    found = dict(zip(map(int, parts[1::2]), parts[2::2]))
    # What was put before the first mark belongs to the first cell.
    for index in cells:
        source = _MAGIC.sub(lambda m: magics[int(m.group(1))], found[index])[:-1]
        if index == cells[0]:
            source = parts[0] + source
        old = book["cells"][index]["source"]
        book["cells"][index]["source"] = (
            source.splitlines(keepends=True) if isinstance(old, list) else source
        )
    indent = re.search(r"^\{\n( +|\t)", text)
    return (
        json.dumps(
            book, ensure_ascii=text.isascii(), indent=indent.group(1) if indent else None
        ) + ("\n" if text.endswith("\n") else ""), findings, changes
    )  # fmt: skip


def _hidden(line: str, magics: list[str]) -> str:
    """Return a line that Python understands in the place of one for the notebook."""
    stripped = line.lstrip()
    if stripped[:1] not in ("%", "!") and not re.fullmatch(r"[\w.]+\?{1,2}", stripped):
        return line
    magics.append(stripped)
    return f"{line[: len(line) - len(stripped)]}pass  #@@upgrade-magic-{len(magics) - 1}@@"


def _in_cell(finding: Finding, whole: str) -> Finding:
    lines = whole.split("\n")[: finding.line]
    for back, line in enumerate(reversed(lines)):
        found = re.match(r"#@@upgrade-cell-(\d+)@@", line)
        if found:
            message = f"{finding.message} (cell {int(found.group(1)) + 1})"
            return dataclasses.replace(finding, line=back, message=message)
    return finding
