"""Writes paddle/_module_paths.tsv: under which other module paths of 2.0 a public name is found.

Two sources: the column `aliases` of the 2.0 table, and tests/data/modules-2.6.2.tsv, where a later
version defines the same names (2.0 had these modules already, but for what is left out below).
"""

from __future__ import annotations

import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.api_table import rows  # noqa: E402

TARGET = ROOT / "paddle" / "_module_paths.tsv"
LATER = ROOT / "tests" / "data" / "modules-2.6.2.tsv"

# Not in 2.0, or packages of their own with issues of their own.
LEFT_OUT = re.compile(
    r"paddle\.(fluid|base|distributed|distribution|io|jit|amp|onnx|dataset|text|inference)(\..*)?"
    r"|paddle\.static\.(io|nn\..*)|paddle\.utils\.cpp_extension\..*|paddle\.nn\.initializer\.[A-Z].*"
    r"|paddle\.tensor\.layer_function_generator"
)


def collect() -> dict[tuple[str, str], set[str]]:
    """(module, owner of the public names) -> names."""
    found: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    pairs = [(alias, row.name) for row in rows() for alias in row.aliases if not row.is_member]
    for line in LATER.read_text(encoding="utf8").splitlines():
        module, name = line.split("\t")
        pairs.append((f"{module}.{name.rpartition('.')[2]}", name))
    for path, name in pairs:
        module, _, last = path.rpartition(".")
        owner, _, own = name.rpartition(".")
        if last != own or module == "paddle" or LEFT_OUT.fullmatch(module):
            continue
        found[module, owner].add(last)
    return found


def text() -> str:
    """The file's contents: module, owner of the names, names; a line each."""
    lines = [
        f"{module}\t{owner}\t{' '.join(sorted(names))}\n"
        for (module, owner), names in sorted(collect().items())
    ]
    return "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
