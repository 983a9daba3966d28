"""scripts/fetch_clients.sh: skips what is there, replaces it whole, says what failed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fetch_clients.sh"
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")

# In the place of Python: what `-m pip install ... --target FOLDER ...` would leave there, and
# `-m venv FOLDER`.
PIP = """#!/usr/bin/env bash
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; exit 0; fi
while [ $# -gt 0 ] && [ "$1" != --target ]; do shift; done
if [ $# -gt 0 ]; then mkdir -p "$2/paddlenlp" && touch "$2/paddlenlp/new.py"; fi
exit ${PIP_FAILS:-0}
"""


def _run(tmp_path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    pip = tmp_path / "python"
    pip.write_text(PIP)
    pip.chmod(0o755)
    return subprocess.run(
        ["bash", SCRIPT, tmp_path / "clients"], env={**os.environ, "PY": str(pip), **env},
        capture_output=True, text=True,
    )  # fmt: skip


def test_it_fetches_once(tmp_path: Path) -> None:
    target = tmp_path / "clients"
    first, second = _run(tmp_path), _run(tmp_path, PIP_FAILS="1")
    assert first.returncode == 0 and (target / "paddlenlp" / "new.py").is_file()
    assert second.returncode == 0 and second.stdout.count("already in") == 3
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_another_version_replaces_what_is_there(tmp_path: Path) -> None:
    target = tmp_path / "clients"
    (target / "paddlenlp").mkdir(parents=True)
    (target / "paddlenlp" / "old.py").touch()
    (target / ".complete").write_text("paddlenlp==1.0")
    assert _run(tmp_path).returncode == 0
    assert sorted(path.name for path in (target / "paddlenlp").iterdir()) == ["new.py"]


def test_a_failure_says_so_and_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "clients" / "paddlenlp").mkdir(parents=True)
    done = _run(tmp_path, PIP_FAILS="1")
    assert done.returncode == 1 and "check that it can reach its registry" in done.stderr
    assert list((tmp_path / "clients" / "paddlenlp").iterdir()) == []
