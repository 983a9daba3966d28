"""The examples with PaddleSlim from its package, with few images: each shows what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.examples.running import EXAMPLES, needs_mnist, run

SLIM = EXAMPLES.parent / ".venv" / "slim"
pytestmark = [
    pytest.mark.slow,
    needs_mnist,
    pytest.mark.skipif(
        not (SLIM / "paddleslim").is_dir(), reason="`make clients` fetches PaddleSlim"
    ),
]


def numbers(name: str, pattern: str, folder: Path) -> list[float]:
    """What the last line of an example says; it leaves nothing in its folder."""
    done = run(f"compress/paddleslim_{name}", folder, "--quick", packages=SLIM)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert list(folder.iterdir()) == []
    line = done.stdout.splitlines()[-1]
    found = re.search(pattern.replace("#", r"(\d+(?:[.,]\d+)*)"), line)
    assert found is not None, line
    return [float(n.replace(",", "")) for n in found.groups()]


PRUNED = "whole #, pruned #, tuned #; #% of the operations left"


@pytest.mark.parametrize("name", ["prune_static", "prune_dygraph"])
def test_pruned_networks_learn_again(name: str, tmp_path: Path) -> None:
    whole, pruned, tuned, left = numbers(name, PRUNED, tmp_path)
    assert 30 < left < 90
    assert pruned < tuned
    assert tuned > whole - 3


def test_training_with_rounded_numbers_costs_little(tmp_path: Path) -> None:
    whole, tuned, served = numbers("quant_aware", "float #; 8 bits #, from its files #", tmp_path)
    assert tuned > whole - 1
    assert served == pytest.approx(tuned, abs=0.2)


def test_calibration_costs_little(tmp_path: Path) -> None:
    pattern = "float #; 8 bits: hist #, KL #, mse #; weights alone #, their file #%"
    whole, *found, size = numbers("quant_post", pattern, tmp_path)
    assert min(found) > whole - 1
    assert size < 30


def test_a_teacher_helps(tmp_path: Path) -> None:
    teacher, alone, taught = numbers("distill", "teacher #; student alone #, taught #", tmp_path)
    assert alone < taught < teacher


def test_a_search_keeps_to_its_budget(tmp_path: Path) -> None:
    operations, accuracy = numbers("sanas", r"\(# operations\) #", tmp_path)
    assert operations <= 400_000
    assert accuracy > 70


def test_a_part_of_a_supernet_works_alone(tmp_path: Path) -> None:
    pattern = "whole #; a part of half the width #, with #% of the operations"
    whole, part, left = numbers("ofa", pattern, tmp_path)
    assert left < 40
    assert 50 < part < whole
