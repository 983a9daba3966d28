"""Where shuffles get their random numbers from."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.random import Generator, numpy_rng


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
