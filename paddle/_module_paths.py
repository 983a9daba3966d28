"""Module paths of 2.0 under which public names are found too, from the table beside this file.

2.x code imports ``paddle.tensor.math.add`` or ``paddle.nn.layer.conv.Conv2D``. Where such a module
exists here, it finds names that lie elsewhere; where it does not, it is made when it is imported.
The table, ``_module_paths.tsv``, is written by ``scripts/make_module_paths.py``.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import ModuleType
from typing import Any

from paddle import _packages

_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_module_paths.tsv")


@functools.lru_cache(maxsize=1)
def table() -> dict[str, dict[str, str]]:
    """Module -> name -> where the name is public."""
    found: dict[str, dict[str, str]] = {}
    with open(_FILE, encoding="utf8") as file:
        for line in file:
            module, owner, names = line.rstrip("\n").split("\t")
            found.setdefault(module, {}).update(dict.fromkeys(names.split(" "), owner))
    return found


_MISSING = object()


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
    names = table().get(module.__name__)
    if names is None:
        return
    own = module.__dict__.get("__getattr__")

    def find(name: str) -> Any:
        owner = names.get(name)
        if owner is not None and owner != module.__name__:
            found = _public(owner, name)
            if found is not _MISSING:
                setattr(module, name, found)
                return found
        if own is not None:
            return own(name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__getattr__ = find  # type: ignore[method-assign]


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
        names = sorted(table()[module.__name__])
        module.__doc__ = f"The names of 2.0's {module.__name__}; each is defined elsewhere."
        module.__all__ = names  # type: ignore[attr-defined]
        module.__dir__ = lambda: [*module.__dict__, *names]  # type: ignore[method-assign]
        _complete(module)


# Public packages of 2.0 that are still to come -> what to do until then. Once a package is there,
# it is found before this is looked at.
AWAITED = {
    "paddle.fluid": "docs/migration.md says which names of 2.0 stand for those of 1.x",
    "paddle.inference": "paddle.jit.load, or paddle.static.load_inference_model and an Executor, "
    "run saved models",
    "paddle.onnx": "paddle.jit.save saves models in PaddlePaddle's format",
}


class NotThereYet(ModuleNotFoundError):
    """A public package of 2.0 is imported that is still to come.

    It has no ``name``: Python would put a text of its own in place of this one's.
    """


def _tell_if_awaited(name: str) -> None:
    """Raises where a package that is to come is imported; who only looks for it finds nothing."""
    if name in AWAITED and sys._getframe(3).f_code.co_name == "_find_and_load_unlocked":
        raise NotThereYet(f"{name} is not part of this version yet; {AWAITED[name]}.")


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
            return ModuleSpec(fullname, _Made(), origin=_FILE)
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _Completed(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Makes the paths importable; called once, before other parts of the package are imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
