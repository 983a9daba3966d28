"""Runs the python blocks of a document in order and compares what they print with its text blocks.

A fenced ``text`` block that follows a ``python`` block (only blank lines between) is what that
block prints. ``<!-- not run: why -->`` in the line before a python block leaves it out.

    python tests/docs/documents.py docs/one_op_end_to_end.md           shows the differences
    python tests/docs/documents.py docs/one_op_end_to_end.md --write   puts the new output in

All blocks of a document share one namespace and one fresh process. ``<!-- file: NAME -->`` in the
line before a block of any language puts its text into the current folder before anything is run;
blocks of one name become one file.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import linecache
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_SKIP = re.compile(r"<!-- not run: .+ -->\n\Z")
_NAMED = re.compile(r"<!-- file: (\S+) -->\n\Z")


@dataclass
class Block:
    """One python block.

    Attributes:
        line: the line of the document that its code begins in.
        source: the code.
        expected: what it must print; None where the document does not show it.
        span: where that text stands in the document.
    """

    line: int
    source: str
    expected: str | None
    span: tuple[int, int] | None


def blocks(text: str) -> list[Block]:
    """Finds the python blocks that are to be run."""
    fences = list(_FENCE.finditer(text))
    found = []
    for i, fence in enumerate(fences):
        before = text[: fence.start()]
        if fence[1] != "python" or _SKIP.search(before) or _NAMED.search(before):
            continue
        line = text.count("\n", 0, fence.start(2)) + 1
        after = fences[i + 1] if i + 1 < len(fences) else None
        shown = None
        if after is not None and after[1] == "text":
            shown = after if not text[fence.end() : after.start()].strip() else None
        found.append(
            Block(line, fence[2], shown and shown[2], shown and (shown.start(2), shown.end(2)))
        )
    return found


def files(text: str) -> dict[str, str]:
    """The files that a document contains: name -> text."""
    found: dict[str, str] = {}
    for fence in _FENCE.finditer(text):
        if named := _NAMED.search(text[: fence.start()]):
            name = named[1]
            found[name] = f"{found[name]}\n{fence[2]}" if name in found else fence[2]
    return found


def run(path: Path) -> list[tuple[Block, str]]:
    """Runs a document's blocks and returns each with what it printed."""
    for name, content in files(path.read_text("utf8")).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, "utf8")
    scope = {"__name__": "__document__"}
    results = []
    code = ""
    for block in blocks(path.read_text("utf8")):
        # Empty lines in front, so that a traceback names the line of the document. The lines of all
        # blocks are put where `inspect` finds them, for what is converted from its source.
        gap = "\n" * (block.line - 1 - code.count("\n"))
        whole = code + gap + block.source
        linecache.cache[str(path)] = (len(whole), None, whole.splitlines(keepends=True), str(path))
        compiled = compile("\n" * (block.line - 1) + block.source, str(path), "exec")
        code = whole
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compiled, scope)
        results.append((block, _trimmed(printed.getvalue())))
    return results


def _trimmed(text: str) -> str:
    """Without blanks at line ends and empty lines at the end, which no document shows."""
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(line + "\n" for line in lines)


def differences(results: list[tuple[Block, str]]) -> list[str]:
    """Says where what was printed is not what the document shows."""
    found = []
    for block, printed in results:
        if block.expected is not None and block.expected != printed:
            found += difflib.unified_diff(
                block.expected.splitlines(),
                printed.splitlines(),
                f"the document, after the block of line {block.line}",
                "what the block prints",
                lineterm="",
            )
    return found


def rewritten(text: str, results: list[tuple[Block, str]]) -> str:
    """The document with what its blocks print now."""
    for block, printed in reversed(results):
        if block.span is not None:
            text = text[: block.span[0]] + printed + text[block.span[1] :]
    return text


def main(arguments: list[str]) -> int:
    """Runs one document; the status says whether it is right."""
    path = Path(arguments[0]).resolve()  # a block may change the folder
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        results = run(path)
        os.chdir(ROOT)
    if "--write" in arguments[1:]:
        path.write_text(rewritten(path.read_text("utf8"), results), "utf8")
        return 0
    found = differences(results)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
