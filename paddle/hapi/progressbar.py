"""The line that shows how far an epoch is, in a terminal, a notebook or a file."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Any, TextIO

import numpy as np

from paddle.core.guards import Guarded

_LEAST_BAR = 5  # a shorter bar is left out
_FILE_SECONDS = 30.0  # between the lines that a file gets of a bar that is not full


class ProgressBar(Guarded):
    """Writes ``step 200/938 [=====>....] - loss: 0.1358 - acc: 0.9284 - ETA: 13s - 18ms/step``.

    In a terminal and in a notebook the line is rewritten. It keeps within the width of the
    terminal: the bar gets shorter, and what still does not fit is cut off. Where the number of
    steps is not known, the time that has passed stands in place of the time left. A file gets no
    control characters: of a bar the last line, which stays in a terminal too, and before that one
    every half a minute; without a bar a line per update.

    Args:
        num (int, optional): number of steps; None where it is not known.
        width (int): characters of the bar. Default: 30.
        verbose (int): 1: a bar; 2: a line per update, without a bar; 0: nothing.
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
        self._start = self._written = time.perf_counter()
        self._shown = 0
        self._waiting = ""  # what a file gets if nothing follows
        self._first = 0  # steps that were done before the clock started
        if start:
            self.start()

    def start(self) -> None:
        """Starts the clock."""
        self._start = self._written = time.perf_counter()

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
        if self._num is not None and current_num > self._num:
            self._num = None  # it was an estimate
        passed = time.perf_counter() - self._start
        elapsed = passed / max(current_num - self._first, 1)
        pairs = list(values.items()) if isinstance(values, dict) else list(values or [])
        text = "".join(f" - {name}: {format_value(value)}" for name, value in pairs)
        last = self._num is not None and current_num >= self._num
        rewritten = self._verbose == 1 and is_rewritten(self.file)
        if self._verbose == 1 and self._num is not None and not last:
            text += f" - ETA: {format_seconds(elapsed * (self._num - current_num))}"
        elif rewritten and self._num is None:
            text += f" - elapsed: {format_seconds(passed)}"
        text += f" - {format_step(elapsed)}"
        if rewritten:
            self._rewrite(current_num, text, last)
        else:
            line = self._head(current_num, self._width) + text + "\n"
            self._append(line, self._verbose != 1 or self._num is None or last)
        self.file.flush()

    def skip(self, steps: int) -> None:
        """Says that so many steps were done before, by a training that goes on."""
        self._first = steps

    def _rewrite(self, current: int, text: str, last: bool) -> None:
        """Puts a line in place of the one before."""
        room = terminal_width(self.file)
        line = self._head(current, self._width) + text
        if room is not None and len(line) > room:
            fitting = self._width - (len(line) - room)
            line = self._head(current, fitting if fitting >= _LEAST_BAR else 0) + text
            if not last:  # nothing is written over the last one: it may take several lines
                line = line[:room]
        padding = " " * max(self._shown - len(line), 0)
        self.file.write("\r" + line + padding + ("\n" if last else ""))
        self._shown = 0 if last else len(line)

    def _append(self, line: str, at_once: bool) -> None:
        """Writes a line to a file, unless another one follows soon."""
        now = time.perf_counter()
        if at_once or now - self._written >= _FILE_SECONDS:
            self.file.write(line)
            self._waiting, self._written = "", now
        else:
            self._waiting = line

    def _head(self, current: int, width: int) -> str:
        if self._num is None:
            return f"step {current:3d}"
        number = f"step {current:{len(str(self._num))}d}/{self._num}"
        if self._verbose != 1 or not width:
            return number
        done = int(width * min(current / self._num, 1.0))
        bar = "=" * done
        if 0 < done < width:
            bar = "=" * (done - 1) + ">"
        return f"{number} [{bar.ljust(width, '.')}]"

    def close_line(self) -> None:
        """Ends a line that is still being rewritten, or has not been written to a file yet."""
        if self._shown or self._waiting:
            self.file.write(self._waiting or "\n")
            self.file.flush()
            self._shown, self._waiting = 0, ""


def is_rewritten(file: Any) -> bool:
    """Whether a line can be written over: in terminals and in notebooks."""
    if type(file).__module__.partition(".")[0] == "ipykernel":
        return True
    try:
        return bool(file.isatty())
    except (AttributeError, ValueError):  # no such method, or closed
        return False


def terminal_width(file: Any) -> int | None:
    """The characters that a line of a terminal may have; None for other files."""
    try:
        # A character in the last column already makes some terminals go to the next line.
        return shutil.get_terminal_size().columns - 1 if file.isatty() else None
    except (AttributeError, ValueError):
        return None


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
