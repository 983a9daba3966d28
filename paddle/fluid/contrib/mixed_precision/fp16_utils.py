"""Programs of 1.x wholly in 16 bits: refused, as parameters stay in 32 bits here."""

from __future__ import annotations

from typing import Any

__all__ = ["cast_model_to_fp16", "cast_parameters_to_fp16"]

_ADVICE = (
    "parameters stay in 32 bits here; use fluid.contrib.mixed_precision.decorate, which casts what "
    "operators read"
)


def cast_model_to_fp16(program: Any, amp_lists: Any = None, use_fp16_guard: bool = True) -> Any:
    """Would cast a Program.

    Args:
        program (Program): the Program.
        amp_lists (AutoMixedPrecisionLists, optional): what stays in 32 bits.
        use_fp16_guard (bool): only what fp16_guard marks. Default: True.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """
    raise NotImplementedError(f"cast_model_to_fp16: {_ADVICE}.")


def cast_parameters_to_fp16(
    place: Any, program: Any, scope: Any = None, to_fp16_var_names: Any = None
) -> None:
    """Would cast the parameters of a Program.

    Args:
        place (Place): where they are.
        program (Program): the Program.
        scope (Scope, optional): in which scope.
        to_fp16_var_names (set[str], optional): which.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """
    raise NotImplementedError(f"cast_parameters_to_fp16: {_ADVICE}.")
