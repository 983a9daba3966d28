"""What a process asks fleet about itself and the others: who is who in the job."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.distributed.fleet.base.role_maker import RoleMakerBase
from paddle.distributed.fleet.base.util_factory import UtilBase
from paddle.distributed.fleet.runtime import Runtime

UTIL = UtilBase()  # paddle.distributed.fleet.util


class Roles:
    """The part of :class:`Fleet` that answers from the role maker."""

    def __init__(self) -> None:
        self._maker: RoleMakerBase | None = None
        self._runtime_handle: Runtime | None = None
        self._util = UTIL

    @property
    def _role_maker(self) -> Any:
        """Who this process is; None before ``init``."""
        return self._maker

    @property
    def _is_collective(self) -> bool:
        """Whether the job is all trainers."""
        return self._role("_is_collective")._is_collective

    @property
    def util(self) -> UtilBase:
        """Small exchanges between the processes: ``fleet.util``."""
        return self._util

    @util.setter
    def util(self, value: UtilBase) -> None:
        self._util = value

    def _role(self, api: str) -> RoleMakerBase:
        if self._maker is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: fleet does not know yet which role this process has.",
                hint="call fleet.init() first",
            )
        return self._maker

    def _only(self, api: str, server: bool) -> None:
        """Refuses a call that belongs to the other role."""
        maker = self._role(api)
        here = maker._is_server()
        if here != server:
            kind, other = ("server", "worker") if here else ("worker", "server")
            raise PreconditionNotMetError(
                f"fleet.{api}: it is for {other}s, but this process is {kind} {maker._role_id()}.",
                hint=f"ask fleet.is_{other}() before",
            )

    # -- who is who ------------------------------------------------------------------------------

    def is_first_worker(self) -> bool:
        """Says whether this process is worker 0, which prints and saves.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.is_first_worker())  # True
        """
        return self._role("is_first_worker")._is_first_worker()

    def worker_index(self) -> int:
        """Returns the number of this worker, from 0.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_index())  # 0
        """
        return self._role("worker_index")._worker_index()

    def worker_num(self) -> int:
        """Returns how many workers there are.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_num())  # 1
        """
        return self._role("worker_num")._worker_num()

    def is_worker(self) -> bool:
        """Says whether this process trains.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.is_worker())  # True
        """
        return self._role("is_worker")._is_worker()

    def worker_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the workers.

        Args:
            to_string (bool): as one text with commas between them. Default: False, a list.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                print(fleet.worker_endpoints())  # ['127.0.0.1:6170']
        """
        listed = self._role("worker_endpoints")._get_trainer_endpoints()
        return ",".join(listed) if to_string else list(listed)

    def server_num(self) -> int:
        """Returns how many servers there are.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.server_num())  # 0
        """
        return self._role("server_num")._server_num()

    def server_index(self) -> int:
        """Returns the number of this server, from 0.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(fleet.UserDefinedRoleMaker(
                    current_id=1, role=fleet.Role.SERVER, worker_num=2,
                    server_endpoints=["127.0.0.1:36011", "127.0.0.1:36012"]))
                print(fleet.server_index())  # 1
        """
        return self._role("server_index")._server_index()

    def server_endpoints(self, to_string: bool = False) -> Any:
        """Returns the addresses of the servers.

        Args:
            to_string (bool): as one text with commas between them. Default: False, a list.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.server_endpoints())  # []
        """
        listed = self._role("server_endpoints")._get_pserver_endpoints()
        return ",".join(listed) if to_string else list(listed)

    def is_server(self) -> bool:
        """Says whether this process serves parameters.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init()
                print(fleet.is_server())  # False
        """
        return self._role("is_server")._is_server()

    def barrier_worker(self) -> None:
        """Returns when all workers have called it.

        Examples:
            .. code-block:: python

                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                fleet.barrier_worker()
        """
        maker, runtime = self._role("barrier_worker"), self._runtime_handle
        if runtime is None or not (maker._is_worker() and runtime.barrier_worker()):
            maker._barrier("worker")
