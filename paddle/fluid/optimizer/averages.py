"""ModelAverage and ExponentialMovingAverage of 1.x: averages in place of the parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import FLOATING, VarType
from paddle.core.errors import PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.mode import recording
from paddle.core.op import C
from paddle.fluid.optimizer.base import Optimizer
from paddle.fluid.recording import fill, persistable, recorded
from paddle.ir.block import Block
from paddle.ir.current import default_main_program, name_scope, program_guard
from paddle.ir.program import Program
from paddle.ir.recording.lowering import write
from paddle.ir.variable import Variable

__all__ = ["ExponentialMovingAverage", "ModelAverage"]

_STEPS = "@EMA_STEP_COUNTER@"
_SUMS = ("sum_1", "sum_2", "sum_3")
_COUNTS = ("num_accumulates", "old_num_accumulates", "num_updates")


def _mirror(block: Block, var: Variable) -> Variable:
    """The variable of that name in another Program, which shares its value in the scope."""
    if block.has_var(var.name):
        return block.var(var.name)
    return block.create_var(
        name=var.name, shape=var.shape, dtype=var.dtype, persistable=True, stop_gradient=True
    )


class ModelAverage(Optimizer):
    """Averages of the parameters over a window of the last updates.

    The window has ``average_window_rate`` times as many updates as there were, at least
    ``min_average_window`` and at most ``max_average_window``. Parameters with
    ``ParamAttr(do_model_average=False)`` are left out. Make it after ``minimize``; it adds to the
    default main Program.

    Args:
        average_window_rate (float): part of the updates that an average is of.
        min_average_window (int): the smallest window. Default: 10000.
        max_average_window (int): the largest window. Default: 10000.
        regularization (optional): has no effect on averages.
        name (str, optional): becomes a part of the accumulators' names.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                fluid.optimizer.SGD(0.1).minimize(loss)
                average = fluid.optimizer.ModelAverage(0.15, 2, 10)
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                exe.run(feed={"x": np.ones([4, 2], "float32")})
                with average.apply(exe):
                    print("the parameters are averages here")
            paddle.disable_static()
    """

    type = "average_accumulates"

    def __init__(
        self,
        average_window_rate: float,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        regularization: Any = None,
        name: str | None = None,
    ) -> None:
        if not recording():
            raise PreconditionNotMetError(
                "ModelAverage adds to a static Program, but dygraph mode is on.",
                hint="call it outside of fluid.dygraph.guard()",
            )
        super().__init__(0.0, None, regularization, None, name)
        self.average_window = average_window_rate
        self.min_average_window = min_average_window
        self.max_average_window = max_average_window
        program = default_main_program()
        self.params_grads: list[tuple[Variable, Variable]] = []
        for param in program.global_block().all_parameters():
            if param.do_model_average is not False:
                kept = unique_name.generate(f"{param.name}.tmp")
                saved = param.block.create_var(
                    name=kept, dtype=param.dtype, persistable=False, stop_gradient=True
                )
                self.params_grads.append((param, saved))
        for param, saved in self.params_grads:
            with program._optimized_guard([param, saved]), name_scope("move_average"):
                self._append_average_accumulate_op(param)
        self.apply_program, self.restore_program = Program(), Program()
        with program_guard(self.apply_program, Program()):
            for pair in self.params_grads:
                self._add_average_apply_op(self.apply_program.global_block(), pair)
        with program_guard(self.restore_program, Program()):
            for pair in self.params_grads:
                self._add_average_restore_op(self.restore_program.global_block(), pair)

    def _append_average_accumulate_op(self, param: Variable) -> None:
        sums = [self._add_accumulator(name, param) for name in _SUMS]
        counts = [self._add_accumulator(name, param, dtype="int64", shape=[1]) for name in _COUNTS]
        held = dict(zip((*_SUMS, *_COUNTS), (*sums, *counts), strict=True))
        default_main_program().global_block().append_op(
            "average_accumulates",
            {"param": param, **{f"in_{name}": var for name, var in held.items()}},
            {f"out_{name}": var for name, var in held.items()},
            {
                "average_window": self.average_window,
                "min_average_window": self.min_average_window,
                "max_average_window": self.max_average_window,
            },
        )

    def _add_average_apply_op(self, block: Block, pair: tuple) -> None:
        param, saved = (_mirror(block, var) for var in pair)
        held = {name: _mirror(block, self._held(name, pair[0])) for name in (*_SUMS, *_COUNTS[:2])}
        write(saved, "assign", [param], {})
        count = recorded("sum", {"X": [held[name] for name in _COUNTS[:2]]}, stop=True)
        total = recorded("sum", {"X": [held[name] for name in _SUMS]}, stop=True)
        kind = int(VarType.FP32 if self._dtype is None else self._dtype)
        count, total = (
            recorded("cast", {"X": v}, {"in_dtype": int(v.dtype), "out_dtype": kind}, stop=True)
            for v in (count, total)
        )
        block.append_op("elementwise_div", {"X": total, "Y": count}, {"Out": param}, {"axis": -1})

    def _held(self, name: str, param: Variable) -> Variable:
        return self._recorded.accumulators[self._recorded._names[name, param.name]]

    def _add_average_restore_op(self, block: Block, pair: tuple) -> None:
        param, saved = (_mirror(block, var) for var in pair)
        write(param, "assign", [saved], {})

    @contextlib.contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Puts the averages in place of the parameters inside a ``with`` block.

        Args:
            executor (Executor): runs the exchange in its scope.
            need_restore (bool): put the parameters back at the end. Default: True.
        """
        executor.run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Puts the parameters back.

        Args:
            executor (Executor): runs the exchange in its scope.
        """
        executor.run(self.restore_program)


class ExponentialMovingAverage(Guarded):
    r"""Keeps a moving average of each parameter: :math:`e = d \, e + (1 - d) \, w`.

    :meth:`apply` puts :math:`e / (1 - d^t)` in place of the parameters for a while, and as in
    1.8.5 the averages keep what they were divided by.

    Args:
        decay (float): d. Default: 0.999.
        thres_steps (Variable, optional): a number of steps s, a float; then d is the smaller one
            of ``decay`` and ``(1 + s) / (10 + s)``. An integer has no effect, as in 1.8.5.
        name (str, optional): the start of the names of its variables.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            with fluid.program_guard(fluid.Program(), fluid.Program()):
                x = paddle.static.data("x", [None, 2])
                loss = paddle.mean(paddle.static.nn.fc(x, 1))
                fluid.optimizer.SGD(0.1).minimize(loss)
                ema = fluid.optimizer.ExponentialMovingAverage(0.9)
                ema.update()
                exe = fluid.Executor(fluid.CPUPlace())
                exe.run(fluid.default_startup_program())
                exe.run(feed={"x": np.ones([4, 2], "float32")})
                with ema.apply(exe):
                    print("the parameters are averages here")
            paddle.disable_static()
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Any = None, name: str | None = None
    ) -> None:
        if not recording():
            raise PreconditionNotMetError(
                "ExponentialMovingAverage adds to a static Program, but dygraph mode is on.",
                hint="call it outside of fluid.dygraph.guard()",
            )
        self._decay = float(decay)
        self._thres_steps = thres_steps
        self._name = name or ""
        self._decay_var = persistable("scheduled_ema_decay_rate", [1], "float32", self._decay)
        # Whole numbers divide to zero, by which 1.8.5 keeps the decay as it is.
        if thres_steps is not None and thres_steps.dtype in FLOATING:
            self._schedule()
        program = default_main_program()
        self._params = [
            p for p in program.global_block().all_parameters() if p.do_model_average is not False
        ]
        self._kept = {
            p.name: unique_name.generate(f"{self._name}{p.name}.ema_tmp") for p in self._params
        }
        self._ema_vars: dict[str, Variable] = {}
        for param in self._params:
            with program._optimized_guard([param]), name_scope("moving_average"):
                self._ema_vars[param.name] = persistable(
                    unique_name.generate(f"{self._name}{param.name}_ema"),
                    list(param.shape), param.dtype, 0.0,
                )  # fmt: skip
        self._step = self._counter(program.global_block())
        self.apply_program, self.restore_program = Program(), Program()
        with program_guard(self.apply_program, Program()):
            self._record_apply(self.apply_program.global_block())
        with program_guard(self.restore_program, Program()):
            block = self.restore_program.global_block()
            for param in self._params:
                write(_mirror(block, param), "assign", [self._saved(block, param)], {})

    def _counter(self, block: Block) -> Variable:
        if block.has_var(_STEPS):
            return block.var(_STEPS)
        made = persistable(_STEPS, [1], "int64", 0)
        fill(_STEPS, [1], "int64", 0, force_cpu=True)
        return made

    def _saved(self, block: Block, param: Variable) -> Variable:
        name = self._kept[param.name]
        if block.has_var(name):
            return block.var(name)
        return block.create_var(
            name=name, shape=param.shape, dtype=param.dtype, persistable=True, stop_gradient=True
        )

    def _schedule(self) -> None:
        steps = self._thres_steps.astype("float32")
        rate = (steps + 1.0) / (steps + 10.0)
        limit = C.fill_constant(
            shape=[1], dtype=int(VarType.FP32), value=self._decay, str_value=repr(self._decay)
        )
        with default_main_program()._lr_schedule_guard():
            write(self._decay_var, "elementwise_min", [rate, limit], {})

    def update(self) -> None:
        """Adds the operators that update the averages; call it once, after ``minimize``."""
        program = default_main_program()
        block = program.global_block()
        write(self._step, "increment", [self._step], {"step": 1.0})
        for param in self._params:
            average = self._ema_vars[param.name]
            with program._optimized_guard([param, average]), name_scope("moving_average"):
                rate = self._decay_var
                if rate.dtype != param.dtype:
                    rate = rate.astype(param.dtype)
                new = average * rate + param * (1.0 - rate)
                block.append_op("assign", {"X": new}, {"Out": average})

    def _record_apply(self, block: Block) -> None:
        steps = _mirror(block, self._step).astype("float32")
        rate = _mirror(block, self._decay_var)
        power = C.elementwise_pow(rate, steps, axis=-1)
        # Before the first step the averages are not divided: the divisor 0 becomes 1.
        divisor = 1.0 - power + C.less_than(steps, steps * 0.0 + 0.5, axis=-1).astype("float32")
        for param in self._params:
            target, average = _mirror(block, param), _mirror(block, self._ema_vars[param.name])
            write(self._saved(block, param), "assign", [target], {})
            by = divisor if divisor.dtype == param.dtype else divisor.astype(param.dtype)
            write(average, "elementwise_div", [average, by], {"axis": -1})
            write(target, "assign", [average], {})

    @contextlib.contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Puts the averages in place of the parameters inside a ``with`` block.

        Args:
            executor (Executor): runs the exchange in its scope.
            need_restore (bool): put the parameters back at the end. Default: True.
        """
        executor.run(self.apply_program)
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Puts the parameters back.

        Args:
            executor (Executor): runs the exchange in its scope.
        """
        executor.run(self.restore_program)
