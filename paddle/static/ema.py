"""ExponentialMovingAverage: averages of the parameters over the steps of training."""

from __future__ import annotations

import contextlib
import numbers
from collections.abc import Iterator
from typing import Any

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.ir.block import Block
from paddle.ir.current import default_main_program, program_guard
from paddle.ir.program import Program
from paddle.ir.recording.lowering import write
from paddle.ir.variable import Variable
from paddle.static.variables import create_global_var

__all__ = ["ExponentialMovingAverage"]

_STEPS = "@EMA_STEP_COUNTER@"
_DECAY = "scheduled_ema_decay_rate"


class ExponentialMovingAverage:
    r"""Keeps a moving average of each parameter, which often does better than the last value.

    :math:`e_t = d \, e_{t-1} + (1 - d) \, w_t` with :math:`e_0 = 0`; :meth:`apply` puts
    :math:`e_t / (1 - d^t)` in place of the parameters for a while. Parameters made with
    ``ParamAttr(do_model_average=False)`` are left out. Make it after the network; it belongs to the
    default main Program of that moment.

    Args:
        decay (float): d, in [0, 1). Default: 0.999.
        thres_steps (Variable, optional): a number of steps s, of shape ``[1]``; then
            :math:`d = \min(decay, (1 + s) / (10 + s))`, which counts the first steps less.
        name (str, optional): the start of the names of its variables.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.static as static
            paddle.enable_static()
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                x = static.data("x", [None, 2])
                loss = static.nn.mean(static.nn.fc(x, 1))
                paddle.optimizer.SGD(0.1).minimize(loss)
                ema = static.ExponentialMovingAverage(0.9)
                ema.update()
            exe = static.Executor()
            exe.run(startup)
            for _ in range(3):
                exe.run(main, {"x": np.ones([4, 2], "float32")})
            with ema.apply(exe):
                print("the parameters are averages here")
            paddle.disable_static()
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Any = None, name: str | None = None
    ) -> None:
        _check(decay, thres_steps, name)
        self._decay = float(decay)
        self._thres_steps = thres_steps
        self._name = name or ""
        self._updated = False
        block = default_main_program().global_block()
        self._program = block.program
        found = [p for p in block.all_parameters() if p.do_model_average is not False]
        if not found:
            raise PreconditionNotMetError(
                "ExponentialMovingAverage: the default main Program has no parameters to average.",
                hint="make it after the network, inside the same program_guard",
            )
        taken = block.has_var(_DECAY)
        self._rate = create_global_var(
            [1], decay, "float32", persistable=True,
            name=unique_name.generate(_DECAY) if taken else _DECAY,
        )  # fmt: skip
        self._averages = {p: self._average(p) for p in found}
        self._counts = not block.has_var(_STEPS)  # the first one counts for all others
        self._steps = (
            create_global_var([1], 0, "int64", persistable=True, force_cpu=True, name=_STEPS)
            if self._counts
            else block.var(_STEPS)
        )
        self.apply_program, self.restore_program = Program(), Program()
        with program_guard(self.apply_program, Program()):
            self._record_apply()
        with program_guard(self.restore_program, Program()):
            self._record_restore()

    def _average(self, param: Variable) -> tuple[Variable, str]:
        """The moving average of a parameter and the name that its own value has meanwhile."""
        kept = f"{self._name}{param.name}.ema_tmp"
        made = create_global_var(
            list(param.shape), 0.0, param.dtype, persistable=True,
            name=unique_name.generate(f"{self._name}{param.name}_ema"),
        )  # fmt: skip
        return made, unique_name.generate(kept)

    def update(self) -> None:
        """Adds the operators that update the averages; call it once, after ``minimize``."""
        if not recording() or default_main_program() is not self._program:
            raise PreconditionNotMetError(
                "ExponentialMovingAverage.update: expected static mode and the default main "
                "Program to be the one that the averages were made for.",
                hint="call it inside the same program_guard",
            )
        if self._updated:
            raise PreconditionNotMetError(
                "ExponentialMovingAverage.update: the Program updates these averages already."
            )
        self._updated = True
        program = self._program
        with program._optimized_guard([self._rate]):
            if self._counts:
                write(self._steps, "increment", [self._steps], {"step": 1.0})
            if self._thres_steps is not None:
                self._schedule()
        for param, (average, _) in self._averages.items():
            with program._optimized_guard([param, average]):
                rate = _like(self._rate, param)
                write(average, "assign", [average * rate + param * (1.0 - rate)], {})

    def _schedule(self) -> None:
        steps = _cast(self._thres_steps, "float32")
        growing = (steps + 1.0) / (steps + 10.0)
        limit = C.fill_constant(
            shape=[1], dtype=int(self._rate.dtype), value=self._decay, str_value=repr(self._decay)
        )
        write(self._rate, "elementwise_min", [growing, limit], {})

    def _record_apply(self) -> None:
        block = self.apply_program.global_block()
        steps, rate = _mirror(block, self._steps), _mirror(block, self._rate)
        # Before the first step d^0 is 1: there the divisor is 1 instead of 0.
        counted = _cast(steps, "float32")
        first = _cast(C.less_than(counted, counted * 0.0 + 0.5, axis=-1), "float32")
        divisor = 1.0 - C.elementwise_pow(rate, counted, axis=-1) + first
        for param, (average, kept) in self._averages.items():
            target, source = _mirror(block, param), _mirror(block, average)
            own = block.create_var(
                name=kept, shape=param.shape, dtype=param.dtype, persistable=True
            )
            write(own, "assign", [target], {})
            write(target, "elementwise_div", [source, _like(divisor, param)], {"axis": -1})

    def _record_restore(self) -> None:
        block = self.restore_program.global_block()
        for param, (_, kept) in self._averages.items():
            own = block.create_var(
                name=kept, shape=param.shape, dtype=param.dtype, persistable=True
            )
            write(_mirror(block, param), "assign", [own], {})

    @contextlib.contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Puts the averages in place of the parameters inside a ``with`` block.

        Args:
            executor (Executor): runs the exchange in its scope.
            need_restore (bool): put the parameters back at the end; False leaves the averages until
                :meth:`restore`. Default: True.
        """
        executor.run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Puts the parameters back after ``apply(executor, need_restore=False)``.

        Args:
            executor (Executor): runs the exchange in its scope.
        """
        executor.run(self.restore_program)


def _check(decay: Any, thres_steps: Any, name: Any) -> None:
    api = "ExponentialMovingAverage"
    if not recording():
        raise PreconditionNotMetError(
            f"{api} adds to a static Program, but dynamic mode is on.",
            hint="call paddle.enable_static() first",
        )
    if isinstance(decay, bool) or not isinstance(decay, numbers.Real):
        raise TypeError(f"{api}(decay): expected a float, but received {type(decay).__name__}.")
    if not 0.0 <= float(decay) < 1.0:
        raise InvalidArgumentError(f"{api}(decay): expected a number in [0, 1), got {decay}.")
    if thres_steps is not None and not isinstance(thres_steps, Variable):
        raise TypeError(
            f"{api}(thres_steps): expected a Variable or None, got {type(thres_steps).__name__}."
        )
    if thres_steps is not None and thres_steps.shape != (1,):
        raise InvalidArgumentError(
            f"{api}(thres_steps): expected shape [1], but received {list(thres_steps.shape)}."
        )
    if name is not None and not isinstance(name, str):
        raise TypeError(f"{api}(name): expected a str or None, but received {name!r}.")


def _mirror(block: Block, var: Variable) -> Variable:
    """The variable of that name in another Program, which shares its value in the scope."""
    return block.create_var(
        name=var.name, shape=var.shape, dtype=var.dtype, persistable=True, stop_gradient=True
    )


def _cast(value: Any, dtype: str) -> Any:
    return value.astype(dtype)


def _like(value: Any, param: Variable) -> Any:
    """A float32 number in the parameter's element type."""
    return value if value.dtype == param.dtype else value.astype(param.dtype)


guard_module(globals())
