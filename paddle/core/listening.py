"""backward(), and who is told of gradients while it goes on.

Leaves get their gradients at the end of a walk over the tape. Whoever sends gradients to other
processes wants each of them as soon as nothing can be added to it any more: when the walk has
visited the last node that uses the leaf. Marks that lie among the pending nodes of the walk tell
that, so a walk to which nobody listens is as it always was.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Container, Sequence
from heapq import heappush
from typing import Any, Protocol

from paddle.core.tape import (
    Arithmetic,
    BackwardWalk,
    Node,
    Port,
    edge_of,
    run_hooks,
    starts_of,
)
from paddle.core.tensor import Tensor


class Listener(Protocol):
    """Who is handed the gradients of some leaves, in the place of the leaves."""

    @property
    def leaves(self) -> Container[Tensor]:
        """The Tensors that it watches."""

    def begin(self) -> bool:
        """A walk begins that uses some of the leaves; False: they get their gradients as ever."""

    def complete(self, leaf: Tensor, grad: Any) -> None:
        """The gradient of a leaf is complete; None: the leaf was used, but no gradient came."""

    def finish(self) -> None:
        """The walk is over."""

    def flush(self) -> None:
        """Exchanges what earlier walks gave the leaves while :meth:`begin` said False."""

    def fail(self) -> None:
        """The walk was broken off."""

    def anywhere(self, found: bool) -> bool:
        """Says whether one of those with whom it shares gradients found something."""


_listeners: list[weakref.ref[Any]] = []


def listen(listener: Listener) -> None:
    """Tells a listener of all walks of :func:`backward`, for as long as it lives."""
    _listeners.append(weakref.ref(listener, _listeners.remove))


def listeners_of(leaves: Sequence[Tensor]) -> list[Any]:
    """Returns the listeners that watch any of these leaves, in the order in which they came."""
    alive = [listener for ref in _listeners if (listener := ref()) is not None]
    return [h for h in alive if any(leaf in h.leaves for leaf in leaves)]


class _Running(threading.local):
    """Whether listeners are told of the walk of this thread."""

    heard = False


_running = _Running()


def backward(
    tensors: Sequence[Tensor], grads: Sequence[Tensor | None], retain_graph: bool = False
) -> None:
    """Adds the gradients of the sum of ``tensors`` to every leaf they depend on."""
    starts = starts_of(tensors, grads, "backward")
    if _listeners and not _running.heard:
        _HeardWalk(Arithmetic, retain_graph).run(starts)
    else:
        BackwardWalk(Arithmetic, retain_graph).run(starts)


class _HeardWalk(BackwardWalk):
    """A walk that hands gradients over to listeners; walks inside of it have none."""

    def run(self, starts: list) -> None:
        told = self._announce(last_uses([edge_of(tensor) for tensor, _ in starts]))
        _running.heard = bool(told)
        try:
            super().run(starts)
            for listener in told:
                listener.finish()
        except BaseException:
            for listener in told:
                listener.fail()
            raise
        finally:
            _running.heard = False

    def _announce(self, uses: dict[Tensor, int]) -> list[Any]:
        told = []
        due: dict[int, list[tuple[Any, Tensor]]] = {}
        for ref in list(_listeners):
            listener = ref()
            if listener is None:
                continue
            watched = [(leaf, seq) for leaf, seq in uses.items() if leaf in listener.leaves]
            if watched and listener.begin():
                told.append(listener)
                for leaf, seq in watched:
                    due.setdefault(seq, []).append((listener, leaf))
        self._due = sorted(due.items(), key=lambda pair: pair[0])
        self._mark_next()
        return told

    def _mark_next(self) -> None:
        """Puts the next mark among the pending nodes: one at a time, as each makes them slower."""
        if not self._due:
            return
        seq, leaves = self._due.pop()
        mark = Node()
        mark.seq, mark.edges, mark.saved = seq - 0.5, (), ()  # type: ignore[assignment]
        mark.backward = lambda node, value: self._hand_over(leaves)
        self.pending[mark] = None
        heappush(self.heap, mark)

    def _hand_over(self, leaves: list[tuple[Any, Tensor]]) -> tuple:
        """Gives complete gradients to listeners, after the leaves' own hooks."""
        for listener, leaf in leaves:
            grad = self.leaves.pop(leaf, None)
            self.summed.discard(leaf)
            if grad is not None and leaf._hooks:
                grad = run_hooks(leaf._hooks, self.math.handle(grad))._buf
            listener.complete(leaf, grad)
        self._mark_next()
        return ()


def last_uses(starts: Sequence[Any]) -> dict[Tensor, int]:
    """For each leaf that ``starts`` (edges) depend on, tells which of its users is visited last.

    That is the node with the lowest number; -1 stands for the leaf being one of ``starts``.
    """
    root = Node()
    root.seq, root.edges = -1, tuple(starts)
    found: dict[Tensor, int] = {}
    seen: set[Node] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        seq = node.seq
        for edge in node.edges:
            kind = type(edge)
            if kind is Port:
                edge = edge.node
            elif kind is not Node:
                if edge is not None and found.get(edge, seq) >= seq:
                    found[edge] = seq
                continue
            if edge not in seen:
                seen.add(edge)
                stack.append(edge)
    return found
