"""Programs of 1.x that train by collective operators: refused, as in 1.8.5 without NCCL."""

from __future__ import annotations

from typing import Any

__all__ = ["GradAllReduce", "LocalSGD"]


class _Collective:
    """Base of the two ways.

    Args:
        nrings (int): how many rings of communication.
    """

    def __init__(self, nrings: int) -> None:
        self.nrings = nrings

    def transpile(
        self, startup_program: Any, main_program: Any, rank: int, endpoints: Any,
        current_endpoint: str, wait_port: bool,
    ) -> None:  # fmt: skip
        """Would add collective operators to Programs.

        Args:
            startup_program (Program): the startup Program.
            main_program (Program): the main Program.
            rank (int): number of this process.
            endpoints (list[str]): addresses of all.
            current_endpoint (str): address of this one.
            wait_port (bool): wait until the others listen.

        Raises:
            NotImplementedError: always; it says what to use instead.
        """
        raise NotImplementedError(
            f"{type(self).__name__}.transpile: collective operators are not available; train in "
            "one process, or look at paddle.distributed."
        )


class GradAllReduce(_Collective):
    """Gradients summed over all processes.

    Args:
        nrings (int): how many rings of communication. Default: 2.
    """

    def __init__(self, nrings: int = 2) -> None:
        super().__init__(nrings)


class LocalSGD(_Collective):
    """Parameters averaged over all processes now and then.

    Args:
        nrings (int): how many rings of communication. Default: 2.
    """

    def __init__(self, nrings: int = 2) -> None:
        super().__init__(nrings)
        self.snapshot_key = "@SNAPSHOT"

    def snapshot_name(self, param_name: str) -> str:
        """The name under which the last average of a parameter is kept.

        Args:
            param_name (str): the parameter.
        """
        return param_name + self.snapshot_key
