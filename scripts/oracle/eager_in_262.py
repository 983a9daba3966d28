"""Runs public API calls eagerly here and in PaddlePaddle 2.6.2 and lists what differs.

`python scripts/oracle/eager_in_262.py` runs in the project's own environment, with the Python of an
environment with PaddlePaddle 2.6.2 in --oracle. The calls are the tables of tests/static/calls_*.py,
eager_calls.py (more dtypes, empty tensors, dimensions of size 0) and eager_wrong.py. Compared are
values, shapes, dtypes, and whether there is an error ("no kernel": 2.6.2 has none on the CPU for
this dtype); of random calls shapes and dtypes. A shape [] there is [1] here.

Differences that are meant are in eager_differences.tsv (call, difference, reason; `*` in a call
stands for anything); the script prints those that are not there and entries that are stale, and
exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import os
import pickle
import select
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.oracle.serve_eager_262 import TABLES, Calls  # noqa: E402

KNOWN = Path(__file__).with_name("eager_differences.tsv")
DEFAULT = "/tmp/oracle/p26/bin/python"
PATIENCE = 60  # seconds; starting it takes some


class There:
    """The process with PaddlePaddle 2.6.2; one that died is started again."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.process: Any = None

    def outcome(self, table: str, name: str) -> tuple[str, Any]:
        """Like Calls.outcome, or ("crashed", "")."""
        if self.process is None:
            command = [self.python, str(Path(__file__).with_name("serve_eager_262.py"))]
            # PYTHONPATH would give it this repository's paddle.
            env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=env, cwd="/",
            )  # fmt: skip
        sent = pickle.dumps((table, name))
        try:
            self.process.stdin.write(struct.pack("<q", len(sent)) + sent)
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            head = self.process.stdout.read(8) if ready else b""
            if len(head) < 8:
                raise BrokenPipeError
        except BrokenPipeError:
            self.process.kill()
            self.process.wait()
            self.process = None
            return "crashed", ""
        kind, found = pickle.loads(self.process.stdout.read(struct.unpack("<q", head)[0]))
        if kind == "returned":
            found = [(name, np.load(io.BytesIO(data))) for name, data in found]
        return kind, found


def difference(ours: tuple[str, Any], theirs: tuple[str, Any], values: bool) -> str:
    """What differs, in a few words that say the same each time; empty if nothing does."""
    if ours[0] != theirs[0]:
        missing = theirs[0] == "raised" and "is not registered" in theirs[1]
        return f"{ours[0]} here, {'no kernel' if missing else theirs[0]} there"
    if ours[0] != "returned":
        return ""
    if len(ours[1]) != len(theirs[1]):
        return f"{len(ours[1])} results here, {len(theirs[1])} there"
    for (dtype, a), (dtype_there, b) in zip(ours[1], theirs[1], strict=True):
        if b.shape == () and a.shape == (1,):
            b = b.reshape(1)
        if dtype != dtype_there:
            return f"{dtype} here, {dtype_there} there"
        if a.shape != b.shape:
            return f"{list(a.shape)} here, {list(b.shape)} there"
        if not values or a.dtype.kind in "US":
            continue
        tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-7}.get(dtype, 2e-5)
        if not np.allclose(a, b, rtol=tolerance, atol=tolerance / 10, equal_nan=True):
            return "values differ"
    return ""


def known() -> list[list[str]]:
    """The entries of the table: call, difference, reason."""
    lines = KNOWN.read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="calls with this text in their name")
    parser.add_argument("--oracle", default=DEFAULT)
    parser.add_argument("--show", action="store_true", help="show messages and values")
    parser.add_argument("--all", action="store_true", help="show what the table explains too")
    options = parser.parse_args()
    here, there, entries = Calls(), There(options.oracle), known()
    used, count, unexplained = set(), 0, 0
    for table in TABLES:
        for name in here.tables[table]:
            key = f"{table}.{name}"
            if options.only not in key:
                continue
            count += 1
            ours, theirs = here.outcome(table, name), there.outcome(table, name)
            found = difference(ours, theirs, values=table != "random")
            matching = [
                i for i, (call, what, _) in enumerate(entries)
                if fnmatch.fnmatchcase(key, call) and what in (found, "*")
            ]  # fmt: skip
            if found and matching:
                used.add(matching[0])
            if not found or (matching and not options.all):
                continue
            unexplained += not matching
            print(f"{key}\t{found}", flush=True)
            if options.show:
                print(f"  here: {str(ours)[:600]}\n  there: {str(theirs)[:600]}")
    stale = [] if options.only else [e for i, e in enumerate(entries) if i not in used]
    for entry in stale:
        print(f"stale entry: {entry[0]}\t{entry[1]}")
    print(f"{count} calls, {unexplained} differences that are not explained, {len(stale)} stale")
    return int(bool(unexplained or stale))


if __name__ == "__main__":
    sys.exit(main())
