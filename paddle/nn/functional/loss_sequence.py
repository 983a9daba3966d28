"""Losses over sequences and trees of classes: CTC and hierarchical sigmoid."""

from __future__ import annotations

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.guards import guard_module
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_reduction import check_reduction, shapes_fit
from paddle.tensor.dims import read_int

__all__ = [
    "ctc_loss",
    "hsigmoid_loss",
]


def ctc_loss(
    log_probs: Tensor,
    labels: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
) -> Tensor:
    """Connectionist temporal classification: labels without alignment to the input.

    Graves et al. 2006: minus the logarithm of the probability of all paths that give the labels
    once repetitions and blanks are taken out. A sequence that is too short for its labels gives 0.

    Args:
        log_probs (Tensor): scores, shape [steps, batch, classes with the blank]; softmax is applied
            to them, so that both unscaled scores and log-probabilities are right.
        labels (Tensor): int32 classes without the blank, shape [batch, longest label].
        input_lengths (Tensor): int64 steps of each sequence, shape [batch].
        label_lengths (Tensor): int64 length of each label, shape [batch].
        blank (int): the class that stands for nothing. Default: 0.
        reduction (str): ``mean`` (each loss is divided by the length of its label first), ``sum``
            or ``none``. Default: mean.

    Returns:
        Tensor: shape [1], or with ``none`` [batch].

    Raises:
        IndexError: a label is no class.
        ValueError: shapes or lengths do not fit.

    Examples:
        .. code-block:: python

            import paddle
            scores = paddle.rand([5, 2, 3])
            labels = paddle.to_tensor([[1, 2], [2, 0]], dtype="int32")
            steps, sizes = paddle.to_tensor([5, 4]), paddle.to_tensor([2, 1])
            loss = paddle.nn.functional.ctc_loss(scores, labels, steps, sizes, reduction="none")
            print(loss.shape)  # [2]
    """
    check_reduction("ctc_loss", reduction)
    check_tensors("ctc_loss", log_probs=log_probs, labels=labels)
    ranks = (log_probs.ndim, labels.ndim)
    if ranks != (3, 2) or not shapes_fit(labels.shape[:1], log_probs.shape[1:2]):
        raise InvalidArgumentError(
            "ctc_loss: expected scores of shape [steps, batch, classes] and labels of shape "
            f"[batch, length], but received {log_probs.shape} and {labels.shape}."
        )
    batch = log_probs.shape[1]
    check_tensors("ctc_loss", input_lengths=input_lengths, label_lengths=label_lengths)
    for name, lengths in (("input_lengths", input_lengths), ("label_lengths", label_lengths)):
        if not shapes_fit(lengths.shape, [batch]):
            raise InvalidArgumentError(
                f"ctc_loss({name}): expected shape [{batch}], one length per sequence, "
                f"but received {lengths.shape}."
            )
    loss, _ = C.warpctc(
        log_probs, labels, input_lengths, label_lengths, blank=read_int(blank, "ctc_loss", "blank")
    )
    loss = tensor.squeeze(loss, axis=[-1])
    if reduction == "mean":
        return tensor.mean(loss / tensor.cast(label_lengths, loss.dtype))
    return tensor.sum(loss) if reduction == "sum" else loss


def hsigmoid_loss(
    input: Tensor,
    label: Tensor,
    num_classes: int,
    weight: Tensor,
    bias: Tensor | None = None,
    path_table: Tensor | None = None,
    path_code: Tensor | None = None,
    is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Hierarchical sigmoid: classes are the leaves of a binary tree, a decision per inner node.

    The loss is the sum of the sigmoid cross entropies on the way to the class.

    Args:
        input (Tensor): shape [N, D].
        label (Tensor): int64 classes, shape [N] or [N, 1].
        num_classes (int): the number of classes; at least 2 for the complete tree.
        weight (Tensor): a row per inner node, shape [num_classes - 1, D]; with a tree of one's own
            as many rows as it has nodes.
        bias (Tensor, optional): shape [num_classes - 1, 1].
        path_table (Tensor, optional): a tree of one's own: for each sample the inner nodes from the
            root to its class, -1 behind the end, shape [N, L].
        path_code (Tensor, optional): for each of these nodes 1 or 0, the branch that is taken.
        is_sparse (bool): the gradient of the weight concerns only the rows that occur. The result
            is the same; the gradient is kept dense for now.
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [N, 1].

    Examples:
        .. code-block:: python

            import paddle
            x, w = paddle.rand([4, 3]), paddle.rand([4, 3])
            label = paddle.to_tensor([0, 1, 4, 2])
            print(paddle.nn.functional.hsigmoid_loss(x, label, 5, w).shape)  # [4, 1]
    """
    check_tensors("hsigmoid_loss", input=input, label=label, weight=weight)
    if (path_table is None) is not (path_code is None):
        raise InvalidArgumentError(
            "hsigmoid_loss: path_table and path_code describe one tree: give both or neither."
        )
    if path_table is None and num_classes < 2:
        raise InvalidArgumentError(
            f"hsigmoid_loss(num_classes): expected at least 2, but received {num_classes}."
        )
    if path_table is not None and path_code is not None:
        if not shapes_fit(path_table.shape, path_code.shape):
            raise InvalidArgumentError(
                "hsigmoid_loss: expected path_table and path_code of one shape, "
                f"but received {path_table.shape} and {path_code.shape}."
            )
    if input.ndim != 2 or weight.ndim != 2 or not shapes_fit(weight.shape[1:], input.shape[1:]):
        raise InvalidArgumentError(
            "hsigmoid_loss: expected an input of shape [N, D] and a weight of shape [nodes, D], "
            f"but received {input.shape} and {weight.shape}."
        )
    return C.hierarchical_sigmoid(
        input,
        weight,
        label,
        path_table,
        path_code,
        bias,
        num_classes=num_classes,
        is_sparse=is_sparse,
    )[0]


guard_module(globals(), checks=False)
