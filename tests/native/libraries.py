"""Libraries of the tests: built once for all workers, and forgotten when a module is through."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paddle.core.op import REGISTRY, C
from paddle.ops import native_operators
from paddle.utils.cpp_extension import load

SOURCES = Path(__file__).parent / "sources"


@contextlib.contextmanager
def forgetting() -> Iterator[None]:
    """What is loaded inside is no operator any more afterwards, so that others do not see it."""
    before = set(dict.keys(REGISTRY)), dict(native_operators._opened)
    try:
        yield
    finally:
        for name in set(dict.keys(REGISTRY)) - before[0]:
            op = dict.__getitem__(REGISTRY, name)
            if native_operators.library_of(op) is not None:
                dict.pop(REGISTRY, name)
                vars(C).pop(name, None)
        native_operators._opened.clear()
        native_operators._opened.update(before[1])


@contextlib.contextmanager
def loaded(folder: Path, *names: str, **options: Any) -> Iterator[Any]:
    """The module of some sources of this folder.

    Args:
        folder (Path): where libraries are kept.
        *names: sources.
        **options: of :func:`load`.
    """
    sources = [str(SOURCES / name) for name in names]
    with forgetting():
        name = names[0].partition(".")[0]
        yield load(name, sources, build_directory=str(folder), **options)


def built(folder: Path, text: str, name: str = "mine") -> Any:
    """The module of a source that a test has in its own words."""
    source = folder / f"{name}.cc"
    source.write_text(text)
    return load(name, [str(source)], extra_cxx_cflags=["-O0"], build_directory=str(folder))
