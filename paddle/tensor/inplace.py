"""Forms of functions that put their result into the Tensor they were given."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError, check_tensors
from paddle.core.mode import grad_enabled, no_grad
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.core.writes import replace_buffer
from paddle.tensor.dims import is_variable, shape_of

__all__ = ["exponential_", "fill_", "normal_", "uniform_", "zero_"]


def replace(x: Any, out: Any) -> Any:
    """Lets ``x`` stand for ``out`` from now on, in the graph as well, and returns it.

    What was computed from ``x`` before keeps the old contents. In static mode the result itself is
    returned, unless the Program is recorded from a function of dynamic mode.

    Args:
        x (Tensor): the Tensor that is changed.
        out (Tensor): its new contents, usually computed from ``x``.

    Raises:
        ValueError: ``x`` is a leaf that requires a gradient while operators are recorded.
    """
    if not isinstance(x, Tensor) or is_variable(out):
        from paddle.ir.recording.replacing import replaced_variable

        return replaced_variable(x, out)
    if x._edge is None and not x.stop_gradient and grad_enabled():
        raise InvalidArgumentError(
            f"{x._name or 'a leaf Tensor'} with stop_gradient=False cannot be changed in place: "
            "its gradient would be lost.",
            hint="use the form without '_', or do it under paddle.no_grad()",
        )
    replace_buffer(x, out._buf)
    if grad_enabled():
        x._edge = out._edge
        x.stop_gradient = out.stop_gradient
    return x


def overwrite(x: Any, out: Any) -> Any:
    """Like :func:`replace`, but a leaf that is trained may get contents that need no gradient.

    It goes on being trained, from there.

    Args:
        x (Tensor): the Tensor that is changed.
        out (Tensor): its new contents.

    Raises:
        ValueError: ``x`` is a leaf that requires a gradient, and ``out`` needs one, too.
    """
    eager = isinstance(x, Tensor) and isinstance(out, Tensor)
    if eager and out.stop_gradient and not x.stop_gradient and x._edge is None:
        with no_grad():
            return replace(x, out)
    return replace(x, out)


def fill_(x: Tensor, value: float) -> Tensor:
    """Sets every element to one number.

    Args:
        x (Tensor): the Tensor that is changed.
        value (float|int|bool): the number; converted to the type of ``x``.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([2])
            x.fill_(3)
            print(x.numpy())  # [3. 3.]
    """
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"fill_(value): expected a number, but received {type(value).__name__}.")
    return replace(x, C.fill_any_like(x, value=value))


def zero_(x: Tensor) -> Tensor:
    """Sets every element to 0.

    Args:
        x (Tensor): the Tensor that is changed.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.ones([2])
            x.zero_()
            print(x.numpy())  # [0. 0.]
    """
    return replace(x, C.fill_any_like(x, value=0.0))


def uniform_(x: Tensor, min: float = -1.0, max: float = 1.0, seed: int = 0) -> Tensor:
    """Fills a Tensor with numbers drawn evenly from ``[min, max)``.

    Args:
        x (Tensor): of a floating type; it is changed.
        min (float, optional): lower end. Default: -1.0.
        max (float, optional): upper end. Default: 1.0.
        seed (int, optional): 0 draws from the generator that :func:`paddle.seed` sets.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([100])
            x.uniform_(0.0, 1.0)
            print(bool((x >= 0).all()))  # True
    """
    check_tensors("uniform_", x=x)
    ints, whole, _ = shape_of(x)
    drawn = C.uniform_random(
        whole, shape=ints, dtype=x.dtype, min=float(min), max=float(max), seed=seed
    )
    return replace(x, drawn)


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fills a Tensor with normally distributed numbers.

    Args:
        x (Tensor): of a floating type; it is changed.
        mean (float, optional): the mean. Default: 0.0.
        std (float, optional): the standard deviation. Default: 1.0.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([3])
            x.normal_(5.0, 0.1)
            print(x.shape)  # [3]
    """
    check_tensors("normal_", x=x)
    ints, whole, _ = shape_of(x)
    drawn = C.gaussian_random(whole, shape=ints, dtype=x.dtype, mean=float(mean), std=float(std))
    return replace(x, drawn)


def exponential_(x: Tensor, lam: float = 1.0) -> Tensor:
    r"""Fills a Tensor with numbers of density :math:`\lambda e^{-\lambda x}`.

    Args:
        x (Tensor): of a floating type; it is changed.
        lam (float, optional): the rate, positive. Default: 1.0.

    Returns:
        Tensor: ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.zeros([100])
            x.exponential_(2.0)
            print(bool((x >= 0).all()))  # True
    """
    return replace(x, C.exponential(x, lambda_=float(lam)))
