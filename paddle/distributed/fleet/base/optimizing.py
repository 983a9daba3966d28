"""The functions of fleet that do what its distributed optimizer does."""

from __future__ import annotations

from typing import Any

from paddle.core.errors import PreconditionNotMetError
from paddle.distributed.fleet.base.distributed_optimizer import DistributedOptimizer
from paddle.distributed.fleet.base.roles import Roles


class Optimizing(Roles):
    """The part of :class:`Fleet` that hands on to the optimizer."""

    def __init__(self) -> None:
        super().__init__()
        self._optimizer: DistributedOptimizer | None = None

    def _wrapped(self, api: str) -> DistributedOptimizer:
        """The optimizer of the last ``distributed_optimizer``."""
        self._role(api)
        if self._optimizer is None:
            raise PreconditionNotMetError(
                f"fleet.{api}: there is no optimizer yet.",
                hint="call fleet.distributed_optimizer(optimizer) first",
            )
        return self._optimizer

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Does what ``minimize`` of the distributed optimizer does.

        Args:
            loss (Tensor|Variable): what is minimised.
            startup_program (Program, optional): sets first values; None means the default one.
            parameter_list (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: the operators added (none in dynamic mode), and the pairs (parameter, gradient).

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                loss = net(paddle.ones([3, 2])).mean()
                loss.backward()
                fleet.minimize(loss)
        """
        return self._wrapped("minimize").minimize(
            loss, startup_program, parameter_list, no_grad_set
        )

    def step(self) -> None:
        """Does one update with the gradients there are. Dynamic mode.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                net(paddle.ones([3, 2])).mean().backward()
                fleet.step()
                fleet.clear_grad()
        """
        self._wrapped("step").step()

    def clear_grad(self) -> None:
        """Forgets the gradients of the optimizer's parameters. Dynamic mode.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                net(paddle.ones([3, 2])).mean().backward()
                fleet.clear_grad()
        """
        self._wrapped("clear_grad").clear_grad()

    def get_lr(self) -> float:
        """Returns the learning rate of the optimizer.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                fleet.set_lr(0.2)
                print(fleet.get_lr())  # 0.2
        """
        return self._wrapped("get_lr").get_lr()

    def set_lr(self, value: float) -> None:
        """Sets the learning rate of the optimizer, that of the servers too.

        With parameter servers it is called on workers, between ``init_worker`` and ``stop_worker``.

        Args:
            value (float): the rate.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                fleet.set_lr(0.2)
                print(fleet.get_lr())  # 0.2
        """
        self._wrapped("set_lr").set_lr(value)

    def state_dict(self) -> dict:
        """Returns what the optimizer keeps.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                print(type(fleet.state_dict()))  # <class 'dict'>
        """
        return self._wrapped("state_dict").state_dict()

    def set_state_dict(self, state_dict: dict) -> None:
        """Sets what the optimizer keeps.

        Args:
            state_dict (dict): from :meth:`state_dict`.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.distributed.fleet as fleet
                fleet.init(is_collective=True)
                net = paddle.nn.Linear(2, 1)
                fleet.distributed_optimizer(
                    paddle.optimizer.SGD(0.1, parameters=net.parameters()))
                fleet.set_state_dict(fleet.state_dict())
        """
        self._wrapped("set_state_dict").set_state_dict(state_dict)

    def amp_init(
        self, place: Any, scope: Any = None, test_program: Any = None, use_fp16_test: bool = False
    ) -> None:
        """Casts the parameters for training in 16 bits, after the startup Program has run.

        Args:
            place (Place): where the parameters are.
            scope (Scope, optional): holds them; None means the global one.
            test_program (Program, optional): cast too, for testing.
            use_fp16_test (bool): whether that one tests in 16 bits.

        Raises:
            RuntimeError: the strategy has no ``amp``, or ``minimize`` was not called.
        """
        self._wrapped("amp_init").amp_init(place, scope, test_program, use_fp16_test)
