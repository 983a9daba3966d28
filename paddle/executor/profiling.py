"""Where the time of runs goes: an account for each operator, kept by a callback of the plan."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from paddle.ir.operator import Operator


class OperatorTime(NamedTuple):
    """The account of one operator, or of all of a type.

    Attributes:
        type (str): the type.
        calls (int): how often it ran, in all runs together.
        seconds (float): how long that took.
        shapes (str): of its results in the last run; empty for a type.
        output (str): the first variable that it makes; empty for a type.
    """

    type: str
    calls: int
    seconds: float
    shapes: str = ""
    output: str = ""


class _Account:
    """What is known of one operator."""

    __slots__ = ("calls", "results", "seconds")

    def __init__(self) -> None:
        self.calls, self.seconds = 0, 0.0
        self.results: tuple[Any, ...] = ()  # shapes, as they come


class Profile:
    """A callback of a plan that adds up what each operator takes.

    It notes the time between the end of one operator and that of the next. With a callback,
    operators run one by one and none writes into what it reads, so the sum is somewhat more than a
    run takes without.

    Attributes:
        runs (int): how many runs began.
    """

    def __init__(self) -> None:
        self.runs = 0
        self._last = threading.local()
        self._lock = threading.Lock()
        self._accounts: dict[Operator, _Account] = {}

    def clear(self) -> None:
        """Forgets all runs."""
        with self._lock:
            self.runs = 0
            self._accounts.clear()

    def starts(self) -> None:
        """Notes that a run begins in this thread."""
        with self._lock:
            self.runs += 1
        self._last.time = time.perf_counter()

    def __call__(self, op: Operator, *buffers: Any) -> None:
        """Adds the time since the operator before to this one's account."""
        now = time.perf_counter()
        last = getattr(self._last, "time", now)
        with self._lock:
            account = self._accounts.get(op)
            if account is None:
                account = self._accounts[op] = _Account()
            account.calls += 1
            account.seconds += now - last
            account.results = tuple(map(_shape, buffers))
        self._last.time = time.perf_counter()

    def operators(self) -> list[OperatorTime]:
        """Returns the account of each operator, the slowest first."""
        found = [
            OperatorTime(op.type, a.calls, a.seconds, _text(a.results), _first(op.output_arg_names))
            for op, a in self._accounts.items()
        ]
        return sorted(found, key=lambda account: -account.seconds)

    def types(self) -> list[OperatorTime]:
        """Returns the account of each type of operators, the slowest first."""
        calls: Counter[str] = Counter()
        seconds: dict[str, float] = {}
        for op, account in self._accounts.items():
            calls[op.type] += account.calls
            seconds[op.type] = seconds.get(op.type, 0.0) + account.seconds
        found = [OperatorTime(type, calls[type], spent) for type, spent in seconds.items()]
        return sorted(found, key=lambda account: -account.seconds)

    def table(self) -> str:
        """Returns the times of all types as a text."""
        types = self.types()
        whole = sum(account.seconds for account in types) or 1.0
        lines = [f"operators over {self.runs} runs"]
        lines += [
            f"{a.type:32} {a.calls:8} calls {a.seconds * 1e3:12.3f} ms {a.seconds / whole:7.2%}"
            for a in types
        ]
        return "\n".join(lines)


def _shape(buffer: Any) -> Any:
    """The shape of a result; those of a list, for a tensor array."""
    if isinstance(buffer, (list, tuple)):
        return tuple(map(_shape, buffer))
    return getattr(buffer, "shape", None)


def _text(results: Iterable[Any]) -> str:
    """Shapes as a text: ``[1, 64, 56, 56]``, or several beside each other."""
    return " ".join(str(list(shape)) for shape in results if shape is not None)


def _first(names: list[str]) -> str:
    return names[0] if names else ""
