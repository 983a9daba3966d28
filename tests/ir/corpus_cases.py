"""Reads cases of the frozen corpus (tests/data/programs) and runs them here."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "data" / "programs"


@dataclass
class Case:
    """One case: what meta.json says, and the files next to it."""

    name: str
    meta: dict[str, Any]
    files: dict[str, bytes] = field(repr=False)

    def values(self, name: str) -> dict[str, np.ndarray]:
        """The arrays of one .npz file."""
        with np.load(io.BytesIO(self.files[name])) as found:
            return {key: found[key] for key in found.files}

    def unpack(self, folder: Path) -> None:
        """Writes all files below a folder."""
        for name, content in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def fetched(self) -> list[np.ndarray]:
        """What the release fetched, in the order of meta['fetches']."""
        found = self.values("expected.npz")
        return [found[f"fetch_{i}"] for i in range(len(self.meta["fetches"]))]


def read_case(name: str) -> Case:
    """Reads one case by its name."""
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as archive:
        files = {n: archive.read(n) for n in archive.namelist()}
    return Case(name, json.loads(files.pop("meta.json")), files)


def names(kind: str) -> list[str]:
    """Names of all cases of a kind: inference, train, backward, saved."""
    found = []
    for path in sorted(FOLDER.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            if json.loads(archive.read("meta.json"))["kind"] == kind:
                found.append(path.stem)
    return found
