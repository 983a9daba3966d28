"""Emitters of readers: the scope holds a BatchQueue under the name of a reader."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import Operator


def link(target: Any, source: Any, name: str) -> None:
    """Puts what one holder of a scope has into another."""
    if source.tensor is None:
        raise PreconditionNotMetError(
            f"the scope holds no reader {name!r}.",
            hint="run the startup program first, in the scope that was current when the reader "
            "was made",
        )
    target.tensor = source.tensor


def read_from(holder: Any, name: str, count: int) -> list[Any]:
    """The next batch of a reader."""
    if holder.tensor is None:
        raise PreconditionNotMetError(
            f"read: the reader {name!r} is not there yet.",
            hint="run the startup program first",
        )
    return holder.tensor.buffers(count)


def _link(em: Emitter, op: Operator, slot: str) -> None:
    source, target = op.inputs[slot][0], op.outputs["Out"][0]
    slots = f"{em.scope_slot(target)}, {em.scope_slot(source)}"
    em.line(f"{em.constant(link, 'link')}({slots}, {source!r})")


@emitter("create_py_reader")
def _create_py_reader(em: Emitter, op: Operator) -> None:
    _link(em, op, "blocking_queue")


@emitter("create_double_buffer_reader")
def _create_double_buffer_reader(em: Emitter, op: Operator) -> None:
    _link(em, op, "UnderlyingReader")


@emitter("read")
def _read(em: Emitter, op: Operator) -> None:
    source, names = op.inputs["Reader"][0], op.outputs["Out"]
    function = em.constant(read_from, "read_from")
    values = f"{function}({em.scope_slot(source)}, {source!r}, {len(names)})"
    em.line("".join(f"{em.write(name)}, " for name in names) + f"= {values}")
