"""Buckets: gradients that lie one behind the other, so that one exchange takes many of them.

A gradient is written into its place once; what parameters hold after the exchange, and what the
optimizer reads, are views of these places. A bucket's memory is used again by the next backward,
unless somebody still holds a gradient of the last one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import torch

from paddle.core.rings import Communicator, Work
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor, wrap

_ALIGNED = 64  # bytes: the places begin where vector instructions like it
_use_count = torch._C._storage_Use_Count  # type: ignore[attr-defined]


def divided(leaves: Sequence[Tensor], size: float, last_size: float) -> list[list[Tensor]]:
    """Divides parameters into buckets.

    Args:
        leaves (list[Tensor]): in the order in which their gradients are expected.
        size (float): bytes at which a bucket is full.
        last_size (float): the same for the one that is exchanged last, while nothing is left to
            be computed.

    Returns:
        list: the parameters of each bucket, in the order in which they are exchanged.
    """
    found: list[list[Tensor]] = []
    open_ones: dict[Any, tuple[list[Tensor], list[float]]] = {}
    limit = last_size
    for leaf in reversed(leaves):
        buffer = leaf._buf
        kind = (buffer.dtype, buffer.device)
        if kind not in open_ones:
            open_ones[kind] = ([], [0.0])
            found.append(open_ones[kind][0])
        members, used = open_ones[kind]
        members.insert(0, leaf)
        used[0] += buffer.numel() * buffer.element_size()
        if used[0] >= limit:
            del open_ones[kind]
            limit = size
    found.reverse()
    return found


class Bucket:
    """Gradients of one data type that are exchanged at once.

    Args:
        leaves (list[Tensor]): the parameters whose gradients they are.

    Attributes:
        missing (int): how many gradients are not there yet.
        work (Work|None): the exchange.
    """

    def __init__(self, leaves: list[Tensor]) -> None:
        self.leaves = leaves
        self.missing = 0
        self.work: Work | None = None
        self.flat: torch.Tensor | None = None
        self.views: list[torch.Tensor] = []
        self.handles: list[Tensor] = []
        # Behind the gradients a number for each: whether there is one. The sum of everybody's
        # tells whether a parameter was used by anybody.
        self.flags: Any = None
        self._uses = 0
        self._references = (0, 0)

    def begin(self) -> None:
        """Makes the bucket ready for the gradients of a walk."""
        if self.flat is None or self._held():
            self._renew()
        self.flags.fill_(1.0)
        self.missing, self.work = len(self.leaves), None

    def _held(self) -> bool:
        """Whether somebody holds gradients of the last walk who must not see them change."""
        assert self.flat is not None
        for view, handle, leaf in zip(self.views, self.handles, self.leaves, strict=True):
            if handle._buf is not view or sys.getrefcount(view) > self._references[0]:
                return True
            if leaf._grad is not handle and sys.getrefcount(handle) > self._references[1]:
                return True
        return _use_count(self.flat.untyped_storage()._cdata) > self._uses

    def _count_references(self) -> tuple[int, int]:
        """How many there are to a view and to a handle, seen from a loop, while they are new."""
        for view, handle, _ in zip(self.views, self.handles, self.leaves, strict=True):
            found = sys.getrefcount(view), sys.getrefcount(handle)
        return found

    def _renew(self) -> None:
        like = self.leaves[0]._buf
        step = max(_ALIGNED // like.element_size(), 1)
        sizes = [-(-leaf._buf.numel() // step) * step for leaf in self.leaves]
        self.flat = like.new_zeros(sum(sizes) + len(sizes))
        parts = self.flat.split([*sizes, len(sizes)])
        self.views = [
            part[: leaf._buf.numel()].view(leaf._buf.shape)
            for part, leaf in zip(parts, self.leaves, strict=False)
        ]
        self.flags = parts[-1]
        self.handles = [wrap(view) for view in self.views]
        del parts
        self._references = self._count_references()
        self._uses = _use_count(self.flat.untyped_storage()._cdata)

    def put(self, at: int, grad: Any, factor: float) -> None:
        """Writes a gradient into its place, with what the parameter had before, times a factor."""
        leaf, view = self.leaves[at], self.views[at]
        if grad.is_sparse:
            grad = grad.to_dense()
        if grad.shape != view.shape:
            grad = grad.reshape(view.shape)
        before = leaf._grad
        if before is None or before is CLEARED:
            torch.mul(grad, factor, out=view)
        else:
            torch.add(before._buf, grad, out=view)
            view.mul_(factor)
            leaf._grad = None
        self.missing -= 1

    def put_old(self, at: int, factor: float) -> None:
        """The same where there is no new gradient."""
        leaf, view = self.leaves[at], self.views[at]
        before = leaf._grad
        if before is None or before is CLEARED:
            view.zero_()
            self.flags[at] = 0.0
        else:
            torch.mul(before._buf, factor, out=view)
            leaf._grad = None
        self.missing -= 1

    def launch(self, group: Communicator) -> None:
        """Begins the exchange."""
        assert self.flat is not None
        self.work = group.all_reduce_async(self.flat)

    def wait(self) -> None:
        """Returns when the exchange is over."""
        assert self.work is not None
        self.work.wait()
        self.work = None

    def forget(self) -> None:
        """Leaves the memory to an exchange that was broken off."""
        self.flat = self.work = None
