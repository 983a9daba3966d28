"""Slots, attributes and gradients of compiled operators, as their libraries describe them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paddle.core.native_structs import CAttribute, CSlot, decode
from paddle.core.op import REQUIRED

LIST, OPTIONAL, NO_GRADIENT, NO_BUFFER, MAY_REUSE = 1, 2, 4, 8, 32  # flags of slots


@dataclass(frozen=True)
class NativeSlot:
    """An input or output of a compiled operator.

    Attributes:
        inplace (int): the number of the input that an output is written into, else -1.
        reuses (int): the number of the input whose memory it may have, else -1.
    """

    name: str
    doc: str
    flags: int
    inplace: int = -1
    reuses: int = -1

    @property
    def many(self) -> bool:
        """Whether it is a list."""
        return bool(self.flags & LIST)

    @property
    def optional(self) -> bool:
        """Whether it may be missing."""
        return bool(self.flags & OPTIONAL)


@dataclass(frozen=True)
class NativeAttribute:
    """An attribute of a compiled operator; its type is a key of :data:`TYPES`."""

    name: str
    doc: str
    type: int
    initial: Any


@dataclass(frozen=True)
class NativeGradient:
    """Which operator gives the gradient; bindings are pairs of source and slot."""

    name: str
    inputs: list[tuple[int, int]] | None
    outputs: list[tuple[int, int]] | None
    attributes: dict[str, Any]


def text_of(value: bytes | None) -> str:
    """A text of C; None is empty."""
    return (value or b"").decode("utf8", "replace")


def slot_of(told: CSlot) -> NativeSlot:
    """Reads a slot."""
    into = (-1, told.inplace) if told.flags & MAY_REUSE else (told.inplace, -1)
    return NativeSlot(text_of(told.name), text_of(told.doc), told.flags, *into)


def attribute_of(told: CAttribute) -> NativeAttribute:
    """Reads an attribute."""
    initial = decode(told.initial) if told.has_initial else REQUIRED
    return NativeAttribute(text_of(told.name), text_of(told.doc), told.type, initial)
