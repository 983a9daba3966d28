"""Mathematical functions of one tensor, element by element."""

from __future__ import annotations

from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.inplace import replace

__all__ = [
    "abs", "acos", "asin", "atan", "ceil", "conj", "cos", "cosh", "erf", "exp", "floor", "log",
    "log10", "log1p", "log2", "reciprocal", "round", "rsqrt", "sign", "sin", "sinh", "sqrt",
    "square", "stanh", "tanh", "tanh_",
]  # fmt: skip


def abs(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the absolute value, for every element: :math:`|x|`.

    Args:
        x (Tensor): of any numeric type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-1.5, 2.0])
            print(paddle.abs(x).numpy())  # [1.5 2. ]
    """
    return C.abs(x)


def acos(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse cosine, in radians, for every element: :math:`\arccos(x)`.

    Args:
        x (Tensor): its elements are in [-1, 1]; NaN elsewhere.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 0.0])
            print(paddle.acos(x).numpy())  # [0. 1.5707964]
    """
    return C.acos(x)


def asin(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse sine, in radians, for every element: :math:`\arcsin(x)`.

    Args:
        x (Tensor): its elements are in [-1, 1]; NaN elsewhere.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.asin(x).numpy())  # [0. 1.5707964]
    """
    return C.asin(x)


def atan(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse tangent, in radians, for every element: :math:`\arctan(x)`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.atan(x).numpy())  # [0. 0.7853982]
    """
    return C.atan(x)


def ceil(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the smallest integer that is not less, for every element: :math:`\lceil x \rceil`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-0.5, 1.2])
            print(paddle.ceil(x).numpy())  # [-0. 2.]
    """
    return C.ceil(x)


def cos(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the cosine, for every element: :math:`\cos(x)`.

    Args:
        x (Tensor): angles in radians.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 3.1415927])
            print(paddle.cos(x).numpy())  # [ 1. -1.]
    """
    return C.cos(x)


def cosh(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the hyperbolic cosine, for every element: :math:`(e^x + e^{-x}) / 2`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.cosh(x).numpy())  # [1. 1.5430806]
    """
    return C.cosh(x)


def erf(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the error function, for every element.

    .. math:: \frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 0.5])
            print(paddle.erf(x).numpy())  # [0. 0.5204999]
    """
    return C.erf(x)


def exp(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the exponential, for every element: :math:`e^x`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.exp(x).numpy())  # [1. 2.7182817]
    """
    return C.exp(x)


def floor(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the largest integer that is not greater, for every element.

    .. math:: \lfloor x \rfloor

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-0.5, 1.2])
            print(paddle.floor(x).numpy())  # [-1. 1.]
    """
    return C.floor(x)


def log(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the natural logarithm, for every element: :math:`\ln(x)`.

    Args:
        x (Tensor): its elements are positive; 0 gives -inf, what is negative NaN.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 10.0])
            print(paddle.log(x).numpy())  # [0. 2.3025851]
    """
    return C.log(x)


def log10(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm to base 10, for every element: :math:`\log_{10}(x)`.

    Args:
        x (Tensor): its elements are positive; 0 gives -inf, what is negative NaN.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 100.0])
            print(paddle.log10(x).numpy())  # [0. 2.]
    """
    return C.log10(x)


def log1p(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm of one plus every element, exact for tiny ones too.

    .. math:: \ln(1 + x)

    Args:
        x (Tensor): its elements are greater than -1.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.log1p(x).numpy())  # [0. 0.6931472]
    """
    return C.log1p(x)


def log2(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm to base 2, for every element: :math:`\log_2(x)`.

    Args:
        x (Tensor): its elements are positive; 0 gives -inf, what is negative NaN.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 8.0])
            print(paddle.log2(x).numpy())  # [0. 3.]
    """
    return C.log2(x)


def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the reciprocal, for every element: :math:`1 / x`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([2.0, 4.0])
            print(paddle.reciprocal(x).numpy())  # [0.5 0.25]
    """
    return C.reciprocal(x)


def round(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the nearest integer, halves away from zero, for every element.

    .. math:: \mathrm{sign}(x) \lfloor |x| + 0.5 \rfloor

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.5, 1.5, -2.4])
            print(paddle.round(x).numpy())  # [ 1. 2. -2.]
    """
    return C.round(x)


def rsqrt(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the reciprocal of the square root, for every element: :math:`1 / \sqrt x`.

    Args:
        x (Tensor): its elements are positive.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1.0, 4.0])
            print(paddle.rsqrt(x).numpy())  # [1. 0.5]
    """
    return C.rsqrt(x)


def sign(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the sign: 1, 0 or -1, for every element: :math:`\mathrm{sign}(x)`.

    Args:
        x (Tensor): of any numeric type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-3.0, 0.0, 2.0])
            print(paddle.sign(x).numpy())  # [-1. 0. 1.]
    """
    return C.sign(x)


def sin(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the sine, for every element: :math:`\sin(x)`.

    Args:
        x (Tensor): angles in radians.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.5707964])
            print(paddle.sin(x).numpy())  # [0. 1.]
    """
    return C.sin(x)


def sinh(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the hyperbolic sine, for every element: :math:`(e^x - e^{-x}) / 2`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.sinh(x).numpy())  # [0. 1.1752012]
    """
    return C.sinh(x)


def sqrt(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the square root, for every element: :math:`\sqrt x`.

    Args:
        x (Tensor): its elements are not negative; what is negative gives NaN.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([4.0, 9.0])
            print(paddle.sqrt(x).numpy())  # [2. 3.]
    """
    return C.sqrt(x)


def square(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the square, for every element: :math:`x^2`.

    Args:
        x (Tensor): of any numeric type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([-2.0, 3.0])
            print(paddle.square(x).numpy())  # [4. 9.]
    """
    return C.square(x)


def tanh(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the hyperbolic tangent, for every element: :math:`(e^x - e^{-x}) / (e^x + e^{-x})`.

    Args:
        x (Tensor): of a floating type.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.tanh(x).numpy())  # [0. 0.7615942]
    """
    return C.tanh(x)


def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Replaces the contents of a Tensor by their hyperbolic tangent and returns it.

    Args:
        x (Tensor): of a floating type; it is changed.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: ``x``.

    Raises:
        ValueError: ``x`` is a leaf that requires a gradient.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            paddle.tanh_(x)
            print(x.numpy())  # [0. 0.7615942]
    """
    return replace(x, C.tanh(x))


def stanh(
    x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None
) -> Tensor:
    r"""Returns the scaled hyperbolic tangent :math:`b \tanh(a x)` of every element.

    Args:
        x (Tensor): of a floating type.
        scale_a (float, optional): the factor a within. Default: 0.67.
        scale_b (float, optional): the factor b outside. Default: 1.7159.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([0.0, 1.0])
            print(paddle.stanh(x).numpy())  # [0. 1.003767]
    """
    return C.stanh(x, scale_a=scale_a, scale_b=scale_b)


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex conjugate of every element; a real Tensor stays as it is.

    Args:
        x (Tensor): complex or real.
        name (str, optional): unused in eager mode.

    Returns:
        Tensor: of the shape and type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1 + 2j, 3 - 1j])
            print(paddle.conj(x).numpy())  # [1.-2.j 3.+1.j]
    """
    return C.conj(x)
