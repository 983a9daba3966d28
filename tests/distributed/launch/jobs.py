"""Jobs for tests: the launcher as a process, what it writes, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIMIT = 90.0  # seconds that anything may take


class Launched:
    """A launcher under way.

    Args:
        folder (Path): where it runs; its logs are in ``log``.
        script (str): what each process runs.
        options (list): of the launcher.
        arguments (list): of the script.
        module (str): which launcher.
        **variables: of its environment.
    """

    def __init__(
        self,
        folder: Path,
        script: str,
        *options: str,
        arguments: tuple[str, ...] = (),
        module: str = "launch",
        **variables: str,
    ) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "train.py").write_text(textwrap.dedent(script), encoding="utf8")
        cleared = ("PADDLE_", "FLAGS_", "TRAINING_ROLE", "POD_IP", "GLOO_")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(cleared)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"paddle.distributed.{module}", "--log_dir", "log", *options,
             "train.py", *arguments],
            cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**inherited, "LAUNCH_TEST": self.mark, "PYTHONPATH": str(ROOT), **variables},
        )  # fmt: skip

    def finish(self) -> tuple[int, str, str]:
        """Waits for its end; returns exit status, output and messages."""
        try:
            out, err = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            logs = "\n".join(f"{p.name}: {p.read_text()}" for p in self.folder.glob("log/*"))
            self.kill()
            raise AssertionError(f"the launcher did not end; its logs:\n{logs}") from None
        try:
            self.wait_until_alone(seconds=5)  # SIGKILL takes a moment
        finally:
            self.kill()
        return self.process.returncode, out, err

    def log(self, name: str) -> str:
        """What a process wrote."""
        path = self.folder / "log" / name
        return path.read_text(encoding="utf8") if path.exists() else ""

    def wait_for(self, text: str, *names: str) -> None:
        """Waits until logs have a text."""
        end = time.monotonic() + LIMIT
        while not all(text in self.log(name) for name in names):
            if time.monotonic() > end or self.process.poll() is not None:
                logs = {name: self.log(name) for name in names}
                self.kill()
                raise AssertionError(f"{text!r} did not come: {logs}")
            time.sleep(0.02)

    def left(self) -> dict[int, str]:
        """The processes of this job that run, by their environment; not the launcher."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                pass
        found.pop(self.process.pid, None)
        return found

    def wait_until_alone(self, seconds: float = LIMIT) -> None:
        """Waits until no process of the job is left."""
        end = time.monotonic() + seconds
        while self.left():
            assert time.monotonic() < end, f"processes were left behind: {self.left()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """Ends whatever is left."""
        for pid in [*self.left(), self.process.pid]:
            try:
                if self.process.returncode is None or pid != self.process.pid:
                    os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait(10)


def run(folder: Path, script: str, *options: str, **others: object) -> tuple[int, str, str]:
    """Runs a job to its end."""
    return Launched(folder, script, *options, **others).finish()  # type: ignore[arg-type]
