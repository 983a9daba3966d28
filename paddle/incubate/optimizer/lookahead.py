"""LookAhead: slow parameters that follow those of another optimizer every few steps."""

from __future__ import annotations

from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError
from paddle.core.mode import no_grad
from paddle.ir.current import program_guard
from paddle.ir.variable import Variable
from paddle.optimizer.optimizer import Optimizer
from paddle.tensor.arithmetic import cast
from paddle.tensor.creation import assign

__all__ = ["LookAhead"]


class LookAhead(Optimizer):
    r"""Lets an optimizer run ahead, and goes a part of the way after it every ``k`` steps.

    .. math::

        s \leftarrow s + \alpha (p - s), \quad p \leftarrow s

    ``s`` are slow parameters; they begin with the values after the first step. See
    https://arxiv.org/abs/1907.08610.

    Args:
        inner_optimizer (Optimizer): what makes every step.
        alpha (float, optional): the part of the way, 0 to 1. Default: 0.5.
        k (int, optional): steps of the inner optimizer between two of the slow ones. Default: 5.
        name (str, optional): becomes a part of the names of the slow parameters.

    Raises:
        TypeError: inner_optimizer is no Optimizer.
        ValueError: alpha lies outside of [0, 1], or k is not positive.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(4, 1)
            sgd = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
            lookahead = paddle.incubate.LookAhead(sgd, alpha=0.5, k=2)
            for _ in range(4):
                loss = linear(paddle.ones([2, 4])).mean()
                loss.backward()
                lookahead.step()
                lookahead.clear_grad()
    """

    _slots = {"slow": 0.0}
    _counts = ("_updates",)

    def __init__(
        self, inner_optimizer: Optimizer, alpha: float = 0.5, k: int = 5, name: str | None = None
    ) -> None:
        if not isinstance(inner_optimizer, Optimizer):
            raise TypeError(
                "LookAhead(inner_optimizer): expected an Optimizer, but received "
                f"{type(inner_optimizer).__name__}."
            )
        if not isinstance(alpha, (int, float)) or not 0.0 <= alpha <= 1.0:
            raise InvalidArgumentError(
                f"LookAhead(alpha): expected a number from 0 to 1, but received {alpha!r}."
            )
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise InvalidArgumentError(
                f"LookAhead(k): expected a positive int, but received {k!r}."
            )
        super().__init__(float(alpha), inner_optimizer._parameter_list or None, name=name)
        self.inner_optimizer = inner_optimizer
        self.alpha = float(alpha)
        self.k = k
        self._updates = 0

    def get_lr(self) -> float:
        """Returns the learning rate of the inner optimizer."""
        return self.inner_optimizer.get_lr()

    def set_lr(self, value: float) -> None:
        """Sets the learning rate of the inner optimizer.

        Args:
            value (float): the new rate.
        """
        self.inner_optimizer.set_lr(value)

    def step(self) -> None:
        """Does a step of the inner optimizer; after every k-th the slow parameters follow.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                sgd = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                lookahead = paddle.incubate.LookAhead(sgd)
                linear(paddle.ones([2, 4])).mean().backward()
                lookahead.step()
        """
        self.inner_optimizer.step()
        self._follow()

    def _follow(self) -> None:
        self._updates += 1
        for param in self._parameter_list:
            if param.stop_gradient:
                continue
            first = param.name not in self._accumulators["slow"]
            slow = self._accumulator("slow", param)
            with no_grad():
                if first:
                    slow.set_value(param)
                if self._updates % self.k == 0:
                    moved = param * self.alpha + slow * (1.0 - self.alpha)
                    slow.set_value(moved)
                    param.set_value(moved)

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Does one update, or adds the operators of one to a static Program.

        Args:
            loss (Tensor|Variable): what is minimised. In dynamic mode ``loss.backward()`` comes
                before.
            startup_program (Program, optional): gives state its first values; None means the
                default one. Must be None in dynamic mode.
            parameters (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: the inner optimizer's operators (none in dynamic mode), and the pairs
            (parameter, gradient).

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                sgd = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                lookahead = paddle.incubate.LookAhead(sgd)
                loss = linear(paddle.ones([2, 4])).mean()
                loss.backward()
                lookahead.minimize(loss)
        """
        inner = self.inner_optimizer
        ops, pairs = inner.minimize(loss, startup_program, parameters, no_grad_set)
        if isinstance(loss, Variable):
            with program_guard(loss.block.program, startup_program):
                self._record([param for param, _ in pairs])
        else:
            self._follow()
        return ops, pairs

    def _record(self, params: list[Any]) -> None:
        """Adds what follows the inner step: slow parameters move when the count says so."""
        from paddle.static import create_global_var

        count: Any = create_global_var(
            [1], 0, "int64", persistable=True, name=unique_name.generate("lookahead_step")
        )
        assign(count + 1, count)
        for param in params:
            slow: Any = create_global_var(
                list(param.shape), 0.0, param.dtype, persistable=True,
                name=unique_name.generate(f"{param.name}_{self._label('slow')}")
            )  # fmt: skip
            first = cast(count == 1, param.dtype)
            now = cast(count % self.k == 0, param.dtype)
            begun = param * first + slow * (1.0 - first)
            share = now * self.alpha
            moved = param * share + begun * (1.0 - share)
            assign(moved, slow)
            assign(moved * now + param * (1.0 - now), param)
