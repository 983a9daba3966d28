"""Losses over sequences and trees of classes, as layers."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.tensor import Tensor
from paddle.nn import functional as F
from paddle.nn.functional.loss_reduction import check_reduction
from paddle.nn.layer.layers import Layer

__all__ = [
    "CTCLoss",
    "HSigmoidLoss",
]


class CTCLoss(Layer):
    """Connectionist temporal classification.

    Formula and shapes: :func:`paddle.nn.functional.ctc_loss`.

    Args:
        blank (int): the class that stands for nothing. Default: 0.
        reduction (str): ``mean``, ``sum`` or ``none``. Default: mean.

    Examples:
        .. code-block:: python

            import paddle
            labels = paddle.to_tensor([[1, 2]], dtype="int32")
            steps, sizes = paddle.to_tensor([4]), paddle.to_tensor([2])
            print(paddle.nn.CTCLoss()(paddle.rand([4, 1, 3]), labels, steps, sizes).shape)  # [1]
    """

    def __init__(self, blank: int = 0, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction("CTCLoss", reduction)
        self.blank = blank
        self.reduction = reduction

    def forward(
        self, log_probs: Tensor, labels: Tensor, input_lengths: Tensor, label_lengths: Tensor
    ) -> Tensor:
        """Computes the loss."""
        return F.ctc_loss(
            log_probs, labels, input_lengths, label_lengths, self.blank, self.reduction
        )


class HSigmoidLoss(Layer):
    """Hierarchical sigmoid with the weights of its inner nodes.

    Formula and shapes: :func:`paddle.nn.functional.hsigmoid_loss`.

    Args:
        feature_size (int): width of the input.
        num_classes (int): the number of classes; with a tree of one's own that of its nodes.
        weight_attr (ParamAttr, optional): of the weight, shape [num_classes - 1, feature_size].
        bias_attr (ParamAttr|bool, optional): of the bias, shape [num_classes - 1, 1]; False: none.
        is_custom (bool): a tree of one's own comes with each call; then the weight has
            ``num_classes`` rows. Default: False.
        is_sparse (bool): see the function. Default: False.
        name (str, optional): has no effect.

    Examples:
        .. code-block:: python

            import paddle
            layer = paddle.nn.HSigmoidLoss(3, 5)
            print(layer(paddle.rand([4, 3]), paddle.to_tensor([0, 1, 4, 2])).shape)  # [4, 1]
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise InvalidArgumentError(
                f"HSigmoidLoss(num_classes): expected at least 2, but received {num_classes}."
            )
        self._feature_size = feature_size
        self._num_classes = num_classes
        self._is_custom = is_custom
        self._is_sparse = is_sparse
        rows = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([rows, feature_size], attr=weight_attr)
        self.bias = self.create_parameter([rows, 1], attr=bias_attr, is_bias=True)

    def forward(
        self,
        input: Tensor,
        label: Tensor,
        path_table: Tensor | None = None,
        path_code: Tensor | None = None,
    ) -> Tensor:
        """Computes the loss."""
        if self._is_custom and (path_table is None or path_code is None):
            raise InvalidArgumentError(
                "HSigmoidLoss(is_custom=True): expected path_table and path_code with each call."
            )
        return F.hsigmoid_loss(
            input,
            label,
            self._num_classes,
            self.weight,
            self.bias,
            path_table,
            path_code,
            self._is_sparse,
        )
