"""Comparisons and logic: results are boolean, without gradients."""

from __future__ import annotations

from typing import Any

from paddle.core.docstrings import Template
from paddle.core.guards import guarded
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.tensor.dims import is_variable
from paddle.tensor.scalars import KINDS, meet

__all__ = [
    "allclose", "equal", "equal_all", "greater_equal", "greater_than", "is_empty", "is_tensor",
    "less_equal", "less_than", "logical_and", "logical_not", "logical_or", "logical_xor",
    "not_equal",
]  # fmt: skip

comparison = Template(
    """
    import paddle
    x = paddle.to_tensor([1, 2, 3])
    y = paddle.to_tensor([1, 3, 2])
    print(paddle.{name}(x, y).numpy())  # {}
    """,
    returns="Tensor: of type bool and the shape both broadcast to.",
    x="the left side.",
    y="(Tensor|int|float|bool): the right side, of a shape that broadcasts with ``x``.",
)
connective = Template(
    """
    import paddle
    x = paddle.to_tensor([True, True, False, False])
    y = paddle.to_tensor([True, False, True, False])
    print(paddle.{name}(x, y).numpy())  # {}
    """,
    returns="Tensor: of type bool; ``out`` if that was given.",
    x="bool, or numbers.",
    y="the same, of a shape that broadcasts with ``x``.",
    out="a Tensor that receives the result.",
)


@comparison("[ True False False]")
def equal(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    """Says of every element of ``x`` whether it equals that of ``y``: :math:`x = y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.equal(x, y)


@comparison("[False  True  True]")
def not_equal(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    r"""Says of every element of ``x`` whether it differs from that of ``y``: :math:`x \ne y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.not_equal(x, y)


@comparison("[False  True False]")
def less_than(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    """Says of every element of ``x`` whether it is less than that of ``y``: :math:`x < y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.less_than(x, y)


@comparison("[ True  True False]")
def less_equal(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    r"""Says of every element of ``x`` whether it is at most that of ``y``: :math:`x \le y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.less_equal(x, y)


@comparison("[False False  True]")
def greater_than(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    """Says of every element of ``x`` whether it is greater than that of ``y``: :math:`x > y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.greater_than(x, y)


@comparison("[ True False  True]")
def greater_equal(x: Tensor, y: Tensor | float, name: str | None = None) -> Tensor:
    r"""Says of every element of ``x`` whether it is at least that of ``y``: :math:`x \ge y`."""
    if type(y) in KINDS:
        x, y = meet(x, y)
    return C.greater_equal(x, y)


def _into(out: Any, result: Any) -> Any:
    """Puts a result where the caller wants it."""
    if out is None:
        return result
    from paddle.tensor.creation import assign

    assign(result, out)
    return out


@connective("[ True False False False]")
def logical_and(x: Tensor, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Says of every pair of elements whether both are true (not 0)."""
    return _into(out, C.logical_and(x, y))


@connective("[ True  True  True False]")
def logical_or(x: Tensor, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Says of every pair of elements whether at least one is true (not 0)."""
    return _into(out, C.logical_or(x, y))


@connective("[False  True  True False]")
def logical_xor(x: Tensor, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Says of every pair of elements whether exactly one is true (not 0)."""
    return _into(out, C.logical_xor(x, y))


def logical_not(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Says of every element whether it is false (0).

    Args:
        x (Tensor): bool, or numbers.
        out (Tensor, optional): a Tensor that receives the result.
        name (str, optional): has no effect.

    Returns:
        Tensor: of type bool; ``out`` if that was given.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([True, False])
            print(paddle.logical_not(x).numpy())  # [False  True]
    """
    return _into(out, C.logical_not(x))


def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Says whether two Tensors have the same shape and the same elements.

    Args:
        x (Tensor): one of them.
        y (Tensor): the other.
        name (str, optional): has no effect.

    Returns:
        Tensor: bool, of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([1, 2, 3])
            print(paddle.equal_all(x, paddle.to_tensor([1, 2, 3])).numpy())  # [ True]
            print(paddle.equal_all(x, paddle.to_tensor([1, 2])).numpy())  # [False]
    """
    return C.equal_all(x, y)


@guarded
def allclose(
    x: Tensor,
    y: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Says whether all elements are near: :math:`|x - y| \le atol + rtol |y|`.

    Args:
        x (Tensor): of a floating type.
        y (Tensor): the same.
        rtol (float, optional): how far they may be apart, in relation to ``y``. Default: 1e-5.
        atol (float, optional): and how far in any case. Default: 1e-8.
        equal_nan (bool, optional): whether two NaN are near. Default: False.
        name (str, optional): has no effect.

    Returns:
        Tensor: bool, of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            x = paddle.to_tensor([10000.0, 1e-07])
            y = paddle.to_tensor([10000.1, 1e-08])
            print(paddle.allclose(x, y).numpy())  # [False]
            print(paddle.allclose(x, y, rtol=1e-4, atol=1e-6).numpy())  # [ True]
    """
    return C.allclose(x, y, rtol=str(float(rtol)), atol=str(float(atol)), equal_nan=equal_nan)


def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Says whether a Tensor has no elements.

    Args:
        x (Tensor): any Tensor.
        name (str, optional): has no effect.

    Returns:
        Tensor: bool, of shape ``[1]``.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.is_empty(paddle.ones([2, 3])).numpy())  # [False]
    """
    return C.is_empty(x)


def is_tensor(x: Any) -> bool:
    """Says whether an object is a Tensor.

    Args:
        x (object): anything.

    Returns:
        bool: True for a Tensor, also one of a static Program.

    Examples:
        .. code-block:: python

            import paddle
            print(paddle.is_tensor(paddle.ones([1])))  # True
            print(paddle.is_tensor([1]))  # False
    """
    return isinstance(x, Tensor) or is_variable(x)
