"""Layers that cut parts out of tensors, where places and sizes may be Tensors."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import (
    API,
    check_value,
    fresh,
    is_static,
    is_value,
    sizes,
)  # fmt: skip
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.recording.lowering import write

__all__ = [
    "crop", "crop_tensor", "slice", "strided_slice",
]  # fmt: skip


def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """A part of a Tensor, from ``starts`` up to ``ends`` along some dimensions.

    Args:
        input (Variable): the whole.
        axes (list[int]): the dimensions.
        starts (list|tuple|Variable): where it begins; some may be Variables.
        ends (list|tuple|Variable): where it ends, this not included.

    Returns:
        Variable: the part.

    Raises:
        TypeError: another kind of argument.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 6])
            print(fluid.layers.slice(x, [1], [1], [-1]).shape)  # (-1, 4)
            paddle.disable_static()
    """
    return _sliced("slice", input, axes, {"starts": starts, "ends": ends})


def strided_slice(input: Any, axes: Any, starts: Any, ends: Any, strides: Any) -> Any:
    """Every so many elements from ``starts`` up to ``ends`` along some dimensions.

    Args:
        input (Variable): the whole.
        axes (list[int]): the dimensions.
        starts (list|tuple|Variable): where it begins; some may be Variables.
        ends (list|tuple|Variable): where it ends, this not included.
        strides (list|tuple|Variable): the steps.

    Returns:
        Variable: the part.

    Raises:
        TypeError: another kind of argument.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                out = fluid.layers.strided_slice(x, axes=[1], starts=[0], ends=[3], strides=[2])
                print(out.shape)  # (2, 2)
    """
    places = {"starts": starts, "ends": ends, "strides": strides}
    return _sliced("strided_slice", input, axes, places)


def _sliced(api: str, input: Any, axes: Any, places: dict[str, Any]) -> Any:
    """The operators of both, with Variables where they were given."""
    check_value(api, "input", input)
    if not isinstance(axes, (list, tuple)):
        raise TypeError(f"{API}{api}(axes): expected a list, but received {type(axes).__name__}.")
    helper = LayerHelper(api)
    wanted = {key: sizes(helper.name, given, api, key) for key, given in places.items()}
    for key, read in wanted.items():
        if read.whole is None and len(read.ints) != len(axes):
            raise InvalidArgumentError(
                f"{API}{api}({key}): expected one for each of {len(axes)} axes, "
                f"but received {len(read.ints)}."
            )
    flags = [1] * len(axes)
    if any(read.whole is not None for read in wanted.values()):
        flags = [-1] * len(axes)
    else:
        for key, read in wanted.items():
            if read.parts is not None:
                flags = [-1 if is_value(v) else f for v, f in zip(places[key], flags, strict=True)]
    reads = wanted.values()
    return helper.call(
        api, input, *[read.whole for read in reads], *[read.parts for read in reads],
        axes=list(axes), infer_flags=flags, **{key: read.ints for key, read in wanted.items()},
    )  # fmt: skip


def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """A part of a Tensor of a given size; see :func:`crop_tensor`.

    Args:
        x (Variable): the whole.
        shape (list|tuple|Variable): the sizes, or a Variable of that shape.
        offsets (list|tuple|Variable, optional): where it begins; None means at the start.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the part.

    Raises:
        TypeError: another kind of argument.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.crop(x, shape=[1, 2], offsets=[1, 0]).shape)  # (1, 2)
    """
    check_value("crop", "x", x)
    if not is_value(shape) and not isinstance(shape, (list, tuple)):
        raise TypeError(
            f"{API}crop(shape): expected a list, a tuple or a Variable, "
            f"but received {type(shape).__name__}."
        )
    offsets = [0] * len(x.shape) if offsets is None else offsets
    like, at, attrs = None, None, {}
    if is_value(shape):
        like = shape
    else:
        attrs["shape"] = [int(n) for n in shape]
    if is_value(offsets):
        at = offsets
    else:
        attrs["offsets"] = [int(n) for n in offsets]
    return LayerHelper("crop", name=name).call("crop", x, like, at, **attrs)


def crop_tensor(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """A part of a Tensor of a given size.

    Args:
        x (Variable): the whole.
        shape (list|tuple|Variable): the sizes; -1 goes to the end, some may be Variables.
        offsets (list|tuple|Variable, optional): where it begins; None means at the start.
        name (str, optional): what the result is named after.

    Returns:
        Variable: the part.

    Raises:
        TypeError: another kind of argument.
        ValueError: a size of 0 or below -1, or an offset below 0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                x = fluid.data("x", [2, 3])
                print(fluid.layers.crop_tensor(x, shape=[1, 2], offsets=[1, 0]).shape)  # (1, 2)
    """
    check_value("crop_tensor", "x", x)
    helper = LayerHelper("crop_tensor", name=name)
    out = fresh(helper.name, x.dtype) if is_static() else None
    offsets = [0] * len(x.shape) if offsets is None else offsets
    at = sizes(helper.name, offsets, "crop_tensor", "offsets")
    wanted = sizes(helper.name, shape, "crop_tensor", "shape", mark=0)
    if wanted.parts is None and any(n == 0 or n < -1 for n in wanted.ints):
        raise InvalidArgumentError(
            f"{API}crop_tensor(shape): expected sizes >= 1 or -1, but received {wanted.ints}."
        )
    operands = [x, wanted.whole, wanted.parts, at.whole, at.parts]
    attrs = {"shape": wanted.ints, "offsets": at.ints}
    if out is None:
        return helper.call("crop_tensor", *operands, **attrs)
    return write(out, "crop_tensor", operands, attrs)


guard_module(globals())
