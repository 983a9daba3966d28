"""Updates of tables by the rows that a step used; see ``Embedding(sparse=True)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddle.core.selected_rows import RowsGradient
from paddle.core.tensor import Tensor, wrap
from paddle.ops.optimizer import row_updates as kernels
from paddle.optimizer.batch import UpdatePlan, signature

if TYPE_CHECKING:
    from paddle.optimizer.optimizer import Optimizer


def merged(
    optimizer: Optimizer, group: dict[str, Any], params: list[Tensor], grads: list[Tensor]
) -> tuple[list[Tensor], dict[int, Any]]:
    """Gradients for clipping, and the row numbers of those that stay gradients of rows.

    What is done to the values of the rows has to be nothing for the other rows: a penalty on the
    whole parameter makes a gradient dense.

    Args:
        optimizer (Optimizer): updates the parameters.
        group (dict): their settings.
        params (list[Tensor]): the parameters.
        grads (list[Tensor]): their gradients.

    Returns:
        tuple: gradients, where for a table they are the values of its rows; and position -> rows.
    """
    places = []
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        own = getattr(param, "regularizer", None)
        decay = group["weight_decay"] if own is None else own
        if type(grad) is not RowsGradient or not grad.is_rows or decay is not None:
            continue
        if optimizer._has_master(param):
            continue
        places.append(i)
    found, rows = list(grads), {}
    merges = kernels.all_merged([grads[i].rows for i in places])  # type: ignore[attr-defined]
    for i, (index, values) in zip(places, merges, strict=True):
        rows[i], found[i] = index, wrap(values)
    return found, rows


def update(
    optimizer: Optimizer,
    group: dict[str, Any],
    params: list[Tensor],
    values: list[Tensor],
    rows: list[Any],
    rate: float,
) -> None:
    """Updates rows of parameters and of their accumulators.

    Args:
        optimizer (Optimizer): says how; its rule works element by element.
        group (dict): the settings.
        params (list[Tensor]): the parameters.
        values (list[Tensor]): gradients of the rows.
        rows (list): the row numbers, without repetition.
        rate (float): the learning rate.
    """
    key, current = (id(group), "rows"), signature(params)
    plan = optimizer._plans.get(key)
    if plan is None or plan.signature != current:
        plan = optimizer._plans[key] = UpdatePlan(
            current, optimizer._batches(group, params, by_rows=True)
        )
    for batch in plan.batches:
        at = range(len(params)) if batch.at is None else batch.at
        grads = batch.take_gradients(values)
        optimizer._step_rows(batch, grads, [rows[i] for i in at], rate * batch.factor)
        if batch.changed:
            optimizer._plans.pop(key, None)


def whole(params: list[Tensor], rows: list[Any], values: list[Tensor]) -> list[Tensor]:
    """Dense gradients of parameters from the values of rows."""
    return [
        wrap(kernels.whole_table(p._buf, index, value._buf))
        for p, index, value in zip(params, rows, values, strict=True)
    ]
