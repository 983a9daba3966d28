"""A short run of what ``make fuzz`` does at length; a failure shows the seed to repeat it with."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.fuzz import files, programs
from tests.fuzz.__main__ import steps_of
from tests.fuzz.faults import STORIES, Trial

SEED = os.environ.get("FUZZ_SEED", "2021")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_programs(part: int) -> None:
    cases = programs.all_cases()[part::4]
    found = programs.fuzz(f"{SEED} {part}", 28, cases)
    assert not found["failures"], (SEED, found["failures"])
    assert min(found["ran"], found["refused"]) > 2


@pytest.mark.parametrize(
    ("kind", "count"), [("fuzz_pickles", 800), ("fuzz_streams", 300), ("fuzz_models", 60)]
)
@pytest.mark.filterwarnings("ignore")
def test_files(kind: str, count: int, tmp_path: Path) -> None:
    found = getattr(files, kind)(random.Random(f"{SEED} {kind}"), count, tmp_path)
    assert not found["failures"], (SEED, found["failures"])
    assert found["refused"] > count // 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("story", STORIES)
def test_a_disk_that_fails(story: type, tmp_path: Path) -> None:
    trial = Trial(story(tmp_path))
    assert {"create", "write", "flush", "fsync", "replace"} <= set(trial.steps)
    for at in steps_of(trial, random.Random(SEED), 10, 20):
        assert not trial.fail_at(at), SEED


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of this process")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("story", STORIES)
def test_a_process_that_dies(story: type, tmp_path: Path) -> None:
    trial = Trial(story(tmp_path))
    for at in steps_of(trial, random.Random(SEED), 3, 9):
        assert not trial.die_at(at), SEED
