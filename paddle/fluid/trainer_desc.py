"""Descriptions of trainers: settings by name. Here ``train_from_dataset`` does the work."""

from __future__ import annotations

from typing import Any

__all__ = [
    "TrainerDesc", "MultiTrainer", "DistMultiTrainer", "PipelineTrainer", "HeterXpuTrainer",
]  # fmt: skip

# What 1.8.5's private setters note, by the part of their name behind `_set_`.
_NOTED = {
    "debug", "use_cvm", "no_cvm", "scale_datanorm", "dump_slot", "mpi_rank", "mpi_size",
    "dump_fields", "dump_fields_path", "dump_file_num", "dump_converter", "dump_param",
    "thread_barrier", "check_nan_var_names", "loss_names", "adjust_ins_weight",
    "copy_table_config",
}  # fmt: skip


class TrainerDesc:
    """What a trainer is to do.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            trainer = fluid.trainer_desc.MultiTrainer()
            trainer._set_thread(2)
            print(trainer._desc()["thread_num"])  # 2
    """

    _class = ""

    def __init__(self) -> None:
        self.proto_desc: dict[str, Any] = {"class_name": self._class, "thread_num": 1}
        self._program: Any = None
        self._device_worker: Any = None
        self._infer: Any = None
        self._fleet_desc: Any = None

    def __getattr__(self, name: str) -> Any:
        noted = name.removeprefix("_set_")
        if not name.startswith("_set_") or noted not in _NOTED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def note(value: Any = None) -> None:
            self.proto_desc[noted] = value

        return note

    def _set_fetch_var_and_info(
        self, fetch_vars: list[Any], fetch_info: list[str], print_period: int
    ) -> None:
        self.proto_desc["fetch_config"] = {
            "fetch_var_names": [var.name for var in fetch_vars],
            "fetch_var_str_format": list(fetch_info),
            "print_period": print_period,
        }

    def _set_thread(self, thread_num: int) -> None:
        self.proto_desc["thread_num"] = thread_num

    def _set_device_worker(self, device_worker: Any) -> None:
        self._device_worker = device_worker

    def _set_infer(self, infer: bool) -> None:
        self._infer = infer

    def _set_fleet_desc(self, fleet_desc: Any) -> None:
        self._fleet_desc = fleet_desc

    def _set_program(self, program: Any) -> None:
        self._program = program

    def _gen_trainer_desc(self) -> None:
        self._device_worker._set_infer(self._infer)
        self._device_worker._set_fleet_desc(self._fleet_desc)
        self._device_worker._set_program(self._program)
        self._device_worker._gen_worker_desc(self.proto_desc)

    def _desc(self) -> dict[str, Any]:
        return self.proto_desc

    def __str__(self) -> str:
        return "".join(f"{key}: {value!r}\n" for key, value in self.proto_desc.items())


class MultiTrainer(TrainerDesc):
    """Several threads in one process.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.trainer_desc.MultiTrainer()._desc()["class_name"])  # MultiTrainer
    """

    _class = "MultiTrainer"


class DistMultiTrainer(TrainerDesc):
    """Several threads in each of several processes with a parameter server.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.trainer_desc.DistMultiTrainer()._desc()["class_name"])  # DistMultiTrainer
    """

    _class = "DistMultiTrainer"


class HeterXpuTrainer(TrainerDesc):
    """A parameter server with several kinds of devices, of 2.0.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.trainer_desc.HeterXpuTrainer()._desc()["class_name"])  # HeterXpuTrainer
    """

    _class = "HeterXpuTrainer"


class PipelineTrainer(TrainerDesc):
    """Sections of a Program behind each other.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(fluid.trainer_desc.PipelineTrainer()._desc()["class_name"])  # PipelineTrainer
    """

    _class = "PipelineTrainer"
