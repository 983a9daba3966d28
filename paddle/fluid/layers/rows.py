"""Layer functions that are calls of one operator, made from their row when first asked for.

A row of ``_rows.tsv`` has a function's name, its signature in 1.8.5 and either the module where it
is written by hand, or the operator with what goes into its slots and attributes.
``scripts/make_fluid_rows.py`` writes the file.
"""

from __future__ import annotations

import csv
import functools
import importlib
import os
from typing import Any, NamedTuple

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_rows.tsv")


class Row(NamedTuple):
    """What a layer function is.

    Attributes:
        name (str): of the function.
        signature (str): its parameters, as 1.8.5 has them; empty where ``module`` is given.
        module (str): where it is written by hand; empty: it is made from what follows.
        operator (str): what it calls.
        inputs (str): ``X=x Y=y``: slot and parameter; ``X*=input`` for a list, or one
            for a list of one.
        attributes (str): ``axis=dim``: attribute and parameter; ``dtype=dtype:dtype`` where the
            parameter goes through a converter of ``CONVERTERS``; ``axis=0!`` for a constant;
            ``scale=scale?`` is left out where the parameter is None; ``-=dtype`` changes nothing
            here, since the operator's result follows from its inputs.
        outputs (str): the output slots in the order in which 1.8.5 makes their variables; empty
            where that is the operator's.
        result (str): the output slots that are returned; empty: what the operator returns.
        layer (str): what the results are named after, where that is not the function's name.
        new (str): what 2.0 has in its place.
    """

    name: str
    signature: str
    module: str
    operator: str
    inputs: str
    attributes: str
    outputs: str
    result: str
    layer: str
    new: str


@functools.lru_cache(maxsize=1)
def table() -> dict[str, Row]:
    """All rows by name."""
    with open(_FILE, encoding="utf8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(lines)
        return {line[0]: Row(*line) for line in lines}


def names() -> list[str]:
    """The names of all layers."""
    return list(table())


def find(name: str) -> Any:
    """Returns the function or class of a name; None: there is no such layer."""
    row = table().get(name)
    if row is None:
        return None
    if row.module:
        return getattr(importlib.import_module(row.module), name)
    compiling = importlib.import_module("paddle.fluid.layers.compiling")
    return compiling.function(row)
