"""Turns static mode on, and sees to it that lowerings are known before anything is recorded."""

from __future__ import annotations

from paddle.core.mode import set_recording
from paddle.ir.recording import lowering, lowering_indexing, lowering_setitem
from paddle.ir.recording.record import record

_lowerings = (lowering, lowering_indexing, lowering_setitem)  # importing them registers theirs


def install_lowerings() -> None:
    """Registers those lowerings that are derived from the operators."""
    lowering.install()


def start() -> None:
    """Turns static mode on."""
    install_lowerings()
    set_recording(record)
