"""Schedules of the learning rate as layers: operators that compute it from a counter of steps.

The counter is a variable of the Program, ``@LR_DECAY_COUNTER@``; each run counts once, however many
schedules read it. In dynamic mode the functions return the schedules of ``fluid.dygraph``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.core.guards import guard_module
from paddle.core.mode import recording
from paddle.fluid.layers.blocks import Switch
from paddle.fluid.layers.variable_making import autoincreased_step_counter
from paddle.incubate.layer_helper import LayerHelper
from paddle.ir.current import default_main_program
from paddle.ir.variable import Variable
from paddle.static.variables import create_global_var

__all__ = [
    "cosine_decay", "exponential_decay", "inverse_time_decay", "linear_lr_warmup",
    "natural_exp_decay", "noam_decay", "piecewise_decay", "polynomial_decay",
]  # fmt: skip

COUNTER = "@LR_DECAY_COUNTER@"


def _in_dygraph(name: str, *args: Any, **kwargs: Any) -> Any:
    from paddle.fluid.dygraph import learning_rate_scheduler as schedules

    return getattr(schedules, name)(*args, **kwargs)


@contextmanager
def _schedule() -> Iterator[None]:
    """Marks the operators as those of a schedule: copies for evaluation leave them out."""
    with default_main_program()._lr_schedule_guard():
        yield


def _decay_step_counter(begin: int = 0) -> Any:
    """The number of the step as float32, of shape [1].

    Args:
        begin (int): the number of the first one. Default: 0.
    """
    counter = autoincreased_step_counter(COUNTER, begin, 1)
    return _layer("cast", counter, in_dtype=int(VarType.INT64), out_dtype=int(VarType.FP32))


def _layer(operator: str, *inputs: Any, **attrs: Any) -> Any:
    """Records an operator as the layer function of its name does."""
    return LayerHelper(operator).call(operator, *inputs, **attrs)


def _number(value: float, force_cpu: bool = False) -> Any:
    """A constant, as ``fill_constant`` makes it."""
    attrs = {"shape": [1], "dtype": int(VarType.FP32), "value": float(value)}
    return _layer("fill_constant", **attrs, str_value=str(float(value)), force_cpu=force_cpu)


def _power(base: Any, exponent: float) -> Any:
    """A power whose exponent is a constant of the Program, as 1.x records ``**``."""
    block = default_main_program().current_block()
    attrs = {"shape": [1], "dtype": int(base.dtype), "value": float(exponent)}
    number = block.create_var(
        name=unique_name.generate("tmp"), shape=[1], dtype=base.dtype, stop_gradient=True
    )
    block.append_op(type="fill_constant", outputs={"Out": [number]}, attrs=attrs)
    return base**number


def _check_numbers(api: str, **values: Any) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            if not isinstance(value, Variable):
                raise TypeError(
                    f"{api}({name}): expected a number, but received {type(value).__name__}."
                )


def noam_decay(d_model: float, warmup_steps: float, learning_rate: float = 1.0) -> Any:
    """A rate that grows for some steps and then falls with the root of their number.

    ``learning_rate * d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)``, the first step
    being 1.

    Args:
        d_model (float): the width of the model.
        warmup_steps (float): the step from which on it falls.
        learning_rate (float|Variable): the factor. Default: 1.0.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                rate = fluid.layers.noam_decay(d_model=4, warmup_steps=2)
                exe = fluid.Executor()
                exe.run(startup)
                rates = [exe.run(main, fetch_list=[rate])[0] for _ in range(3)]
                print(rates[1] > rates[0], rates[1] > rates[2])  # [ True] [ True]
            paddle.disable_static()
    """
    _check_numbers("noam_decay", d_model=d_model, warmup_steps=warmup_steps)
    if not recording():
        return _in_dygraph("NoamDecay", d_model, warmup_steps, learning_rate=learning_rate)
    with _schedule():
        step = _decay_step_counter(1)
        falling = _power(step, -0.5)
        growing = (warmup_steps**-1.5) * step
        least = _layer("elementwise_min", falling, growing)
        return learning_rate * (d_model**-0.5) * least


def _passed(decay_steps: float, staircase: bool) -> Any:
    """Steps so far in terms of ``decay_steps``; whole numbers if it is to be a staircase."""
    part = _decay_step_counter() / decay_steps
    return _layer("floor", part) if staircase else part


def exponential_decay(
    learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Any:
    """A rate that is multiplied by ``decay_rate`` every ``decay_steps`` steps.

    Args:
        learning_rate (float|Variable): the first rate.
        decay_steps (int): so many steps make one factor.
        decay_rate (float): the factor.
        staircase (bool): whether it stays as it is in between. Default: False.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                out = fluid.layers.exponential_decay(0.1, decay_steps=100, decay_rate=0.9)
                print(out.shape)  # (1,)
    """
    _check_numbers("exponential_decay", decay_steps=decay_steps, decay_rate=decay_rate)
    if not recording():
        return _in_dygraph("ExponentialDecay", learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate * (decay_rate ** _passed(decay_steps, staircase))


def natural_exp_decay(
    learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Any:
    """A rate that falls by ``exp(-decay_rate * steps / decay_steps)``.

    Args:
        learning_rate (float|Variable): the first rate.
        decay_steps (int): so many steps count as one.
        decay_rate (float): how fast it falls.
        staircase (bool): whether it stays as it is in between. Default: False.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                out = fluid.layers.natural_exp_decay(0.1, decay_steps=100, decay_rate=0.5)
                print(out.shape)  # (1,)
    """
    _check_numbers("natural_exp_decay", decay_steps=decay_steps, decay_rate=decay_rate)
    if not recording():
        return _in_dygraph("NaturalExpDecay", learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate * _layer("exp", -1 * decay_rate * _passed(decay_steps, staircase))


def inverse_time_decay(
    learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False
) -> Any:
    """A rate that is divided by ``1 + decay_rate * steps / decay_steps``.

    Args:
        learning_rate (float|Variable): the first rate.
        decay_steps (int): so many steps count as one.
        decay_rate (float): how fast it falls.
        staircase (bool): whether it stays as it is in between. Default: False.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                out = fluid.layers.inverse_time_decay(0.1, decay_steps=100, decay_rate=0.5)
                print(out.shape)  # (1,)
    """
    _check_numbers("inverse_time_decay", decay_steps=decay_steps, decay_rate=decay_rate)
    if not recording():
        return _in_dygraph("InverseTimeDecay", learning_rate, decay_steps, decay_rate, staircase)
    with _schedule():
        return learning_rate / (1 + decay_rate * _passed(decay_steps, staircase))


def polynomial_decay(
    learning_rate: Any,
    decay_steps: int,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
) -> Any:
    """A rate that falls to another one within some steps.

    Args:
        learning_rate (float|Variable): the first rate.
        decay_steps (int): the steps until the end; with ``cycle`` as many more as are needed.
        end_learning_rate (float): the last rate. Default: 0.0001.
        power (float): of the part that is left; 1 is a straight line. Default: 1.0.
        cycle (bool): whether it starts anew when it has ended. Default: False.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                print(fluid.layers.polynomial_decay(0.1, decay_steps=100).shape)  # (1,)
    """
    _check_numbers("polynomial_decay", decay_steps=decay_steps, power=power)
    if not recording():
        return _in_dygraph(
            "PolynomialDecay", learning_rate, decay_steps, end_learning_rate, power, cycle
        )
    with _schedule():
        step = _decay_step_counter()
        if cycle:
            steps = _layer("ceil", step / decay_steps)
            zero, one = _number(0.0), _number(1.0)
            with Switch() as switch, switch.case(step == zero):
                _put(one, steps)
            length = decay_steps * steps
        else:
            length = _number(decay_steps)
            step = _layer("elementwise_min", step, length)
            length = decay_steps
        left = _power(1 - step / length, power)
        return (learning_rate - end_learning_rate) * left + end_learning_rate


def _put(value: Any, target: Variable) -> None:
    """Records that a variable gets a value."""
    block = default_main_program().current_block()
    block.append_op(type="assign", inputs={"X": [value]}, outputs={"Out": [target]})


def _rate(name: str, dtype: Any = "float32") -> Variable:
    """A variable for a rate, which outlives a run."""
    block = default_main_program().global_block()
    if block.has_var(name):  # of another schedule of its kind, as 1.x has it
        return block.var(name)
    return create_global_var([1], 0.0, dtype, persistable=True, name=name)


def piecewise_decay(boundaries: Any, values: Any) -> Any:
    """A rate for each of several ranges of steps.

    Args:
        boundaries (list[int]|tuple[int]): the steps at which the next rate begins.
        values (list[float]|tuple[float]): the rates, one more.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle
            import paddle.fluid as fluid
            paddle.enable_static()
            main, startup = fluid.Program(), fluid.Program()
            with fluid.program_guard(main, startup):
                rate = fluid.layers.piecewise_decay([1, 2], [1.0, 0.5, 0.1])
                exe = fluid.Executor()
                exe.run(startup)
                rates = [exe.run(main, fetch_list=[rate])[0] for _ in range(2)]
                print(rates[0], rates[1])  # [1.] [0.5]
            paddle.disable_static()
    """
    if len(values) - len(boundaries) != 1:
        raise InvalidArgumentError(
            "piecewise_decay(values): expected one rate more than boundaries, but received "
            f"{len(values)} rates and {len(boundaries)} boundaries."
        )
    if not recording():
        return _in_dygraph("PiecewiseDecay", boundaries, values, 0)
    with _schedule():
        step = _decay_step_counter()
        rate = _rate("learning_rate")
        with Switch() as switch:
            for boundary, value in zip(boundaries, values[:-1], strict=True):
                limit = _number(boundary, force_cpu=True)
                number = _number(value)
                with switch.case(step < limit):
                    _put(number, rate)
            last = _number(values[-1])
            with switch.default():
                _put(last, rate)
        return rate


def cosine_decay(learning_rate: Any, step_each_epoch: int, epochs: int) -> Any:
    """A rate that follows half a wave down to 0 and changes once per epoch.

    Args:
        learning_rate (float|Variable): the first rate.
        step_each_epoch (int): the steps of an epoch.
        epochs (int): the epochs until it is 0.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                out = fluid.layers.cosine_decay(0.1, step_each_epoch=100, epochs=20)
                print(out.shape)  # (1,)
    """
    if not recording():
        return _in_dygraph("CosineDecay", learning_rate, step_each_epoch, epochs)
    _check_numbers("cosine_decay", learning_rate=learning_rate)
    with _schedule():
        epoch = _layer("floor", _decay_step_counter() / step_each_epoch)
        return learning_rate * 0.5 * (_layer("cos", epoch * math.pi / epochs) + 1)


def linear_lr_warmup(learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float) -> Any:
    """A rate that grows in a straight line for some steps, and then is another one.

    Args:
        learning_rate (float|Variable): what it is after these steps.
        warmup_steps (int): how many.
        start_lr (float): what it grows from.
        end_lr (float): what it grows to.

    Returns:
        Variable: float32, of shape [1]; in dynamic mode a schedule.

    Examples:
        .. code-block:: python

            import paddle.fluid as fluid
            with fluid.program_guard(fluid.Program()):
                out = fluid.layers.linear_lr_warmup(0.1, warmup_steps=50, start_lr=0.0, end_lr=0.1)
                print(out.shape)  # (1,)
    """
    kind: Any = "float32"
    if isinstance(learning_rate, Variable):
        kind = learning_rate.dtype
    _check_numbers("linear_lr_warmup", warmup_steps=warmup_steps, start_lr=start_lr, end_lr=end_lr)
    slope = float(end_lr) - float(start_lr)
    if not recording():
        return _in_dygraph("LinearLrWarmup", learning_rate, warmup_steps, start_lr, end_lr)
    with _schedule():
        rate = _rate("learning_rate_warmup", kind)
        step = _decay_step_counter()
        with Switch() as switch:
            with switch.case(step < warmup_steps):
                _put(start_lr + slope * (step / float(warmup_steps)), rate)
            with switch.default():
                given = isinstance(learning_rate, Variable)
                _put(learning_rate if given else _number(float(learning_rate)), rate)
        return rate


guard_module(globals())
