"""What holds while calls are recorded: the name of the layer, and what stands for eager Tensors."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor

if TYPE_CHECKING:
    from paddle.ir.variable import Variable

current_layer: contextvars.ContextVar[str | None] = contextvars.ContextVar("layer", default=None)
# What stands for an eager Tensor in a Program; None: it is an error.
capture: contextvars.ContextVar[Callable[[Tensor], Variable] | None] = contextvars.ContextVar(
    "capture", default=None
)


# Output slots in the order in which their variables are named; empty: the operator's.
named_first: contextvars.ContextVar[str] = contextvars.ContextVar("named_first", default="")


@contextlib.contextmanager
def naming_order(slots: str) -> Iterator[None]:
    """Names the results of operators recorded inside, slot by slot, in an order of the layer's."""
    token = named_first.set(slots)
    try:
        yield
    finally:
        named_first.reset(token)


@contextlib.contextmanager
def layer_name(name: str | None) -> Iterator[None]:
    """Names the variables made inside ``<name>.tmp_0``, ``<name>.tmp_1``, ..."""
    token = current_layer.set(name)
    try:
        yield
    finally:
        current_layer.reset(token)


@contextlib.contextmanager
def capturing(take: Callable[[Tensor], Variable]) -> Iterator[None]:
    """Lets ``take(tensor)`` say which Variable stands for an eager Tensor met while recording."""
    token = capture.set(take)
    try:
        yield
    finally:
        capture.reset(token)


def is_capturing() -> bool:
    """Says whether eager Tensors may be met: a function of dynamic mode is being recorded."""
    return capture.get() is not None


def captured(tensor: Tensor) -> Variable:
    """Returns the Variable that stands for an eager Tensor in the Program that is recorded."""
    take = capture.get()
    if take is None:
        raise InvalidArgumentError(
            f"{tensor.name!r} is an eager Tensor, but in static mode a Variable is expected.",
            hint="call paddle.disable_static() first, or make a function of it that "
            "paddle.jit.to_static or paddle.jit.save converts",
        )
    return take(tensor)
