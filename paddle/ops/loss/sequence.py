"""CTC and hierarchical sigmoid: losses over sequences and trees of classes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError
from paddle.core.infer import Spec
from paddle.core.op import op


def _ctc_rule(inputs: list, attrs: dict) -> list:
    return [Spec((inputs[0].shape[1], 1), inputs[0].dtype), None]


@op(
    "warpctc",
    "Logits Label~ LogitsLength?~ LabelLength?~ -> Loss WarpCTCGrad?~",
    infer=_ctc_rule,
    dtypes="full",
)
def warpctc(logits, label, logits_length, label_length, *, blank=0, norm_by_times=False):
    if norm_by_times:
        raise UnimplementedError(
            "warpctc(norm_by_times): expected False; divide the loss by the lengths instead."
        )
    if logits.dim() != 3 or label.dim() != 2:
        raise InvalidArgumentError(
            "warpctc: expected logits of shape [steps, batch, classes] and labels of shape "
            f"[batch, length], but got {list(logits.shape)} and {list(label.shape)}."
        )
    steps, batch, classes = logits.shape
    if logits_length is None:
        logits_length = torch.full((batch,), steps, device=label.device)
    if label_length is None:
        label_length = torch.full((batch,), label.shape[1], device=label.device)
    label_length = label_length.reshape(-1).long().to(label.device)
    if not 0 <= blank < classes:
        raise InvalidArgumentError(
            f"warpctc(blank): expected 0 <= blank < {classes}, the number of classes, got {blank}."
        )
    if logits.is_meta:  # the kernel has no form for it
        return logits.new_empty((batch, 1)), None
    _check_labels(label, label_length, classes)
    loss = F.ctc_loss(
        torch.log_softmax(logits, -1),
        label.long(),
        logits_length.reshape(-1).long(),
        label_length,
        blank=blank,
        reduction="none",
        zero_infinity=True,  # a sequence too short for its label counts nothing
    )
    return loss.reshape(-1, 1), None


def _check_labels(label: torch.Tensor, length: torch.Tensor, classes: int) -> None:
    """Refuses labels that are no classes: the kernel would read past its input."""
    used = torch.arange(label.shape[1], device=label.device) < length.unsqueeze(-1)
    wrong = torch.logical_and(used, torch.logical_or(label < 0, label >= classes))
    if bool(wrong.any()):
        raise OutOfRangeError(
            f"warpctc: expected labels in [0, {classes}), but received {int(label[wrong][0])}."
        )


def _paths(label: torch.Tensor, classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inner nodes on the way to each class in a complete binary tree, -1 behind its end; turns."""
    code = label + classes
    bits = torch.arange((2 * classes - 1).bit_length() - 1, device=label.device)
    node = torch.bitwise_right_shift(code.unsqueeze(-1), bits + 1) - 1
    turn = torch.bitwise_and(torch.bitwise_right_shift(code.unsqueeze(-1), bits), 1)
    return node, turn


def _hsigmoid_rule(inputs: list, attrs: dict) -> list:
    x, table = inputs[0], inputs[3]
    width = (2 * attrs["num_classes"] - 1).bit_length() - 1 if table is None else table.shape[1]
    return [Spec((x.shape[0], 1), x.dtype), Spec((x.shape[0], width), x.dtype), None]


@op(
    "hierarchical_sigmoid",
    "X W Label~ PathTable?~ PathCode?~ Bias? -> Out PreOut~ W_Out?~",
    lod="X",
    infer=_hsigmoid_rule,
)
def hierarchical_sigmoid(x, w, label, table, code, bias, *, num_classes=2, is_sparse=False):
    if table is None:
        _check_classes(label, num_classes)
        table, code = _paths(label.reshape(-1).long(), num_classes)
    on_path = torch.ge(table, 0)
    node = table.long().clamp(min=0)
    if not table.is_meta and node.numel() and int(node.max()) >= w.shape[0]:
        raise OutOfRangeError(
            f"hierarchical_sigmoid: expected nodes in [0, {w.shape[0]}), the rows of the weight, "
            f"but received {int(node.max())}."
        )
    score = torch.einsum("nld,nd->nl", w[node], x)
    if bias is not None:
        score = torch.add(score, bias.reshape(-1)[node])
    score = torch.where(on_path, torch.clamp(score, -40.0, 40.0), torch.zeros_like(score))
    # Positions behind the end of a path have score 0 and count log(2): PaddlePaddle adds them too.
    loss = torch.sub(F.softplus(score), torch.mul(torch.mul(score, code.to(x.dtype)), on_path))
    return torch.sum(loss, 1, keepdim=True), score.detach(), None


def _check_classes(label: torch.Tensor, classes: int) -> None:
    if label.is_meta or not label.numel():
        return
    low, high = int(label.min()), int(label.max())
    if low < 0 or high >= classes:
        raise OutOfRangeError(
            f"hierarchical_sigmoid: expected labels in [0, {classes}), "
            f"but received {low if low < 0 else high}."
        )
