"""Module paths of 2.0 under which public names are found too, from the table beside this file.

2.x code imports ``paddle.tensor.math.add``, ``paddle.nn.layer.conv.Conv2D`` or
``paddle.fluid.framework.Variable``. Where such a module exists here, it finds names that lie
elsewhere; where it does not, it is made when it is imported. The table, ``_module_paths.tsv``, is
written by ``scripts/make_module_paths.py``.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any, NamedTuple

from paddle import _names_told, _packages

_HERE = os.path.dirname(os.path.abspath(__file__))
_FILE = os.path.join(_HERE, "_module_paths.tsv")
_OLD = os.path.join(_HERE, "_names_1x.tsv")

EVERYTHING = "*"
"""Stands in the table for all names of the module that owns them."""


class Public(NamedTuple):
    """Where a name is public.

    Attributes:
        owner (str): the module.
        name (str): what it is called there; empty: the same.
    """

    owner: str
    name: str = ""


@functools.lru_cache(maxsize=1)
def table() -> dict[str, dict[str, Public]]:
    """Module -> name -> where the name is public."""
    found: dict[str, dict[str, Public]] = {}
    with open(_FILE, encoding="utf8") as file:
        for line in file:
            module, owner, names, public = line.rstrip("\n").split("\t")
            value = Public(owner, public)
            found.setdefault(module, {}).update(dict.fromkeys(names.split(), value))
    return found


def names_of(module: str) -> list[str]:
    """The names that the table gives a module.

    Args:
        module (str): dotted in full.
    """
    return sorted(set(table().get(module, {})) - {EVERYTHING})


@functools.lru_cache(maxsize=1)
def _names_1x() -> dict[str, str]:
    """Name of 1.x that is still to come -> the names of 2.0 that stand for it, if known."""
    with open(_OLD, encoding="utf8") as file:
        return dict(line.rstrip("\n").split("\t") for line in file)


_MISSING = object()
_OLD_PACKAGE = "paddle.fluid."


def _public(owner: str, name: str) -> Any:
    """The object under its public name; _MISSING where this release lacks it."""
    try:
        return getattr(importlib.import_module(owner), name, _MISSING)
    except NotThereYet:
        return _MISSING
    except ModuleNotFoundError as error:
        if error.name and (owner + ".").startswith(error.name + "."):
            return _MISSING
        raise


def _complete(module: ModuleType) -> None:
    """Lets a module find the names that the table gives it, if any."""
    path = module.__name__
    names = table().get(path)
    old = f"{path}.".startswith(_OLD_PACKAGE)
    if old:
        _names_told.watch(module)
    if names is None:
        return
    own = module.__dict__.get("__getattr__")

    def find(name: str) -> Any:
        if own is not None and path.startswith(_OLD_PACKAGE):  # what it has itself comes first
            try:
                return own(name)
            except AttributeError:
                pass
        at = names.get(name) or names.get(EVERYTHING)
        if at is not None and at.owner != path:
            found = _public(at.owner, at.name or name)
            if found is not _MISSING:
                setattr(module, name, found)
                if old:
                    _names_told.tell(path, name)
                return found
        if f"{path}.{name}" in table() or _has_module(module, name):
            return importlib.import_module(f"{path}.{name}")
        if own is not None and not path.startswith(_OLD_PACKAGE):
            return own(name)
        told = _to_come(f"{path}.{name}")
        raise AttributeError(told or f"module {path!r} has no attribute {name!r}")

    module.__getattr__ = find  # type: ignore[method-assign]


def _has_module(package: ModuleType, name: str) -> bool:
    """Whether a package of 1.x has a module, which 1.x imports with the package."""
    if not f"{package.__name__}.".startswith(_OLD_PACKAGE) or "__path__" not in package.__dict__:
        return False
    return not name.startswith("_") and (
        importlib.util.find_spec(f"{package.__name__}.{name}") is not None
    )


class _Completed(SourceFileLoader):
    """Loads a module from its file, then completes it."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _complete(module)


class _Made(Loader):
    """Makes a module that only the table describes."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        at = table()[module.__name__]
        names = sorted({*at, *_all_of(at)} - {EVERYTHING})
        module.__doc__ = f"The names of 2.0's {module.__name__}; each is defined elsewhere."
        module.__all__ = names  # type: ignore[attr-defined]
        module.__dir__ = lambda: [*module.__dict__, *names]  # type: ignore[method-assign]
        _complete(module)


def _all_of(names: dict[str, Public]) -> list[str]:
    """The public names of the module that a made one has everything of."""
    if EVERYTHING not in names:
        return []
    owner = vars(importlib.import_module(names[EVERYTHING].owner))
    return owner.get("__all__") or [name for name in owner if not name.startswith("_")]


class NotThereYet(ModuleNotFoundError):
    """A name of 1.x is imported that is still to come.

    It has no ``name``: Python would put a text of its own in place of this one's.
    """


def _to_come(name: str) -> str | None:
    """What to say of a name, or of a module of such names, that is still to come; else None."""
    if not name.startswith(_OLD_PACKAGE):
        return None
    if name not in _names_1x() and not any(n.startswith(f"{name}.") for n in _names_1x()):
        return None
    new = _names_1x().get(name)
    use = f"use {new.replace(',', ' or ')}" if new else "docs/fluid.md says what is"
    return f"{name} is PaddlePaddle 1.x's, which is not part of this version yet; {use}."


def _tell_if_awaited(name: str) -> None:
    """Raises where what is to come is imported; who only looks for it finds nothing."""
    if sys._getframe(3).f_code.co_name == "_find_and_load_unlocked":
        told = _to_come(name)
        if told is not None:
            raise NotThereYet(told)


class _Finder:
    """Finds the modules of this package, and those of the table."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith("paddle."):
            return None
        spec = _packages.find(fullname, path, target, _complete)
        if fullname not in table():
            if spec is None:
                _tell_if_awaited(fullname)
            return spec
        if spec is None:
            # a package: it may have modules, and a name that is missing is asked for as one
            return ModuleSpec(fullname, _Made(), origin=_FILE, is_package=True)
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _Completed(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Makes the paths importable; called once, before other parts of the package are imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
