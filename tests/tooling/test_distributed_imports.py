"""What paddle.distributed may import and call: nothing that unpickles what a network brings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "paddle" / "distributed"
FILES = sorted(PACKAGE.rglob("*.py"))
TRANSPORT = {"store.py", "c10d.py", "launch/"}  # who may use torch.distributed
GRPC = {"ps/client.py", "ps/server.py"}
FORBIDDEN = (
    "pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "ray", "torch.distributed.rpc",
)  # fmt: skip


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _below(name: str, *modules: str) -> bool:
    return any(name == m or name.startswith(m + ".") for m in modules)


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_no_byte_of_the_network_becomes_an_object(file: Path) -> None:
    tree, where = ast.parse(file.read_text(encoding="utf8")), str(file.relative_to(PACKAGE))
    for name in _imports(tree):
        assert not _below(name, *FORBIDDEN), f"{where} imports {name}"
        if _below(name, "torch.distributed"):
            assert any(where.startswith(t) for t in TRANSPORT), f"{where} imports {name}"
        if _below(name, "grpc"):
            assert where in GRPC, f"{where} imports {name}"
    for node in ast.walk(tree):
        called = getattr(node, "attr", None) or getattr(node, "id", None)
        if isinstance(called, str):
            objects = called.endswith(("_object", "_object_list")) and not called.startswith("_")
            forbidden = objects or called == "allow_pickle"
            assert not forbidden, f"{where} uses {called}"
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            assert isinstance(node.value, ast.Constant) and node.value.value is False, where
