"""Reads the models in tests/data/inference: files that a release wrote, inputs, what it gave."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "data" / "inference"
INDEX: dict[str, dict[str, Any]] = json.loads((FOLDER / "index.json").read_text("utf8"))
CASES = [f"{release}/{name}" for release, cases in INDEX.items() for name in cases]


@dataclass
class Value:
    """An input or output: an array, and the levels of its rows (empty: it has none)."""

    array: np.ndarray
    levels: list[list[int]] | None = field(default_factory=list)  # None: nothing tells


@dataclass
class Deployed:
    """A model that was saved for deployment.

    Attributes:
        name: '<release>/<name>'.
        meta: what the index says: ``names`` are those of the files, ``inputs`` lie in their order.
        files: contents of the files below the case's folder.
    """

    name: str
    meta: dict[str, Any]
    files: dict[str, bytes] = field(repr=False)

    def unpack(self, folder: Path) -> tuple[str, dict[str, str]]:
        """Writes the files; returns the path a loader is given, and the names to tell it."""
        for name, content in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        names = self.meta["names"]
        told = {k: v for k, v in names.items() if k.endswith("_filename")}
        return str(folder / names.get("prefix", names.get("dirname"))), told

    def paths(self, folder: Path) -> list[str]:
        """Writes the files; returns what a Config is given: a folder, or program and values."""
        path, told = self.unpack(folder)
        if told:
            return [f"{path}/{told['model_filename']}", f"{path}/{told['params_filename']}"]
        return (
            [path] if "dirname" in self.meta["names"] else [f"{path}.pdmodel", f"{path}.pdiparams"]
        )

    def rounds(self) -> list[tuple[dict[str, Value], list[Value]]]:
        """(inputs by name, in the order of the model; outputs in order) of every run."""
        inputs, outputs = (_values(self.files[n]) for n in ("feeds.npz", "expected.npz"))
        listed = [[found[str(k)] for k in range(len(found))] for found in outputs.values()]
        order = self.meta["inputs"]
        ordered = [{name: found[name] for name in order} for found in inputs.values()]
        return list(zip(ordered, listed, strict=True))


def _values(content: bytes) -> dict[int, dict[str, Value]]:
    """The arrays of a file by round and name; ``<round>/<name>@<level>`` are offsets."""
    made: dict[int, dict[str, Value]] = {}
    with np.load(io.BytesIO(content)) as found:
        for key in sorted(found.files):
            at, _, rest = key.partition("/")
            name, _, level = rest.partition("@")
            values = made.setdefault(int(at), {})
            if level:
                values[name].levels.append(found[key].tolist())
            else:
                values[name] = Value(found[key])
    return made


@functools.cache
def read_deployed(name: str) -> Deployed:
    """Reads a case by '<release>/<name>'."""
    release, _, short = name.partition("/")
    start = f"{short}/"
    with zipfile.ZipFile(FOLDER / f"{release}.zip") as archive:
        names = [n for n in archive.namelist() if n.startswith(start)]
        files = {n.removeprefix(start): archive.read(n) for n in names}
    return Deployed(name, INDEX[release][short], files)
