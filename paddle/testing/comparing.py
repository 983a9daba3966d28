"""Compares what came with what was expected; a failure shows the element that is furthest off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.testing.bits import convert_uint16_to_float


@dataclass
class Difference:
    """Where two arrays of one shape differ by more than is allowed.

    Attributes:
        index (tuple[int]): the element that is furthest off, measured by what it may be off.
        got, expected: its values.
        wrong (int): how many elements are off by too much.
        size (int): how many there are.
    """

    index: tuple[int, ...]
    got: Any
    expected: Any
    wrong: int
    size: int

    def __str__(self) -> str:
        with np.errstate(all="ignore"):
            off = abs(wide(self.got) - wide(self.expected))
        return (
            f"{self.wrong} of {self.size} elements differ by more than is allowed, the worst at "
            f"{list(self.index)}: got {self.got!s}, expected {self.expected!s} (off by {off:.6g})"
        )


def wide(array: Any) -> np.ndarray:
    """The same values in 64 bits, so that differences have no rounding of their own."""
    array = np.asarray(array)
    if array.dtype.kind == "b":
        return array.astype("int64")
    wider = {"f": "float64", "c": "complex128", "i": "int64", "u": "int64"}
    return array.astype(wider.get(array.dtype.kind, array.dtype))


def difference(
    got: Any, expected: Any, rtol: float, atol: float, equal_nan: bool = True
) -> Difference | None:
    """Finds the element that is furthest off; None if all are as near as they have to be.

    Args:
        got, expected (array): of one shape.
        rtol, atol (float): an element may be off by ``atol + rtol * |expected|``.
        equal_nan (bool): NaN is as good as NaN. Default: True.
    """
    allowed = atol + rtol * np.abs(wide(expected))
    return furthest(got, expected, allowed, equal_nan)


def furthest(got: Any, expected: Any, allowed: Any, equal_nan: bool = True) -> Difference | None:
    """Like :func:`difference`, for what each element may be off.

    Args:
        got, expected (array): of one shape.
        allowed (array): what each element may be off.
        equal_nan (bool): NaN is as good as NaN. Default: True.
    """
    a, b = wide(got), wide(expected)
    with np.errstate(all="ignore"):
        off = np.abs(a - b)
        same = a == b
        if equal_nan and a.dtype.kind in "fc":
            same |= np.isnan(a) & np.isnan(b)
        wrong = ~(same | (np.isfinite(b) & (off <= allowed)))
        if not wrong.any():
            return None
        ratio = np.where(wrong, off / np.maximum(allowed, np.finfo("float64").tiny), -1.0)
    ratio = np.where(wrong & np.isnan(ratio), np.inf, ratio)
    index = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
    return Difference(
        tuple(map(int, index)), np.asarray(got)[index], np.asarray(expected)[index],
        int(wrong.sum()), wrong.size,
    )  # fmt: skip


def array_of(value: Any) -> np.ndarray:
    """An array of a Tensor, a LoDTensor or anything NumPy takes; bfloat16 as float32."""
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return convert_uint16_to_float(array) if array.dtype == np.uint16 else array


def check_close(
    got: Any, expected: Any, rtol: float, atol: float, where: str, equal_nan: bool = True
) -> None:
    """Raises AssertionError unless shapes are equal and elements near enough.

    Args:
        got, expected: Tensors or arrays; an expected number stands for shape [1] too.
        rtol, atol (float): an element may be off by ``atol + rtol * |expected|``.
        where (str): what is compared, for the message.
        equal_nan (bool): NaN is as good as NaN. Default: True.
    """
    a, b = array_of(got), array_of(expected)
    if b.ndim == 0 and a.shape == (1,):
        b = b.reshape(1)
    if a.shape != b.shape:
        raise AssertionError(f"{where}: shape {list(a.shape)} came, expected {list(b.shape)}")
    found = difference(a, b, rtol, atol, equal_nan)
    if found is not None:
        raise AssertionError(f"{where}: {found}\n  allowed: {atol:g} + {rtol:g} * |expected|")


def assert_allclose(
    actual: Any, expected: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = True,
    name: str = "actual",
) -> None:  # fmt: skip
    """Fails unless two Tensors or arrays, or nested lists of them, are equal but for rounding.

    Args:
        actual (Tensor|array|list|tuple|dict): what came.
        expected (Tensor|array|list|tuple|dict): what should have come, in the same form.
        rtol (float): what an element may be off, in parts of the expected one. Default: 1e-5.
        atol (float): what it may be off besides. Default: 1e-8.
        equal_nan (bool): NaN is as good as NaN. Default: True.
        name (str): what is compared, for the message. Default: actual.

    Raises:
        AssertionError: shapes or elements differ; the text shows the worst element.

    Examples:
        .. code-block:: python

            import paddle
            from paddle.testing import assert_allclose
            assert_allclose(paddle.ones([2]) * 3, [3.0, 3.0])
            try:
                assert_allclose(paddle.to_tensor([1.0, 2.5]), [1.0, 2.0])
            except AssertionError as error:
                print(str(error).splitlines()[0])
                # actual: 1 of 2 elements differ by more than is allowed, the worst at [1]: got 2.5, expected 2.0 (off by 0.5)
    """  # noqa: E501
    for label, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise InvalidArgumentError(
                f"assert_allclose({label}): expected a number of at least 0, but received {value}."
            )
    if isinstance(actual, dict) or isinstance(expected, dict):
        if not (isinstance(actual, dict) and isinstance(expected, dict)):
            raise AssertionError(f"{name}: one is a dict, the other is not")
        if set(actual) != set(expected):
            raise AssertionError(f"{name}: keys {sorted(actual)}, expected {sorted(expected)}")
        for key in actual:
            assert_allclose(actual[key], expected[key], rtol, atol, equal_nan, f"{name}[{key!r}]")
        return
    if isinstance(actual, (list, tuple)) and any(hasattr(part, "shape") for part in actual):
        if not isinstance(expected, (list, tuple)) or len(expected) != len(actual):
            raise AssertionError(f"{name}: {len(actual)} parts came, expected another number")
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            assert_allclose(a, b, rtol, atol, equal_nan, f"{name}[{i}]")
        return
    check_close(actual, expected, rtol, atol, name, equal_nan)
