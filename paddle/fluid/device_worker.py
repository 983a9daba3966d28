"""Descriptions of what the threads of a trainer do. Here ``train_from_dataset`` does the work."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import UnimplementedError

__all__ = ["DeviceWorker", "Hogwild", "DownpourSGD", "Section", "DownpourSGDOPT"]


class DeviceWorker:
    """What a thread of a trainer does.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            worker = fluid.device_worker.Hogwild()
    """

    def __init__(self) -> None:
        self._program: Any = None
        self._infer: Any = None
        self._fleet_desc: Any = None

    def _set_infer(self, infer: bool = False) -> None:
        self._infer = infer

    def _set_fleet_desc(self, fleet_desc: Any) -> None:
        self._fleet_desc = fleet_desc

    def _set_program(self, program: Any) -> None:
        self._program = program

    def _gen_worker_desc(self, trainer_desc: Any) -> None:
        raise NotImplementedError(
            "DeviceWorker does not implement gen_worker_desc, please use Hogwild or DownpourSGD, "
            "etc."
        )


class Hogwild(DeviceWorker):
    """Threads that update shared parameters without waiting for each other.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            desc = {}
            fluid.device_worker.Hogwild()._gen_worker_desc(desc)
            print(desc["device_worker_name"])  # HogwildWorker
    """

    def _gen_worker_desc(self, trainer_desc: Any) -> None:
        trainer_desc["device_worker_name"] = "HogwildWorker"


class Section(DeviceWorker):
    """Sections of a pipeline; on one device they run one after the other.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            desc = {}
            fluid.device_worker.Section()._gen_worker_desc(desc)
            print(desc["device_worker_name"])  # SectionWorker
    """

    def _gen_worker_desc(self, trainer_desc: Any) -> None:
        trainer_desc["device_worker_name"] = "SectionWorker"


class DownpourSGD(DeviceWorker):
    """Workers of a parameter server, which is not here.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            try:
                fluid.device_worker.DownpourSGD()._gen_worker_desc({})
            except NotImplementedError:
                print("no parameter server")
    """

    def _gen_worker_desc(self, trainer_desc: Any) -> None:
        raise UnimplementedError(f"{type(self).__name__}: there is no parameter server.")


class DownpourSGDOPT(DownpourSGD):
    """Workers of a parameter server, which is not here.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            try:
                fluid.device_worker.DownpourSGDOPT()._gen_worker_desc({})
            except NotImplementedError:
                print("no parameter server")
    """


class DeviceWorkerFactory:
    """Makes a DeviceWorker by the name of its class."""

    def _create_device_worker(self, worker_type: str) -> DeviceWorker:
        return globals()[worker_type[0].upper() + worker_type[1:]]()
