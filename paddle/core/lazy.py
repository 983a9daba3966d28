"""Names of a package that are imported from its modules when they are first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any


def lazy(
    package: ModuleType, modules: Iterable[str], names: dict[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Makes the ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package (ModuleType): the package.
        modules (Iterable[str]): submodules to be found as its attributes.
        names (dict[str, str]): name -> the module that has it, dotted in full.

    Returns:
        tuple: the two functions, to be assigned in the package.
    """
    own, known = package.__name__, frozenset(modules)

    def find(name: str) -> Any:
        if name in names:
            value = getattr(importlib.import_module(names[name]), name)
            setattr(package, name, value)
            return value
        if name in known:
            return importlib.import_module(f"{own}.{name}")
        raise AttributeError(f"module {own!r} has no attribute {name!r}")

    def listed() -> list[str]:
        return sorted({*vars(package), *known, *names})

    return find, listed
