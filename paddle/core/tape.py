"""The tape: reverse-mode differentiation over recorded operators.

Every recorded call is a :class:`Node`: how to step backward, the edges to where its inputs came
from, and the values the gradient needs. An edge is the Node that made an input, a :class:`Port`
where that Node made several, the Tensor itself where it is a leaf, or None where no gradient is
needed. Nodes are numbered, so walking them from the highest number down visits every consumer
before its producer; a heap of the pending ones is all the bookkeeping there is.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any

import torch

from paddle.core import flags, selected_rows
from paddle.core.errors import InvalidArgumentError, MissingValueError, PreconditionNotMetError
from paddle.core.tensor import Tensor, wrap
from paddle.core.writes import newest, updated_since, writable, writes

CLEARED: Any = object()  # a gradient that was cleared: reads as zeros, costs nothing


class _Rare:
    """Defaults of what most nodes never get; see :class:`Node`."""

    __slots__ = ()

    metas: Any = None
    layout: tuple = ()
    sizes: tuple = ()
    grad: Any = None
    hooks: dict[int, dict[int, Callable]] | None = None


class Node(_Rare):
    """One recorded call. Generated code makes it and fills the slots in place.

    Attributes:
        seq: its number; later calls have higher ones. Marks of walks lie between two numbers.
        backward: ``backward(node, *d_outs)`` gives one gradient per edge; ``backward.op`` names it.
        edges: where the inputs came from.
        saved: the values the gradient needs; None once freed.
        metas: shape and dtype of each output, where there are several; lists are flattened.
        layout: for each of these slots None, or the length of its list.
        sizes: lengths of the inputs that are lists, where there are several lists.
        grad: gradient(s) of the output(s), kept for whoever still holds them.
        hooks: gradient hooks by output.
    """

    __slots__ = ("__dict__", "backward", "edges", "saved", "seq")

    seq: int
    backward: Any
    edges: tuple
    saved: Any

    def __lt__(self, other: Node) -> bool:
        return self.seq > other.seq


class Port:
    """One output of a node that has several."""

    __slots__ = ("index", "node")

    def __init__(self, node: Node, index: int) -> None:
        self.node = node
        self.index = index


def edge_of(tensor: Tensor) -> Any:
    """Returns the edge that stands for a Tensor: where it came from, or itself."""
    return tensor if tensor._edge is None else tensor._edge


def slot_ranges(node: Node) -> list[slice]:
    """Returns which edges belong to which input slot."""
    slots = node.backward.op.inputs
    lists = sum(s.many for s in slots)
    sizes = iter(node.sizes or [len(node.edges) - len(slots) + 1] * lists)
    ranges, start = [], 0
    for slot in slots:
        stop = start + (next(sizes) if slot.many else 1)
        ranges.append(slice(start, stop))
        start = stop
    return ranges


def needs_grad_flags(node: Node) -> tuple:
    """Returns for each input slot whether its gradient is needed, a tuple of flags for a list."""
    return tuple(
        tuple(e is not None for e in node.edges[where])
        if slot.many
        else node.edges[where.start] is not None
        for slot, where in zip(node.backward.op.inputs, slot_ranges(node), strict=True)
    )


def flat_grads(node: Node, grads: Sequence[Any]) -> list[Any]:
    """Spreads gradients per slot, with lists for lists, over the edges of a node."""
    flat: list[Any] = []
    for grad, where in zip(grads, slot_ranges(node), strict=True):
        if isinstance(grad, (list, tuple)):
            flat.extend(grad)
        else:
            flat.extend([grad] * (where.stop - where.start))
    return flat


def tie_outputs(node: Node, outs: Sequence[Any]) -> None:
    """Makes Tensors (or lists of them, or None) the outputs of a node that has several."""
    metas: list[Any] = []
    layout: list[int | None] = []
    for out in outs:
        layout.append(len(out) if isinstance(out, list) else None)
        for tensor in out if isinstance(out, list) else [out]:
            if tensor is None:
                metas.append(None)
                continue
            tensor._edge = Port(node, len(metas))
            tensor.stop_gradient = False
            metas.append((tensor._buf.shape, tensor._buf.dtype))
    node.metas = metas
    node.layout = tuple(layout)


class Arithmetic:
    """What the walk does with gradients: plain buffers here, Tensors with ``create_graph``."""

    ones = staticmethod(torch.ones_like)

    @staticmethod
    def of(tensor: Tensor) -> Any:
        return tensor._buf

    @staticmethod
    def handle(value: Any) -> Tensor:
        if value.is_sparse:
            value = value.to_dense()
        return wrap(value.detach())  # shared memory that counts as such, should a hook write to it

    @staticmethod
    def add(a: Any, b: Any) -> Any:
        return selected_rows.add(a, b)

    @staticmethod
    def zeros(meta: Any, like: Any) -> Any:
        return torch.zeros(meta[0], dtype=meta[1], device=like.device)

    @staticmethod
    def step(node: Node, d_outs: tuple) -> Any:
        return node.backward(node, *d_outs)


class _Running(threading.local):
    """The walk of this thread: whether it keeps the graph."""

    retain = True


_running = _Running()


def keeps_graph() -> bool:
    """Says whether the walk that is on keeps saved values, for a second one."""
    return _running.retain


def starts_of(tensors: Sequence[Tensor], grads: Sequence[Tensor | None], api: str) -> list:
    starts = []
    for tensor, grad in zip(tensors, grads, strict=True):
        if tensor.stop_gradient:
            raise MissingValueError(
                f"{api}: expected a Tensor that depends on one with stop_gradient=False, but "
                f"{tensor._name or 'this Tensor'} of shape {tensor.shape} has stop_gradient=True.",
                hint="set stop_gradient=False on the inputs before computing it, outside no_grad",
            )
        if grad is not None:
            if not isinstance(grad, Tensor):
                raise TypeError(f"{api}: expected a Tensor as gradient, got {type(grad).__name__}.")
            if grad._buf.shape != tensor._buf.shape:
                raise InvalidArgumentError(
                    f"{api}: expected a gradient of shape {tensor.shape}, "
                    f"but received {grad.shape}."
                )
        starts.append((tensor, grad))
    return starts


def check_overwritten(node: Node) -> None:
    """Raises the error for a saved value that was written to after it was saved."""
    for item in node.saved:
        for part in item if type(item) is tuple else (item,):
            written = getattr(part, "_written", -1) if isinstance(part, torch.Tensor) else -1
            if written > node.seq:
                raise overwritten(node)
    if writes.update > node.seq:
        node.saved = after_updates(node, node.saved)


def after_updates(node: Node, values: Sequence[Any]) -> tuple:
    """Returns saved values as updates (``set_value``, a step of an optimizer) have left them.

    Warns where there are such updates, or raises under ``FLAGS_check_overwritten``.
    """
    strict = flags.get("FLAGS_check_overwritten")
    found: list[Any] = []
    for item in values:
        if type(item) is tuple:
            item = after_updates(node, item)
        elif isinstance(item, torch.Tensor):
            if strict and updated_since(item, node.seq):
                raise overwritten(node)
            latest = item if strict else newest(item, node.seq)
            if updated_since(latest, node.seq) and not (strict or writes.warned):
                writes.warned = True
                warnings.warn(_updated(node), stacklevel=2)
            item = latest
        found.append(item)
    return tuple(found)


def _updated(node: Node) -> str:
    """The warning about a value that a call computed with and that was updated since."""
    return (
        f"backward of operator {node.backward.op.name} needs a value that an optimizer's step or "
        "set_value has overwritten since; it computes with the new value, as PaddlePaddle does. "
        "This is told once.\n  [Hint: call backward before the update, or compute the loss again "
        "after it; FLAGS_check_overwritten=1 makes this an error.]"
    )


def overwritten(node: Node) -> Exception:
    """Makes the error for a value that was written to after a call computed with it."""
    return PreconditionNotMetError(
        f"a value that backward of operator {node.backward.op.name} needs was "
        "overwritten in place after it was computed.",
        hint="write to a copy (x.clone()), or use the form that is not in place",
    )


def already_freed(node: Node) -> Exception:
    """Makes the error for a graph that was run before."""
    return PreconditionNotMetError(
        f"backward of operator {node.backward.op.name} runs a second time, but what it "
        "needs was freed by the first.",
        hint="pass retain_graph=True to the first backward",
    )


def nodes_behind(starts: Sequence[Any]) -> list[Node]:
    """Returns the nodes that ``starts`` (edges) depend on, themselves included."""
    seen: set[Node] = set()
    stack: list[Any] = list(starts)
    order: list[Node] = []
    while stack:
        edge = stack.pop()
        node = edge.node if type(edge) is Port else edge
        if type(node) is not Node or node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(e for e in node.edges if e is not None)
    return order


def needed_for(starts: Sequence[Any], targets: dict[Any, int]) -> dict[Node, bool]:
    """Finds the nodes on a path from ``starts`` (edges) to a target.

    Returns for each whether anything behind it is needed too, not just its own output.
    """
    wanted_nodes = {key[0] if type(key) is tuple else key for key in targets}
    needed: dict[Node, bool] = {}
    for node in sorted(nodes_behind(starts), key=lambda n: n.seq):
        behind = any(
            (e.node if type(e) is Port else e) in needed
            or (type(e) is not Node and type(e) is not Port and e in targets)
            for e in node.edges
            if e is not None
        )
        if behind or node in wanted_nodes:
            needed[node] = behind
    return needed


class BackwardWalk:
    """One run over the tape.

    Args:
        math: arithmetic on gradients, see :class:`Arithmetic`.
        retain_graph: keep the saved values.
        targets: edges whose gradients are collected in ``found`` instead of leaves' ``grad``.
        needed: the nodes on a path to a target, and whether the path goes on behind them; None
            means all.
    """

    def __init__(
        self,
        math: Any,
        retain_graph: bool,
        targets: dict[Any, int] | None = None,
        needed: dict[Node, bool] | None = None,
    ) -> None:
        self.math = math
        self.retain = retain_graph
        self.targets = targets
        self.needed = needed
        self.blocked: set = set()
        self.found: dict[int, Any] = {}
        self.pending: dict[Node, Any] = {}
        self.owned: set[Node] = set()
        self.heap: list[Node] = []
        self.leaves: dict[Tensor, Any] = {}  # what leaves get, handed over once, at the end
        self.summed: set[Tensor] = set()  # leaves whose sum is a buffer of this walk's own

    def run(self, starts: list) -> None:
        before, _running.retain = _running.retain, self.retain
        try:
            self._run(starts)
        finally:
            _running.retain = before

    def _run(self, starts: list) -> None:
        for tensor, grad in starts:
            value = self.math.of(grad) if grad is not None else self.math.ones(self.math.of(tensor))
            self.deliver(edge_of(tensor), value)
        heap, pending, owned = self.heap, self.pending, self.owned
        targets, needed = self.targets, self.needed
        step, retain = self.math.step, self.retain
        everywhere = needed is None and not self.blocked
        # Spelled out: calls for the parts of a visit would cost as much as a small gradient.
        while heap:
            node = heappop(heap)
            value = pending.pop(node)
            owned.discard(node)
            if node.hooks:
                value = self.apply_hooks(node, value)
            if targets is None:
                node.grad = value
            else:
                self.collect(node, value)
            if needed is not None and not needed[node]:
                continue
            if node.saved is None:
                raise already_freed(node)
            if writes.last > node.seq:
                check_overwritten(node)
            if node.metas is not None:
                grads = step(node, self.complete(node, value))
            elif step is Arithmetic.step:
                grads = node.backward(node, value)
            else:
                grads = step(node, (value,))
            edges = node.edges
            if not retain:
                node.saved = None
                node.edges = ()
            for edge, grad in zip(edges, grads, strict=True):
                if edge is None or grad is None:
                    continue
                if everywhere and type(edge) is Node and edge not in pending:
                    pending[edge] = grad
                    heappush(heap, edge)
                else:
                    self.deliver(edge, grad)
        for leaf, value in self.leaves.items():
            if leaf._hooks:
                value = run_hooks(leaf._hooks, self.math.handle(value))._buf
            accumulate(leaf, value)

    def complete(self, node: Node, value: list) -> tuple:
        """Fills in zeros for outputs that nobody used and puts lists together again."""
        like = next(v for v in value if v is not None)
        filled = iter(
            self.math.zeros(meta, like) if part is None and meta is not None else part
            for part, meta in zip(value, node.metas, strict=True)
        )
        return tuple(
            next(filled) if size is None else [next(filled) for _ in range(size)]
            for size in node.layout
        )

    def deliver(self, edge: Any, grad: Any) -> None:
        """Adds a gradient to what is pending for an edge."""
        kind = type(edge)
        if self.blocked and ((edge.node, edge.index) if kind is Port else edge) in self.blocked:
            return
        if kind is Node:
            if self.needed is not None and edge not in self.needed:
                return
            before = self.pending.get(edge)
            if before is None:
                self.pending[edge] = grad
                heappush(self.heap, edge)
            elif edge in self.owned and self.math is Arithmetic:
                before.add_(grad)
            else:
                self.pending[edge] = self.math.add(before, grad)
                self.owned.add(edge)
        elif kind is Port:
            node = edge.node
            if self.needed is not None and node not in self.needed:
                return
            values = self.pending.get(node)
            if values is None:
                values = self.pending[node] = [None] * len(node.metas)
                heappush(self.heap, node)
            before = values[edge.index]
            values[edge.index] = grad if before is None else self.math.add(before, grad)
        else:
            self.leaf(edge, grad)

    def leaf(self, leaf: Tensor, grad: Any) -> None:
        """Hands a gradient to a leaf."""
        if self.targets is not None:
            at = self.targets.get(leaf)
            if at is not None:
                before = self.found.get(at)
                self.found[at] = grad if before is None else self.math.add(before, grad)
            return
        before = self.leaves.get(leaf)
        if before is None:
            self.leaves[leaf] = grad
        elif leaf in self.summed and not (before.is_sparse or grad.is_sparse):
            before.add_(grad)
        else:
            self.leaves[leaf] = self.math.add(before, grad)
            self.summed.add(leaf)

    def collect(self, node: Node, value: Any) -> None:
        """Remembers the gradient of a node that was asked for."""
        assert self.targets is not None
        if node.metas is None:
            at = self.targets.get(node)
            if at is not None:
                self.found[at] = value
            return
        for index, part in enumerate(value):
            at = self.targets.get((node, index))
            if at is not None and part is not None:
                self.found[at] = part

    def apply_hooks(self, node: Node, value: Any) -> Any:
        hooks = node.hooks or {}
        if node.metas is None:
            return self.math.of(run_hooks(hooks[0], self.math.handle(value)))
        for index, listed in hooks.items():
            if value[index] is not None:
                value[index] = self.math.of(run_hooks(listed, self.math.handle(value[index])))
        return value


def run_hooks(hooks: dict[int, Callable], grad: Tensor) -> Tensor:
    """Calls hooks in the order they were registered; what one returns replaces the gradient."""
    for hook in list(hooks.values()):
        changed = hook(grad)
        if changed is None:
            continue
        if not isinstance(changed, Tensor) or changed.shape != grad.shape:
            got = changed.shape if isinstance(changed, Tensor) else type(changed).__name__
            raise InvalidArgumentError(
                f"a gradient hook must return None or a Tensor of shape {grad.shape}, got {got}."
            )
        grad = changed
    return grad


def _of_shape(leaf: Tensor, grad: Any) -> Any:
    """A gradient in the shape of its leaf, which may be that of one number more or less."""
    if grad.numel() != math.prod(leaf.shape):
        raise InvalidArgumentError(
            f"the gradient of {leaf.name!r}, a Tensor of shape {leaf.shape}, is expected to have "
            f"that shape, but what was computed has shape {list(grad.shape)}.",
            hint="look at the gradient that you wrote for an operator or PyLayer",
        )
    return grad.reshape(leaf.shape)


def accumulate(leaf: Tensor, grad: Any) -> None:
    """Adds ``grad`` to the gradient of a leaf."""
    if grad.shape != leaf._buf.shape:
        grad = _of_shape(leaf, grad)
    if grad.dtype is not leaf._buf.dtype:
        grad = grad.to(leaf._buf.dtype)
    before = leaf._grad
    if grad.is_sparse or type(before) is selected_rows.RowsGradient:
        new = before is None or before is CLEARED
        leaf._grad = selected_rows.of_rows(grad) if new else selected_rows.summed(before, grad)
    elif before is None or before is CLEARED:
        # A second handle on the memory: the gradient may be some other Tensor's as well, and the
        # count of uses then shows it to whoever writes here first.
        leaf._grad = wrap(grad.detach())
    else:
        writable(before).add_(grad)


def gradient_of(tensor: Tensor) -> Tensor | None:
    """Returns the gradient that the last backward left at a leaf or a result."""
    edge = tensor._edge
    if tensor._grad is CLEARED:
        tensor._grad = wrap(torch.zeros_like(tensor._buf))
    if edge is None or tensor._grad is not None:
        return tensor._grad
    if type(edge) is Port:
        value = edge.node.grad and edge.node.grad[edge.index]
    else:
        value = edge.grad
    return None if value is None else wrap(value.detach())


def clear_gradient(tensor: Tensor) -> None:
    """Sets the gradient of a Tensor to zero, if it has one."""
    edge = tensor._edge
    if edge is not None:
        node = edge.node if type(edge) is Port else edge
        node.grad = None
        tensor._grad = None
    elif tensor._grad is not None:
        tensor._grad = CLEARED


class HookHandle:
    """Takes a gradient hook off again."""

    def __init__(self, hooks: dict[int, Callable], key: int) -> None:
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Removes the hook; False if that had been done before."""
        return self._hooks.pop(self._key, None) is not None


def register_hook(tensor: Tensor, hook: Callable) -> HookHandle:
    """See :meth:`paddle.Tensor.register_hook`."""
    if tensor.stop_gradient:
        raise PreconditionNotMetError(
            "Tensor.register_hook: expected a Tensor with stop_gradient=False, but it is True, "
            "so that no gradient will arrive."
        )
    if not callable(hook):
        raise TypeError(f"Tensor.register_hook: expected a callable, got {type(hook).__name__}.")
    edge = tensor._edge
    if edge is None:
        if tensor._hooks is None:
            tensor._hooks = {}
        hooks = tensor._hooks
    else:
        node, index = (edge.node, edge.index) if type(edge) is Port else (edge, 0)
        if node.hooks is None:
            node.hooks = {}
        hooks = node.hooks.setdefault(index, {})
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)
