"""``python -m paddle.testing FILE ...``: runs tests that begin with ``from op_test import OpTest``.

A file that ends in ``unittest.main()`` is run as it is; of the others all test classes are run.
Further arguments are those of ``unittest``: ``-v``, ``-f``, ``-k PATTERN``, ``TestMulOp.test_x``.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import runpy
import sys
import unittest
from types import ModuleType

from paddle.core.parsing import parse
from paddle.executor.scope import Scope, scope_guard
from paddle.ir.current import program_guard
from paddle.ir.program import Program
from paddle.testing.programs import dynamic
from paddle.testing.providing import provide

USAGE = """usage: python -m paddle.testing FILE ... [-v] [-f] [-k PATTERN] [CLASS[.METHOD] ...]

Runs files of tests in the form of PaddlePaddle's own unit tests of operators:

    from op_test import OpTest

    class TestMulOp(OpTest):
        ...

       python -m paddle.testing --folder

Prints the folder to be named in PYTHONPATH, so that such files run by themselves and by pytest.
"""


def runs_itself(path: str) -> bool:
    """Whether a file calls ``unittest.main()`` when it is run."""
    with open(path, "rb") as file:
        tree = parse(file.read().decode(), path)
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return any("main(" in ast.unparse(line) for line in node.body)
    return False


def run(path: str, rest: list[str]) -> bool:
    """Runs one file; whether all tests passed."""
    folder, name = os.path.split(os.path.abspath(path))
    before = list(sys.path), list(sys.argv)
    sys.path.insert(0, folder)
    sys.argv = [path, *rest]
    try:
        # A file finds nothing of the one before it, not even its mode.
        with dynamic(), program_guard(Program(), Program()), scope_guard(Scope()):
            if runs_itself(path):
                runpy.run_path(path, run_name="__main__")
                return True
            unittest.main(module=_module(name.removesuffix(".py"), path), argv=sys.argv)
    except SystemExit as end:
        return not end.code
    finally:
        sys.path[:], sys.argv[:] = before
    return True


def _module(name: str, path: str) -> ModuleType:
    """Imports a file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def main(argv: list[str]) -> int:
    """Runs the files among the arguments; 1 if a test failed, 2 if there is nothing to run."""
    if argv == ["--folder"]:
        print(provide())
        return 0
    files = [a for a in argv if a.endswith(".py") or os.path.isfile(a)]
    rest = [a for a in argv if a not in files]
    if not files or "-h" in rest or "--help" in rest:
        print(USAGE, file=sys.stdout if files or not argv else sys.stderr)
        return 0 if "-h" in rest or "--help" in rest else 2
    missing = [f for f in files if not os.path.isfile(f)]
    if missing:
        print(f"python -m paddle.testing: there is no file {missing[0]!r}", file=sys.stderr)
        return 2
    provide()
    results = [run(path, rest) for path in files]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
