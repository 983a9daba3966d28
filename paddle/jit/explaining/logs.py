"""What conversion writes to its log: sources, converted code and warnings."""

from __future__ import annotations

import inspect
import logging
import os
import sys
import textwrap
from collections.abc import Callable
from typing import Any

CODE_LEVEL = "TRANSLATOR_CODE_LEVEL"
VERBOSITY = "TRANSLATOR_VERBOSITY"
ALL = 100  # the code level of the finished code


class _Stream(logging.StreamHandler):
    """Writes to what ``sys.stderr`` or ``sys.stdout`` is at the time."""

    def __init__(self, name: str) -> None:
        logging.Handler.__init__(self)
        self._name = name

    @property
    def stream(self) -> Any:  # type: ignore[override]
        """The stream of today, which a notebook or a test may have replaced."""
        return getattr(sys, self._name)


class _Format(logging.Formatter):
    """``2020-01-01 00:00:00,980 Dynamic-to-Static INFO: ...``; warnings have their own form."""

    _plain = logging.Formatter("%(asctime)s %(name)s %(levelname)s: %(message)s")
    _warning = logging.Formatter("%(asctime)s-%(levelname)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line of a record."""
        form = self._warning if record.levelno == logging.WARNING else self._plain
        return form.format(record)


class Settings:
    """How much is written; None takes the environment variable."""

    verbosity: int | None = None
    code_level: int | None = None
    both: dict[str, bool] = {VERBOSITY: False, CODE_LEVEL: False}


def _logger(*streams: str) -> logging.Logger:
    # Not from getLogger: how a program configures its own logs changes nothing here.
    made = logging.Logger("Dynamic-to-Static", logging.INFO)
    for stream in streams:
        handler = _Stream(stream)
        handler.setFormatter(_Format())
        made.addHandler(handler)
    return made


_stderr = _logger("stderr")
_both = _logger("stderr", "stdout")


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Sets how much conversion tells about itself in the log, which goes to ``sys.stderr``.

    The environment variable ``TRANSLATOR_VERBOSITY`` says the same where this was not called.

    Args:
        level (int): 0 nothing; 1 sources and the callables that are converted; 2 and 3 more
            detail. Default: 0.
        also_to_stdout (bool): writes to ``sys.stdout`` too. Default: False.

    Raises:
        TypeError: the level is no integer, or ``also_to_stdout`` no bool.
        ValueError: the level is negative.

    Examples:
        .. code-block:: python

            import paddle
            paddle.jit.set_verbosity(1)
            paddle.jit.set_verbosity(0)
    """
    Settings.verbosity = _level("set_verbosity", level)
    Settings.both[VERBOSITY] = _flag("set_verbosity", also_to_stdout)


def set_code_level(level: int = ALL, also_to_stdout: bool = False) -> None:
    """Sets which converted code is written to the log, which goes to ``sys.stderr``.

    The environment variable ``TRANSLATOR_CODE_LEVEL`` says the same where this was not called.

    Args:
        level (int): 0 none; ``n`` the code after the n-th transform; a number above that of the
            transforms the finished code. Default: 100.
        also_to_stdout (bool): writes to ``sys.stdout`` too. Default: False.

    Raises:
        TypeError: the level is no integer, or ``also_to_stdout`` no bool.
        ValueError: the level is negative.

    Examples:
        .. code-block:: python

            import paddle

            @paddle.jit.to_static
            def double(x):
                return x * 2

            paddle.jit.set_code_level(100, also_to_stdout=True)
            double(paddle.ones([1]))  # writes the code of double
            paddle.jit.set_code_level(0)
    """
    Settings.code_level = _level("set_code_level", level)
    Settings.both[CODE_LEVEL] = _flag("set_code_level", also_to_stdout)


def _level(api: str, level: Any) -> int | None:
    if level is None:
        return None  # the environment's, as in 2.0
    if isinstance(level, bool) or not isinstance(level, int):
        raise TypeError(f"{api}(level): expected an int, but received {level!r}.")
    if level < 0:
        raise ValueError(f"{api}(level): expected a level of at least 0, but received {level}.")
    return level


def _flag(api: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{api}(also_to_stdout): expected a bool, but received {value!r}.")
    return value


def _from_environment(name: str) -> int:
    text = os.environ.get(name, "0")
    try:
        return int(text or 0)
    except ValueError:
        raise ValueError(f"the environment variable {name}: expected an integer, got {text!r}.")


def verbosity() -> int:
    """How much is to be told: 0 to 3."""
    level = Settings.verbosity
    return _from_environment(VERBOSITY) if level is None else level


def code_level() -> int:
    """After which transform code is to be written; 0: none."""
    level = Settings.code_level
    return _from_environment(CODE_LEVEL) if level is None else level


def log(level: int, text: str | Callable[[], str]) -> None:
    """Writes ``text`` if the verbosity is at least ``level``.

    Args:
        level (int): 1, 2 or 3.
        text (str|callable): what to write, or what makes it; called only if it is needed.
    """
    if verbosity() >= level:
        _say(VERBOSITY, f"(Level {level}) {text if isinstance(text, str) else text()}")


def log_source(function: Callable) -> None:
    """Writes the source of a function that is about to be converted (verbosity 1)."""
    log(1, lambda: "Source code:\n" + _source(function))


def _source(function: Callable) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip("\n")
    except (OSError, TypeError):
        return f"(not available) {function!r}"


def log_callable(function: Any) -> None:
    """Writes that a callable met by converted code is looked at (verbosity 1)."""
    log(1, lambda: f"Convert callable object: convert {function!r}.")


def log_transformed(transformed: Any) -> None:
    """Writes the code of a converted function, or of a step on the way, as the code level asks.

    Args:
        transformed (TransformedFunction): has ``code``, and ``steps``: transform -> code.
    """
    level = code_level()
    if level <= 0:
        return
    name, code = "All Transformers", None
    if level < ALL:
        steps = list(transformed.steps.items())
        if level <= len(steps):
            name, code = steps[level - 1]
    if code is None:
        code = transformed.code
    _say(
        CODE_LEVEL,
        f"After the level {level} ast transformer: '{name}', the transformed code:\n"
        + code.rstrip("\n")
        + "\n",
    )


def warn(text: str) -> None:
    """Writes a warning; these are not subject to the verbosity."""
    _stderr.warning(text)


def _say(what: str, text: str) -> None:
    (_both if Settings.both[what] else _stderr).info(text)
