"""The baseline of lint findings only shrinks, and tells what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import lint_baseline

BEFORE = {("D103", "paddle/a.py"): 2, ("SLF001", "paddle/a.py"): 3, ("SLF001", "paddle/b.py"): 1}


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A baseline in which BEFORE stands."""
    file = tmp_path / "baseline.tsv"
    file.write_text(lint_baseline.written(BEFORE), encoding="utf8")
    monkeypatch.setattr(lint_baseline, "TARGET", file)
    return file


def finds(monkeypatch: pytest.MonkeyPatch, a: int, c: int = 0) -> None:
    """Lets ruff find BEFORE, with other numbers of private members in two files."""
    counts = {**BEFORE, ("SLF001", "paddle/a.py"): a, ("SLF001", "paddle/c.py"): c}
    monkeypatch.setattr(lint_baseline, "found", lambda: {k: n for k, n in counts.items() if n})


def test_a_baseline_is_read_as_it_was_written() -> None:
    assert lint_baseline.read(lint_baseline.written(BEFORE)) == BEFORE


def test_what_is_as_before_passes(target: Path, monkeypatch, capsys) -> None:
    finds(monkeypatch, a=3)
    assert lint_baseline.main([]) == 0
    assert capsys.readouterr().out == "baseline: D102 0, D103 2, PLC0415 0, SLF001 4\n"


@pytest.mark.parametrize("options", [[], ["--write"]])
@pytest.mark.parametrize("changes", [{"a": 4}, {"a": 0, "c": 1}])
def test_more_in_a_file_fails_and_cannot_be_written(
    target: Path, monkeypatch, capsys, options: list[str], changes: dict[str, int]
) -> None:
    finds(monkeypatch, **changes)
    assert lint_baseline.main(options) == 1
    out = capsys.readouterr().out
    file = "c" if "c" in changes else "a"
    assert f"paddle/{file}.py: 1 more of SLF001, a private member of another object" in out
    assert "ruff check --select SLF001" in out
    assert lint_baseline.read(target.read_text(encoding="utf8")) == BEFORE


def test_fewer_is_said_and_written_when_asked(target: Path, monkeypatch, capsys) -> None:
    finds(monkeypatch, a=1)
    assert lint_baseline.main([]) == 0
    out = capsys.readouterr().out
    assert "paddle/a.py: 2 fewer of SLF001" in out and "--write" in out
    assert lint_baseline.main(["--write"]) == 0
    known = lint_baseline.read(target.read_text(encoding="utf8"))
    assert known == {**BEFORE, ("SLF001", "paddle/a.py"): 1}


def test_only_initial_raises_a_count(target: Path, monkeypatch) -> None:
    finds(monkeypatch, a=4, c=2)
    assert lint_baseline.main(["--write", "--initial"]) == 0
    known = lint_baseline.read(target.read_text(encoding="utf8"))
    assert known["SLF001", "paddle/a.py"] == 4 and known["SLF001", "paddle/c.py"] == 2


def test_ruff_finds_what_the_rules_name(tmp_path: Path) -> None:
    package = tmp_path / "paddle"
    package.mkdir()
    (package / "m.py").write_text(
        "class C:\n    def f(self, other):\n        import os\n        return other._x, os\n\n\n"
        "def g():\n    pass\n",
        encoding="utf8",
    )
    (package / "m.pyi").write_text("def g(): ...\n", encoding="utf8")
    assert lint_baseline.found(tmp_path) == {
        (rule, "paddle/m.py"): 1 for rule in ("D102", "D103", "PLC0415", "SLF001")
    }


def test_a_kernel_needs_no_docstring_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "paddle").mkdir()
    text = (
        "from paddle.core.op import op\n\n\n"
        '@op("one", "X -> Out")\ndef one(x):\n    return x\n\n\n'
        "def two(x):\n    return x\n"
    )
    (tmp_path / "paddle" / "a.py").write_text(text, encoding="utf8")
    assert lint_baseline.found(tmp_path) == {("D103", "paddle/a.py"): 1}


def test_underscores_that_are_the_spelling_of_others_are_no_private_members(tmp_path: Path) -> None:
    (tmp_path / "paddle").mkdir()
    text = (
        "import torch\n\n\ndef _two(op, a):\n    op._rename_input(1, 2)\n"
        "    torch._foreach_add(a, a)\n    return op._hidden\n"
    )
    (tmp_path / "paddle" / "a.py").write_text(text, encoding="utf8")
    assert lint_baseline.found(tmp_path) == {("SLF001", "paddle/a.py"): 1}
