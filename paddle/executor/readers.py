"""What a Program reads from while it runs: a queue that a Python reader fills, batch by batch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from paddle.core.errors import EOFException, PreconditionNotMetError
from paddle.core.levels import put_levels
from paddle.core.place import current_device
from paddle.executor.held import buffer_or_none


class BatchQueue:
    """Batches for the operator ``read``. They are made when they are asked for.

    Args:
        name (str): what errors call it.

    Attributes:
        source (callable|None): returns an iterable of batches, each a list of LoDTensors.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.source: Callable[[], Any] | None = None
        self._batches: Iterator[Any] | None = None
        self._lock = threading.Lock()  # several threads may train with one reader

    def start(self) -> None:
        """Begins a pass."""
        if self.source is None:
            raise PreconditionNotMetError(
                f"reader {self.name!r}: start() found nothing to read from.",
                hint="decorate the reader, or set a generator, first",
            )
        if self._batches is not None:
            raise PreconditionNotMetError(
                f"reader {self.name!r} was started already: call reset() where a pass ends."
            )
        self._batches = iter(self.source())

    def reset(self) -> None:
        """Ends a pass, wherever it stands."""
        batches, self._batches = self._batches, None
        close = getattr(batches, "close", None)
        if close is not None:
            close()

    @property
    def started(self) -> bool:
        """Whether a pass has begun and was not reset."""
        return self._batches is not None

    def close(self) -> None:
        """As :meth:`reset`."""
        self.reset()

    def size(self) -> int:
        """Returns how many batches wait: none, since each is made when it is asked for."""
        return 0

    def buffers(self, count: int) -> list[Any]:
        """The buffers of the next batch.

        Args:
            count (int): how many the Program reads.

        Raises:
            EOFException: the pass is over.
        """
        with self._lock:
            if self._batches is None:
                raise PreconditionNotMetError(
                    f"read: the reader {self.name!r} was not started, or was reset.",
                    hint="call start() before each pass",
                )
            batch = next(self._batches, None)
        if batch is None:
            raise _ended(self.name)
        if len(batch) != count:
            raise PreconditionNotMetError(
                f"read: expected {count} fields in a batch of reader {self.name!r}, but received "
                f"{len(batch)}."
            )
        device = current_device()
        return [_buffer(value, device) for value in batch]


def _buffer(value: Any, device: Any) -> Any:
    buf: Any = buffer_or_none(value)
    buf = buf.detach() if buf.device == device else buf.to(device)
    levels = value.lod()
    if levels:
        put_levels(buf, levels)
    return buf


def _ended(name: str) -> EOFException:
    return EOFException(
        f"There is no next data: the pass of reader {name!r} is over. Catch "
        "fluid.core.EOFException around the loop that runs the Program, and call reset()."
    )
