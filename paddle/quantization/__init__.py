"""Quantisation: passes over Programs, training with it, and models that are trained already."""

from paddle.quantization import observers, quanters
from paddle.quantization.add_quant_dequant import AddQuantDequantPass
from paddle.quantization.base_quanter import BaseObserver, BaseQuanter
from paddle.quantization.config import QuantConfig
from paddle.quantization.factory import quanter
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
from paddle.quantization.imperative.out_scale import ImperativeCalcOutScale
from paddle.quantization.imperative.ptq import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
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
from paddle.quantization.linear_format import QuantWeightPass, ReplaceFakeQuantDequantPass
from paddle.quantization.mobile import TransformForMobilePass
from paddle.quantization.onednn import (
    Qat2Int8MkldnnPass,
    QatInt8MkldnnPass,
    Quant2Int8MkldnnPass,
    QuantInt8MkldnnPass,
)
from paddle.quantization.out_scale import OutScaleForInferencePass, OutScaleForTrainingPass
from paddle.quantization.post_training import PostTrainingQuantization
from paddle.quantization.quantize import PTQ, QAT
from paddle.quantization.strategies import (
    MKLDNNPostTrainingQuantStrategy,
    QuantizationStrategy,
)
from paddle.quantization.transform import QuantizationTransformPass
from paddle.quantization.weight_quantization import WeightQuantization

__all__ = [
    "AbsmaxQuantizer",
    "AddQuantDequantPass",
    "BaseObserver",
    "BaseQuanter",
    "BaseQuantizer",
    "ConvertToInt8Pass",
    "FakeChannelWiseQuantDequantAbsMax",
    "FakeQuantAbsMax",
    "FakeQuantMovingAverage",
    "HistQuantizer",
    "ImperativeCalcOutScale",
    "ImperativePTQ",
    "ImperativeQuantAware",
    "KLQuantizer",
    "MKLDNNPostTrainingQuantStrategy",
    "MovingAverageAbsMaxScale",
    "OutScaleForInferencePass",
    "OutScaleForTrainingPass",
    "PTQ",
    "PTQConfig",
    "PerChannelAbsmaxQuantizer",
    "PostTrainingQuantization",
    "QAT",
    "Qat2Int8MkldnnPass",
    "QatInt8MkldnnPass",
    "Quant2Int8MkldnnPass",
    "QuantConfig",
    "QuantInt8MkldnnPass",
    "QuantWeightPass",
    "QuantizationFreezePass",
    "QuantizationStrategy",
    "QuantizationTransformPass",
    "QuantizedConv2D",
    "QuantizedLinear",
    "QuantizedNoweightLayer",
    "ReplaceFakeQuantDequantPass",
    "SUPPORT_ACT_QUANTIZERS",
    "SUPPORT_WT_QUANTIZERS",
    "TransformForMobilePass",
    "WeightQuantization",
    "default_ptq_config",
    "observers",
    "quanter",
    "quanters",
]
