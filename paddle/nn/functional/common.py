"""Linear maps, dropout, similarity and label smoothing."""

from __future__ import annotations

from typing import Any

from paddle import tensor
from paddle.core.errors import InvalidArgumentError, check_not_negative, check_tensors
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.nn.functional.loss_reduction import FLOATING, shapes_fit
from paddle.tensor.dims import read_ints, wrong_type

__all__ = [
    "alpha_dropout",
    "bilinear",
    "cosine_similarity",
    "diag_embed",
    "dropout",
    "dropout2d",
    "dropout3d",
    "label_smooth",
    "linear",
]


MODES = ("upscale_in_train", "downscale_in_infer")


def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    r"""Linear map: :math:`x W + b`.

    Args:
        x (Tensor): shape [..., in].
        weight (Tensor): shape [in, out].
        bias (Tensor, optional): shape [out].
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [..., out].

    Raises:
        ValueError: the last dimension of ``x`` is not the first of ``weight``.

    Examples:
        .. code-block:: python

            import paddle
            x, w = paddle.ones([2, 3]), paddle.ones([3, 4])
            print(paddle.nn.functional.linear(x, w, paddle.zeros([4])).shape)  # [2, 4]
    """
    try:
        return C.linear(x, weight, bias)
    except InvalidArgumentError:
        if x.shape[-1] == weight.shape[0]:
            raise
        raise InvalidArgumentError(
            f"linear(x): expected shape [..., {weight.shape[0]}] beside a weight of shape "
            f"{weight.shape}, but received {x.shape}.",
        ) from None


def check_probability(api: str, p: Any) -> None:
    """Refuses a probability of dropping that is none."""
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"{api}(p): expected a number, but received {type(p).__name__}.")
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"{api}(p): expected 0 <= p <= 1, but received {p}.")


def check_mode(api: str, mode: str) -> None:
    """Refuses a way of scaling that there is none of."""
    if mode not in MODES:
        raise InvalidArgumentError(
            f"{api}(mode): expected {MODES[0]!r} or {MODES[1]!r}, but received {mode!r}."
        )


def _handle(x: Tensor, p: float = 0.0) -> Tensor:
    """The same contents as a Tensor of its own, so that a write to it does not show in ``x``.

    ``p`` has no effect; a Program keeps it, as PaddlePaddle's does.
    """
    return C.dropout(
        x, None, dropout_prob=p, is_test=True, dropout_implementation="upscale_in_train"
    )[0]


def dropout(
    x: Tensor,
    p: float = 0.5,
    axis: int | list | None = None,
    training: bool = True,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Tensor:
    r"""Sets elements to zero at random, https://arxiv.org/abs/1207.0580.

    ``upscale_in_train``: in training the rest is divided by :math:`1 - p`, else nothing happens.
    ``downscale_in_infer``: in training the rest stays, else everything is multiplied by
    :math:`1 - p`.

    Args:
        x (Tensor): any shape, floating.
        p (float): probability of zero. Default: 0.5. In main memory, for 2048 elements or more and
            p from 0.01 to 0.99, zeros come with the multiple of 1/65536 next to it.
        axis (int|list, optional): axes along which the choice differs; along the others whole
            lines share it. None: every element for itself.
        training (bool): whether to drop. Default: True.
        mode (str): see above. Default: upscale_in_train.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2, 3])
            print(paddle.nn.functional.dropout(x, 0.5, training=False).numpy().sum())  # 6.0
    """
    if type(p) is not float or not 0.0 <= p <= 1.0:
        check_probability("dropout", p)
    if mode not in MODES:
        check_mode("dropout", mode)
    if axis is not None:
        return _dropout_along(x, float(p), axis, training, mode)
    if p == 0 or (not training and mode == "upscale_in_train"):
        return _handle(x, float(p))
    implementation = mode if mode == "upscale_in_train" else "downgrade_in_infer"
    return C.dropout(
        x,
        None,
        dropout_prob=float(p),
        is_test=not training,
        dropout_implementation=implementation,
    )[0]


def _dropout_along(x: Tensor, p: float, axis: Any, training: bool, mode: str) -> Tensor:
    """Dropout whose choice is shared along the axes that are not named."""
    check_tensors("dropout", x=x)
    axes = read_ints(axis, "dropout", "axis")
    rank = x.ndim
    if len(axes) > rank or any(not -rank <= a < rank for a in axes):
        raise InvalidArgumentError(
            f"dropout(axis): expected axes in [-{rank}, {rank}) for a Tensor of shape {x.shape}, "
            f"but received {axis}."
        )
    if x.dtype not in FLOATING:
        raise TypeError(f"dropout(x): expected floating numbers, but received {x.dtype}.")
    upscale = mode == "upscale_in_train"
    if not training:
        return _handle(x) if upscale else x * (1.0 - p)
    if p == 1.0:
        return x * 0.0
    chosen = {a % rank for a in axes}
    keep = _kept(x, p, chosen)
    return x * (keep / (1.0 - p) if upscale else keep)


def _kept(x: Tensor, p: float, axes: Any) -> Tensor:
    """1 with probability ``1 - p`` along the given axes, else 0; the other axes have size 1."""
    sizes: list[Any] = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    if -1 in sizes:  # a static Program that learns them in a run
        whole = C.shape(x)
        sizes = [
            C.slice(whole, axes=[0], starts=[i], ends=[i + 1]) if n == -1 else n
            for i, n in enumerate(sizes)
        ]
    return tensor.cast(tensor.uniform(sizes, "float32", 0.0, 1.0) >= p, x.dtype)


def _dropout_channels(
    api: str, x: Tensor, p: float, training: bool, data_format: str, formats: tuple, rank: int
) -> Tensor:
    if data_format not in formats:
        raise InvalidArgumentError(
            f"{api}(data_format): expected one of {formats}, but received {data_format!r}."
        )
    check_tensors(api, x=x)
    if x.ndim != rank:
        raise InvalidArgumentError(f"{api}(x): expected {rank} dimensions, but got {x.shape}.")
    return dropout(x, p, [0, 1] if data_format == formats[0] else [0, rank - 1], training)


def dropout2d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Sets whole channels of images to zero at random; the others are divided by 1 - p.

    Args:
        x (Tensor): shape [N, C, H, W] or [N, H, W, C].
        p (float): probability of zero. Default: 0.5.
        training (bool): whether to drop. Default: True.
        data_format (str): ``NCHW`` or ``NHWC``. Default: NCHW.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            y = paddle.nn.functional.dropout2d(paddle.ones([2, 3, 4, 5]))
            print(y.shape)  # [2, 3, 4, 5]
    """
    return _dropout_channels("dropout2d", x, p, training, data_format, ("NCHW", "NHWC"), 4)


def dropout3d(
    x: Tensor,
    p: float = 0.5,
    training: bool = True,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Sets whole channels of volumes to zero at random; the others are divided by 1 - p.

    Args:
        x (Tensor): shape [N, C, D, H, W] or [N, D, H, W, C].
        p (float): probability of zero. Default: 0.5.
        training (bool): whether to drop. Default: True.
        data_format (str): ``NCDHW`` or ``NDHWC``. Default: NCDHW.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            y = paddle.nn.functional.dropout3d(paddle.ones([2, 3, 4, 5, 6]))
            print(y.shape)  # [2, 3, 4, 5, 6]
    """
    return _dropout_channels("dropout3d", x, p, training, data_format, ("NCDHW", "NDHWC"), 5)


@guarded
def alpha_dropout(
    x: Tensor, p: float = 0.5, training: bool = True, name: str | None = None
) -> Tensor:
    r"""Dropout for SELU networks that keeps mean and variance, https://arxiv.org/abs/1706.02515.

    Dropped elements become :math:`-\alpha s`; the result is then shifted and scaled.

    Args:
        x (Tensor): any shape, floating.
        p (float): probability of dropping. Default: 0.5.
        training (bool): whether to drop. Default: True.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            y = paddle.nn.functional.alpha_dropout(paddle.ones([2, 3]))
            print(y.shape)  # [2, 3]
    """
    check_probability("alpha_dropout", p)
    check_tensors("alpha_dropout", x=x)
    if x.dtype not in FLOATING:
        raise TypeError(f"alpha_dropout(x): expected floating numbers, but received {x.dtype}.")
    if not training or p == 0:
        return _handle(x)
    if p == 1:
        return x * 0.0
    dropped = -1.6732632423543772 * 1.0507009873554805
    a = ((1 - p) * (1 + p * dropped**2)) ** -0.5
    b = -a * p * dropped
    keep = _kept(x, p, range(x.ndim))
    return (x * keep + (1.0 - keep) * dropped) * a + b


@guarded
def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-08) -> Tensor:
    r"""Cosine of the angle: :math:`x_1 \cdot x_2 / \max(|x_1| |x_2|, \epsilon)`.

    Args:
        x1 (Tensor): any shape, floating.
        x2 (Tensor): of a shape that broadcasts with it.
        axis (int): the axis of the vectors. Default: 1.
        eps (float): keeps the division finite. Default: 1e-8.

    Returns:
        Tensor: without ``axis``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 0.0], [1.0, 1.0]])
            y = paddle.to_tensor([[1.0, 0.0], [1.0, -1.0]])
            print(paddle.nn.functional.cosine_similarity(x, y).numpy())  # [1. 0.]
    """
    check_not_negative("cosine_similarity", eps=eps)
    product = tensor.sum(x1 * x2, axis=axis)
    squares = tensor.sum(x1 * x1, axis=axis) * tensor.sum(x2 * x2, axis=axis)
    return product / tensor.sqrt(tensor.clip(squares, min=eps * eps))


@guarded
def bilinear(
    x1: Tensor, x2: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None
) -> Tensor:
    r"""Bilinear form: :math:`out_i = x_1 W_i x_2^T + b_i`.

    Args:
        x1 (Tensor): shape [N, in1].
        x2 (Tensor): shape [N, in2].
        weight (Tensor): shape [out, in1, in2].
        bias (Tensor, optional): shape [1, out].
        name (str, optional): has no effect.

    Returns:
        Tensor: shape [N, out].

    Examples:
        .. code-block:: python

            import paddle
            x1, x2, w = paddle.rand([5, 3]), paddle.rand([5, 4]), paddle.rand([2, 3, 4])
            print(paddle.nn.functional.bilinear(x1, x2, w).shape)  # [5, 2]
    """
    check_tensors("bilinear", x1=x1, x2=x2, weight=weight)
    w = weight.shape
    if len(w) != 3 or not (shapes_fit(x1.shape[1:], w[1:2]) and shapes_fit(x2.shape[1:], w[2:])):
        raise InvalidArgumentError(
            "bilinear: expected x1 of shape [N, in1], x2 of shape [N, in2] and a weight of shape "
            f"[out, in1, in2], but received {x1.shape}, {x2.shape} and {w}."
        )
    return C.bilinear_tensor_product(x1, x2, weight, bias)


@guarded
def label_smooth(
    label: Tensor,
    prior_dist: Tensor | None = None,
    epsilon: float = 0.1,
    name: str | None = None,
) -> Tensor:
    r"""Softens labels: :math:`(1 - \epsilon) y + \epsilon \mu`.

    Args:
        label (Tensor): one-hot or soft labels, classes along the last axis.
        prior_dist (Tensor, optional): the distribution mu, shape [1, classes]; None: uniform.
        epsilon (float): weight of mu, in [0, 1]. Default: 0.1.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``label``.

    Examples:
        .. code-block:: python

            import paddle
            y = paddle.nn.functional.label_smooth(paddle.to_tensor([[0.0, 1.0]]))
            print(y.numpy())  # [[0.05 0.95]]
    """
    if not 0 <= epsilon <= 1:
        raise InvalidArgumentError(
            f"label_smooth(epsilon): expected 0 <= epsilon <= 1, but received {epsilon}."
        )
    return C.label_smooth(label, prior_dist, epsilon=float(epsilon))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Puts vectors on the diagonals of new matrices.

    Args:
        input (Tensor): shape [..., N], the vectors.
        offset (int): the diagonal: 0 the main one, positive above, negative below. Default: 0.
        dim1 (int): where the rows go in the result. Default: -2.
        dim2 (int): where the columns go. Default: -1.

    Returns:
        Tensor: one dimension more than ``input``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.nn.functional.diag_embed(paddle.to_tensor([1.0, 2.0])).numpy())
            # [[1. 0.]
            #  [0. 2.]]
    """
    if not isinstance(input, Tensor):
        try:
            input = tensor.to_tensor(input)
        except TypeError:
            raise wrong_type("diag_embed", "input", input, "a Tensor or an array") from None
    rank = input.ndim + 1
    for name, dim in (("dim1", dim1), ("dim2", dim2)):
        if not -rank <= dim < rank:
            raise InvalidArgumentError(
                f"diag_embed({name}): expected -{rank} <= {name} < {rank}, but received {dim}."
            )
    if dim1 % rank == dim2 % rank:
        raise InvalidArgumentError(
            f"diag_embed: expected two different dimensions, but received {dim1} and {dim2}."
        )
    return C.diag_embed(input, offset=offset, dim1=dim1, dim2=dim2)
