"""Which device a Config chose."""

from __future__ import annotations

from typing import Any

from paddle.core.backends import CPU, CUDA
from paddle.core.errors import InvalidArgumentError
from paddle.core.place import Place, to_torch_device


class Chosen:
    """A GPU, or none.

    Attributes:
        place (Place|None): the GPU; None: the processor.
        number (int): the number of the GPU that was asked for.
        pool_mb (int): the memory that was asked for.
    """

    def __init__(self) -> None:
        self.place: Place | None = None
        self.number = 0
        self.pool_mb = 100

    def choose(self, pool_mb: int, number: int) -> bool:
        """Chooses a GPU; says whether it is there.

        Args:
            pool_mb (int): the memory that is asked for.
            number (int): which GPU.
        """
        if not isinstance(number, int) or number < 0:
            raise InvalidArgumentError(
                f"enable_use_gpu(device_id): expected 0 or more, but received {number!r}."
            )
        self.pool_mb, self.number = int(pool_mb), number
        there = CUDA.count() > number
        self.place = CUDA.place(number) if there else None
        return there

    def pool_fraction(self) -> float:
        """Returns the memory that was asked for as a part of the GPU's; 0.0 without one."""
        if self.place is None:
            return 0.0
        total = CUDA.module.get_device_properties(self.number).total_memory
        return self.pool_mb * 2**20 / total

    def torch_device(self) -> Any:
        """Returns the device to run on."""
        return CPU.device() if self.place is None else to_torch_device(self.place)
