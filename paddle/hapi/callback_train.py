"""Callbacks that steer a training: checkpoints, learning rate, early stopping."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError
from paddle.core.user_frame import outside
from paddle.distributed import get_world_size
from paddle.hapi import resume_ranks
from paddle.hapi.callback_base import Callback
from paddle.hapi.callback_log import first_rank
from paddle.optimizer import lr
from paddle.serialization.files.suffixes import OPT, PARAMS, SCALER, STATE


class ModelCheckpoint(Callback):
    """Saves the model after epochs, as ``save_dir/0``, ``save_dir/1``, ..., and at the end.

    ``fit(save_dir=...)`` adds one by itself. Those before the end tell where the training stands,
    in a file ``.pdstate``: ``Model.load`` of one, or of the whole folder, lets ``fit`` go on from
    there. ``final`` is the result, from which ``fit`` begins a new training. Of several processes
    each adds what it has of its own, ``save_dir/0.rank1.pdpart``; ``fit(resume=True)`` reads it.

    It is called after all other callbacks, so that what they do belongs to the checkpoint.

    Args:
        save_freq (int): epochs between checkpoints. Default: 1.
        save_dir (str, optional): folder of the files; None saves nothing.
        save_steps (int, optional): steps between further checkpoints, counted over all epochs, for
            long epochs: ``save_dir/<epoch>_<steps>``. Only the newest of them is kept, until the
            end of the epoch.

    Examples:
        .. code-block:: python

            import os, tempfile
            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            with tempfile.TemporaryDirectory() as folder:
                keep = paddle.callbacks.ModelCheckpoint(save_dir=folder)
                model.fit(data, batch_size=4, verbose=0, callbacks=keep)
                print(sorted(os.listdir(folder)))  # ['0.pdparams', '0.pdstate', 'final.pdparams']
    """

    ends_last = True  # what belongs to a step or an epoch has been done by then

    def __init__(
        self, save_freq: int = 1, save_dir: str | None = None, save_steps: int | None = None
    ) -> None:
        super().__init__()
        for name, count in (("save_freq", save_freq), ("save_steps", save_steps)):
            if count is None and name == "save_steps":
                continue
            if isinstance(count, bool) or not isinstance(count, int):
                raise TypeError(
                    f"ModelCheckpoint({name}): expected an int, got {type(count).__name__}."
                )
            if count < 1:
                raise InvalidArgumentError(
                    f"ModelCheckpoint({name}): expected at least 1, but received {count}."
                )
        if save_dir is not None and not isinstance(save_dir, (str, os.PathLike)):
            raise TypeError(
                f"ModelCheckpoint(save_dir): expected a str, got {type(save_dir).__name__}."
            )
        self.save_freq = save_freq
        self.save_steps = save_steps
        self.save_dir = None if save_dir is None else os.fspath(save_dir)
        self.epoch: int | None = None
        self._between = ""  # the checkpoint within the epoch

    def _save(self, name: str, resumable: bool) -> bool:
        if self.model is None or not self.save_dir:
            return False
        path = os.path.join(self.save_dir, name)
        run = getattr(self.model, "_run", None)
        if first_rank():
            print(f"save checkpoint at {os.path.abspath(path)}")
        if resumable and run is not None and resume_ranks.together():
            resume_ranks.save(self.model, run, path)
            return True
        if not first_rank():
            return False
        if run is None:
            self.model.save(path)
            return True
        run.saving = resumable and get_world_size() == 1
        try:
            self.model.save(path)
        finally:
            run.saving = False
        return True

    def _remove(self, name: str) -> None:
        """Removes a checkpoint within an epoch, after there is a newer one."""
        if not name or not self.save_dir:
            return
        if not first_rank():
            resume_ranks.remove(os.path.join(self.save_dir, name))
            return
        for suffix in (STATE, PARAMS, OPT, SCALER):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.save_dir, name + suffix))

    def state_dict(self) -> dict[str, Any]:
        """Returns what it knows, for a training that goes on in another process."""
        return {"between": self._between}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to what :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        self._between = os.path.basename(str(state["between"]))

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets the checkpoint within an epoch of an earlier training."""
        self._between = ""

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Saves ``save_dir/<epoch>_<steps>``, every ``save_steps`` steps."""
        if self.save_steps is None or self.model is None:
            return
        run = getattr(self.model, "_run", None)
        if run is not None and run.total % self.save_steps == 0:
            old, self._between = self._between, f"{run.epoch}_{run.step}"
            if self._save(self._between, resumable=True) and old != self._between:
                self._remove(old)

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Remembers the epoch."""
        self.epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves ``save_dir/<epoch>``, every ``save_freq`` epochs."""
        if epoch % self.save_freq == 0:
            if self._save(str(epoch), resumable=True):
                self._remove(self._between)
                self._between = ""

    def on_train_end(self, logs: Any = None) -> None:
        """Saves ``save_dir/final``."""
        self._save("final", resumable=False)


class LRScheduler(Callback):
    """Moves the optimizer's learning rate scheduler on; ``fit`` adds one that counts steps.

    Args:
        by_step (bool): after each step. Default: True.
        by_epoch (bool): after each epoch. Default: False.

    Raises:
        ValueError: both are True.

    Examples:
        .. code-block:: python

            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            rate = paddle.optimizer.lr.StepDecay(0.1, step_size=1)
            model.prepare(paddle.optimizer.SGD(rate, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            model.fit(data, batch_size=4, epochs=2, verbose=0,
                      callbacks=paddle.callbacks.LRScheduler(by_step=False, by_epoch=True))
            print(rate.last_epoch)  # 2
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise InvalidArgumentError(
                "LRScheduler(by_step, by_epoch): expected at most one of them to be True, "
                "but received both."
            )
        self.by_step = by_step
        self.by_epoch = by_epoch

    def _move(self) -> None:
        rate = getattr(getattr(self.model, "_optimizer", None), "_learning_rate", None)
        if isinstance(rate, lr.LRScheduler):
            rate.step()

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Moves on, with ``by_step``."""
        if self.by_step:
            self._move()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Moves on, with ``by_epoch``."""
        if self.by_epoch:
            self._move()


class _Watch:
    """Finds the watched value in the logs and says whether it is better than the best."""

    def __init__(self, owner: str, monitor: str, mode: str, min_delta: float) -> None:
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{owner}(mode): expected 'auto', 'min' or 'max', but received {mode!r}; "
                "'auto' is taken.",
                stacklevel=outside(),
            )
            mode = "auto"
        self.owner, self.monitor, self.mode = owner, monitor, mode
        grows = mode == "max" or (mode == "auto" and "acc" in monitor)
        self.better: Callable[[Any, Any], Any] = np.greater if grows else np.less
        self.worst = -np.inf if grows else np.inf
        self.margin = abs(min_delta) * (1 if grows else -1)

    def value(self, logs: Any) -> float | None:
        if not logs or self.monitor not in logs:
            known = sorted(k for k in logs or {} if k not in ("step", "batch_size", "samples"))
            warnings.warn(
                f"{self.owner}(monitor): {self.monitor!r} is not among the logs {known}; "
                "nothing is done.",
                stacklevel=outside(),
            )
            return None
        value = logs[self.monitor]
        if isinstance(value, (list, tuple)):
            value = value[0]
        return float(np.asarray(value).reshape(-1)[0])

    def improves(self, value: float, best: float) -> bool:
        return bool(self.better(value - self.margin, best))


class EarlyStopping(Callback):
    """Stops a training whose evaluations do not get better.

    Args:
        monitor (str): what is watched: ``loss``, or the name of a metric. Default: loss.
        mode (str): ``min``: smaller is better, ``max``: greater is; ``auto``: greater where
            ``acc`` is in the name, else smaller. Default: auto.
        patience (int): the training stops as soon as this many evaluations in a row were not
            better. The default, 0, stops after the first evaluation, as in PaddlePaddle.
        verbose (int): 1 says when the training is stopped, 0 does not. Default: 1.
        min_delta (float): the least change that counts. Default: 0.
        baseline (float, optional): value to be better than at first.
        save_best_model (bool): save the best model as ``best_model`` in ``fit``'s ``save_dir``.

    Examples:
        .. code-block:: python

            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.0, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            stop = paddle.callbacks.EarlyStopping(patience=2)
            model.fit(data, data, batch_size=8, epochs=10, verbose=0, callbacks=stop)
            print(stop.stopped_epoch)  # 3
    """

    def __init__(
        self,
        monitor: str = "loss",
        mode: str = "auto",
        patience: int = 0,
        verbose: int = 1,
        min_delta: float = 0,
        baseline: float | None = None,
        save_best_model: bool = True,
    ) -> None:
        super().__init__()
        self._watch = _Watch("EarlyStopping", monitor, mode, min_delta)
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.min_delta = abs(min_delta)
        self.save_best_model = save_best_model
        self.save_dir: str | None = None  # set by config_callbacks
        self._start()

    def _start(self) -> None:
        self.wait_epoch = 0
        self.stopped_epoch = 0
        self.best_value = self._watch.worst if self.baseline is None else self.baseline
        self._saved: str | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets what it knows of an earlier training."""
        self._start()

    def state_dict(self) -> dict[str, Any]:
        """Returns what it knows, for :class:`paddle.incubate.TrainingState`."""
        return {
            "wait_epoch": self.wait_epoch,
            "stopped_epoch": self.stopped_epoch,
            "best_value": float(self.best_value),
            "saved": self._saved,
        }

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to what :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        self.wait_epoch, self.stopped_epoch = state["wait_epoch"], state["stopped_epoch"]
        self.best_value, self._saved = state["best_value"], state["saved"]

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares, saves the best model, or stops the training."""
        value = self._watch.value(logs)
        if value is None:
            return
        self.stopped_epoch += 1
        if self._watch.improves(value, self.best_value):
            self.best_value, self.wait_epoch = value, 0
            self._save()
        else:
            self.wait_epoch += 1
        if self.wait_epoch < self.patience:
            return
        self.model.stop_training = True
        if self.verbose > 0:
            print(f"Epoch {self.stopped_epoch}: Early stopping.")
            if self._saved is not None:
                print(f"Best checkpoint has been saved at {self._saved}")

    def _save(self) -> None:
        if self.save_best_model and self.save_dir and first_rank():
            path = os.path.join(self.save_dir, "best_model")
            self.model.save(path)
            self._saved = os.path.abspath(path)


class ReduceLROnPlateau(Callback):
    """Makes a constant learning rate smaller when evaluations stop getting better.

    Args:
        monitor (str): what is watched: ``loss``, or the name of a metric. Default: loss.
        factor (float): the rate is multiplied by it; less than 1. Default: 0.1.
        patience (int): evaluations without improvement to wait. Default: 10.
        verbose (int): 1 tells of a change, 0 does not. Default: 1.
        mode (str): ``min``, ``max`` or ``auto``, see :class:`EarlyStopping`. Default: auto.
        min_delta (float): the least change that counts. Default: 0.0001.
        cooldown (int): evaluations to leave out after a change. Default: 0.
        min_lr (float): the rate does not go below. Default: 0.

    Raises:
        ValueError: ``factor`` is 1 or more.

    Examples:
        .. code-block:: python

            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
            model.prepare(sgd, paddle.nn.MSELoss())
            slower = paddle.callbacks.ReduceLROnPlateau(patience=1, min_delta=100.0, verbose=0)
            model.fit(data, data, batch_size=8, epochs=2, verbose=0, callbacks=slower)
            print(round(sgd.get_lr(), 6))  # 0.01
    """

    def __init__(
        self,
        monitor: str = "loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 1,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau(factor): expected less than 1.0, but received {factor}."
            )
        self._watch = _Watch("ReduceLROnPlateau", monitor, mode, min_delta)
        self.monitor = monitor
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.mode = self._watch.mode
        self.min_delta = abs(min_delta)
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._start()

    _COUNTS = ("cooldown_counter", "wait", "epoch")

    def _start(self) -> None:
        self.best = self._watch.worst
        self.cooldown_counter = 0
        self.wait = 0
        self.epoch = 0

    def in_cooldown(self) -> bool:
        """Says whether evaluations are left out at the moment."""
        return self.cooldown_counter > 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets what it knows of an earlier training."""
        self._start()

    def state_dict(self) -> dict[str, Any]:
        """Returns what it knows, for :class:`paddle.incubate.TrainingState`."""
        counts = {key: getattr(self, key) for key in self._COUNTS}
        return {"best": float(self.best), **counts}

    def set_state_dict(self, state: dict[str, Any]) -> None:
        """Goes back to what :meth:`state_dict` returned.

        Args:
            state (dict): the state.
        """
        for key in ("best", *self._COUNTS):
            setattr(self, key, state[key])

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares, and makes the learning rate smaller when it is time."""
        value = self._watch.value(logs)
        if value is None:
            return
        optimizer = self.model._optimizer
        if isinstance(getattr(optimizer, "_learning_rate", None), lr.LRScheduler):
            warnings.warn(
                "ReduceLROnPlateau: expected an optimizer with a float as learning rate, but it "
                f"has {type(optimizer._learning_rate).__name__}; nothing is done.",
                stacklevel=outside(),
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._watch.improves(value, self.best):
            self.best, self.wait = value, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(optimizer)
        self.epoch += 1

    def _reduce(self, optimizer: Any) -> None:
        old = optimizer.get_lr()
        if old <= self.min_lr:
            return
        new = max(old * self.factor, self.min_lr)
        optimizer.set_lr(new)
        if self.verbose > 0:
            print(f"\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
        self.cooldown_counter = self.cooldown
        self.wait = 0
