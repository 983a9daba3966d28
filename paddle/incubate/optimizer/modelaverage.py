"""ModelAverage: the mean of the last values of parameters, to be used in their place."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import no_grad
from paddle.core.op import C
from paddle.core.tensor import Tensor
from paddle.framework.mode import in_dynamic_mode
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.program import Program
from paddle.optimizer.optimizer import Optimizer
from paddle.optimizer.static import only_dynamic
from paddle.tensor.arithmetic import cast
from paddle.tensor.creation import assign, zeros

__all__ = ["ModelAverage"]

_SUMS = ("sum_1", "sum_2", "sum_3")
_COUNTS = ("num_accumulates", "old_num_accumulates", "num_updates")


class ModelAverage(Optimizer):
    """Keeps sums of the values that parameters took, and can put their means in place.

    The window over which is averaged is ``average_window_rate`` times the number of updates, within
    the two bounds. When a window is full, a new one begins; the mean is over the last full one and
    what came since. In static mode the operators are added when the object is made, to the default
    main Program; make it after ``minimize``.

    Args:
        average_window_rate (float): the window's share of all updates.
        parameters (list[Tensor], optional): whose mean is kept. Needed in dynamic mode; in static
            mode None means all parameters of the default main Program.
        min_average_window (int, optional): the least window. Default: 10000.
        max_average_window (int, optional): the largest window. Default: 10000.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(4, 1)
            sgd = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
            average = paddle.incubate.ModelAverage(
                0.15, parameters=linear.parameters(), min_average_window=2, max_average_window=10)
            for _ in range(4):
                linear(paddle.ones([2, 4])).mean().backward()
                sgd.step()
                sgd.clear_grad()
                average.step()
            with average.apply():
                print(linear(paddle.ones([2, 4])).shape)  # computed by means: [2, 1]
    """

    _slots = dict.fromkeys((*_SUMS, *_COUNTS), 0.0)

    def __init__(
        self,
        average_window_rate: float,
        parameters: Any = None,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        name: str | None = None,
    ) -> None:
        if not average_window_rate >= 0:
            raise InvalidArgumentError(
                "ModelAverage(average_window_rate): expected a share of at least 0, but received "
                f"{average_window_rate}."
            )
        if min_average_window > max_average_window:
            raise InvalidArgumentError(
                "ModelAverage(min_average_window): expected at most max_average_window = "
                f"{max_average_window}, but received {min_average_window}."
            )
        if parameters is None and not in_dynamic_mode():
            parameters = default_main_program().all_parameters()
        super().__init__(0.0, parameters, name=name)
        self.average_window = float(average_window_rate)
        self.min_average_window = min_average_window
        self.max_average_window = max_average_window
        self._saved: dict[str, Tensor] = {}
        if self._recorded is not None:
            self._record()

    def _window_settings(self) -> dict[str, Any]:
        return {
            "average_window": self.average_window,
            "min_average_window": self.min_average_window,
            "max_average_window": self.max_average_window,
        }

    def _accumulator(self, slot: str, param: Tensor) -> Tensor:
        if slot not in _COUNTS or param.name in self._accumulators[slot]:
            return super()._accumulator(slot, param)
        made = zeros([1], "int64")
        made.name = unique_name.generate(f"{param.name}_{self._label(slot)}")
        made.persistable = True
        self._accumulators[slot][param.name] = made
        return made

    # -- dynamic mode -----------------------------------------------------------------------------

    def step(self) -> None:
        """Adds the present values of the parameters; call it after the step of the optimizer.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                average = paddle.incubate.ModelAverage(0.15, parameters=linear.parameters())
                average.step()
        """
        if self._recorded is not None:
            raise only_dynamic(self, "step")
        with no_grad():
            for param in self._parameter_list:
                if not param.stop_gradient:
                    held = [self._accumulator(slot, param) for slot in self._slots]
                    C.average_accumulates(param, *held, **self._window_settings())

    def minimize(  # type: ignore[override]  # nothing is minimised, so there is nothing to return
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> None:
        """Does :meth:`step`; nothing is minimised here.

        Args:
            loss (Tensor): not looked at.
            startup_program (None): must be None, as must ``parameters`` and ``no_grad_set``: what
                is averaged is said when the object is made.
            parameters (None): must be None.
            no_grad_set (None): must be None.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                average = paddle.incubate.ModelAverage(0.15, parameters=linear.parameters())
                average.minimize(linear(paddle.ones([2, 4])).mean())
        """
        given = {"startup_program": startup_program, "parameters": parameters,
                 "no_grad_set": no_grad_set}  # fmt: skip
        for name, value in given.items():
            if value is not None:
                raise InvalidArgumentError(
                    f"ModelAverage.minimize({name}): expected None, but received "
                    f"{type(value).__name__}; nothing is minimised here."
                )
        self.step()

    @contextlib.contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Puts the means in the place of the parameters inside of a block.

        Args:
            executor (Executor, optional): runs the exchange; needed in static mode, None in
                dynamic mode.
            need_restore (bool, optional): whether the block's end restores the parameters.
                Default: True; otherwise :meth:`restore` does.

        Raises:
            RuntimeError: no values were added yet.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                average = paddle.incubate.ModelAverage(0.15, parameters=linear.parameters())
                average.step()
                with average.apply():
                    linear(paddle.ones([2, 4]))
        """
        self._check_executor("apply", executor)
        if self._recorded is not None:
            executor.run(self._exchange)
        else:
            self._put_means()
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def _check_executor(self, method: str, executor: Any) -> None:
        if (self._recorded is not None) != (executor is not None):
            wanted = "None in dynamic mode" if self._recorded is None else "an Executor"
            raise TypeError(
                f"ModelAverage.{method}(executor): expected {wanted}, but received "
                f"{type(executor).__name__}."
            )

    def _put_means(self) -> None:
        averaged = [p for p in self._parameter_list if p.name in self._accumulators["sum_1"]]
        if not averaged:
            raise PreconditionNotMetError(
                "ModelAverage.apply: expected values to average, but step() was not called."
            )
        with no_grad():
            for param in averaged:
                first, second, third, new, old, _ = (
                    self._accumulator(slot, param) for slot in self._slots
                )
                self._saved[param.name] = param.clone()
                param.set_value((first + second + third) / cast(new + old, param.dtype))

    def restore(self, executor: Any = None) -> None:
        """Puts the parameters back that :meth:`apply` replaced.

        Args:
            executor (Executor, optional): runs the exchange; needed in static mode, None in
                dynamic mode.

        Raises:
            RuntimeError: ``apply`` was not called.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(4, 1)
                average = paddle.incubate.ModelAverage(0.15, parameters=linear.parameters())
                average.step()
                with average.apply(need_restore=False):
                    linear(paddle.ones([2, 4]))
                average.restore()
        """
        self._check_executor("restore", executor)
        if self._recorded is not None:
            executor.run(self._back)
            return
        if not self._saved:
            raise PreconditionNotMetError(
                "ModelAverage.restore: expected apply() before, but it was not called."
            )
        for param in self._parameter_list:
            if param.name in self._saved:
                param.set_value(self._saved[param.name])
        self._saved = {}

    # -- static mode ------------------------------------------------------------------------------

    def _record(self) -> None:
        """Adds sums to the default main Program, and makes the Programs of the exchange."""
        from paddle.static import create_global_var

        names: dict[str, dict[str, Any]] = {}
        params = [p for p in self._parameter_list if getattr(p, "trainable", True)]
        for param in params:
            held = []
            for slot in (*self._slots, "restore"):
                counts = slot in _COUNTS
                held.append(create_global_var(
                    [1] if counts else list(param.shape), 0, "int64" if counts else param.dtype,
                    persistable=True,
                    name=unique_name.generate(f"{param.name}_{self._label(slot)}"),
                ))  # fmt: skip
            C.average_accumulates(param, *held[:-1], **self._window_settings())
            names[param.name] = dict(zip((*self._slots, "restore"), held))
        self._exchange, self._back = Program(), Program()
        with program_guard(self._exchange, Program()):
            for param in params:
                own = {slot: _known(var) for slot, var in names[param.name].items()}
                here = _known(param)
                assign(here, own["restore"])
                count = cast(own["num_accumulates"] + own["old_num_accumulates"], param.dtype)
                assign((own["sum_1"] + own["sum_2"] + own["sum_3"]) / count, here)
        with program_guard(self._back, Program()):
            for param in params:
                assign(_known(names[param.name]["restore"]), _known(param))


def _known(var: Any) -> Any:
    """The variable of the same name in the current Program."""
    return (
        default_main_program()
        .global_block()
        .create_var(name=var.name, shape=list(var.shape), dtype=var.dtype, persistable=True)
    )
