"""Operators of recommendation models: columns of slots, clicks, shuffled batches, their losses."""

from __future__ import annotations

import torch

from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.random.draws import generator

# -- columns ------------------------------------------------------------------------------------


def _part(name: str, shapes: list, start: int, length: int) -> tuple[int, int]:
    """The first column and the number of columns that are taken of each input."""
    widths = {s[-1] for s in shapes} - {-1}
    if any(len(s) != 2 for s in shapes) or len(widths) > 1:
        raise InvalidArgumentError(
            f"{name}: expected matrices of as many columns, but received shapes "
            f"{[list(s) for s in shapes]}."
        )
    rows, columns = {s[0] for s in shapes} - {-1}, next(iter(widths), -1)
    if len(rows) > 1:
        raise InvalidArgumentError(
            f"{name}: expected matrices of as many rows, but received shapes "
            f"{[list(s) for s in shapes]}."
        )
    if columns == -1:  # a run knows them
        return start, length
    first = start + columns if start < 0 else start
    count = columns - first if length < 0 else length
    if not 0 <= first < columns or not first + count <= columns:
        raise InvalidArgumentError(
            f"{name}: expected start_index and length to lie in {columns} columns, but received "
            f"{start} and {length}."
        )
    return first, count


def _columns(name: str, x: list, start: int, length: int) -> list[torch.Tensor]:
    first, count = _part(name, [part.shape for part in x], start, length)
    return [part[:, first : first + count] for part in x]


def _partial_rule(name: str, joined: bool):
    def rule(inputs: list, attrs: dict) -> list[Spec]:
        x = inputs[0]
        _, count = _part(name, [p.shape for p in x], attrs["start_index"], attrs["length"])
        count = count * len(x) if joined and count >= 0 else max(count, -1)
        return [Spec((x[0].shape[0], count), x[0].dtype)]

    return rule


@op("partial_concat", "X* -> Out", lod="X", infer=_partial_rule("partial_concat", True))
def partial_concat(x, *, start_index=0, length=-1):
    """The same columns of every input beside each other."""
    return torch.cat(_columns("partial_concat", x, start_index, length), 1)


@op(
    "partial_sum",
    "X* -> Out",
    lod="X",
    infer=_partial_rule("partial_sum", False),
    dtypes="not bool",
)
def partial_sum(x, *, start_index=0, length=-1):
    """The sum of the same columns of every input."""
    return torch.stack(_columns("partial_sum", x, start_index, length)).sum(0, dtype=x[0].dtype)


def _cvm_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    rows, columns = x.shape
    left = columns if columns == -1 or attrs["use_cvm"] else columns - 2
    return [Spec((rows, left), x.dtype)]


@op("cvm", "X CVM~ -> Y", lod="X", infer=_cvm_rule, dtypes="floats")
def cvm(x, shown, *, use_cvm=True):
    """The first two columns, how often shown and clicked, as logarithms; or without them."""
    if x.dim() != 2 or x.shape[1] < 2 or shown.shape != (x.shape[0], 2):
        raise InvalidArgumentError(
            "cvm: expected X [N, 2 or more] and CVM [N, 2], but received shapes "
            f"{list(x.shape)} and {list(shown.shape)}."
        )
    if not use_cvm:
        return x[:, 2:]
    views = torch.log(x[:, :1] + 1)
    return torch.cat([views, torch.log(x[:, 1:2] + 1) - views, x[:, 2:]], 1)


@cvm.grad("CVM")
def _(d_out, shown, *, use_cvm):
    """The counts take the place of the first two columns' gradients, for the tables they update."""
    rest = d_out[:, 2:] if use_cvm else d_out
    return torch.cat([shown.to(d_out.dtype), rest], 1), None


# -- batches ------------------------------------------------------------------------------------


def _batch_fc_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, weight = inputs[:2]
    return [Spec((*x.shape[:2], weight.shape[2]), x.dtype)]


@op("batch_fc", "Input W Bias -> Out", infer=_batch_fc_rule, dtypes="floats")
def batch_fc(x, weight, bias):
    """A layer of its own for each slot: [slots, N, in] by [slots, in, out]."""
    fits = x.dim() == weight.dim() == 3 and x.shape[0] == weight.shape[0]
    if not fits or x.shape[2] != weight.shape[1] or bias.shape != weight.shape[::2]:
        raise InvalidArgumentError(
            "batch_fc: expected Input [slots, N, in], W [slots, in, out] and Bias [slots, out], "
            f"but received shapes {list(x.shape)}, {list(weight.shape)} and {list(bias.shape)}."
        )
    return torch.baddbmm(bias.unsqueeze(1), x, weight)


_NEXT, _PRIME = 16807, 2**31 - 1  # of the generator that SeedOut goes on with


@op("shuffle_batch", "X Seed~ -> Out ShuffleIdx~ SeedOut~", lod="X", random=True)
def shuffle_batch(x, seed, *, startup_seed=0):
    """The rows of X in another order; SeedOut is the seed of the next call."""
    rows = x.reshape(-1, x.shape[-1]) if x.numel() else x.flatten(0, -2)
    if x.is_meta:
        place = torch.empty(rows.shape[0], dtype=torch.int64, device=x.device)
        return x.clone(), place, torch.empty(1, dtype=torch.int64, device=x.device)
    start = int(seed) if seed.numel() else startup_seed
    source = generator(torch.device("cpu"), start)
    order = torch.randperm(rows.shape[0], generator=source).to(x.device)
    after = torch.full((1,), start * _NEXT % _PRIME, dtype=torch.int64, device=x.device)
    return rows[order].reshape(x.shape), order, after


@shuffle_batch.grad("ShuffleIdx")
def _(d_out, order):
    rows = d_out.reshape(-1, d_out.shape[-1]) if d_out.numel() else d_out.flatten(0, -2)
    return rows[torch.argsort(order)].reshape(d_out.shape), None


def _conv_shift_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [inputs[0]]


@op("conv_shift", "X Y -> Out", lod="X", infer=_conv_shift_rule, dtypes="floats")
def conv_shift(x, y):
    """Circular correlation of the rows of X with those of Y, an odd number of weights."""
    if x.dim() != 2 or y.dim() != 2 or x.shape[0] != y.shape[0] or not y.shape[1] % 2:
        raise InvalidArgumentError(
            "conv_shift: expected X [N, m] and Y [N, an odd number], but received shapes "
            f"{list(x.shape)} and {list(y.shape)}."
        )
    size, weights = x.shape[1], y.shape[1]
    if weights > size:
        raise InvalidArgumentError(
            f"conv_shift: expected at most {size} columns of Y, as many as X has, but received "
            f"{weights}."
        )
    around = torch.arange(weights, device=x.device) - (weights - 1) // 2
    place = (torch.arange(size, device=x.device).unsqueeze(1) + around) % size
    return torch.einsum("nij,nj->ni", x[:, place], y)


# -- losses -------------------------------------------------------------------------------------


def _expect_same(name: str, first: str, x: torch.Tensor, second: str, y: torch.Tensor) -> None:
    if x.shape != y.shape:
        raise InvalidArgumentError(
            f"{name}: expected {first} and {second} of one shape, but received {list(x.shape)} and "
            f"{list(y.shape)}."
        )


@op("modified_huber_loss", "X Y~ -> IntermediateVal~ Out", lod="", infer="same", dtypes="floats")
def modified_huber_loss(x, y):
    """For labels 0 and 1: the square of what is missing to 1, far outside a line."""
    _expect_same("modified_huber_loss", "X", x, "Y", y)
    if not y.is_meta and not bool(((y == 0) | (y == 1)).all()):
        raise InvalidArgumentError("modified_huber_loss: expected labels Y of 0 and 1 only.")
    value = x * (2 * y - 1)
    loss = torch.where(value < -1, -4 * value, torch.square(torch.clamp(1 - value, min=0)))
    return value, loss


def _soft_loss(x: torch.Tensor, target) -> torch.Tensor:
    """Cross entropy of sigmoid(x) with a target in [0, 1]."""
    return torch.clamp(x, min=0) - x * target + torch.log1p(torch.exp(-torch.abs(x)))


@op("teacher_student_sigmoid_loss", "X Label~ -> Y", infer="same", dtypes="floats")
def teacher_student_sigmoid_loss(x, label, *, soft_max_up_bound=15.0, soft_max_lower_bound=-15.0):
    """Cross entropy with clicks, and with a teacher's scores where Label has them.

    Label -2: no click; -1: click; in [0, 1): no click, and the score; from 1 on: click, and the
    score plus 1. Outside of the bounds the gradient is 0.
    """
    _expect_same("teacher_student_sigmoid_loss", "X", x, "Label", label)
    clicked = ((label >= -1) & (label < 0)) | (label >= 1)
    score = torch.where(label >= 1, label - 1, label)
    hard = _soft_loss(x, clicked.to(x.dtype))
    return torch.where(label < 0, hard, hard + _soft_loss(x, score))


@teacher_student_sigmoid_loss.grad("X Label")
def _(d_out, x, label, *, soft_max_up_bound, soft_max_lower_bound):
    share = torch.sigmoid(x)
    slope = torch.where(label < 0, share - torch.ge(label, -1).to(x.dtype), 2 * share - label)
    inside = torch.logical_and(x > soft_max_lower_bound, x < soft_max_up_bound)
    return d_out * slope * inside, None


def _center_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, centers = inputs[0], inputs[2]
    return [centers, x, Spec((x.shape[0], 1), x.dtype)]


@op("center_loss", "X Label~ Centers~ CenterUpdateRate~ -> "
    "CentersOut=Centers SampleCenterDiff Loss", lod="X", infer=_center_rule,
    dtypes="full")  # fmt: skip
def center_loss(x, label, centers, rate, *, cluster_num, need_update):
    """Half the squared distance to the center of the class, which may follow.

    A center moves by the mean difference, one more counted than there are, times the rate.
    """
    row = label.reshape(-1).long()
    fits = x.dim() == centers.dim() == 2 and x.shape[1] == centers.shape[1]
    if not fits or centers.shape[0] != cluster_num or row.shape[0] != x.shape[0]:
        raise InvalidArgumentError(
            f"center_loss: expected X [N, D], Label [N, 1] and Centers [{cluster_num}, D], but "
            f"received shapes {list(x.shape)}, {list(label.shape)} and {list(centers.shape)}."
        )
    if not row.is_meta and row.numel():
        low, high = int(row.min()), int(row.max())
        if low < 0 or high >= cluster_num:
            raise OutOfRangeError(
                f"center_loss: expected Label in [0, {cluster_num}), but they span [{low}, {high}]."
            )
    diff = x - centers[row]
    if need_update:
        total = torch.zeros_like(centers).index_add(0, row, diff.detach())
        ones = torch.ones(row.shape, dtype=x.dtype, device=x.device)
        count = torch.ones_like(centers[:, 0]).index_add(0, row, ones)
        centers.add_(total / count.unsqueeze(1) * rate.reshape(-1)[0])
    return centers, diff, torch.sum(torch.square(diff), 1, keepdim=True) / 2


@center_loss.grad("SampleCenterDiff")
def _(d_diff, d_loss, diff):
    grad = None if d_loss is None else d_loss * diff
    if d_diff is not None:
        grad = d_diff if grad is None else grad + d_diff
    return grad, None, None, None
