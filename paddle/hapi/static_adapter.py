"""Steps of a Model in static mode: a Program for each mode, run by an Executor.

The Programs share their parameters by name, in the scope. Each is recorded from the network when
it is first needed: training with loss, metrics and update; evaluation without the update; testing
with the outputs alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddle import static
from paddle.core import unique_name
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.tensor import Tensor
from paddle.framework.mode import in_dynamic_mode
from paddle.hapi import checkpoint, static_together
from paddle.hapi.feeding import tensors, to_list
from paddle.hapi.precision import Precision
from paddle.hapi.together import Joining, together
from paddle.ir.cloning import copy_variable
from paddle.ir.current import default_main_program, default_startup_program, program_guard
from paddle.ir.variable import Variable


@dataclass
class _Input:
    """An input or label: like InputSpec, but always with a name."""

    name: str
    shape: list[int]
    dtype: Any


@dataclass
class _Recorded:
    """The Program of a mode: what it is fed, what is fetched, and where that belongs."""

    program: Any
    inputs: list[str]
    labels: list[str]
    outputs: list  # nested as the network gives them, with Variables
    losses: list
    states: list
    fetched: list[str]
    joins: bool = False  # several processes: whether rows of the outputs can be put together


class StaticAdapter(Joining):
    """What :class:`paddle.Model` does differently in static mode.

    Args:
        model (Model): whose network, loss, optimizer and metrics are used.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list = []
        if not model._inputs:
            raise TypeError(
                "Model(inputs): expected InputSpec or a list of them in static mode, got None."
            )
        self._inputs = _named(model._inputs, "input")
        self._labels = _named(model._labels, "label")
        _check_different([spec.name for spec in (*self._inputs, *self._labels)])
        # The network's parameters are here; what is recorded goes into copies.
        self._main = default_main_program()
        self._startup = default_startup_program()
        self._executor: Any = None
        self._recorded: dict[str, _Recorded] = {}
        self._started: Any = None
        self._gradients: dict[str, Variable] = {}  # parameter -> where its gradients are gathered
        self._trainer: Any = None  # the optimizer, with what mixed precision adds to it
        self.gathered = 0  # batches whose gradients wait for one update together
        self.scaler: Any = None  # the Program of training has one of its own

    def check_optimizer(self, optimizer: Any) -> None:
        """Refuses an optimizer that updates eager Tensors."""
        if optimizer is None:
            return
        inner = getattr(optimizer, "_optimizer", optimizer)
        if getattr(inner, "_recorded", self) is None:
            raise InvalidArgumentError(
                "Model.prepare(optimizer): expected an optimizer of static parameters, but the "
                f"{type(inner).__name__} was made for eager Tensors.",
                hint="make it after paddle.enable_static(), with parameters=model.parameters()",
            )

    def prepare(self, optimizer: Any, loss: Any, metrics: list, precision: Precision) -> None:
        """Forgets the Programs of another loss, optimizer or other metrics."""
        self._recorded.clear()
        self._optimizer, self._loss, self._metrics = optimizer, loss, metrics
        self.gathered = 0
        self._trainer = optimizer
        if precision.mixed and optimizer is not None:
            self._trainer = static.amp.decorate(
                optimizer,
                static.amp.AutoMixedPrecisionLists(**precision.lists),
                use_pure_fp16=precision.level == "O2",
                **precision.scaling,
            )
        if self._others is None:
            self._others = together(self._model.network)
            if self._others is not None and optimizer is not None:
                self._start()  # all processes begin with the same parameters
                network = self._model.network
                static_together.begin_alike([*network.parameters(), *network.buffers()])

    # -- steps ------------------------------------------------------------------------------------

    def train_step(
        self, inputs: list, labels: list, update: bool = True
    ) -> tuple[list[Tensor], list]:
        """Trains on a batch; returns the losses and what the metrics computed."""
        mode = "train" if update and not self.gathered and not self._gathers else "gather"
        losses, states, outputs = self._run(
            mode, inputs, labels, lambda r: (r.losses, r.states, r.outputs if r.joins else [])
        )
        if mode == "gather":
            self.gathered += 1
            if update:
                self.update()
        if self._others is None:
            return losses, states
        return self._others.losses(losses), self._of_all(states, outputs, labels)

    def _of_all(self, states: list, outputs: list, labels: list) -> list:
        """What metrics computed, of the batches of all processes."""
        assert self._others is not None
        if not states or not outputs:
            return states
        found = self._others.states(states, outputs[0].shape[0])
        if found is not None:
            return found
        return self._measured(*self._others.joined_rows(outputs, tensors(labels)))[1]

    def update(self) -> None:
        """Updates by the sum of the gradients that wait."""
        recorded = self._program("update")
        self._start()
        self._executor.run(recorded.program)
        self.gathered = 0

    def forget(self) -> None:
        """Drops gradients that wait for an update which will not come."""
        if self.gathered:
            self.gathered = 0
            for variable in self._gradients.values():
                variable.set_value(np.zeros(variable.shape, "float32"))

    @property
    def _gathers(self) -> bool:
        run = self._model._run
        return run is not None and run.accumulate > 1

    def training_programs(self) -> dict[str, Any]:
        """The Programs that train, recorded and started: their variables are what is trained."""
        names = ("gather", "update") if self._gathers else ("train",)
        found = {name: self._program(name).program for name in names}
        self._start()
        return found

    def eval_step(self, inputs: list, labels: list) -> tuple[list[Tensor], list]:
        """Returns the losses of a batch and what the metrics computed."""
        others = self._others
        if others is None or not others.splits or not self._program("test").joins:
            return self._run("eval", inputs, labels, lambda r: (r.losses, r.states))
        outputs = self._run("test", inputs, [], lambda r: r.outputs)
        return self._measured(*others.rows(outputs, tensors(labels)))

    def predict_step(self, inputs: list) -> list[Tensor]:
        """Returns the outputs of the network."""
        outputs = self._run("test", inputs, [], lambda r: r.outputs)
        return outputs if self._others is None else self._others.rows(outputs)[0]

    def _measured(self, outputs: list, labels: list) -> tuple[list, list]:
        """The losses and what metrics compute, of outputs of several processes."""
        recorded = self._program("measure")
        feed = dict(zip([*recorded.inputs, *recorded.labels], [*outputs, *labels], strict=True))
        return self._fetched(recorded, feed, (recorded.losses, recorded.states))

    def _run(self, mode: str, inputs: list, labels: list, wanted: Callable) -> Any:
        _check_count("inputs", self._inputs, inputs)
        if mode != "test":
            _check_count("labels", self._labels, labels)
        recorded = self._program(mode)
        self._start()
        feed = dict(zip([*recorded.inputs, *recorded.labels], [*inputs, *labels], strict=True))
        return self._fetched(recorded, feed, wanted(recorded))

    def _fetched(self, recorded: _Recorded, feed: dict, wanted: Any) -> Any:
        """Runs a Program and puts what came into the place of Variables."""
        values = self._executor.run(
            recorded.program, feed=feed, fetch_list=recorded.fetched, return_numpy=False
        )
        table = dict(zip(recorded.fetched, map(_plain, values), strict=True))
        return _nested(wanted, lambda var: table[var.name])

    # -- Programs ---------------------------------------------------------------------------------

    def _program(self, mode: str) -> _Recorded:
        if mode not in self._recorded:
            if in_dynamic_mode():
                raise PreconditionNotMetError(
                    "Model: it was made in static mode, but dynamic mode is on now.",
                    hint="call paddle.enable_static() before it is used",
                )
            special = {"update": self._record_update, "measure": self._record_measure}.get(mode)
            self._recorded[mode] = special() if special is not None else self._record(mode)
        return self._recorded[mode]

    def _record(self, mode: str) -> _Recorded:
        """Records the network, and what a mode needs besides, into a copy of its Program."""
        model, training = self._model, mode in ("train", "gather")
        model._enter("train" if training else mode)
        program = self._main.clone()
        losses: list = []
        states: list = []
        labels: list = []
        with program_guard(program, self._startup):
            inputs = [_declared(spec) for spec in self._inputs]
            outputs = to_list(model.network(*inputs))
            if mode != "test":
                labels = [_declared(spec) for spec in self._labels]
                losses, states = self._judged(outputs, labels)
            if training:
                total = losses[0]
                for loss in losses[1:]:
                    total = total + loss
                if mode == "train":
                    self._trainer.minimize(total)
                    if self._others is not None:
                        static_together.average_gradients(program, self._trainer)
                else:
                    self._gather(total)
        if not training:
            program = program.clone(for_test=True)
        names: dict[str, None] = {}
        joins = self._others is not None and static_together.all_variables(outputs)
        shown = outputs if mode == "test" else [losses, states]
        if training and joins and states:
            shown = [shown, outputs]
        _nested(shown, lambda var: names.setdefault(var.name))
        return _Recorded(
            program=program,
            inputs=[var.name for var in inputs],
            labels=[var.name for var in labels],
            outputs=outputs,
            losses=losses,
            states=states,
            fetched=list(names),
            joins=joins and (bool(states) or not training),
        )

    def _judged(self, outputs: list, labels: list) -> tuple[list, list]:
        """Records the losses, and what metrics compute."""
        losses = [] if self._loss is None else to_list(self._loss(*outputs, *labels))
        return losses, [to_list(m.compute(*outputs, *labels)) for m in self._metrics]

    def _record_measure(self) -> _Recorded:
        """Records losses and metrics alone, of outputs that are fed."""
        given = self._program("test").outputs
        program = self._main.clone()
        with program_guard(program, self._startup):
            outputs = [static.data(f"{v.name}@ALL", [-1, *v.shape[1:]], v.dtype) for v in given]
            labels = [_declared(spec) for spec in self._labels]
            losses, states = self._judged(outputs, labels)
        names: dict[str, None] = {}
        _nested([losses, states], lambda var: names.setdefault(var.name))
        inputs = [var.name for var in outputs]
        return _Recorded(program.clone(for_test=True), inputs, [var.name for var in labels],
                         outputs, losses, states, list(names))  # fmt: skip

    def _gather(self, total: Variable) -> None:
        """Records the gradients of a batch, which are added to those that wait."""
        pairs = self._trainer.backward(total)
        program = total.block.program
        block, top = program.global_block(), self._startup.global_block()
        self._gradients = {}
        for param, grad in pairs:
            if grad is None:
                continue
            info = {"name": f"{param.name}@GATHERED", "shape": list(param.shape),
                    "dtype": grad.dtype, "persistable": True, "stop_gradient": True}  # fmt: skip
            held = self._gradients[param.name] = block.create_var(**info)
            block.append_op("sum", {"X": [held, grad]}, {"Out": held})
            if not top.has_var(info["name"]):
                _fill_zero(top, top.create_var(**info))

    def _record_update(self) -> _Recorded:
        """Records the update by the gradients that were gathered."""
        self._program("gather")  # which knows the gradients, and the scale of the loss
        program = self._main.clone()
        with program_guard(program, self._startup):
            block = program.global_block()
            pairs, made = [], []
            for name, variable in self._gradients.items():
                held = copy_variable(variable, block)
                made.append(held)
                pairs.append((block.var(name), held))
            scale = getattr(self._trainer, "_loss_scaling", None)
            if scale is not None:
                self._trainer._loss_scaling = copy_variable(scale, block)
            if self._others is not None:
                static_together.average_gathered(program, made)
            self._trainer.apply_gradients(pairs)
            for held in made:
                _fill_zero(block, held)
        return _Recorded(program, [], [], [], [], [], [])

    def _start(self) -> None:
        """Gives first values to what has none: a loaded or trained parameter stays as it is."""
        scope = static.global_scope()
        now = (scope, self._startup, self._startup._version)
        if self._started == now:
            return
        if self._executor is None:
            self._executor = static.Executor()
        missing, there = [], []
        for var in self._startup.list_vars():
            held = scope.find_var(var.name)
            if held is not None and held.is_initialized():
                there.append(var.name)
            elif var.persistable:
                missing.append(var.name)
        if missing:
            from paddle.ir.cloning import prune

            self._executor.run(prune(self._startup, there, missing))
        self._started = now

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool, state: Any = None) -> None:
        """See :meth:`paddle.Model.save`; ``state`` is that of a fit, as parts of a file."""
        checkpoint.check_path(path)
        model = self._model
        if not training:
            recorded = self._program("test")
            self._start()
            block = recorded.program.global_block()
            outputs: list[Variable] = []
            _nested(recorded.outputs, lambda var: outputs.append(block.var(var.name)))
            inputs = [block.var(name) for name in recorded.inputs]
            static.save_inference_model(
                path, inputs, outputs, self._executor, program=recorded.program
            )
            return
        from paddle.serialization.program_state import Stored

        self._start()
        weights = model.network.state_dict()
        stored = Stored(weights.values(), purpose="Model.save")
        held = {} if self._optimizer is None else self._optimizer.state_dict()
        tensors = {k: stored.tensor(v.name) for k, v in weights.items()}
        checkpoint.save(path, tensors, held, None, state)

    def load(self, path: str, skip_mismatch: bool, reset_optimizer: bool) -> bool:
        """See :meth:`paddle.Model.load`; says whether all of it was loaded."""
        model = self._model
        optimizer = None if reset_optimizer else self._optimizer
        if optimizer is not None and self._loss is not None:
            self._program("train")  # its update has the variables of the optimizer's state
        self._start()
        return checkpoint.load(model.network, optimizer, path, skip_mismatch)


def _fill_zero(block: Any, variable: Variable) -> None:
    attrs = {"shape": list(variable.shape), "dtype": int(variable.dtype), "value": 0.0}
    block.append_op("fill_constant", {}, {"Out": variable}, attrs)


def _named(specs: list, stem: str) -> list[_Input]:
    """What InputSpecs or Tensors describe, with a name each."""
    return [
        _Input(spec.name or unique_name.generate(stem), list(spec.shape), spec.dtype)
        for spec in specs
    ]


def _check_different(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArgumentError(
            "Model(inputs, labels): expected names that differ in static mode, but "
            f"{', '.join(map(repr, twice))} is there more than once."
        )


def _declared(spec: _Input) -> Variable:
    return static.data(spec.name, spec.shape, spec.dtype)


def _check_count(what: str, specs: list[_Input], given: list) -> None:
    if len(specs) != len(given):
        names = [spec.name for spec in specs]
        raise InvalidArgumentError(
            f"Model: expected {len(specs)} {what} in static mode, {names}, but received "
            f"{len(given)}.",
            hint=f"Model(network, inputs=..., labels=...) declares the {what} by InputSpec",
        )


def _plain(value: Any) -> Any:
    """The Tensor of a fetched value; a list for an array of tensors."""
    return [v.tensor for v in value] if isinstance(value, list) else value.tensor


def _nested(value: Any, change: Callable) -> Any:
    """The same lists, tuples and dicts with every Variable changed."""
    if isinstance(value, Variable):
        return change(value)
    if isinstance(value, (list, tuple)):
        made = [_nested(part, change) for part in value]
        return tuple(made) if isinstance(value, tuple) else made
    if isinstance(value, dict):
        return {name: _nested(part, change) for name, part in value.items()}
    return value
