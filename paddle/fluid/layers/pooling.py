"""Pooling of images and volumes, by windows or to a given size."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.fluid.layers.common import API, check_value
from paddle.incubate.layer_helper import LayerHelper
from paddle.nn.functional.window_args import channel_last, integers, padding_of

__all__ = ["adaptive_pool2d", "adaptive_pool3d", "pool2d", "pool3d"]


def pool2d(
    input: Any, pool_size: Any = -1, pool_type: str = "max", pool_stride: Any = 1,
    pool_padding: Any = 0, global_pooling: bool = False, use_cudnn: bool = True,
    ceil_mode: bool = False, name: str | None = None, exclusive: bool = True,
    data_format: str = "NCHW",
) -> Any:  # fmt: skip
    """The largest or the mean value of each window of an image.

    Args:
        input (Variable): ``[N, C, H, W]`` or ``[N, H, W, C]``.
        pool_size (int|list[int]): the window; needed unless ``global_pooling``.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        pool_stride (int|list[int]): step of the window. Default: 1.
        pool_padding (int|str|list): what is put around, ``'SAME'`` or ``'VALID'``. Default: 0.
        global_pooling (bool): one window over all. Default: False.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        ceil_mode (bool): the output's size is rounded up. Default: False.
        name (str, optional): what the result is named after.
        exclusive (bool): means leave out what was put around. Default: True.
        data_format (str): ``'NCHW'`` or ``'NHWC'``. Default: NCHW.

    Returns:
        Variable: of the input's layout.

    Raises:
        ValueError: no ``pool_size``, or an unknown type, padding or layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            x = fluid.data("x", [None, 3, 8, 8])
            print(fluid.layers.pool2d(x, 2, "avg", 2).shape)  # (-1, 3, 4, 4)
            paddle.disable_static()
    """
    options = (pool_stride, pool_padding, global_pooling, ceil_mode, exclusive, data_format)
    return _pooled("pool2d", 2, input, pool_size, pool_type, options, name)


def pool3d(
    input: Any, pool_size: Any = -1, pool_type: str = "max", pool_stride: Any = 1,
    pool_padding: Any = 0, global_pooling: bool = False, use_cudnn: bool = True,
    ceil_mode: bool = False, name: str | None = None, exclusive: bool = True,
    data_format: str = "NCDHW",
) -> Any:  # fmt: skip
    """The largest or the mean value of each window of a volume.

    Args:
        input (Variable): ``[N, C, D, H, W]`` or ``[N, D, H, W, C]``.
        pool_size (int|list[int]): the window; needed unless ``global_pooling``.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        pool_stride (int|list[int]): step of the window. Default: 1.
        pool_padding (int|str|list): what is put around, ``'SAME'`` or ``'VALID'``. Default: 0.
        global_pooling (bool): one window over all. Default: False.
        use_cudnn (bool): the numbers are the same either way. Default: True.
        ceil_mode (bool): the output's size is rounded up. Default: False.
        name (str, optional): what the result is named after.
        exclusive (bool): means leave out what was put around. Default: True.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``. Default: NCDHW.

    Returns:
        Variable: of the input's layout.

    Raises:
        ValueError: no ``pool_size``, or an unknown type, padding or layout.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                volume = fluid.data("volume", [2, 3, 4, 4, 4])
                out = fluid.layers.pool3d(volume, pool_size=2, pool_stride=2)
                print(out.shape)  # (2, 3, 2, 2, 2)
    """
    options = (pool_stride, pool_padding, global_pooling, ceil_mode, exclusive, data_format)
    return _pooled("pool3d", 3, input, pool_size, pool_type, options, name)


def _type(api: str, given: Any) -> None:
    if given not in ("max", "avg"):
        raise InvalidArgumentError(
            f"{API}{api}(pool_type): expected 'max' or 'avg', but received {given!r}."
        )


def _pooled(
    kind: str, rank: int, input: Any, pool_size: Any, pool_type: str, options: tuple,
    name: str | None,
) -> Any:  # fmt: skip
    """Pooling by windows."""
    stride, padding, whole, ceil_mode, exclusive, data_format = options
    _type(kind, pool_type)
    if not whole and pool_size in (-1, [-1], (-1,)):
        raise InvalidArgumentError(
            f"{API}{kind}(pool_size): expected a size where global_pooling is False, "
            f"but received {pool_size!r}."
        )
    check_value(kind, "input", input)
    api = API + kind
    last = channel_last(api, data_format, rank)
    paddings, algorithm = padding_of(api, padding, rank, last)
    if algorithm == "VALID" and ceil_mode:
        raise InvalidArgumentError(
            f"{api}(ceil_mode): expected False with pool_padding 'VALID', but received True."
        )
    return LayerHelper(kind, name=name).call(
        kind, input, ksize=integers(api, "pool_size", pool_size, rank, least=-1),
        strides=integers(api, "pool_stride", stride, rank), paddings=paddings,
        ceil_mode=bool(ceil_mode), exclusive=bool(exclusive), data_format=data_format,
        pooling_type=pool_type, global_pooling=bool(whole), padding_algorithm=algorithm,
    )  # fmt: skip


def adaptive_pool2d(
    input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """An image reduced to a given size, by the largest or the mean value of each part.

    Args:
        input (Variable): ``[N, C, H, W]``.
        pool_size (int|list[int]): height and width of the result.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        require_index (bool): with 'max' also where the values were. Default: False.
        name (str, optional): what the results are named after.

    Returns:
        Variable, or a list of two with the places.

    Raises:
        ValueError: an unknown type, or places asked for with 'avg'.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                image = fluid.data("image", [2, 8, 6, 6])
                out = fluid.layers.adaptive_pool2d(image, 2, pool_type="avg")
                print(out.shape)  # (2, 8, 2, 2)
    """
    return _adapted("adaptive_pool2d", 2, input, pool_size, pool_type, require_index, name)


def adaptive_pool3d(
    input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A volume reduced to a given size, by the largest or the mean value of each part.

    Args:
        input (Variable): ``[N, C, D, H, W]``.
        pool_size (int|list[int]): depth, height and width of the result.
        pool_type (str): ``'max'`` or ``'avg'``. Default: max.
        require_index (bool): with 'max' also where the values were. Default: False.
        name (str, optional): what the results are named after.

    Returns:
        Variable, or a list of two with the places.

    Raises:
        ValueError: an unknown type, or places asked for with 'avg'.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                volume = fluid.data("volume", [2, 3, 4, 4, 4])
                print(fluid.layers.adaptive_pool3d(volume, 2).shape)  # (2, 3, 2, 2, 2)
    """
    return _adapted("adaptive_pool3d", 3, input, pool_size, pool_type, require_index, name)


def _adapted(
    api: str, rank: int, input: Any, pool_size: Any, pool_type: str, require_index: bool,
    name: str | None,
) -> Any:  # fmt: skip
    """Pooling to a size."""
    _type(api, pool_type)
    if pool_type == "avg" and require_index:
        raise InvalidArgumentError(
            f"{API}{api}(require_index): expected False for pool_type 'avg', but received True."
        )
    check_value(api, "input", input)
    size = integers(API + api, "pool_size", pool_size, rank)
    common = {"ksize": size, "strides": [1] * rank, "paddings": [0] * rank, "adaptive": True}
    if pool_type == "avg":
        kind = f"pool{rank}d"
        helper = LayerHelper(kind, name=name)
        return helper.call(kind, input, pooling_type="avg", **common)
    kind = f"max_pool{rank}d_with_index"
    found = LayerHelper(kind, name=name).call(kind, input, **common)
    return list(found) if require_index else found[0]


guard_module(globals())
