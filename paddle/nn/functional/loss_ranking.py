"""Losses that compare samples."""

from __future__ import annotations

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_classes import softmax_with_cross_entropy
from paddle.nn.functional.loss_reduction import check_reduction, reduce, shapes_fit

__all__ = [
    "margin_ranking_loss",
    "npair_loss",
]


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
        name (str, optional): has no effect.

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
    check_reduction("margin_ranking_loss", reduction)
    check_tensors("margin_ranking_loss", input=input, other=other, label=label)
    difference = C.elementwise_sub(other, input) * label
    if margin != 0.0:
        difference = difference + margin
    return reduce(C.relu(difference), reduction)


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
    check_tensors("npair_loss", anchor=anchor, positive=positive, labels=labels)
    a, p, count = anchor.shape, positive.shape, labels.shape[0]
    if len(a) != 2 or not shapes_fit(a, p) or not shapes_fit(labels.shape, a[:1]):
        raise InvalidArgumentError(
            "npair_loss: expected anchor and positive of one shape [N, D] and labels of shape [N], "
            f"but received {a}, {p} and {labels.shape}."
        )
    column = tensor.cast(tensor.reshape(labels, [count, 1]), "float32")
    same = tensor.cast(tensor.equal(column, tensor.transpose(column, [1, 0])), anchor.dtype)
    target = same / tensor.sum(same, axis=1, keepdim=True)
    penalty = tensor.mean(tensor.sum(anchor * anchor, 1)) + tensor.mean(
        tensor.sum(positive * positive, 1)
    )
    scores = tensor.matmul(anchor, positive, transpose_y=True)
    entropy = softmax_with_cross_entropy(scores, target, soft_label=True)
    return penalty * 0.25 * l2_reg + tensor.mean(tensor.sum(target * entropy, 0))


guard_module(globals(), checks=False)
