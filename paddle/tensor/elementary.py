"""Mathematical functions of one tensor, element by element."""

from __future__ import annotations

from paddle.core.docstrings import Template
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.inplace import replace

__all__ = [
    "abs", "acos", "asin", "atan", "ceil", "conj", "cos", "cosh", "erf", "exp", "floor", "log",
    "log10", "log1p", "log2", "reciprocal", "round", "rsqrt", "sign", "sin", "sinh", "sqrt",
    "square", "stanh", "tanh", "tanh_",
]  # fmt: skip

_POSITIVE = "its elements are positive; 0 gives -inf, what is negative NaN."

elementwise = Template(
    """
    import paddle
    x = paddle.to_tensor({})
    print(paddle.{name}(x).numpy())  # {}
    """,
    returns="Tensor: of the shape of ``x``.",
    x="of a floating type.",
)


@elementwise("[-1.5, 2.0]", "[1.5 2. ]", x="of any numeric type.")
def abs(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the absolute value, for every element: :math:`|x|`."""
    return C.abs(x)


@elementwise("[1.0, 0.0]", "[0. 1.5707964]", x="its elements are in [-1, 1]; NaN elsewhere.")
def acos(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse cosine, in radians, for every element: :math:`\arccos(x)`."""
    return C.acos(x)


@elementwise("[0.0, 1.0]", "[0. 1.5707964]", x="its elements are in [-1, 1]; NaN elsewhere.")
def asin(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse sine, in radians, for every element: :math:`\arcsin(x)`."""
    return C.asin(x)


@elementwise("[0.0, 1.0]", "[0. 0.7853982]")
def atan(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the inverse tangent, in radians, for every element: :math:`\arctan(x)`."""
    return C.atan(x)


@elementwise("[-0.5, 1.2]", "[-0. 2.]")
def ceil(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the smallest integer that is not less, of every element: :math:`\lceil x \rceil`."""
    return C.ceil(x)


@elementwise("[0.0, 3.1415927]", "[ 1. -1.]", x="angles in radians.")
def cos(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the cosine, for every element: :math:`\cos(x)`."""
    return C.cos(x)


@elementwise("[0.0, 1.0]", "[1. 1.5430806]")
def cosh(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the hyperbolic cosine, for every element: :math:`(e^x + e^{-x}) / 2`."""
    return C.cosh(x)


@elementwise("[0.0, 0.5]", "[0. 0.5204999]")
def erf(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the error function, for every element.

    .. math:: \frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt
    """
    return C.erf(x)


@elementwise("[0.0, 1.0]", "[1. 2.7182817]")
def exp(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the exponential, for every element: :math:`e^x`."""
    return C.exp(x)


@elementwise("[-0.5, 1.2]", "[-1. 1.]")
def floor(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the largest integer that is not greater, for every element.

    .. math:: \lfloor x \rfloor
    """
    return C.floor(x)


@elementwise("[1.0, 10.0]", "[0. 2.3025851]", x=_POSITIVE)
def log(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the natural logarithm, for every element: :math:`\ln(x)`."""
    return C.log(x)


@elementwise("[1.0, 100.0]", "[0. 2.]", x=_POSITIVE)
def log10(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm to base 10, for every element: :math:`\log_{10}(x)`."""
    return C.log10(x)


@elementwise("[0.0, 1.0]", "[0. 0.6931472]", x="its elements are greater than -1.")
def log1p(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm of one plus every element, exact for tiny ones too.

    .. math:: \ln(1 + x)
    """
    return C.log1p(x)


@elementwise("[1.0, 8.0]", "[0. 3.]", x=_POSITIVE)
def log2(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the logarithm to base 2, for every element: :math:`\log_2(x)`."""
    return C.log2(x)


@elementwise("[2.0, 4.0]", "[0.5 0.25]")
def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the reciprocal, for every element: :math:`1 / x`."""
    return C.reciprocal(x)


@elementwise("[0.5, 1.5, -2.4]", "[ 1. 2. -2.]")
def round(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the nearest integer, halves away from zero, for every element.

    .. math:: \mathrm{sign}(x) \lfloor |x| + 0.5 \rfloor
    """
    return C.round(x)


@elementwise("[1.0, 4.0]", "[1. 0.5]", x="its elements are positive.")
def rsqrt(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the reciprocal of the square root, for every element: :math:`1 / \sqrt x`."""
    return C.rsqrt(x)


@elementwise("[-3.0, 0.0, 2.0]", "[-1. 0. 1.]", x="of any numeric type.")
def sign(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the sign: 1, 0 or -1, for every element: :math:`\mathrm{sign}(x)`."""
    return C.sign(x)


@elementwise("[0.0, 1.5707964]", "[0. 1.]", x="angles in radians.")
def sin(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the sine, for every element: :math:`\sin(x)`."""
    return C.sin(x)


@elementwise("[0.0, 1.0]", "[0. 1.1752012]")
def sinh(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the hyperbolic sine, for every element: :math:`(e^x - e^{-x}) / 2`."""
    return C.sinh(x)


@elementwise(
    "[4.0, 9.0]", "[2. 3.]", x="its elements are not negative; what is negative gives NaN."
)
def sqrt(x: Tensor, name: str | None = None) -> Tensor:
    r"""Returns the square root, for every element: :math:`\sqrt x`."""
    return C.sqrt(x)


@elementwise("[-2.0, 3.0]", "[4. 9.]", x="of any numeric type.")
def square(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the square, for every element: :math:`x^2`."""
    return C.square(x)


@elementwise("[0.0, 1.0]", "[0. 0.7615942]")
def tanh(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the hyperbolic tangent, of every element: :math:`(e^x - e^{-x}) / (e^x + e^{-x})`."""
    return C.tanh(x)


def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """Replaces the contents of a Tensor by their hyperbolic tangent and returns it.

    Args:
        x (Tensor): of a floating type; it is changed.
        name (str, optional): has no effect.

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


@elementwise(
    "[0.0, 1.0]", "[0. 1.003767]", scale_a="the factor a within.", scale_b="the factor b outside."
)
def stanh(
    x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None
) -> Tensor:
    r"""Returns the scaled hyperbolic tangent :math:`b \tanh(a x)` of every element."""
    return C.stanh(x, scale_a=scale_a, scale_b=scale_b)


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex conjugate of every element; a real Tensor stays as it is.

    Args:
        x (Tensor): complex or real.
        name (str, optional): has no effect.

    Returns:
        Tensor: of the shape and type of ``x``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1 + 2j, 3 - 1j])
            print(paddle.conj(x).numpy())  # [1.-2.j 3.+1.j]
    """
    return C.conj(x)
