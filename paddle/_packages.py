"""Packages whose ``__init__`` runs when something of theirs is first asked for.

Importing ``paddle.nn`` makes an empty package; what its ``__init__.py`` says is run when a name of
it is first read. So a module can be imported although a package around it is being filled by
another thread, and no two threads wait for one another. It saves time, too: who imports
``paddle.nn.layer.layers`` does not import all of ``paddle.nn``.

The text of ``__init__.py`` is run as the module ``<package>.__init__``. That way Python's import
system sees to it that it runs once, that other threads wait, and that a failure can be repeated.

Modules of a package that import one another through it (``from paddle.optimizer import arguments``)
get the module and do not start this: they are what ``__init__.py`` waits for.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

# What the import system reads of a package while it looks for a module in it.
_PLAIN = frozenset({
    "__cached__", "__class__", "__file__", "__loader__", "__name__", "__package__", "__path__",
    "__spec__",
})  # fmt: skip
_read = ModuleType.__getattribute__


class Package(ModuleType):
    """A package whose ``__init__`` has not run yet; when it has, this is a plain module."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _PLAIN and not _from_inside(_read(self, "__name__")):
            body = _read(self, "__name__") + ".__init__"
            importlib.import_module(body)
            _read(self, "__dict__").pop("__init__", None)
            if type(self) is not Package:
                return type(self).__getattribute__(self, name)
        return _read(self, name)


def _from_inside(package: str) -> bool:
    """Whether the package itself, or a module of it that is being imported, asks."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename.startswith("<frozen importlib") and frame.f_back:
        frame = frame.f_back
    if frame.f_code.co_name != "<module>":
        return False
    asking = frame.f_globals.get("__name__", "")
    return asking == package or asking.startswith(package + ".")


class _Hiding(ModuleType):
    """A package that shows functions which have the names of modules: ``_HIDDEN`` says which.

    When such a module is imported it does not take the function's place.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not _hidden(self, name, value):
            super().__setattr__(name, value)


def _hidden(package: ModuleType, name: str, value: Any) -> bool:
    """Whether a value is a module that a function of its package hides."""
    return isinstance(value, ModuleType) and name in _read(package, "__dict__").get("_HIDDEN", ())


class _Empty(SourceFileLoader):
    """Makes a package without running its ``__init__``."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules.pop(f"{module.__name__}.__init__", None)  # it is being reloaded
        module.__class__ = Package


class _Body(SourceFileLoader):
    """Runs a package's ``__init__`` in the package."""

    filled: Callable[[ModuleType], None]

    def exec_module(self, module: ModuleType) -> None:
        package = sys.modules[module.__name__.rpartition(".")[0]]
        code = self.get_code(module.__name__)
        assert code is not None  # it was found as a file of source
        exec(code, _read(package, "__dict__"))
        self.filled(package)
        names = _read(package, "__dict__")
        kind = _Hiding if "_HIDDEN" in names else ModuleType
        if type(package) is Package:  # nobody gave it another one
            package.__class__ = kind  # type: ignore[assignment]
        for name in [n for n, v in names.items() if _hidden(package, n, v)]:
            del names[name]


def find(
    name: str, path: Any, target: Any, filled: Callable[[ModuleType], None]
) -> ModuleSpec | None:
    """Finds a module as Python does; a package comes empty.

    Args:
        name (str): the module, dotted in full.
        path: where to look, as ``find_spec`` of a finder gets it.
        target: the module that is reloaded, as ``find_spec`` gets it.
        filled (Callable): gets a package when its ``__init__`` has run.
    """
    spec = PathFinder.find_spec(name, path, target)
    if spec is None or type(spec.loader) is not SourceFileLoader:
        return spec
    if spec.submodule_search_locations is not None:
        spec.loader = _Empty(spec.loader.name, spec.loader.path)
    elif name.endswith(".__init__") and name.count(".") > 1:
        spec.loader = body = _Body(spec.loader.name, spec.loader.path)
        body.filled = filled
    return spec
