"""The examples of compression, with few images: each runs and shows what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.examples.running import needs_mnist, run

pytestmark = [pytest.mark.slow, needs_mnist]
NUMBER = r"(\d+\.\d+)"


def last_line(name: str, folder: Path, *arguments: str) -> str:
    done = run(f"compress/{name}", folder, "--quick", *arguments)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()[-1]


def numbers(pattern: str, line: str) -> list[float]:
    found = re.search(pattern.replace("#", NUMBER), line)
    assert found is not None, line
    return [float(n) for n in found.groups()]


def test_half_of_the_operations_can_go(tmp_path: Path) -> None:
    line = last_line("prune_mnist", tmp_path)
    pattern = "whole #, pruned #, tuned #; #% of the operations left"
    whole, pruned, tuned, left = numbers(pattern, line)
    assert 40 < left <= 50
    assert tuned > pruned
    assert tuned > whole - 1.5


def test_calibration_costs_little(tmp_path: Path) -> None:
    line = last_line("ptq_mnist", tmp_path)
    whole, *found = numbers("float #; 8 bits: abs_max #, hist #", line)
    assert min(found) > whole - 0.5


def test_training_with_rounded_numbers_costs_little(tmp_path: Path) -> None:
    line = last_line("qat_mnist", tmp_path)
    _, tuned, rounded, served = numbers("float #, tuned #; 8 bits #, from its files #", line)
    assert rounded > tuned - 0.5
    assert served == pytest.approx(rounded, abs=0.2)


def test_a_teacher_helps(tmp_path: Path) -> None:
    line = last_line("distill_mnist", tmp_path)
    teacher, alone, taught = numbers("teacher #; student alone #, taught #", line)
    assert alone < taught < teacher


def test_a_search_keeps_to_its_budget(tmp_path: Path) -> None:
    line = last_line("nas_mnist", tmp_path)
    found = re.search(r"\(([\d,]+) operations\) " + NUMBER, line)
    assert found is not None, line
    assert int(found[1].replace(",", "")) <= 100_000
    assert float(found[2]) > 75


@pytest.mark.parametrize("name", ["ptq_mnist", "prune_mnist"])
def test_mobilenet_too(name: str, tmp_path: Path) -> None:
    assert last_line(name, tmp_path, "--net", "mobilenet").startswith("mobilenet: ")
