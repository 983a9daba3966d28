"""Single calls of operators on variables of which some hold rows of a table (SelectedRows).

The values of such a variable are its tensor. Operators that look at each row by itself compute with
that; others get a gradient of rows as the gradient of a look-up of their numbers.
"""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.lod import LoDTensor
from paddle.core.row_table import SelectedRows
from paddle.core.selected_rows import Rows, add
from paddle.core.tensor import wrap
from paddle.executor.scope import Scope, ScopeVariable
from paddle.ir.row_gradients import ALONE, ONCE
from paddle.ops.selected_rows import merge_selected_rows, split_selected_rows

VALUES = ("get_tensor_from_selected_rows", "shape")
"""Operators that give something dense, of the values alone."""
LOOK_UPS = ("lookup_table", "lookup_table_v2")


def call_on_rows(call: Any, scope: Scope, place: Any, rows: dict[str, SelectedRows]) -> None:
    """Runs an operator, some inputs of which are rows, on the variables of a scope.

    Args:
        call (_OperatorCall): the operator with the names of its variables.
        scope (Scope): has the inputs, and gets the outputs.
        place (Place): where it runs.
        rows (dict[str, SelectedRows]): the inputs that are rows.
    """
    kind, names = call.type(), call.inputs.get("X", ())
    given = [rows[name] for name in names if name in rows]
    if kind in VALUES:
        call.compute(scope, place)
    elif given and kind in ("assign", *ALONE, *ONCE):
        _change(call, scope, place, given[0])
    elif kind == "merge_selected_rows":
        _put(call, scope, [merge_selected_rows.kernel(given[0].buffers())])
    elif kind == "split_selected_rows":
        sections = call.attrs.get("height_sections", ())
        _put(call, scope, split_selected_rows.kernel(given[0].buffers(), height_sections=sections))
    elif kind == "sum" and len(given) == len(names):
        _put(call, scope, [_sum([one.buffers() for one in given])])
    elif kind in LOOK_UPS:
        _look_up(call, scope, place, rows)
    else:
        _with_gradients(call, scope, place, rows)


def _change(call: Any, scope: Scope, place: Any, x: SelectedRows) -> None:
    """Lets an operator change the values as a tensor of their own."""
    (name,), (result,) = call.inputs["X"], call.outputs["Out"]
    rows, given = x.buffers(), None
    if call.type() in ONCE:
        rows = merge_selected_rows.kernel(rows)
        if name == result:
            x.take(rows)
        else:
            given = {name: LoDTensor(wrap(rows.values))}
    call.compute(scope, place, given)
    of_rows = _variable(scope, result).get_selected_rows()
    of_rows.set_rows(rows.index)
    of_rows.set_height(rows.shape[0])


def _put(call: Any, scope: Scope, found: list[Rows]) -> None:
    for name, value in zip(call.outputs["Out"], found, strict=True):
        _variable(scope, name).get_selected_rows().take(value)


def _variable(scope: Scope, name: str) -> ScopeVariable:
    return scope.find_var(name) or scope.var(name)


def _sum(given: list[Rows]) -> Rows:
    total = given[0]
    for one in given[1:]:
        if one.shape != total.shape:
            raise InvalidArgumentError(
                f"sum: expected rows of tables of one shape, but received {list(total.shape)} "
                f"and {list(one.shape)}."
            )
        total = add(total, one)
    return total


def _look_up(call: Any, scope: Scope, place: Any, rows: dict[str, SelectedRows]) -> None:
    """Looks numbers up in a table that has some rows only."""
    (table,), (ids,) = call.inputs["W"], call.inputs["Ids"]
    numbers = _variable(scope, ids).get_tensor()
    places = _places(call, rows[table], numbers.buffer)
    call.compute(scope, place, {ids: LoDTensor(wrap(places), numbers.lod())})


def _with_gradients(call: Any, scope: Scope, place: Any, rows: dict[str, SelectedRows]) -> None:
    """Takes rows for gradients of whole tables, or of the rows that a parameter has."""
    (param,) = call.inputs.get("Param") or [None]
    found = {name: one.buffers() for name, one in rows.items() if name != param}
    if param in rows:
        known = rows[param]
        shape = torch.Size(known.get_tensor().shape())
        found = {n: Rows(_places(call, known, r.index), r.values, shape) for n, r in found.items()}
    call.compute(scope, place, gradients=found)


def _places(call: Any, table: SelectedRows, numbers: torch.Tensor) -> torch.Tensor:
    """Where the rows of some numbers are in a table."""
    place_of = {number: at for at, number in enumerate(table.buffers().index.tolist())}
    wanted = numbers.reshape(-1).tolist()
    missing = sorted(set(wanted) - set(place_of))
    if missing:
        raise InvalidArgumentError(
            f"{call.type()}: expected rows that the table has, but it has no row "
            f"{', '.join(map(str, missing[:5]))}."
        )
    found = torch.tensor([place_of[n] for n in wanted], dtype=numbers.dtype, device=numbers.device)
    return found.reshape(numbers.shape)
