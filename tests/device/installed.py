"""Puts a plug-in where Python finds it as an installed package, for processes of tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRACTICE = ROOT / "examples" / "device_plugin" / "kunlun.py"


def install(folder: Path, name: str, entry: str, *modules: Path) -> Path:
    """Makes a package with an entry point ``paddle.devices``.

    Args:
        folder (Path): where it is to lie; belongs into ``PYTHONPATH``.
        name (str): of the devices.
        entry (str): ``module:object``.
        *modules (Path): files that are copied.
    """
    for module in modules:
        shutil.copy(module, folder / module.name)
    told = folder / f"plugin_{name}-1.0.dist-info"
    told.mkdir(parents=True, exist_ok=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugin-{name}\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text(f"[paddle.devices]\n{name} = {entry}\n")
    return folder


def path(folder: Path) -> str:
    """What to give as ``PYTHONPATH``."""
    return os.pathsep.join([str(folder), str(ROOT)])


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a process that finds the packages of a folder."""
    cleared = {k: v for k, v in os.environ.items() if not k.startswith("FLAGS_")}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=240,
        env={**cleared, "PYTHONPATH": path(folder), "OMP_NUM_THREADS": "1", **variables},
    )  # fmt: skip
