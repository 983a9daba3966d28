"""Images and volumes resized by interpolation."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.tensor import Tensor
from paddle.fluid.layers.common import API, check_value, is_value, sizes
from paddle.incubate.layer_helper import LayerHelper

__all__ = [
    "image_resize", "image_resize_short", "interpolate", "resize_bilinear", "resize_linear",
    "resize_nearest", "resize_trilinear",
]  # fmt: skip

_OPERATORS = {"LINEAR": 3, "BILINEAR": 4, "TRILINEAR": 5, "NEAREST": 4, "BICUBIC": 4}
_FORMATS = {
    3: ("NCW", "NWC"),
    4: ("NCHW", "NHWC"),
    5: ("NCDHW", "NDHWC"),
}


def image_resize(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    resample: str = "BILINEAR", actual_shape: Any = None, align_corners: bool = True,
    align_mode: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Resizes images, volumes or rows to a size or by a factor.

    Args:
        input (Variable): of 3, 4 or 5 dimensions.
        out_shape (list|tuple|Variable, optional): the new sizes; some may be Variables.
        scale (float|Variable, optional): the factor, where there is no ``out_shape``.
        name (str, optional): what the result is named after.
        resample (str): ``'BILINEAR'``, ``'TRILINEAR'``, ``'NEAREST'``, as well as ``'LINEAR'`` and
            ``'BICUBIC'``, which 2.0 has added. Default: BILINEAR.
        actual_shape (Variable, optional): the new sizes as a run has them.
        align_corners (bool): the centers of the corners stay where they are. Default: True.
        align_mode (int): without ``align_corners``: 0 maps centers, 1 edges. Default: 1.
        data_format (str): the layout. Default: NCHW.

    Returns:
        Variable: of the input's layout.

    Raises:
        ValueError: an unknown method, neither size nor factor, a layout or size that does not fit.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 6, 9])
            print(fluid.layers.image_resize(x, out_shape=[12, 12]).shape)  # (-1, 3, 12, 12)
            paddle.disable_static()
    """
    resample = str(resample).upper()
    if resample not in _OPERATORS:
        raise _wrong("resample", f"one of {list(_OPERATORS)}", resample)
    if out_shape is None and scale is None:
        raise _wrong("out_shape", "out_shape or scale", None)
    rank = len(check_value("image_resize", "input", input).shape)
    nearest_5d = resample == "NEAREST" and rank == 5
    if rank != _OPERATORS[resample] and not nearest_5d:
        raise _wrong("input", f"{_OPERATORS[resample]} dimensions for {resample}",
                     list(input.shape))  # fmt: skip
    if data_format not in _FORMATS[rank]:
        raise _wrong("data_format", f"one of {_FORMATS[rank]}", data_format)
    if not isinstance(align_corners, bool):
        raise TypeError(
            f"{API}image_resize(align_corners): expected a bool, but received {align_corners!r}."
        )
    if align_mode not in (0, 1):
        raise _wrong("align_mode", "0 or 1", align_mode)
    kind = resample.lower() + "_interp"
    helper = LayerHelper(kind, name=name)
    whole, parts, attrs = _target(helper.name, input, out_shape, scale, rank)
    factor = attrs.pop("Scale", None)
    if actual_shape is not None:
        check_value("image_resize", "actual_shape", actual_shape)
        actual_shape.stop_gradient = True
        whole = actual_shape
    layout = "NHWC" if data_format.endswith("C") else "NCHW"
    return helper.call(
        kind, input, whole, parts, factor, data_layout=layout, interp_method=resample.lower(),
        align_corners=align_corners, align_mode=align_mode, **attrs,
    )  # fmt: skip


def _wrong(argument: str, expected: str, got: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{API}image_resize({argument}): expected {expected}, but received {got!r}."
    )


def _target(name: str, input: Any, out_shape: Any, scale: Any, rank: int) -> tuple:
    """Variables of the size, whole or in parts, and attributes."""
    attrs: dict[str, Any] = {"out_d": -1, "out_h": -1, "out_w": -1}
    if out_shape is None:
        if isinstance(scale, Tensor):
            scale = float(scale)
        if is_value(scale):
            scale.stop_gradient = True
            return None, None, {**attrs, "Scale": scale}
        if isinstance(scale, bool) or not isinstance(scale, (int, float)) or scale <= 0:
            raise _wrong("scale", "a number above 0 or a Variable", scale)
        return None, None, {**attrs, "scale": float(scale)}
    wanted = sizes(name, out_shape, "image_resize", "out_shape")
    if wanted.whole is not None:
        wanted.whole.stop_gradient = True
        return wanted.whole, None, attrs
    if len(wanted.ints) != rank - 2:
        raise _wrong("out_shape", f"{rank - 2} sizes", out_shape)
    keys = ("out_d", "out_h", "out_w")[5 - rank :]
    return None, wanted.parts, {**attrs, **dict(zip(keys, wanted.ints, strict=True))}


def interpolate(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    resample: str = "BILINEAR", actual_shape: Any = None, align_corners: bool = True,
    align_mode: int = 1, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """The same as :func:`image_resize`.

    Args:
        input (Variable): of 3, 4 or 5 dimensions.
        out_shape (list|tuple|Variable, optional): the new sizes.
        scale (float|Variable, optional): the factor.
        name (str, optional): what the result is named after.
        resample (str): the method. Default: BILINEAR.
        actual_shape (Variable, optional): the new sizes as a run has them.
        align_corners (bool): the centers of the corners stay where they are. Default: True.
        align_mode (int): without ``align_corners``: 0 maps centers, 1 edges. Default: 1.
        data_format (str): the layout. Default: NCHW.

    Returns:
        Variable: of the input's layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.interpolate(image, [12, 12]).shape)  # (2, 8, 12, 12)
    """
    return image_resize(input, out_shape, scale, name, resample, actual_shape, align_corners,
                        align_mode, data_format)  # fmt: skip


def resize_linear(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
    data_format: str = "NCW",
) -> Any:  # fmt: skip
    """Resizes rows, linear between two neighbours; see :func:`image_resize`.

    Args:
        input (Variable): ``[N, C, W]``.
        out_shape (list|tuple|Variable, optional): the new size.
        scale (float|Variable, optional): the factor.
        name (str, optional): what the result is named after.
        actual_shape (Variable, optional): the new size as a run has it.
        align_corners (bool): the centers of the ends stay where they are. Default: True.
        align_mode (int): without ``align_corners``: 0 maps centers, 1 edges. Default: 1.
        data_format (str): ``'NCW'`` or ``'NWC'``. Default: NCW.

    Returns:
        Variable: of the input's layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                batch = fluid.data("batch", [2, 3, 4])
                print(fluid.layers.resize_linear(batch, [8]).shape)  # (2, 3, 8)
    """
    return image_resize(input, out_shape, scale, name, "LINEAR", actual_shape, align_corners,
                        align_mode, data_format)  # fmt: skip


def resize_bilinear(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Resizes images, linear between four neighbours; see :func:`image_resize`.

    Args:
        input (Variable): ``[N, C, H, W]``.
        out_shape (list|tuple|Variable, optional): the new sizes.
        scale (float|Variable, optional): the factor.
        name (str, optional): what the result is named after.
        actual_shape (Variable, optional): the new sizes as a run has them.
        align_corners (bool): the centers of the corners stay where they are. Default: True.
        align_mode (int): without ``align_corners``: 0 maps centers, 1 edges. Default: 1.
        data_format (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.

    Returns:
        Variable: of the input's layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.resize_bilinear(image, [12, 12]).shape)  # (2, 8, 12, 12)
    """
    return image_resize(input, out_shape, scale, name, "BILINEAR", actual_shape, align_corners,
                        align_mode, data_format)  # fmt: skip


def resize_trilinear(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    actual_shape: Any = None, align_corners: bool = True, align_mode: int = 1,
    data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """Resizes volumes, linear between eight neighbours; see :func:`image_resize`.

    Args:
        input (Variable): ``[N, C, D, H, W]``.
        out_shape (list|tuple|Variable, optional): the new sizes.
        scale (float|Variable, optional): the factor.
        name (str, optional): what the result is named after.
        actual_shape (Variable, optional): the new sizes as a run has them.
        align_corners (bool): the centers of the corners stay where they are. Default: True.
        align_mode (int): without ``align_corners``: 0 maps centers, 1 edges. Default: 1.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``. Default: NCDHW.

    Returns:
        Variable: of the input's layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                volume = fluid.data("volume", [2, 3, 4, 4, 4])
                print(fluid.layers.resize_trilinear(volume, [8, 8, 8]).shape)  # (2, 3, 8, 8, 8)
    """
    return image_resize(input, out_shape, scale, name, "TRILINEAR", actual_shape, align_corners,
                        align_mode, data_format)  # fmt: skip


def resize_nearest(
    input: Any, out_shape: Any = None, scale: Any = None, name: str | None = None,
    actual_shape: Any = None, align_corners: bool = True, data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """Resizes images by the nearest pixel; see :func:`image_resize`.

    Args:
        input (Variable): ``[N, C, H, W]``.
        out_shape (list|tuple|Variable, optional): the new sizes.
        scale (float|Variable, optional): the factor.
        name (str, optional): what the result is named after.
        actual_shape (Variable, optional): the new sizes as a run has them.
        align_corners (bool): the centers of the corners stay where they are. Default: True.
        data_format (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.

    Returns:
        Variable: of the input's layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.resize_nearest(image, scale=2.0).shape)  # (2, 8, 12, 12)
    """
    return image_resize(input, out_shape, scale, name, "NEAREST", actual_shape, align_corners,
                        align_mode=1, data_format=data_format)  # fmt: skip


def image_resize_short(input: Any, out_short_len: int, resample: str = "BILINEAR") -> Any:
    """Resizes images so that the shorter side has a length, and the proportions stay.

    Args:
        input (Variable): ``[N, C, H, W]``; H and W have to be known.
        out_short_len (int): the length.
        resample (str): the method. Default: BILINEAR.

    Returns:
        Variable: ``[N, C, H_out, W_out]``.

    Raises:
        ValueError: the input has not four dimensions.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                print(fluid.layers.image_resize_short(image, 12).shape)  # (2, 8, 12, 12)
    """
    shape = check_value("image_resize_short", "input", input).shape
    if len(shape) != 4:
        raise _wrong("input", "4 dimensions", list(shape))
    short = min(shape[2:])
    wanted = [int(float(n) * (float(out_short_len) / short) + 0.5) for n in shape[2:]]
    wanted[list(shape[2:]).index(short)] = out_short_len
    return image_resize(input, out_shape=wanted, resample=resample)


guard_module(globals())
