"""bfloat16 as tests of operators write it: the upper 16 bits of float32, held as uint16."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError


def copy_bits_from_float_to_uint16(f: float) -> int:
    """Returns the upper 16 of the 32 bits of a number.

    Args:
        f (float): the number.
    """
    return int(np.float32(f).view(np.uint32) >> np.uint32(16))


def convert_float_to_uint16(float_list: Any, data_format: str = "NCHW") -> np.ndarray:
    """Returns the bits of bfloat16, cut off as PaddlePaddle's own tests do, not rounded.

    Args:
        float_list (array): numbers.
        data_format (str): ``NCHW`` or ``NHWC``; the result has the shape of ``float_list`` in both.

    Examples:
        .. code-block:: python

            from paddle.testing import convert_float_to_uint16, convert_uint16_to_float
            print(convert_uint16_to_float(convert_float_to_uint16([1.0, 3.14159])))  # [1.      3.140625]
    """  # noqa: E501
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgumentError(
            f"convert_float_to_uint16(data_format): expected NCHW or NHWC, got {data_format!r}."
        )
    bits = np.asarray(float_list, "float32").view(np.uint32)
    return (bits >> np.uint32(16)).astype(np.uint16)


def convert_uint16_to_float(in_list: Any) -> np.ndarray:
    """Returns the float32 numbers that bits of bfloat16 stand for.

    Args:
        in_list (array): bits, of uint16.
    """
    return (np.asarray(in_list).astype(np.uint32) << np.uint32(16)).view(np.float32)
