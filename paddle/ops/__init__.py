"""The operator library: kernels and their gradients, families in folders, a file a family.

A family is imported when one of its operators is first asked for, so that `import paddle` and short
scripts stay quick. ``_index.tsv`` says which one. ``_traits.tsv`` lists the operators with some
trait where all of them are asked for; ``scripts/make_op_index.py`` writes both.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import threading
from pathlib import Path

from paddle.core.op import REGISTRY

_lock = threading.RLock()  # who misses an operator waits for the thread that is importing it


@functools.cache
def _families() -> dict[str, str]:
    """Operator -> the family that defines it."""
    lines = (Path(__file__).parent / "_index.tsv").read_text(encoding="utf8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {name: family for family, names in pairs for name in names.split()}


def with_trait(trait: str, value: str) -> frozenset[str]:
    """The operators that declare a trait: all of the library, and what was defined elsewhere.

    Args:
        trait (str): an argument of :func:`paddle.core.op.op`, one of those in ``_traits.tsv``.
        value (str): its value.
    """
    return _with_trait(trait, value, REGISTRY.changes)


@functools.lru_cache(maxsize=8)
def _with_trait(trait: str, value: str, changes: int) -> frozenset[str]:
    elsewhere = [
        op.name
        for op in REGISTRY.imported()
        if getattr(op, trait) == value and op.base is None and op.name not in _families()
    ]
    return frozenset([*_listed()[trait, value].split(), *elsewhere])


@functools.cache
def _listed() -> dict[tuple[str, str], str]:
    """Trait and value -> the operators of the library that declare it."""
    lines = (Path(__file__).parent / "_traits.tsv").read_text(encoding="utf8").splitlines()
    return {(t, v): names for t, v, names in (line.split("\t") for line in lines)}


def _load(name: str | None) -> None:
    """Imports the family of an operator, with None all families."""
    if name is None:
        load_all()
    elif name in _families():
        with _lock:
            importlib.import_module(f"{__name__}.{_families()[name]}")


@functools.cache
def load_all() -> None:
    """Imports every family, which registers its operators."""
    with _lock:
        for module in pkgutil.walk_packages(__path__, f"{__name__}."):
            importlib.import_module(module.name)


def install() -> None:
    """Lets the registry load families; done once, by ``import paddle``."""
    REGISTRY.load = _load
