"""The documents name files that exist: whole paths, patterns, and short names such as `plan.py`."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

DOCUMENTS = [
    *sorted(p for p in ROOT.glob("*.md") if p.name != "CHANGELOG.md"),  # that one is history
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "benchmarks" / "README.md",
    ROOT / "scripts" / "oracle" / "README.md",
]
_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_MADE = re.compile(r"^<!-- file: (\S+) -->$", re.M)  # what the document has the reader write
_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"(?<![\w/.*-])(?:[\w*-]+/)*[\w*-]+\.(?:pyi?|tsv|sh)(?!\w)")
_FOLDER = re.compile(
    r"(?<![\w/.~-])(?:paddle|paddle_upgrade_tool|visualdl|tests|scripts|benchmarks|examples|docs)/[\w/-]*/(?!\w)"
)
_FOLDERS = (
    "paddle",
    "paddle_upgrade_tool",
    "visualdl",
    "lite",
    "scripts",
    "tests",
    "benchmarks",
    "examples",
)
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in _FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
]


def missing(text: str) -> list[str]:
    """Returns the files and folders that a document names in backticks and that are not there."""
    code = " ".join(_CODE.findall(_FENCED.sub("", text)))
    made = set(_MADE.findall(text))
    files = [
        name
        for name in _FILE.findall(code)
        if name not in made and not any(fnmatch(f"/{path}", f"*/{name}") for path in FILES)
    ]
    return files + [name for name in _FOLDER.findall(code) if not (ROOT / name).is_dir()]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_files_that_a_document_names_exist(path: Path) -> None:
    assert missing(path.read_text("utf8")) == []


def test_what_is_gone_is_found() -> None:
    text = "`plan.py`, `executor/plan.py`, `paddle/ir/lowering*.py`, `paddle/pir/` and `gone.py`"
    assert missing(text) == ["paddle/ir/lowering*.py", "gone.py", "paddle/pir/"]
    assert missing("`paddle/ir/recording/lowering*.py`, `python -m x`, `docs/` and plan.py") == []
