"""Switches of a Config that say which device runs a model."""

from __future__ import annotations

from paddle.core.backends import named
from paddle.inference import devices
from paddle.inference.absent_engines import AbsentEngines
from paddle.inference.kinds import PrecisionType


class DeviceSwitches(AbsentEngines):
    """The part of a Config that chooses a device.

    Where a device is not there, its switch warns once and the processor runs the model. The last
    switch counts.
    """

    # -- GPU ------------------------------------------------------------------------------------

    def enable_use_gpu(
        self, memory_pool_init_size_mb: int, device_id: int = 0,
        precision_mode: PrecisionType = PrecisionType.Float32,
    ) -> None:  # fmt: skip
        """Runs the model on a GPU. Where there is none, it warns once and the processor runs it.

        Args:
            memory_pool_init_size_mb (int): what PaddlePaddle takes of the GPU's memory at first;
                here memory is taken when it is needed.
            device_id (int): which GPU. Default: 0.
            precision_mode (PrecisionType): Float32, in which the model is saved; for others there
                is ``convert_to_mixed_precision``.
        """
        _check_precision("enable_use_gpu(precision_mode)", precision_mode)
        self.settings.device.ask("enable_use_gpu", "gpu", memory_pool_init_size_mb, device_id)
        if not self.settings.device.choose(devices.CUDA):
            self._absent(f"GPU {device_id}", "enable_use_gpu")

    def disable_gpu(self) -> None:
        """Runs the model on the processor, not on a GPU."""
        if self.use_gpu():
            self.settings.device.backend = None

    def use_gpu(self) -> bool:
        """Says whether the model is run on a GPU."""
        return self.settings.device.backend is devices.CUDA

    def gpu_device_id(self) -> int:
        """Returns the number of the GPU."""
        return self.settings.device.number_of("gpu")

    def memory_pool_init_size_mb(self) -> int:
        """Returns what was asked for by :meth:`enable_use_gpu`."""
        return self.settings.device.pool_mb

    def fraction_of_gpu_memory_for_pool(self) -> float:
        """Returns that as a part of the GPU's memory; 0.0 without a GPU."""
        return self.settings.device.pool_fraction()

    def enable_cudnn(self) -> None:
        """Does nothing: on a GPU, kernels are chosen for each operator, cuDNN's among them."""

    def cudnn_enabled(self) -> bool:
        """Says whether kernels of cuDNN may run: on a GPU."""
        return self.use_gpu()

    # -- XPU ------------------------------------------------------------------------------------

    def enable_xpu(
        self, l3_workspace_size: int = 16 << 20, locked: bool = False, autotune: bool = False,
        autotune_file: str = "", precision: str = "int16", adaptive_seqlen: bool = False,
        enable_multi_stream: bool = False,
    ) -> None:  # fmt: skip
        """Runs the model on an XPU: torch's, or a plug-in's.

        The arguments are handed to the plug-in, whose ``Device.configure`` may take them; torch's
        XPUs have no use for them.

        Args:
            l3_workspace_size (int): bytes of the fast memory.
            locked (bool): whether that memory is for this model alone.
            autotune (bool): whether convolutions are tuned.
            autotune_file (str): where what was found is kept.
            precision (str): of encoders of transformers.
            adaptive_seqlen (bool): whether their rows may have different lengths.
            enable_multi_stream (bool): whether several streams are used.
        """
        self._choose("xpu", None, "XPU", "enable_xpu")
        if self.use_xpu():
            self.settings.device.options = {
                "l3_workspace_size": l3_workspace_size, "locked": locked, "autotune": autotune,
                "autotune_file": autotune_file, "precision": precision,
                "adaptive_seqlen": adaptive_seqlen, "enable_multi_stream": enable_multi_stream,
            }  # fmt: skip

    def use_xpu(self) -> bool:
        """Says whether the model is run on an XPU."""
        return self._uses("xpu")

    def set_xpu_device_id(self, device_id: int = 0) -> None:
        """Says which XPU runs the model, before or after :meth:`enable_xpu`.

        Args:
            device_id (int): its number. Default: 0.
        """
        self.settings.device.ask("set_xpu_device_id", "xpu", None, device_id)
        found, options = named("xpu"), self.settings.device.options
        if found is None or (self.use_xpu() and not self.settings.device.choose(found)):
            self._absent("XPU", "set_xpu_device_id")
        elif self.use_xpu():
            self.settings.device.options = options

    def xpu_device_id(self) -> int:
        """Returns the number of the XPU."""
        return self.settings.device.number_of("xpu")

    # -- any other ------------------------------------------------------------------------------

    def enable_npu(self, device_id: int = 0) -> None:
        """Runs the model on an NPU, which a plug-in brings.

        Args:
            device_id (int): its number. Default: 0.
        """
        self._choose("npu", device_id, "NPU", "enable_npu")

    def use_npu(self) -> bool:
        """Says whether the model is run on an NPU."""
        return self._uses("npu")

    def npu_device_id(self) -> int:
        """Returns the number of the NPU."""
        return self.settings.device.number_of("npu")

    def enable_custom_device(
        self, device_type: str, device_id: int = 0,
        precision: PrecisionType = PrecisionType.Float32,
    ) -> None:  # fmt: skip
        """Runs the model on a device that a plug-in brings; see :func:`paddle.device.register`.

        Args:
            device_type (str): the name of its kind.
            device_id (int): its number. Default: 0.
            precision (PrecisionType): Float32, in which the model is saved; for others there is
                ``convert_to_mixed_precision``.
        """
        if not isinstance(device_type, str):
            raise TypeError(
                "enable_custom_device(device_type): expected a str, but received "
                f"{type(device_type).__name__}."
            )
        _check_precision("enable_custom_device(precision)", precision)
        title = f"the device {device_type!r}"
        self._choose(device_type, device_id, title, "enable_custom_device")

    def use_custom_device(self) -> bool:
        """Says whether the model is run on a device that is neither the processor nor a GPU."""
        return self.settings.device.backend not in (None, devices.CUDA)

    def custom_device_type(self) -> str:
        """Returns the name of the device's kind; empty where there is none."""
        found = self.settings.device.backend
        return found.name if found is not None and self.use_custom_device() else ""

    def custom_device_id(self) -> int:
        """Returns the number of that device."""
        return self.settings.device.number if self.use_custom_device() else 0

    def _choose(self, name: str, number: int | None, title: str, method: str) -> None:
        if number is not None:
            self.settings.device.ask(method, name, None, number)
        if not self.settings.device.choose(named(name)):
            self._absent(title, method)

    def _uses(self, name: str) -> bool:
        found = self.settings.device.backend
        return found is not None and found.name == name


def _check_precision(argument: str, precision: PrecisionType) -> None:
    if precision != PrecisionType.Float32:
        raise NotImplementedError(
            f"{argument}={precision!r}: a model runs in the precision in which it is saved; "
            "paddle.inference.convert_to_mixed_precision saves another."
        )
