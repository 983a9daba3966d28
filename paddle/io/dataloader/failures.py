"""What errors of datasets tell, and their way from a worker process to the trainer."""

from __future__ import annotations

import pickle
import traceback
from typing import Any

import numpy as np


def add_note(error: BaseException, note: str) -> None:
    """Adds a line to what is shown of an error (by Python itself from 3.11 on)."""
    error.__notes__ = [*getattr(error, "__notes__", ()), note]  # type: ignore[attr-defined]


def brief(numbers: Any) -> str:
    """The numbers of a batch as text, at most a few of them."""
    shown = [int(n) if isinstance(n, np.integer) else n for n in numbers[:6]]
    more = len(numbers) - len(shown)
    return f"{shown}" if more <= 0 else f"{str(shown)[:-1]}, ... {more} more]"


class Failure:
    """An exception on its way between processes.

    Args:
        error (Exception): what was raised in the worker.
        where (str): which worker it was.
    """

    def __init__(self, error: BaseException, where: str) -> None:
        self.kind = _portable_class(type(error))
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
        self.text = f"{error}{notes}\n\nraised in {where}; the traceback there:\n{trace}"

    def exception(self) -> BaseException:
        """Returns an exception of the original class whose text holds the worker's traceback."""
        return _with_text(self.kind, self.text)


def _portable_class(kind: type) -> Any:
    """Returns the nearest base class the other process can find by its name."""
    for base in kind.__mro__:
        try:
            if pickle.loads(pickle.dumps(base)) is base:
                return base
        except Exception:
            continue
    return RuntimeError


def _with_text(kind: Any, text: str) -> BaseException:
    if issubclass(kind, StopIteration):
        return RuntimeError(text)
    try:
        made = kind(text)
        if str(made) == text:
            return made
    except Exception:
        pass
    # Its constructor wants something else, or, like KeyError, it shows the text escaped.
    looks = {
        "__init__": lambda self: None,
        "__str__": lambda self: text,
        "__module__": kind.__module__,
    }
    made = type(kind.__name__, (kind,), looks)()
    made.args = (text,)
    return made
