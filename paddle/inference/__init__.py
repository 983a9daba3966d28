"""Running saved models: a Config says how, a Predictor runs, handles are its inputs and outputs."""

from paddle.core.not_yet import NotYet
from paddle.inference.config import Config
from paddle.inference.handles import Tensor
from paddle.inference.kinds import (
    DataType,
    PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
)
from paddle.inference.mixed_precision import convert_to_mixed_precision
from paddle.inference.predictor import Predictor, PredictorPool, create_predictor
from paddle.inference.versions import (
    get_trt_compile_version,
    get_trt_runtime_version,
    get_version,
)

XpuConfig = NotYet(
    "paddle.inference.XpuConfig", "its settings are arguments of Config.enable_xpu here"
)

__all__ = [
    "Config", "DataType", "PlaceType", "PrecisionType", "Predictor", "PredictorPool", "Tensor",
    "convert_to_mixed_precision", "create_predictor", "get_num_bytes_of_data_type",
    "get_trt_compile_version", "get_trt_runtime_version", "get_version",
]  # fmt: skip
