"""Strided and reinterpreted views, index writes, diagonals, bin counts, cummax and cummin."""

from __future__ import annotations

import math

import torch

from paddle.core.dtype import VarType, torch_dtype
from paddle.core.errors import InvalidArgumentError, InvalidTypeError, OutOfRangeError
from paddle.core.infer import Spec, in_range
from paddle.core.op import op

# -- views --------------------------------------------------------------------------------------


@op("as_strided", "input -> out", infer=lambda i, a: [Spec(tuple(a["dims"]), i[0].dtype)])
def as_strided(x, *, dims=(), stride=(), offset=0):
    """Elements at steps of ``stride`` through the memory of x; ``offset`` counts bytes."""
    size = x.element_size()
    if not dims or len(dims) != len(stride) or min(dims) < 0 or min(stride) < 0 or offset < 0:
        raise InvalidArgumentError(
            "as_strided: expected dims and stride of one length and an offset, none of them "
            f"negative, but received {list(dims)}, {list(stride)} and {offset}."
        )
    if offset % size:
        raise InvalidArgumentError(
            f"as_strided: offset is expected to be a multiple of {size}, the bytes of an element, "
            f"but received {offset}."
        )
    last = offset // size + sum((n - 1) * step for n, step in zip(dims, stride, strict=True))
    if 0 not in dims and last >= x.numel():
        raise InvalidArgumentError(
            f"as_strided: expected elements of a tensor of {x.numel()}, but dims, stride and "
            f"offset reach number {last}."
        )
    flat = x.reshape(-1)
    return flat.as_strided(list(dims), list(stride), flat.storage_offset() + offset // size)


def _view_shape_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, dims = inputs[0], list(attrs["dims"])
    if -1 in dims and -1 not in x.shape:
        rest = math.prod(n for n in dims if n != -1)
        dims[dims.index(-1)] = math.prod(x.shape) // rest if rest else -1
    return [Spec(tuple(dims) or (1,), x.dtype)]


@op("view_shape", "input -> out", infer=_view_shape_rule)
def view_shape(x, *, dims=()):
    """The same elements in another shape; one size may be -1, what is left."""
    known = math.prod(n for n in dims if n != -1)
    fits = x.numel() == known if -1 not in dims else bool(known) and x.numel() % known == 0
    if not fits or min(dims, default=0) < -1 or list(dims).count(-1) > 1:
        raise InvalidArgumentError(
            f"view_shape: expected dims for {x.numel()} elements, as in shape {list(x.shape)}, at "
            f"most one of them -1, but received {list(dims)}."
        )
    return x.reshape(list(dims))


@view_shape.grad("input.shape")
def _(d_out, shape):
    return d_out.reshape(shape)


def _view_dtype_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, dtype = inputs[0], VarType(attrs["dtype"])
    old, new = torch_dtype(x.dtype).itemsize, torch_dtype(dtype).itemsize
    size = x.shape[-1]
    return [Spec((*x.shape[:-1], size if size == -1 else size * old // new), dtype)]


@op("view_dtype", "input -> out", infer=_view_dtype_rule, differentiable=False)
def view_dtype(x, *, dtype):
    """The same bytes, read as another data type; the last axis shrinks or grows."""
    kind = torch_dtype(dtype)
    if x.shape[-1] * x.element_size() % kind.itemsize:
        raise InvalidArgumentError(
            f"view_dtype: expected the last axis to hold a multiple of {kind.itemsize} bytes, but "
            f"it holds {x.shape[-1]} of {x.element_size()} each."
        )
    if not x.numel():
        size = x.shape[-1] * x.element_size() // kind.itemsize
        return torch.empty(*x.shape[:-1], size, dtype=kind, device=x.device)
    out = x.contiguous().view(kind)
    return out.clone() if out is x else out


def _tensor_unfold_rule(inputs: list, attrs: dict) -> list[Spec]:
    x, size = inputs[0], attrs["size"]
    axis = in_range(attrs["axis"], len(x.shape))
    count = -1 if x.shape[axis] == -1 else (x.shape[axis] - size) // attrs["step"] + 1
    return [Spec((*x.shape[:axis], count, *x.shape[axis + 1 :], size), x.dtype)]


@op("tensor_unfold", "input -> out", infer=_tensor_unfold_rule)
def tensor_unfold(x, *, axis, size, step):
    """Windows along one axis; their elements are a new last axis."""
    place = in_range(axis, x.dim())
    if not 1 <= size <= x.shape[place] or step < 1:
        raise InvalidArgumentError(
            f"tensor_unfold: size is expected to be in range of [1, {x.shape[place]}] and step to "
            f"be positive, but received {size} and {step}."
        )
    return x.unfold(place, size, step)


# -- diagonals ----------------------------------------------------------------------------------


def _two_axes(name: str, rank: int, first: int, second: int) -> tuple[int, int]:
    a, b = in_range(first, rank), in_range(second, rank)
    if a == b:
        raise InvalidArgumentError(
            f"{name}: expected two axes that differ, but received {first} and {second}."
        )
    return a, b


def _length(rows: int, columns: int, offset: int) -> int:
    """How many elements a diagonal has; -1 for not known."""
    if -1 in (rows, columns):
        return -1
    return max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)


def _diagonal_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    a, b = _two_axes("diagonal", len(x.shape), attrs["axis1"], attrs["axis2"])
    rest = [n for i, n in enumerate(x.shape) if i not in (a, b)]
    return [Spec((*rest, _length(x.shape[a], x.shape[b], attrs["offset"])), x.dtype)]


@op("diagonal", "Input -> Out", infer=_diagonal_rule)
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """The diagonals of the matrices that two axes make, as a new last axis."""
    a, b = _two_axes("diagonal", x.dim(), axis1, axis2)
    return torch.diagonal(x, offset, a, b)


@op("fill_diagonal_tensor", "X Y -> Out", infer=lambda i, a: i[:1])
def fill_diagonal_tensor(x, y, *, offset=0, dim1=0, dim2=1):
    """X with Y on the diagonals of the matrices that two axes make."""
    a, b = _two_axes("fill_diagonal_tensor", x.dim(), dim1, dim2)
    expected = torch.diagonal(x, offset, a, b).shape
    if y.shape != expected:
        raise InvalidArgumentError(
            f"fill_diagonal_tensor: expected Y of shape {list(expected)}, that of the diagonals of "
            f"X of shape {list(x.shape)}, but received {list(y.shape)}."
        )
    if y.dtype is not x.dtype:
        raise InvalidTypeError(
            "fill_diagonal_tensor: no kernel for these data types: expected X and Y of one data "
            f"type, but received {str(x.dtype)[6:]} and {str(y.dtype)[6:]}."
        )
    return torch.diagonal_scatter(x, y, offset, a, b)


# -- writing by index ---------------------------------------------------------------------------


def _check_indices(x: torch.Tensor, indices: list[torch.Tensor]) -> None:
    used = sum(i.dim() if i.dtype is torch.bool else 1 for i in indices)
    if used > x.dim():
        raise InvalidArgumentError(
            f"index_put: expected indices of at most {x.dim()} axes, but received {used}."
        )
    for axis, index in enumerate(indices):
        whole = index.dtype in (torch.int64, torch.int32)
        if not whole and index.dtype is not torch.bool:
            raise InvalidTypeError(
                "index_put: no kernel for these data types: expected indices of int32, int64 or "
                f"bool, but received {str(index.dtype)[6:]}."
            )
        if not whole:
            return  # masks check themselves, and number the axes behind them otherwise
        if index.numel() and not index.is_meta:
            low, high, size = int(index.min()), int(index.max()), x.shape[axis]
            if low < -size or high >= size:
                raise OutOfRangeError(
                    f"index_put: expected indices in [{-size}, {size}) for axis {axis}, but they "
                    f"span [{low}, {high}]."
                )


@op("index_put", "x indices*~ value -> out", infer=lambda i, a: i[:1])
def index_put(x, indices, value, *, accumulate=False):
    """x with ``value``, which broadcasts, at the places of ``indices``, or added to them."""
    _check_indices(x, indices)
    if value.dtype is not x.dtype:
        raise InvalidTypeError(
            "index_put: no kernel for these data types: expected x and value of one data type, "
            f"but received {str(x.dtype)[6:]} and {str(value.dtype)[6:]}."
        )
    return torch.index_put(x, tuple(i.long() if i.dtype is torch.int32 else i for i in indices),
                           value, accumulate)  # fmt: skip


# -- counting, running extremes -----------------------------------------------------------------


def _bincount_rule(inputs: list, attrs: dict) -> list[Spec]:
    weights = inputs[1]
    if weights is None:
        return [Spec((-1,), VarType.INT64)]
    single = weights.dtype is VarType.FP32
    return [Spec((-1,), VarType.FP32 if single else VarType.FP64)]


@op("bincount", "X Weights? -> Out", infer=_bincount_rule, differentiable=False)
def bincount(x, weights, *, minlength=0):
    """How often each number from 0 on occurs, or the sum of its weights; nothing of nothing."""
    if x.dtype.is_floating_point or x.dtype in (torch.bool, torch.complex64, torch.complex128):
        raise InvalidTypeError(
            f"bincount: no kernel for these data types: expected integers, got {str(x.dtype)[6:]}."
        )
    if x.dim() != 1 or (weights is not None and weights.shape != x.shape):
        came = "" if weights is None else f" and Weights of shape {list(weights.shape)}"
        raise InvalidArgumentError(
            "bincount: expected X of one dimension and Weights, if any, of the same shape, but "
            f"received X of shape {list(x.shape)}{came}."
        )
    if minlength < 0:
        raise InvalidArgumentError(
            f"bincount: minlength is expected not to be negative, but received {minlength}."
        )
    if x.numel() and int(x.min()) < 0:
        raise InvalidArgumentError(
            f"bincount: expected no negative numbers, but received {int(x.min())}."
        )
    if not x.numel():
        minlength = 0  # as in PaddlePaddle
    if weights is None:
        return torch.bincount(x, minlength=minlength)
    kind = torch.float32 if weights.dtype is torch.float32 else torch.float64
    return torch.bincount(x, weights.to(kind), minlength)


def _running_rule(inputs: list, attrs: dict) -> list[Spec]:
    x = inputs[0]
    in_range(attrs["axis"], len(x.shape))
    return [x, Spec(x.shape, VarType(attrs["dtype"]))]


def _running(name: str, find, x, axis: int, dtype: int):
    if dtype not in (VarType.INT32, VarType.INT64):
        raise InvalidArgumentError(
            f"{name}: dtype is expected to be int32 or int64, but received {VarType(dtype)}."
        )
    values, indices = find(x, in_range(axis, x.dim()))
    return values, indices.to(torch_dtype(dtype))


@op("cummax", "x -> out indices~", infer=_running_rule, dtypes="not complex")
def cummax(x, *, axis=-1, dtype=3):
    """The largest element so far, and the last place where it was."""
    return _running("cummax", torch.cummax, x, axis, dtype)


@op("cummin", "x -> out indices~", infer=_running_rule, dtypes="not complex")
def cummin(x, *, axis=-1, dtype=3):
    """The smallest element so far, and the last place where it was."""
    return _running("cummin", torch.cummin, x, axis, dtype)


def _put_back(d_out, x_shape, indices, *, axis):
    blank = torch.zeros(x_shape, dtype=d_out.dtype, device=d_out.device)
    return blank.scatter_add(axis, indices.long(), d_out)


cummax.grad("x.shape indices")(_put_back)
cummin.grad("x.shape indices")(_put_back)
