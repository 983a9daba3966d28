"""Pools over windows and adaptive pools, by maximum and by mean, in one to three dimensions."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.op import C
from paddle.nn.functional.window_args import (
    both_sides,
    channel_last,
    check_input,
    integers,
    padding_of,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]


def _window(
    api: str, x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    last: bool,
) -> dict[str, Any]:  # fmt: skip
    """Checks what all pools take and returns it as attributes of the operators."""
    check_input(api, "x", x, rank + 2)
    kernel = integers(api, "kernel_size", kernel_size, rank)
    strides = kernel if stride is None else integers(api, "stride", stride, rank)
    paddings, algorithm = padding_of(api, padding, rank, last)
    if algorithm == "VALID" and ceil_mode:
        raise InvalidArgumentError(
            f"{api}: expected ceil_mode=False with padding 'VALID', but received True."
        )
    return {
        "ksize": kernel,
        "strides": strides,
        "paddings": paddings,
        "padding_algorithm": algorithm,
    }


def _explicit(api: str, sizes: list[int], window: dict[str, Any], ceil_mode: bool) -> dict:
    """Writes SAME and ceil_mode as numbers, for the operators that know neither."""
    kernel, strides = window["ksize"], window["strides"]
    rank = len(kernel)
    paddings = both_sides(window["paddings"], rank)
    if (window["padding_algorithm"] == "SAME" or ceil_mode) and -1 in sizes:
        raise InvalidArgumentError(
            f"{api}: expected known spatial sizes for return_mask with padding 'SAME' or "
            f"ceil_mode, but received {sizes}."
        )
    if window["padding_algorithm"] == "SAME":
        paddings = []
        for n, k, s in zip(sizes, kernel, strides):
            total = max((-(-n // s) - 1) * s + k - n, 0)
            paddings += [total // 2, total - total // 2]
    if ceil_mode:
        for i, (n, k, s) in enumerate(zip(sizes, kernel, strides)):
            rest = (n + paddings[2 * i] + paddings[2 * i + 1] - k) % s
            paddings[2 * i + 1] += (s - rest) % s
    if paddings[::2] == paddings[1::2]:
        paddings = paddings[::2]
    return {"ksize": kernel, "strides": strides, "paddings": paddings}


def _max_pool(
    api: str, x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, return_mask: bool,
    ceil_mode: bool, data_format: str,
) -> Any:  # fmt: skip
    """Max pooling in two or three dimensions."""
    last = channel_last(api, data_format, rank)
    window = _window(api, x, rank, kernel_size, stride, padding, ceil_mode, last)
    if return_mask:
        if last:
            raise InvalidArgumentError(
                f"{api}: expected channels first for return_mask=True, "
                f"but received data_format {data_format!r}."
            )
        run = C.max_pool2d_with_index if rank == 2 else C.max_pool3d_with_index
        return run(x, **_explicit(api, x.shape[2:], window, ceil_mode))
    run = C.pool2d if rank == 2 else C.pool3d
    return run(x, **window, pooling_type="max", ceil_mode=bool(ceil_mode), data_format=data_format)


def _avg_pool(
    api: str, x: Any, rank: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    exclusive: bool, divisor_override: Any, data_format: str,
) -> Any:  # fmt: skip
    """Mean pooling in two or three dimensions."""
    last = channel_last(api, data_format, rank)
    window = _window(api, x, rank, kernel_size, stride, padding, ceil_mode, last)
    run = C.pool2d if rank == 2 else C.pool3d
    out = run(
        x, **window, pooling_type="avg", ceil_mode=bool(ceil_mode), exclusive=bool(exclusive),
        data_format=data_format,
    )  # fmt: skip
    if divisor_override is None:
        return out
    if isinstance(divisor_override, bool) or not divisor_override > 0:
        raise InvalidArgumentError(
            f"{api}(divisor_override): expected a positive number, "
            f"but received {divisor_override!r}."
        )
    elements = 1
    for k in window["ksize"]:
        elements *= k
    return C.scale(out, scale=elements / divisor_override)


def _adaptive(api: str, x: Any, rank: int, output_size: Any, data_format: str) -> dict[str, Any]:
    """Checks an adaptive pool's arguments; None in output_size keeps the input's size."""
    last = channel_last(api, data_format, rank)
    check_input(api, "x", x, rank + 2)
    if output_size is None:
        output_size = [None] * rank
    if isinstance(output_size, (list, tuple)):
        sizes = x.shape[1:-1] if last else x.shape[2:]
        output_size = [n if o is None else o for n, o in zip(sizes, output_size)] + list(
            output_size[rank:]
        )
    return {"ksize": integers(api, "output_size", output_size, rank), "adaptive": True}


def _adaptive_max(api: str, x: Any, rank: int, output_size: Any, return_mask: bool) -> Any:
    attrs = _adaptive(api, x, rank, output_size, "NCHW" if rank == 2 else "NCDHW")
    run = C.max_pool2d_with_index if rank == 2 else C.max_pool3d_with_index
    out, mask = run(x, **attrs)
    return (out, mask) if return_mask else out


def _row(x: Any) -> Any:
    """Makes ``[N, C, L]`` to ``[N, C, 1, L]``."""
    return C.unsqueeze2(x, axes=[2])[0]


def _unrow(x: Any) -> Any:
    return C.squeeze2(x, axes=[2])[0]


def _row_window(api: str, x: Any, kernel_size: Any, stride: Any, padding: Any) -> tuple:
    """Returns kernel, stride and padding of a 1-D pool for its 2-D form."""
    check_input(api, "x", x, 3)
    kernel = integers(api, "kernel_size", kernel_size, 1)
    strides = kernel if stride is None else integers(api, "stride", stride, 1)
    paddings, algorithm = padding_of(api, padding, 1, False)
    rows: Any = algorithm if algorithm != "EXPLICIT" else [0, 0, *both_sides(paddings, 1)]
    return [1, *kernel], [1, *strides], rows


def avg_pool1d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """Takes the mean of every window of sequences.

    Args:
        x (Tensor): ``[N, C, L]``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[before, after]``, a pair for each of the three
            dimensions, ``'SAME'`` or ``'VALID'``.
        ceil_mode (bool): also windows that begin inside and end outside.
        exclusive (bool): padding does not count as elements.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 3.0, 2.0, 4.0]]])
            print(F.avg_pool1d(x, 2).numpy())  # [[[2. 3.]]]
    """
    api = "avg_pool1d"
    kernel, strides, paddings = _row_window(api, x, kernel_size, stride, padding)
    out = _avg_pool(api, _row(x), 2, kernel, strides, paddings, ceil_mode, exclusive, None, "NCHW")
    return _unrow(out)


def max_pool1d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """Takes the largest element of every window of sequences.

    Args:
        x (Tensor): ``[N, C, L]``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[before, after]``, a pair for each of the three
            dimensions, ``'SAME'`` or ``'VALID'``.
        return_mask (bool): also return where the maxima are; channels first only.
        ceil_mode (bool): also windows that begin inside and end outside.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions. Of equal maxima the first counts.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 3.0, 2.0, 4.0]]])
            print(F.max_pool1d(x, 2).numpy())  # [[[3. 4.]]]
    """
    api = "max_pool1d"
    kernel, strides, paddings = _row_window(api, x, kernel_size, stride, padding)
    out = _max_pool(api, _row(x), 2, kernel, strides, paddings, return_mask, ceil_mode, "NCHW")
    return (_unrow(out[0]), _unrow(out[1])) if return_mask else _unrow(out)


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Takes the mean of every window of images.

    Args:
        x (Tensor): ``[N, C, H, W]``, or channels last, see ``data_format``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[h, w]``,
            ``[top, bottom, left, right]``, a pair for each of the four dimensions, ``'SAME'`` or
            ``'VALID'``.
        ceil_mode (bool): also windows that begin inside and end outside.
        exclusive (bool): padding does not count as elements.
        divisor_override (int|float|None): divide by this instead of the size of the window.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
            print(F.avg_pool2d(x, 2).numpy())  # [[[[ 2.5  4.5] [10.5 12.5]]]]
    """
    return _avg_pool(
        "avg_pool2d", x, 2, kernel_size, stride, padding, ceil_mode, exclusive,
        divisor_override, data_format,
    )  # fmt: skip


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Takes the largest element of every window of images.

    Args:
        x (Tensor): ``[N, C, H, W]``, or channels last, see ``data_format``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[h, w]``,
            ``[top, bottom, left, right]``, a pair for each of the four dimensions, ``'SAME'`` or
            ``'VALID'``.
        return_mask (bool): also return where the maxima are; channels first only.
        ceil_mode (bool): also windows that begin inside and end outside.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions. Of equal maxima the first counts.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
            print(F.max_pool2d(x, 2).numpy())  # [[[[ 5.  7.] [13. 15.]]]]
    """
    return _max_pool(
        "max_pool2d", x, 2, kernel_size, stride, padding, return_mask, ceil_mode, data_format
    )


def avg_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: Any = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Takes the mean of every window of volumes.

    Args:
        x (Tensor): ``[N, C, D, H, W]``, or channels last, see ``data_format``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[d, h, w]``, two for each of the
            three, a pair for each of the five dimensions, ``'SAME'`` or ``'VALID'``.
        ceil_mode (bool): also windows that begin inside and end outside.
        exclusive (bool): padding does not count as elements.
        divisor_override (int|float|None): divide by this instead of the size of the window.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 2, 4, 4, 4])
            print(F.avg_pool3d(x, 2).shape)  # [1, 2, 2, 2, 2]
    """
    return _avg_pool(
        "avg_pool3d", x, 3, kernel_size, stride, padding, ceil_mode, exclusive,
        divisor_override, data_format,
    )  # fmt: skip


def max_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Takes the largest element of every window of volumes.

    Args:
        x (Tensor): ``[N, C, D, H, W]``, or channels last, see ``data_format``.
        kernel_size (int|list[int]): size of the window.
        stride (int|list[int]|None): step of the window; None means ``kernel_size``.
        padding (int|str|list): one number, ``[d, h, w]``, two for each of the
            three, a pair for each of the five dimensions, ``'SAME'`` or ``'VALID'``.
        return_mask (bool): also return where the maxima are; channels first only.
        ceil_mode (bool): also windows that begin inside and end outside.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions. Of equal maxima the first counts.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 2, 4, 4, 4])
            print(F.max_pool3d(x, 2).shape)  # [1, 2, 2, 2, 2]
    """
    return _max_pool(
        "max_pool3d", x, 3, kernel_size, stride, padding, return_mask, ceil_mode, data_format
    )


def adaptive_avg_pool1d(x: Any, output_size: Any, name: str | None = None) -> Any:
    r"""Divides sequences into as many windows as asked for and takes the mean of each.

    Window :math:`i` of :math:`o` over :math:`n` elements goes from
    :math:`\lfloor i n / o \rfloor` to :math:`\lceil (i + 1) n / o \rceil`.

    Args:
        x (Tensor): ``[N, C, L]``.
        output_size (int|list[int]): number of windows.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 3.0, 2.0, 4.0]]])
            print(F.adaptive_avg_pool1d(x, 2).numpy())  # [[[2. 3.]]]
    """
    api = "adaptive_avg_pool1d"
    check_input(api, "x", x, 3)
    size = [1, *integers(api, "output_size", output_size, 1)]
    return _unrow(C.pool2d(_row(x), ksize=size, adaptive=True, pooling_type="avg"))


def adaptive_max_pool1d(
    x: Any, output_size: Any, return_mask: bool = False, name: str | None = None
) -> Any:
    """Divides sequences into as many windows as asked for and takes the maximum of each.

    The windows are those of :func:`adaptive_avg_pool1d`.

    Args:
        x (Tensor): ``[N, C, L]``.
        output_size (int|list[int]): number of windows.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 3.0, 2.0, 4.0]]])
            print(F.adaptive_max_pool1d(x, 2).numpy())  # [[[3. 4.]]]
    """
    api = "adaptive_max_pool1d"
    check_input(api, "x", x, 3)
    size = [1, *integers(api, "output_size", output_size, 1)]
    out, mask = C.max_pool2d_with_index(_row(x), ksize=size, adaptive=True)
    return (_unrow(out), _unrow(mask)) if return_mask else _unrow(out)


def adaptive_avg_pool2d(
    x: Any, output_size: Any, data_format: str = "NCHW", name: str | None = None
) -> Any:
    r"""Divides images into as many windows as asked for and takes the mean of each.

    Window :math:`i` of :math:`o` over :math:`n` elements goes from
    :math:`\lfloor i n / o \rfloor` to :math:`\lceil (i + 1) n / o \rceil`.

    Args:
        x (Tensor): ``[N, C, H, W]``, or channels last, see ``data_format``.
        output_size (int|list[int|None]): number of windows; None keeps the size.
        data_format (str): ``'NCHW'`` or ``'NHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([2, 3, 7, 9])
            print(F.adaptive_avg_pool2d(x, [3, None]).shape)  # [2, 3, 3, 9]
    """
    attrs = _adaptive("adaptive_avg_pool2d", x, 2, output_size, data_format)
    return C.pool2d(x, **attrs, pooling_type="avg", data_format=data_format)


def adaptive_max_pool2d(
    x: Any, output_size: Any, return_mask: bool = False, name: str | None = None
) -> Any:
    """Divides images into as many windows as asked for and takes the maximum of each.

    The windows are those of :func:`adaptive_avg_pool2d`.

    Args:
        x (Tensor): ``[N, C, H, W]``.
        output_size (int|list[int|None]): number of windows; None keeps the size.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([2, 3, 7, 9])
            print(F.adaptive_max_pool2d(x, [3, None]).shape)  # [2, 3, 3, 9]
    """
    return _adaptive_max("adaptive_max_pool2d", x, 2, output_size, return_mask)


def adaptive_avg_pool3d(
    x: Any, output_size: Any, data_format: str = "NCDHW", name: str | None = None
) -> Any:
    r"""Divides volumes into as many windows as asked for and takes the mean of each.

    Window :math:`i` of :math:`o` over :math:`n` elements goes from
    :math:`\lfloor i n / o \rfloor` to :math:`\lceil (i + 1) n / o \rceil`.

    Args:
        x (Tensor): ``[N, C, D, H, W]``, or channels last, see ``data_format``.
        output_size (int|list[int|None]): number of windows; None keeps the size.
        data_format (str): ``'NCDHW'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: the means, in ``x``'s layout.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([2, 3, 4, 7, 9])
            print(F.adaptive_avg_pool3d(x, 2).shape)  # [2, 3, 2, 2, 2]
    """
    attrs = _adaptive("adaptive_avg_pool3d", x, 3, output_size, data_format)
    return C.pool3d(x, **attrs, pooling_type="avg", data_format=data_format)


def adaptive_max_pool3d(
    x: Any, output_size: Any, return_mask: bool = False, name: str | None = None
) -> Any:
    """Divides volumes into as many windows as asked for and takes the maximum of each.

    The windows are those of :func:`adaptive_avg_pool3d`.

    Args:
        x (Tensor): ``[N, C, D, H, W]``.
        output_size (int|list[int|None]): number of windows; None keeps the size.
        return_mask (bool): also return where the maxima are.
        name (str, optional): has no effect.

    Returns:
        Tensor, or with ``return_mask`` two: the maxima, and their int32 positions in the flattened
        spatial dimensions.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([2, 3, 4, 7, 9])
            print(F.adaptive_max_pool3d(x, 2).shape)  # [2, 3, 2, 2, 2]
    """
    return _adaptive_max("adaptive_max_pool3d", x, 3, output_size, return_mask)
