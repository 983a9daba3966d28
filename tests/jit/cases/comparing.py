"""Runs a function and its conversion on the same arguments and tells what each of them did."""

from __future__ import annotations

import contextlib
import copy
import io
from collections.abc import Callable
from typing import Any

_UNBOUND = (UnboundLocalError, NameError)


def outcome(function: Callable, arguments: tuple, log: list | None = None) -> dict[str, Any]:
    """What a call returns, raises, prints, logs and does to its arguments."""
    arguments = copy.deepcopy(arguments)
    printed = io.StringIO()
    if log is not None:
        log.clear()
    returned: Any = None
    raised: Any = None
    with contextlib.redirect_stdout(printed):
        try:
            returned = function(*arguments)
        except Exception as error:
            raised = _told(error)
    return {
        "returned": returned,
        "raised": raised,
        "printed": printed.getvalue(),
        "arguments": arguments,
        "log": list(log or ()),
    }


def _told(error: BaseException | None) -> Any:
    if error is None:
        return None
    if isinstance(error, _UNBOUND):
        return "unbound"
    return type(error), error.args, _told(error.__cause__)
