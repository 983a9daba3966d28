"""No two threads can wait for each other's imports: the modules' imports have no circle."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import paddle

ROOT = Path(paddle.__file__).parent


def _name(path: Path) -> str:
    parts = ("paddle", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {_name(path): path for path in ROOT.rglob("*.py")}
PACKAGES = {name for name, path in FILES.items() if path.name == "__init__.py"}


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module that run while it is imported."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from _run_at_import(statement.orelse)
            continue
        yield statement
        for part in ("body", "orelse", "finalbody"):
            yield from _run_at_import(getattr(statement, part, []))
        for handler in getattr(statement, "handlers", []):
            yield from _run_at_import(handler.body)


def _filling(package: str) -> str:
    """The node of a package's __init__, which runs when a name of the package is asked for."""
    return f"{package}.__init__"


@functools.lru_cache(maxsize=1)
def waits() -> dict[str, set[str]]:
    """Module, or __init__ of a package -> those whose end its import waits for."""
    found: dict[str, set[str]] = {}
    for name, path in FILES.items():
        after: set[str] = set()
        found[_filling(name) if name in PACKAGES else name] = after
        for statement in _run_at_import(ast.parse(path.read_text(encoding="utf8")).body):
            if isinstance(statement, ast.Import):
                after |= {alias.name for alias in statement.names if alias.name in FILES}
            elif isinstance(statement, ast.ImportFrom) and statement.module in FILES:
                owner, names = statement.module, [alias.name for alias in statement.names]
                modules = {f"{owner}.{n}" for n in names if f"{owner}.{n}" in FILES}
                after |= modules
                inside = f"{name}.".startswith(f"{owner}.")
                if owner == "paddle":
                    continue  # it was imported before, by one thread
                if owner not in PACKAGES:
                    after.add(owner)
                elif not inside:
                    after.add(_filling(owner))
                elif len(modules) < len(names) and name != owner:
                    raise AssertionError(
                        f"{name} takes {names} of {owner}, whose __init__ may not have run: "
                        "import it from the module that defines it"
                    )
    return {name: after - PACKAGES for name, after in found.items()}


def _circle(edges: dict[str, set[str]]) -> list[str]:
    """Some circle, as the names along it; empty: there is none."""
    done: set[str] = set()
    for start in edges:
        path: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = []
        if start not in done:
            stack.append((start, iter(sorted(edges[start]))))
            path.append(start)
        while stack:
            following = next(stack[-1][1], None)
            if following is None:
                done.add(path.pop())
                stack.pop()
            elif following in path:
                return [*path[path.index(following) :], following]
            elif following not in done:
                path.append(following)
                stack.append((following, iter(sorted(edges.get(following, ())))))
    return []


def test_the_search_finds_circles() -> None:
    assert _circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert _circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_imports_have_no_circle() -> None:
    assert _circle(waits()) == []


@pytest.mark.slow
def test_eight_threads_may_touch_everything_at_once() -> None:
    code = """
import sys, threading
import paddle
sys.setswitchinterval(1e-6)
barrier, failed = threading.Barrier(8), []
def touch(number):
    barrier.wait()
    try:
        parts = [lambda: paddle.nn.Linear, lambda: paddle.static.nn.fc, lambda: paddle.jit.save,
                 lambda: paddle.nn.initializer.Constant, lambda: paddle.nn.functional.relu,
                 lambda: paddle.optimizer.lr.StepDecay, lambda: paddle.Model,
                 lambda: __import__("paddle.nn.layer.parameters")]
        for part in parts[number:] + parts[:number]:
            part()
        from paddle.static.nn import common
        from paddle.hapi import callbacks
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=touch, args=(k,)) for k in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(failed)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
