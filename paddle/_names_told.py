"""Says once, at the user's line, what 2.0 has in the place of a name of 1.x.

The table, ``_names_2x.tsv``, is written by ``scripts/make_module_paths.py`` from the rules of the
upgrade tool. A name is looked at when it is read off its module, so calls cost nothing.
"""

from __future__ import annotations

import functools
import inspect
import opcode
import os
import warnings
from types import ModuleType
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_FILE = os.path.join(_HERE, "_names_2x.tsv")
# How a name is asked for by who means it; ``getattr`` and star imports ask for all of them.
_ASKING = frozenset(["LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM", "IMPORT_NAME"])
_read = ModuleType.__getattribute__


@functools.lru_cache(maxsize=1)
def table() -> dict[str, dict[str, str]]:
    """What is still to be told; names that were are taken out."""
    return read_table()


def read_table() -> dict[str, dict[str, str]]:
    """Module of 1.x -> name -> what 2.0 has."""
    found: dict[str, dict[str, str]] = {}
    with open(_FILE, encoding="utf8") as file:
        for line in file:
            old, new = line.rstrip("\n").split("\t")
            module, _, name = old.rpartition(".")
            found.setdefault(module, {})[name] = new
    return found


class Told(ModuleType):
    """A module of 1.x that looks at which of its names are read, until all are told."""

    def __getattribute__(self, name: str) -> Any:
        value = _read(self, name)
        if name[:1] != "_" and name in table().get(_read(self, "__name__"), ()):
            tell(_read(self, "__name__"), name)
        return value


def watch(module: ModuleType) -> None:
    """Lets a module tell of its names, if it has any to tell of.

    Args:
        module (ModuleType): of 1.x, when its code has run.
    """
    names = _read(module, "__dict__")
    if "_HIDDEN" not in names and not names.keys().isdisjoint(table().get(module.__name__, ())):
        module.__class__ = Told


def tell(module: str, name: str) -> None:
    """Warns of a name, if the user asks for it and was not told before.

    Args:
        module (str): dotted in full.
        name (str): one of its names.
    """
    new = table().get(module, {}).get(name)
    if new is None:
        return
    level, frame = _asking()
    if frame is None or _doing(frame) not in _ASKING:
        return
    table()[module].pop(name, None)
    warnings.warn(
        f"{module}.{name} is of 1.x; 2.0 has {new}, whose arguments and defaults may differ "
        "(docs/fluid.md).",
        DeprecationWarning,
        stacklevel=level,
    )


def _doing(frame: Any) -> str:
    """The instruction that a frame is at; some versions of Python point behind it."""
    code, at = frame.f_code.co_code, frame.f_lasti
    while at > 0 and opcode.opname[code[at]] == "CACHE":
        at -= 2
    return opcode.opname[code[at]]


def _asking() -> tuple[int, Any]:
    """The frame of the user's line, and how far up it is; None: nobody asks for one name."""
    frame: Any = inspect.currentframe()
    level = 0
    while frame is not None:
        path = frame.f_code.co_filename
        importing = path.startswith("<frozen importlib")
        if importing and frame.f_locals.get("recursive"):
            return 0, None  # for a star
        if not importing and not path.startswith(_HERE):
            return level, frame
        # warnings.warn does not count the frames of the import system
        level += not importing
        frame = frame.f_back
    return 0, None
