"""Optimizer: parameters, settings, and one step over all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.mode import no_grad
from paddle.core.selected_rows import RowsGradient
from paddle.core.tape import CLEARED
from paddle.core.tensor import Tensor
from paddle.ir.variable import Variable
from paddle.nn.clip import ClipGradBase
from paddle.ops.optimizer.counting import UpdateCount
from paddle.ops.optimizer.engine import FusedUpdate
from paddle.ops.optimizer.rules import UpdateRule
from paddle.optimizer import arguments, sparse_step
from paddle.optimizer.batch import Batch, UpdatePlan, signature
from paddle.optimizer.lr import LRScheduler
from paddle.optimizer.state import OptimizerState
from paddle.optimizer.static import Recorded, check_startup, only_dynamic
from paddle.regularizer import L2Decay

__all__ = ["Optimizer"]

# Settings of rules that are not called like the arguments of the classes.
_ARGUMENTS = {"mu": "momentum", "decay": "rho"}


class Optimizer(OptimizerState):
    """Base of all optimizers; a subclass names the rule of its update.

    Args:
        learning_rate (float|LRScheduler): the step size.
        parameters (list[Tensor]|list[dict]): what to train. A dict is a group: ``params`` and any
            of ``learning_rate`` (a factor), ``weight_decay``, ``grad_clip``, and the optimizer's
            own settings, such as ``beta1`` and ``epsilon`` of Adam.
        weight_decay (float|L1Decay|L2Decay, optional): a float means L2Decay. A regularizer in a
            parameter's ParamAttr goes before it.
        grad_clip (ClipGradByGlobalNorm|ClipGradByNorm|ClipGradByValue, optional): applied first.
        name (str, optional): becomes a part of the accumulators' names.

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

    # What is computed for lists of parameters; accumulators and powers of beta follow from it.
    _rule: UpdateRule | None = None
    _lazy_mode = False
    # Settings that a group may have for itself, and their checks. What the optimizer was given
    # stands in the attribute of the name with an underscore.
    _group_options: dict[str, Callable[[str, str, Any], Any]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        rule = cls.__dict__.get("_rule")
        if rule is not None:
            cls._slots, cls._powers = dict.fromkeys(rule.states, 0.0), rule.powers

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        owner = type(self).__name__
        self._learning_rate = arguments.learning_rate(owner, learning_rate)
        self.regularization = arguments.decay(owner, weight_decay)
        self._grad_clip = self._as_clip(grad_clip)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{owner}(name): expected a str, but received {type(name).__name__}.")
        self._name = name
        # What is in static Programs; None for an optimizer of eager parameters.
        self._recorded = Recorded(self) if arguments.are_static(parameters) else None
        self._param_groups = arguments.groups(owner, parameters, self._group_options)
        for group in self._param_groups:
            self._check_group(group)
        self._groups_by_name = {p.name: g for g in self._param_groups for p in g["params"]}
        self._parameter_list = [p for g in self._param_groups for p in g["params"]]
        self._plans: dict[Any, UpdatePlan] = {}
        self._start_state()
        rule = self._rule
        # Whether rows without gradient stay as they are, or a gradient of rows counts otherwise.
        self._lazily = rule is not None and rule.by_rows({"lazy_mode": self._lazy_mode})
        self._updates_rows = self._lazily or (rule is not None and rule.rows_ahead > 0)

    def _keep(self, **given: Any) -> None:
        """Checks arguments that a group may have too, and keeps them, with an underscore."""
        for name, value in given.items():
            setattr(self, f"_{name}", self._group_options[name](type(self).__name__, name, value))

    def _as_clip(self, value: Any) -> ClipGradBase | None:
        if value is not None and not isinstance(value, ClipGradBase):
            raise TypeError(
                f"{type(self).__name__}(grad_clip): expected ClipGradByGlobalNorm, ClipGradByNorm "
                f"or ClipGradByValue, but received {type(value).__name__}."
            )
        return value

    def _check_group(self, group: dict[str, Any]) -> None:
        """Checks the settings of a group and brings them into their final form."""
        owner = type(self).__name__
        group["learning_rate"] = arguments.number(
            owner, "learning_rate", group.get("learning_rate", 1.0)
        )
        group["grad_clip"] = self._as_clip(group.get("grad_clip", self._grad_clip))
        if "weight_decay" in group:
            group["weight_decay"] = arguments.decay(owner, group["weight_decay"])
        else:
            group["weight_decay"] = self.regularization
        for name, check in self._group_options.items():
            group[name] = check(owner, name, group.get(name, getattr(self, f"_{name}")))

    def _group_of(self, param: Any) -> dict[str, Any]:
        """The settings of a parameter; of those that no group names, the first group's.

        By name: a copy of a Program has Parameters of its own.
        """
        return self._groups_by_name.get(param.name, self._param_groups[0])

    # -- learning rate ----------------------------------------------------------------------------

    def get_lr(self) -> float:
        """Returns the current learning rate.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.5, parameters=linear.parameters())
                print(opt.get_lr())  # 0.5
        """
        rate = self._learning_rate
        if not isinstance(rate, LRScheduler):
            return rate
        value = float(rate())
        if value != value:
            raise InvalidArgumentError(
                f"get_lr: expected a number from the schedule {type(rate).__name__}, but it gives "
                f"nan at its step {rate.last_epoch}."
            )
        return value

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
                opt = paddle.optimizer.SGD(0.5, parameters=linear.parameters())
                opt.set_lr(0.1)
                print(opt.get_lr())  # 0.1
        """
        if isinstance(self._learning_rate, LRScheduler):
            raise PreconditionNotMetError(
                "set_lr: the learning rate is an LRScheduler's, which cannot be set.",
                hint="change the scheduler, or give the optimizer a float",
            )
        if isinstance(value, LRScheduler):
            raise TypeError(
                "set_lr(value): expected a float, but received an LRScheduler; "
                "set_lr_scheduler takes one."
            )
        self._learning_rate = arguments.learning_rate(f"{type(self).__name__}.set_lr", value)
        if self._recorded is not None:
            self._recorded.set_rate(self._learning_rate)

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
        if self._recorded is not None:
            self._recorded.follow(scheduler)

    # -- one step ---------------------------------------------------------------------------------

    def step(self) -> None:
        """Updates every parameter that has a gradient; a cleared gradient counts as zero.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                linear(paddle.rand([4, 2])).mean().backward()
                opt.step()
        """
        if self._recorded is not None:
            raise only_dynamic(self, "step")
        rate = self.get_lr()
        for group in self._param_groups:
            params, grads = [], []
            for p in group["params"]:
                grad = p._grad
                if grad is None or p.stop_gradient:
                    continue
                params.append(p)
                grads.append(p.grad if grad is CLEARED else grad)
            if params:
                self._step_group(group, params, grads, rate * group["learning_rate"])

    def _step_group(
        self, group: dict[str, Any], params: list[Tensor], grads: list[Tensor], rate: float
    ) -> None:
        by_rows: dict[int, Any] = {}
        if self._updates_rows and any(type(g) is RowsGradient for g in grads):
            grads, by_rows = sparse_step.merged(self, group, params, grads)
        clip = group["grad_clip"]
        if clip is not None:
            with no_grad():
                grads = [g for _, g in clip(list(zip(params, grads)))]
        if by_rows:
            at, places = list(by_rows), list(by_rows.values())
            tables, values = [params[i] for i in at], [grads[i] for i in at]
            if self._lazily:
                sparse_step.update(self, group, tables, values, places, rate)
            else:  # the other rows change too, as momentum has it
                whole = sparse_step.whole(tables, places, values)
                self._update_whole((id(group), "ahead"), group, tables, whole, rate, True)
            left = [i for i in range(len(params)) if i not in by_rows]
            params, grads = [params[i] for i in left], [grads[i] for i in left]
        self._update_whole(id(group), group, params, grads, rate)

    def _update_whole(
        self, key: Any, group: dict[str, Any], params: list[Any], grads: list[Any], rate: float,
        ahead: bool = False,
    ) -> None:  # fmt: skip
        """Updates parameters by dense gradients; ``ahead``: such as were gradients of rows."""
        current = signature(params)
        plan = self._plans.get(key)
        if plan is None or plan.signature != current:
            plan = self._plans[key] = UpdatePlan(current, self._batches(group, params, ahead))
        for batch in plan.batches:
            self._step_batch(batch, batch.take_gradients(grads), rate * batch.factor)
            if batch.changed:
                self._plans.pop(key, None)

    def _before_update(self, batch: Batch) -> None:
        """What a kind of optimizer does before each update."""

    def _step_batch(self, batch: Batch, grads: list, rate: float) -> None:
        self._before_update(batch)
        weights = batch.take_weights()
        if self._exposed:
            batch.unshare_states()
        if batch.penalty is not None:
            grads = batch.penalty.apply(weights, grads)
        batch.fused.update(weights, grads, batch.buffers, rate)
        if self._powers:
            self._note_steps(batch)
        if batch.mastered:
            batch.write_back()

    def _step_rows(self, batch: Batch, grads: list, rows: list, rate: float) -> None:
        """Updates rows of tables."""
        self._before_update(batch)
        tables = batch.take_weights()
        if self._exposed:
            batch.unshare_states()
        gradients = list(zip(rows, grads, strict=True))
        batch.fused.update_rows(tables, gradients, batch.buffers, rate)
        if self._powers:
            self._note_steps(batch)

    def _note_steps(self, batch: Batch) -> None:
        """Notes the number of updates; what the state holds of it is powers of beta."""
        self._steps.update(dict.fromkeys(batch.names, batch.count.done))

    def _settings(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """The settings of the rule for one parameter, eager or of a Program."""
        found = {}
        for name, default in self._required_rule().settings.items():
            argument = _ARGUMENTS.get(name, name)
            kept = getattr(self, f"_{argument}", default)
            found[name] = group[argument] if argument in self._group_options else kept
        return found

    def _required_rule(self) -> UpdateRule:
        if self._rule is None:
            raise NotImplementedError("use one of the optimizers of paddle.optimizer.")
        return self._rule

    def _batches(
        self, group: dict[str, Any], params: list[Any], by_rows: bool = False
    ) -> list[Batch]:
        """Divides the parameters of a step into batches."""
        rule = self._required_rule()
        found: dict[Any, list[int]] = {}
        for i, p in enumerate(params):
            own = getattr(p, "regularizer", None)
            decay = group["weight_decay"] if own is None else own
            factor = float(p.optimize_attr["learning_rate"]) if p.is_parameter else 1.0
            folded = rule.l2_settings(decay.coeff) if type(decay) is L2Decay else None
            settings = self._settings(p, group) | (folded or {})
            key = (decay if folded is None else None, factor, tuple(settings.items()),
                   p._buf.dtype, p._buf.device, self._has_master(p),
                   self._steps.get(p.name, 0))  # fmt: skip
            found.setdefault(key, []).append(i)
        return [self._batch(params, key, at, by_rows) for key, at in found.items()]

    def _batch(self, params: list[Tensor], key: tuple, at: list[int], by_rows: bool) -> Batch:
        penalty, factor, items, _, _, mastered, done = key
        rule, settings = self._required_rule(), dict(items)
        chosen = [params[i] for i in at]
        count = UpdateCount(rule, settings, done, rule.rows_ahead if by_rows else 0)
        return Batch(
            params=chosen,
            at=None if len(at) == len(params) else at,
            penalty=penalty,
            factor=factor,
            owners=[self._master_weight(p) for p in chosen] if mastered else chosen,
            states=[[self._accumulator(s, p) for p in chosen] for s in rule.states],
            count=count,
            fused=FusedUpdate(rule, settings, count),
            mastered=mastered,
        )

    # -- around a step ----------------------------------------------------------------------------

    def clear_grad(self) -> None:
        """Sets the gradients of all parameters to zero, so that the next backward starts anew.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                opt.clear_grad()
        """
        if self._recorded is not None:
            raise only_dynamic(self, "clear_grad")
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
        """Does one update, or adds the operators of one to a static Program.

        Args:
            loss (Tensor|Variable): what is minimised. In dynamic mode ``loss.backward()`` comes
                before and the gradients are taken as they are; a Program gets gradient operators.
            startup_program (Program, optional): gives accumulators their first values; None means
                the default one. Must be None in dynamic mode.
            parameters (list, optional): update only these.
            no_grad_set (set, optional): Tensors or names that are not updated.

        Returns:
            tuple: the operators added (none in dynamic mode), and the pairs (parameter, gradient).

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                loss = linear(paddle.rand([4, 2])).mean()
                loss.backward()
                opt.minimize(loss)
        """
        if isinstance(loss, Variable):
            pairs = self.backward(loss, startup_program, parameters, no_grad_set)
            return self._static("minimize").apply(pairs, startup_program), pairs
        _check_loss("minimize", loss, startup_program)
        pairs = self._pairs("minimize", parameters, no_grad_set)
        self.apply_gradients(pairs)
        return [], pairs

    def backward(
        self,
        loss: Tensor,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> list:
        """Does the first half of an update; :meth:`apply_gradients` is the second.

        Runs ``loss.backward()``, or adds gradient operators to a static Program.

        Args:
            loss (Tensor|Variable): where to start.
            startup_program (Program, optional): not changed by this half; must be None in dynamic
                mode.
            parameters (list, optional): return only these.
            no_grad_set (set, optional): Tensors or names that are left out.
            callbacks (list[callable], optional): see :func:`paddle.static.append_backward`; must
                be None in dynamic mode.

        Returns:
            list: pairs (parameter, gradient).

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                pairs = opt.backward(linear(paddle.rand([4, 2])).mean())
                opt.apply_gradients(pairs)
        """
        if isinstance(loss, Variable):
            check_startup("backward", startup_program)
            return self._static("backward").backward(loss, parameters, no_grad_set, callbacks)
        _check_loss("backward", loss, startup_program)
        if callbacks is not None:
            raise InvalidArgumentError("backward(callbacks): expected None in dynamic mode.")
        loss.backward()
        return self._pairs("backward", parameters, no_grad_set)

    def apply_gradients(self, params_grads: list) -> list:
        """Updates parameters with given gradients, or adds the operators that do so.

        Args:
            params_grads (list): pairs (parameter, gradient); a gradient may be None.

        Returns:
            list: the operators added to a static Program; none in dynamic mode.

        Examples:
            .. code-block:: python

                import paddle
                linear = paddle.nn.Linear(2, 2)
                opt = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
                opt.apply_gradients([(p, paddle.ones_like(p)) for p in linear.parameters()])
        """
        if self._recorded is not None:
            return self._recorded.apply(params_grads)
        given = {id(p): g for p, g in params_grads}
        known = {id(p) for p in self._parameter_list}
        for p, g in params_grads:
            if id(p) not in known:
                raise InvalidArgumentError(
                    f"apply_gradients: {p.name} is no parameter of this optimizer."
                )
            if g is not None and g.shape != p.shape:
                raise InvalidArgumentError(
                    f"apply_gradients: expected a gradient of shape {p.shape} for {p.name}, "
                    f"but received {g.shape}."
                )
        held = [p._grad for p in self._parameter_list]
        try:
            for p in self._parameter_list:
                p._grad = given.get(id(p))
            self.step()
        finally:
            for p, grad in zip(self._parameter_list, held):
                p._grad = grad
        return []

    def _apply_optimize(self, loss: Any, startup_program: Any, params_grads: list) -> list:
        """:meth:`apply_gradients` with the startup program given; extensions of 2.0 override it."""
        if self._recorded is not None:
            return self._recorded.apply(params_grads, startup_program)
        return self.apply_gradients(params_grads)

    def _static(self, api: str) -> Recorded:
        """What this optimizer keeps about static Programs."""
        if self._recorded is None:
            raise InvalidArgumentError(
                f"{type(self).__name__}.{api}: the loss belongs to a static Program, but the "
                "parameters are eager Tensors.",
                hint="make the optimizer in static mode, without parameters",
            )
        return self._recorded

    def _pairs(self, api: str, parameters: Any, no_grad_set: Any) -> list[tuple[Tensor, Any]]:
        """The parameters that have a gradient and were asked for."""
        chosen = _names(api, "parameters", parameters)
        skipped = _names(api, "no_grad_set", no_grad_set) or set()
        return [
            (p, p.grad)
            for p in self._parameter_list
            if p._grad is not None
            and not p.stop_gradient
            and p.name not in skipped
            and (chosen is None or p.name in chosen)
        ]


def _check_loss(api: str, loss: Any, startup_program: Any) -> None:
    if not isinstance(loss, Tensor):
        raise TypeError(f"{api}(loss): expected a Tensor, got {type(loss).__name__}.")
    if startup_program is not None:
        raise InvalidArgumentError(f"{api}(startup_program): expected None in dynamic mode.")


def _names(api: str, argument: str, tensors: Any) -> set[str] | None:
    """The names of Tensors, each given as Tensor or by name."""
    if tensors is None:
        return None
    if isinstance(tensors, (str, Tensor)):
        raise TypeError(f"{api}({argument}): expected a list, got {type(tensors).__name__}.")
    names = set()
    for t in tensors:
        if not isinstance(t, (str, Tensor)):
            raise TypeError(
                f"{api}({argument}): expected Tensors or names, but it holds {type(t).__name__}."
            )
        names.add(t if isinstance(t, str) else t.name)
    return names
