"""Losses over classes."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.mode import GRAD, get_mode, settled
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_reduction import (
    FLOATING,
    REDUCTIONS,
    check_class_numbers,
    check_reduction,
    shapes_fit,
)
from paddle.tensor.dims import read_int

__all__ = [
    "cross_entropy",
    "nll_loss",
    "softmax_with_cross_entropy",
]

_COUNTING = frozenset({VarType.FP32, VarType.FP64})  # that can count samples


def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    r"""Cross entropy between softmax of the logits and the labels, one value per sample.

    .. math:: loss = -x_{label} + \log \sum_j e^{x_j}

    Args:
        logits (Tensor): unscaled scores, classes along ``axis``.
        label (Tensor): class numbers, int64 of the shape of ``logits`` with size 1 along ``axis``;
            with ``soft_label`` probabilities of the shape of ``logits``.
        soft_label (bool): labels are probabilities. Default: False.
        ignore_index (int): samples of this class give 0. Default: -100.
        numeric_stable_mode (bool): the stable form is always used. Default: True.
        return_softmax (bool): return softmax of the logits too. Default: False.
        axis (int): the class axis. Default: -1.

    Returns:
        Tensor: the loss, size 1 along ``axis``; with ``return_softmax`` the pair (loss, softmax).

    Raises:
        IndexError: a label is outside of the classes.
        ValueError: shapes do not fit.

    Examples:
        .. code-block:: python

            import paddle
            logits = paddle.to_tensor([[1.0, 2.0, 3.0]])
            label = paddle.to_tensor([[2]])
            loss = paddle.nn.functional.softmax_with_cross_entropy(logits, label)
            print(loss.numpy())  # [[0.40760595]]
    """
    if not isinstance(numeric_stable_mode, bool):
        raise TypeError(
            "softmax_with_cross_entropy(numeric_stable_mode): expected a bool, "
            f"got {type(numeric_stable_mode).__name__}."
        )
    check_tensors("softmax_with_cross_entropy", logits=logits, label=label)
    label = _label_like(logits, label, axis, soft_label)
    softmax, loss = C.softmax_with_cross_entropy(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    return (loss, softmax) if return_softmax else loss


def _label_like(logits: Tensor, label: Tensor, axis: int, soft_label: bool) -> Tensor:
    """Gives labels the rank of the logits and checks that their shapes fit."""
    x, y = logits.shape, label.shape
    rank = len(x)
    axis = read_int(axis, "cross_entropy", "axis")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"cross_entropy(axis): expected -{rank} <= axis < {rank} for an input of shape {x}, "
            f"but received {axis}."
        )
    wanted = list(x)
    if not soft_label:
        wanted[axis] = 1
        if len(y) == rank - 1:
            label = tensor.unsqueeze(label, axis=axis)
            y = label.shape
    if not shapes_fit(y, wanted):
        raise InvalidArgumentError(
            f"cross_entropy: expected a label of shape {wanted}"
            f"{'' if soft_label else ' (or without its axis of size 1)'} beside an input of shape "
            f"{x}, but received {y}."
        )
    if not soft_label:
        check_class_numbers("cross_entropy", label)
    elif label.dtype not in FLOATING:
        raise TypeError(
            f"cross_entropy(label): expected floating probabilities, but received {label.dtype}."
        )
    return label


def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Cross entropy between softmax of the input and the labels.

    .. math:: loss_i = w_{label_i} (-x_{i, label_i} + \log \sum_j e^{x_{ij}})

    ``mean`` divides by the sum of the weights of the samples that are not ignored.

    Args:
        input (Tensor): unscaled scores, shape [N, C] or [N, d1, ..., C], classes along ``axis``.
        label (Tensor): class numbers of shape [N], [N, 1] or [N, d1, ...]; with ``soft_label``
            probabilities of the shape of ``input``.
        weight (Tensor, optional): one factor per class, shape [C].
        ignore_index (int): samples of this class do not count. Default: -100.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        soft_label (bool): labels are probabilities. Default: False.
        axis (int): the class axis. Default: -1.
        use_softmax (bool): False where ``input`` holds probabilities already. Default: True.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` one value per sample.

    Raises:
        IndexError: a label is outside of the classes.
        ValueError: shapes do not fit, or an unknown ``reduction``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
            y = paddle.to_tensor([2, 0])
            print(paddle.nn.functional.cross_entropy(x, y).numpy())  # [0.40760598]
    """
    if reduction not in REDUCTIONS:
        check_reduction("cross_entropy", reduction)
    plain = weight is None and not soft_label and use_softmax is True
    if plain and (get_mode() <= GRAD or settled() <= GRAD):  # nobody intercepts operators
        if _is_common(input, label, ignore_index, reduction, axis):
            return C.hard_cross_entropy(
                input, label, ignore_index=ignore_index, reduction=reduction
            )[0]
    if not isinstance(use_softmax, bool):
        raise TypeError(
            f"cross_entropy(use_softmax): expected a bool, got {type(use_softmax).__name__}."
        )
    check_tensors("cross_entropy", input=input, label=label)
    if weight is not None:
        check_tensors("cross_entropy", weight=weight)
    squeezed = label.ndim == input.ndim - 1
    label = _label_like(input, label, axis, soft_label)
    _, loss = C.softmax_with_cross_entropy(
        input,
        label,
        soft_label=soft_label,
        use_softmax=use_softmax,
        ignore_index=ignore_index,
        axis=axis,
    )
    if weight is None and reduction == "mean" and (soft_label or ignore_index == -100):
        return C.mean(loss)  # as in 2.0, samples of the default ignore_index count in the mean
    factor = _factors(input, label, weight, ignore_index, soft_label, axis)
    if weight is not None:
        loss = loss * factor
    if reduction == "mean":
        count = tensor.sum(factor)
        return tensor.sum(loss) / (count + tensor.cast(count == 0, count.dtype))
    if reduction == "sum":
        return tensor.sum(loss)
    return tensor.squeeze(loss, axis=axis) if squeezed else loss


def _is_common(input: Any, label: Any, ignore_index: int, reduction: str, axis: int) -> bool:
    """Whether this is the usual case, rows of scores: the one that has an operator of its own."""
    if not (isinstance(input, Tensor) and isinstance(label, Tensor)):
        return False
    x, y = input.shape, label.shape
    return (
        len(x) == 2
        and (y == [x[0], 1] or y == x[:1])
        and (axis == -1 or axis == 1)
        and (ignore_index == -100 or reduction != "mean")
        and label.dtype not in FLOATING
        and input.dtype in _COUNTING
    )


def _factors(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None,
    ignore_index: int,
    soft_label: bool,
    axis: int,
) -> Tensor:
    """How much each sample counts."""
    if weight is not None:
        classes = input.shape[axis]
        if not shapes_fit(weight.shape, [classes]):
            raise InvalidArgumentError(
                f"cross_entropy(weight): expected shape [{classes}], one factor per class, "
                f"but received {weight.shape}."
            )
    if soft_label:
        if weight is None:
            return tensor.ones_like(tensor.sum(label, axis=axis, keepdim=True))
        shape = [1] * input.ndim
        shape[axis] = -1
        return tensor.sum(label * tensor.reshape(weight, shape), axis=axis, keepdim=True)
    kept = label != ignore_index
    mask = tensor.cast(kept, input.dtype)
    if weight is None:
        return mask
    safe = tensor.cast(label, "int64") * tensor.cast(kept, "int64")
    picked = tensor.gather(weight, tensor.reshape(safe, [-1]))
    return tensor.reshape(picked, label.shape) * mask


def nll_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    r"""Negative log likelihood: :math:`-w_{label_i} x_{i, label_i}`.

    Args:
        input (Tensor): log-probabilities, shape [N, C] or [N, C, d1, ...].
        label (Tensor): int64 class numbers, shape [N] or [N, d1, ...].
        weight (Tensor, optional): one factor per class, shape [C].
        ignore_index (int): samples of this class do not count. Default: -100.
        reduction (str): ``mean`` (by the sum of weights), ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``label``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.nn.functional.log_softmax(paddle.to_tensor([[1.0, 2.0, 3.0]]))
            print(paddle.nn.functional.nll_loss(x, paddle.to_tensor([2])).numpy())  # [0.407606]
    """
    check_reduction("nll_loss", reduction)
    check_tensors("nll_loss", input=input, label=label)
    x, y = input.shape, label.shape
    if len(x) < 2 or not shapes_fit(y, [x[0], *x[2:]]):
        raise InvalidArgumentError(
            "nll_loss: expected an input of shape [N, C, ...] and a label of shape [N, ...], "
            f"but received {x} and {y}."
        )
    check_class_numbers("nll_loss", label)
    if weight is not None:
        check_tensors("nll_loss", weight=weight)
    if weight is not None and not shapes_fit(weight.shape, x[1:2]):
        raise InvalidArgumentError(
            f"nll_loss(weight): expected shape {x[1:2]}, one factor per class, "
            f"but received {weight.shape}."
        )
    return C.nll_loss(input, label, weight, ignore_index=ignore_index, reduction=reduction)[0]
