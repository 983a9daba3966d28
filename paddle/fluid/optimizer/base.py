"""Optimizer of 1.x: the arguments of 1.8.5, and the Programs that it writes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.mode import recording
from paddle.core.tensor import Tensor
from paddle.executor.scope import global_scope
from paddle.fluid.clip import append_gradient_clip_ops
from paddle.fluid.recording import persistable, temporary
from paddle.fluid.regularizer import append_regularization_ops
from paddle.ir.autodiff.backward import append_backward
from paddle.ir.block import Block
from paddle.ir.current import default_main_program, default_startup_program, program_guard
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ir.versions import RELEASE, V1_8
from paddle.nn.clip import ClipGradBase
from paddle.optimizer.lr import LRScheduler
from paddle.optimizer.optimizer import Optimizer as Optimizer2
from paddle.regularizer import WeightDecayRegularizer
from paddle.tensor.creation import to_tensor

__all__ = ["Optimizer"]

# Attributes that operators of later releases have.
_LATER = ("regularization_method", "regularization_coeff", "rescale_grad", "multi_precision")


class Optimizer(Optimizer2):
    """Base of the optimizers of 1.x, for Programs and for dygraph.

    An optimizer of one's own overrides ``_create_accumulators(block, parameters)``,
    ``_append_optimize_op(block, param_and_grad)`` and ``_finish_update(block,
    parameters_and_grads)``, which are called when it adds to a Program.

    Args:
        learning_rate (float|Variable|LearningRateDecay): the step size.
        parameter_list (list, optional): what to train; dygraph needs it.
        regularization (WeightDecayRegularizer, optional): for parameters without one of their own.
        grad_clip (GradientClipBase, optional): clips the gradients before.
        name (str, optional): becomes a part of the accumulators' names.

    Raises:
        TypeError: an argument of another type.
        AttributeError: dygraph without ``parameter_list``.
    """

    # Settings of the rule by attribute, where the operator of 1.x has more.
    _further_attrs: dict[str, Any] = {}

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        owner = type(self).__name__
        _check(owner, learning_rate, regularization, grad_clip)
        given = None if parameter_list is None else list(parameter_list)
        static = recording()
        super().__init__(0.0, None if static else given, regularization, grad_clip, name)
        if static:
            self._parameter_list = given or []
        self._learning_rate = _rate(learning_rate)
        self._learning_rate_map: dict[Any, Any] = {}
        self._startup: Program | None = None
        self._dtype: Any = None
        if isinstance(learning_rate, Variable):
            self._learning_rate_map[id(default_main_program())] = learning_rate
        self.type = getattr(self, "type", None)

    # -- the learning rate ----------------------------------------------------------------------

    def get_lr(self) -> float:
        """Returns the rate of the next step; a schedule of dygraph counts a step by this."""
        rate = self._learning_rate
        if isinstance(rate, (float, LRScheduler)):
            return super().get_lr()
        if isinstance(rate, Variable):
            raise TypeError(
                f"{type(self).__name__}: expected a float or a LearningRateDecay in dygraph mode, "
                f"but learning_rate is the Variable {rate.name!r}."
            )
        self._last_rate = _as_float(rate())
        return self._last_rate

    def current_step_lr(self) -> Any:
        """Returns the learning rate of the current step, as a float.

        Examples:
            .. code-block:: python

                import paddle.fluid as fluid
                with fluid.dygraph.guard():
                    linear = fluid.dygraph.Linear(2, 2)
                    opt = fluid.optimizer.SGD(0.5, parameter_list=linear.parameters())
                    print(opt.current_step_lr())  # 0.5
        """
        rate = self._learning_rate
        if isinstance(rate, float):
            return rate
        if isinstance(rate, LRScheduler):
            return rate()
        if isinstance(rate, Variable):
            return _as_float(_value_of(rate))
        return _as_float(rate.step())

    def set_lr(self, value: Any) -> None:
        """Sets the learning rate.

        Args:
            value (float|Variable): the new rate; a Variable only for Programs.
        """
        if not isinstance(value, (float, int, Variable)) or isinstance(value, bool):
            raise TypeError(
                f"{type(self).__name__}.set_lr(value): expected a float or a Variable, "
                f"but received {type(value).__name__}."
            )
        if not isinstance(self._learning_rate, (float, Variable)):
            raise RuntimeError(
                "set_lr: the learning rate is a schedule's, which cannot be set; change the "
                "schedule, or give the optimizer a float."
            )
        if isinstance(value, Variable):
            self._learning_rate_map[id(default_main_program())] = value
            self._learning_rate = value
            return
        self._learning_rate = float(value)
        if self._recorded is not None:
            for var in self._learning_rate_map.values():
                _put_value(var, float(value))

    def _global_learning_rate(self, program: Program | None = None) -> Any:
        """The Variable that holds the learning rate in a Program; None: there is none yet."""
        program = default_main_program() if program is None else program
        return self._learning_rate_map.get(id(program))

    def _create_global_learning_rate(self) -> None:
        program = default_main_program()
        rate = self._learning_rate
        if id(program) in self._learning_rate_map:
            return
        if isinstance(rate, Variable):
            raise TypeError(
                f"{type(self).__name__}(learning_rate): expected a Variable of the Program that "
                f"is trained, but {rate.name!r} belongs to another one."
            )
        start = rate if isinstance(rate, float) else float(rate())
        self._learning_rate_map[id(program)] = made = persistable(
            unique_name.generate("learning_rate"), [1], self._dtype or VarType.FP32, start
        )
        self._kept_programs = [*getattr(self, "_kept_programs", []), program]
        if isinstance(rate, LRScheduler):
            program.__dict__.setdefault("_lr_schedulers", {})[made.name] = rate

    def _create_param_lr(self, param_and_grad: tuple) -> Variable:
        """The learning rate of one parameter, with the factor in its ParamAttr."""
        rate = self._global_learning_rate()
        factor = param_and_grad[0].optimize_attr["learning_rate"]
        if isinstance(factor, Variable):
            return factor
        if factor == 1.0:
            return rate
        program = default_main_program()
        made = temporary(program.current_block(), rate)
        with program._lr_schedule_guard(is_with_opt=True):
            program.current_block().append_op(
                "scale", {"X": rate}, {"Out": made}, {"scale": float(factor)}
            )
        return made

    # -- accumulators of a Program --------------------------------------------------------------

    def _add_accumulator(
        self, name: str, param: Variable, dtype: Any = None, fill_value: float = 0.0,
        shape: Any = None, type: Any = None, device: Any = None,
    ) -> Variable:  # fmt: skip
        """Makes the variable in which an accumulator of a parameter is kept."""
        made = persistable(
            unique_name.generate(f"{param.name}_{self._label(name)}"),
            list(param.shape) if shape is None else list(shape),
            param.dtype if dtype is None else dtype,
            fill_value,
            belongs=True,
        )
        self._recorded._names[name, param.name] = made.name
        self._recorded.accumulators[made.name] = made
        return made

    def _get_accumulator(self, name: str, param: Any) -> Any:
        """An accumulator of a parameter, of a Program or eager."""
        if self._recorded is None:
            return self._accumulator(name, param)
        block = default_main_program().global_block()
        return block.var(self._recorded._names[name, param.name])

    def _create_accumulators(self, block: Block, parameters: Any) -> None:
        """Makes the accumulators of some parameters."""
        rule = self._rule
        if rule is None:
            return
        for param in parameters:
            if any((s, param.name) in self._recorded._names for s in rule.slots):
                self._repeat_accumulators(param)
                continue
            for state in rule.states:
                self._add_accumulator(state, param, fill_value=self._first(state, param))
            for power, beta in rule.powers.items():
                start = self._group_of(param)[beta]
                self._add_accumulator(power, param, fill_value=start, shape=[1])

    def _repeat_accumulators(self, param: Variable) -> None:
        """The accumulators of a parameter that was trained in another Program before."""
        for slot in self._required_rule().slots:
            held = self._recorded.accumulators[self._recorded._names[slot, param.name]]
            start = self._group_of(param)[self._powers[slot]] if slot in self._powers else None
            persistable(
                held.name, list(held.shape), held.dtype,
                self._first(slot, param) if start is None else start, belongs=True,
            )  # fmt: skip

    def _append_optimize_op(self, block: Block, param_and_grad: tuple) -> Operator:
        """Adds the operator that updates one parameter."""
        param, grad = param_and_grad
        rule = self._required_rule()
        known = rule.op
        inputs = {"Param": param, "Grad": grad}
        if self._takes_rate:
            inputs["LearningRate"] = self._create_param_lr((param, grad))
        inputs |= {slot: self._get_accumulator(s, param) for s, slot in rule.slots.items()}
        written = {s.name: s.writes or s.name.removesuffix("Out") for s in known.outputs}
        if not self._counts_powers:
            slots = {rule.slots[power] for power in rule.powers}
            written = {name: source for name, source in written.items() if source not in slots}
        outputs = {name: inputs[source] for name, source in written.items() if source in inputs}
        settings = self._settings(param, self._group_of(param)) | self._further_attrs
        if "lazy_mode" in known.attrs:
            settings["lazy_mode"] = self._lazy_mode
        attrs = {k: v for k, v in settings.items() if k not in _LATER or k in self._later_attrs}
        made = block.append_op(known.name, inputs, outputs, attrs)
        made.attrs[RELEASE] = V1_8
        return made

    _takes_rate = True
    _later_attrs: tuple[str, ...] = ()
    _counts_powers = True

    def _finish_update(self, block: Block, parameters_and_grads: Any) -> None:
        """Adds what comes behind the updates: powers of beta that the operator leaves alone."""
        rule = self._rule
        if rule is None or not self._counts_powers:
            return
        written = {s.writes for s in rule.op.outputs}
        for param, grad in parameters_and_grads:
            if grad is None or not param.trainable:
                continue
            for power, beta in rule.powers.items():
                if rule.slots[power] in written:
                    continue
                held = self._get_accumulator(power, param)
                with param.block.program._optimized_guard([param, grad]):
                    block.append_op(
                        "scale", {"X": held}, {"Out": held}, {"scale": self._group_of(param)[beta]}
                    )

    def _create_optimization_pass(self, parameters_and_grads: list) -> list[Operator]:
        """Adds the updates of all parameters; returns their operators."""
        program = default_main_program()
        block = program.current_block()
        start = len(block.ops)
        trained = [p for p, _ in parameters_and_grads if p.trainable]
        self._create_accumulators(block, trained)
        self._create_global_learning_rate()
        for pair in parameters_and_grads:
            if pair[1] is None:
                continue
            with program._optimized_guard(pair):
                if pair[0].trainable:
                    self._append_optimize_op(block, pair)
        self._finish_update(block, parameters_and_grads)
        return block.ops[start:]

    # -- minimize and its parts -----------------------------------------------------------------

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Adds backward and updates to a Program; in dygraph, updates by the gradients there are.

        Args:
            loss (Variable): what is minimised. In dygraph ``loss.backward()`` comes before.
            startup_program (Program, optional): gets the operators that fill accumulators; None
                means the default one.
            parameter_list (list, optional): Variables or names; update only these.
            no_grad_set (set, optional): Variables or names without a gradient.

        Returns:
            tuple: the operators of the updates (none in dygraph), and the pairs (parameter,
            gradient).

        Raises:
            AssertionError: the loss is not one number.

        Examples:
            .. code-block:: python

                import paddle
                import paddle.fluid as fluid
                paddle.enable_static()
                with fluid.program_guard(fluid.Program(), fluid.Program()):
                    x = fluid.data("x", [None, 3], "float32")
                    w = fluid.layers.create_parameter([3, 1], "float32")
                    loss = paddle.mean(paddle.matmul(x, w))
                    ops, pairs = fluid.optimizer.SGD(0.1).minimize(loss)
                    print([op.type for op in ops])  # ['sgd']
                paddle.disable_static()
        """
        if not isinstance(loss, (Variable, Tensor)):
            raise TypeError(
                f"{type(self).__name__}.minimize(loss): expected a Variable, "
                f"but received {type(loss).__name__}."
            )
        chosen = parameter_list if parameter_list else (self._parameter_list or None)
        pairs = self.backward(loss, startup_program, chosen, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs

    def backward(  # type: ignore[override]
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Adds the gradient operators to a Program; in dygraph returns the gradients there are.

        Args:
            loss (Variable): where to start.
            startup_program (Program, optional): not changed by this half.
            parameter_list (list, optional): Variables or names; only these.
            no_grad_set (set, optional): Variables or names without a gradient.
            callbacks (list[callable], optional): called after each operator that is added.

        Returns:
            list: pairs (parameter, gradient).
        """
        if isinstance(loss, Tensor):
            listed = self._parameter_list if parameter_list is None else list(parameter_list)
            names = {p if isinstance(p, str) else p.name for p in listed}
            return self._pairs("backward", names, no_grad_set)
        shape = list(loss.shape)
        assert shape in ([1], []), (
            f"{type(self).__name__}: the loss must have the shape [1], but {loss.name!r} has "
            f"{shape}; reduce it first, for instance by fluid.layers.mean."
        )
        self._dtype = loss.dtype
        chosen = parameter_list if parameter_list else (self._parameter_list or None)
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            pairs = append_backward(loss, chosen, no_grad_set, callbacks)
            self._append_dgc_ops(pairs)
        return pairs

    def _append_dgc_ops(self, param_and_grads: list) -> None:
        """Called behind backward; see DGCMomentumOptimizer."""

    def apply_gradients(self, params_grads: list) -> list:
        """Adds clipping, regularization and updates for given gradients; in dygraph updates.

        Args:
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates; none in dygraph.
        """
        if self._recorded is None:
            return super().apply_gradients(params_grads)
        pairs = sorted(params_grads, key=lambda pair: pair[0].name)
        with _recorded_in(pairs):
            pairs = self._grad_clip(pairs) if self._grad_clip else append_gradient_clip_ops(pairs)
            pairs = append_regularization_ops(pairs, self.regularization)
            return self._create_optimization_pass(pairs)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list) -> list:
        """The second half of :meth:`minimize`.

        Args:
            loss (Variable): the loss that the gradients are of.
            startup_program (Program, optional): gets what fills accumulators.
            params_grads (list): pairs (parameter, gradient).

        Returns:
            list: the operators of the updates; none in dygraph.
        """
        if isinstance(loss, Tensor):
            return self.apply_gradients(params_grads)
        with program_guard(loss.block.program, startup_program or default_startup_program()):
            return self.apply_gradients(params_grads)

    # -- state ----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns the accumulators, and the step of a schedule as ``global_step``."""
        state = super().state_dict()
        rate = self._learning_rate
        if hasattr(rate, "create_lr_var"):  # a schedule of dygraph
            state.update(_schedule_state(rate))
        return state

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state; see :meth:`state_dict`.

        Args:
            state_dict (dict): accumulator name -> Tensor or array.
        """
        rate = self._learning_rate
        state = dict(state_dict)
        if hasattr(rate, "create_lr_var"):
            _load_schedule(rate, state)
        else:
            state.pop("global_step", None)
        super().set_state_dict(state)

    set_state_dict = set_dict

    @property
    def _opti_name_list(self) -> list[str]:
        return self.get_opti_var_name_list()


@contextlib.contextmanager
def _recorded_in(pairs: list) -> Iterator[None]:
    """Makes the Program of the gradients the default one."""
    programs = [p.block.program for p, _ in pairs]
    if not programs or programs[0] is default_main_program():
        yield
        return
    with program_guard(programs[0], default_startup_program()):
        yield


def _check(owner: str, rate: Any, regularization: Any, clip: Any) -> None:
    static = recording()
    number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    schedule = isinstance(rate, LRScheduler) or (hasattr(rate, "create_lr_var") and callable(rate))
    if not (number or isinstance(rate, LRScheduler) or (isinstance(rate, Variable) and static)
            or (schedule and not static)):  # fmt: skip
        wanted = "a float or a Variable" if static else "a float or a LearningRateDecay"
        raise TypeError(
            f"{owner}(learning_rate): expected {wanted}, but received {type(rate).__name__}."
        )
    if regularization is not None and not isinstance(regularization, WeightDecayRegularizer):
        raise TypeError(
            f"{owner}(regularization): expected an L1Decay or L2Decay, "
            f"but received {type(regularization).__name__}."
        )
    if clip is not None and not isinstance(clip, ClipGradBase):
        raise TypeError(
            f"{owner}(grad_clip): expected an instance of a class derived from GradientClipBase, "
            f"but received {type(clip).__name__}."
        )


def _rate(given: Any) -> Any:
    return float(given) if isinstance(given, int) else given


def _as_float(value: Any) -> float:
    if isinstance(value, Tensor):
        return float(value.numpy().reshape(-1)[0])
    return float(value)


def _value_of(var: Variable) -> Any:
    held = global_scope().find_var(var.name)
    if held is None or not held.is_initialized():
        raise RuntimeError(
            f"current_step_lr: {var.name!r} has no value yet; run the Program first."
        )
    return held.get_tensor().numpy().reshape(-1)[0]


def _put_value(var: Variable, value: float) -> None:
    held = global_scope().find_var(var.name)
    if held is not None and held.is_initialized():
        held.get_tensor().set(np.full([1], value, "float32"))


def _schedule_state(rate: Any) -> dict[str, Any]:
    """What the state of a schedule of dygraph is saved as."""
    if hasattr(rate, "epoch"):  # it counts epochs
        return {"LR_Scheduler": rate.state_dict()}
    held = to_tensor(np.array([rate.step_num], "int32"))
    return {"LR_Scheduler": rate.state_dict(), "global_step": held}


def _load_schedule(rate: Any, state: dict[str, Any]) -> None:
    step = state.pop("global_step", None)
    saved = state.pop("LR_Scheduler", None)
    if saved is not None:
        rate.set_dict(saved)
    elif step is not None:
        rate.step_num = int(_as_float(step))
