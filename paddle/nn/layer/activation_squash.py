"""Activation layers that squash, shrink or normalise."""

from __future__ import annotations

from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.layer.activation_base import Activation, layer

__all__ = [
    "Hardshrink",
    "Hardsigmoid",
    "Hardtanh",
    "LogSigmoid",
    "LogSoftmax",
    "Sigmoid",
    "Softmax",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
]


@layer.like(F.hardshrink, "[-2. 0. 2.]")
class Hardshrink(Activation):
    """Layer of :func:`paddle.nn.functional.hardshrink`."""

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardshrink`."""
        return F.hardshrink(x, self._threshold)


@layer.like(F.softshrink, "[-1.5 0. 1.5]")
class Softshrink(Activation):
    """Layer of :func:`paddle.nn.functional.softshrink`."""

    def __init__(self, threshold: float = 0.5, name: str | None = None) -> None:
        super().__init__(name, threshold=threshold)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softshrink`."""
        return F.softshrink(x, self._threshold)


@layer.like(F.tanhshrink, "[-1.0359724 0. 1.0359724]")
class Tanhshrink(Activation):
    """Layer of :func:`paddle.nn.functional.tanhshrink`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.tanhshrink`."""
        return F.tanhshrink(x)


@layer.like(F.hardtanh, "[-1. 0. 1.]")
class Hardtanh(Activation):
    """Layer of :func:`paddle.nn.functional.hardtanh`."""

    def __init__(self, min: float = -1.0, max: float = 1.0, name: str | None = None) -> None:
        super().__init__(name, min=min, max=max)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardtanh`."""
        return F.hardtanh(x, self._min, self._max)


@layer.like(F.hardsigmoid, "[0.1666666 0.5 0.8333334]")
class Hardsigmoid(Activation):
    """Layer of :func:`paddle.nn.functional.hardsigmoid`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.hardsigmoid`."""
        return F.hardsigmoid(x)


@layer.like(F.sigmoid, "[0.11920292 0.5 0.880797]")
class Sigmoid(Activation):
    """Layer of :func:`paddle.nn.functional.sigmoid`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.sigmoid`."""
        return F.sigmoid(x)


@layer.like(F.log_sigmoid, "[-2.126928 -0.6931472 -0.12692802]")
class LogSigmoid(Activation):
    """Layer of :func:`paddle.nn.functional.log_sigmoid`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.log_sigmoid`."""
        return F.log_sigmoid(x)


@layer.like(F.softsign, "[-0.6666667 0. 0.6666667]")
class Softsign(Activation):
    """Layer of :func:`paddle.nn.functional.softsign`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softsign`."""
        return F.softsign(x)


@layer.like(F.tanh, "[-0.9640276 0. 0.9640276]")
class Tanh(Activation):
    """Layer of :func:`paddle.nn.functional.tanh`."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.tanh`."""
        return F.tanh(x)


@layer.like(F.softmax, "[0.01587624 0.11731043 0.86681336]")
class Softmax(Activation):
    """Layer of :func:`paddle.nn.functional.softmax`."""

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.softmax`."""
        return F.softmax(x, self._axis)


@layer.like(F.log_softmax, "[-4.1429315 -2.1429315 -0.1429316]")
class LogSoftmax(Activation):
    """Layer of :func:`paddle.nn.functional.log_softmax`."""

    def __init__(self, axis: int = -1, name: str | None = None) -> None:
        super().__init__(name, axis=axis)

    def forward(self, x: Tensor) -> Tensor:
        """Applies :func:`paddle.nn.functional.log_softmax`."""
        return F.log_softmax(x, self._axis)
