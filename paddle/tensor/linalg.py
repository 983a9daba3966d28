"""Products of matrices and vectors, norms, and functions of one matrix."""

from __future__ import annotations

import math
from typing import Any

from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import read_ints, wrong_type

__all__ = [
    "addmm", "bmm", "cholesky", "cross", "dist", "dot", "histogram", "inverse", "kron", "matmul",
    "mm", "mv", "norm", "t", "trace",
]  # fmt: skip


def matmul(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the matrix product, with batch dimensions that broadcast.

    The last two dimensions are matrices, those before them a batch. A 1-D operand is a row on the
    left, a column on the right, and leaves no dimension in the result.

    Args:
        x (Tensor): of shape ``[..., m, k]`` or ``[k]``, of a floating type.
        y (Tensor): of shape ``[..., k, n]`` or ``[k]``.
        transpose_x (bool, optional): swap the last two dimensions of ``x`` first.
        transpose_y (bool, optional): swap the last two dimensions of ``y`` first.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[..., m, n]``; the product of two vectors has shape ``[1]``.

    Raises:
        ValueError: the inner dimensions differ, or the batches do not broadcast.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            y = paddle.to_tensor([[1.0], [1.0]])
            print(paddle.matmul(x, y).numpy())  # [[3.] [7.]]
            print(paddle.matmul(x, x, transpose_y=True).numpy())  # [[ 5. 11.] [11. 25.]]
            print(paddle.matmul(paddle.ones([10, 3, 5]), paddle.ones([5, 4])).shape)  # [10, 3, 4]
    """
    return C.matmul_v2(x, y, trans_x=transpose_x, trans_y=transpose_y)


def mm(input: Tensor, mat2: Tensor, name: str | None = None) -> Tensor:
    """Returns the matrix product, like :func:`paddle.matmul` without its options.

    Args:
        input (Tensor): the left matrix, or a batch of them.
        mat2 (Tensor): the right one.
        name (str, optional): has no effect.

    Returns:
        Tensor: the product.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.mm(x, x).numpy())  # [[ 7. 10.] [15. 22.]]
    """
    return C.matmul_v2(input, mat2)


def bmm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the products of two batches of matrices.

    Args:
        x (Tensor): of shape ``[b, m, k]``.
        y (Tensor): of shape ``[b, k, n]``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[b, m, n]``.

    Raises:
        ValueError: an operand has not three dimensions, or they do not fit.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2, 2, 3])
            y = paddle.ones([2, 3, 1])
            print(paddle.bmm(x, y).numpy().tolist())  # [[[3.0], [3.0]], [[3.0], [3.0]]]
    """
    return C.bmm(x, y)


def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Returns the product of a matrix and a vector.

    Args:
        x (Tensor): of shape ``[m, n]``.
        vec (Tensor): of shape ``[n]``.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[m]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[2.0, 1.0, 3.0], [3.0, 0.0, 1.0]])
            print(paddle.mv(x, paddle.to_tensor([3.0, 5.0, 1.0])).numpy())  # [14. 10.]
    """
    return C.mv(x, vec)


def dot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the inner product of two vectors, or of the rows of two matrices.

    Args:
        x (Tensor): of shape ``[n]`` or ``[m, n]``.
        y (Tensor): of the same shape.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[1]`` or ``[m, 1]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 2.0])
            print(paddle.dot(x, x).numpy())  # [5.]
    """
    return C.dot(x, y)


def addmm(
    input: Tensor,
    x: Tensor,
    y: Tensor,
    beta: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Returns ``beta * input + alpha * x @ y``.

    Args:
        input (Tensor): a matrix that broadcasts to ``[m, n]``.
        x (Tensor): of shape ``[m, k]``.
        y (Tensor): of shape ``[k, n]``.
        beta (float, optional): the factor of ``input``. Default: 1.0.
        alpha (float, optional): the factor of the product. Default: 1.0.
        name (str, optional): has no effect.

    Returns:
        Tensor: of shape ``[m, n]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2, 2])
            print(paddle.addmm(x, x, x, beta=0.5, alpha=5.0).numpy())  # [[10.5 10.5] [10.5 10.5]]
    """
    return C.addmm(input, x, y, Alpha=alpha, Beta=beta)


def kron(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns the Kronecker product: every element of ``x`` times all of ``y``.

    Args:
        x (Tensor): the left factor.
        y (Tensor): the right one; the shape with fewer dimensions gets ones in front.
        name (str, optional): has no effect.

    Returns:
        Tensor: its dimensions are the products of those of ``x`` and ``y``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2], [3, 4]])
            print(paddle.kron(x, paddle.to_tensor([[1, 1]])).numpy())  # [[1 1 2 2] [3 3 4 4]]
    """
    return C.kron(x, y)


def cross(x: Tensor, y: Tensor, axis: int | None = None, name: str | None = None) -> Tensor:
    """Returns the vector product along an axis of length three.

    Args:
        x (Tensor): the left factors.
        y (Tensor): the right ones, of the same shape.
        axis (int, optional): the axis of the vectors; None means the first of length three.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape of ``x``.

    Raises:
        ValueError: no such axis has length three.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 0.0, 0.0])
            y = paddle.to_tensor([0.0, 1.0, 0.0])
            print(paddle.cross(x, y).numpy())  # [0. 0. 1.]
    """
    return C.cross(x, y) if axis is None else C.cross(x, y, dim=axis)


def trace(
    x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Returns the sum along a diagonal.

    Args:
        x (Tensor): of at least two dimensions.
        offset (int, optional): how far the diagonal is above the main one. Default: 0.
        axis1 (int, optional): first axis of the matrices. Default: 0.
        axis2 (int, optional): second axis of the matrices. Default: 1.
        name (str, optional): has no effect.

    Returns:
        Tensor: the shape of ``x`` without both axes; ``[1]`` for a matrix.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
            print(paddle.trace(x).numpy())  # [5.]
    """
    return C.trace(x, offset=offset, axis1=axis1, axis2=axis2)


def inverse(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the inverses of square matrices.

    Args:
        x (Tensor): of shape ``[..., n, n]``, float32 or float64.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the same shape.

    Raises:
        ValueError: a matrix is not square, or is singular.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])
            print(paddle.inverse(x).numpy())  # [[0.5 0. ] [0. 0.25]]
    """
    return C.inverse(x)


def cholesky(x: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    r"""Returns the Cholesky factor of symmetric positive definite matrices: :math:`x = L L^T`.

    Args:
        x (Tensor): of shape ``[..., n, n]``, float32 or float64.
        upper (bool, optional): return :math:`U = L^T` instead of the lower triangular L.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the same shape.

    Raises:
        ValueError: a matrix is not square, or not positive definite.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[4.0, 2.0], [2.0, 5.0]])
            print(paddle.cholesky(x).numpy())  # [[2. 0.] [1. 2.]]
    """
    return C.cholesky(x, upper=upper)


@guarded
def dist(x: Tensor, y: Tensor, p: float = 2) -> Tensor:
    r"""Returns the p-norm of ``x - y``, all elements taken as one vector.

    Args:
        x (Tensor): one point.
        y (Tensor): the other, of a shape that broadcasts with it.
        p (float, optional): the norm; 0 counts what differs, ``inf`` and ``-inf`` give the
            greatest and the smallest difference. Default: 2.

    Returns:
        Tensor: of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[3.0, 3.0], [3.0, 3.0]])
            y = paddle.to_tensor([[3.0, 3.0], [3.0, 1.0]])
            print(paddle.dist(x, y, 0).numpy())  # [1.]
            print(paddle.dist(x, y).numpy())  # [2.]
    """
    return C.dist(x, y, p=float(p))


def t(input: Tensor, name: str | None = None) -> Tensor:
    """Returns the transpose of a matrix; a vector stays as it is.

    Args:
        input (Tensor): of one or two dimensions.
        name (str, optional): has no effect.

    Returns:
        Tensor: the transpose.

    Raises:
        ValueError: there are more than two dimensions.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
            print(paddle.t(x).shape)  # [3, 2]
    """
    from paddle.tensor.manipulation import transpose

    if not hasattr(input, "stop_gradient"):
        check_tensors("t", input=input)
    if len(input.shape) > 2:
        raise InvalidArgumentError(
            f"t(input): expected at most 2 dimensions, but received shape {input.shape}.",
            hint="use paddle.transpose(x, perm)",
        )
    return input if len(input.shape) < 2 else transpose(input, [1, 0])


@guarded
def histogram(input: Tensor, bins: int = 100, min: int = 0, max: int = 0) -> Tensor:
    """Counts the elements in ranges of equal width between ``min`` and ``max``.

    Args:
        input (Tensor): of any real type; what lies outside is not counted.
        bins (int, optional): the number of ranges. Default: 100.
        min (int, optional): the lower end.
        max (int, optional): the upper end; if both are equal, the data's own extremes are used.

    Returns:
        Tensor: int64, of shape ``[bins]``.

    Raises:
        ValueError: ``bins`` is less than 1 or ``max`` less than ``min``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2, 1])
            print(paddle.histogram(x, bins=4, min=0, max=3).numpy())  # [0 2 1 0]
    """
    return C.histogram(input, bins=bins, min=min, max=max)


def norm(
    x: Tensor,
    p: float | str = "fro",
    axis: int | list[int] | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Returns a norm of all elements, or of vectors or matrices along axes.

    It is :math:`(\sum |x|^p)^{1/p}` over the elements concerned, also for matrices; ``inf`` and
    ``-inf`` give the greatest and smallest absolute value, 0 the number of elements that are not 0.

    Args:
        x (Tensor): of a floating type.
        p (float|str, optional): a number, or ``'fro'``, which is p = 2. Default: ``'fro'``.
        axis (int|list|tuple, optional): one axis (vectors), two axes (matrices) or None (all).
        keepdim (bool, optional): keep the axes with length one.
        name (str, optional): has no effect.

    Returns:
        Tensor: the norms.

    Raises:
        ValueError: ``p`` or ``axis`` is none of the above, or p is 0 with two axes.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([[3.0, 4.0], [6.0, 8.0]])
            print(paddle.norm(x).numpy())  # [11.18034]
            print(paddle.norm(x, p=2, axis=1).numpy())  # [ 5. 10.]
            print(paddle.norm(x, p=float("inf")).numpy())  # [8.]
    """
    axes = _norm_axes(axis)
    if isinstance(p, str):
        if p != "fro":
            raise InvalidArgumentError(f"norm(p): expected a number or 'fro', but received {p!r}.")
        if axes is None:
            return C.frobenius_norm(x, reduce_all=True, keep_dim=keepdim)
        if len(axes) == 2:
            return C.frobenius_norm(x, dim=axes, keep_dim=keepdim)
        return C.p_norm(x, porder=2.0, axis=axes[0], keepdim=keepdim)
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise wrong_type("norm", "p", p, "a number or 'fro'")
    if axes is None:
        return C.p_norm(x, porder=float(p), keepdim=keepdim, asvector=True)
    if len(axes) == 1:
        return C.p_norm(x, porder=float(p), axis=axes[0], keepdim=keepdim)
    return _matrix_norm(x, float(p), axes, keepdim)


def _norm_axes(axis: Any) -> list[int] | None:
    if axis is None:
        return None
    axes = read_ints(axis, "norm", "axis")
    if len(axes) not in (1, 2):
        raise InvalidArgumentError(
            f"norm(axis): expected None, an int or a list of one or two ints, received {axis!r}."
        )
    return axes


def _matrix_norm(x: Any, p: float, axes: list[int], keepdim: bool) -> Any:
    """The norm over the elements of matrices, made of operators that PaddlePaddle has."""
    if p == 0:
        raise InvalidArgumentError(f"norm(p): expected p other than 0 for two axes {axes}.")
    size = C.abs(x)
    if math.isinf(p):
        reduce = C.reduce_max if p > 0 else C.reduce_min
        return reduce(size, dim=axes, keep_dim=keepdim)
    total = C.reduce_sum(C.pow(size, factor=p), dim=axes, keep_dim=keepdim)
    return C.pow(total, factor=1.0 / p)
