"""Groups of processes over torch's c10d: gloo between CPUs, nccl and the like between devices."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as transport

from paddle.core.backends import backend_of
from paddle.core.dtype import FROM_TORCH, dtype_name
from paddle.core.errors import InvalidTypeError, PreconditionNotMetError
from paddle.core.rings import Communicator, Work
from paddle.distributed import check

_REDUCTIONS = ("SUM", "MAX", "MIN", "PRODUCT")
_AVERAGE = 4


def gloo(store: Any, rank: int, size: int, seconds: float, host: str) -> Any:
    """Connects processes by sockets of gloo.

    Args:
        store (Store): where they find each other; for this group alone.
        rank (int): the number of this one.
        size (int): how many there are.
        seconds (float): how long an exchange may take.
        host (str): the address of this process, at which it listens.
    """
    # The public way to a group of gloo (init_process_group) takes the interface from a variable.
    options: Any = transport.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
    options._devices = [transport.ProcessGroupGloo.create_device(hostname=host)]
    options._timeout = datetime.timedelta(seconds=seconds)
    return transport.ProcessGroupGloo(store, rank, size, options)


class _Pending:
    """A c10d work whose failure is explained, and what is to be done when it is over."""

    __slots__ = ("_after", "_group", "_operation", "_work")

    def __init__(
        self,
        group: C10dGroup,
        work: Any,
        operation: str,
        after: Callable[[], None] | None = None,
    ) -> None:
        self._group, self._work, self._operation, self._after = group, work, operation, after

    def wait(self) -> None:
        try:
            self._work.wait()
        except RuntimeError as error:
            raise check.explained(error, self._operation, self._group) from error
        after, self._after = self._after, None  # once: an average is not divided again
        if after is not None:
            after()


class C10dGroup(Communicator):
    """A group of several processes.

    Args:
        name (str): the same on all members, and no other group's.
        ranks (list[int]): the members, by their numbers among all processes.
        rank (int): which of them this process is.
        host (ProcessGroup): gloo's, which compares calls and exchanges what lies in host memory.
        device (ProcessGroup, optional): of the devices' own library, such as nccl.
        timeout (float): seconds that an exchange may take, for messages.

    Attributes:
        calls (int): how many calls of all members there were: the same on each.
    """

    def __init__(
        self, name: str, ranks: Sequence[int], rank: int, host: Any, device: Any, timeout: float
    ) -> None:
        self.name, self.ranks, self.rank, self.size = name, list(ranks), rank, len(ranks)
        self.timeout = timeout
        self.calls = 0
        self._host, self._device = host, device

    def close(self) -> None:
        """Ends the connections; the group cannot be used any more."""
        self._host = self._device = None

    # -- what check.py asks -------------------------------------------------------------------

    def agree(self, numbers: torch.Tensor, operation: str) -> torch.Tensor:
        """Returns the greatest of everybody's numbers, element by element."""
        return self.all_reduce(numbers, 1, operation)

    def compare(self, text: str) -> None:
        """Raises on every member where not all say the same."""
        check.always_compare(self, text)

    def texts(self, text: str) -> list[str]:
        """Returns everybody's text."""
        data = check.as_bytes(text)
        lengths = self.numbers(len(data))
        padded = torch.zeros(max(lengths), dtype=torch.uint8)
        padded[: len(data)] = data
        parts = self.all_gather(padded)
        return [check.as_text(p[:n]) for p, n in zip(parts, lengths, strict=True)]

    # -- exchanges ----------------------------------------------------------------------------

    def _group_of(self, buffer: torch.Tensor) -> Any:
        return self._host if self._device is None or backend_of(buffer).host else self._device

    def _begin(
        self,
        operation: str,
        buffer: torch.Tensor,
        start: Callable[[Any], Any],
        after: Callable[[], None] | None = None,
    ) -> Work:
        if operation not in check.BETWEEN_TWO:
            self.calls += 1
        if self._host is None:
            raise PreconditionNotMetError(f"{operation}: the group {self.ranks} was closed.")
        try:
            return _Pending(self, start(self._group_of(buffer)), operation, after)
        except (RuntimeError, TypeError, ValueError) as error:
            if "nvalid scalar type" in str(error) or "nsupported" in str(error):
                kind = dtype_name(FROM_TORCH[buffer.dtype])
                raise InvalidTypeError(
                    f"{operation}: this group cannot exchange {kind}."
                ) from error
            raise check.explained(error, operation, self) from error

    def all_reduce(
        self, buffer: torch.Tensor, op: int = 0, operation: str = "all_reduce"
    ) -> torch.Tensor:
        copied = _own(buffer)
        self._all_reduce(copied, op, operation).wait()
        return copied

    def all_reduce_async(self, buffer: torch.Tensor, op: int = 0) -> Work:
        if buffer.is_contiguous():
            return self._all_reduce(buffer, op, "all_reduce")
        copied = buffer.contiguous()
        return self._all_reduce(copied, op, "all_reduce", lambda: _put(buffer, copied))

    def _all_reduce(self, buffer: torch.Tensor, op: int, operation: str, after: Any = None) -> Work:
        options = transport.AllreduceOptions()
        options.reduceOp, divisor = _reduction(op, self)
        if divisor > 1:
            after = _then(lambda: _divide(buffer, divisor), after)
        return self._begin(operation, buffer, lambda g: g.allreduce([buffer], options), after)

    def reduce(self, buffer: torch.Tensor, dst: int, op: int = 0) -> torch.Tensor:
        copied = _own(buffer)
        self.reduce_async(copied, dst, op).wait()
        return copied if self.rank == dst else buffer

    def reduce_async(self, buffer: torch.Tensor, dst: int, op: int = 0) -> Work:
        options = transport.ReduceOptions()
        options.rootRank = dst
        options.reduceOp, divisor = _reduction(op, self)
        after = (lambda: _divide(buffer, divisor)) if divisor > 1 and self.rank == dst else None
        return self._begin("reduce", buffer, lambda g: g.reduce([buffer], options), after)

    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        if self.rank == src:
            sent = buffer.contiguous()
            self._broadcast(sent, src).wait()
            return buffer
        copied = torch.empty_like(buffer, memory_format=torch.contiguous_format)
        self._broadcast(copied, src).wait()
        return copied

    def broadcast_async(self, buffer: torch.Tensor, src: int) -> Work:
        if buffer.is_contiguous():
            return self._broadcast(buffer, src)
        copied = buffer.contiguous()
        return self._broadcast(copied, src, lambda: _put(buffer, copied))

    def _broadcast(self, buffer: torch.Tensor, src: int, after: Any = None) -> Work:
        options = transport.BroadcastOptions()
        options.rootRank, options.rootTensor = src, 0
        return self._begin("broadcast", buffer, lambda g: g.broadcast([buffer], options), after)

    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        given = buffer.contiguous()
        parts = [torch.empty_like(given) for _ in range(self.size)]
        self._begin("all_gather", given, lambda g: g.allgather([parts], [given])).wait()
        return parts

    def reduce_scatter(self, buffers: list[torch.Tensor], op: int = 0) -> torch.Tensor:
        options = transport.ReduceScatterOptions()
        options.reduceOp, divisor = _reduction(op, self)
        given = [b.contiguous() for b in buffers]
        mine = torch.empty_like(given[self.rank])
        self._begin(
            "reduce_scatter", mine, lambda g: g.reduce_scatter([mine], [given], options)
        ).wait()
        _divide(mine, divisor)
        return mine

    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        options = transport.ScatterOptions()
        options.rootRank = src
        mine = torch.empty_like(like, memory_format=torch.contiguous_format)
        given = [[b.contiguous() for b in buffers]] if self.rank == src else []
        self._begin("scatter", mine, lambda g: g.scatter([mine], given, options)).wait()
        return mine

    def all_to_all(
        self, buffers: list[torch.Tensor], like: list[torch.Tensor] | None = None
    ) -> list[torch.Tensor]:
        wanted = [torch.empty_like(b, memory_format=torch.contiguous_format)
                  for b in (buffers if like is None else like)]  # fmt: skip
        # gloo has only the form of one flat tensor with sizes.
        sizes = [b.numel() for b in buffers]
        flat = torch.cat([b.reshape(-1) for b in buffers])
        out_sizes = [b.numel() for b in wanted]
        out = flat.new_empty(sum(out_sizes))
        options = transport.AllToAllOptions()
        self._begin(
            "alltoall", flat, lambda g: g.alltoall_base(out, flat, out_sizes, sizes, options)
        ).wait()
        return [part.view(b.shape) for part, b in zip(out.split(out_sizes), wanted, strict=True)]

    def send(self, buffer: torch.Tensor, dst: int) -> None:
        self.send_async(buffer, dst).wait()

    def send_async(self, buffer: torch.Tensor, dst: int) -> Work:
        given = buffer.contiguous()
        return self._begin("send", given, lambda g: g.send([given], dst, 0))

    def recv(self, like: torch.Tensor, src: int) -> torch.Tensor:
        got = torch.empty_like(like, memory_format=torch.contiguous_format)
        self.recv_async(got, src).wait()
        return got

    def recv_async(self, buffer: torch.Tensor, src: int) -> Work:
        if buffer.is_contiguous():
            return self._begin("recv", buffer, lambda g: g.recv([buffer], src, 0))
        got = torch.empty_like(buffer, memory_format=torch.contiguous_format)
        return self._begin("recv", got, lambda g: g.recv([got], src, 0), lambda: _put(buffer, got))

    def barrier(self) -> None:
        self.all_reduce(torch.zeros(1), 0, "barrier")


def _own(buffer: torch.Tensor) -> torch.Tensor:
    return buffer.clone(memory_format=torch.contiguous_format)


def _put(buffer: torch.Tensor, value: torch.Tensor) -> None:
    buffer.copy_(value)


def _divide(buffer: torch.Tensor, divisor: int) -> None:
    if divisor > 1:
        buffer.div_(divisor)


def _then(first: Callable[[], None], second: Callable[[], None] | None) -> Callable[[], None]:
    def both() -> None:
        first()
        if second is not None:
            second()

    return both


def _reduction(op: int, group: C10dGroup) -> tuple[Any, int]:
    """torch's reduction, and what the sum is to be divided by; gloo's own AVG does not take all."""
    if op == _AVERAGE:
        return transport.ReduceOp.SUM, group.size
    return getattr(transport.ReduceOp, _REDUCTIONS[op]), 1
