"""Losses of yes-or-no targets."""

from __future__ import annotations

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, check_not_negative, check_tensors
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_reduction import (
    check_class_numbers,
    check_reduction,
    check_same_shape,
    reduce,
    shapes_fit,
)

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "dice_loss",
    "log_loss",
    "sigmoid_focal_loss",
]


def binary_cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    r"""Cross entropy of probabilities: :math:`-w (y \log x + (1 - y) \log(1 - x))`.

    Args:
        input (Tensor): probabilities in (0, 1), any shape.
        label (Tensor): targets in [0, 1], of the same shape and dtype.
        weight (Tensor, optional): factors that broadcast to the shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``input``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.5, 0.6])
            y = paddle.to_tensor([1.0, 0.0])
            print(paddle.nn.functional.binary_cross_entropy(x, y).numpy())  # [0.8047189]
    """
    check_reduction("binary_cross_entropy", reduction)
    check_same_shape("binary_cross_entropy", input=input, label=label)
    loss = C.bce_loss(input, label)
    if weight is not None:
        loss = loss * weight
    return reduce(loss, reduction)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    r"""Cross entropy of sigmoid of the logits, in a stable form.

    .. math:: -w (1 + (p - 1) y) (y \log \sigma(x) + (1 - y) \log(1 - \sigma(x)))

    Args:
        logit (Tensor): unscaled scores, any shape.
        label (Tensor): targets in [0, 1], of the same shape and dtype.
        weight (Tensor, optional): factors that broadcast to the shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        pos_weight (Tensor, optional): factor p on positive targets; broadcasts to the shape.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``logit``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([5.0, 1.0, 3.0])
            y = paddle.to_tensor([1.0, 0.0, 1.0])
            loss = paddle.nn.functional.binary_cross_entropy_with_logits(x, y)
            print(loss.numpy())  # [0.45618808]
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    check_same_shape("binary_cross_entropy_with_logits", logit=logit, label=label)
    loss = C.sigmoid_cross_entropy_with_logits(logit, label, None)
    if pos_weight is not None:
        check_tensors("binary_cross_entropy_with_logits", pos_weight=pos_weight)
        loss = loss * (label * (pos_weight - 1) + 1)
    if weight is not None:
        loss = loss * weight
    return reduce(loss, reduction)


def log_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-4, name: str | None = None
) -> Tensor:
    r"""Log loss of probabilities: :math:`-y \log(x + \epsilon) - (1 - y) \log(1 - x + \epsilon)`.

    Args:
        input (Tensor): probabilities, shape [N, 1].
        label (Tensor): targets 0 or 1, of the same shape.
        epsilon (float): keeps the logarithm finite. Default: 1e-4.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [N, 1].

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.0]])
            print(paddle.nn.functional.log_loss(x, y).numpy())  # [[0.6929472]]
    """
    check_same_shape("log_loss", input=input, label=label)
    check_not_negative("log_loss", epsilon=epsilon)
    return C.log_loss(input, label, epsilon=float(epsilon))


def sigmoid_focal_loss(
    logit: Tensor,
    label: Tensor,
    normalizer: Tensor | None = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: str | None = None,
) -> Tensor:
    r"""Focal loss, https://arxiv.org/abs/1708.02002: easy samples count little.

    .. math:: -\alpha_t (1 - p_t)^\gamma \log p_t

    Args:
        logit (Tensor): unscaled scores, any shape.
        label (Tensor): targets 0 or 1, of the same shape.
        normalizer (Tensor, optional): one number that the loss is divided by.
        alpha (float): weight of positive samples, in [0, 1]. Default: 0.25.
        gamma (float): how much easy samples are weighted down, not negative. Default: 2.0.
        reduction (str): ``sum``, ``mean`` or ``none``. Default: sum.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[0.97, 0.91], [0.55, 0.43]])
            y = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])
            print(paddle.nn.functional.sigmoid_focal_loss(x, y).numpy())
    """
    check_reduction("sigmoid_focal_loss", reduction)
    check_same_shape("sigmoid_focal_loss", logit=logit, label=label)
    if normalizer is not None:
        check_tensors("sigmoid_focal_loss", normalizer=normalizer)
    if normalizer is not None and any(n not in (1, -1) for n in normalizer.shape):
        raise InvalidArgumentError(
            f"sigmoid_focal_loss(normalizer): expected one element, got shape {normalizer.shape}."
        )
    if not 0 <= alpha <= 1 or gamma < 0:
        raise InvalidArgumentError(
            "sigmoid_focal_loss: expected 0 <= alpha <= 1 and gamma >= 0, "
            f"but received alpha={alpha} and gamma={gamma}."
        )
    loss = C.sigmoid_cross_entropy_with_logits(logit, label, None)
    chance = C.sigmoid(logit)
    hit = chance * label + (1 - chance) * (1 - label)
    weight = alpha * label + (1 - alpha) * (1 - label)
    loss = weight * tensor.pow(1 - hit, gamma) * loss
    if normalizer is not None:
        loss = loss / normalizer
    return reduce(loss, reduction)


def dice_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-05, name: str | None = None
) -> Tensor:
    r"""Dice loss of a segmentation: one minus twice the overlap over the total.

    Args:
        input (Tensor): probabilities, shape [N, d1, ..., C].
        label (Tensor): class numbers, shape [N, d1, ..., 1].
        epsilon (float): keeps the division finite. Default: 1e-5.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1].

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.nn.functional.softmax(paddle.rand([2, 4, 3]))
            label = paddle.randint(0, 3, [2, 4, 1])
            print(paddle.nn.functional.dice_loss(x, label).shape)  # [1]
    """
    check_tensors("dice_loss", input=input, label=label)
    if input.ndim < 2 or not shapes_fit(label.shape, [*input.shape[:-1], 1]):
        raise InvalidArgumentError(
            "dice_loss: expected an input of shape [N, ..., C] and a label of shape [N, ..., 1], "
            f"but received {input.shape} and {label.shape}."
        )
    check_class_numbers("dice_loss", label)
    label = tensor.squeeze(label, axis=[-1])
    label = tensor.cast(C.one_hot_v2(label, None, depth=input.shape[-1]), input.dtype)
    axes = list(range(1, input.ndim))
    overlap = tensor.sum(input * label, axis=axes)
    total = tensor.sum(input, axis=axes) + tensor.sum(label, axis=axes)
    check_not_negative("dice_loss", epsilon=epsilon)
    return tensor.mean(1 - overlap * 2 / (total + epsilon))


guard_module(globals(), checks=False)
