"""Losses of numbers and distributions."""

from __future__ import annotations

from paddle import tensor
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_reduction import (
    check_reduction,
    check_same_shape,
    check_tensors,
    reduce,
)

__all__ = [
    "kl_div",
    "l1_loss",
    "mse_loss",
    "smooth_l1_loss",
    "square_error_cost",
]


@guarded
def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    r"""The square of the difference: :math:`(x - y)^2`.

    Args:
        input (Tensor): any shape.
        label (Tensor): of a shape that broadcasts with it.

    Returns:
        Tensor: one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1.1, 1.9]), paddle.to_tensor([1.0, 2.0])
            print(paddle.nn.functional.square_error_cost(x, y).numpy())  # [0.01 0.01]
    """
    check_tensors("square_error_cost", input=input, label=label)
    return C.square(C.elementwise_sub(input, label))


def mse_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Mean square error: :math:`(x - y)^2`.

    Args:
        input (Tensor): any shape.
        label (Tensor): of a shape that broadcasts with it.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1.5]), paddle.to_tensor([1.7])
            print(paddle.nn.functional.mse_loss(x, y).numpy())  # [0.04]
    """
    check_reduction("mse_loss", reduction)
    check_tensors("mse_loss", input=input, label=label)
    return reduce(C.square(C.elementwise_sub(input, label)), reduction)


def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Mean absolute error: :math:`|x - y|`.

    Args:
        input (Tensor): any shape.
        label (Tensor): of a shape that broadcasts with it.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.5, 0.8], [0.2, 1.3]])
            y = paddle.to_tensor([[1.7, 1.0], [0.4, 0.5]])
            print(paddle.nn.functional.l1_loss(x, y).numpy())  # [0.35]
    """
    check_reduction("l1_loss", reduction)
    check_tensors("l1_loss", input=input, label=label)
    return reduce(tensor.abs(C.elementwise_sub(input, label)), reduction)


@guarded
def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    name: str | None = None,
) -> Tensor:
    r"""Huber's loss: square near zero, linear beyond ``delta``.

    .. math::
        z = 0.5 (x - y)^2 \text{ if } |x - y| < \delta
        \text{ else } \delta |x - y| - 0.5 \delta^2

    Args:
        input (Tensor): any shape.
        label (Tensor): of the same shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        delta (float): where the line begins. Default: 1.0.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([3.0, 0.5]), paddle.to_tensor([0.0, 0.0])
            print(paddle.nn.functional.smooth_l1_loss(x, y).numpy())  # [1.3125]
    """
    check_reduction("smooth_l1_loss", reduction)
    check_same_shape("smooth_l1_loss", input=input, label=label)
    if not delta > 0:
        raise InvalidArgumentError(f"smooth_l1_loss(delta): expected more than 0, got {delta}.")
    return reduce(C.huber_loss(input, label, delta=float(delta))[0], reduction)


@guarded
def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Kullback-Leibler divergence: :math:`y (\log y - x)`, where x is a log-probability.

    Args:
        input (Tensor): log-probabilities, any shape.
        label (Tensor): probabilities of the same shape.
        reduction (str): ``mean``, ``batchmean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``input``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.log(paddle.to_tensor([0.5, 0.5]))
            y = paddle.to_tensor([0.5, 0.5])
            print(paddle.nn.functional.kl_div(x, y).numpy())  # [0.]
    """
    check_reduction("kl_div", reduction, ("mean", "batchmean", "sum", "none"))
    check_same_shape("kl_div", input=input, label=label)
    return C.kldiv_loss(input, label, reduction=reduction)
