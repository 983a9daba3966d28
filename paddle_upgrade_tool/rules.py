"""The table of rules: what becomes of each name of 1.x (`scripts/make_upgrade_rules.py`)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path(__file__).with_name("rules.tsv")


@dataclass(frozen=True)
class Move:
    """How one argument moves: to `new`, or away, or around the call."""

    kind: str  # "to", "drop", "default" (falls away if it is that) or "act"
    new: str = ""
    default: str | None = None  # to write where it was left out, or that it has to be
    none_drops: bool = False


class Rule:
    """A row of the table."""

    def __init__(self, cells: list[str]) -> None:
        (self.old, _, self.kind, self.new, self._params, positional, add, self.handler,
         self.message) = cells  # fmt: skip
        self.positional = int(positional)
        self.add = [tuple(a.split("=", 1)) for a in add.split(", ")] if add else []

    @functools.cached_property
    def moves(self) -> dict[str, Move]:
        """How each argument moves, in the order of 1.x's signature."""
        result = {}
        for item in self._params.split(";") if self._params else []:
            name, text = item.split(">", 1)
            result[name] = _move(text)
        return result


def _move(text: str) -> Move:
    if text == "-":
        return Move("drop")
    if text == "@act":
        return Move("act")
    if text[0] == "!":
        return Move("default", default=text[1:])
    if text.endswith("?"):
        return Move("to", text[:-1], none_drops=True)
    new, _, default = text.partition(":")
    return Move("to", new, default or None)


@functools.lru_cache(maxsize=1)
def table() -> dict[str, Rule]:
    """Return the rules by every path of their names."""
    result: dict[str, Rule] = {}
    with open(_TABLE, encoding="utf-8") as file:
        next(file)
        for line in file:
            cells = line.rstrip("\n").split("\t")
            rule = result[cells[0]] = Rule(cells)
            for alias in cells[1].split(",") if cells[1] else []:
                result.setdefault(alias, rule)
    return result


@functools.lru_cache(maxsize=1)
def modules() -> frozenset[str]:
    """Return every prefix of the names in the table."""
    return frozenset(
        name[:i] for name in table() for i in range(len(name)) if name[i] == "."
    )  # fmt: skip


def find(full: str) -> tuple[Rule | None, str]:
    """Return the rule for the longest known beginning of a dotted name, and the rest of it."""
    rules = table()
    name = full
    while name.count(".") > 0:
        rule = rules.get(name)
        if rule is not None:
            return rule, full[len(name) :]
        name = name.rpartition(".")[0]
    return None, ""


def star_names(module: str) -> dict[str, str]:
    """Return what `from module import *` brings, as far as the table knows."""
    prefix = module + "."
    return {
        name[len(prefix) :]: name
        for name in [*table(), *modules()]
        if name.startswith(prefix) and "." not in name[len(prefix) :]
    }
