"""Switches of engines and devices that PaddlePaddle has builds for, and this package does not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from paddle.core.errors import UnimplementedError
from paddle.inference.kinds import PrecisionType
from paddle.inference.settings import Settings

_SHAPES: Mapping[str, Any] = {}


class AbsentEngines:
    """The part of a Config that asks for engines which are not here.

    Each switch warns once and changes nothing but the summary, which then says that the engine was
    asked for and is not available: the model gives the same results on the processor.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def _absent(self, engine: str, method: str) -> None:
        if engine not in self.settings.asked_for:
            self.settings.asked_for.append(engine)
        self.settings.notices.tell(
            f"Config.{method}: {engine} is not available here, so this switch changes nothing; "
            "the model runs without it and gives the same results."
        )

    # -- TensorRT -------------------------------------------------------------------------------

    def enable_tensorrt_engine(
        self, workspace_size: int = 1 << 20, max_batch_size: int = 1, min_subgraph_size: int = 3,
        precision_mode: PrecisionType = PrecisionType.Float32, use_static: bool = False,
        use_calib_mode: bool = True, use_cuda_graph: bool = False,
    ) -> None:  # fmt: skip
        """Warns once: there is no TensorRT here.

        Args:
            workspace_size (int): has no effect here, as all arguments.
            max_batch_size (int): has no effect here.
            min_subgraph_size (int): has no effect here.
            precision_mode (PrecisionType): has no effect here.
            use_static (bool): has no effect here.
            use_calib_mode (bool): has no effect here.
            use_cuda_graph (bool): has no effect here.
        """
        self._absent("TensorRT", "enable_tensorrt_engine")

    def tensorrt_engine_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def tensorrt_precision_mode(self) -> PrecisionType:
        """Returns Float32: there is no TensorRT here."""
        return PrecisionType.Float32

    def set_trt_dynamic_shape_info(
        self, min_input_shape: Mapping = _SHAPES, max_input_shape: Mapping = _SHAPES,
        optim_input_shape: Mapping = _SHAPES, disable_trt_plugin_fp16: bool = False,
    ) -> None:  # fmt: skip
        """Warns once: there is no TensorRT here, and any shape can be given anyway.

        Args:
            min_input_shape (dict): has no effect here, as all arguments.
            max_input_shape (dict): has no effect here.
            optim_input_shape (dict): has no effect here.
            disable_trt_plugin_fp16 (bool): has no effect here.
        """
        self._absent("TensorRT", "set_trt_dynamic_shape_info")

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def enable_tuned_tensorrt_dynamic_shape(
        self, shape_range_info_path: str = "", allow_build_at_runtime: bool = True
    ) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            shape_range_info_path (str): has no effect here.
            allow_build_at_runtime (bool): has no effect here.
        """
        self._absent("TensorRT", "enable_tuned_tensorrt_dynamic_shape")

    def tuned_tensorrt_dynamic_shape(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def trt_allow_build_at_runtime(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def collect_shape_range_info(self, shape_range_info_path: str) -> None:
        """Warns once: only TensorRT, which is not here, reads the ranges of shapes.

        Args:
            shape_range_info_path (str): has no effect here; no file is written.
        """
        self._absent("TensorRT", "collect_shape_range_info")

    def shape_range_info_collected(self) -> bool:
        """Returns False: no ranges of shapes are collected."""
        return False

    def shape_range_info_path(self) -> str:
        """Returns an empty text: no ranges of shapes are collected."""
        return ""

    def exp_disable_tensorrt_ops(self, ops: Collection[str]) -> None:
        """Does nothing: no operator runs on TensorRT here anyway.

        Args:
            ops (list): types of operators.
        """

    def mark_trt_engine_outputs(self, output_tensor_names: Collection[str] = ()) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            output_tensor_names (list): has no effect here.
        """
        self._absent("TensorRT", "mark_trt_engine_outputs")

    def enable_tensorrt_dla(self, dla_core: int = 0) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            dla_core (int): has no effect here.
        """
        self._absent("TensorRT", "enable_tensorrt_dla")

    def tensorrt_dla_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def enable_tensorrt_oss(self) -> None:
        """Warns once: there is no TensorRT here."""
        self._absent("TensorRT", "enable_tensorrt_oss")

    def tensorrt_oss_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def enable_tensorrt_varseqlen(self) -> None:
        """Warns once: there is no TensorRT here."""
        self._absent("TensorRT", "enable_tensorrt_varseqlen")

    def tensorrt_varseqlen_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def enable_tensorrt_inspector(self, inspector_serialize: bool = False) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            inspector_serialize (bool): has no effect here.
        """
        self._absent("TensorRT", "enable_tensorrt_inspector")

    def tensorrt_inspector_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def enable_tensorrt_memory_optim(
        self, engine_memory_sharing: bool = True, sharing_identifier: int = 0
    ) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            engine_memory_sharing (bool): has no effect here.
            sharing_identifier (int): has no effect here.
        """
        self._absent("TensorRT", "enable_tensorrt_memory_optim")

    def enable_tensorrt_explicit_quantization(self) -> None:
        """Warns once: there is no TensorRT here."""
        self._absent("TensorRT", "enable_tensorrt_explicit_quantization")

    def tensorrt_explicit_quantization_enabled(self) -> bool:
        """Returns False: there is no TensorRT here."""
        return False

    def set_tensorrt_optimization_level(self, level: int) -> None:
        """Warns once: there is no TensorRT here.

        Args:
            level (int): has no effect here.
        """
        self._absent("TensorRT", "set_tensorrt_optimization_level")

    def tensorrt_optimization_level(self) -> int:
        """Returns 3, TensorRT's usual level; there is no TensorRT here."""
        return 3

    # -- other devices --------------------------------------------------------------------------

    def enable_lite_engine(
        self, precision_mode: PrecisionType = PrecisionType.Float32, zero_copy: bool = False,
        passes_filter: Collection[str] = (), ops_filter: Collection[str] = (),
    ) -> None:  # fmt: skip
        """Warns once: there is no Paddle Lite here.

        Args:
            precision_mode (PrecisionType): has no effect here, as all arguments.
            zero_copy (bool): has no effect here.
            passes_filter (list): has no effect here.
            ops_filter (list): has no effect here.
        """
        self._absent("Paddle Lite", "enable_lite_engine")

    def lite_engine_enabled(self) -> bool:
        """Returns False: there is no Paddle Lite here."""
        return False

    def enable_opencl(self) -> None:
        """Warns once: there is no Paddle Lite here."""
        self._absent("Paddle Lite with OpenCL", "enable_opencl")

    def use_opencl(self) -> bool:
        """Returns False: there is no Paddle Lite here."""
        return False

    def set_xpu_config(self, xpu_config: Any) -> None:
        """Warns once: the settings of an XPU are arguments of ``enable_xpu``.

        Args:
            xpu_config (XpuConfig): has no effect here.
        """
        self._absent("XpuConfig", "set_xpu_config")

    def enable_ipu(
        self, ipu_device_num: int = 1, ipu_micro_batch_size: int = 1,
        ipu_enable_pipelining: bool = False, ipu_batches_per_step: int = 1,
    ) -> None:  # fmt: skip
        """Warns once: there are no kernels for Graphcore's IPUs here.

        Args:
            ipu_device_num (int): has no effect here, as all arguments.
            ipu_micro_batch_size (int): has no effect here.
            ipu_enable_pipelining (bool): has no effect here.
            ipu_batches_per_step (int): has no effect here.
        """
        self._absent("IPU", "enable_ipu")

    def enable_dlnne(
        self, min_subgraph_size: int = 3, max_batch_size: int = 1, use_static_batch: bool = False,
        weight_share_mode: str = "0", disable_nodes_by_outputs: Collection[str] = (),
        input_shape_dict: Mapping = _SHAPES, use_calib_mode: bool = False,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:  # fmt: skip
        """Warns once: there is no DLNNE here.

        Args:
            min_subgraph_size (int): has no effect here, as all arguments.
            max_batch_size (int): has no effect here.
            use_static_batch (bool): has no effect here.
            weight_share_mode (str): has no effect here.
            disable_nodes_by_outputs (set): has no effect here.
            input_shape_dict (dict): has no effect here.
            use_calib_mode (bool): has no effect here.
            precision_mode (PrecisionType): has no effect here.
        """
        self._absent("DLNNE", "enable_dlnne")

    def exp_enable_use_cutlass(self) -> None:
        """Warns once: kernels of CUTLASS are not here."""
        self._absent("CUTLASS", "exp_enable_use_cutlass")

    def set_ipu_config(
        self, ipu_enable_fp16: bool = False, ipu_replica_num: int = 1,
        ipu_available_memory_proportion: float = 1.0, ipu_enable_half_partial: bool = False,
        ipu_enable_model_runtime_executor: bool = False,
    ) -> None:  # fmt: skip
        """Warns once: there are no kernels for Graphcore's IPUs here.

        Args:
            ipu_enable_fp16 (bool): has no effect here, as all arguments.
            ipu_replica_num (int): has no effect here.
            ipu_available_memory_proportion (float): has no effect here.
            ipu_enable_half_partial (bool): has no effect here.
            ipu_enable_model_runtime_executor (bool): has no effect here.
        """
        self._absent("IPU", "set_ipu_config")

    def set_ipu_custom_info(
        self, ipu_custom_ops_info: Collection = (), ipu_custom_patterns: Mapping = _SHAPES
    ) -> None:
        """Warns once: there are no kernels for Graphcore's IPUs here.

        Args:
            ipu_custom_ops_info (list): has no effect here.
            ipu_custom_patterns (dict): has no effect here.
        """
        self._absent("IPU", "set_ipu_custom_info")

    def load_ipu_config(self, config_path: str) -> None:
        """Warns once: there are no kernels for Graphcore's IPUs here.

        Args:
            config_path (str): has no effect here; the file is not read.
        """
        self._absent("IPU", "load_ipu_config")

    def set_dist_config(self, dist_config: Any) -> None:
        """Warns once: a model is run by one process.

        Args:
            dist_config (DistConfig): has no effect here.
        """
        self._absent("a model over several processes", "set_dist_config")

    # -- what would configure them --------------------------------------------------------------

    def nnadapter(self) -> Any:
        """Raises: there is no Paddle Lite here to be configured."""
        raise _nothing_to_configure("nnadapter", "Paddle Lite")

    def xpu_config(self) -> Any:
        """Raises: the settings of an XPU are arguments of ``enable_xpu``."""
        raise _nothing_to_configure("xpu_config", "XpuConfig")

    def dist_config(self) -> Any:
        """Raises: a model is run by one process, and there is nothing to be configured."""
        raise _nothing_to_configure("dist_config", "engine for several processes")


def _nothing_to_configure(method: str, engine: str) -> Exception:
    return UnimplementedError(
        f"Config.{method}: there is no {engine} here, so there is nothing to configure."
    )
