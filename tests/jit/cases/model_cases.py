"""Reads the corpus of saved models (tests/data/models) and compares numbers with it."""

from __future__ import annotations

import functools
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[2] / "data" / "models"
INDEX: dict[str, dict[str, Any]] = json.loads((FOLDER / "index.json").read_text())


@dataclass
class Case:
    """A saved model or state: what the index says, and its files."""

    name: str
    meta: dict[str, Any]
    files: dict[str, bytes] = field(repr=False)

    @functools.cached_property
    def feeds(self) -> dict[str, np.ndarray]:
        return arrays(self.files["feeds.npz"])

    @functools.cached_property
    def expected(self) -> dict[str, np.ndarray]:
        return arrays(self.files["expected.npz"])

    def unpack(self, folder: Path) -> str:
        """Writes the model below a folder; returns the path that a loader is given."""
        for name, content in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        names = self.meta["names"]
        return str(folder / names.get("prefix", names.get("dirname", names.get("program"))))

    @property
    def filenames(self) -> dict[str, str]:
        """model_filename and params_filename, where the loader has to be told."""
        return {k: v for k, v in self.meta["names"].items() if k.endswith("_filename")}

    def of(self, start: str) -> dict[str, np.ndarray]:
        """Expected values whose key begins like that: 'stored/', 'after/', 'gradient/'."""
        return {k.removeprefix(start): v for k, v in self.expected.items() if k.startswith(start)}

    def runs(self) -> list[tuple[str, list[np.ndarray], list[np.ndarray]]]:
        """(method, inputs, expected outputs) of every round."""
        made = []
        for i, run in enumerate(self.meta["runs"]):
            named = run["feeds"] if isinstance(run["feeds"], list) else range(run["feeds"])
            inputs = [self.feeds[f"{i}/{key}"] for key in named]
            outputs = list(self.of(f"{i}/").values())
            taken = self.meta.get("taken")
            made.append((run["method"], inputs, [outputs[k] for k in taken] if taken else outputs))
        return made


def arrays(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as found:
        return {key: found[key] for key in found.files}


@functools.cache
def read_case(name: str) -> Case:
    """Reads a case by '<release>/<name>'."""
    release, _, short = name.partition("/")
    with zipfile.ZipFile(FOLDER / f"{release}.zip") as archive:
        start = short + "/"
        files = {
            n.removeprefix(start): archive.read(n)
            for n in archive.namelist()
            if n.startswith(start)
        }
    return Case(name, INDEX[release][short], files)


def names(*kinds: str) -> list[str]:
    """'<release>/<name>' of all cases of some kinds."""
    return [
        f"{release}/{name}"
        for release, cases in INDEX.items()
        for name, meta in cases.items()
        if meta["kind"] in kinds
    ]


def close(
    found: Any, expected: np.ndarray, what: str, rtol: float = 1e-5, size: float = 0.0
) -> None:
    """Compares numbers; a rank-0 tensor of 2.6.2 may come as a tensor of shape [1].

    Relative to the largest element, or to `size`: of what large terms cancel to, nothing is left.
    """
    found = np.asarray(found)
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, not {expected.dtype}"
    assert found.shape == expected.shape or (found.shape, expected.shape) == ((1,), ()), (
        f"{what}: {found.shape}, not {expected.shape}"
    )
    found = found.reshape(expected.shape)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected, err_msg=what)
        return
    size = float(np.max(np.abs(expected), initial=size))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * size, err_msg=what)
