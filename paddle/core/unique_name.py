"""Names that are unique in the process: ``linear_0``, ``linear_1``, ...

Threads share one generator, and a :func:`guard` gives its own thread another one.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import threading
from collections.abc import Iterator

from paddle.core.guards import Guarded
from paddle.core.setting import Setting

_lock = threading.Lock()  # a generator's count is read and written; generators can be copied


class UniqueNameGenerator(Guarded):
    """Counts how often each key was asked for.

    Args:
        prefix (str, optional): goes before every name.

    Examples:
        .. code-block:: python

            import paddle
            names = paddle.utils.unique_name.UniqueNameGenerator("A")
            print(names("fc"), names("fc"))  # Afc_0 Afc_1
    """

    def __init__(self, prefix: str | None = None) -> None:
        self.ids: dict[str, int] = collections.defaultdict(int)
        self.prefix = prefix or ""

    def __call__(self, key: str) -> str:
        with _lock:
            number = self.ids[key]
            self.ids[key] = number + 1
        return f"{self.prefix}{key}_{number}"


class DygraphParameterNameChecker(Guarded):
    """Remembers names: says whether one was there before, and notes it.

    Examples:
        .. code-block:: python

            import paddle
            known = paddle.utils.unique_name.DygraphParameterNameChecker()
            print(known("w"), known("w"))  # False True
    """

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __call__(self, name: str) -> bool:
        with _lock:
            known = name in self._names
            self._names.add(name)
        return known


_current = Setting("unique names", (UniqueNameGenerator(), DygraphParameterNameChecker()))


def current() -> UniqueNameGenerator:
    """Returns the generator that this thread asks for names."""
    return _current.get()[0]


def generate(key: str) -> str:
    """Returns ``key`` with the next free number.

    Examples:
        .. code-block:: python

            import paddle
            with paddle.utils.unique_name.guard():
                print(paddle.utils.unique_name.generate("fc"))  # fc_0
                print(paddle.utils.unique_name.generate("fc"))  # fc_1
    """
    return current()(key)


def generate_with_ignorable_key(key: str) -> str:
    """Like :func:`generate`; outside of Programs, where the name says little, the key is left out.

    Examples:
        .. code-block:: python

            import paddle
            with paddle.utils.unique_name.guard():
                print(paddle.utils.unique_name.generate_with_ignorable_key("fc"))
                # dygraph_tmp_0
    """
    from paddle.core.mode import recording

    return current()(key if recording() else "dygraph_tmp")


class _Current(UniqueNameGenerator):
    """Whatever generator is the current one; a copy is a copy of that, and stays what it is.

    Examples:
        .. code-block:: python

            import copy
            import paddle
            with paddle.utils.unique_name.guard():
                print(paddle.utils.unique_name.generator("fc"))  # fc_0
                kept = copy.deepcopy(paddle.utils.unique_name.generator)
                print(kept("fc"), paddle.utils.unique_name.generate("fc"))  # fc_1 fc_1
    """

    def __init__(self) -> None:
        pass

    @property
    def ids(self) -> dict[str, int]:  # type: ignore[override]
        return current().ids

    @property
    def prefix(self) -> str:  # type: ignore[override]
        return current().prefix

    def __call__(self, key: str) -> str:
        return current()(key)

    def __copy__(self) -> UniqueNameGenerator:
        return copy.copy(current())

    def __deepcopy__(self, memo: dict) -> UniqueNameGenerator:
        return copy.deepcopy(current(), memo)

    def __reduce__(self) -> tuple:
        return copy.copy(current()).__reduce_ex__(2)  # type: ignore[return-value]


generator = _Current()
"""The current generator: ``generator("fc")`` is the same as ``generate("fc")``."""


def dygraph_parameter_name_checker(name: str) -> bool:
    """Asks the current checker of names whether this one was there before.

    Examples:
        .. code-block:: python

            import paddle
            with paddle.utils.unique_name.guard():
                print(paddle.utils.unique_name.dygraph_parameter_name_checker("w"))  # False
    """
    return _current.get()[1](name)


def switch(
    new_generator: UniqueNameGenerator | None = None,
    new_para_name_checker: DygraphParameterNameChecker | None = None,
) -> tuple[UniqueNameGenerator, DygraphParameterNameChecker]:
    """Makes another generator and checker of names the current ones and returns those before.

    The main thread exchanges those of the process; other threads, and whoever is inside of a
    :func:`guard`, their own.

    Args:
        new_generator (UniqueNameGenerator, optional): None makes a fresh one.
        new_para_name_checker (DygraphParameterNameChecker, optional): None makes a fresh one.

    Examples:
        .. code-block:: python

            import paddle
            before = paddle.utils.unique_name.switch()
            print(paddle.utils.unique_name.generate("fc"))  # fc_0
            paddle.utils.unique_name.switch(*before)
    """
    return _current.switch(_pair(new_generator, new_para_name_checker))


def _pair(
    names: UniqueNameGenerator | None = None, checker: DygraphParameterNameChecker | None = None
) -> tuple[UniqueNameGenerator, DygraphParameterNameChecker]:
    if names is generator:
        names = current()
    return (
        UniqueNameGenerator() if names is None else names,
        DygraphParameterNameChecker() if checker is None else checker,
    )


@contextlib.contextmanager
def guard(new_generator: UniqueNameGenerator | str | bytes | None = None) -> Iterator[None]:
    """Counts anew inside the block, in this thread; a str is put before every name.

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
    if new_generator is not None and not callable(new_generator):
        raise TypeError(
            "unique_name.guard(new_generator): expected a str, bytes, UniqueNameGenerator or None, "
            f"but got {type(new_generator).__name__}."
        )
    with _current.guard(_pair(new_generator)):
        yield
