"""Operators of 1.x Programs that 2.0 replaced by a second version: trailing 1s, other names."""

from __future__ import annotations

from math import prod

import torch

from paddle.core.derive import gradient_of
from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.core.place import current_device
from paddle.ops.linalg.matrices import affine
from paddle.ops.manipulation.attribute_tensors import ints, known
from paddle.ops.manipulation.creation import fill_any_like
from paddle.ops.manipulation.joining import tile
from paddle.ops.manipulation.search import unique
from paddle.ops.manipulation.slicing import crop_tensor
from paddle.ops.nn.common import lookup_table_v2, one_hot_v2

_LARGEST_LOSS = 1e20  # what the logarithm of a zero counts as


def _expect_trailing_one(name: str, slot: str, shape: tuple) -> None:
    if not shape or shape[-1] not in (1, -1):
        raise InvalidArgumentError(
            f"{name}: the last dimension of {slot} is expected to be 1, but received shape "
            f"{list(shape)}."
        )


# -- ids with a trailing 1 ----------------------------------------------------------------------


def _lookup_rule(inputs: list, attrs: dict) -> list[Spec]:
    w, ids = inputs
    _expect_trailing_one("lookup_table", "Ids", ids.shape)
    return [Spec((*ids.shape[:-1], w.shape[1]), w.dtype)]


@op("lookup_table", "W Ids~ -> Out", lod="Ids", infer=_lookup_rule)
def lookup_table(w, ids, *, padding_idx=-1, is_sparse=False):
    _expect_trailing_one("lookup_table", "Ids", ids.shape)
    return lookup_table_v2(ids.squeeze(-1), w, padding_idx=padding_idx)


@lookup_table.grad("Ids W.shape")
def _(d_out, ids, w_shape, *, padding_idx):
    ids = ids.squeeze(-1)
    return torch.ops.aten.embedding_dense_backward(d_out, ids, w_shape[0], padding_idx, False), None


def _one_hot_rule(inputs: list, attrs: dict) -> list[Spec]:
    depth = attrs["depth"] if inputs[1] is None else -1
    return [Spec((*inputs[0].shape[:-1], depth), VarType(attrs["dtype"]))]


@op("one_hot", "X depth_tensor? -> Out", lod="X", infer=_one_hot_rule, differentiable=False)
def one_hot(x, depth_tensor, *, depth=-1, dtype=5, allow_out_of_range=False):
    _expect_trailing_one("one_hot", "X", x.shape)
    return one_hot_v2(
        x.squeeze(-1), depth_tensor, depth=depth, dtype=dtype, allow_out_of_range=allow_out_of_range
    )


# -- cross entropy of probabilities -------------------------------------------------------------


def _loss_shape(x: tuple, label: tuple) -> tuple:
    """The label's shape, its class dimension, where it has one, being 1."""
    if len(x) not in (len(label), len(label) + 1):
        raise InvalidArgumentError(
            f"cross_entropy: expected Label of {len(x)} or {len(x) - 1} dimensions beside X of "
            f"shape {list(x)}, but received {list(label)}."
        )
    return (*label[:-1], 1) if len(x) == len(label) else tuple(label)


def _safe_labels(x: torch.Tensor, label: torch.Tensor, ignore_index: int) -> tuple:
    """Returns labels of shape [..., 1] that can index, and which of them count."""
    index = label if label.dim() == x.dim() else label.unsqueeze(-1)
    _expect_trailing_one("cross_entropy", "Label", index.shape)
    counted = torch.ne(index, ignore_index)
    return index.masked_fill(~counted, 0).long(), counted


def _picked(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    try:
        return torch.gather(x, -1, index)
    except (IndexError, RuntimeError) as error:
        if "out of bounds" not in str(error):
            raise
        raise OutOfRangeError(
            f"cross_entropy: labels are expected in [0, {x.shape[-1]}), the classes, but received "
            f"values from {int(index.min())} to {int(index.max())}."
        ) from error


def _minus_log(x: torch.Tensor) -> torch.Tensor:
    largest = min(_LARGEST_LOSS, torch.finfo(x.dtype).max)
    return torch.neg(torch.clamp(torch.log(x), -largest, largest))


def _cross_entropy_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, label = inputs
    return [Spec(_loss_shape(x.shape, label.shape), x.dtype)]


@op(
    "cross_entropy",
    "X Label~ -> Y",
    lod="X",
    infer=_cross_entropy_rule,
    dtypes="floats",
    amp="black",
)
def cross_entropy(x, label, *, soft_label=False, ignore_index=-100):
    shape = _loss_shape(x.shape, label.shape)
    if soft_label:
        return torch.sum(torch.mul(label, _minus_log(x)), -1, keepdim=True)
    index, counted = _safe_labels(x, label, ignore_index)
    return torch.mul(_minus_log(_picked(x, index)), counted).reshape(shape)


@cross_entropy.grad("X Label")
def _(d_y, x, label, *, soft_label, ignore_index):
    if soft_label:
        return torch.neg(torch.div(torch.mul(d_y, label), x)), None
    index, counted = _safe_labels(x, label, ignore_index)
    slope = torch.neg(torch.div(d_y.reshape(index.shape), torch.gather(x, -1, index)))
    slope = slope.masked_fill(~counted, 0)
    return torch.zeros_like(x).scatter(-1, index, slope), None


def _cross_entropy2_rule(inputs: list, attrs: dict) -> list:
    x, label = inputs
    y = Spec(_loss_shape(x.shape, label.shape), x.dtype)
    return [y, Spec((*x.shape, 0), x.dtype), Spec((*x.shape[:-1], 1), x.dtype)]


@op(
    "cross_entropy2",
    "X Label~ -> Y XShape?~ MatchX~",
    lod="X",
    infer=_cross_entropy2_rule,
    dtypes="floats",
    amp="black",
)
def cross_entropy2(x, label, *, ignore_index=-100):
    shape = _loss_shape(x.shape, label.shape)
    index, counted = _safe_labels(x, label, ignore_index)
    picked = _picked(x, index)
    loss = _minus_log(picked.masked_fill(~counted, 1))
    return loss.reshape(shape), None, picked.detach().mul(counted)


# -- shapes -------------------------------------------------------------------------------------


def _expand_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, whole, parts = inputs
    times = known(attrs["expand_times"], whole, parts)
    if -1 in times or len(times) != len(x.shape):
        times = times if len(times) == len(x.shape) else [-1] * len(x.shape)
    return [Spec(tuple(-1 if -1 in (n, t) else n * t for n, t in zip(x.shape, times)), x.dtype)]


@op("expand", "X ExpandTimes?~ expand_times_tensor*?~ -> Out", lod="X", infer=_expand_rule)
def expand(x, times_whole=None, times_parts=None, *, expand_times=()):
    times = ints(expand_times, times_whole, times_parts)
    if len(times) != x.dim():
        raise InvalidArgumentError(
            f"expand: expected one entry of expand_times for each of the {x.dim()} dimensions of "
            f"X of shape {list(x.shape)}, but received {list(times)}."
        )
    return tile(x, repeat_times=times)


@expand.grad("X.shape Out.shape")
def _(d_out, x_shape, out_shape):
    return gradient_of(tile).kernel(d_out, x_shape, out_shape)


@op("expand_as", "X target_tensor~ -> Out", infer=lambda i, a: [Spec(i[1].shape, i[0].dtype)])
def expand_as(x, target):
    if x.dim() != target.dim() or any(
        n == 0 or m % n for m, n in zip(target.shape, x.shape, strict=True)
    ):
        raise InvalidArgumentError(
            "expand_as: every dimension of target_tensor is expected to be a multiple of X's, but "
            f"received shapes {list(target.shape)} and {list(x.shape)}."
        )
    return tile(x, repeat_times=[m // n for m, n in zip(target.shape, x.shape, strict=True)])


@expand_as.grad("X.shape Out.shape")
def _(d_out, x_shape, out_shape):
    return gradient_of(tile).kernel(d_out, x_shape, out_shape)[0], None


def _crop_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, y, _ = inputs
    return [Spec(y.shape if y is not None else tuple(attrs["shape"]), x.dtype)]


@op("crop", "X Y?~ Offsets?~ -> Out", infer=_crop_rule)
def crop(x, y=None, offsets_whole=None, *, offsets=(), shape=()):
    size = list(shape) if y is None else list(y.shape)
    return crop_tensor(x, None, None, offsets_whole, None, shape=size, offsets=offsets)


@crop.grad("X.shape Out.shape Offsets")
def _(d_out, x_shape, out_shape, offsets_whole, *, offsets):
    grads = gradient_of(crop_tensor).kernel(
        d_out, x_shape, out_shape, offsets_whole, None, offsets=offsets
    )
    return grads[0], None, None


@op("diag", "Diagonal -> Out",
    infer=lambda i, a: [Spec((i[0].shape[0], i[0].shape[0]), i[0].dtype)])  # fmt: skip
def diag(diagonal):
    if diagonal.dim() != 1:
        raise InvalidArgumentError(
            f"diag: expected one dimension, but received shape {list(diagonal.shape)}."
        )
    return torch.diag_embed(diagonal)


@diag.grad()
def _(d_out):
    return torch.diagonal(d_out)


# -- constants ----------------------------------------------------------------------------------


def _fill_rule(inputs: list, attrs: dict) -> list[Spec]:
    _check_count(attrs["value"], attrs["shape"])
    return [Spec(tuple(attrs["shape"]) or (1,), VarType(attrs["dtype"]))]


def _check_count(value: list, shape: list) -> None:
    if len(value) != prod(shape):
        raise InvalidArgumentError(
            f"fill: expected {prod(shape)} values for shape {list(shape)}, received {len(value)}."
        )


@op("fill", "-> Out", differentiable=False, infer=_fill_rule)
def fill(*, value, shape, dtype=5, force_cpu=False):
    _check_count(value, shape)
    device = torch.device("cpu") if force_cpu else current_device()
    made = torch.tensor(list(value), dtype=torch.float64, device=device)
    return made.to(torch_dtype(dtype)).reshape(list(shape))


@op("fill_any", "X -> Out", infer="same")
def fill_any(x, *, value=0.0):
    return fill_any_like(x, value=value)


@fill_any.grad()
def _(d_out):
    return torch.zeros_like(d_out)


@op("fill_zeros_like2", "X -> Out", lod="X", differentiable=False,
    infer=lambda i, a: [Spec(i[0].shape, VarType(a["dtype"]))])  # fmt: skip
def fill_zeros_like2(x, *, dtype=5):
    return torch.zeros(x.shape, dtype=torch_dtype(dtype), device=x.device)


# -- others -------------------------------------------------------------------------------------


def _counts_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, dtype = inputs[0], VarType(attrs["dtype"])
    return [Spec((-1,), x.dtype), Spec(x.shape, dtype), Spec((-1,), dtype)]


@op("unique_with_counts", "X -> Out Index Count", infer=_counts_rule, differentiable=False)
def unique_with_counts(x, *, dtype):
    if x.dim() != 1:
        raise InvalidArgumentError(
            f"unique_with_counts: expected one dimension, but received shape {list(x.shape)}."
        )
    out, _, index, counts = unique(x, return_counts=True, dtype=dtype)
    return out, index, counts


_FC_ACTIVATIONS = ("", "relu")


def _fc_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, w = inputs[:2]
    columns = w.shape[1] - 4 if attrs["padding_weights"] else w.shape[1]
    return [Spec((*x.shape[: attrs["in_num_col_dims"]], columns), x.dtype)]


@op("fc", "Input W Bias? -> Out", lod="Input", infer=_fc_rule, amp="white")
def fc(x, w, bias, *, in_num_col_dims=1, activation_type="", padding_weights=False):
    if activation_type not in _FC_ACTIVATIONS:
        raise InvalidArgumentError(
            f'fc: activation_type is expected to be "" or "relu", but received {activation_type!r}.'
        )
    if padding_weights:  # four rows and columns more, which only speed up Paddle's own kernel
        w = w[:-4, :-4]
    rows = x.reshape(prod(x.shape[:in_num_col_dims]), prod(x.shape[in_num_col_dims:]))
    out = affine(rows, w, None if bias is None else bias.reshape(-1))
    if activation_type == "relu":
        out = torch.relu(out)
    return out.reshape([*x.shape[:in_num_col_dims], w.shape[1]])
