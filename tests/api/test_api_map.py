"""Every right-hand name of the official map from 1.x to 2.0 exists."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from scripts import api_table

MAP = Path(__file__).parents[1] / "data" / "api-map-1x-to-2.tsv"

# Right-hand names that do not resolve: pattern -> why.
EXCEPTIONS = {
    r"paddle\.metric\.(chunk_eval|mean_iou)": "2.0 does not have them either",
    r"paddle\.nn\.clip_by_norm": "2.0 does not have it either",
}


def _rows() -> list[tuple[str, str, bool]]:
    """(1.x name, 2.0 name, whether 2.0.0 has it)."""
    found = []
    with MAP.open(encoding="utf8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            names, known = line["new"].split(","), line["new_in_2.0.0"].split(",")
            found += [(line["old"], n.strip(), k == "yes") for n, k in zip(names, known)]
    return found


ROWS = _rows()


def test_the_map_is_whole() -> None:
    assert len({old for old, _, _ in ROWS}) > 300


@pytest.mark.parametrize("old, new, known", ROWS, ids=[f"{o}-{n}" for o, n, _ in ROWS])
def test_the_new_name_exists(old: str, new: str, known: bool) -> None:
    there = api_table.resolve(new) is not api_table.MISSING
    reason = next((why for p, why in EXCEPTIONS.items() if re.fullmatch(p, new)), None)
    if reason is not None:
        pytest.skip(reason)
    assert there, f"{old} became {new}, which does not exist"


@pytest.mark.parametrize("pattern", EXCEPTIONS)
def test_exceptions_are_needed(pattern: str) -> None:
    names = [new for _, new, _ in ROWS if re.fullmatch(pattern, new)]
    gone = [n for n in names if api_table.resolve(n) is api_table.MISSING]
    assert gone, f"all of {names} exist: take {pattern} out of EXCEPTIONS"


def test_names_that_2_0_lacks_are_excepted() -> None:
    unknown = {new for _, new, known in ROWS if not known}
    listed = [n for n in unknown if any(re.fullmatch(p, n) for p in EXCEPTIONS)]
    missing = [n for n in unknown if api_table.resolve(n) is api_table.MISSING]
    assert set(missing) <= set(listed)
