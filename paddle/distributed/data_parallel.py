"""DataParallel: the wrapper that averages gradients over processes; here for one process."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.core.old_names import also_named
from paddle.core.tensor import Tensor
from paddle.distributed.parallel import get_world_size
from paddle.ir.variable import Variable
from paddle.nn.layer.layers import Layer

__all__ = ["DataParallel"]


class DataParallel(Layer):
    """A network that is trained in several processes, each on a part of the data.

    In one process there is nothing to exchange: calls, gradients and states are those of the
    network. Training scripts that wrap their network run unchanged.

    Args:
        layers (Layer): the network.
        strategy (ParallelStrategy, optional): how many processes there are; None: what the
            environment says (``PADDLE_TRAINERS_NUM``).
        comm_buffer_size (int): megabytes of gradients that are exchanged at once; with one process
            none are.
        last_comm_buffer_size (int): the same for the last gradients.

    Raises:
        TypeError: ``layers`` is no Layer.
        ValueError: a size is not positive.
        NotImplementedError: there are several processes.

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
        count = _processes(strategy)
        if count > 1:
            raise NotImplementedError(
                f"DataParallel: training in {count} processes is not part of this version; run one "
                "process (unset PADDLE_TRAINERS_NUM)."
            )
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the network."""
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss divided by the number of processes: with one, itself.

        Args:
            loss (Tensor): one number.
        """
        if not isinstance(loss, (Tensor, Variable)):
            raise TypeError(f"scale_loss(loss): expected a Tensor, got {type(loss).__name__}.")
        return loss

    def apply_collective_grads(self) -> None:
        """Averages the gradients over the processes: with one they are what they are."""

    def init_reducer(self) -> None:
        """Sorts the parameters into what is exchanged at once: with one process nothing is."""

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
