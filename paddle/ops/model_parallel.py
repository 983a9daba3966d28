"""Operators of models whose parts lie in several processes: columns, tables and classes divided."""

from __future__ import annotations

from typing import Any

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec
from paddle.core.op import op
from paddle.ops.collective import members, positive, ring_of


@op("c_identity", "X -> Out", infer="same", lod="X")
def c_identity(x, *, ring_id=0, use_calc_stream=True, use_model_parallel=True):
    """X; its gradient is the sum over the parts that read it."""
    return x.view_as(x)


@c_identity.grad()
def _(d_out, *, ring_id):
    return ring_of(ring_id, d_out).all_reduce(d_out)


def _columns(name: str, shape: Any, rank: int, nranks: int) -> int:
    """How many columns each part has; -1 where that is not known."""
    positive(name, nranks)
    if not len(shape) or (shape[-1] >= 0 and shape[-1] % nranks) or not 0 <= rank < nranks:
        raise InvalidArgumentError(
            f"{name}: expected X of a last dimension that {nranks} processes can divide, and rank "
            f"to be one of them, but received shape {list(shape)} and rank {rank}."
        )
    return shape[-1] // nranks if shape[-1] >= 0 else -1


def _joined(inputs: list, attrs: dict) -> list[Spec]:
    x, count = inputs[0], positive("c_concat", attrs["nranks"])
    if not x.shape:
        raise InvalidArgumentError("c_concat: expected X with columns, but received a number.")
    last = x.shape[-1] * count if x.shape[-1] >= 0 else -1
    return [Spec((*x.shape[:-1], last), x.dtype)]


def _beside_each_other(x: torch.Tensor, ring_id: int, nranks: int) -> torch.Tensor:
    ring = ring_of(ring_id, x)
    members("c_concat", nranks, ring, x)
    return torch.cat([x] * nranks if x.is_meta else ring.all_gather(x), -1)


def _own_columns(x: torch.Tensor, rank: int, nranks: int) -> torch.Tensor:
    count = _columns("c_split", x.shape, rank, nranks)
    return x[..., rank * count : (rank + 1) * count]


@op("c_concat", "X -> Out", infer=_joined, effects=True)
def c_concat(
    x, *, rank=0, nranks=1, ring_id=0, use_calc_stream=True, use_model_parallel=True,
):  # fmt: skip
    """The columns of all members beside each other."""
    return _beside_each_other(x, ring_id, positive("c_concat", nranks))


@c_concat.grad()
def _(d_out, *, rank, nranks):
    return _own_columns(d_out, rank, nranks)


def _split_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    last = _columns("c_split", x.shape, attrs["rank"], attrs["nranks"])
    return [Spec((*x.shape[:-1], last), x.dtype)]


@op("c_split", "X -> Out", infer=_split_rule)
def c_split(
    x, *, rank=0, nranks=1, ring_id=0, use_calc_stream=False, use_model_parallel=True,
):  # fmt: skip
    """The columns of this member."""
    return _own_columns(x, rank, nranks)


@c_split.grad()
def _(d_out, *, ring_id, nranks):
    return _beside_each_other(d_out, ring_id, nranks)


# -- a table whose rows are divided ----------------------------------------------------------------


def _table(w: Any, ids: Any) -> None:
    if len(w.shape) != 2:
        raise InvalidArgumentError(
            f"c_embedding: expected W to be a matrix, but received shape {list(w.shape)}."
        )


def _found_rows(inputs: list, attrs: dict) -> list[Spec]:
    w, ids = inputs
    _table(w, ids)
    return [Spec((*ids.shape, w.shape[1]), w.dtype)]


def _local(ids: torch.Tensor, start: int, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers counted from the first row of this part, and which of them are here."""
    at = ids - start
    here = (at >= 0) & (at < rows)
    return torch.where(here, at, torch.zeros_like(at)), here


@op("c_embedding", "W Ids~ -> Out", infer=_found_rows)
def c_embedding(w, ids, *, start_index=0, vocab_size=-1):
    """The rows of a part of a table that begins at row ``start_index``; zeros for the others."""
    _table(w, ids)
    if not w.shape[0]:
        return w.new_zeros((*ids.shape, w.shape[1]))
    at, here = _local(ids, start_index, w.shape[0])
    return torch.where(here.unsqueeze(-1), w[at], w.new_zeros(()))


@c_embedding.grad("W.shape Ids")
def _(d_out, shape, ids, *, start_index):
    if not shape[0]:
        return d_out.new_zeros(tuple(shape)), None
    at, here = _local(ids, start_index, shape[0])
    values = torch.where(here.unsqueeze(-1), d_out, d_out.new_zeros(()))
    made = d_out.new_zeros(tuple(shape))
    return made.index_add(0, at.reshape(-1), values.reshape(at.numel(), shape[1])), None


# -- classes that are divided ----------------------------------------------------------------------


def _labels(logits: Any, label: Any) -> None:
    rows = tuple(logits.shape[:-1])
    if len(logits.shape) < 2 or tuple(label.shape) not in (rows, (*rows, 1)):
        raise InvalidArgumentError(
            "c_softmax_with_cross_entropy: expected Logits of rank >= 2 and a Label for each row, "
            f"but received shapes {list(logits.shape)} and {list(label.shape)}."
        )


def _loss_rule(inputs: list, attrs: dict) -> list[Spec]:
    logits, label = inputs
    if -1 not in (*logits.shape, *label.shape):
        _labels(logits, label)
    return [logits, Spec((*logits.shape[:-1], 1), logits.dtype)]


def _own_class(label: torch.Tensor, logits: torch.Tensor, rank: int) -> Any:
    classes = logits.shape[-1]
    return _local(label.reshape(*logits.shape[:-1], 1), rank * classes, classes)


@op(
    "c_softmax_with_cross_entropy",
    "Logits Label~ -> Softmax~ Loss",
    infer=_loss_rule,
    effects=True,
    dtypes="floats",
    amp="black",
)
def c_softmax_with_cross_entropy(logits, label, *, ignore_index=-100, ring_id=0, rank=0, nranks=0):
    """Softmax over the classes of all members, and the loss of each row."""
    _labels(logits, label)
    ring = ring_of(ring_id, logits)
    if nranks > 1:
        members("c_softmax_with_cross_entropy", nranks, ring, logits)
    greatest = ring.all_reduce(logits.amax(-1, keepdim=True), 1)
    shifted = logits - greatest
    powers = torch.exp(shifted)
    total = ring.all_reduce(powers.sum(-1, keepdim=True))
    at, here = _own_class(label, logits, rank)
    mine = torch.where(here, shifted.gather(-1, at), shifted.new_zeros(()))
    loss = torch.log(total) - ring.all_reduce(mine)
    ignored = label.reshape(loss.shape) == ignore_index
    return powers / total, torch.where(ignored, loss.new_zeros(()), loss)


@c_softmax_with_cross_entropy.grad("Softmax Label")
def _(d_loss, softmax, label, *, ignore_index, rank):
    at, here = _own_class(label, softmax, rank)
    chosen = torch.zeros_like(softmax).scatter(-1, at, here.to(softmax.dtype))
    ignored = label.reshape(d_loss.shape) == ignore_index
    return (softmax - chosen) * torch.where(ignored, d_loss.new_zeros(()), d_loss), None
