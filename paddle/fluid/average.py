"""WeightedAverage of 1.x."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from paddle.core.user_frame import outside

__all__ = ["WeightedAverage"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or (
        isinstance(value, np.ndarray) and value.shape == (1,)
    )


class WeightedAverage:
    """The average of numbers or arrays, each with a weight.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            average = fluid.average.WeightedAverage()
            average.add(value=2.0, weight=1)
            average.add(value=4.0, weight=3)
            print(average.eval())  # 3.5
    """

    def __init__(self) -> None:
        warnings.warn(
            "WeightedAverage is deprecated: use fluid.metrics.Accuracy.",
            DeprecationWarning,
            stacklevel=outside(),
        )
        self.reset()

    def reset(self) -> None:
        """Forgets what was added."""
        self.numerator: Any = None
        self.denominator: Any = None

    def add(self, value: Any, weight: Any) -> None:
        """Adds a value.

        Args:
            value (int|float|np.ndarray): the value.
            weight (int|float): how much it counts.
        """
        if not isinstance(value, (int, float, np.ndarray)):
            raise ValueError(
                "WeightedAverage.add(value): expected a number or a numpy.ndarray, "
                f"but received {type(value).__name__}."
            )
        if not _is_number(weight):
            raise ValueError(
                "WeightedAverage.add(weight): expected a number, "
                f"but received {type(weight).__name__}."
            )
        if self.numerator is None:
            self.numerator, self.denominator = value * weight, weight
        else:
            self.numerator = self.numerator + value * weight
            self.denominator = self.denominator + weight

    def eval(self) -> Any:
        """Returns the average of what was added."""
        if self.numerator is None:
            raise ValueError("WeightedAverage.eval: nothing was added.")
        return self.numerator / self.denominator
