"""The loops of a Model: through epochs, and through the batches of one."""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, MissingFileError
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.distributed.agreement import all_well, attempt
from paddle.hapi import resume_ranks
from paddle.hapi.callback_train import ModelCheckpoint
from paddle.hapi.feeding import arrays, length, rows, stacked, to_list
from paddle.hapi.fit_run import FitRun
from paddle.hapi.interrupts import Interrupts, save_interrupted
from paddle.hapi.logs import Logs
from paddle.hapi.losses import Losses
from paddle.hapi.resume import go_on
from paddle.hapi.training_state.model import noted
from paddle.hapi.training_state.programs import Randomness

# What metrics computed may wait on the device for so many steps, or until it is so many numbers.
MOST_WAITING = 64
MOST_NUMBERS = 1 << 20


class Loops:
    """What Model does with all batches; the steps are the Model's."""

    _adapter: Any
    _splitter: Any
    _metrics: list[Any]
    _resume: Any
    _train_step: Any
    _eval_step: Any
    _predict_step: Any
    _metric_names: Any
    load: Any
    history: Any
    stop_training: bool

    def _train(self, run: FitRun, epochs: int, evaluation: Any, eval_freq: int) -> None:
        """All epochs of ``Model.fit``, with checkpoints on Ctrl-C.

        Args:
            run (FitRun): the run.
            epochs (int): how many there are in all.
            evaluation (iterable|None): batches to evaluate.
            eval_freq (int): epochs between evaluations.
        """
        saves = any(isinstance(c, ModelCheckpoint) and c.save_dir for c in run.told)
        if saves or self._resume is not None:
            noted(run.loader)
        self._adapter.forget()
        with Interrupts() as interrupts:
            try:
                run.told.on_begin("train")
                if self._resume is not None:
                    goes_on = go_on(self, self._resume, epochs)
                    if goes_on and run.told.params.get("verbose"):
                        print(
                            f"going on from {os.path.abspath(self._resume.path)}: epoch "
                            f"{run.epoch + 1}, {run.step} steps of it are done"
                        )
                    self._resume = None
                for epoch in run.epochs(epochs):
                    run.told.on_epoch_begin(epoch)
                    if not run.ended:
                        self._train_epoch(run, interrupts, again=epoch > 0)
                        run.ended = True
                        run.told.on_epoch_end(epoch, run.logs)
                        interrupts.check()
                    if evaluation is not None and epoch % eval_freq == 0:
                        self._evaluate_between(run, evaluation, interrupts, again=epoch > 0)
                    run.stopped = self.stop_training
                run.told.on_end("train", run.logs)
            except KeyboardInterrupt:
                save_interrupted(self, run)
                self.history.settle()
                raise

    def _load_newest(self, told: Any) -> None:
        """Finds where a fit goes on that was asked to."""
        folders = [c.save_dir for c in told if isinstance(c, ModelCheckpoint) and c.save_dir]
        if not folders:
            raise InvalidArgumentError(
                "Model.fit(resume=True): expected save_dir, a folder of checkpoints, or a "
                "callback ModelCheckpoint(save_dir=...), but there is neither."
            )
        if resume_ranks.together():
            found = resume_ranks.newest(folders[-1])
            if found is not None:
                loading = attempt(lambda: self._adapter.load(found[0], False, False))
                all_well(loading, f"loading {found[0]!r}")
                self._resume = found[1]
        elif os.path.isdir(folders[-1]):
            with contextlib.suppress(MissingFileError):
                self.load(folders[-1])

    def _evaluate_between(
        self, run: FitRun, loader: Any, interrupts: Interrupts, again: bool
    ) -> None:
        """An evaluation of fit; one that is interrupted is done anew, with the same numbers."""
        random = Randomness()
        before = random.collect()
        try:
            self._evaluate(loader, run.told, again=again, interrupts=interrupts)
        except KeyboardInterrupt:
            random.apply(before)
            raise

    def _evaluate(
        self,
        loader: Any,
        told: Any,
        limit: int | None = None,
        again: bool = False,
        interrupts: Interrupts | None = None,
    ) -> dict[str, Any]:
        """One evaluation; returns the logs of its last step."""
        steps = length(loader)
        if limit is not None:
            steps = limit if steps is None else min(limit, steps)
        told.on_begin("eval", {"steps": steps, "metrics": self._metric_names()})
        measuring = Measuring(self._metrics, Losses())
        measuring.reset()
        logs: dict[str, Any] = {}
        with self._pass(loader) as batches:
            for step, data in enumerate(itertools.islice(batches, limit)):
                inputs, labels = self._splitter(data, "eval")
                told.on_batch_begin("eval", step, logs)
                found = self._eval_step(inputs, labels)
                logs = measuring.logs(step, self._adapter.seen(rows(inputs)), *found)
                told.on_batch_end("eval", step, logs)
                if interrupts is not None:
                    interrupts.check()
        if isinstance(logs, Logs):
            logs.settle()
        else:
            _no_batches("eval", again)
        told.on_end("eval", logs)
        return logs

    def _predict(self, loader: Any, told: Any, stack_outputs: bool) -> list:
        """The outputs of the network for all batches."""
        told.on_begin("predict", {"steps": length(loader)})
        batches: list[list[np.ndarray]] = []
        count = 0
        with self._pass(loader) as read:
            for step, data in enumerate(read):
                inputs = self._splitter(data, "predict")[0]
                told.on_batch_begin("predict", step, {})
                batches.append([arrays(o) for o in self._predict_step(inputs)])
                size = self._adapter.seen(rows(inputs))
                count += size
                told.on_batch_end("predict", step, {"step": step, "batch_size": size})
        if not batches:
            raise _no_batch("predict")
        told.on_end("predict", {"samples": count})
        columns = list(zip(*batches, strict=True))
        return [stacked(column) for column in columns] if stack_outputs else columns

    @contextlib.contextmanager
    def _pass(self, loader: Any) -> Iterator[Iterator]:
        """The batches of an evaluation or of predictions."""
        self._adapter.begin_pass(loader)
        try:
            with _reading(loader) as batches:
                yield batches
        finally:
            self._adapter.end_pass()

    def _train_epoch(self, run: FitRun, interrupts: Interrupts, again: bool) -> None:
        """Goes through the data once, or through the rest of it.

        Losses and metrics stay where they were computed until a callback looks at the logs, so that
        a device is not waited for at every step.
        """
        told = run.told
        measuring = Measuring(self._metrics, run.losses)
        if not run.step:  # else a run that goes on
            run.losses.clear()
            measuring.reset()
            run.logs = {}
        steps = None if run.accumulate == 1 else length(run.loader)
        with _reading(run.data_left()) as batches:
            try:
                for step, data in enumerate(batches, run.step):
                    run.whole = False
                    inputs, labels = self._splitter(data, "train")
                    told.on_batch_begin("train", step, run.logs)
                    found = self._train_step(inputs, labels, run.updates(steps))
                    run.advance()
                    run.logs = measuring.logs(step, rows(inputs), *found)
                    told.on_batch_end("train", step, run.logs)
                    run.whole = True
                    interrupts.check()
                    if run.full:
                        self.stop_training = True
                        break
            except KeyboardInterrupt:
                save_interrupted(self, run)  # while the position in the data is known
                raise
        if self._adapter.gathered:  # the data was of unknown length
            self._adapter.update()
        if run.step == 0 and not run.full:
            _no_batches("train", again)
        if isinstance(run.logs, Logs):
            run.logs.settle()


@contextlib.contextmanager
def _reading(data: Iterable) -> Iterator[Iterator]:
    """An iterator of the data; whoever leaves the block ends processes that load it."""
    found = iter(data)
    try:
        yield found
    finally:
        getattr(found, "close", lambda: None)()


class Measuring:
    """The losses and metrics of a run through data, which wait on the device.

    Args:
        metrics (list[Metric]): the metrics.
        losses (Losses): takes the losses.
    """

    def __init__(self, metrics: list[Any], losses: Losses) -> None:
        self._metrics, self._losses = metrics, losses
        self._waiting: list[tuple[int, list]] = []  # of steps
        self._room = MOST_NUMBERS

    def reset(self) -> None:
        """Begins anew with the metrics."""
        for metric in self._metrics:
            metric.reset()

    def logs(self, step: int, count: int, losses: list, states: list) -> Logs:
        """Takes what a step gave; returns its logs."""
        if losses:
            self._losses.add(step, count, losses)
        if states:
            self._waiting.append((step, states))
            self._room -= _numbers(states)
            if len(self._waiting) >= MOST_WAITING or self._room < 0:
                self._settle()
        return Logs(self._read, self._losses, step=step, batch_size=count)

    def _settle(self) -> None:
        for step, states in self._waiting:
            update_metrics(self._metrics, states)
            if self._losses.tell is not None:
                self._losses.tell(step, self._values())
        self._waiting.clear()
        self._room = MOST_NUMBERS

    def _read(self) -> dict[str, Any]:
        """Fetches the loss of the last step and the metrics up to it."""
        self._settle()
        last = self._losses.fetch()
        return ({"loss": last} if last else {}) | self._values()

    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for metric in self._metrics:
            names, numbers = to_list(metric.name()), metric.accumulate()
            if len(names) > 1:
                values.update(zip(names, to_list(numbers), strict=True))
            elif names:
                one = isinstance(numbers, (list, tuple)) and len(numbers) == 1
                values[names[0]] = numbers[0] if one else numbers
        return values


def update_metrics(metrics: list[Any], states: list[list]) -> list:
    """Hands computed states to metrics, as arrays; returns what ``update`` returned."""
    return [
        metric.update(*[arrays(value) for value in state])
        for metric, state in zip(metrics, states, strict=True)
    ]


def _numbers(states: list[list]) -> int:
    return sum(value.size for state in states for value in state if isinstance(value, Tensor))


def _no_batches(mode: str, again: bool) -> None:
    if not again:
        raise _no_batch(mode)
    warnings.warn(
        f"Model: the data of {mode} gave no batch this time. A generator can be gone "
        "through only once: pass a Dataset, a DataLoader or a list.",
        stacklevel=outside(),
    )


def _no_batch(mode: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Model: expected at least one batch to {mode} with, but the data gave none.",
        hint="the data set may be empty, smaller than a batch with drop_last, or a used generator",
    )
