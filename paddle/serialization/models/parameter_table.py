"""The table of a saved model: what an ``.info`` file tells of each variable beside its value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Parameter
from paddle.ir.variable import Parameter as StaticParameter
from paddle.serialization.files.seals import read_sealed

Table = dict[str, dict[str, Any]]


def entry(structured: str, var: Any) -> dict[str, Any]:
    """Returns what the table tells of a variable.

    Args:
        structured (str): its name in the Layer.
        var (Tensor|Variable): the variable.
    """
    told = {"structured_name": structured, "stop_gradient": bool(var.stop_gradient)}
    if isinstance(var, (Parameter, StaticParameter)):
        told["trainable"] = bool(var.trainable)
    return told


def table_of(tensors: Mapping[str, Any], members: Mapping[str, Any]) -> Table:
    """Returns the table of a Layer's parameters and buffers, and of what else is stored.

    Args:
        tensors (Mapping): stored variable -> its Tensor.
        members (Mapping): name in the Layer -> Tensor.
    """
    known = {id(tensor): name for name, tensor in tensors.items()}
    table: Table = {}
    for structured, tensor in members.items():
        table.setdefault(known.get(id(tensor), tensor.name), entry(structured, tensor))
    for name, tensor in tensors.items():  # used, but no member: it keeps its own name
        table.setdefault(name, entry(name, tensor))
    return table


def read_table(path: str | None, where: str) -> Table:
    """Reads a table; empty if there is none."""
    if path is None or not os.path.isfile(path):
        return {}
    table = read_sealed(path)
    good = isinstance(table, dict) and all(
        isinstance(k, str) and isinstance(v, dict) for k, v in table.items()
    )
    if not good:
        raise InvalidArgumentError(
            f"{where}: expected a table of parameters in '{path}', but it holds something else."
        )
    return table
