"""Writes which names of paddle client libraries take: tests/data/client-names.tsv.

    python scripts/client_names.py /tmp/unpacked/paddlenlp-2.0.8 [FOLDER ...]

Each FOLDER is an unpacked wheel, or what `pip install --target` made; it stands in the column
`packages` under its top-level package. Read by syntax alone: nothing of the libraries is run. The
column `in_2.0` says how 2.0's table knows a name: `yes`, `alias` of another, or `no`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.api_table import rows  # noqa: E402

TARGET = ROOT / "tests" / "data" / "client-names.tsv"


class _Names(ast.NodeVisitor):
    """Collects the dotted names under `paddle` that one module takes."""

    def __init__(self, tree: ast.Module) -> None:
        self.known: dict[str, str] = {}
        self.found: set[str] = set()
        for node in ast.walk(tree):  # imports inside of functions count for the whole file
            if isinstance(node, ast.Import):
                self._plain_import(node)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                self._from_import(node)
        self.visit(tree)

    def _plain_import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.partition(".")[0] == "paddle":
                self.found.add(alias.name)
                self.known[alias.asname or "paddle"] = alias.name if alias.asname else "paddle"

    def _from_import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module.partition(".")[0] != "paddle":
            return
        self.found.add(module)
        for alias in node.names:
            if alias.name != "*":
                self.found.add(f"{module}.{alias.name}")
                self.known[alias.asname or alias.name] = f"{module}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            self.visit(inner)
        elif inner.id in self.known and isinstance(node.ctx, ast.Load):
            self.found.add(".".join([self.known[inner.id], *reversed(parts)]))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A parameter hides an import of its name."""
        spec = node.args
        args = {a.arg for a in [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]}
        hidden = {name: self.known.pop(name) for name in args & set(self.known)}
        self.generic_visit(node)
        self.known |= hidden


def names_of(text: str) -> set[str]:
    """Returns the dotted names under `paddle` that the source of a module takes."""
    return _Names(ast.parse(text)).found


def _modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        if ".dist-info" not in str(path.relative_to(folder)):
            yield path


def collect(folders: list[Path]) -> dict[str, set[str]]:
    """Returns the names, each with the packages that take it."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for folder in folders:
        for path in _modules(folder):
            try:
                taken = names_of(path.read_text(encoding="utf8"))
            except SyntaxError as error:
                print(f"{path}: left out, {error}", file=sys.stderr)
                continue
            for name in taken:
                found[name].add(path.relative_to(folder).parts[0].removesuffix(".py"))
    return found


def standing() -> dict[str, str]:
    """Returns each name of 2.0's table, and how it stands there."""
    found = {alias: "alias" for row in rows() for alias in row.aliases}
    for row in rows():
        parts = row.name.split(".")
        found |= {".".join(parts[:end]): "yes" for end in range(1, len(parts) + 1)}
    return found


def text(folders: list[Path]) -> str:
    """Returns the table: name, how 2.0's table knows it, packages."""
    known = standing()
    lines = [
        f"{name}\t{known.get(name, 'no')}\t{','.join(sorted(packages))}\n"
        for name, packages in sorted(collect(folders).items())
    ]
    return "name\tin_2.0\tpackages\n" + "".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="unpacked wheels")
    TARGET.write_text(text(parser.parse_args().folders), encoding="utf8")
