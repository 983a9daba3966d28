"""Writes paddle/_module_paths.tsv: under which other module paths of 2.0 a public name is found.

Five sources: what `paddle/fluid` defines itself (the `__all__` of its modules), with all paths that
the table of 1.x has for the name; the column `aliases` of the 2.0 table;
tests/data/modules-2.6.2.tsv, where a later version defines the same names (2.0 had these modules
already, but for what is left out below); tests/data/fluid-aliases-2.0.tsv, under which names 2.0's
`paddle.fluid` has the same objects, with all paths that the table of 1.x has for these; and
scripts/private_paths.tsv, what is in no table.

Also writes paddle/_names_1x.tsv: the names of 1.x that this does not lead to, and what stands for
them in 2.0 by tests/data/api-map-1x-to-2.tsv; and paddle/_names_2x.tsv: what 2.0 has for any public
name of 1.x, by the rules of the upgrade tool and, for what that leaves, by the same map.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.api_table import MISSING, resolve, rows  # noqa: E402

DATA = ROOT / "tests" / "data"
TARGET = ROOT / "paddle" / "_module_paths.tsv"
NAMES_1X = ROOT / "paddle" / "_names_1x.tsv"
NAMES_2X = ROOT / "paddle" / "_names_2x.tsv"
RULES = ROOT / "paddle_upgrade_tool" / "rules.tsv"
PRIVATE = ROOT / "scripts" / "private_paths.tsv"

# Not in 2.0, or packages of their own with issues of their own.
LEFT_OUT = re.compile(
    r"paddle\.(base|distributed|distribution|io|jit|amp|onnx|dataset|text|inference)(\..*)?"
    r"|paddle\.static\.(io|nn\..*)|paddle\.nn\.initializer\.[A-Z].*"
    r"|paddle\.tensor\.layer_function_generator"
)

Rows = dict[tuple[str, str, str], set[str]]


def _lines(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _public_paths() -> Iterator[tuple[str, str]]:
    """(path, public name), of the same last part."""
    pairs = [(alias, row.name) for row in rows() for alias in row.aliases if not row.is_member]
    for line in (DATA / "modules-2.6.2.tsv").read_text(encoding="utf8").splitlines():
        module, name = line.split("\t")
        pairs.append((f"{module}.{name.rpartition('.')[2]}", name))
    for path, name in pairs:
        module, _, last = path.rpartition(".")
        if last != name.rpartition(".")[2] or module == "paddle" or LEFT_OUT.fullmatch(module):
            continue
        yield path, name
        if re.fullmatch(r"paddle\.nn\.layer\.[a-z_]+", module):
            yield f"paddle.nn.layer.{last}", name  # the package gathers what its modules define


def names_1x() -> list[list[str]]:
    """The names of each object of 1.x's `paddle.fluid`."""
    found = [[line["name"], *filter(None, line["aliases"].split(","))]
             for line in _lines("fluid-1.8-api.tsv") if line["evidence"] != "member"]  # fmt: skip
    return [names for names in found if names[0].startswith("paddle.fluid.")]


def _fluid_paths() -> Iterator[tuple[str, str]]:
    """(path under paddle.fluid, public name of 2.0)."""
    others: dict[str, list[str]] = collections.defaultdict(list)
    for names in names_1x():
        for name in names:
            others[name] += names
    for line in _lines("fluid-aliases-2.0.tsv"):
        for alias in line["fluid_aliases"].split(","):
            for path in {alias, *others[alias]}:
                yield path, line["name"]


def _own_names() -> dict[str, set[str]]:
    """Module of this package's fluid -> the public names that it defines; layers of rows too."""
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / "paddle" / "fluid").rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[module] = set()
        for node in ast.parse(file.read_text(encoding="utf8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
                with contextlib.suppress(ValueError):  # it is computed
                    found[module] = set(ast.literal_eval(node.value))
    rows = ROOT / "paddle" / "fluid" / "layers" / "_rows.tsv"
    lines = rows.read_text(encoding="utf8").splitlines()[1:]
    found["paddle.fluid.layers"] = {line.split("\t")[0] for line in lines}
    return found


def _home(names: list[str], own: dict[str, set[str]]) -> str | None:
    """Which path of an object of 1.x is where this package defines it; None: 2.0 has it."""
    for path in names:
        module, _, last = path.rpartition(".")
        if last in own.get(module, ()):
            return path
    public, _, last = names[0].rpartition(".")
    inside = [m for m in own if m.startswith(public + ".") and last in own[m]]
    return f"{inside[0]}.{last}" if public != "paddle.fluid" and inside else None


def _old_paths() -> Iterator[tuple[str, str]]:
    """(path of 1.x, where paddle.fluid defines the object)."""
    own = _own_names()
    for names in names_1x():
        home = _home(names, own)
        yield from ((path, home) for path in names if home not in (None, path))


def private_paths() -> list[tuple[str, str]]:
    """(path, where it is here) of what no table has."""
    lines = PRIVATE.read_text(encoding="utf8").splitlines()
    pairs = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return [(path, here) for path, here in pairs]


def collect() -> Rows:
    """(module, owner of the public names, public name where it differs) -> names."""
    found: Rows = collections.defaultdict(set)
    own = private_paths()
    taken = {path for path, _ in own}
    old = [pair for pair in _old_paths() if pair[0] not in taken]
    taken |= {path for path, _ in old}
    taken |= {f"{module}.{name}" for module, names in _own_names().items() for name in names}
    derived = [*_public_paths(), *_fluid_paths()]
    for path, name in [*own, *old, *(pair for pair in derived if pair[0] not in taken)]:
        module, _, last = path.rpartition(".")
        owner, _, public = name.rpartition(".")
        found[module, owner, "" if public == last else public].add(last)
    for module in {module for module, *_ in found if module.startswith("paddle.fluid.")}:
        parent = module.rpartition(".")[0]
        while all(parent != other for other, *_ in found):  # a package that has only modules
            found[parent, "", ""] = set()
            above = parent.rpartition(".")[0]
            parent = parent if (ROOT / above.replace(".", "/")).is_dir() else above
    return found


def text() -> str:
    """The file's contents: module, owner of the names, names, their public name; a line each."""
    lines = [
        f"{module}\t{owner}\t{' '.join(sorted(names))}\t{public}\n"
        for (module, owner, public), names in sorted(collect().items())
    ]
    return "".join(lines)


def text_1x() -> str:
    """The contents of the other file: name of 1.x, names of 2.0."""
    there = {f"{key[0]}.{name}" for key, names in collect().items() for name in names}
    there |= {f"{module}.{name}" for module, names in _own_names().items() for name in names}
    modules = {module for module, *_ in collect()}
    stands = {line["old"]: line["new"].replace(" ", "") for line in _lines("api-map-1x-to-2.tsv")}
    lines = set()
    for names in names_1x():
        new = next((stands[name] for name in names if name in stands), "")
        lines |= {f"{name}\t{new}\n" for name in names if name not in there | modules}
    return "".join(sorted(lines))


def text_2x() -> str:
    """The contents of the file of what 2.0 has: public name of 1.x, name of 2.0."""
    stands = {line["old"]: line["new"].replace(" ", "") for line in _lines("api-map-1x-to-2.tsv")}
    with RULES.open(encoding="utf8", newline="") as file:
        for rule in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if rule["new"] and rule["kind"] != "stays":
                stands[rule["old"]] = rule["new"]
    lines = []
    for old, new in sorted(stands.items()):
        there = [name for name in new.split(",") if name and resolve(name) is not MISSING]
        if there and old.startswith("paddle.fluid."):
            lines.append(f"{old}\t{' or '.join(there)}\n")
    return "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf8")
    NAMES_1X.write_text(text_1x(), encoding="utf8")
    NAMES_2X.write_text(text_2x(), encoding="utf8")
