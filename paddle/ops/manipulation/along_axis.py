"""Along one axis: gather and scatter, searches, running products, repeats."""

from __future__ import annotations

import functools

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError, OutOfRangeError
from paddle.core.infer import Spec, broadcast_shapes
from paddle.core.op import op
from paddle.ops.manipulation.joining import in_range
from paddle.ops.math.elementwise import reduce_to

# -- by an index of the same rank ---------------------------------------------------------------


def _expect_index(name: str, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    if index.dtype not in (torch.int32, torch.int64) or index.dim() != x.dim():
        raise InvalidArgumentError(
            f"{name}: Index is expected to be int32 or int64 with {x.dim()} dimensions like the "
            f"input of shape {list(x.shape)}, but received {str(index.dtype)[6:]} of shape "
            f"{list(index.shape)}."
        )
    return index.long()


def _outside(name: str, index: torch.Tensor, size: int) -> OutOfRangeError:
    return OutOfRangeError(
        f"{name}: indices are expected in [0, {size}), but they span "
        f"[{int(index.min())}, {int(index.max())}]."
    )


def _taken_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(inputs[1].shape, inputs[0].dtype)]


@op("take_along_axis", "Input Index~ -> Result", infer=_taken_rule)
def take_along_axis(x, index, *, Axis):
    index = _expect_index("take_along_axis", x, index)
    axis = in_range(Axis, x.dim())
    try:
        return torch.gather(x, axis, index)
    except (IndexError, RuntimeError) as error:
        if "out of bounds" in str(error):
            raise _outside("take_along_axis", index, x.shape[axis]) from error
        raise


@take_along_axis.grad("Input.shape Index")
def _(d_out, x_shape, index, *, Axis):
    zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return zeros.scatter_add(Axis, index.long(), d_out), None


_REDUCTIONS = {
    "add": "sum", "mul": "prod", "multiply": "prod", "mean": "mean", "amax": "amax", "amin": "amin"
}  # fmt: skip


@op("put_along_axis", "Input Index~ Value -> Result", infer="same")
def put_along_axis(x, index, value, *, Axis, Reduce="assign", Include_self=True):
    index = _expect_index("put_along_axis", x, index)
    axis = in_range(Axis, x.dim())
    value = value.expand(index.shape)
    try:
        if Reduce in ("assign", ""):
            return torch.scatter(x, axis, index, value)
        if Reduce not in _REDUCTIONS:
            raise InvalidArgumentError(
                f"put_along_axis: Reduce is expected to be assign or one of {sorted(_REDUCTIONS)}, "
                f"but received {Reduce!r}."
            )
        how = _REDUCTIONS[Reduce]
        return torch.scatter_reduce(x, axis, index, value, how, include_self=Include_self)
    except (IndexError, RuntimeError) as error:
        if "out of bounds" in str(error):
            raise _outside("put_along_axis", index, x.shape[axis]) from error
        raise


@op("index_add", "X Index~ AddValue -> Out", infer="same", rank0=False)
def index_add(x, index, value, *, axis=0):
    axis = in_range(axis, x.dim())
    if index.numel() and not x.shape[axis]:  # torch says nothing where nothing can be added to
        raise _outside("index_add", index, 0)
    try:
        return torch.index_add(x, axis, index, value)
    except (IndexError, RuntimeError) as error:
        if "out of range" in str(error) or "out of bounds" in str(error):
            raise _outside("index_add", index, x.shape[axis]) from error
        raise


@index_add.grad("Index")
def _(d_out, index, *, axis, needs_grad):
    return d_out, None, torch.index_select(d_out, axis, index) if needs_grad[2] else None


# -- order --------------------------------------------------------------------------------------


def _found_rule(inputs: list, attrs: dict) -> list[Spec]:
    return [Spec(inputs[1].shape, VarType.INT32 if attrs["out_int32"] else VarType.INT64)]


@op("searchsorted", "SortedSequence Values -> Out", infer=_found_rule, differentiable=False)
def searchsorted(sequence, values, *, out_int32=False, right=False):
    if sequence.dim() != 1 and sequence.shape[:-1] != values.shape[:-1]:
        raise InvalidArgumentError(
            "searchsorted: SortedSequence is expected to have one dimension, or all but the last "
            f"one like Values, but received shapes {list(sequence.shape)} and {list(values.shape)}."
        )
    return torch.searchsorted(
        sequence.contiguous(), values.contiguous(), out_int32=out_int32, right=right
    )


def _one_kept(inputs: list, attrs: dict) -> list[Spec]:
    """One element is left of the axis: of the values and of their positions."""
    x = inputs[0]
    axis = in_range(attrs["axis"], len(x.shape))
    shape = (*x.shape[:axis], *((1,) if attrs["keepdim"] else ()), *x.shape[axis + 1 :]) or (1,)
    return [Spec(shape, x.dtype), Spec(shape, VarType.INT64)]


def _put_back(d_out, x_shape, indices, axis, keepdim):
    if not keepdim:
        shape = [1 if i == axis % len(x_shape) else n for i, n in enumerate(x_shape)]
        d_out, indices = d_out.reshape(shape), indices.reshape(shape)
    zeros = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return zeros.scatter(axis, indices, d_out)


@op("kthvalue", "X -> Out Indices~", infer=_one_kept)
def kthvalue(x, *, k=1, axis=-1, keepdim=False):
    size = x.shape[in_range(axis, x.dim())]
    if not 1 <= k <= size:
        raise InvalidArgumentError(
            f"kthvalue: k is expected in [1, {size}], the size of dimension {axis} of shape "
            f"{list(x.shape)}, but received {k}."
        )
    values, indices = torch.kthvalue(x, k, axis, keepdim)
    return values, indices


@kthvalue.grad("X.shape Indices")
def _(d_out, x_shape, indices, *, axis, keepdim):
    return _put_back(d_out, x_shape, indices, axis, keepdim)


@op("mode", "X -> Out Indices~", infer=_one_kept)
def mode(x, *, axis=-1, keepdim=False):
    if not x.shape[in_range(axis, x.dim())]:
        raise InvalidArgumentError(
            f"mode: expected at least one element along axis {axis} of shape {list(x.shape)}."
        )
    ordered, places = torch.sort(x, dim=axis, stable=True)
    # The end of the longest run, the first of several: there its length is counted up fully.
    count = torch.ones(ordered.shape, dtype=torch.int64, device=x.device)
    size = x.shape[axis]
    again = torch.eq(ordered.narrow(axis, 1, size - 1), ordered.narrow(axis, 0, size - 1))
    steps = torch.cumsum(count, axis)
    start = steps.narrow(axis, 1, size - 1).masked_fill(again, 0)
    start = torch.cat([count.narrow(axis, 0, 1), start], axis)
    runs = steps - torch.cummax(start, axis)[0]
    at = torch.argmax(runs, axis, keepdim=True)
    values, indices = torch.gather(ordered, axis, at), torch.gather(places, axis, at)
    return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))


@mode.grad("X.shape Indices")
def _(d_out, x_shape, indices, *, axis, keepdim):
    return _put_back(d_out, x_shape, indices, axis, keepdim)


# -- running ------------------------------------------------------------------------------------


@op("cumprod", "X -> Out", infer="same")
def cumprod(x, *, dim):
    return torch.cumprod(x, in_range(dim, x.dim(), "cumprod: dim"), dtype=x.dtype)


def _flat_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    if not attrs["flatten"]:
        return [x]
    size = 1
    for n in x.shape:
        size = -1 if -1 in (n, size) else size * n
    return [Spec((size,), x.dtype)]


@op("logcumsumexp", "X -> Out", infer=_flat_rule)
def logcumsumexp(x, *, axis=-1, flatten=False, exclusive=False, reverse=False):
    if flatten:
        x, axis = x.reshape(-1), 0
    axis = in_range(axis, x.dim(), "logcumsumexp: axis")
    if reverse:
        x = torch.flip(x, [axis])
    if exclusive and x.shape[axis]:  # nothing has been added before the first element
        low = torch.finfo(x.dtype).min
        first = torch.full_like(x.narrow(axis, 0, 1), low)
        x = torch.cat([first, x.narrow(axis, 0, x.shape[axis] - 1)], axis)
    out = torch.logcumsumexp(x, axis)
    return torch.flip(out, [axis]) if reverse else out


# -- repeated and distinct elements -------------------------------------------------------------


def _repeat_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, repeats = inputs
    axis = in_range(attrs["dim"], len(x.shape))
    size = x.shape[axis]
    size = -1 if repeats is not None or size == -1 else size * attrs["Repeats"]
    return [Spec((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)]


@op("repeat_interleave", "X RepeatsTensor?~ -> Out", infer=_repeat_rule)
def repeat_interleave(x, repeats=None, *, Repeats=0, dim=0):
    axis = in_range(dim, x.dim())
    if repeats is None and Repeats <= 0:
        raise InvalidArgumentError(
            f"repeat_interleave: Repeats is expected to be positive, but received {Repeats}."
        )
    if repeats is not None and repeats.numel() not in (1, x.shape[axis]):
        raise InvalidArgumentError(
            f"repeat_interleave: expected one number of repeats for each of the {x.shape[axis]} "
            f"elements of dimension {axis}, but received {repeats.numel()}."
        )
    return torch.repeat_interleave(x, Repeats if repeats is None else repeats, axis)


def _consecutive_rule(inputs: list, attrs: dict) -> list:
    x, dtype = inputs[0], VarType(attrs["dtype"])
    values, size = Spec((-1,), x.dtype), -1
    if attrs["axis"]:
        at = in_range(attrs["axis"][0], len(x.shape))
        values = Spec((*x.shape[:at], -1, *x.shape[at + 1 :]), x.dtype)
    length = Spec((size,), dtype)
    return [
        values,
        length if attrs["return_inverse"] else None,
        length if attrs["return_counts"] else None,
    ]


@op(
    "unique_consecutive",
    "X -> Out Index? Counts?",
    infer=_consecutive_rule,
    differentiable=False,
)
def unique_consecutive(x, *, return_inverse=False, return_counts=False, axis=(), dtype=5):
    along = in_range(axis[0], x.dim()) if len(axis) else None
    out, inverse, counts = torch.unique_consecutive(
        x, return_inverse=True, return_counts=True, dim=along
    )
    kind = torch_dtype(dtype)
    return (
        out,
        inverse.reshape(-1).to(kind) if return_inverse else None,
        counts.to(kind) if return_counts else None,
    )


# -- one shape for all --------------------------------------------------------------------------


@op("broadcast_tensors", "X* -> Out*", infer=lambda i, a: [_all_broadcast(i[0])])
def broadcast_tensors(x):
    shape = functools.reduce(broadcast_shapes, (t.shape for t in x))
    return [t.expand(shape) for t in x]


def _all_broadcast(specs: list) -> list[Spec]:
    shape: tuple = ()
    for spec in specs:
        shape = broadcast_shapes(shape, spec.shape)
    return [Spec(shape, spec.dtype) for spec in specs]


@broadcast_tensors.grad("X.shape")
def _(d_outs, shapes):
    return [
        None if d is None else reduce_to(d, shape) for d, shape in zip(d_outs, shapes, strict=True)
    ]
