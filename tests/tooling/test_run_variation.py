"""Variations of the test run, and the random order."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import run_variation
from scripts.run_variation import TABLE, chosen, command

ROOT = Path(__file__).resolve().parents[2]
TESTS = "".join(f"def test_{name}(): pass\n" for name in "abcdefghij")


def test_every_row_has_its_turn():
    assert [chosen(None, n) for n in range(len(TABLE))] == list(range(len(TABLE)))
    assert chosen("2", 5) == 2
    for given in ("x", str(len(TABLE)), "-1"):
        with pytest.raises(SystemExit, match="VARIATION: expected 0 to"):
            chosen(given, 0)


def test_the_table_has_what_is_promised():
    assert {row.workers for row in TABLE} == {1, 2, 4}
    assert {row.environment.get("ATEN_CPU_CAPABILITY") for row in TABLE} == {
        None,
        "default",
        "avx2",
    }
    assert any("ONEDNN_MAX_CPU_ISA" in row.environment for row in TABLE)
    assert not TABLE[0].in_random_order and all(row.in_random_order for row in TABLE[1:])


def test_commands():
    assert command(TABLE[0], None, 7) == ["-m", "pytest", "-q", "-n", "2", "--dist", "worksteal"]
    assert command(TABLE[1], "3", 7)[3:5] == ["-n", "3"]
    for row in TABLE:
        assert ("not slow" in command(row, None, 7)) == (row.workers == 1), row.name


def test_turn_and_seed_are_those_of_the_commit_or_of_the_day(tmp_path):
    assert run_variation.commit(tmp_path)[0] > 20_000  # no repository: days since 1970
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    found = []
    for number in range(3):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", str(number)], check=True)
        found.append(run_variation.commit(tmp_path))
    assert [turn for turn, _ in found[1:]] == [2, 3] and found[1][1] != found[2][1]
    assert run_variation.commit(tmp_path) == found[2], "the same again"


def order(folder, *options):
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (folder / "test_order.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    found = [l.split("::test_")[1][0] for l in done.stdout.splitlines() if "::test_" in l]
    return "".join(found), done


def test_random_order_follows_the_seed(tmp_path):
    plain, _ = order(tmp_path)
    first, done = order(tmp_path, "--random-order", "3")
    again, _ = order(tmp_path, "--random-order", "3")
    assert plain == "abcdefghij" and sorted(first) == list(plain) and first == again != plain
    assert "random order: --random-order 3 repeats it" in done.stdout
    shared, done = order(tmp_path, "--random-order", "new", "-n", "2")
    assert sorted(set(shared)) == list(plain) and done.returncode == 0, done.stdout  # one order
    seed = done.stdout.split("random order: --random-order ")[1].split()[0]
    assert seed.isdigit()
    _, done = order(tmp_path, "--random-order", "x")
    assert done.returncode and "expected a number or `new`, but got 'x'" in done.stderr
