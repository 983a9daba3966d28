"""Results that go into what the caller gave: ``out=``, ``cond=``, ``output=``."""

from __future__ import annotations

from typing import Any

from paddle.ir.recording.lowering import write
from paddle.tensor.inplace import overwrite


def recorded(target: Any, operator: str, operands: list[Any], attrs: dict[str, Any]) -> Any:
    """Records an operator whose result is put into a Variable that exists; returns that."""
    return write(target, operator, operands, attrs)


def stored(target: Any, result: Any) -> Any:
    """Lets a Tensor that the caller gave hold the result; None: the result itself."""
    return result if target is None else overwrite(target, result)
