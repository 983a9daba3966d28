"""Losses."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.core.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "dice_loss",
    "kl_div",
    "l1_loss",
    "log_loss",
    "margin_ranking_loss",
    "mse_loss",
    "nll_loss",
    "npair_loss",
    "sigmoid_focal_loss",
    "smooth_l1_loss",
    "softmax_with_cross_entropy",
    "square_error_cost",
]

_REDUCTIONS = ("mean", "sum", "none")


def _check_reduction(api: str, reduction: str, allowed: tuple = _REDUCTIONS) -> None:
    if reduction not in allowed:
        raise InvalidArgumentError(
            f"{api}(reduction): expected one of {', '.join(map(repr, allowed))}, "
            f"but received {reduction!r}."
        )


def _reduce(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return paddle.mean(loss)
    return paddle.sum(loss) if reduction == "sum" else loss


def _check_same_shape(api: str, x: Tensor, y: Tensor, names: str = "input and label") -> None:
    if x._buf.shape != y._buf.shape:
        raise InvalidArgumentError(
            f"{api}: expected {names} of one shape, but received {x.shape} and {y.shape}."
        )


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
    label = _label_like(logits, label, axis, soft_label)
    softmax, loss = C.softmax_with_cross_entropy(
        logits, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    return (loss, softmax) if return_softmax else loss


def _label_like(logits: Tensor, label: Tensor, axis: int, soft_label: bool) -> Tensor:
    """Gives labels the rank of the logits and checks that their shapes fit."""
    x, y = list(logits._buf.shape), list(label._buf.shape)
    rank = len(x)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            f"cross_entropy(axis): expected -{rank} <= axis < {rank} for an input of shape {x}, "
            f"but received {axis}."
        )
    wanted = list(x)
    if not soft_label:
        wanted[axis] = 1
        if len(y) == rank - 1:
            label = paddle.unsqueeze(label, axis=axis)
            y = list(label._buf.shape)
    if y != wanted:
        raise InvalidArgumentError(
            f"cross_entropy: expected a label of shape {wanted}"
            f"{'' if soft_label else ' (or without its axis of size 1)'} beside an input of shape "
            f"{x}, but received {y}."
        )
    if soft_label is label._dt.is_floating_point:
        return label
    kind = "floating probabilities" if soft_label else "integer class numbers"
    raise TypeError(f"cross_entropy(label): expected {kind}, but received {label.dtype}.")


def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
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
        name (str, optional): not used in dynamic mode.

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
    if reduction not in _REDUCTIONS:
        _check_reduction("cross_entropy", reduction)
    squeezed = label._buf.dim() == input._buf.dim() - 1
    label = _label_like(input, label, axis, soft_label)
    _, loss = C.softmax_with_cross_entropy(
        input, label, soft_label=soft_label, ignore_index=ignore_index, axis=axis
    )
    if weight is None and reduction == "mean" and (soft_label or ignore_index == -100):
        return C.mean(loss)  # as in 2.0, samples of the default ignore_index count in the mean
    factor = _factors(input, label, weight, ignore_index, soft_label, axis)
    if weight is not None:
        loss = loss * factor
    if reduction == "mean":
        count = paddle.sum(factor)
        return paddle.sum(loss) / (count + paddle.cast(count == 0, count.dtype))
    if reduction == "sum":
        return paddle.sum(loss)
    return paddle.squeeze(loss, axis=axis) if squeezed else loss


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
        if weight.shape != [classes]:
            raise InvalidArgumentError(
                f"cross_entropy(weight): expected shape [{classes}], one factor per class, "
                f"but received {weight.shape}."
            )
    if soft_label:
        if weight is None:
            return paddle.ones_like(paddle.sum(label, axis=axis, keepdim=True))
        shape = [1] * input.ndim
        shape[axis] = -1
        return paddle.sum(label * paddle.reshape(weight, shape), axis=axis, keepdim=True)
    kept = label != ignore_index
    mask = paddle.cast(kept, input.dtype)
    if weight is None:
        return mask
    safe = paddle.cast(label, "int64") * paddle.cast(kept, "int64")
    picked = paddle.gather(weight, paddle.reshape(safe, [-1]))
    return paddle.reshape(picked, label.shape) * mask


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
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``label``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.nn.functional.log_softmax(paddle.to_tensor([[1.0, 2.0, 3.0]]))
            print(paddle.nn.functional.nll_loss(x, paddle.to_tensor([2])).numpy())  # [0.407606]
    """
    _check_reduction("nll_loss", reduction)
    x, y = input.shape, label.shape
    if len(x) < 2 or y != [x[0], *x[2:]]:
        raise InvalidArgumentError(
            "nll_loss: expected an input of shape [N, C, ...] and a label of shape [N, ...], "
            f"but received {x} and {y}."
        )
    return C.nll_loss(input, label, weight, ignore_index=ignore_index, reduction=reduction)[0]


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
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``input``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.5, 0.6])
            y = paddle.to_tensor([1.0, 0.0])
            print(paddle.nn.functional.binary_cross_entropy(x, y).numpy())  # [0.8047189]
    """
    _check_reduction("binary_cross_entropy", reduction)
    _check_same_shape("binary_cross_entropy", input, label)
    loss = C.bce_loss(input, label)
    if weight is not None:
        loss = loss * weight
    return _reduce(loss, reduction)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    r"""Cross entropy of sigmoid of the logits, in a stable form.

    .. math:: -w (p\, y \log \sigma(x) + (1 - y) \log(1 - \sigma(x)))

    Args:
        logit (Tensor): unscaled scores, any shape.
        label (Tensor): targets in [0, 1], of the same shape and dtype.
        weight (Tensor, optional): factors that broadcast to the shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        pos_weight (Tensor, optional): factor p on positive targets; broadcasts to the shape.
        name (str, optional): not used in dynamic mode.

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
    _check_reduction("binary_cross_entropy_with_logits", reduction)
    _check_same_shape("binary_cross_entropy_with_logits", logit, label, "logit and label")
    loss = C.sigmoid_cross_entropy_with_logits(logit, label, pos_weight)
    if weight is not None:
        loss = loss * weight
    return _reduce(loss, reduction)


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
    return C.square(C.elementwise_sub(input, label))


def mse_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Mean square error: :math:`(x - y)^2`.

    Args:
        input (Tensor): any shape.
        label (Tensor): of a shape that broadcasts with it.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1.5]), paddle.to_tensor([1.7])
            print(paddle.nn.functional.mse_loss(x, y).numpy())  # [0.04]
    """
    _check_reduction("mse_loss", reduction)
    return _reduce(square_error_cost(input, label), reduction)


def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Mean absolute error: :math:`|x - y|`.

    Args:
        input (Tensor): any shape.
        label (Tensor): of a shape that broadcasts with it.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.5, 0.8], [0.2, 1.3]])
            y = paddle.to_tensor([[1.7, 1.0], [0.4, 0.5]])
            print(paddle.nn.functional.l1_loss(x, y).numpy())  # [0.35]
    """
    _check_reduction("l1_loss", reduction)
    return _reduce(paddle.abs(C.elementwise_sub(input, label)), reduction)


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
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([3.0, 0.5]), paddle.to_tensor([0.0, 0.0])
            print(paddle.nn.functional.smooth_l1_loss(x, y).numpy())  # [1.3125]
    """
    _check_reduction("smooth_l1_loss", reduction)
    _check_same_shape("smooth_l1_loss", input, label)
    if not delta > 0:
        raise InvalidArgumentError(f"smooth_l1_loss(delta): expected more than 0, got {delta}.")
    return _reduce(C.huber_loss(input, label, delta=float(delta))[0], reduction)


def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    r"""Kullback-Leibler divergence: :math:`y (\log y - x)`, where x is a log-probability.

    Args:
        input (Tensor): log-probabilities, any shape.
        label (Tensor): probabilities of the same shape.
        reduction (str): ``mean``, ``batchmean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` the shape of ``input``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.log(paddle.to_tensor([0.5, 0.5]))
            y = paddle.to_tensor([0.5, 0.5])
            print(paddle.nn.functional.kl_div(x, y).numpy())  # [0.]
    """
    _check_reduction("kl_div", reduction, ("mean", "batchmean", "sum", "none"))
    _check_same_shape("kl_div", input, label)
    return C.kldiv_loss(input, label, reduction=reduction)


def margin_ranking_loss(
    input: Tensor,
    other: Tensor,
    label: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    r"""Ranking loss: :math:`\max(0, -label (input - other) + margin)`.

    Args:
        input (Tensor): first scores, any shape.
        other (Tensor): second scores, of the same shape.
        label (Tensor): 1 where the first should be larger, -1 where the second should.
        margin (float): by how much. Default: 0.0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([2.0, 1.0])
            label = paddle.to_tensor([1.0, 1.0])
            loss = paddle.nn.functional.margin_ranking_loss(x, y, label)
            print(loss.numpy())  # [0.5]
    """
    _check_reduction("margin_ranking_loss", reduction)
    difference = C.elementwise_sub(other, input) * label
    if margin != 0.0:
        difference = difference + margin
    return _reduce(C.relu(difference), reduction)


def log_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-4, name: str | None = None
) -> Tensor:
    r"""Log loss of probabilities: :math:`-y \log(x + \epsilon) - (1 - y) \log(1 - x + \epsilon)`.

    Args:
        input (Tensor): probabilities, shape [N, 1].
        label (Tensor): targets 0 or 1, of the same shape.
        epsilon (float): keeps the logarithm finite. Default: 1e-4.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [N, 1].

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.0]])
            print(paddle.nn.functional.log_loss(x, y).numpy())  # [[0.6929472]]
    """
    _check_same_shape("log_loss", input, label)
    return C.log_loss(input, label, epsilon=float(epsilon))


def dice_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-05, name: str | None = None
) -> Tensor:
    r"""Dice loss of a segmentation: one minus twice the overlap over the total.

    Args:
        input (Tensor): probabilities, shape [N, d1, ..., C].
        label (Tensor): class numbers, shape [N, d1, ..., 1].
        epsilon (float): keeps the division finite. Default: 1e-5.
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1].

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.nn.functional.softmax(paddle.rand([2, 4, 3]))
            label = paddle.randint(0, 3, [2, 4, 1])
            print(paddle.nn.functional.dice_loss(x, label).shape)  # [1]
    """
    if input.ndim < 2 or label.shape != [*input.shape[:-1], 1]:
        raise InvalidArgumentError(
            "dice_loss: expected an input of shape [N, ..., C] and a label of shape [N, ..., 1], "
            f"but received {input.shape} and {label.shape}."
        )
    label = paddle.squeeze(label, axis=[-1])
    label = paddle.cast(C.one_hot_v2(label, None, depth=input.shape[-1]), input.dtype)
    axes = list(range(1, input.ndim))
    overlap = paddle.sum(input * label, axis=axes)
    total = paddle.sum(input, axis=axes) + paddle.sum(label, axis=axes)
    return paddle.mean(1 - overlap * 2 / (total + epsilon))


def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float = 0.002) -> Tensor:
    """N-pair loss for metric learning, Sohn 2016.

    Args:
        anchor (Tensor): embeddings, shape [N, D].
        positive (Tensor): embeddings of the matching samples, shape [N, D].
        labels (Tensor): class numbers, shape [N].
        l2_reg (float): weight of the embeddings' squared length. Default: 0.002.

    Returns:
        Tensor: shape [1].

    Examples:
        .. code-block:: python

            import paddle
            a, p = paddle.rand([4, 6]), paddle.rand([4, 6])
            labels = paddle.to_tensor([0, 1, 2, 3])
            print(paddle.nn.functional.npair_loss(a, p, labels).shape)  # [1]
    """
    count = labels.shape[0]
    column = paddle.cast(paddle.reshape(labels, [count, 1]), "float32")
    same = paddle.cast(paddle.equal(column, paddle.transpose(column, [1, 0])), anchor.dtype)
    target = same / paddle.sum(same, axis=1, keepdim=True)
    penalty = paddle.mean(paddle.sum(anchor * anchor, 1)) + paddle.mean(
        paddle.sum(positive * positive, 1)
    )
    scores = paddle.matmul(anchor, positive, transpose_y=True)
    entropy = softmax_with_cross_entropy(scores, target, soft_label=True)
    return penalty * 0.25 * l2_reg + paddle.mean(paddle.sum(target * entropy, 0))


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
        name (str, optional): not used in dynamic mode.

    Returns:
        Tensor: shape [1], or with ``none`` one value per element.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[0.97, 0.91], [0.55, 0.43]])
            y = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])
            print(paddle.nn.functional.sigmoid_focal_loss(x, y).numpy())
    """
    _check_reduction("sigmoid_focal_loss", reduction)
    _check_same_shape("sigmoid_focal_loss", logit, label, "logit and label")
    if normalizer is not None and normalizer.size != 1:
        raise InvalidArgumentError(
            f"sigmoid_focal_loss(normalizer): expected one element, got shape {normalizer.shape}."
        )
    loss = C.sigmoid_cross_entropy_with_logits(logit, label, None)
    chance = C.sigmoid(logit)
    hit = chance * label + (1 - chance) * (1 - label)
    weight = alpha * label + (1 - alpha) * (1 - label)
    loss = weight * paddle.pow(1 - hit, gamma) * loss
    if normalizer is not None:
        loss = loss / normalizer
    return _reduce(loss, reduction)
