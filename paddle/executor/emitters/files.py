"""Emitters of operators that write and read files, and of what 1.x kept beside tensors.

The formats are ``paddle.serialization``'s, which lies above: it is imported when a plan has such an
operator.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from paddle.core.dtype import torch_dtype
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import device_count
from paddle.core.place_types import CPUPlace, CUDAPlace
from paddle.executor.codegen import Emitter, emitter
from paddle.ir.operator import Operator
from paddle.ops.selected_rows import split_ids


def _formats() -> Any:
    return importlib.import_module("paddle.serialization.program_files")


def _call(em: Emitter, maker: str, op: Operator, *more: Any) -> str:
    """The constant that does what an operator says, made by a class of the formats' module."""
    return em.constant(getattr(_formats(), maker)(dict(op.attrs), *more), maker.lower())


def _write(em: Emitter, op: Operator) -> None:
    names = list(op.inputs["X"])
    values = "".join(f"{em.read(n)}, " for n in names)
    em.line(f"{_call(em, 'Saved', op, op.type, names)}(({values}))")


def _read(em: Emitter, op: Operator) -> None:
    names = list(op.outputs["Out"])
    kinds = [em.variable(n) for n in names]
    wanted = [None if v._dtype is None else torch_dtype(v.dtype) for v in kinds]
    call = _call(em, "Loaded", op, op.type, names, wanted)
    em.line("".join(f"{em.write(n)}, " for n in names) + f"= {call}()")


for _name in ("save", "save_combine"):
    emitter(_name)(_write)
for _name in ("load", "load_combine"):
    emitter(_name)(_read)


@emitter("split_ids")
def _split_ids(em: Emitter, op: Operator) -> None:
    """Its number of results is a number of slots, which no kernel sees."""
    ids = ", ".join(em.read(n) for n in op.inputs["Ids"])
    targets = "".join(f"{em.write(n)}, " for n in op.outputs["Out"])
    count = len(op.outputs["Out"])
    em.line(f"{targets}= {em.constant(split_ids, 'split_ids')}([{ids}], {count})")


@emitter("delete_var")
def _delete(em: Emitter, op: Operator) -> None:
    """Plans end every value where it was last used; nothing is left to do."""


@emitter("get_places")
def _places(em: Emitter, op: Operator) -> None:
    em.line(f"{em.write(op.outputs['Out'][0])} = {em.constant(_devices(op.attrs), 'places')}")


def _devices(attrs: dict[str, Any]) -> list[Any]:
    """The places of so many devices of a kind; of all there are where no number is given."""
    kind, wanted = str(attrs.get("device_type", "AUTO")), int(attrs.get("device_count", 0))
    if kind not in ("AUTO", "CPU", "CUDA"):
        raise InvalidArgumentError(
            f"get_places(device_type): expected AUTO, CPU or CUDA, but received {kind}."
        )
    there = device_count() if kind != "CPU" else 0
    if kind == "CPU" or (kind == "AUTO" and not there):
        return [CPUPlace()] * (wanted or os.cpu_count() or 1)
    if wanted > there:
        raise InvalidArgumentError(
            f"get_places(device_count): expected at most the {there} GPUs that there are, but "
            f"received {wanted}."
        )
    return [CUDAPlace(i) for i in range(wanted or there)]
