"""Writes the corpus of saved models: all cases of one release in a zip file, and the index.

Runs inside an oracle environment (PaddlePaddle 1.8.5 on Python 3.7, or 2.6.2), so it keeps to what
Python 3.7 understands. The layout is described in tests/data/models/README.md.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pack
from corpus import (
    RELEASE,
    base,
    build_programs,
    clean_program_files,
    name_of,
    run_steps,
    stored_values,
    write_values,
)


class Models:
    """The cases of one release, collected in a folder until `finish` packs them."""

    def __init__(self, root: str, only: str = ""):
        self.root = root
        self.only = only
        self.folder = tempfile.mkdtemp()
        self.index = {}

    def add(self, name: str, fill) -> None:
        """Let `fill(folder)` write a case and return what the index says about it."""
        if self.only not in name:
            return
        folder = os.path.join(self.folder, name)
        os.makedirs(os.path.join(folder, "model"))
        self.index[name] = fill(folder)
        clean_program_files(folder)
        size = sum(os.path.getsize(os.path.join(b, f)) for b, _, fs in os.walk(folder) for f in fs)
        print(f"{name:32} {size:7} bytes", flush=True)

    def static(self, name: str, build, save, meta: dict, warm: int = 0, rounds: int = 2) -> None:
        """A static Program that `save(executor, main, built, folder)` stores.

        `warm` is the number of runs in training mode before (batch norm collects statistics).
        The expected values are of `rounds` runs of the test Program, with other feeds in each.
        """

        def fill(folder: str) -> dict:
            main, startup, built = build_programs(build)
            scope, executor = base.core.Scope(), base.Executor(base.CPUPlace())
            feeds, expected = {}, {}
            with base.scope_guard(scope):
                executor.run(startup)
                if warm:
                    run_steps(executor, main, built, warm)
                save(executor, main, built, folder)
                expected.update(
                    ("stored/" + key, value) for key, value in stored_values(main, scope).items()
                )
                trained = meta["kind"] == "training"
                tested = main if trained else main.clone(for_test=True)
                for i in range(1 if trained else rounds):
                    built.feeds = other(built.feeds, i)
                    found = run_steps(executor, tested, built, 1)[0][0]
                    feeds.update((f"{i}/{key}", value) for key, value in built.feeds.items())
                    expected.update((f"{i}/{k}", value) for k, value in enumerate(found))
            write_values(folder, "feeds.npz", feeds)
            write_values(folder, "expected.npz", expected)
            kept = sorted(k[7:] for k in expected if k.startswith("stored/"))
            run = {"method": "forward", "feeds": list(built.feeds)}
            runs = [run] * (1 if trained else rounds)
            fetches = [name_of(v) for v in built.fetches]
            return dict(meta, runs=runs, fetches=fetches, stored=kept)

        self.add(name, fill)

    def finish(self) -> None:
        """Pack all cases, and replace the release's part of the index."""
        path = os.path.join(self.root, RELEASE + ".zip")
        # In a process without paddle, whose own zlib gets in the way of Python's and crashes.
        subprocess.check_call([sys.executable, pack.__file__, self.folder, path])
        shutil.rmtree(self.folder)
        index = os.path.join(self.root, "index.json")
        content = {}
        if os.path.exists(index):
            with open(index) as file:
                content = json.load(file)
        content[RELEASE] = self.index
        with open(index, "w") as file:
            lines = []
            for release in sorted(content):
                cases = [
                    f'  "{name}": ' + json.dumps(meta, sort_keys=True)
                    for name, meta in sorted(content[release].items())
                ]
                lines.append(f' "{release}": {{\n' + ",\n".join(cases) + "\n }")
            file.write("{\n" + ",\n".join(lines) + "\n}\n")
        print(path, os.path.getsize(path), "bytes,", len(self.index), "cases")


def other(feeds: dict, i: int) -> dict:
    """The feeds of round `i`: the given ones, then the same rolled by a row and scaled."""
    if i == 0:
        return feeds
    made = {}
    for key, value in feeds.items():
        value = np.roll(np.asarray(value), 1, axis=0) if np.ndim(value) else np.asarray(value)
        made[key] = value * 0.7 if value.dtype.kind == "f" else value
        made[key] = made[key].astype(value.dtype)
    return made
