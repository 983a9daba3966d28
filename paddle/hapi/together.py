"""What a Model does in each of several processes, so that together they train as one."""

from __future__ import annotations

from typing import Any

from paddle.core.listening import listeners_of
from paddle.core.rings import rings
from paddle.core.tensor import Tensor
from paddle.distributed import DataParallel, get_world_size, init_parallel_env
from paddle.distributed.joint import averaged, joined
from paddle.io import DistributedBatchSampler
from paddle.nn import Layer


def together(network: Layer) -> Together | None:
    """Connects this process to the others; None where there are none.

    Args:
        network (Layer): the network that they train.
    """
    if get_world_size() < 2:
        return None
    if not rings.known(0):
        init_parallel_env()
    return Together(network)


class Joining:
    """What the adapters of both modes have in common: processes that look at data together."""

    _others: Together | None = None

    def begin_pass(self, loader: Any) -> None:
        """A pass through data for an evaluation or predictions begins.

        Args:
            loader (DataLoader): gives the data.
        """
        if self._others is not None:
            self._others.begin(loader)

    def end_pass(self) -> None:
        """It is over."""
        if self._others is not None:
            self._others.end()

    def seen(self, count: int) -> int:
        """How many samples the last step of a pass saw.

        Args:
            count (int): samples of this process's batch.
        """
        return count if self._others is None else self._others.seen or count


class Together:
    """The other processes, as the steps of a Model need them.

    Args:
        network (Layer): the network that they train.

    Attributes:
        seen (int): samples of the last batches of all processes together; 0: not known.
    """

    def __init__(self, network: Layer) -> None:
        self._network = network
        self._wrapped: Any = None
        self._left: int | None = None  # samples of a pass through data that all see in part
        self._split = False
        self.seen = 0

    @property
    def splits(self) -> bool:
        """Whether the data of this pass is dealt out to the processes."""
        return self._split

    @property
    def wrapped(self) -> DataParallel:
        """The network whose gradients are averaged; it begins with process 0's parameters."""
        if self._wrapped is None:
            self._wrapped = DataParallel(self._network)
        return self._wrapped

    def gradients(self) -> None:
        """Averages the gradients that ``no_sync`` left to this process."""
        for exchange in listeners_of(self._network.parameters()):
            exchange.flush()

    def losses(self, losses: list[Tensor]) -> list[Tensor]:
        """The losses of all processes' batches together, where each is a mean."""
        return averaged(rings.get(0), losses)

    def begin(self, loader: Any) -> None:
        """A pass through data begins whose results are to be those of one process.

        Where the data is dealt out, some samples come twice at its end, so that all processes have
        equally many.
        """
        sampler: Any = getattr(loader, "batch_sampler", None)
        self._split = (
            isinstance(sampler, DistributedBatchSampler) and sampler.nranks == rings.get(0).size
        )
        whole = self._split and not sampler.drop_last
        self._left = len(sampler.dataset) if whole else None
        self.seen = 0

    def end(self) -> None:
        """The pass is over: single batches are this process's own."""
        self._split, self._left = False, None

    def rows(self, *parts: list) -> list[list]:
        """Lists of Tensors with the rows of all processes, if their data is dealt out."""
        return self.joined_rows(*parts) if self._split else list(parts)

    def joined_rows(self, *parts: list) -> list[list]:
        """The same, whatever the data is; results that are no Tensors stay as they are."""
        flat = [value for part in parts for value in part]
        if not flat or not all(_has_rows(value) for value in flat):
            return list(parts)
        found = iter(joined(rings.get(0), flat, self._left))
        lists = [[next(found) for _ in part] for part in parts]
        if self._left is not None:
            self._left -= lists[0][0].shape[0]
        self.seen = lists[0][0].shape[0]
        return lists

    def states(self, states: list[list], count: int) -> list[list] | None:
        """What metrics computed, of all processes; None where it does not come by samples."""
        flat = [value for state in states for value in state]
        if not all(_has_rows(value) and value.shape[0] == count for value in flat):
            return None
        found = iter(joined(rings.get(0), flat))
        return [[next(found) for _ in state] for state in states]


def _has_rows(value: Any) -> bool:
    return isinstance(value, Tensor) and value._buf.dim() > 0
