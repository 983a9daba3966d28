"""What git runs before a commit is what `make lint` runs, and neither list can leave the other."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / ".pre-commit-config.yaml"


def _parts() -> list[str]:
    """The targets that `make lint` consists of."""
    rule = re.search(r"^lint: ([^#\n]+?) *##", (ROOT / "Makefile").read_text("utf8"), re.M)
    assert rule is not None
    return rule[1].split()


def _commands(*targets: str) -> str:
    """What make would run."""
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "PY=python", *targets],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_hooks_are_the_parts_of_lint() -> None:
    entries = re.findall(r"^ +entry: (.+)$", CONFIG.read_text("utf8"), re.M)
    assert entries == [f"make --silent {part}" for part in _parts()]


def test_the_parts_are_all_that_lint_does() -> None:
    commands = _commands("lint")
    assert commands == "".join(_commands(part) for part in _parts())
    for word in ("ruff format", "ruff check", "lint_baseline", "mypy", "lint_imports_command"):
        assert word in commands


def test_a_new_part_of_lint_becomes_a_hook() -> None:
    targets = re.findall(r"^(lint-[a-z]+):", (ROOT / "Makefile").read_text("utf8"), re.M)
    assert sorted(targets) == sorted(_parts()), "a part that `make lint` leaves out"


def test_pre_commit_takes_the_configuration() -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib", reason="make setup brings it")
    (repo,) = clientlib.load_config(str(CONFIG))["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        assert hook["id"] == hook["entry"].split()[-1]
        assert not hook["pass_filenames"] and hook["require_serial"]
        for name in ("paddle/core/op.py", "pyproject.toml", "scripts/lint_baseline.tsv"):
            assert re.search(hook["files"], name)
        assert not re.search(hook["files"], "README.md")
