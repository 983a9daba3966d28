"""What an optimizer remembers: accumulators, numbers of updates, and how both are saved."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor, wrap
from paddle.core.user_frame import outside
from paddle.ops.optimizer import lists as kernels
from paddle.optimizer.lr import LRScheduler

# Logarithm of a power of beta that float32 cannot hold: bias corrections are exactly 1 there.
_LAST_POWER = -104.0
_MASTER = re.compile(r"_fp32_master_\d+(?=_)")  # accumulators of a master copy carry its name


class OptimizerState(Guarded):
    """Base of :class:`Optimizer` that keeps, saves and loads state.

    Accumulators carry PaddlePaddle's names, ``<parameter>_<slot>_<number>``. The number of updates
    is kept as an int; it is saved as powers of beta, the way PaddlePaddle stores it.
    """

    # Accumulators of a subclass: slot -> initial value.
    _slots: dict[str, float] = {}
    # What the number of updates is saved as: slot -> setting that is the beta.
    _powers: dict[str, str] = {}
    _multi_precision = False
    # Attributes that count something and belong to the state of a training run.
    _counts: tuple[str, ...] = ()

    _name: str | None
    _learning_rate: Any
    _parameter_list: list[Tensor]
    _plans: dict[int, Any]
    _recorded: Any
    _group_of: Any

    def _start_state(self) -> None:
        self._accumulators: dict[str, dict[str, Tensor]] = {slot: {} for slot in self._slots}
        self._steps: dict[str, int] = {}
        self._master_weights: dict[str, Tensor] = {}
        self._exposed = False  # whether accumulators were handed out, so that views may exist

    # -- accumulators -----------------------------------------------------------------------------

    def _label(self, slot: str) -> str:
        """The slot's part of an accumulator's name."""
        return f"{self._name}_{slot}" if self._name else slot

    def _stem(self, param: Tensor) -> str:
        """The parameter's part of an accumulator's name: that of its master copy, if it has one."""
        return self._master_weight(param).name if self._has_master(param) else param.name

    def _accumulator(self, slot: str, param: Tensor) -> Tensor:
        """Returns one accumulator of a parameter, made when first needed."""
        found = self._accumulators[slot].get(param.name)
        if found is None:
            found = wrap(
                kernels.filled_like(param._buf, self._first(slot, param), self._has_master(param))
            )
            found.name = unique_name.generate(f"{self._stem(param)}_{self._label(slot)}")
            found.persistable = True
            self._accumulators[slot][param.name] = found
        elif found.shape != param.shape:
            raise PreconditionNotMetError(
                f"{type(self).__name__}: {found.name!r} has shape {found.shape}, but its parameter "
                f"{param.name!r} has shape {param.shape} now.",
                hint="give the optimizer to paddle.incubate.compress.prune(optimizer=...), or make "
                "a new one after the parameters have changed",
            )
        return found

    def resize_state(self, param: Tensor, change: Callable[[Tensor], object]) -> None:
        """Lets the accumulators of a parameter follow when its size changes.

        Args:
            param (Tensor): the parameter.
            change (callable): called with each accumulator, and with the master copy if there is
                one; changes it in place.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.Adam(parameters=linear.parameters())
                linear(paddle.ones([1, 2])).mean().backward()
                opt.step()
                opt.resize_state(linear.weight, lambda t: print(t.shape))  # [2, 2] twice
        """
        for held in (*self._accumulators.values(), self._master_weights):
            if param.name in held:
                change(held[param.name])
        self._plans.clear()

    def _has_master(self, param: Any) -> bool:
        """Whether a parameter, eager or of a Program, has a master copy in float32."""
        return self._multi_precision and param.dtype in (VarType.FP16, VarType.BF16)

    def _master_weight(self, param: Tensor) -> Tensor:
        found = self._master_weights.get(param.name)
        if found is None:
            with no_grad():
                found = param.astype("float32")
            found.name = unique_name.generate(f"{param.name}_fp32_master")
            self._master_weights[param.name] = found
        return found

    def _beta_of(self, power: str, param: Tensor) -> float:
        """The beta behind a saved power, for one parameter."""
        return self._group_of(param)[self._powers[power]]

    def _first(self, slot: str, param: Any) -> float:
        """The initial value of an accumulator."""
        return self._slots[slot]

    def _power_states(self, power: str) -> dict[str, Tensor]:
        """The powers of beta for the next update of each parameter, as PaddlePaddle saves them."""
        state = {}
        for param in self._parameter_list:
            steps = self._steps.get(param.name)
            if steps is not None:
                value = self._beta_of(power, param) ** (steps + 1)
                held = Tensor(np.array([value], "float32"))
                held.name = f"{self._stem(param)}_{self._label(power)}_0"
                state[held.name] = held
        return state

    def get_opti_var_name_list(self) -> list[str]:
        """Returns the names of the accumulators.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.Momentum(parameters=linear.parameters())
                linear(paddle.ones([1, 2])).mean().backward()
                opt.step()
                print(len(opt.get_opti_var_name_list()))  # 2
        """
        if self._recorded is not None:
            return list(self._recorded.accumulators)
        names = [t.name for held in self._accumulators.values() for t in held.values()]
        return names + [name for power in self._powers for name in self._power_states(power)]

    # -- saving -----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Returns everything needed to go on training: accumulators and the scheduler's state.

        Returns:
            dict: accumulator name -> Tensor, ``LR_Scheduler`` where the rate is a scheduler's, and
            ``master_weights`` where there are float32 copies. The accumulators are the optimizer's
            own, not copies.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.Adam(parameters=linear.parameters())
                print(opt.state_dict())  # {}: nothing before the first step
        """
        if self._recorded is not None:
            return self._recorded.state_dict()
        self._exposed = True
        state: dict[str, Any] = {}
        for held in self._accumulators.values():
            for param in self._parameter_list:
                if param.name in held:
                    state[held[param.name].name] = held[param.name]
        for power in self._powers:
            state.update(self._power_states(power))
        if self._master_weights:
            state["master_weights"] = dict(self._master_weights)
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    # -- loading ----------------------------------------------------------------------------------

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from the state of :meth:`state_dict`, saved or not.

        Entries that belong to no parameter, and accumulators without an entry, are warned about.

        Args:
            state_dict (dict): accumulator name -> Tensor or array.

        Raises:
            TypeError: not a dict.
            ValueError: an entry has another shape than the accumulator.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.Adam(parameters=linear.parameters())
                opt.set_state_dict(opt.state_dict())
        """
        if not isinstance(state_dict, dict):
            raise TypeError(
                f"set_state_dict(state_dict): expected a dict, got {type(state_dict).__name__}."
            )
        state = dict(state_dict)
        state.pop("StructuredToParameterName@@", None)
        self._load_scheduler(state)
        if self._recorded is not None:
            unknown, missing = self._recorded.set_state_dict(state)
            self._report(unknown, list(self._recorded.accumulators)[:3], missing)
            return
        for name, value in (state.pop("master_weights", None) or {}).items():
            self._load_master_weight(name, value)
        unknown, missing = self._load_accumulators(state)
        self._plans.clear()
        expected = [f"{self._stem(p)}_{self._label(s)}_0"
                    for p in self._parameter_list[:2] for s in self._slots]  # fmt: skip
        self._report(unknown, expected[:3], missing)

    set_dict = set_state_dict

    def _report(self, unknown: list[str], expected: list[str], missing: list[str]) -> None:
        if unknown:
            wanted = ", ".join(expected) or "none: this optimizer keeps no state"
            self._warn(f"{len(unknown)} entries belong to no parameter of this optimizer: "
                       f"{_shortened(unknown)}. Expected names like {wanted}.")  # fmt: skip
        if missing:
            self._warn(f"no entries for {len(missing)} accumulators, which stay as they are: "
                       f"{_shortened(missing)}.")  # fmt: skip

    def _warn(self, text: str) -> None:
        warnings.warn(f"{type(self).__name__}.set_state_dict: {text}", stacklevel=outside())

    def _load_scheduler(self, state: dict[str, Any]) -> None:
        scheduled = isinstance(self._learning_rate, LRScheduler)
        found = state.pop("LR_Scheduler", None)
        if found is not None and scheduled:
            self._learning_rate.set_state_dict(found)
        elif found is not None:
            self._warn("LR_Scheduler is not used: the learning rate is a float here.")
        elif scheduled and state:
            self._warn("no entry LR_Scheduler: the scheduler stays where it is.")

    def _load_master_weight(self, name: str, value: Any) -> None:
        params = [p for p in self._parameter_list if p.name == name]
        if not params:
            self._warn(f"master_weights has {name}, which is no parameter of this optimizer.")
        elif self._has_master(params[0]):
            _put(self._master_weight(params[0]), f"master_weights[{name!r}]", value)

    def _load_accumulators(self, state: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Puts values where their names say; returns unknown names, and what got no value."""
        owners = {p.name: p for p in self._parameter_list}
        loaded: dict[str, dict[str, Any]] = {}  # parameter -> slot -> value
        unknown = []
        for key, value in state.items():
            found = self._owner_of(key, owners)
            if found is None:
                unknown.append(key)
                continue
            slot, param = found
            loaded.setdefault(param.name, {})[slot] = value
            if slot in self._slots:
                _put(self._accumulator(slot, param), key, value)
            else:
                _check_power(key, value)
        missing = []
        for param in self._parameter_list:
            given = loaded.get(param.name, {})
            self._load_steps(param, given)
            for slot in (*self._slots, *self._powers):
                held = param.name in self._accumulators.get(slot, self._steps)
                if slot not in given and (given or (held and state)):
                    missing.append(f"{self._stem(param)}_{self._label(slot)}_0")
        return unknown, missing

    def _owner_of(self, key: str, owners: dict[str, Tensor]) -> tuple[str, Tensor] | None:
        """Splits ``linear_0.w_0_moment1_0`` into slot and parameter."""
        stem = _MASTER.sub("", str(key).rpartition("_")[0])
        for slot in (*self._slots, *self._powers):
            for label in (self._label(slot), slot):
                if stem.endswith(f"_{label}") and stem[: -len(label) - 1] in owners:
                    return slot, owners[stem[: -len(label) - 1]]
        return None

    def _load_steps(self, param: Tensor, given: dict[str, Any]) -> None:
        """Finds the number of updates again; the power that shrinks slowest is the most precise."""
        known = {self._beta_of(p, param): float(np.ravel(_array(given[p]))[0])
                 for p in self._powers if p in given}  # fmt: skip
        for beta in sorted(known, reverse=True):
            if beta > 0:
                power = math.log(known[beta]) if known[beta] > 0 else _LAST_POWER
                self._steps[param.name] = max(round(power / math.log(beta)) - 1, 0)
                return


def _array(value: Any) -> np.ndarray:
    return value.numpy() if isinstance(value, Tensor) else np.asarray(value)


def _put(held: Tensor, key: str, value: Any) -> None:
    """Sets an accumulator to a loaded value."""
    array = _array(value)
    if list(array.shape) != held.shape:
        raise InvalidArgumentError(
            f"set_state_dict: {key} has shape {list(array.shape)}, "
            f"but the optimizer expects {held.shape}."
        )
    held.set_value(array)


def _check_power(key: str, value: Any) -> None:
    array = _array(value)
    if array.size != 1 or not 0 <= float(array.ravel()[0]) <= 1:
        raise InvalidArgumentError(
            f"set_state_dict: {key} must be one number in [0, 1], a power of beta, "
            f"but it has shape {list(array.shape)} and value {array.ravel()[:4]}."
        )


def _shortened(names: list[str]) -> str:
    return ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")
