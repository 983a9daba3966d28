"""How the processes of a group exchange buffers; here the base case, a group of one."""

from __future__ import annotations

import abc

import torch


class Communicator(abc.ABC):
    """Exchanges buffers between the members of a group; members are counted from 0.

    What a method is given stays as it is. Results may be the very buffers that were given.
    """

    @abc.abstractmethod
    def all_reduce(self, buffer: torch.Tensor, op: int) -> torch.Tensor:
        """Returns the sum (product, ...) of everybody's buffer, to everybody."""

    @abc.abstractmethod
    def reduce(self, buffer: torch.Tensor, dst: int, op: int) -> torch.Tensor:
        """Returns the sum (product, ...) to one member, and to the others their own buffer."""

    @abc.abstractmethod
    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        """Returns one member's buffer to everybody."""

    @abc.abstractmethod
    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        """Returns everybody's buffer to everybody."""

    @abc.abstractmethod
    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        """Returns to each member its one of the buffers that one member has."""

    @abc.abstractmethod
    def all_to_all(self, buffers: list[torch.Tensor]) -> list[torch.Tensor]:
        """Returns to each member what every member has for it."""

    @abc.abstractmethod
    def barrier(self) -> None:
        """Returns when everybody has called it."""


class Alone(Communicator):
    """A group of one: what is exchanged is what there was."""

    def all_reduce(self, buffer: torch.Tensor, op: int) -> torch.Tensor:
        return buffer

    def reduce(self, buffer: torch.Tensor, dst: int, op: int) -> torch.Tensor:
        return buffer

    def broadcast(self, buffer: torch.Tensor, src: int) -> torch.Tensor:
        return buffer

    def all_gather(self, buffer: torch.Tensor) -> list[torch.Tensor]:
        return [buffer]

    def scatter(self, buffers: list[torch.Tensor], like: torch.Tensor, src: int) -> torch.Tensor:
        return buffers[0]

    def all_to_all(self, buffers: list[torch.Tensor]) -> list[torch.Tensor]:
        return list(buffers)

    def barrier(self) -> None:
        return None
