"""Random state: one generator per device, and NumPy's side of it for data loading."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from paddle.core import place as _place
from paddle.core.backends import CPU, CUDA, Backend, backend_on
from paddle.core.guards import guarded


class Generator:
    """A source of random numbers on one device.

    Args:
        device (torch.device): where the numbers are drawn.
    """

    def __init__(self, device: torch.device | str = "cpu") -> None:
        device = torch.device(device)
        self._torch = backend_on(device).generator(device)

    def manual_seed(self, seed: int) -> Generator:
        """Starts the sequence that belongs to ``seed`` and returns the generator."""
        self._torch.manual_seed(seed)
        return self

    def seed(self) -> int:
        """Starts an unpredictable sequence and returns its seed."""
        return self._torch.seed()

    def random(self) -> int:
        """Draws one non-negative 63-bit number."""
        device = self._torch.device
        return int(torch.randint(2**63 - 1, (1,), generator=self._torch, device=device))

    def initial_seed(self) -> int:
        """Returns the seed the sequence started from."""
        return self._torch.initial_seed()

    def get_state(self) -> Any:
        """Returns an opaque copy of the state."""
        return self._torch.get_state()

    def set_state(self, state: Any) -> None:
        """Goes back to a state that :meth:`get_state` returned."""
        self._torch.set_state(state)


_generators: dict[torch.device, Generator] = {}
_seed: int | None = None
# What :func:`sequence_of` put in their place, for one thread.
_own: contextvars.ContextVar[tuple[dict[torch.device, Generator], int] | None] = (
    contextvars.ContextVar("own sequence", default=None)
)
_numpy: np.random.RandomState | None = None


def default_generator(device: torch.device | None = None) -> Generator:
    """Returns the framework's generator of a device (None: the current one)."""
    device = _place.current_device() if device is None else device
    generators, seed = _own.get() or (_generators, _seed)
    return _held(generators, seed, device)


def main_generator(device: torch.device) -> Generator:
    """Returns the generator of a device that all share, whatever sequence a thread draws from."""
    return _held(_generators, _seed, device)


def _held(
    generators: dict[torch.device, Generator], seed: int | None, device: torch.device
) -> Generator:
    found = generators.get(device)
    if found is None:
        found = generators[device] = Generator(device)
        if seed is None:
            found.seed()
        else:
            found.manual_seed(seed)
    return found


def generators_in_use() -> list[Generator]:
    """Returns the generators that operators on the current device may draw from.

    Some operators draw on the CPU wherever they compute.
    """
    devices = {CPU.device(), _place.current_device()}
    return [default_generator(device) for device in devices]


def torch_generator(device: torch.device | None = None) -> torch.Generator:
    """Returns torch's object behind :func:`default_generator`."""
    return default_generator(device)._torch


@guarded
def seed(seed: int) -> Generator:
    """Makes everything random repeatable: operators, initializers, shuffling, transforms.

    Args:
        seed (int): any 64-bit number.

    Returns:
        Generator: the generator of the current device.

    Examples:
        .. code-block:: python

            import paddle
            paddle.seed(102)
            a = paddle.rand([2])
            paddle.seed(102)
            print(paddle.equal_all(a, paddle.rand([2])))  # [True]
    """
    global _seed, _numpy
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed(seed): expected an int, but received {type(seed).__name__}.")
    _seed = int(seed) % 2**63
    _numpy = np.random.RandomState(_seed % 2**32)
    for generator in _generators.values():
        generator.manual_seed(_seed)
    return default_generator()


def numpy_rng() -> np.random.RandomState:
    """Returns NumPy's random state for shuffling and transforms.

    It follows :func:`seed` once that was called; before, it is NumPy's global state, so that a
    script which only calls ``np.random.seed`` is repeatable too.
    """
    return np.random.mtrand._rand if _numpy is None else _numpy


_sequences: dict[tuple[int, int], dict[torch.device, Generator]] = {}


@contextlib.contextmanager
def sequence_of(owner: int, seed: int) -> Iterator[None]:
    """Draws numbers from a sequence of one owner's own, which goes on where it last stopped.

    Args:
        owner (int): whose sequence.
        seed (int): where it starts.
    """
    generators = _sequences.setdefault((owner, seed), {})
    token = _own.set((generators, seed % 2**63))
    try:
        yield
    finally:
        _own.reset(token)


def get_seed() -> int | None:
    """Returns what :func:`seed` was last called with, or None."""
    return _seed


def states_of(backend: Backend) -> list[Any]:
    """Returns the states of the generators of all devices of a kind."""
    return [default_generator(backend.device(i)).get_state() for i in range(backend.count())]


def set_states_of(backend: Backend, states: list[Any], where: str) -> None:
    """Goes back to states of :func:`states_of`."""
    if len(states) != backend.count():
        raise ValueError(
            f"{where}: expected {backend.count()} states, one per {backend.title}, but received "
            f"{len(states)}."
        )
    for i, state in enumerate(states):
        default_generator(backend.device(i)).set_state(state)


def get_cuda_rng_state() -> list[Any]:
    """Returns the states of the generators of all GPUs (an empty list without one).

    Examples:
        .. code-block:: python

            import paddle
            state = paddle.get_cuda_rng_state()
            paddle.set_cuda_rng_state(state)
    """
    return states_of(CUDA)


@guarded
def set_cuda_rng_state(state_list: list[Any]) -> None:
    """Goes back to the states that :func:`get_cuda_rng_state` returned.

    Args:
        state_list (list): one state per GPU.

    Examples:
        .. code-block:: python

            import paddle
            paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    """
    set_states_of(CUDA, state_list, "set_cuda_rng_state(state_list)")
