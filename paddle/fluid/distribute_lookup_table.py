"""Finds the tables of a Program that lie on parameter servers, as 1.x does."""

from __future__ import annotations

from typing import Any

__all__ = [
    "find_distributed_lookup_table", "find_distributed_lookup_table_inputs",
    "find_distributed_lookup_table_outputs",
]  # fmt: skip

_LOOK_UPS = ("lookup_table", "lookup_table_v2")


def _look_ups(program: Any, table_name: str) -> list[Any]:
    ops = program.global_block().ops
    return [op for op in ops if op.type in _LOOK_UPS and op.input("W")[0] == table_name]


def find_distributed_lookup_table(program: Any) -> str | None:
    """Returns the name of the table that is distributed; None where there is none.

    Args:
        program (Program): the Program.

    Raises:
        RuntimeError: there are several, or a table is looked up in both ways.
    """
    found: set[str] = set()
    others: set[str] = set()
    for op in program.global_block().ops:
        if op.type in _LOOK_UPS:
            name = op.input("W")[0]
            (found if op.attrs.get("is_distributed") else others).add(name)
    if len(found) > 1:
        raise RuntimeError(
            f"find_distributed_lookup_table: expected one distributed table, got {sorted(found)}."
        )
    if found & others:
        raise RuntimeError(
            f"find_distributed_lookup_table: {sorted(found)} is looked up as distributed and not."
        )
    return next(iter(found), None)


def find_distributed_lookup_table_inputs(program: Any, table_name: str) -> list[Any]:
    """Returns the Variables of the ids that are looked up in a table.

    Args:
        program (Program): the Program.
        table_name (str): the table.
    """
    block = program.current_block()
    return [block.vars[name] for op in _look_ups(program, table_name) for name in op.input("Ids")]


def find_distributed_lookup_table_outputs(program: Any, table_name: str) -> list[Any]:
    """Returns the Variables of the rows that are found in a table.

    Args:
        program (Program): the Program.
        table_name (str): the table.
    """
    block = program.current_block()
    return [block.vars[name] for op in _look_ups(program, table_name) for name in op.output("Out")]
