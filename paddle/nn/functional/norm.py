"""Normalizations."""

from __future__ import annotations

import math
import warnings
from typing import Any

from paddle.core.errors import (
    InvalidArgumentError,
    UnimplementedError,
    check_not_negative,
    check_tensors,
)
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.nn.functional.window_args import integer
from paddle.tensor.dims import shape_of, shapes_fit

__all__ = ["batch_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize"]

_FIRST = frozenset(["NC", "NCL", "NCHW", "NCDHW"])
_LAST = frozenset(["NLC", "NHWC", "NDHWC"])


def _layout(api: str, data_format: str) -> str:
    """Returns the operators' name of a layout: NCHW for channels first, NHWC for last."""
    if data_format in _FIRST:
        return "NCHW"
    if data_format in _LAST:
        return "NHWC"
    raise InvalidArgumentError(
        f"{api}(data_format): expected one of {sorted(_FIRST | _LAST)}, "
        f"but received {data_format!r}."
    )


@guarded
def normalize(
    x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    r"""Divides ``x`` by its norm along an axis.

    :math:`y = x / \max(\lVert x \rVert_p, \epsilon)`.

    Args:
        x (Tensor): floating, of any shape.
        p (float|int): the order of the norm.
        axis (int): the axis; a Tensor of one dimension is normalized along that one.
        epsilon (float): what the norm is at least.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape and dtype.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[3.0, 4.0], [0.0, 2.0]])
            print(F.normalize(x).numpy())  # [[0.6 0.8] [0. 1.]]
    """
    check_tensors("normalize", x=x)
    if len(x.shape) == 1:
        axis = integer("normalize", "axis", axis) * 0
    check_not_negative("normalize", epsilon=epsilon)
    length = C.p_norm(x, porder=float(p), axis=axis, keepdim=True, epsilon=epsilon)
    return C.elementwise_div(x, C.clip(length, min=epsilon, max=3.4028234663852886e38))


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any,
    bias: Any,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Any:
    r"""Normalizes every channel over the batch and its positions.

    :math:`y = (x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot weight + bias`. In training mean
    and variance (in its population form) are those of the batch, and the running ones are moved:
    ``running = momentum * running + (1 - momentum) * batch``. Else the running ones are taken.

    Args:
        x (Tensor): ``[N, C]``, ``[N, C, ...]`` or ``[N, ..., C]``.
        running_mean, running_var (Tensor): ``[C]``, written in place in training.
        weight, bias (Tensor|None): ``[C]``.
        training (bool): whether to take the batch's statistics.
        momentum (float): share of the running statistics that stays.
        epsilon (float): added to the variance.
        data_format (str): ``'NC'``, ``'NCL'``, ``'NCHW'``, ``'NCDHW'`` or with channels last
            ``'NLC'``, ``'NHWC'``, ``'NDHWC'``.
        use_global_stats (bool|None): True takes the running statistics also in training, False
            those of the batch also in evaluation; None follows ``training``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape and dtype.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[1.0], [3.0]])
            mean, var = paddle.zeros([1]), paddle.ones([1])
            y = F.batch_norm(x, mean, var, paddle.ones([1]), paddle.zeros([1]), training=True)
            print(y.numpy().round(3).tolist(), mean.numpy())  # [[-1.0], [1.0]] [0.2]
    """
    layout = _layout("batch_norm", data_format)
    if use_global_stats is None:
        use_global_stats, trainable = not training, False
    else:
        trainable = not use_global_stats
    return C.batch_norm(
        x,
        weight,
        bias,
        running_mean,
        running_var,
        is_test=not training,
        momentum=momentum,
        epsilon=epsilon,
        data_layout=layout,
        use_global_stats=bool(use_global_stats),
        trainable_statistics=trainable,
    )[0]


def layer_norm(
    x: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Any:
    r"""Normalizes the last dimensions of every example.

    :math:`y = (x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot weight + bias`, with mean and
    variance over the dimensions of ``normalized_shape``.

    Args:
        x (Tensor): ``[*, *normalized_shape]``.
        normalized_shape (int|list[int]): sizes of the last dimensions.
        weight, bias (Tensor|None): as many elements as ``normalized_shape`` says.
        epsilon (float): added to the variance.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape and dtype.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[1.0, 3.0], [2.0, 6.0]])
            print(F.layer_norm(x, 2).numpy().round(3).tolist())  # [[-1.0, 1.0], [-1.0, 1.0]]
    """
    if not hasattr(x, "stop_gradient"):  # spares good calls the call of a check
        check_tensors("layer_norm", x=x)
    shape = list(x.shape)
    if isinstance(normalized_shape, int):
        normalized_shape = [normalized_shape]
    elif not isinstance(normalized_shape, (list, tuple)):
        raise TypeError(
            "layer_norm(normalized_shape): expected an int or a list of them, "
            f"but received {type(normalized_shape).__name__}."
        )
    wanted = list(normalized_shape)
    begin = len(shape) - len(wanted)
    if begin < 0 or not shapes_fit(shape[begin:], wanted):
        raise InvalidArgumentError(
            f"layer_norm(normalized_shape): expected x of shape [*, {str(wanted)[1:-1]}], "
            f"but received {shape}."
        )
    return C.layer_norm(x, weight, bias, epsilon=epsilon, begin_norm_axis=begin)[0]


@guarded
def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-05,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    r"""Normalizes every channel of every example over its positions.

    :math:`y = (x - \mu) / \sqrt{\sigma^2 + \epsilon} \cdot weight + bias`.

    Args:
        x (Tensor): ``[N, C, ...]``, or ``[N, ..., C]``.
        running_mean, running_var (Tensor|None): nothing is read from them or written to them, as in
            PaddlePaddle; giving them is warned of.
        weight, bias (Tensor|None): ``[C]``.
        use_input_stats (bool): must be True: each instance gives its own statistics.
        momentum (float): has no effect, as there are no running statistics.
        eps (float): added to the variance.
        data_format (str): ``'NCL'``, ``'NCHW'``, ``'NCDHW'`` or with channels last ``'NLC'``,
            ``'NHWC'``, ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape and dtype.

    Raises:
        NotImplementedError: running statistics are asked for; use batch_norm for them.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.to_tensor([[[1.0, 3.0], [2.0, 6.0]]])
            print(F.instance_norm(x).numpy().round(3).tolist())  # [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    if not use_input_stats:
        raise UnimplementedError(
            "instance_norm: running statistics are not supported, as in PaddlePaddle.",
            hint="leave use_input_stats out, or use batch_norm",
        )
    if running_mean is not None or running_var is not None:
        warnings.warn(
            "instance_norm: running_mean and running_var are neither read nor written; each "
            "instance gives its own statistics.",
            RuntimeWarning,
            stacklevel=2,
        )
    last = _layout("instance_norm", data_format) == "NHWC"
    if not last:
        return C.instance_norm(x, weight, bias, epsilon=eps)[0]
    check_tensors("instance_norm", x=x)
    rank = len(x.shape)
    first = C.transpose2(x, axis=[0, rank - 1, *range(1, rank - 1)])[0]
    out = C.instance_norm(first, weight, bias, epsilon=eps)[0]
    return C.transpose2(out, axis=[0, *range(2, rank), 1])[0]


def _plane(shape: Any, axis: int, size: int) -> list[int]:
    """Sizes of [all before, 1, padded channels, all behind]; one of them may be unknown."""
    if shape[axis] == -1:
        raise InvalidArgumentError(
            "local_response_norm(x): expected a known number of channels, but received shape "
            f"{list(shape)}."
        )
    behind = shape[axis + 1 :]
    inner = -1 if -1 in behind else math.prod(behind)
    before = shape[:axis]
    outer = math.prod(before)
    if -1 in before:  # 0 takes the size of the batch, the dimension at that position
        outer = -1 if inner != -1 else 0
    return [outer, 1, shape[axis] + size - 1, inner]


@guarded
def local_response_norm(
    x: Any,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    r"""Divides by a power of the mean square over neighbouring channels.

    :math:`y_c = x_c / (k + \alpha / size \cdot \sum_{c'} x_{c'}^2)^\beta` over the ``size``
    channels from :math:`c - size / 2` on; beyond the first and last channel there are zeros.

    Args:
        x (Tensor): ``[N, C, L]``, ``[N, C, H, W]``, ``[N, C, D, H, W]`` or with channels last.
        size (int): number of channels.
        alpha, beta, k (float): as in the formula.
        data_format (str): ``'NCL'``, ``'NCHW'``, ``'NCDHW'``, ``'NLC'``, ``'NHWC'`` or ``'NDHWC'``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of ``x``'s shape and dtype.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.nn.functional as F
            x = paddle.ones([1, 3, 2, 2])
            print(F.local_response_norm(x, 3, alpha=3.0).numpy()[0, :, 0, 0].round(4))
            # [0.4387 0.3536 0.4387]
    """
    check_tensors("local_response_norm", x=x)
    rank = len(x.shape)
    if not 3 <= rank <= 5:
        raise InvalidArgumentError(
            f"local_response_norm(x): expected 3 to 5 dimensions, but received shape {x.shape}."
        )
    axis = rank - 1 if _layout("local_response_norm", data_format) == "NHWC" else 1
    if type(size) is not int or size < 1:
        raise InvalidArgumentError(
            f"local_response_norm(size): expected a positive int, but received {size!r}."
        )
    pads = [0] * (2 * rank)
    pads[2 * axis : 2 * axis + 2] = [size // 2, (size - 1) // 2]
    squares = C.pad(C.elementwise_mul(x, x), paddings=pads)
    # One channel axis and all before and behind it flat, so that a 2-D pool does any rank.
    plane = C.reshape2(squares, shape=_plane(x.shape, axis, size))[0]
    mean = C.pool2d(plane, ksize=[size, 1], pooling_type="avg")
    ints, whole, _ = shape_of(x)
    mean = C.reshape2(mean, whole, shape=ints)[0]
    divisor = C.pow(C.scale(mean, scale=float(alpha), bias=float(k)), factor=float(beta))
    return C.elementwise_div(x, divisor)
