"""Strategies of 1.x's Compressor, which are not part of this version; they say what to do."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["MKLDNNPostTrainingQuantStrategy", "QuantizationStrategy"]


def _no(name: str, instead: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: works within 1.x's slim Compressor, which is not part of this version. {instead}"
    )


class QuantizationStrategy:
    """Would train with rounded numbers within 1.x's Compressor.

    Args:
        start_epoch (int): its first epoch.
        end_epoch (int): its last epoch.
        float_model_save_path (str, optional): where a model of floats would be saved.
        mobile_model_save_path (str, optional): where one for Paddle Mobile would be saved.
        int8_model_save_path (str, optional): where one of bytes would be saved.
        activation_bits (int): of a value.
        weight_bits (int): of a weight.
        activation_quantize_type (str): how values would be rounded.
        weight_quantize_type (str): how weights would be rounded.
        save_in_nodes (list, optional): inputs of the saved models.
        save_out_nodes (list, optional): results of the saved models.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """

    def __init__(
        self,
        start_epoch: int = 0,
        end_epoch: int = 0,
        float_model_save_path: str | None = None,
        mobile_model_save_path: str | None = None,
        int8_model_save_path: str | None = None,
        activation_bits: int = 8,
        weight_bits: int = 8,
        activation_quantize_type: str = "abs_max",
        weight_quantize_type: str = "abs_max",
        save_in_nodes: Any = None,
        save_out_nodes: Any = None,
    ) -> None:
        _no(
            "QuantizationStrategy",
            "Apply QuantizationTransformPass to the Program before training, "
            "QuantizationFreezePass, ConvertToInt8Pass and TransformForMobilePass after it.",
        )

    def restore_from_checkpoint(self, context: Any) -> None:
        """Would go on from a checkpoint.

        Args:
            context (Context): of the Compressor.
        """

    def on_epoch_begin(self, context: Any) -> None:
        """Would change the Program.

        Args:
            context (Context): of the Compressor.
        """

    def on_epoch_end(self, context: Any) -> None:
        """Would save the models.

        Args:
            context (Context): of the Compressor.
        """


class MKLDNNPostTrainingQuantStrategy:
    """Would calibrate a model within 1.x's Compressor.

    Args:
        int8_model_save_path (str, optional): where the model of bytes would be saved.
        fp32_model_path (str, optional): the model of floats.
        cpu_math_library_num_threads (int): how many threads.

    Raises:
        NotImplementedError: always; it says what to use instead.
    """

    def __init__(
        self,
        int8_model_save_path: str | None = None,
        fp32_model_path: str | None = None,
        cpu_math_library_num_threads: int = 1,
    ) -> None:
        _no(
            "MKLDNNPostTrainingQuantStrategy",
            "Calibrate by PostTrainingQuantization, or by Config.enable_quantizer of "
            "paddle.inference.",
        )

    def on_compression_begin(self, context: Any) -> None:
        """Would calibrate the model.

        Args:
            context (Context): of the Compressor.
        """
