"""Programs that write logs, in processes of their own, and what is in the logs afterwards."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from visualdl.log_file import LogFile

ROOT = Path(__file__).resolve().parents[3]


def until(done: Callable[[], bool], seconds: float = 60) -> bool:
    """Waits for something; says whether it came."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def run(program: str, folder: Path) -> subprocess.Popen[str]:
    """Starts a program that has `LogWriter` and `folder`."""
    lines = [
        "import os, signal, sys, threading, time",
        "from visualdl import LogWriter",
        f"folder = {str(folder)!r}",
        textwrap.dedent(program),
    ]
    return subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(program: str, folder: Path, code: int = 0) -> str:
    """Runs a program to its end; gives what it prints."""
    process = run(program, folder)
    out, error = process.communicate(timeout=120)
    assert process.returncode == code, error
    return out


def values_in(folder: Path) -> list[float]:
    """Gives the scalars in the one log of a folder, sorted."""
    (path,) = folder.glob("vdlrecords.*")
    file = LogFile(str(path))
    found = sorted(value.value for value in file.read() if value.WhichOneof("one_value") == "value")
    assert not file.problems and file.position == path.stat().st_size
    return found
