"""DataParallel: the wrapper that averages gradients over processes while backward runs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import torch

from paddle.core.dtype import FROM_TORCH, dtype_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import grad_enabled
from paddle.core.old_names import also_named
from paddle.core.tensor import Tensor
from paddle.core.writes import updatable
from paddle.distributed import check
from paddle.distributed import group as groups
from paddle.distributed.env import ParallelEnv
from paddle.distributed.exchange import GradientExchange
from paddle.distributed.parallel import get_world_size
from paddle.ir.variable import Variable
from paddle.nn.layer.layers import Layer

__all__ = ["DataParallel"]

_number = itertools.count().__next__
_BROADCAST_BYTES = 64 << 20


class DataParallel(Layer):
    """A network that is trained in several processes, each on a part of the data.

    All processes begin with the parameters and buffers of process 0. While backward runs, gradients
    are averaged over the processes: with equal batches, and a loss that is a mean, they are those
    of one process with all batches together. Hooks of parameters see a process's own gradients,
    clips of the optimizer the averages. :func:`paddle.grad` exchanges nothing.

    In one process calls, gradients and states are those of the network. Training scripts that wrap
    their network run unchanged.

    Args:
        layers (Layer): the network.
        strategy (ParallelStrategy, optional): how many processes there are; None: what the
            environment says (``PADDLE_TRAINERS_NUM``).
        comm_buffer_size (int): megabytes of gradients that are exchanged at once.
        last_comm_buffer_size (int): the same for those that come last in backward.
        find_unused_parameters (bool): of later releases. Parameters that a process does not use
            are looked after in any case.
        group (Group, optional): of later releases: average over these processes; None: all.

    Raises:
        TypeError: ``layers`` is no Layer.
        ValueError: a size is not positive, or the networks of the processes differ.
        RuntimeError: there are several processes and ``init_parallel_env`` was not called.

    Examples:
        .. code-block:: python

            import paddle

            net = paddle.nn.Linear(4, 2)
            wrapped = paddle.DataParallel(net)
            loss = wrapped.scale_loss(wrapped(paddle.ones([3, 4])).mean())
            loss.backward()
            wrapped.apply_collective_grads()
            print(net.weight.grad.shape, list(wrapped.state_dict()))  # [4, 2] ['weight', 'bias']
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: int = 1,
        find_unused_parameters: bool = False,
        group: Any = None,
    ) -> None:
        if not isinstance(layers, Layer):
            raise TypeError(
                f"DataParallel(layers): expected a Layer, but received {type(layers).__name__}."
            )
        sizes = {
            "comm_buffer_size": comm_buffer_size, "last_comm_buffer_size": last_comm_buffer_size,
        }  # fmt: skip
        for name, size in sizes.items():
            if isinstance(size, bool) or not isinstance(size, (int, float)):
                raise TypeError(
                    f"DataParallel({name}): expected an int, but received {type(size).__name__}."
                )
            if size <= 0:
                raise InvalidArgumentError(
                    f"DataParallel({name}): expected a positive size, but received {size}."
                )
        if not isinstance(find_unused_parameters, bool):
            raise TypeError(
                "DataParallel(find_unused_parameters): expected a bool, but received "
                f"{type(find_unused_parameters).__name__}."
            )
        count = _processes(strategy)
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        self._exchange: Any = None
        if count > 1:
            chosen = _group(group, strategy)
            if chosen.nranks > 1:
                self._join(chosen, comm_buffer_size, last_comm_buffer_size)

    def _join(self, chosen: Any, size: float, last_size: float) -> None:
        """Connects the network to those of the other processes, and takes over process 0's."""
        number = _number()
        parameters, buffers = self._layers.parameters(), self._layers.buffers()
        known = set(parameters)
        state = [*parameters, *(b for b in buffers if b not in known)]
        shapes = " ".join(f"{t.shape} {dtype_name(FROM_TORCH[t._dt])}" for t in state)
        sizes = f"comm_buffer_size={size}, last_comm_buffer_size={last_size}"
        check.always_compare(chosen.backend, f"DataParallel(network {number}: {shapes}, {sizes})")
        # A connection of its own: when a bucket is full depends on the process, and must not get
        # into the way of other exchanges, such as those of a synchronized batch norm.
        connection = groups.connected(
            f"{chosen.id}/data_parallel/{number}", chosen.ranks, chosen.rank,
            groups.host_of(ParallelEnv()), chosen.backend.timeout,
        )  # fmt: skip
        _take_over(state, connection)
        self._exchange = GradientExchange(
            parameters, _tables(self._layers), connection, size, last_size
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the network."""
        exchange = self._exchange
        if exchange is not None and exchange.enabled and grad_enabled():
            exchange.follow()
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leaves gradients of forward and backward inside of the block to this process.

        The next backward outside of it exchanges their sum. Not in 2.0.

        Examples:
            .. code-block:: python

                import paddle
                net = paddle.DataParallel(paddle.nn.Linear(4, 2))
                with net.no_sync():
                    net(paddle.ones([3, 4])).mean().backward()
                net(paddle.ones([3, 4])).mean().backward()
        """
        exchange = self._exchange
        if exchange is None:
            yield
            return
        before, exchange.enabled = exchange.enabled, False
        try:
            yield
        finally:
            exchange.enabled = before

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss: gradients are averaged in any case.

        Args:
            loss (Tensor): one number.
        """
        if not isinstance(loss, (Tensor, Variable)):
            raise TypeError(f"scale_loss(loss): expected a Tensor, got {type(loss).__name__}.")
        return loss

    def apply_collective_grads(self) -> None:
        """Does nothing: gradients are averaged while backward runs."""

    def init_reducer(self) -> None:
        """Sorts the parameters into what is exchanged at once; done by itself."""
        if self._exchange is not None:
            self._exchange.follow()

    def state_dict(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> Any:
        """Returns the state of the network, under its own names.

        Args:
            destination (dict, optional): where the entries go.
            include_sublayers (bool): whether those of sublayers belong to it.
            structured_name_prefix (str): what the names begin with.
        """
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    @also_named(stat_dict="state_dict")  # as 1.x has it
    def set_state_dict(
        self, state_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True
    ) -> Any:
        """Loads a state into the network, see :meth:`paddle.nn.Layer.set_state_dict`.

        Args:
            state_dict (dict): the state.
            include_sublayers (bool): whether sublayers get theirs.
            use_structured_name (bool): entries go by structured name, else by parameter name.
        """
        return self._layers.set_state_dict(state_dict, include_sublayers, use_structured_name)

    set_dict = load_dict = set_state_dict


def _tables(network: Layer) -> set[Tensor]:
    """The weights of layers that say that their gradients are of rows."""
    return {
        layer.weight
        for layer in network.sublayers(include_self=True)
        if getattr(layer, "_sparse", False) is True or getattr(layer, "_is_sparse", False) is True
        if isinstance(getattr(layer, "weight", None), Tensor)
    }


def _take_over(state: list[Tensor], connection: Any) -> None:
    """Gives Tensors the values that they have in process 0, many at a time."""
    alike: dict[Any, list[Tensor]] = {}
    for tensor in state:
        buffer = tensor._buf
        run = alike.setdefault((buffer.dtype, buffer.device), [])
        run.append(tensor)
        if sum(t._buf.numel() for t in run) * buffer.element_size() >= _BROADCAST_BYTES:
            _broadcast(alike.pop((buffer.dtype, buffer.device)), connection)
    for run in alike.values():
        _broadcast(run, connection)


def _broadcast(run: list[Tensor], connection: Any) -> None:
    flat = torch.cat([t._buf.reshape(-1) for t in run])
    sizes = [t._buf.numel() for t in run]
    got = connection.broadcast(flat, 0)
    if connection.rank:
        for tensor, part in zip(run, got.split(sizes), strict=True):
            updatable(tensor).copy_(part.view(tensor._buf.shape))


def _group(group: Any, strategy: Any) -> groups.Group:
    found = groups.get_group(0) if group is None else group
    if not isinstance(found, groups.Group):
        raise TypeError(f"DataParallel(group): expected a Group, got {type(found).__name__}.")
    stated = getattr(strategy, "nranks", None)
    if stated is not None and int(stated) != found.nranks:
        raise InvalidArgumentError(
            f"DataParallel(strategy): it says that there are {stated} processes, but there are "
            f"{found.nranks}."
        )
    return found


def _processes(strategy: Any) -> int:
    """How many processes train together."""
    stated = getattr(strategy, "nranks", None)
    if stated is None:
        return get_world_size()
    try:
        return int(stated)
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"DataParallel: expected the number of processes, but received {stated!r}."
        ) from None
