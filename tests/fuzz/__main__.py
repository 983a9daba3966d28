"""``make fuzz``: damaged Programs and files, failing disks and dying processes, as many as wished.

    python -m tests.fuzz --count 20000 --seed 7 --only programs,pickles

The seed is printed; the same one repeats a run. Failures are printed as they are met.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz import files, logs, programs
from tests.fuzz.faults import STORIES, Trial

KINDS = ("programs", "pickles", "streams", "models", "logs", "faults", "kills")


def steps_of(trial: Trial, r: random.Random, writes: int, most: int = 100) -> list[int]:
    """The steps of a save at which to fail: some writes, and of the others at most so many."""
    plain = [i for i, name in enumerate(trial.steps) if name == "write"]
    others = [i for i, name in enumerate(trial.steps) if name != "write"]
    return sorted(
        r.sample(plain, min(writes, len(plain))) + r.sample(others, min(most, len(others)))
    )


def run(kind: str, seed: str, count: int) -> dict[str, Any]:
    """Runs one kind of test; returns counts and failures."""
    r = random.Random(seed)
    if kind == "programs":
        with contextlib.redirect_stdout(io.StringIO()):  # some of them print
            return programs.fuzz(seed, count, programs.all_cases())
    with tempfile.TemporaryDirectory() as folder:
        if kind in ("faults", "kills"):
            return _faults(kind, r, count, Path(folder))
        if kind == "logs":
            return logs.fuzz_logs(r, count, Path(folder))
        return getattr(files, f"fuzz_{kind}")(r, count, Path(folder))


def _faults(kind: str, r: random.Random, count: int, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"ran": 0, "refused": 0, "failures": []}
    for story in STORIES:
        below = folder / story.__name__
        below.mkdir()
        trial = Trial(story(below))
        for at in steps_of(trial, r, max(1, count // len(STORIES))):
            found["failures"] += trial.fail_at(at) if kind == "faults" else trial.die_at(at)
            found["ran"] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="of each kind (default: 2000)")
    parser.add_argument("--seed", default=None, help="default: the time")
    parser.add_argument("--only", default=",".join(KINDS), help=f"some of {', '.join(KINDS)}")
    given = parser.parse_args()
    seed = given.seed or str(int(time.time()))
    print(f"seed {seed}", flush=True)
    bad = 0
    warnings.simplefilter("ignore")
    for kind in given.only.split(","):
        if kind not in KINDS:
            parser.error(f"there is no kind {kind!r}; expected some of {', '.join(KINDS)}")
        start = time.time()
        found = run(kind, f"{seed} {kind}", given.count)
        print(
            f"{kind}: {found['ran']} ran, {found['refused']} refused, "
            f"{len(found['failures'])} failures in {time.time() - start:.0f} s",
            flush=True,
        )
        for text in found["failures"]:
            print("  " + text)
        bad += len(found["failures"])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
