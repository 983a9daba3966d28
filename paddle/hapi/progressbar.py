"""The line that shows how far an epoch is."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

import numpy as np

from paddle.core.guards import Guarded


class ProgressBar(Guarded):
    """Writes ``step 200/938 [=====>....] - loss: 0.1358 - acc: 0.9284 - ETA: 13s - 18ms/step``.

    Args:
        num (int, optional): number of steps; None where it is not known.
        width (int): characters of the bar. Default: 30.
        verbose (int): 1: one line that is rewritten; 2: a line per update; 0: nothing.
        start (bool): start the clock at once. Default: True.
        file (file): where to write; None means standard output as it is at the time.

    Examples:
        .. code-block:: python

            from paddle.hapi.progressbar import ProgressBar
            bar = ProgressBar(num=2, verbose=1)
            bar.update(1, [["loss", 0.5]])
            bar.update(2, [["loss", 0.25]])
    """

    def __init__(
        self,
        num: int | None = None,
        width: int = 30,
        verbose: int = 1,
        start: bool = True,
        file: TextIO | None = None,
    ) -> None:
        self._num = num if isinstance(num, int) and num > 0 else None
        self._width = max(int(width), 1)
        self._verbose = verbose
        self._file = file
        self._start = time.perf_counter()
        self._shown = 0
        if start:
            self.start()

    def start(self) -> None:
        """Starts the clock."""
        self._start = time.perf_counter()

    @property
    def file(self) -> TextIO:
        """Where the line is written."""
        return self._file or sys.stdout

    def update(self, current_num: int, values: Any = None) -> None:
        """Shows a step.

        Args:
            current_num (int): steps done so far.
            values (dict|list): names and numbers shown behind the bar.
        """
        if not self._verbose:
            return
        elapsed = (time.perf_counter() - self._start) / max(current_num, 1)
        pairs = list(values.items()) if isinstance(values, dict) else list(values or [])
        text = "".join(f" - {name}: {format_value(value)}" for name, value in pairs)
        last = self._num is not None and current_num >= self._num
        left = ""
        if self._verbose == 1 and self._num is not None and not last:
            left = f" - ETA: {format_seconds(elapsed * (self._num - current_num))}"
        line = f"{self._head(current_num)}{text}{left} - {format_step(elapsed)}"
        if self._verbose == 1:
            padding = " " * max(self._shown - len(line), 0)
            ends = last or self._num is None  # without a bar every update is a line of its own
            self.file.write("\r" + line + padding + ("\n" if ends else ""))
            self._shown = 0 if ends else len(line)
        else:
            self.file.write(line + "\n")
        self.file.flush()

    def _head(self, current: int) -> str:
        if self._num is None:
            return f"step {current:3d}"
        number = f"step {current:{len(str(self._num))}d}/{self._num}"
        if self._verbose != 1:
            return number
        done = int(self._width * min(current / self._num, 1.0))
        bar = "=" * done
        if 0 < done < self._width:
            bar = "=" * (done - 1) + ">"
        return f"{number} [{bar.ljust(self._width, '.')}]"

    def close_line(self) -> None:
        """Ends a line that is still being rewritten."""
        if self._shown:
            self.file.write("\n")
            self.file.flush()
            self._shown = 0


def format_value(value: Any) -> str:
    """Shows numbers with four digits, small ones in scientific form."""
    if isinstance(value, (list, tuple)):
        return " ".join(format_value(v) for v in value)
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        if value.size != 1:
            return " ".join(format_value(v) for v in value.reshape(-1))
        value = value.reshape(-1)[0]
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return f"{value:.4f}" if abs(value) > 1e-3 or value != value else f"{value:.4e}"
    return str(value)


def format_seconds(seconds: float) -> str:
    """Shows a time to wait as 5s, 2:05 or 1:02:05."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}" if whole >= 60 else f"{whole}s"


def format_step(seconds: float) -> str:
    """Shows the time of one step in a fitting unit."""
    if seconds >= 1:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"
