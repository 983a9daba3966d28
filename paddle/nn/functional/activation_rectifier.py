"""Activation functions of the rectifier family."""

from __future__ import annotations

from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.activation_squash import activation, check_number, replaced
from paddle.tensor.dims import read_int
from paddle.tensor.inplace import replace

__all__ = [
    "elu",
    "elu_",
    "gelu",
    "hardswish",
    "leaky_relu",
    "maxout",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "softplus",
    "swish",
    "thresholded_relu",
]


@activation("[0. 0. 2.]")
def relu(x: Tensor, name: str | None = None) -> Tensor:
    r"""Rectified linear unit: :math:`\max(0, x)`."""
    return C.relu(x)


@replaced("[-1.0, 1.0]", "[0. 1.]")
def relu_(x: Tensor, name: str | None = None) -> Tensor:
    """:func:`relu` that replaces the contents of ``x`` and returns it."""
    return replace(x, C.relu(x))


@activation("[0. 0. 2.]")
def relu6(x: Tensor, name: str | None = None) -> Tensor:
    r"""Rectified linear unit that stops at 6: :math:`\min(\max(0, x), 6)`."""
    return C.relu6(x)


@activation("[-0.86466473 0. 2.]", alpha="scale of the negative part.")
def elu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    r"""Exponential linear unit, https://arxiv.org/abs/1511.07289.

    .. math:: x \text{ if } x > 0 \text{ else } \alpha (e^x - 1)
    """
    return C.elu(x, alpha=alpha)


@replaced("[-1.0, 1.0]", "[-0.63212055 1.]", alpha="scale of the negative part.")
def elu_(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """:func:`elu` that replaces the contents of ``x`` and returns it."""
    return replace(x, C.elu(x, alpha=alpha))


@activation(
    "[-1.5201665 0. 2.101402]",
    scale="factor of the result, above 1.",
    alpha="scale of the negative part, not negative.",
)
def selu(
    x: Tensor,
    scale: float = 1.0507009873554805,
    alpha: float = 1.6732632423543772,
    name: str | None = None,
) -> Tensor:
    r"""Scaled exponential linear unit, https://arxiv.org/abs/1706.02515.

    .. math:: scale \cdot (x \text{ if } x > 0 \text{ else } \alpha (e^x - 1))
    """
    check_number("selu", "scale", scale)
    check_number("selu", "alpha", alpha)
    if scale <= 1.0:
        raise InvalidArgumentError(f"selu(scale): expected more than 1.0, but received {scale}.")
    if alpha < 0:
        raise InvalidArgumentError(f"selu(alpha): expected at least 0, but received {alpha}.")
    return C.selu(x, scale=scale, alpha=alpha)


@activation("[-0.04550028 0. 1.9544997]", approximate="use the tanh approximation.")
def gelu(x: Tensor, approximate: bool = False, name: str | None = None) -> Tensor:
    r"""Gaussian error linear unit, https://arxiv.org/abs/1606.08415.

    .. math:: 0.5 x (1 + \mathrm{erf}(x / \sqrt 2))
    """
    if not isinstance(approximate, bool):
        raise TypeError(
            f"gelu(approximate): expected a bool, but received {type(approximate).__name__}."
        )
    return C.gelu(x, approximate=approximate)


@activation("[-0.02 0. 2.]", negative_slope="slope below zero.")
def leaky_relu(x: Tensor, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    r"""Rectified linear unit that leaks below zero.

    .. math:: x \text{ if } x \ge 0 \text{ else } slope \cdot x
    """
    return C.leaky_relu(x, alpha=negative_slope)


def prelu(x: Tensor, weight: Tensor, name: str | None = None) -> Tensor:
    r"""Rectified linear unit with learnt slopes: :math:`\max(0, x) + w \min(0, x)`.

    Args:
        x (Tensor): any shape, floating; axis 1 holds the channels.
        weight (Tensor): 1-D, one slope for all or one per channel.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[-1.0, 2.0]])
            print(F.prelu(x, paddle.to_tensor([0.25])).numpy())  # [[-0.25  2.  ]]
    """
    if not (hasattr(x, "stop_gradient") and hasattr(weight, "stop_gradient")):
        check_tensors("prelu", x=x, weight=weight)
    if weight.ndim != 1:
        raise InvalidArgumentError(
            f"prelu(weight): expected one dimension, but received shape {weight.shape}."
        )
    if weight.shape[0] == 1:
        return C.prelu(x, weight, mode="all")
    if x.ndim < 2 or x.shape[1] != weight.shape[0]:
        raise InvalidArgumentError(
            f"prelu(weight): expected 1 slope or one per channel of x, whose shape is {x.shape}, "
            f"but received {weight.shape[0]}."
        )
    return C.prelu(x, weight, mode="channel")


@activation("[0. 0. 2.]", threshold="where the line starts.")
def thresholded_relu(x: Tensor, threshold: float = 1.0, name: str | None = None) -> Tensor:
    r"""Rectified linear unit with a threshold.

    .. math:: x \text{ if } x > threshold \text{ else } 0
    """
    return C.thresholded_relu(x, threshold=threshold)


@activation(
    "[0.126928 0.6931472 2.126928]",
    beta="sharpness.",
    threshold="above it (times beta) the result is x itself.",
)
def softplus(x: Tensor, beta: float = 1, threshold: float = 20, name: str | None = None) -> Tensor:
    r"""Smooth rectified linear unit: :math:`\log(1 + e^{\beta x}) / \beta`."""
    check_number("softplus", "beta", beta)
    check_number("softplus", "threshold", threshold)
    if beta == 0:
        raise InvalidArgumentError("softplus(beta): expected a number other than 0, but got 0.")
    return C.softplus(x, beta=float(beta), threshold=float(threshold))


@activation("[-0.23840584 0. 1.761594]")
def swish(x: Tensor, name: str | None = None) -> Tensor:
    """Self-gated unit, https://arxiv.org/abs/1710.05941: :math:`x / (1 + e^{-x})`."""
    return C.swish(x)


@activation("[-0.33333334 0. 1.6666666]")
def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    r"""Piecewise form of swish, https://arxiv.org/abs/1905.02244.

    .. math:: x \min(\max(x + 3, 0), 6) / 6
    """
    return C.hard_swish(x)


def maxout(x: Tensor, groups: int, axis: int = 1, name: str | None = None) -> Tensor:
    r"""The largest of each group of channels, https://arxiv.org/abs/1302.4389.

    Args:
        x (Tensor): 4-D; the size of ``axis`` divides by ``groups``.
        groups (int): channels per group.
        axis (int): the channel axis: 1, -1 or 3. Default: 1.
        name (str, optional): has no effect.

    Returns:
        Tensor: with ``groups`` times fewer channels.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            print(F.maxout(paddle.rand([1, 4, 2, 2]), groups=2).shape)  # [1, 2, 2, 2]
    """
    if isinstance(groups, bool) or not isinstance(groups, int):
        raise TypeError(f"maxout(groups): expected an int, got {type(groups).__name__}.")
    if read_int(axis, "maxout", "axis") not in (1, -1, 3):
        raise InvalidArgumentError(f"maxout(axis): expected 1, -1 or 3, but received {axis}.")
    check_tensors("maxout", x=x)
    if x.ndim != 4 or groups < 1 or x.shape[axis] % groups:
        raise InvalidArgumentError(
            f"maxout: expected a 4-D Tensor whose axis {axis} divides by groups={groups}, "
            f"but received shape {x.shape}."
        )
    return C.maxout(x, groups=groups, axis=axis)
