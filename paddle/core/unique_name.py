"""Names that are unique in the process: ``linear_0``, ``linear_1``, ..."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator


class UniqueNameGenerator:
    """Counts how often each key was asked for; ``prefix`` goes before every name."""

    def __init__(self, prefix: str = "") -> None:
        self.ids: dict[str, int] = collections.defaultdict(int)
        self.prefix = prefix

    def __call__(self, key: str) -> str:
        number = self.ids[key]
        self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


_generator = UniqueNameGenerator()


def generate(key: str) -> str:
    """Returns ``key`` with the next free number.

    Examples:
        .. code-block:: python

            import paddle
            with paddle.utils.unique_name.guard():
                print(paddle.utils.unique_name.generate("fc"))  # fc_0
                print(paddle.utils.unique_name.generate("fc"))  # fc_1
    """
    return _generator(key)


def switch(new_generator: UniqueNameGenerator | None = None) -> UniqueNameGenerator:
    """Makes ``new_generator`` (None: a fresh one) the current one and returns the one before.

    Examples:
        .. code-block:: python

            import paddle
            before = paddle.utils.unique_name.switch()
            print(paddle.utils.unique_name.generate("fc"))  # fc_0
            paddle.utils.unique_name.switch(before)
    """
    global _generator
    before = _generator
    _generator = UniqueNameGenerator() if new_generator is None else new_generator
    return before


@contextlib.contextmanager
def guard(new_generator: UniqueNameGenerator | str | bytes | None = None) -> Iterator[None]:
    """Counts anew inside the block; a str is put before every name.

    Examples:
        .. code-block:: python

            import paddle
            with paddle.utils.unique_name.guard("A"):
                print(paddle.utils.unique_name.generate("fc"))  # Afc_0
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    before = switch(new_generator)
    try:
        yield
    finally:
        switch(before)
