"""Which operators run in 16 bits, which in 32; the same for dynamic mode and for Programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paddle.core.dtype import GROUPS, VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.op import OpDef, computed
from paddle.ops import with_trait

LOW = frozenset([VarType.FP16, VarType.BF16])


def lacks_half(op: OpDef) -> bool:
    """Whether an operator says that it does not take 16 bits; in mixed precision it gets 32."""
    return op.dtypes is not None and "bfloat16" not in GROUPS[op.dtypes]


def custom(api: str, white: Any, black: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The lists with a user's changes: what is in one list of the user leaves the other.

    The lists are what operators declare (``amp=``). White are products of matrices: their time is
    that of reading and multiplying, and sums are kept wide. Black are sums of many terms, and
    functions that leave the range of 16 bits.

    Args:
        api (str): whose arguments these are, for messages.
        white (Iterable[str]|None): operators to run in 16 bits.
        black (Iterable[str]|None): operators to run in 32 bits.
    """
    more_white = _names(api, "custom_white_list", white)
    more_black = _names(api, "custom_black_list", black)
    both = sorted(more_white & more_black)
    if both:
        raise InvalidArgumentError(
            f"{api}: expected an operator in custom_white_list or in custom_black_list, "
            f"but {both} are in both."
        )
    white, black = with_trait("amp", "white"), with_trait("amp", "black")
    if not more_white and not more_black:
        return white, black
    return (white | more_white) - more_black, (black | more_black) - more_white


def _names(api: str, argument: str, value: Any) -> frozenset[str]:
    if value is None:
        return frozenset()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"{api}({argument}): expected a set of operator names, "
            f"but received {type(value).__name__}."
        )
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"{api}({argument}): expected names of operators, but it holds {name!r}."
            )
        if computed(name) is None:
            raise InvalidArgumentError(
                f"{api}({argument}): expected names of operators, but there is none named {name!r}."
            )
    return frozenset(names)
