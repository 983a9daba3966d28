"""The three ways to clip gradients before an update."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor, wrap
from paddle.ops import clip_gradients

__all__ = ["ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]


def _number(owner: Any, name: str, value: Any, positive: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(
            f"{type(owner).__name__}({name}): expected a number, got {type(value).__name__}."
        )
    if value != value or (positive and value <= 0):
        wanted = "a positive number" if positive else "a number"
        raise InvalidArgumentError(
            f"{type(owner).__name__}({name}): expected {wanted}, but received {value}."
        )
    return float(value)


class ClipGradBase:
    """Base of gradient clipping; parameters with ``need_clip=False`` are left alone."""

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        raise NotImplementedError("use ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm.")

    def __call__(self, params_grads: list) -> list:
        """Clips pairs of parameter and gradient.

        Args:
            params_grads (list): pairs (parameter, gradient Tensor or None).

        Returns:
            list: the pairs with clipped gradients; the given gradients are not changed.
        """
        chosen = [
            i
            for i, (p, g) in enumerate(params_grads)
            if g is not None and getattr(p, "need_clip", True)
        ]
        result: list[tuple[Any, Tensor | None]] = list(params_grads)
        if chosen:
            clipped = self.apply([params_grads[i][1]._buf for i in chosen])
            for i, grad in zip(chosen, clipped, strict=True):
                result[i] = (params_grads[i][0], wrap(grad))
        return result


class ClipGradByValue(ClipGradBase):
    """Clamps every element of every gradient into [min, max].

    Args:
        max (float): upper bound.
        min (float, optional): lower bound; None means ``-max``.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByValue(min=-1, max=1)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = _number(self, "max", max)
        self.min = -self.max if min is None else _number(self, "min", min)
        if self.min > self.max:
            raise InvalidArgumentError(
                f"ClipGradByValue: expected min <= max, but received {self.min} and {self.max}."
            )

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_value(grads, self.min, self.max)


class ClipGradByNorm(ClipGradBase):
    """Scales each gradient whose L2 norm exceeds ``clip_norm`` down to that norm.

    Args:
        clip_norm (float): the largest norm of one gradient.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByNorm(clip_norm=1.0)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = _number(self, "clip_norm", clip_norm, positive=True)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_norm(grads, self.clip_norm)


class ClipGradByGlobalNorm(ClipGradBase):
    """Scales all gradients together so that their common L2 norm is at most ``clip_norm``.

    Args:
        clip_norm (float): the largest norm of all gradients together.
        group_name (str): name of the group in static Programs. Default: default_group.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.Linear(4, 2)
            clip = paddle.nn.ClipGradByGlobalNorm(clip_norm=1.0)
            opt = paddle.optimizer.SGD(0.1, parameters=layer.parameters(), grad_clip=clip)
    """

    def __init__(self, clip_norm: float, group_name: str = "default_group") -> None:
        self.clip_norm = _number(self, "clip_norm", clip_norm, positive=True)
        self.group_name = group_name

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"

    def apply(self, grads: list) -> list:
        """Clips a list of buffers."""
        return clip_gradients.by_global_norm(grads, self.clip_norm)
