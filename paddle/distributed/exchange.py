"""The exchange of gradients between processes, while backward runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from paddle.core.dtype import FROM_TORCH, dtype_name
from paddle.core.errors import PreconditionNotMetError
from paddle.core.listening import listen
from paddle.core.rings import Communicator
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor
from paddle.distributed import check
from paddle.distributed.buckets import Bucket, divided
from paddle.distributed.row_exchange import RowExchange

_MEGABYTE = 1 << 20


class _Layout:
    """How gradients are exchanged, for one choice of parameters that are trained.

    Args:
        leaves (list[Tensor]): the parameters, in the order in which their gradients are expected.
        by_rows (set[Tensor]): those whose gradients may be rows.
        group (C10dGroup): the processes.
        sizes (tuple): bytes at which a bucket is full, and at which the last one is.
    """

    known = True

    def __init__(
        self, leaves: list[Tensor], by_rows: set[Tensor], group: Any, sizes: tuple
    ) -> None:
        self.rows = RowExchange([p for p in leaves if p in by_rows], group)
        dense = [p for p in leaves if p not in by_rows]
        self.buckets = [Bucket(members) for members in divided(dense, *sizes)]
        self.dense: dict[Tensor, tuple[Bucket, int]] = {
            leaf: (bucket, at) for bucket in self.buckets for at, leaf in enumerate(bucket.leaves)
        }
        self.leaves = dict.fromkeys(leaves)


class _Unknown:
    """The same before a walk has shown the order, and the gradients that are rows."""

    known = False

    def __init__(self, leaves: list[Tensor]) -> None:
        self.leaves = dict.fromkeys(leaves)
        self.buckets: list[Bucket] = []


class GradientExchange:
    """Averages the gradients of parameters over processes; a listener of backward.

    Every walk that uses any of the parameters exchanges all of them, in one order. So it does not
    matter to the others which parameters the graph of a process uses: one that it does not use has
    the gradient zero there. One that nobody used keeps the gradient that it had, or none.

    The first walk shows in which order gradients come and which of them are rows; its gradients are
    exchanged at its end. From the second on they are exchanged while the walk goes on.

    Args:
        parameters (list[Tensor]): all that the network has.
        by_rows (set[Tensor]): those whose layers say that their gradients are rows.
        group (C10dGroup): the processes.
        size (float): megabytes at which a bucket is full.
        last_size (float): the same for the bucket that is exchanged last.

    Attributes:
        enabled (bool): False: walks leave the gradients to this process.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        by_rows: set[Tensor],
        group: Any,
        size: float,
        last_size: float,
    ) -> None:
        self.group: Communicator = group
        self.enabled = True
        self._parameters, self._by_rows = list(parameters), set(by_rows)
        self._sizes = size * _MEGABYTE, last_size * _MEGABYTE
        self._factor = 1.0 / group.size
        self._layouts: dict[tuple[bool, ...], Any] = {}  # by the parameters that are frozen
        self._frozen: tuple[bool, ...] = ()
        self._came: dict[Tensor, Any] = {}  # the gradients of the first walk
        self._left: set[Tensor] = set()
        self._next = 0
        self._layout: Any = None
        self.follow()
        listen(self)

    @property
    def leaves(self) -> dict[Tensor, None]:
        """The parameters whose gradients are exchanged."""
        return self._layout.leaves

    def follow(self) -> None:
        """Takes note of parameters that were frozen, or are trained again, since the last walk."""
        frozen = tuple([p.stop_gradient for p in self._parameters])
        if frozen == self._frozen and self._layout is not None:
            return
        self._frozen = frozen
        found = self._layouts.get(frozen)
        if found is None:
            chosen = [p for p in reversed(self._parameters) if not p.stop_gradient]
            told = " ".join(f"{p.shape} {dtype_name(FROM_TORCH[p._dt])}" for p in chosen)
            check.always_compare(self.group, f"exchange of gradients of parameters({told})")
            found = self._layouts[frozen] = _Unknown(chosen)
        self._layout = found

    # -- a walk -------------------------------------------------------------------------------

    def begin(self) -> bool:
        """See :class:`paddle.core.listening.Listener`."""
        if not self.enabled:
            return False
        if self._layout.known:
            self._begin()
        return True

    def _begin(self) -> None:
        layout = self._layout
        for bucket in layout.buckets:
            bucket.begin()
        layout.rows.begin()
        self._left = set(layout.dense)
        self._next = 0

    def complete(self, leaf: Tensor, grad: Any) -> None:
        """Takes a gradient, and begins the exchange of the buckets that are full."""
        if grad is None:
            return
        layout = self._layout
        if not layout.known:
            self._came[leaf] = grad
            return
        place = layout.dense.get(leaf)
        if place is None:
            layout.rows.put(leaf, grad)
            return
        bucket, at = place
        bucket.put(at, grad, self._factor)
        self._left.remove(leaf)
        if not bucket.missing:
            self._launch()

    def _launch(self) -> None:
        buckets = self._layout.buckets
        while self._next < len(buckets) and not buckets[self._next].missing:
            buckets[self._next].launch(self.group)
            self._next += 1

    def finish(self) -> None:
        """Waits for the exchange and gives the parameters their gradients."""
        if not self._layout.known:
            self._arrange()
        layout = self._layout
        for leaf in self._left:
            bucket, at = layout.dense[leaf]
            bucket.put_old(at, self._factor)
        self._launch()
        layout.rows.exchange(self._factor)
        for bucket in layout.buckets:
            bucket.wait()
            self._hand_out(bucket)
        self._left.clear()

    def _hand_out(self, bucket: Bucket) -> None:
        unused = self._left.intersection(bucket.leaves) if self._left else self._left
        # Whether any process had a gradient of a parameter that this one did not use.
        flags = bucket.flags.tolist() if unused else None
        for at, (leaf, handle) in enumerate(zip(bucket.leaves, bucket.handles, strict=True)):
            if leaf._grad is not None and leaf._grad is not CLEARED:
                raise _late(leaf)
            if flags is None or leaf not in unused or flags[at] > 0:
                leaf._grad = handle

    def flush(self) -> None:
        """Averages the gradients that walks left to this process; each of them has to call it."""
        self.follow()
        if self.begin():
            self.finish()

    def fail(self) -> None:
        """Forgets a walk that was broken off."""
        for bucket in self._layout.buckets:
            bucket.forget()
        self._left.clear()
        self._came.clear()

    def _arrange(self) -> None:
        """Divides parameters into buckets, in the order of process 0's first walk, and fills them.

        A process that goes on from a checkpoint so sums up in the same order as the one before.
        """
        came, self._came = self._came, {}
        self._by_rows.update(leaf for leaf, grad in came.items() if grad.is_sparse)
        numbers = {p: i for i, p in enumerate(self._parameters)}
        order = [*came, *(leaf for leaf in self.leaves if leaf not in came)]
        agreed = self.group.broadcast(torch.tensor([numbers[p] for p in order]), 0).tolist()
        rows = torch.tensor([int(p in self._by_rows) for p in self._parameters])
        by_rows = self.group.all_reduce(rows, 1).tolist()
        self._by_rows = {p for p, found in zip(self._parameters, by_rows, strict=True) if found}
        chosen = [self._parameters[i] for i in agreed]
        self._layout = _Layout(chosen, self._by_rows, self.group, self._sizes)
        self._layouts[self._frozen] = self._layout
        self._begin()
        for leaf, grad in came.items():
            self.complete(leaf, grad)

    # -- what others ask ----------------------------------------------------------------------

    def anywhere(self, found: bool) -> bool:
        """Says whether something was found in any of the processes; each of them has to ask."""
        told = torch.tensor([int(found)], dtype=torch.int32)
        return bool(self.group.all_reduce(told, 1).item())


def _late(leaf: Tensor) -> Exception:
    return PreconditionNotMetError(
        f"DataParallel: another gradient of {leaf.name} came after its exchange had begun: a "
        "backward inside of backward (recomputing) uses a parameter that is used outside too.",
        hint="run forward and backward under no_sync(), and the last backward outside of it",
    )
