"""A group whose devices have no library of their own for exchanges: by way of main memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from paddle.core.backends import CPU, backend_of
from paddle.core.rings import Work
from paddle.distributed.c10d import C10dGroup

_CPU = CPU.device()


class _Returned:
    """An exchange of a copy in main memory, which is copied back when it is over."""

    def __init__(self, work: Work, back: Callable[[], Any]) -> None:
        self._work = work
        self._back: Callable[[], Any] | None = back

    def wait(self) -> None:
        """Returns when the copy is back; once, as the buffer may be used again behind that."""
        self._work.wait()
        back, self._back = self._back, None
        if back is not None:
            back()


def _host(buffer: torch.Tensor) -> torch.Tensor:
    return buffer if backend_of(buffer).host else buffer.to(_CPU)


def _hosts(buffers: list[torch.Tensor]) -> list[torch.Tensor]:
    return [_host(b) for b in buffers]


class StagedGroup(C10dGroup):
    """Copies buffers of devices to main memory, exchanges them there, and copies the results back.

    Buffers that are in main memory already are exchanged as they are.
    """

    def all_reduce(
        self, buffer: torch.Tensor, op: int = 0, operation: str = "all_reduce"
    ) -> torch.Tensor:
        """Returns the sum (product, ...) of all, on the device."""
        return super().all_reduce(_host(buffer), op, operation).to(buffer.device)

    def all_reduce_async(self, buffer: torch.Tensor, op: int = 0) -> Work:
        """Begins to replace the buffer by it."""
        begin = super().all_reduce_async
        return self._in_place(buffer, lambda host: begin(host, op))

    def reduce(self, buffer: torch.Tensor, dst: int, op: int = 0) -> torch.Tensor:
        """Returns the sum (product, ...) to one member."""
        return super().reduce(_host(buffer), dst, op).to(buffer.device)

    def reduce_async(self, buffer: torch.Tensor, dst: int, op: int = 0) -> Work:
        """Begins to replace its buffer by it."""
        begin = super().reduce_async
        return self._in_place(buffer, lambda host: begin(host, dst, op))

    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        """Returns one member's buffer, on the device."""
        return super().broadcast(_host(buffer), src).to(buffer.device)

    def broadcast_async(self, buffer: torch.Tensor, src: int) -> Work:
        """Begins to replace the buffer by it."""
        begin = super().broadcast_async
        return self._in_place(buffer, lambda host: begin(host, src))

    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Returns everybody's buffers, on the device."""
        return [part.to(buffer.device) for part in super().all_gather(_host(buffer))]

    def reduce_scatter(self, buffers: list[torch.Tensor], op: int = 0) -> torch.Tensor:
        """Returns the sum (product, ...) of what all have for this member."""
        return super().reduce_scatter(_hosts(buffers), op).to(buffers[0].device)

    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        """Returns its one of the buffers that one member has."""
        return super().scatter(_hosts(buffers), _host(like), src).to(like.device)

    def all_to_all(
        self, buffers: list[torch.Tensor], like: list[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        """Returns what every member has for this one."""
        wanted = None if like is None else _hosts(like)
        parts = super().all_to_all(_hosts(buffers), wanted)
        return [part.to(buffers[0].device) for part in parts]

    def send_async(self, buffer: torch.Tensor, dst: int) -> Work:
        """Begins to send a copy."""
        return super().send_async(_host(buffer), dst)

    def recv(self, like: torch.Tensor, src: int) -> torch.Tensor:
        """Returns the buffer that another member sends, on the device."""
        return super().recv(_host(like), src).to(like.device)

    def recv_async(self, buffer: torch.Tensor, src: int) -> Work:
        """Begins to replace the buffer by it."""
        begin = super().recv_async
        return self._in_place(buffer, lambda host: begin(host, src))

    def _in_place(self, buffer: torch.Tensor, begin: Callable[[torch.Tensor], Work]) -> Work:
        """Begins an exchange that replaces a buffer."""
        host = _host(buffer)
        work = begin(host)
        return work if host is buffer else _Returned(work, lambda: buffer.copy_(host))
