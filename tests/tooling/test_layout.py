"""House rules that no linter knows: where torch may be imported, how long a file may get."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(p for name in ("paddle", "visualdl") for p in (ROOT / name).rglob("*.py"))
TORCH_ALLOWED = (
    "ops", "core", "executor", "serialization", "distributed", "io", "device",
)  # fmt: skip
LONGEST_FILE = 600


def _imported(tree: ast.AST) -> set[str]:
    """The first part of every absolute import."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_source_file_keeps_the_house_rules(path: Path) -> None:
    text = path.read_text(encoding="utf8")
    tree = ast.parse(text, str(path))
    package, module = path.relative_to(ROOT).parts[:2]
    if package != "paddle" or module not in TORCH_ALLOWED:
        assert "torch" not in _imported(tree), f"torch may be imported under {TORCH_ALLOWED} only"
    length = text.count("\n")
    assert length <= LONGEST_FILE, f"{length} lines; split what is longer than {LONGEST_FILE}"
    assert not text.strip() or ast.get_docstring(tree), "begins with a docstring saying its one job"


def test_imports_are_recognised() -> None:
    tree = ast.parse("import torch.nn as t\nfrom numpy import array\nfrom . import torch_like")
    assert _imported(tree) == {"torch", "numpy"}
