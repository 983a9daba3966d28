"""Operators that join tensors, take them apart, and repeat them."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from paddle.core.errors import InvalidArgumentError
from paddle.core.infer import Spec, in_range, of_dimensions
from paddle.core.op import op
from paddle.ops.manipulation.attribute_tensors import ints, known
from paddle.ops.manipulation.shape import alias
from paddle.ops.math.elementwise import reduce_to


def _same_dtypes(x: list[torch.Tensor], name: str) -> None:
    first = x[0].dtype
    for i, t in enumerate(x):
        if t.dtype is not first:
            raise InvalidArgumentError(
                f"{name}: all inputs are expected to have one data type, but the first is "
                f"{str(first)[6:]} and number {i} is {str(t.dtype)[6:]}."
            )


# -- concat, split ------------------------------------------------------------------------------


@of_dimensions
def _concat_rule(inputs: list, attrs: dict) -> list:
    x, axis_whole = inputs
    shape = list(x[0].shape)
    if axis_whole is not None:
        return [Spec((-1,) * len(shape), x[0].dtype)]
    axis = in_range(attrs["axis"], len(shape))
    sizes = [t.shape[axis] for t in x]
    for t in x[1:]:
        shape = [b if a == -1 else a for a, b in zip(shape, t.shape)]
    shape[axis] = -1 if -1 in sizes else sum(sizes)
    return [Spec(tuple(shape), x[0].dtype)]


def _wrong_join(name: str, x: list[torch.Tensor], axis: int, rule: str) -> InvalidArgumentError:
    shapes = ", ".join(str(list(t.shape)) for t in x[:8])
    return InvalidArgumentError(
        f"{name}: {rule}, but received shapes {shapes}{', ...' if len(x) > 8 else ''} "
        f"with axis = {axis}."
    )


@op("concat", "X* AxisTensor?~ -> Out", lod="joined", infer=_concat_rule, linear="X")
def concat(x, axis_whole=None, *, axis=0):
    if axis_whole is not None:
        axis = int(axis_whole)
    _same_dtypes(x, "concat")
    try:
        return torch.cat(x, axis)
    except RuntimeError as error:
        raise _wrong_join(
            "concat", x, axis, "all inputs are expected to be equal in rank and in every dimension "
            "except axis"
        ) from error  # fmt: skip


@concat.grad("X.shape AxisTensor")
def _(d_out, x_shapes, axis_whole, *, axis):
    if axis_whole is not None:
        axis = int(axis_whole)
    return torch.split(d_out, [s[axis] for s in x_shapes], axis), None


def _sections(size: int, sections: Sequence[int], num: int, axis: int) -> list:
    """Returns the sizes of the parts of a dimension of ``size`` elements (-1: unknown)."""
    if num:
        if size != -1 and size % num:
            raise InvalidArgumentError(
                f"split: dimension {axis} of {size} elements cannot be divided into {num} equal "
                "parts.",
                hint="give the sizes of the parts as a list",
            )
        return [-1 if size == -1 else size // num] * num
    sections = list(sections)
    open_ends = [i for i, n in enumerate(sections) if n < 0]
    if size == -1:
        return sections
    given = sum(n for n in sections if n >= 0)
    if len(open_ends) > 1 or (given > size if open_ends else given != size):
        raise InvalidArgumentError(
            f"split: the sizes of the parts are expected to add up to {size}, the size of "
            f"dimension {axis} (one of them may be -1), but received {sections}."
        )
    for i in open_ends:
        sections[i] = size - given
    return sections


def _split_rule(inputs: list, attrs: dict) -> list:
    x, axis_whole, parts = inputs
    sections, num = known(attrs["sections"], None, parts), attrs["num"]
    if axis_whole is not None:
        unknown = Spec((-1,) * len(x.shape), x.dtype)
        return [[unknown] * (num or len(sections))]
    axis = in_range(attrs["axis"], len(x.shape))
    sizes = sections if parts else _sections(x.shape[axis], sections, num, axis)
    return [[Spec((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype) for n in sizes]]


@op("split", "X AxisTensor?~ SectionsTensorList*?~ -> Out*", lod="X", infer=_split_rule, linear="X")
def split(x, axis_whole=None, sections_parts=None, *, sections=(), num=0, axis=0):
    if axis_whole is not None:
        axis = int(axis_whole)
    size = x.shape[in_range(axis, x.dim())]
    sizes = _sections(size, ints(sections, None, sections_parts), num, axis)
    return torch.split(x, sizes, axis)


@split.grad("AxisTensor")
def _(d_outs, axis_whole, *, axis):
    axis = axis if axis_whole is None else int(axis_whole)
    return torch.cat(d_outs, axis), None, None


# -- stack, unstack, unbind ---------------------------------------------------------------------


def alike(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes may be one; -1 stands for an unknown size."""
    return len(a) == len(b) and all(-1 in pair or pair[0] == pair[1] for pair in zip(a, b))


_ONE_SHAPE = "all inputs are expected to have one shape"


@of_dimensions
def _stack_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    shape = list(x[0].shape)
    for t in x[1:]:
        if not alike(shape, t.shape):
            raise _wrong_join("stack", x, attrs["axis"], _ONE_SHAPE)
        shape = [b if a == -1 else a for a, b in zip(shape, t.shape)]
    shape.insert(in_range(attrs["axis"], len(shape) + 1), len(x))
    return [Spec(tuple(shape), x[0].dtype)]


@op("stack", "X* -> Y", lod="X", infer=_stack_rule, linear="X")
def stack(x, *, axis=0):
    _same_dtypes(x, "stack")
    try:
        return torch.stack(x, axis)
    except RuntimeError as error:
        raise _wrong_join("stack", x, axis, _ONE_SHAPE) from error


@stack.grad()
def _(d_y, *, axis):
    return torch.unbind(d_y, axis)


def _parts_rule(x: Spec, axis: int, count: int) -> list:
    axis = in_range(axis, len(x.shape))
    count = x.shape[axis] if x.shape[axis] != -1 else count
    if x.shape[axis] == -1 and count < 1:
        raise InvalidArgumentError(
            f"a Tensor of shape {list(x.shape)} cannot be taken apart along axis {axis}: its size "
            "is unknown, so that there is no telling how many results there are."
        )
    shape = (*x.shape[:axis], *x.shape[axis + 1 :]) or (1,)
    return [[Spec(shape, x.dtype)] * count]


@op("unstack", "X -> Y*", infer=lambda i, a: _parts_rule(i[0], a["axis"], a["num"]), linear="X")
def unstack(x, *, axis=0, num=0):
    size = x.shape[in_range(axis, x.dim())]
    if num and num != size:
        raise InvalidArgumentError(
            f"unstack: num is expected to be {size}, the size of dimension {axis}, but received "
            f"{num}."
        )
    return torch.unbind(x, axis)


@unstack.grad("X.shape")
def _(d_ys, x_shape, *, axis):
    return torch.stack(d_ys, axis).reshape(x_shape)


@op("unbind", "X -> Out*", infer=lambda i, a: _parts_rule(i[0], a["axis"], 0), linear="X")
def unbind(x, *, axis=0):
    return torch.unbind(x, axis)


@unbind.grad("X.shape")
def _(d_outs, x_shape, *, axis):
    return torch.stack(d_outs, axis).reshape(x_shape)


# -- tile, expand -------------------------------------------------------------------------------


@of_dimensions
def _tile_rule(inputs: list, attrs: dict) -> list:
    x, whole, parts = inputs
    times = known(attrs["repeat_times"], whole, parts)
    rank = max(len(times), len(x.shape))
    times = [1] * (rank - len(times)) + list(times)
    shape = (1,) * (rank - len(x.shape)) + x.shape
    return [Spec(tuple(-1 if -1 in (n, t) else n * t for n, t in zip(shape, times)), x.dtype)]


@op("tile", "X RepeatTimes?~ repeat_times_tensor*?~ -> Out", infer=_tile_rule, linear="X")
def tile(x, times_whole=None, times_parts=None, *, repeat_times=()):
    times = ints(repeat_times, times_whole, times_parts)
    if any(n <= 0 for n in times):
        raise InvalidArgumentError(
            f"tile: every entry of repeat_times is expected to be positive, but received "
            f"{list(times)}."
        )
    return torch.tile(x, tuple(times))


@tile.grad("X.shape Out.shape")
def _(d_out, x_shape, out_shape):
    rank = len(out_shape)
    sizes = [1] * (rank - len(x_shape)) + list(x_shape)
    blocks = []
    for whole, size in zip(out_shape, sizes):
        blocks += [whole // size if size else 1, size]
    return d_out.reshape(blocks).sum(list(range(0, 2 * rank, 2))).reshape(x_shape), None, None


def _expand_shape(x_shape: tuple, shape: list) -> tuple:
    """The shape that ``x`` is expanded to; -1 keeps a dimension of ``x``."""
    extra = len(shape) - len(x_shape)
    kept = (1,) * extra + tuple(x_shape)
    return tuple(k if n == -1 and i >= extra else n for i, (n, k) in enumerate(zip(shape, kept)))


def _expand_rule(inputs: list, attrs: dict) -> list:
    x, whole, parts = inputs
    return [Spec(_expand_shape(x.shape, known(attrs["shape"], whole, parts)), x.dtype)]


def _expanded(name: str, x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    try:
        return x.expand(shape)
    except RuntimeError as error:
        raise InvalidArgumentError(
            f"{name}: a Tensor of shape {list(x.shape)} cannot be expanded to {list(shape)}: "
            "expected at least as many dimensions, aligned at the last one, each equal to the "
            "input's, or the input's being 1, or -1 to keep it."
        ) from error


@op("expand_v2", "X Shape?~ expand_shapes_tensor*?~ -> Out", infer=_expand_rule, linear="X")
def expand_v2(x, shape_whole=None, shape_parts=None, *, shape=()):
    return _expanded("expand", x, ints(shape, shape_whole, shape_parts))


@expand_v2.grad("X.shape")
def _(d_out, x_shape):
    return reduce_to(d_out, x_shape), None, None


def _expand_as_rule(inputs: list, attrs: dict) -> list:
    x, y = inputs
    shape = y.shape if y is not None else attrs["target_shape"]
    return [Spec(_expand_shape(x.shape, shape), x.dtype)]


@op("expand_as_v2", "X Y?~ -> Out", infer=_expand_as_rule, linear="X | X Y")
def expand_as_v2(x, y=None, *, target_shape=()):
    return _expanded("expand_as", x, target_shape if y is None else y.shape)


@expand_as_v2.grad("X.shape")
def _(d_out, x_shape):
    return reduce_to(d_out, x_shape), None


def _meshgrid_rule(inputs: list, attrs: dict) -> list:
    x = inputs[0]
    return [[Spec(tuple(t.shape[0] for t in x), t.dtype) for t in x]]


@op("meshgrid", "X* -> Out*", infer=_meshgrid_rule)
def meshgrid(x):
    for i, t in enumerate(x):
        if t.dim() != 1:
            raise InvalidArgumentError(
                f"meshgrid: every input is expected to have 1 dimension, but number {i} has shape "
                f"{list(t.shape)}."
            )
    shape = [t.shape[0] for t in x]
    rank = len(shape)
    return [
        alias(t).reshape([-1 if i == k else 1 for k in range(rank)]).expand(shape)
        for i, t in enumerate(x)
    ]


@meshgrid.grad()
def _(d_outs):
    rank = len(d_outs)
    if rank == 1:
        return list(d_outs)
    return [d.sum([k for k in range(rank) if k != i]) for i, d in enumerate(d_outs)]
