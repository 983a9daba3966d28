"""Losses as layers."""

from __future__ import annotations

from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.loss_reduction import REDUCTIONS, check_reduction
from paddle.nn.layer.layers import Layer
from paddle.nn.layer.loss_sequence import CTCLoss, HSigmoidLoss

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CrossEntropyLoss",
    "HSigmoidLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "NLLLoss",
    "SmoothL1Loss",
]


def _checked(owner: Layer, reduction: str, allowed: tuple = REDUCTIONS) -> str:
    check_reduction(type(owner).__name__, reduction, allowed)
    return reduction


class CrossEntropyLoss(Layer):
    """Cross entropy between softmax of the input and the labels.

    Formula and shapes: :func:`paddle.nn.functional.cross_entropy`.

    Args:
        weight (Tensor, optional): one factor per class, shape [C].
        ignore_index (int): samples of this class do not count. Default: -100.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        soft_label (bool): labels are probabilities. Default: False.
        axis (int): the class axis. Default: -1.
        use_softmax (bool): False where the input holds probabilities already. Default: True.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            scores, label = paddle.to_tensor([[1.0, 2.0], [2.0, 1.0]]), paddle.to_tensor([1, 0])
            loss = paddle.nn.CrossEntropyLoss()(scores, label)
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = _checked(self, reduction)
        self.soft_label = soft_label
        self.axis = axis
        self.use_softmax = use_softmax
        self._name = name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.cross_entropy(
            input,
            label,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            soft_label=self.soft_label,
            axis=self.axis,
            use_softmax=self.use_softmax,
        )


class NLLLoss(Layer):
    """Negative log likelihood of log-probabilities.

    Formula and shapes: :func:`paddle.nn.functional.nll_loss`.

    Args:
        weight (Tensor, optional): one factor per class, shape [C].
        ignore_index (int): samples of this class do not count. Default: -100.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            loss = paddle.nn.NLLLoss()(paddle.to_tensor([[-1.0, -2.0]]), paddle.to_tensor([0]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index
        self.reduction = _checked(self, reduction)
        self._name = name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.nll_loss(
            input,
            label,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class BCELoss(Layer):
    """Cross entropy of probabilities.

    Formula and shapes: :func:`paddle.nn.functional.binary_cross_entropy`.

    Args:
        weight (Tensor, optional): factors that broadcast to the shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            loss = paddle.nn.BCELoss()(paddle.to_tensor([0.5, 0.6]), paddle.to_tensor([1.0, 0.0]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = _checked(self, reduction)
        self._name = name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.binary_cross_entropy(input, label, self.weight, self.reduction)


class BCEWithLogitsLoss(Layer):
    """Cross entropy of sigmoid of the logits, in a stable form.

    Formula and shapes: :func:`paddle.nn.functional.binary_cross_entropy_with_logits`.

    Args:
        weight (Tensor, optional): factors that broadcast to the shape.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        pos_weight (Tensor, optional): factor on positive targets.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([5.0, 1.0]), paddle.to_tensor([1.0, 0.0])
            loss = paddle.nn.BCEWithLogitsLoss()(x, y)
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = weight
        self.reduction = _checked(self, reduction)
        self.pos_weight = pos_weight
        self._name = name

    def forward(self, logit: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.binary_cross_entropy_with_logits(
            logit, label, self.weight, self.reduction, self.pos_weight
        )


class MSELoss(Layer):
    """Mean square error.

    Formula and shapes: :func:`paddle.nn.functional.mse_loss`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.

    Examples:
        .. code-block:: python

            import paddle
            loss = paddle.nn.MSELoss()(paddle.to_tensor([1.5]), paddle.to_tensor([1.7]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.reduction = _checked(self, reduction)

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """Mean absolute error.

    Formula and shapes: :func:`paddle.nn.functional.l1_loss`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            loss = paddle.nn.L1Loss()(paddle.to_tensor([1.5]), paddle.to_tensor([1.7]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.reduction = _checked(self, reduction)
        self._name = name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """Huber's loss: square near zero, linear beyond delta.

    Formula and shapes: :func:`paddle.nn.functional.smooth_l1_loss`.

    Args:
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        delta (float): where the line begins. Default: 1.0.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            loss = paddle.nn.SmoothL1Loss()(paddle.to_tensor([3.0]), paddle.to_tensor([0.0]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        reduction: str = "mean",
        delta: float = 1.0,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.reduction = _checked(self, reduction)
        self.delta = delta
        self._name = name

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.smooth_l1_loss(input, label, self.reduction, self.delta)


class KLDivLoss(Layer):
    """Kullback-Leibler divergence of log-probabilities.

    Formula and shapes: :func:`paddle.nn.functional.kl_div`.

    Args:
        reduction (str): ``mean``, ``batchmean``, ``sum`` or ``none``. Default: mean.

    Examples:
        .. code-block:: python

            import paddle
            half = paddle.to_tensor([0.5, 0.5])
            loss = paddle.nn.KLDivLoss()(paddle.log(half), half)
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.reduction = _checked(self, reduction, ("mean", "batchmean", "sum", "none"))

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.kl_div(input, label, self.reduction)


class MarginRankingLoss(Layer):
    """Ranking loss of two scores.

    Formula and shapes: :func:`paddle.nn.functional.margin_ranking_loss`.

    Args:
        margin (float): by how much one score should be larger. Default: 0.0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            x, y = paddle.to_tensor([1.0]), paddle.to_tensor([2.0])
            loss = paddle.nn.MarginRankingLoss()(x, y, paddle.ones([1]))
            print(loss.shape)  # [1]
    """

    def __init__(
        self,
        margin: float = 0.0,
        reduction: str = "mean",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.margin = margin
        self.reduction = _checked(self, reduction)
        self._name = name

    def forward(self, input: Tensor, other: Tensor, label: Tensor) -> Tensor:
        """Computes the loss."""
        return F.margin_ranking_loss(input, other, label, self.margin, self.reduction)
