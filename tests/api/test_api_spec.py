"""docs/API.spec is what the code has, and each change of it has a reason."""

from __future__ import annotations

import enum
import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

import paddle
from scripts import make_api_spec as spec

SCRIPT = spec.ROOT / "scripts" / "make_api_spec.py"


@pytest.mark.slow
def test_the_spec_is_that_of_the_code() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PADDLE_", "FLAGS_"))}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"],
        env=environment | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_of_the_tables_and_of_our_own_are_in_it() -> None:
    lines = spec.read()
    assert "paddle.abs (x, name=None)" in lines
    assert "paddle.Tensor.shape property" in lines
    assert "paddle.float32 VarType" in lines
    assert "paddle.Tensor.__add__ (other)" in lines
    assert "paddle.fluid.CPUPlace = paddle.CPUPlace" in lines
    assert any(line.startswith("paddle.nn.Linear class (in_features, out_") for line in lines)
    assert any(line.startswith("visualdl.LogWriter class (logdir=None") for line in lines)
    assert lines == sorted(set(lines))


def test_nothing_internal_is_in_it() -> None:
    inside = spec.internal()
    assert {"paddle.core", "paddle.ops", "paddle.serialization"} <= inside
    assert not any(".".join(module.split(".")[:2]) in inside for module in spec.modules())
    homes = [line.rpartition("class ")[2] for line in spec.read() if " class " in line]
    assert not any("0x" in home for home in homes)


# ---------------------------------------------------------------- what is said of a name
class _Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@pytest.mark.parametrize("value, text", [
    (None, "None"), (True, "True"), (1.0, "1.0"), ("a", "'a'"), (float("inf"), "inf"),
    ([1, (2,)], "[1, (2,)]"), ({"a": ()}, "{'a': ()}"), (_Level.LOW, "_Level.LOW"),
    (len, "<len>"), (int, "<int>"), (object(), "<object>"), (functools.partial(len), "<partial>"),
    (paddle.float32, "VarType.FP32"),
])  # fmt: skip
def test_defaults_are_the_same_words_everywhere(value: object, text: str) -> None:
    assert spec.default(value) == text


def test_a_float_of_numpy_is_shown_as_a_number() -> None:
    np = pytest.importorskip("numpy")
    assert spec.default(np.float64(0.5)) == "0.5"


def _a(x, /, y, *rest, z=1, **others): ...
def _b(x: int, *, z: str = "") -> None: ...
def _c(x, /): ...


@pytest.mark.parametrize("function, text", [
    (_a, "(x, /, y, *rest, z=1, **others)"), (_b, "(x, *, z='')"), (_c, "(x, /)"),
    (lambda: None, "()"),
])  # fmt: skip
def test_signatures_have_their_marks_and_no_annotations(function, text: str) -> None:
    assert spec.signature(function) == text


class _Hidden:
    def inherited(self, x): ...


class Base:
    """Public: what it has is told of once."""

    def of_base(self): ...


class Made(_Hidden, Base, ValueError):
    """Has a member of each kind."""

    field = 3

    def __init__(self, size, name=None): ...
    def __call__(self, x): ...
    def __len__(self): ...
    def _private(self): ...

    @staticmethod
    def plain(x): ...

    @classmethod
    def made(cls, y=2): ...

    @property
    def size(self): ...


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """This file counts as part of the package."""
    monkeypatch.setattr(spec, "PACKAGES", (__name__.partition(".")[0],))


def test_a_class_is_told_of_with_its_members(ours: None) -> None:
    found = {"p.Base": Base, "p.Made": Made, "p.old.Made": Made, "p.Level": _Level, "p.x": 3}
    assert spec.Spec(found, ["p.Made.__call__"]).lines == [
        "p.Base class ()",
        "p.Base.of_base ()",
        "p.Level class (value) of IntEnum",
        "p.Level.HIGH value",
        "p.Level.LOW value",
        "p.Made class (size, name=None) of p.Base, ValueError",
        "p.Made.__call__ (x)",
        "p.Made.field attribute",
        "p.Made.inherited (x)",
        "p.Made.made class method (y=2)",
        "p.Made.plain static (x)",
        "p.Made.size property",
        "p.old.Made = p.Made",
        "p.x int",
    ]


# ---------------------------------------------------------------- changes and their reasons
class Files:
    """A spec of its own in a folder."""

    def __init__(self, folder: Path) -> None:
        self.both = folder / "API.spec", folder / "API.changes"

    def write(self, lines: list[str], reason: str = "") -> str | None:
        return spec.write(lines, reason, *self.both)

    def check(self, lines: list[str]) -> str:
        return spec.check(lines, *self.both)

    def merged(self, other: Files) -> None:
        """Takes the lines of another branch's files, as `merge=union` does."""
        for mine, theirs in zip(self.both, other.both):
            known = mine.read_text()
            mine.write_text(known + "".join(
                line for line in theirs.read_text().splitlines(keepends=True) if line not in known
            ))  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A spec of two names."""
    made = Files(tmp_path)
    assert made.write(["p.a (x)", "p.b ()"], "the first") is None
    return made


def test_what_is_as_before_passes(files: Files) -> None:
    assert files.check(["p.a (x)", "p.b ()"]) == ""
    before = [file.read_text() for file in files.both]
    assert files.write(["p.a (x)", "p.b ()"], "no change") is None
    assert [file.read_text() for file in files.both] == before


def test_a_change_is_shown_and_how_to_go_on(files: Files) -> None:
    told = files.check(["p.a (x, y=1)", "p.c ()"])
    assert "the public API is not that of docs/API.spec (+1 ~1 -1)" in told
    assert "\n-p.a (x)\n-p.b ()\n+p.a (x, y=1)\n+p.c ()\n" in told
    assert 'make api-spec REASON="why"' in told


def test_a_long_difference_is_cut(files: Files) -> None:
    told = files.check([f"p.n{i:03} ()" for i in range(100)])
    assert "... and 22 lines more" in told and len(told.splitlines()) < 90


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_change_needs_a_reason(files: Files, reason: str) -> None:
    told = files.write(["p.a (x)"], reason)
    assert told is not None and "-p.b ()" in told and "say why" in told
    assert files.check(["p.a (x)", "p.b ()"]) == ""


def test_the_reason_is_written_down(files: Files) -> None:
    assert files.write(["p.a (x)", "p.c ()"], "b was never\nused") is None
    assert files.check(["p.a (x)", "p.c ()"]) == ""
    head, _, last = files.both[1].read_text().rstrip("\n").rpartition("\n")
    assert last.split("\t")[1:] == ["+1 ~0 -1", "b was never used"]
    assert head.startswith("# Why docs/API.spec changed")


def test_an_edit_by_hand_has_no_reason(files: Files) -> None:
    files.both[0].write_text("p.a (x)\n")
    assert "has no reason for a change" in files.check(["p.a (x)"])


def test_reasons_of_two_branches_add_up(files: Files, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Files(tmp_path / "other")
    for mine, theirs in zip(files.both, other.both):
        theirs.write_text(mine.read_text())
    assert files.write(["p.a (x)", "p.b ()", "p.c ()"], "c of one branch") is None
    assert other.write(["p.a (x)", "p.a0 ()", "p.b ()"], "a0 of the other") is None
    files.merged(other)
    now = ["p.a (x)", "p.a0 ()", "p.b ()", "p.c ()"]
    assert files.write(now) is None  # puts the lines in order, and asks for no reason
    assert files.check(now) == ""
