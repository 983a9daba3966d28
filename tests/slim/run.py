"""Runs stories with a PaddleSlim and writes what became of each as JSON.

    python tests/slim/run.py FOLDER RESULT.json [THEME ...]

FOLDER holds the package, as `pip install --target` puts it there. PaddleSlim 2.2.2 calls
`numpy.product`, `numpy.float` and `numpy.mat`, which NumPy 2 has no more; they are put back. So is
`pkg_resources`, of which 2.6.0 only wants that it is there.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
import types
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.slim.stories import THEMES, Story, fresh


def put_back() -> None:
    """Gives PaddleSlim what it takes from old NumPy and setuptools."""
    import numpy as np

    for name, found in (("product", np.prod), ("float", float), ("mat", np.asmatrix)):
        if not hasattr(np, name):
            setattr(np, name, found)
    try:
        importlib.import_module("pkg_resources")
    except ImportError:
        sys.modules["pkg_resources"] = types.ModuleType("pkg_resources")


def stories_of(theme: str) -> list[Story]:
    """The stories of a theme, in the order in which they are written."""
    found = vars(importlib.import_module(f"tests.slim.{theme}")).values()
    return [each for each in found if isinstance(each, Story)]


def version(folder: str) -> str:
    """The version of the PaddleSlim in a folder."""
    found = [path.name for path in Path(folder).glob("paddleslim-*.dist-info")]
    return found[0].split("-")[1].removesuffix(".dist") if found else ""


def later(one: str, other: str) -> bool:
    """Says whether one version comes after another."""
    one_parts, other_parts = (tuple(map(int, v.split("."))) for v in (one, other))
    return one_parts > other_parts


def outcome(each: Story) -> dict[str, Any]:
    """Runs a story: whether it came out, how long it took, what went wrong and where."""
    begun, error, where = time.perf_counter(), "", ""
    try:
        with fresh(each.static):
            each.run()
    except BaseException as raised:
        said = (str(raised) or type(raised).__name__).strip().splitlines()
        error = f"{type(raised).__name__}: {said[0][:200]}"
        where = "".join(traceback.format_exception(raised))[-3000:]
    seconds = time.perf_counter() - begun
    return {"names": each.names, "error": error, "where": where, "seconds": round(seconds, 2)}


def main() -> None:
    folder, target, *themes = sys.argv[1:]
    only = [t for t in themes if t not in THEMES]
    sys.path.insert(1, folder)
    put_back()
    import paddle  # noqa: F401

    found: dict[str, Any] = {}
    for theme in [t for t in themes if t in THEMES] or THEMES:
        for each in stories_of(theme):
            if only and each.name not in only:
                continue
            if each.not_before and later(each.not_before, version(folder)):
                continue
            found[each.name] = {"theme": theme, **outcome(each)}
            print(each.name, found[each.name]["error"] or "passes", found[each.name]["seconds"])
            if only:
                print(found[each.name]["where"])
            Path(target).write_text(json.dumps(found, indent=1))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    import os

    os._exit(0)  # servers of the package leave threads behind that wait for ever
