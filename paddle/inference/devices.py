"""Which device a Config chose."""

from __future__ import annotations

from typing import Any

from paddle.core.backends import CPU, CUDA, Backend
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import Place, to_torch_device

__all__ = ["CUDA", "Chosen"]


class Chosen:
    """A device beside the processor, or none.

    Attributes:
        backend (Backend|None): its kind; None: the processor.
        numbers (dict): for each kind, by name, the number of the device that was asked for.
        pool_mb (int): the memory that was asked for.
        options (dict): what else was asked for, for ``Backend.configure``.
    """

    def __init__(self) -> None:
        self.backend: Backend | None = None
        self.numbers: dict[str, int] = {}
        self.pool_mb = 100
        self.options: dict[str, Any] = {}

    @property
    def number(self) -> int:
        """The number of the device that runs the model; 0 for the processor."""
        return 0 if self.backend is None else self.number_of(self.backend.name)

    def number_of(self, kind: str) -> int:
        """Returns the number of the device of a kind that was asked for; 0 where none was."""
        return self.numbers.get(kind, 0)

    def ask(self, method: str, kind: str, pool_mb: int | None, number: int) -> None:
        """Takes down which device of a kind is asked for, whether it is there or not.

        Args:
            method (str): of the Config, for messages.
            kind (str): its name.
            pool_mb (int, optional): the memory that is asked for.
            number (int): which device.
        """
        if not isinstance(number, int) or number < 0:
            raise InvalidArgumentError(
                f"{method}(device_id): expected 0 or more, but received {number!r}."
            )
        self.numbers = {**self.numbers, kind: number}  # copies of a Config share the old one
        if pool_mb is not None:
            self.pool_mb = int(pool_mb)

    def choose(self, backend: Backend | None) -> bool:
        """Chooses a kind of devices; says whether the one that was asked for is there.

        Args:
            backend (Backend|None): the kind; None: there is none of that name.
        """
        there = backend is not None and backend.count() > self.number_of(backend.name)
        self.backend = backend if there and backend is not CPU else None
        self.options = {}  # were for another device
        return there

    @property
    def place(self) -> Place | None:
        """The device's place; None: the processor."""
        return None if self.backend is None else self.backend.place(self.number)

    def pool_fraction(self) -> float:
        """Returns the memory that was asked for as a part of the GPU's; 0.0 without one."""
        if self.backend is not CUDA:
            return 0.0
        total = CUDA.module.get_device_properties(self.number).total_memory
        return self.pool_mb * 2**20 / total

    def torch_device(self) -> Any:
        """Returns the device to run on."""
        if self.place is None:
            return CPU.device()
        return to_torch_device(self.place)

    def configure(self) -> None:
        """Tells the device what was asked for, before a model is made ready for it."""
        if self.backend is not None and self.options:
            self.backend.configure(self.options)
