"""Optimizer: parameters, their state, and one step over all of them."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import no_grad
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor, wrap, writable
from paddle.nn.clip import ClipGradBase
from paddle.ops import optimizer as kernels
from paddle.optimizer.lr import LRScheduler
from paddle.regularizer import L2Decay, WeightDecayRegularizer

__all__ = ["Optimizer"]


class Optimizer:
    """Base of all optimizers; a subclass names its state and writes one update over lists.

    Args:
        learning_rate (float|LRScheduler): the step size.
        parameters (list[Tensor]|list[dict]): what to train. A dict is a group: ``params`` and any
            of ``learning_rate`` (a factor), ``weight_decay``, ``grad_clip``.
        weight_decay (float|L1Decay|L2Decay, optional): a float means L2Decay. A regularizer in a
            parameter's ParamAttr goes before it.
        grad_clip (ClipGradByGlobalNorm|ClipGradByNorm|ClipGradByValue, optional): applied first.
        name (str, optional): not used in dynamic mode.

    Examples:
        .. code-block:: python

            import paddle
            linear = paddle.nn.Linear(10, 10)
            opt = paddle.optimizer.Adam(learning_rate=0.1, parameters=linear.parameters())
            loss = paddle.mean(linear(paddle.rand([10, 10])))
            loss.backward()
            opt.step()
            opt.clear_grad()
    """

    # Accumulators of a subclass: name -> initial value.
    _slots: dict[str, float] = {}
    _folds_l2 = False  # the update can add an L2 penalty by itself

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._check_learning_rate(learning_rate)
        self._learning_rate = learning_rate
        self.regularization = self._as_decay(weight_decay)
        if grad_clip is not None and not isinstance(grad_clip, ClipGradBase):
            raise TypeError(
                f"{type(self).__name__}(grad_clip): expected ClipGradByGlobalNorm, ClipGradByNorm "
                f"or ClipGradByValue, but received {type(grad_clip).__name__}."
            )
        self._grad_clip = grad_clip
        self._name = name
        self._param_groups = self._as_groups(parameters)
        self._parameter_list = [p for g in self._param_groups for p in g["params"]]
        self._accumulators: dict[str, dict[str, Tensor]] = defaultdict(dict)
        self._accumulator_names: dict[tuple[str, str], str] = {}
        self._steps: dict[str, int] = {}
        self._waiting: dict[str, Any] = {}  # state loaded before the accumulators existed
        self._master_weights: dict[str, Tensor] = {}

    # -- arguments --------------------------------------------------------------------------------

    def _check_learning_rate(self, value: Any) -> None:
        if isinstance(value, LRScheduler):
            return
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise TypeError(
                f"{type(self).__name__}(learning_rate): expected a float or an LRScheduler, "
                f"but received {type(value).__name__}."
            )
        if not math.isfinite(value):
            raise InvalidArgumentError(
                f"{type(self).__name__}(learning_rate): expected a finite number, got {value}."
            )

    def _as_decay(self, value: Any) -> WeightDecayRegularizer | None:
        if value is None or isinstance(value, WeightDecayRegularizer):
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                f"{type(self).__name__}(weight_decay): expected a float, L1Decay or L2Decay, "
                f"but received {type(value).__name__}."
            )
        return L2Decay(value)

    def _as_groups(self, parameters: Any) -> list[dict[str, Any]]:
        api = f"{type(self).__name__}(parameters)"
        if parameters is None:
            raise AttributeError(
                f"{api}: expected a list of parameters, for instance layer.parameters(), "
                "but received None; dynamic mode needs it."
            )
        if isinstance(parameters, (Tensor, str, dict)):
            raise TypeError(
                f"{api}: expected a list of Tensors, but received {type(parameters).__name__}."
            )
        listed = list(parameters)
        if not listed:
            raise InvalidArgumentError(
                f"{api}: expected at least one parameter, got an empty list."
            )
        raw = listed if isinstance(listed[0], dict) else [{"params": listed}]
        groups, seen = [], set()
        for group in raw:
            if not isinstance(group, dict) or "params" not in group:
                raise TypeError(f"{api}: every group must be a dict with the key 'params'.")
            params = group["params"]
            params = [params] if isinstance(params, Tensor) else list(params)
            for p in params:
                if not isinstance(p, Tensor):
                    raise TypeError(f"{api}: expected Tensors, but it holds {type(p).__name__}.")
                if id(p) in seen:
                    raise InvalidArgumentError(f"{api}: parameter {p.name} is given twice.")
                seen.add(id(p))
            groups.append(self._as_group({**group, "params": params}))
        return groups

    def _as_group(self, group: dict[str, Any]) -> dict[str, Any]:
        known = {"params", "learning_rate", "weight_decay", "grad_clip", *self._group_options()}
        unknown = set(group) - known
        if unknown:
            raise InvalidArgumentError(
                f"{type(self).__name__}(parameters): a group has unknown keys {sorted(unknown)}; "
                f"expected some of {sorted(known)}."
            )
        if "weight_decay" in group:
            group["decay"] = self._group_decay(group["weight_decay"])
        return group

    def _group_options(self) -> tuple[str, ...]:
        """Hyper-parameters that a group may set for itself."""
        return ()

    def _group_decay(self, value: Any) -> Any:
        return self._as_decay(value)

    # -- learning rate ----------------------------------------------------------------------------

    def get_lr(self) -> float:
        """Returns the current learning rate.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                print(paddle.optimizer.SGD(0.5, linear.parameters()).get_lr())  # 0.5
        """
        rate = self._learning_rate
        return float(rate()) if isinstance(rate, LRScheduler) else float(rate)

    def set_lr(self, value: float) -> None:
        """Sets the learning rate.

        Args:
            value (float): the new rate.

        Raises:
            RuntimeError: the rate is a scheduler's.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.5, linear.parameters())
                opt.set_lr(0.1)
                print(opt.get_lr())  # 0.1
        """
        if isinstance(self._learning_rate, LRScheduler):
            raise PreconditionNotMetError(
                "set_lr: the learning rate is an LRScheduler's, which cannot be set.",
                hint="change the scheduler, or give the optimizer a float",
            )
        self._check_learning_rate(value)
        self._learning_rate = value

    def set_lr_scheduler(self, scheduler: LRScheduler) -> None:
        """Lets a scheduler set the learning rate from now on.

        Args:
            scheduler (LRScheduler): the scheduler.
        """
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(
                f"set_lr_scheduler: expected an LRScheduler, got {type(scheduler).__name__}."
            )
        self._learning_rate = scheduler

    # -- state ------------------------------------------------------------------------------------

    def _accumulator(self, name: str, param: Tensor) -> Tensor:
        """Returns one accumulator of a parameter, made (or taken from loaded state) when needed."""
        found = self._accumulators[name].get(param.name)
        if found is None:
            found = wrap(kernels.zeros_for(param._buf, self._slots[name], self._master(param)))
            full = unique_name.generate(f"{param.name}_{name}")
            found.name = full
            found.persistable = True
            if full in self._waiting:
                found.set_value(self._waiting.pop(full))
            self._accumulators[name][param.name] = found
            self._accumulator_names[name, param.name] = full
        return found

    def _master(self, param: Tensor) -> bool:
        """Whether a parameter of low precision has its master copy in float32."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Returns everything needed to go on training: accumulators and the scheduler's state.

        Returns:
            dict: accumulator name -> Tensor, and ``LR_Scheduler`` where the rate is a scheduler's.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.Adam(parameters=linear.parameters())
                print(opt.state_dict())  # {}: nothing before the first step
        """
        state: dict[str, Any] = {}
        for param in self._parameter_list:
            for slot in self._slots:
                held = self._accumulators[slot].get(param.name)
                if held is not None:
                    state[held.name] = held
            state.update(self._counter_state(param))
        if self._master_weights:
            state["master_weights"] = dict(self._master_weights)
        if isinstance(self._learning_rate, LRScheduler):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def _counter_state(self, param: Tensor) -> dict[str, Tensor]:
        """State that is derived from the number of updates; see Adam."""
        return {}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from the state of :meth:`state_dict`, saved or not.

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
        scheduler = state.pop("LR_Scheduler", None)
        if scheduler is not None and isinstance(self._learning_rate, LRScheduler):
            self._learning_rate.set_state_dict(scheduler)
        for name, value in (state.pop("master_weights", None) or {}).items():
            self._master_weights[name] = value if isinstance(value, Tensor) else Tensor(value)
        state.pop("StructuredToParameterName@@", None)
        unknown = self._load_accumulators(state)
        if unknown:
            warnings.warn(
                f"{type(self).__name__}.set_state_dict: {len(unknown)} entries belong to no "
                f"parameter of this optimizer: {', '.join(unknown[:8])}"
                f"{', ...' if len(unknown) > 8 else ''}. Expected names like "
                f"{self._expected_names()}.",
                stacklevel=2,
            )

    set_dict = set_state_dict

    def _expected_names(self) -> str:
        names = [f"{p.name}_{s}_0" for p in self._parameter_list[:2] for s in self._slots]
        return ", ".join(names[:3]) or "none: this optimizer keeps no state"

    def _load_accumulators(self, state: dict[str, Any]) -> list[str]:
        """Puts values where their names say; returns the names nobody knew."""
        unknown = []
        owners = {p.name: p for p in self._parameter_list}
        for key, value in state.items():
            found = self._owner_of(key, owners)
            if found is None:
                unknown.append(key)
                continue
            slot, param = found
            if slot in self._slots:
                array = value.numpy() if isinstance(value, Tensor) else np.asarray(value)
                held = self._accumulator(slot, param)
                if list(array.shape) != held.shape:
                    raise InvalidArgumentError(
                        f"set_state_dict: {key} has shape {list(array.shape)}, "
                        f"but the optimizer expects {held.shape}."
                    )
                held.set_value(array)
            else:
                self._load_counter(slot, param, value)
        return unknown

    def _owner_of(self, key: str, owners: dict[str, Tensor]) -> tuple[str, Tensor] | None:
        """Splits ``linear_0.w_0_moment1_0`` into accumulator and parameter."""
        stem = key.rsplit("_", 1)[0]
        for slot in [*self._slots, *self._counters()]:
            if stem.endswith(f"_{slot}") and stem[: -len(slot) - 1] in owners:
                return slot, owners[stem[: -len(slot) - 1]]
        return None

    def _counters(self) -> tuple[str, ...]:
        """Names of entries that :meth:`_counter_state` writes."""
        return ()

    def _load_counter(self, slot: str, param: Tensor, value: Any) -> None:
        """Reads what :meth:`_counter_state` wrote."""
        raise NotImplementedError(f"{type(self).__name__} writes no {slot}")

    # -- training ---------------------------------------------------------------------------------

    @no_grad()
    def step(self) -> None:
        """Updates every parameter that has a gradient.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, linear.parameters())
                linear(paddle.rand([4, 2])).mean().backward()
                opt.step()
        """
        rate = self.get_lr()
        for group in self._param_groups:
            params = [p for p in group["params"] if p._grad is not None and not p.stop_gradient]
            if params:
                self._step_group(group, params, rate * group.get("learning_rate", 1.0))

    def _step_group(self, group: dict[str, Any], params: list[Tensor], rate: float) -> None:
        for p in params:
            if p._grad is CLEARED:  # a cleared gradient counts as zero, as in PaddlePaddle
                p._grad = p.grad
        grads = [p._grad for p in params]
        clip = group.get("grad_clip", self._grad_clip)
        if clip is not None:
            grads = [g for _, g in clip(list(zip(params, grads, strict=True)))]
        buffers = [g._buf for g in grads]
        for (decay, factor), chosen in self._by_settings(group, params).items():
            some = [params[i] for i in chosen]
            some_grads = [buffers[i] for i in chosen]
            weights = self._weights(some)
            folded = 0.0
            if decay is not None:
                if self._folds_l2 and type(decay) is L2Decay:
                    folded = decay.coeff
                else:
                    some_grads = decay.apply(weights, some_grads)
            some_grads = kernels.match_dtypes(some_grads, weights)
            self._update(some, weights, some_grads, rate * factor, folded, group)
            self._write_back(some, weights)

    def _by_settings(self, group: dict[str, Any], params: list[Tensor]) -> dict[Any, list[int]]:
        """Groups positions of parameters by regularizer and learning-rate factor."""
        default = group.get("decay", self.regularization)
        found: dict[Any, list[int]] = {}
        for i, p in enumerate(params):
            own = getattr(p, "regularizer", None)
            factor = p.optimize_attr["learning_rate"] if p.is_parameter else 1.0
            found.setdefault((own if own is not None else default, float(factor)), []).append(i)
        return found

    def _weights(self, params: list[Tensor]) -> list:
        """The buffers that are updated: the parameters' own, or their master copies."""
        out = []
        for p in params:
            if not self._master(p):
                out.append(writable(p))
                continue
            if p.name not in self._master_weights:
                self._master_weights[p.name] = p.astype("float32")
            out.append(writable(self._master_weights[p.name]))
        return out

    def _write_back(self, params: list[Tensor], weights: list) -> None:
        """Copies master weights to the parameters they stand for."""
        pairs = [(writable(p), w) for p, w in zip(params, weights, strict=True) if self._master(p)]
        if pairs:
            kernels.copy_all([a for a, _ in pairs], [b for _, b in pairs])

    def _update(
        self,
        params: list[Tensor],
        weights: list,
        grads: list,
        rate: float,
        decay: float,
        group: dict[str, Any],
    ) -> None:
        """Changes ``weights`` in place; to be written by the subclass."""
        raise NotImplementedError("use one of the optimizers of paddle.optimizer.")

    def _states(self, name: str, params: list[Tensor]) -> list:
        """The buffers of one accumulator for several parameters."""
        held = self._accumulators[name]
        return [(held.get(p._name) or self._accumulator(name, p))._buf for p in params]

    def _count(self, params: list[Tensor]) -> dict[int, list[int]]:
        """Counts this update for each parameter; positions by the number reached."""
        reached: dict[int, list[int]] = {}
        steps = self._steps
        for i, p in enumerate(params):
            name = p.name
            number = steps[name] = steps.get(name, 0) + 1
            reached.setdefault(number, []).append(i)
        return reached

    def clear_grad(self) -> None:
        """Sets the gradients of all parameters to zero, so that the next backward starts anew.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, linear.parameters())
                opt.clear_grad()
        """
        for p in self._parameter_list:
            if p._grad is not None:
                p._grad = CLEARED

    clear_gradients = clear_grad

    def minimize(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> tuple[list, list]:
        """Does one update; in dynamic mode ``loss.backward()`` comes before it.

        Args:
            loss (Tensor): what is minimised; its gradients are taken as they are.
            startup_program: must be None in dynamic mode.
            parameters (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: an empty list and the pairs (parameter, gradient) of this update.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, linear.parameters())
                loss = linear(paddle.rand([4, 2])).mean()
                loss.backward()
                opt.minimize(loss)
        """
        if not isinstance(loss, Tensor):
            raise TypeError(f"minimize(loss): expected a Tensor, got {type(loss).__name__}.")
        if startup_program is not None:
            raise InvalidArgumentError("minimize(startup_program): expected None in dynamic mode.")
        skipped = {t if isinstance(t, str) else t.name for t in no_grad_set or ()}
        chosen = {p.name for p in parameters} if parameters is not None else None
        held = {
            p: p._grad
            for p in self._parameter_list
            if p.name in skipped or (chosen is not None and p.name not in chosen)
        }
        for p in held:
            p._grad = None
        try:
            pairs = [(p, p.grad) for p in self._parameter_list if p._grad is not None]
            self.step()
        finally:
            for p, grad in held.items():
                p._grad = grad
        return [], pairs

    def backward(self, loss: Tensor, *unused: Any, **options: Any) -> list:
        """Runs ``loss.backward()`` and returns the pairs (parameter, gradient).

        Args:
            loss (Tensor): where to start.
        """
        if unused or options:
            raise InvalidArgumentError("Optimizer.backward: takes only the loss in dynamic mode.")
        loss.backward()
        return [(p, p.grad) for p in self._parameter_list if p._grad is not None]
