"""Optimizers in a static Program: variables for their state, and one operator per parameter.

What an optimizer keeps and with which settings it runs is declared once, by its class and its
rule; the rule also brings the operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.ir.block import Block
from paddle.ir.cloning import copy_variable
from paddle.ir.current import default_startup_program
from paddle.ir.operator import Operator
from paddle.ir.program import Program
from paddle.ir.variable import Variable
from paddle.ops.optimizer.rules import UpdateRule
from paddle.optimizer.lr import LRScheduler
from paddle.regularizer import L2Decay

if TYPE_CHECKING:
    from paddle.optimizer.optimizer import Optimizer

Pairs = list[tuple[Variable, Variable]]


class Recorded:
    """What one optimizer has put into Programs.

    Args:
        optimizer (Optimizer): whose settings and state are recorded.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.rate_name: str | None = None
        self._rate_starts: list[Operator] = []  # the operators that give the rate its first value
        self._programs: list[Program] = []
        self._names: dict[tuple[str, str], str] = {}  # (slot, parameter) -> accumulator
        self.accumulators: dict[str, Variable] = {}
        self.masters: dict[str, Variable] = {}  # parameter -> its copy in float32

    # -- the two halves of minimize ----------------------------------------------------------------

    def backward(self, loss: Variable, parameters: Any, no_grad_set: Any, callbacks: Any) -> Pairs:
        """Adds the gradient operators."""
        if list(loss.shape) not in ([1], []):
            raise InvalidArgumentError(
                f"{self._owner}.minimize(loss): expected shape [1], but {loss.name!r} has shape "
                f"{list(loss.shape)}.",
                hint="reduce it first, for instance by paddle.mean",
            )
        from paddle.ir.autodiff.backward import append_backward  # eager training does without

        chosen = self.optimizer._parameter_list or None if parameters is None else parameters
        return append_backward(loss, chosen, no_grad_set, callbacks)

    def apply(self, pairs: Any, startup: Program | None = None) -> list[Operator]:
        """Adds clipping, regularization and updates; returns the operators of the updates."""
        pairs = sorted(self._checked(pairs), key=lambda pair: pair[0].name)
        if not pairs:
            return []
        block = pairs[0][0].block.program.current_block()
        startup = default_startup_program() if startup is None else startup
        groups = [
            (g, [p for p in pairs if self.optimizer._group_of(p[0]) is g])
            for g in self.optimizer._param_groups
        ]
        decays: dict[str, Any] = {}
        final: Pairs = []
        for group, members in groups:
            if group["grad_clip"] is not None and members:
                members = group["grad_clip"](members)
            for param, grad in members:
                decay = group["weight_decay"] if param.regularizer is None else param.regularizer
                decays[param.name] = decay
                if decay is not None and self._folded(decay) is None:
                    with block.program._optimized_guard([param, grad]):
                        grad = decay(param, grad, block)
                final.append((param, grad))
        first = len(block.ops)
        self._update(block, startup, sorted(final, key=lambda pair: pair[0].name), decays)
        return block.ops[first:]

    @property
    def _owner(self) -> str:
        return type(self.optimizer).__name__

    def _checked(self, pairs: Any) -> Iterator[tuple[Variable, Variable]]:
        for pair in pairs:
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise TypeError(
                    f"{self._owner}.apply_gradients(params_grads): expected pairs (parameter, "
                    f"gradient), but it holds {type(pair).__name__}."
                )
            param, grad = pair
            if grad is None:
                continue
            if not isinstance(param, Variable) or not isinstance(grad, Variable):
                raise TypeError(
                    f"{self._owner}.apply_gradients(params_grads): expected Variables, but "
                    f"received {type(param).__name__} and {type(grad).__name__}."
                )
            yield param, grad

    # -- decay --------------------------------------------------------------------------

    def _folded(self, decay: Any) -> dict[str, Any] | None:
        """The attributes by which the operator adds a penalty itself; None where it cannot."""
        return self._rule().l2_settings(decay.coeff, True) if type(decay) is L2Decay else None

    def _rule(self) -> UpdateRule:
        if self.optimizer._rule is None:
            raise UnimplementedError(
                f"{self._owner} has no operator for static Programs.",
                hint="use one of the optimizers of paddle.optimizer",
            )
        return self.optimizer._rule

    # -- updates -----------------------------------------------------------------------------------

    def _update(self, block: Block, startup: Program, pairs: Pairs, decays: dict) -> None:
        program = block.program
        rate = self._rate(program, startup)
        rule, known = self._rule(), self._rule().op
        taken, written = {s.name for s in known.inputs}, {s.writes for s in known.outputs}
        scaled: dict[float, Variable] = {1.0: rate}
        after: list[tuple[Variable, Variable, Variable, float]] = []
        for param, grad in pairs:
            group = self.optimizer._group_of(param)
            own = getattr(param, "optimize_attr", None) or {}
            factor = group["learning_rate"] * float(own.get("learning_rate", 1.0))
            if factor not in scaled:
                scaled[factor] = _scaled(block, rate, factor)
            inputs = {"Param": param, "Grad": grad, "LearningRate": scaled[factor]}
            inputs |= self._state(param, program, startup)
            outputs = {s.name: inputs[s.writes] for s in known.outputs if s.writes in inputs}
            attrs = self._attrs(rule, param, group, decays.get(param.name))
            with program._optimized_guard([param, grad]):
                block.append_op(
                    known.name, {k: v for k, v in inputs.items() if k in taken}, outputs, attrs
                )
            after += [
                (param, grad, inputs[rule.slots[power]], group[beta])
                for power, beta in rule.powers.items()
                if rule.slots[power] not in written
            ]
        for param, grad, power, beta in after:  # powers that the operator leaves alone
            with program._optimized_guard([param, grad]):
                block.append_op("scale", {"X": power}, {"Out": power}, {"scale": beta})

    def _attrs(self, rule: UpdateRule, param: Variable, group: dict, decay: Any) -> dict[str, Any]:
        optimizer = self.optimizer
        given = optimizer._settings(param, group) | (self._folded(decay) or {})
        given["lazy_mode"] = optimizer._lazy_mode
        given["multi_precision"] = optimizer._has_master(param)
        attrs = {name: given.get(name, default) for name, default in rule.op.attrs.items()}
        if not attrs.get("multi_precision"):
            attrs.pop("multi_precision", None)  # which releases before 2.1 do not know
        return attrs

    # -- state -------------------------------------------------------------------------------------

    def _state(self, param: Variable, program: Program, startup: Program) -> dict[str, Variable]:
        """The accumulators of a parameter by operator slot."""
        optimizer, rule = self.optimizer, self._rule()
        found, dtype = {}, param.dtype
        if optimizer._has_master(param):
            found["MasterParam"] = self._master(param, program, startup)
            dtype = VarType.FP32
        for state in rule.states:
            start = optimizer._first(state, param)
            found[rule.slots[state]] = self._variable(state, param, list(param.shape), dtype, start,
                                                      program, startup)  # fmt: skip
        group = optimizer._group_of(param)
        for power, beta in rule.powers.items():
            found[rule.slots[power]] = self._variable(power, param, [1], VarType.FP32, group[beta],
                                                      program, startup)  # fmt: skip
        return found

    def _master(self, param: Variable, program: Program, startup: Program) -> Variable:
        """The master copy; the startup program casts the parameter's first value."""
        held = self.masters.get(param.name)
        name = unique_name.generate(f"{param.name}_fp32_master") if held is None else held.name
        info = {"name": name, "shape": list(param.shape), "dtype": VarType.FP32,
                "persistable": True, "stop_gradient": True}  # fmt: skip
        made = program.global_block().create_var(**info, belong_to_optimizer=True)
        top = startup.global_block()
        if not top.has_var(name):
            if not top.has_var(param.name):
                copy_variable(param, top)
            attrs = {"in_dtype": int(param.dtype), "out_dtype": int(VarType.FP32)}
            top.append_op("cast", {"X": param.name}, {"Out": top.create_var(**info)}, attrs)
        self.masters[param.name] = made
        return made

    def _variable(self, slot: str, param: Variable, shape: list[int], dtype: Any, start: float,
                  program: Program, startup: Program) -> Variable:  # fmt: skip
        key = slot, param.name
        if key not in self._names:
            label = self.optimizer._label(slot)
            mastered = self.optimizer._has_master(param)
            stem = self.masters[param.name].name if mastered else param.name
            self._names[key] = unique_name.generate(f"{stem}_{label}")
        made = _persistable(program, startup, self._names[key], shape, dtype, start)[0]
        self.accumulators[made.name] = made
        return made

    def _rate(self, program: Program, startup: Program) -> Variable:
        """The variable that holds the learning rate in a Program."""
        if self.rate_name is None:
            self.rate_name = unique_name.generate("learning_rate")
        rate = self.optimizer._learning_rate
        made, op = _persistable(
            program, startup, self.rate_name, [1], VarType.FP32, self.optimizer.get_lr(), True
        )
        if op is not None:
            self._rate_starts.append(op)
        if not any(p is program for p in self._programs):
            self._programs.append(program)
        if isinstance(rate, LRScheduler):
            self.follow(rate)
        return made

    def follow(self, scheduler: LRScheduler) -> None:
        """Lets the Executor take the rate from a scheduler before every run."""
        for program in self._programs:
            program.__dict__.setdefault("_lr_schedulers", {})[self.rate_name] = scheduler

    def set_rate(self, value: float) -> None:
        """Changes the rate where it is stored, and what startup programs will store."""
        from paddle.executor.scope import global_scope

        for op in self._rate_starts:
            op._set_attr("value", value)
            op._set_attr("str_value", repr(value))
        held = None if self.rate_name is None else global_scope().find_var(self.rate_name)
        if held is not None and held.is_initialized():
            held.get_tensor().set(np.full([1], value, "float32"))

    def state_dict(self) -> dict[str, Any]:
        """The values that the global scope holds for the accumulators."""
        from paddle.executor.scope import global_scope

        def values(variables: dict[str, Variable]) -> dict[str, Any]:
            found = {key: global_scope().find_var(var.name) for key, var in variables.items()}
            return {
                key: variables[key].get_value()
                for key, held in found.items()
                if held is not None and held.is_initialized()
            }

        state = values(self.accumulators)
        masters = values(self.masters)
        if masters:
            state["master_weights"] = masters
        if isinstance(self.optimizer._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self.optimizer._learning_rate.state_dict()
        return state

    def set_state_dict(self, state: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Puts values into the global scope; returns unknown names, and what got no value."""
        unknown, given = [], set()
        for name, value in (state.pop("master_weights", None) or {}).items():
            if name in self.masters:
                self.masters[name].set_value(value)
            else:
                unknown.append(f"master_weights[{name!r}]")
        for key, value in state.items():
            name = key if key in self.accumulators else self._renumbered(key)
            if name in self.accumulators:
                self.accumulators[name].set_value(value)
                given.add(name)
            elif key != self.rate_name:
                unknown.append(key)
        missing = [n for n in self.accumulators if n not in given]
        return unknown, missing if state else []

    def _renumbered(self, key: str) -> str | None:
        """The accumulator that another optimizer of the same parameters calls ``key``.

        The number at the end of a name counts the optimizers of a process.
        """
        owners: Any = {param: param for _, param in self._names}
        found: Any = self.optimizer._owner_of(key, owners)
        return None if found is None else self._names.get(found)


def only_dynamic(optimizer: Optimizer, api: str) -> Exception:
    """The error for what makes no sense where updates are operators of a Program."""
    return PreconditionNotMetError(
        f"{type(optimizer).__name__}.{api}: this optimizer works on static Programs.",
        hint="minimize(loss) adds the updates to the Program; Executor.run does them",
    )


def check_startup(api: str, startup: Any) -> None:
    """Checks the argument startup_program."""
    if startup is not None and not isinstance(startup, Program):
        raise TypeError(
            f"{api}(startup_program): expected a Program, but received {type(startup).__name__}."
        )


def _scaled(block: Block, rate: Variable, factor: float) -> Variable:
    """The learning rate times a factor."""
    made = block.create_var(
        name=unique_name.generate("tmp"), shape=rate.shape, dtype=rate.dtype, stop_gradient=True
    )
    with block.program._lr_schedule_guard(is_with_opt=True):
        block.append_op("scale", {"X": rate}, {"Out": made}, {"scale": factor})
    return made


def _persistable(program: Program, startup: Program, name: str, shape: list[int], dtype: Any,
                 start: float, stop: bool = False) -> tuple[Variable, Operator | None]:  # fmt: skip
    """Makes a variable that lives in the scope, and the operator that gives its first value."""
    info = {"name": name, "shape": shape, "dtype": dtype, "persistable": True}
    made = program.global_block().create_var(
        **info, stop_gradient=True, belong_to_optimizer=not stop
    )
    top = startup.global_block()
    if top.has_var(name):
        return made, None
    there = top.create_var(**info, stop_gradient=True)
    attrs = {"shape": shape, "dtype": int(dtype), "value": float(start), "str_value": repr(start)}
    return made, top.append_op("fill_constant", {}, {"Out": there}, attrs)
