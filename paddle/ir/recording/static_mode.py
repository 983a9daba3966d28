"""The hook of static mode: records an operator call, in the terms of PaddlePaddle's operators."""

from __future__ import annotations

from typing import Any

from paddle.core.mode import set_recording
from paddle.core.op import OpDef
from paddle.ir.recording import lowering_indexing, lowering_setitem
from paddle.ir.recording.lowering import append_without_bias
from paddle.ir.recording.record import LOWERINGS, append

_registered = (lowering_indexing, lowering_setitem)  # importing them registers what they lower


def record(op: OpDef, args: tuple, attrs: dict[str, Any]) -> Any:
    """Records one operator call and returns the Variables of its results."""
    lower = LOWERINGS.get(op.name)
    if lower is not None:
        return lower(args, attrs)
    return (append_without_bias if op.split_bias else append)(op, args, attrs)


record.records = True  # type: ignore[attr-defined]  # tells static mode from other hooks


def start() -> None:
    """Turns static mode on."""
    set_recording(record)
