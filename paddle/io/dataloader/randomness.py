"""Where shuffles get their random numbers from."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import UnimplementedError
from paddle.core.random import Generator, numpy_rng
from paddle.core.random_state import (
    generator_state,
    numpy_state,
    set_generator_state,
    set_numpy_state,
)


def random_state(api: str, generator: Any = None) -> Any:
    """Returns NumPy's random object behind a ``generator`` argument.

    Args:
        api (str): who asks, for the error message.
        generator (Generator|np.random.RandomState|np.random.Generator|None): None means the
            framework's state, which follows ``paddle.seed``, else ``np.random.seed``.

    Raises:
        TypeError: ``generator`` is nothing of that kind.
    """
    if generator is None:
        return numpy_rng()
    if isinstance(generator, (np.random.RandomState, np.random.Generator)):
        return generator
    if isinstance(generator, Generator):
        # Drawing the seed moves the generator on, so a second shuffle differs from the first.
        return np.random.RandomState(generator.random() % 2**32)
    raise TypeError(
        f"{api}(generator): expected a paddle Generator, a NumPy random state or None, "
        f"but received {type(generator).__name__}."
    )


def source_state(generator: Any) -> Any:
    """Returns the state of what was given as a ``generator`` argument, as plain data.

    Raises:
        UnimplementedError: it is a Python iterator.
    """
    if isinstance(generator, Generator):
        return generator_state(generator)
    if isinstance(generator, (np.random.RandomState, np.random.Generator)):
        return numpy_state(generator)
    raise UnimplementedError(
        "RandomSampler(generator): the position of a Python iterator cannot be saved.",
        hint="write a Sampler that yields the numbers and has state_dict and set_state_dict",
    )


def set_source_state(generator: Any, state: Any, where: str) -> None:
    """Puts a ``generator`` argument into a state of :func:`source_state`."""
    if isinstance(generator, Generator):
        set_generator_state(generator, state, where)
    else:
        set_numpy_state(generator, state, where)
