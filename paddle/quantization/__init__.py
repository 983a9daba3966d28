"""Quantisation: passes over Programs, training with it, and models that are trained already."""

from paddle.quantization.add_quant_dequant import AddQuantDequantPass
from paddle.quantization.freeze import QuantizationFreezePass
from paddle.quantization.imperative.layers import (
    FakeChannelWiseQuantDequantAbsMax,
    FakeQuantAbsMax,
    FakeQuantMovingAverage,
    MovingAverageAbsMaxScale,
    QuantizedConv2D,
    QuantizedLinear,
    QuantizedNoweightLayer,
)
from paddle.quantization.imperative.ptq import (
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    ImperativePTQ,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    default_ptq_config,
)
from paddle.quantization.imperative.qat import ImperativeQuantAware
from paddle.quantization.int8_weights import ConvertToInt8Pass
from paddle.quantization.mobile import TransformForMobilePass
from paddle.quantization.out_scale import OutScaleForInferencePass, OutScaleForTrainingPass
from paddle.quantization.post_training import PostTrainingQuantization
from paddle.quantization.transform import QuantizationTransformPass
from paddle.quantization.weight_quantization import WeightQuantization

__all__ = [
    "AbsmaxQuantizer",
    "AddQuantDequantPass",
    "BaseQuantizer",
    "ConvertToInt8Pass",
    "FakeChannelWiseQuantDequantAbsMax",
    "FakeQuantAbsMax",
    "FakeQuantMovingAverage",
    "HistQuantizer",
    "ImperativePTQ",
    "ImperativeQuantAware",
    "KLQuantizer",
    "MovingAverageAbsMaxScale",
    "OutScaleForInferencePass",
    "OutScaleForTrainingPass",
    "PTQConfig",
    "PerChannelAbsmaxQuantizer",
    "PostTrainingQuantization",
    "QuantizationFreezePass",
    "QuantizationTransformPass",
    "QuantizedConv2D",
    "QuantizedLinear",
    "QuantizedNoweightLayer",
    "TransformForMobilePass",
    "WeightQuantization",
    "default_ptq_config",
]
