"""What scripts for VisualDL 2 do that its guide does not say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from visualdl import LogReader, LogWriter
from visualdl.server import app, cli

ROOT = Path(__file__).resolve().parents[3]
PLACES = """
import sys
import visualdl
assert visualdl.server.app.run and "flask" in sys.modules
assert visualdl.writer.writer.LogWriter is visualdl.LogWriter
assert visualdl.reader.reader.LogReader is visualdl.LogReader
"""
PLACES_IN_PACKAGES = """
from visualdl import LogReader, LogWriter
import visualdl.server
assert visualdl.server.app.run and visualdl.writer.writer.LogWriter is LogWriter
import visualdl.reader.reader, visualdl.writer.writer
assert visualdl.reader.reader.LogReader is LogReader
for module in (visualdl, visualdl.server, visualdl.reader, visualdl.writer):
    assert not hasattr(module, "nothing")
"""


@pytest.mark.parametrize("script", [PLACES, PLACES_IN_PACKAGES], ids=["whole", "parts"])
def test_modules_are_named_without_being_imported(script: str) -> None:
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_numbers_written_as_text(tmp_path: Path) -> None:
    """PaddleDetection hands over `format(value, ".6f")`."""
    with LogWriter(tmp_path) as writer:
        writer.add_scalar("loss", format(0.25, ".6f"), 1)
        writer.add_scalar("loss", "nan", 2)
        writer.add_scalars("both", {"a": "1e3", "b": 2}, 1)
    reader = LogReader(file_path=writer.file_name)
    assert [str(row.value) for row in reader.get_data("scalar", "loss")] == ["0.25", "nan"]
    both = [row.tag_value.value for row in reader.get_data("scalars", "both")]
    assert both == [1000.0, 2.0]


def test_that_nothing_is_reported_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "serve", lambda options, ends_with_input: 7)
    assert cli.main(["--disable-telemetry"]) == 7
    assert cli.main([]) == 7
    started = []

    class Process:
        pid = 5

        def __init__(self, command: list[str], **options: object) -> None:
            started.append(command)

        def wait(self) -> int:
            return 0

    monkeypatch.setattr(app.subprocess, "Popen", Process)
    monkeypatch.setattr(app, "_started", [None])  # so that nothing waits at the end
    assert app.run("./log", telemetry=False) == 5 and len(started) == 1
    with pytest.raises(ValueError, match="telemetry"):
        app.run("./log", telemetry=True)
