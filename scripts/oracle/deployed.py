"""Writes deployment models of one release with inputs and outputs, levels of sequences included.

Runs inside an oracle environment, so it keeps to Python 3.7. The layout is described in
tests/data/inference/README.md.
"""

from __future__ import annotations

import numpy as np
from corpus import RELEASE, base, rng, write_values
from models import Models


class Rows:
    """A fed value whose rows are split into sequences: an array, and lengths for every level."""

    def __init__(self, array, *lengths):
        self.array = array
        self.lengths = [list(level) for level in lengths]

    def fed(self):
        return base.create_lod_tensor(self.array, self.lengths, base.CPUPlace())

    def offsets(self):
        return [[0] + [int(n) for n in np.cumsum(level)] for level in self.lengths]


def floats(name: str, *shape: int) -> np.ndarray:
    """Numbers in steps of 1/16, which pack well."""
    return (np.round(rng(name).randn(*shape) * 16) / 16).astype("float32")


def integers(name: str, high: int, *shape: int) -> np.ndarray:
    return rng(name).randint(0, high, shape).astype("int64")


def fed(feeds: dict) -> dict:
    """Feeds as an Executor takes them."""
    return {k: v.fed() if isinstance(v, Rows) else v for k, v in feeds.items()}


def note_feeds(into: dict, round_: int, feeds: dict) -> None:
    """Put the feeds of a round where they are written."""
    for name, value in feeds.items():
        rows = isinstance(value, Rows)
        into[f"{round_}/{name}"] = value.array if rows else value
        for level, offsets in enumerate(value.offsets() if rows else ()):
            into[f"{round_}/{name}@{level}"] = np.array(offsets, "int64")


def note_outputs(into: dict, round_: int, outputs) -> None:
    """Put what was fetched where it is written."""
    for at, value in enumerate(outputs):
        levels = value.lod() if hasattr(value, "lod") else []
        into[f"{round_}/{at}"] = np.array(value)
        for level, offsets in enumerate(levels):
            into[f"{round_}/{at}@{level}"] = np.array(offsets, "int64")


def run_rounds(folder: str, executor, program, rounds, fetches) -> None:
    """Run a loaded model on the feeds of every round; write both."""
    feeds, expected = {}, {}
    for i, given in enumerate(rounds):
        note_feeds(feeds, i, given)
        found = executor.run(program, feed=fed(given), fetch_list=fetches, return_numpy=False)
        note_outputs(expected, i, found)
    write_values(folder, "feeds.npz", feeds)
    write_values(folder, "expected.npz", expected)


__all__ = ["RELEASE", "Models", "Rows", "floats", "integers", "run_rounds"]
