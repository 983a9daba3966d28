"""Merges records of the same name."""

from __future__ import annotations

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.distributed.dataset.records import Block, Column, Table


def merged(table: Table, size: int) -> Table:
    """One record for each name: sequences behind each other, dense slots of the first.

    Args:
        table (Table): records with names.
        size (int): how many belong together; names with more or fewer are left out. 0: any number.
    """
    if len(table.ids) != table.size:
        raise InvalidArgumentError("set_merge_by_lineid: expected the records to have names.")
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(table.ids):
        groups.setdefault(name, []).append(number)
    kept = {n: g for n, g in groups.items() if not size or len(g) == size}
    order = np.array([i for group in kept.values() for i in group], np.int64)
    sizes = np.array([len(group) for group in kept.values()], np.int64)
    first = np.cumsum(sizes) - sizes
    whole = table.order(order)
    heads = whole.order(first)
    columns = []
    for i, slot in enumerate(table.slots):
        if slot.dense or not len(sizes):
            columns.append(heads.columns[i])
        else:
            each = whole.columns[i].each(whole.size)
            columns.append(Column(whole.columns[i].values, np.add.reduceat(each, first)))
    return Table(Block(len(sizes), columns, ids=list(kept)), table.slots)
