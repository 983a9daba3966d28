"""What conversion decided, noted while ``paddle.jit.explain`` listens, and only then.

Converters call :func:`control`, ``convert_call`` calls :func:`converted` and :func:`left_alone`.
Nobody listening costs the look at one variable.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

from paddle.ir.operator import SourceLocation, user_location

_log: ContextVar[list[Event] | None] = ContextVar("events of conversion", default=None)


class Event(NamedTuple):
    """One decision.

    Attributes:
        kind (str): ``converted``, ``left``, or a statement: ``if``, ``while``, ``for``, ...
        subject (Any): the callable, for the first two.
        text (str): why it was left, or what the statement became: ``operator`` or ``Python``.
        location (SourceLocation|None): the user's line.
    """

    kind: str
    subject: Any
    text: str
    location: SourceLocation | None


@contextlib.contextmanager
def listening() -> Iterator[list[Event]]:
    """Collects the decisions made inside of the ``with`` block."""
    log: list[Event] = []
    token = _log.set(log)
    try:
        yield log
    finally:
        _log.reset(token)


def count() -> int:
    """How many decisions have been noted; for :func:`forget`."""
    log = _log.get()
    return 0 if log is None else len(log)


def forget(number: int) -> None:
    """Forgets all decisions but the first so many: what they were about is recorded anew."""
    log = _log.get()
    if log is not None:
        del log[number:]


def converted(function: Callable) -> None:
    """Notes that ``function`` runs as converted code."""
    log = _log.get()
    if log is not None:
        log.append(Event("converted", function, "", user_location()))


def left_alone(function: Any, reason: str) -> None:
    """Notes that ``function`` runs as it is, and why."""
    log = _log.get()
    if log is not None:
        log.append(Event("left", function, reason, user_location()))


def control(statement: str, operator: bool, remark: str = "") -> None:
    """Notes what a statement of the user's current line became.

    Args:
        statement (str): ``if``, ``while``, ``for``, ``and``, ``assert``, ``print`` ...
        operator (bool): whether operators of the Program do it; else Python does, while recording.
        remark (str): more to tell, such as how often a loop was unrolled.
    """
    log = _log.get()
    if log is not None:
        text = "operator" if operator else "Python"
        log.append(Event(statement, None, f"{text}; {remark}" if remark else text, user_location()))
