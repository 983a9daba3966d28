"""Prints the import graph of the package: circles, upward imports, lines by package.

    python scripts/import_graph.py            a summary
    python scripts/import_graph.py --circles  and the modules of each circle
    python scripts/import_graph.py --order    and what each package imports
    python scripts/import_graph.py --types    count imports for type checkers alone, too

The order of the packages is that of the import contract in pyproject.toml. Imports inside functions
count; those for type checkers alone do so if asked for, since nothing runs them: a Block has a
Program and a Program has Blocks. ``tests/tooling`` holds the result: no upward import, no circle.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import grimp

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]


def packages() -> list[list[str]]:
    """The layers of the import contract, the highest first; each a list of packages."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["id"] == "layers")
    return [[name.strip(" ()") for name in layer.replace("|", ":").split(":")] for layer in layers]


def imports(types: bool = False) -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports, with ``types`` for type checkers too."""
    graph = grimp.build_graph("paddle", exclude_type_checking_imports=not types, cache_dir=None)
    return {m: set(graph.find_modules_directly_imported_by(m)) for m in graph.modules}


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Sets of modules that reach one another (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in sorted(edges):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        path = [(start, iter(sorted(edges[start])))]
        while path:
            module, rest = path[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    path.append((other, iter(sorted(edges[other]))))
                    break
                if other in stack:
                    low[module] = min(low[module], index[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[module])
                if low[module] == index[module]:
                    at = stack.index(module)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
    return sorted(found, key=len)


def package(module: str) -> str:
    """The package that a module belongs to: its first two names."""
    return ".".join(module.split(".")[:2])


def upward(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Imports of a module by one of a lower layer, and by one beside it."""
    rank = {name: at for at, layer in enumerate(packages()) for name in layer}
    return sorted(
        (module, other)
        for module, others in edges.items()
        for other in others
        if package(module) != package(other)
        and rank.get(package(other), len(rank)) <= rank.get(package(module), -1)
    )


def lines() -> Counter[str]:
    """Package -> lines of its files."""
    counts: Counter[str] = Counter()
    for path in (ROOT / "paddle").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        counts[".".join(parts[:2])] += path.read_text(encoding="utf8").count("\n")
    return counts


def main() -> None:
    """Prints the summary, and what the command line asks for besides."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--circles", action="store_true", help="name the modules of each circle")
    parser.add_argument("--order", action="store_true", help="say what each package imports")
    parser.add_argument("--types", action="store_true", help="count what type checkers import, too")
    options = parser.parse_args()
    edges = imports(options.types)
    found = circles(edges)
    sizes = ", ".join(str(len(c)) for c in found) or "none"
    print(f"{len(edges)} modules; circles: {len(found)} (of {sizes} modules)")
    for circle in found:
        if options.circles or len(circle) == 2:
            print("  " + " ".join(circle))
    wrong = upward(edges)
    print(f"imports that run upward or sideways: {len(wrong)}")
    for module, other in wrong:
        print(f"  {module} -> {other}")
    if options.order:
        for name in sorted({package(m) for m in edges}):
            uses = {package(o) for m in edges if package(m) == name for o in edges[m]} - {name}
            print(f"  {name}: {' '.join(sorted(uses))}")
    print("lines by package:")
    for name, count in lines().most_common():
        print(f"  {count:6d} {name}")


if __name__ == "__main__":
    main()
