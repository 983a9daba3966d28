"""Layers that change shapes, select and join, where sizes and places may be Tensors."""

from __future__ import annotations

import builtins
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.fluid.input import one_hot_by
from paddle.fluid.layers import rows, slicing
from paddle.fluid.layers.common import (
    API,
    check_value,
    filled,
    fresh,
    is_static,
    is_value,
    known,
    listed,
    sizes,
)  # fmt: skip
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.current import default_main_program
from paddle.tensor.inplace import replace

__all__ = [
    "affine_grid", "concat", "expand", "nonzero", "one_hot", "reshape", "roll", "scatter_nd",
    "split", "topk", "unsqueeze", "unstack",
]  # fmt: skip


def reshape(
    x: Any, shape: Any, actual_shape: Any = None, act: Any = None, inplace: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The same elements in another shape.

    Args:
        x (Variable): the elements.
        shape (list|tuple|Variable): the sizes; one may be -1, which is computed, 0 takes that of
            x, and some may be Variables.
        actual_shape (Variable, optional): the shape as a run has it.
        act (str, optional): name of an activation.
        inplace (bool): the result is in the variable of x. Default: False.
        name (str, optional): what the results are named after.

    Returns:
        Variable: the result; with ``inplace`` and no ``act``, x.

    Raises:
        TypeError: the shape is no list, tuple or Variable.
        ValueError: two sizes are -1, a 0 where x has no size, or another negative number.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 4, 6])
            print(fluid.layers.reshape(x, shape=[0, -1]).shape)  # (-1, 24)
            paddle.disable_static()
    """
    check_value("reshape", "x", x)
    helper = LayerHelper("reshape2", act=act, name=name)
    wanted = sizes(helper.name, shape, "reshape", "shape")
    whole, parts = wanted.whole, wanted.parts
    if actual_shape is not None:
        check_value("reshape", "actual_shape", actual_shape).stop_gradient = True
        whole, parts = actual_shape, None
    if isinstance(whole, Tensor):  # actual_shape in dynamic mode
        wanted, whole = sizes("", whole, "reshape", "actual_shape"), None
    _shape_fits(x, wanted.ints)
    if not inplace:
        made = helper.call("reshape2", x, whole, parts, shape=wanted.ints)
        return helper.append_activation(made[0] if isinstance(made, tuple) else made)
    return helper.append_activation(_in_place(helper, x, whole, parts, wanted.ints))


def _shape_fits(x: Any, shape: list[int]) -> None:
    unknown = shape.count(-1)
    for i, size in enumerate(shape):
        if size == 0 and i >= len(x.shape):
            raise InvalidArgumentError(
                f"{API}reshape(shape): expected no 0 in place {i}, since x has {len(x.shape)} "
                f"dimensions, but received {shape}."
            )
        if size < -1 or (size == -1 and unknown > 1):
            raise InvalidArgumentError(
                f"{API}reshape(shape): expected sizes >= 0 and one -1, but received {shape}."
            )


def _in_place(helper: LayerHelper, x: Any, whole: Any, parts: Any, shape: list[int]) -> Any:
    """The reshaped elements in the variable of x itself."""
    if not is_static():
        made = helper.call("reshape2", x, whole, parts, shape=shape)
        return replace(x, made[0] if isinstance(made, tuple) else made)
    inputs = {"X": x, "Shape": whole, "ShapeTensor": parts}
    default_main_program().current_block().append_op(
        type="reshape2", inputs={k: v for k, v in inputs.items() if v is not None},
        outputs={"Out": [x], "XShape": [fresh(helper.name, x.dtype)]}, attrs={"shape": shape},
    )  # fmt: skip
    return x


def unsqueeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """Puts dimensions of size 1 in.

    Args:
        input (Variable): the elements.
        axes (int|list|Variable): where they are in the result; some may be Variables.
        name (str, optional): what the results are named after.

    Returns:
        Variable: with as many dimensions more.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.unsqueeze(x, [1]).shape)  # (-1, 1, 3)
            paddle.disable_static()
    """
    helper = LayerHelper("unsqueeze2", name=name)
    given = [axes] if isinstance(axes, int) else axes
    wanted = sizes(helper.name, given, "unsqueeze", "axes")
    made = helper.call("unsqueeze2", input, wanted.whole, wanted.parts, axes=wanted.ints)
    return made[0] if isinstance(made, tuple) else made


def expand(x: Any, expand_times: Any, name: str | None = None) -> Any:
    """Repeats a Tensor along its dimensions; 2.0 calls it ``tile``.

    Args:
        x (Variable): of at most 6 dimensions.
        expand_times (list|tuple|Variable): how often; some may be Variables.
        name (str, optional): what the result is named after.

    Returns:
        Variable: each size multiplied.

    Raises:
        ValueError: a number below 1.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [2, 3])
            print(fluid.layers.expand(x, [2, 1]).shape)  # (4, 3)
            paddle.disable_static()
    """
    helper = LayerHelper("expand", name=name)
    wanted = sizes(helper.name, expand_times, "expand", "expand_times")
    if any(n < 1 for n in wanted.ints) and wanted.parts is None:
        raise InvalidArgumentError(
            f"{API}expand(expand_times): expected numbers >= 1, but received {wanted.ints}."
        )
    return helper.call("expand", x, wanted.whole, wanted.parts, expand_times=wanted.ints)


def concat(input: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Puts Tensors one behind the other along a dimension.

    Args:
        input (list[Variable]): of the same other sizes.
        axis (int|Variable): the dimension. Default: 0.
        name (str, optional): what the result is named after.

    Returns:
        Variable: all of them.

    Raises:
        TypeError: something in the list is no Variable.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3])
            print(fluid.layers.concat([x, x], axis=1).shape)  # (-1, 6)
            paddle.disable_static()
    """
    given = listed(input)
    helper = LayerHelper("concat", name=name)
    if is_value(axis) and is_static():
        axis.stop_gradient = True
        return helper.call("concat", given, axis)
    return helper.call("concat", given, None, axis=int(axis))


def split(input: Any, num_or_sections: Any, dim: Any = -1, name: str | None = None) -> Any:
    """Cuts a Tensor into parts along a dimension.

    Args:
        input (Variable): what is cut.
        num_or_sections (int|list|tuple): how many equal parts, or the size of each; one may be -1,
            some may be Variables.
        dim (int|Variable): the dimension. Default: -1.
        name (str, optional): what the results are named after.

    Returns:
        list[Variable]: the parts.

    Raises:
        ValueError: the parts do not fit.
        TypeError: another kind of argument.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 6])
            print([part.shape for part in fluid.layers.split(x, 2, dim=1)])  # [(-1, 3), (-1, 3)]
            paddle.disable_static()
    """
    shape = check_value("split", "input", input).shape
    helper = LayerHelper("split", name=name)
    attrs: dict[str, Any] = {"num": 0, "sections": []}
    along = None
    if is_value(dim) and is_static():
        along, size = dim, -1
        along.stop_gradient = True
    else:
        attrs["axis"] = int(dim) % len(shape)
        size = shape[attrs["axis"]]
    parts = None
    if isinstance(num_or_sections, int):
        if num_or_sections < 1 or (size > 0 and size % num_or_sections):
            raise InvalidArgumentError(
                f"{API}split(num_or_sections): expected a divisor of {size}, "
                f"but received {num_or_sections}."
            )
        attrs["num"] = num_or_sections
    else:
        wanted = sizes(helper.name, num_or_sections, "split", "num_or_sections")
        if size > 0 and len(wanted.ints) > size:
            raise InvalidArgumentError(
                f"{API}split(num_or_sections): expected at most {size} sections, "
                f"but received {len(wanted.ints)}."
            )
        attrs["sections"], parts = wanted.ints, wanted.parts
    return helper.call("split", input, along, parts, **attrs)


def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """Rows with a 1 where the id says, else 0; a last dimension of 1 is dropped.

    Args:
        input (Variable): integer ids; the last dimension is 1.
        depth (int|Variable): how many there are.
        allow_out_of_range (bool): other ids give a row of zeros. Default: False.

    Returns:
        Variable: float32.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                label = fluid.data("label", [2, 1], "int64")
                print(fluid.layers.one_hot(label, 5).shape)  # (2, 5)
    """
    return one_hot_by("one_hot", input, depth, allow_out_of_range)


def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """The largest elements of each row, and their places.

    Args:
        input (Variable): of at least one dimension.
        k (int|Variable): how many.
        name (str, optional): what the results are named after.

    Returns:
        tuple[Variable]: values and places, int64.

    Raises:
        ValueError: more than there are.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                outs = fluid.layers.topk(x, k=2)
                print([out.shape for out in outs])  # [(2, 2), (2, 2)]
    """
    helper = LayerHelper("top_k", name=name)
    if is_value(k) and is_static():
        return helper.call("top_k", input, k)
    return helper.call("top_k", input, None, k=int(k))


def unstack(x: Any, axis: int = 0, num: int | None = None) -> Any:
    """Takes a Tensor apart along a dimension, which goes.

    Args:
        x (Variable): the whole.
        axis (int): the dimension. Default: 0.
        num (int, optional): its size, where that is not known.

    Returns:
        list[Variable]: the parts.

    Raises:
        ValueError: the size is neither known nor given.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                outs = fluid.layers.unstack(x, axis=1)
                print([out.shape for out in outs])  # [(2,), (2,), (2,)]
    """
    if num is None:
        num = 0 if x.shape[axis] <= 0 else known("unstack", "x", x, axis)
    return LayerHelper("unstack").call("unstack", x, axis=axis, num=num)


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Moves elements along dimensions; what leaves at the end comes in at the start.

    Args:
        input (Variable): what is moved.
        shifts (int|list[int]): how far.
        dims (int|list[int], optional): along which dimensions; None: all as one.

    Returns:
        Variable: of the input's shape.

    Raises:
        ValueError: not as many shifts as dimensions.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.roll(x, shifts=1, dims=0).shape)  # (2, 3)
    """
    shape = list(input.shape)
    steps = [int(v) for v in listed(shifts)]
    if dims is None:
        axes = [0]
        moved = reshape(input, shape=[-1, 1])
    else:
        axes, moved = [int(v) for v in listed(dims)], input
    if len(steps) != len(axes):
        raise InvalidArgumentError(
            f"{API}roll(shifts): expected one for each of {len(axes)} dims, "
            f"but received {len(steps)}."
        )
    out = LayerHelper("roll").call("roll", moved, None, shifts=steps, axis=axes)
    if out.shape == input.shape and not is_static():
        return out
    return reshape(out, shape=shape, inplace=True)


def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """The places of elements that are not zero.

    Args:
        input (Variable): of n dimensions.
        as_tuple (bool): a column for each dimension, apart. Default: False.

    Returns:
        Variable: ``[places, n]``, int64, or a tuple of ``[places, 1]``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                flags = fluid.data("flags", [2, 3], "bool")
                print(fluid.layers.nonzero(flags).shape)  # (-1, 2)
    """
    found = rows.find("where")(input)
    if not as_tuple:
        return found
    if len(input.shape) <= 1:
        return (found,)
    parts = builtins.range(len(input.shape))
    return tuple(slicing.slice(found, axes=[1], starts=[i], ends=[i + 1]) for i in parts)


def scatter_nd(index: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Rows added to zeros, at the places that an index says.

    Args:
        index (Variable): places, ``[..., k]``.
        updates (Variable): what is added.
        shape (list[int]): of the result.
        name (str, optional): what the result is named after.

    Returns:
        Variable: of ``shape``.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                pairs = fluid.data("pairs", [2, 2], "int64")
                updates = fluid.data("updates", [2])
                print(fluid.layers.scatter_nd(pairs, updates, [3, 4]).shape)  # (3, 4)
    """
    target = filled(list(shape), 0.0, updates.dtype)
    return rows.find("scatter_nd_add")(target, index, updates, name)


def affine_grid(theta: Any, out_shape: Any, name: str | None = None) -> Any:
    """The places that an affine map gives to the pixels of an image.

    Args:
        theta (Variable): the maps, ``[N, 2, 3]``.
        out_shape (list|tuple|Variable): the image's shape, ``[N, C, H, W]``.
        name (str, optional): has no effect.

    Returns:
        Variable: ``[N, H, W, 2]``.

    Raises:
        ValueError: not four sizes.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                theta = fluid.data("theta", [2, 2, 3])
                print(fluid.layers.affine_grid(theta, [2, 3, 4, 4]).shape)  # (2, 4, 4, 2)
    """
    helper = LayerHelper("affine_grid")
    wanted = sizes(helper.name, out_shape, "affine_grid", "out_shape")
    if wanted.whole is None and len(wanted.ints) != 4:
        raise InvalidArgumentError(
            f"{API}affine_grid(out_shape): expected 4 sizes, but received {wanted.ints}."
        )
    return helper.call("affine_grid", theta, wanted.whole, output_shape=wanted.ints)


guard_module(globals())
