"""A source of random numbers of one's own, as 2.0's ``fluid.generator`` has it."""

from __future__ import annotations

from typing import Any

from paddle.core import random
from paddle.core.place import current_place, to_torch_device

__all__ = ["Generator"]


class Generator(random.Generator):
    """A source of random numbers on one device.

    Args:
        place (Place, optional): the device; None means the current one.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            from paddle.fluid.generator import Generator
            generator = Generator(fluid.CPUPlace()).manual_seed(7)
            print(generator.initial_seed())  # 7
    """

    def __init__(self, place: Any = None) -> None:
        self.place = current_place() if place is None else place
        super().__init__(to_torch_device(self.place))
