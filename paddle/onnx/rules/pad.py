"""Rules of padding."""

from __future__ import annotations

from typing import Any

from paddle.onnx.rules.registry import rule
from paddle.onnx.rules.windows import is_last

_MODES = {
    "constant": "constant", "reflect": "reflect", "replicate": "edge", "edge": "edge",
    "circular": "wrap",
}  # fmt: skip


def _number(op: Any, name: str, slot: str = "X") -> str:
    value = op.attr(name)
    return op.number(float(value) if op.is_floating(slot) else int(value), slot)


@rule("pad")
def _(g: Any, op: Any) -> str:
    given = op.ints("paddings")
    return g.pad(op["X"], given[::2] + given[1::2], _number(op, "pad_value"))


@rule("pad2d")
def _(g: Any, op: Any) -> str:
    given = op.vector("Paddings", attr="paddings")
    if not isinstance(given, list):
        raise op.refuse("padding that only a run can tell")
    top, bottom, left, right = given
    return _spatial(g, op, [top, left], [bottom, right], "pad_value")


@rule("pad3d")
def _(g: Any, op: Any) -> str:
    given = op.vector("Paddings", attr="paddings")
    if not isinstance(given, list):
        raise op.refuse("padding that only a run can tell")
    return _spatial(g, op, given[::2][::-1], given[1::2][::-1], "value")


def _spatial(g: Any, op: Any, before: list[int], after: list[int], number: str) -> str:
    mode = _MODES[op.attr("mode")]
    if not any([*before, *after]):
        return op["X"]
    if is_last(op.attr("data_format")):
        pads = [0, *before, 0, 0, *after, 0]
    else:
        pads = [0, 0, *before, 0, 0, *after]
    return g.pad(op["X"], pads, _number(op, number) if mode == "constant" else None, mode)


@rule("pad_constant_like")
def _(g: Any, op: Any) -> str:
    more = g.Sub(op.sizes("X"), op.sizes("Y"))
    pads = g.Concat([0] * op.rank("X"), more, axis=0)
    return g.pad(op["Y"], pads, _number(op, "pad_value", "Y"))
