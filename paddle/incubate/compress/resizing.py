"""Tensors with fewer channels, in the place of those with all; and how to take that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from paddle.core.mode import hooked, no_grad
from paddle.core.tensor import Tensor
from paddle.tensor.creation import to_tensor
from paddle.tensor.search import index_select

Kept = Mapping[int, np.ndarray]  # axis -> the places that stay


class Undo:
    """What was changed, as calls that put it back."""

    def __init__(self) -> None:
        self._calls: list[Callable[[], object]] = []

    def later(self, call: Callable[[], object]) -> None:
        """Notes a call.

        Args:
            call (callable): takes one change back.
        """
        self._calls.append(call)

    def attribute(self, owner: object, name: str, value: object) -> None:
        """Sets an attribute; its present value comes back later.

        Args:
            owner (object): what has the attribute.
            name (str): the attribute.
            value (object): the new value.
        """
        before = getattr(owner, name)
        self.later(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def run(self) -> None:
        """Puts all back, the latest change first."""
        while self._calls:
            self._calls.pop()()


def taken(tensor: Tensor, kept: Kept) -> Tensor:
    """Returns some places of a Tensor along some axes.

    Args:
        tensor (Tensor): stays as it is.
        kept (Mapping[int, np.ndarray]): axis -> places.
    """
    with hooked(None), no_grad():  # in static mode too
        found = tensor.detach()
        for axis, places in kept.items():
            found = index_select(found, to_tensor(places), axis)
    return found


def shrink(tensor: Tensor, kept: Kept, undo: Undo) -> None:
    """Lets a Tensor have some of its places only; whoever holds it sees that.

    Args:
        tensor (Tensor): loses its gradient too.
        kept (Mapping[int, np.ndarray]): axis -> places.
        undo (Undo): gets what puts it back.
    """
    before = tensor.detach()
    undo.later(lambda: before._share_buffer_to(tensor))
    taken(tensor, kept)._share_buffer_to(tensor)
    if not tensor.stop_gradient and tensor.grad is not None:
        tensor.clear_gradient()
