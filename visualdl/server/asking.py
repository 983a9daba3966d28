"""What a route gets and gives: the query with its checks, bodies that are not JSON, refusals."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visualdl.server.options import Options
    from visualdl.server.store import RunData, Store


class Refused(ValueError):
    """What was asked cannot be answered; the text is for the user.

    Args:
        message (str): what is wrong.
        code (int): the status of the answer.
    """

    def __init__(self, message: str, code: int = 400) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Body:
    """An answer that is not JSON.

    Attributes:
        content: its bytes, or pieces of them.
        kind: its media type.
        headers: more headers.
    """

    content: bytes | Iterable[bytes]
    kind: str
    headers: dict[str, str] = field(default_factory=dict)


class Query:
    """The parameters of a request.

    Args:
        args: name -> texts; werkzeug's `MultiDict`.
    """

    def __init__(self, args: Any) -> None:
        self.args = args

    def text(self, name: str, default: str | None = None) -> str:
        """Gives a text; without a default it has to be there."""
        value = self.args.get(name)
        if value is None:
            if default is None:
                raise Refused(f"the parameter {name!r} is missing.")
            return default
        return str(value)

    def texts(self, name: str) -> list[str]:
        """Gives every value of a parameter that may be repeated."""
        return list(dict.fromkeys(self.args.getlist(name)))

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Gives a whole number, brought into a range."""
        value = self.args.get(name)
        if value in (None, ""):
            return default
        try:
            return min(max(int(value[:30]), low), high)
        except ValueError:
            raise Refused(f"{name}: expected a whole number, got {value[:50]!r}.") from None

    def number(self, name: str) -> float | None:
        """Gives a number, None where it is missing."""
        value = self.args.get(name)
        if value in (None, ""):
            return None
        try:
            result = float(value)
        except ValueError:
            result = math.nan
        if math.isnan(result):
            raise Refused(f"{name}: expected a number, got {value[:50]!r}.")
        return result

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Gives one of some texts, the first by default."""
        value = self.args.get(name) or choices[0]
        if value not in choices:
            raise Refused(f"{name}: expected one of {', '.join(choices)}; got {value[:50]!r}.")
        return value


class Kept:
    """Computed answers, kept for a time after they were last asked for.

    Args:
        timeout (float): seconds.
        most (int): so many at most.
    """

    def __init__(self, timeout: float, most: int = 32) -> None:
        self.timeout, self.most = timeout, most
        self._kept: dict[Hashable, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Gives what is kept under a key, made where there is none."""
        now = monotonic()
        with self._lock:
            for old in [k for k, (asked, _) in self._kept.items() if now - asked > self.timeout]:
                del self._kept[old]
            if key in self._kept:
                value = self._kept.pop(key)[1]
                self._kept[key] = (now, value)
                return value
        value = make()
        with self._lock:
            self._kept[key] = (monotonic(), value)
            while len(self._kept) > self.most:
                del self._kept[next(iter(self._kept))]
        return value


@dataclass
class Context:
    """What routes answer from.

    Attributes:
        store: the runs.
        options: what the server was started with.
        kept: computed answers.
        client: the address of who asks.
        file: what was sent along, for `graph/upload`.
    """

    store: Store
    options: Options
    kept: Kept
    client: str = ""
    file: Any = None

    @property
    def folders(self) -> list[str]:
        """The folders of logs."""
        return self.options.logdir

    @property
    def model(self) -> str | None:
        """The path of `--model`."""
        return self.options.model or None

    @property
    def names(self) -> Mapping[str, str]:
        """Path of a run's folder -> the name it is shown by."""
        return self.store.names()[1]

    def run(self, query: Query) -> RunData:
        """Gives the run that is asked for.

        Raises:
            Refused: there is none.
        """
        name = query.text("run")
        run = self.store.run(name)
        if run is None:
            raise Refused(f"there is no run {name[:200]!r} (any more).", 404)
        return run
