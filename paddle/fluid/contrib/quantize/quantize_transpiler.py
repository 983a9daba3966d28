"""QuantizeTranspiler of 1.x: not part of this version."""

from __future__ import annotations

from typing import Any

__all__ = ["QuantizeTranspiler"]


class QuantizeTranspiler:
    """Would make Programs that train for bytes; the passes of contrib.slim.quantization do it.

    Args:
        weight_bits (int): bits of a weight. Default: 8.
        activation_bits (int): bits of an activation. Default: 8.
        activation_quantize_type (str): ``abs_max`` or ``range_abs_max``.
        weight_quantize_type (str): ``abs_max`` or ``range_abs_max``.
        window_size (int): steps that a range is of. Default: 10000.
        moving_rate (float): decay of a range. Default: 0.9.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """

    def __init__(
        self,
        weight_bits: int = 8,
        activation_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        window_size: int = 10000,
        moving_rate: float = 0.9,
    ) -> None:
        raise NotImplementedError(
            "QuantizeTranspiler: not part of this version; train by QuantizationTransformPass, "
            "freeze by QuantizationFreezePass of fluid.contrib.slim.quantization."
        )

    def training_transpile(self, program: Any = None, startup_program: Any = None) -> None:
        """Would prepare Programs for training.

        Args:
            program (Program, optional): the main Program.
            startup_program (Program, optional): the startup Program.
        """

    def freeze_program(self, program: Any, place: Any, scope: Any = None) -> None:
        """Would prepare a Program for inference.

        Args:
            program (Program): the Program.
            place (Place): where its weights are.
            scope (Scope, optional): in which scope.
        """

    def convert_to_int8(self, program: Any, place: Any, scope: Any = None) -> None:
        """Would turn weights into bytes.

        Args:
            program (Program): the Program.
            place (Place): where its weights are.
            scope (Scope, optional): in which scope.
        """
