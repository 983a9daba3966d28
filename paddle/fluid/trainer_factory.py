"""Makes trainers for Programs, and shows values of a training that runs."""

from __future__ import annotations

from typing import Any

from paddle.distributed.dataset.watching import FetchHandler, FetchHandlerMonitor
from paddle.fluid.device_worker import DeviceWorkerFactory
from paddle.fluid.trainer_desc import (
    DistMultiTrainer,
    HeterXpuTrainer,
    MultiTrainer,
    PipelineTrainer,
)

__all__ = ["TrainerFactory", "FetchHandler", "FetchHandlerMonitor"]

_TRAINERS = {
    "MultiTrainer": MultiTrainer,
    "DistMultiTrainer": DistMultiTrainer,
    "PipelineTrainer": PipelineTrainer,
    "HeterXpuTrainer": HeterXpuTrainer,
}


class TrainerFactory:
    """Makes the description of a trainer and of its workers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            trainer = fluid.trainer_factory.TrainerFactory()._create_trainer(None)
            print(type(trainer).__name__)  # MultiTrainer
    """

    def __init__(self) -> None:
        pass

    def _create_trainer(self, opt_info: dict[str, Any] | None = None) -> Any:
        opt_info = opt_info or {}
        trainer = _TRAINERS[opt_info.get("trainer", "MultiTrainer")]()
        kind = opt_info.get("device_worker", "Hogwild")
        worker = DeviceWorkerFactory()._create_device_worker(kind)
        if opt_info.get("fleet_desc") is not None:
            worker._set_fleet_desc(opt_info["fleet_desc"])
            trainer._set_fleet_desc(opt_info["fleet_desc"])
        trainer._set_device_worker(worker)
        return trainer
