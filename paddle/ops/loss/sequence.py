"""CTC and hierarchical sigmoid: losses over sequences and trees of classes."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.sequence.levels import last_level, lengths_of, padded, positions


def _ctc_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [Spec((x.shape[1] if len(x.shape) == 3 else -1, 1), x.dtype), None]


@op(
    "warpctc",
    "Logits Label~ LogitsLength?~ LabelLength?~ -> Loss WarpCTCGrad?~",
    infer=_ctc_rule,
    dtypes="full",
    lod="",
)
def warpctc(logits, label, logits_length, label_length, *, blank=0, norm_by_times=False):
    """The loss of each sequence; with norm_by_times its gradient is divided by the steps.

    Without lengths, rows of Logits [N, classes] and Label [M, 1] that are split into sequences.
    """
    if logits.dim() == 2 and logits_length is None:
        logits, logits_length, label, label_length = _padded_rows(logits, label)
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
    if norm_by_times:
        share = loss / logits_length.reshape(-1).clamp(min=1).to(loss.dtype)
        loss = share + (loss - share).detach()
    return loss.reshape(-1, 1), None


def _padded_rows(logits: torch.Tensor, label: torch.Tensor) -> tuple:
    """Rows as a padded batch: logits [steps, B, classes], their lengths, labels, their lengths."""
    offsets = last_level("warpctc", "Logits", logits, 1)
    ends = last_level("warpctc", "Label", label, 1)
    if label.is_meta:
        ends = [0, label.shape[0]]
    if len(offsets) != len(ends):
        raise InvalidArgumentError(
            f"warpctc: expected Label with a sequence for each of the {len(offsets) - 1} of "
            f"Logits, but received {len(ends) - 1}."
        )
    return (
        padded(logits, offsets).transpose(0, 1), positions(lengths_of(offsets), logits),
        padded(label.reshape(-1), ends), positions(lengths_of(ends), logits),
    )  # fmt: skip


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
