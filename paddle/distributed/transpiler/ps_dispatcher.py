"""Which parameter server gets which variable, as 1.x deals them out."""

from __future__ import annotations

import zlib
from typing import Any

__all__ = ["HashName", "RoundRobin"]


class PSDispatcher:
    """Base of the ways to deal out variables.

    Args:
        pserver_endpoints (list[str]): the servers.
    """

    def __init__(self, pserver_endpoints: list[str]) -> None:
        self._eps = pserver_endpoints
        self._step = 0

    @property
    def eps(self) -> list[str]:
        """The servers."""
        return self._eps

    def reset(self) -> None:
        """Begins anew with the first server."""
        self._step = 0

    def dispatch(self, varlist: list[Any]) -> list[str]:
        """Returns a server for each variable.

        Args:
            varlist (list[Variable]): the variables.
        """
        raise NotImplementedError("use HashName or RoundRobin.")


class HashName(PSDispatcher):
    """By a number made of the variable's name, the same in every process.

    Args:
        pserver_endpoints (list[str]): the servers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            print(len(fluid.transpiler.HashName(["a:1", "b:1"]).eps))  # 2
    """

    def dispatch(self, varlist: list[Any]) -> list[str]:
        """Returns a server for each variable.

        Args:
            varlist (list[Variable]): the variables.
        """
        return [self._eps[zlib.crc32(v.name.encode()) % len(self._eps)] for v in varlist]


class RoundRobin(PSDispatcher):
    """One after the other.

    Args:
        pserver_endpoints (list[str]): the servers.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            servers = fluid.transpiler.RoundRobin(["a:1", "b:1"])
            print(servers.dispatch([1, 2, 3]))  # ['a:1', 'b:1', 'a:1']
    """

    def dispatch(self, varlist: list[Any]) -> list[str]:
        """Returns a server for each variable.

        Args:
            varlist (list[Variable]): the variables.
        """
        found = []
        for _ in varlist:
            found.append(self._eps[self._step])
            self._step = (self._step + 1) % len(self._eps)
        return found
