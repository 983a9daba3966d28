"""Model: a network with its loss, optimizer and metrics; trains, evaluates and predicts."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from paddle import static
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.tensor import Tensor
from paddle.core.user_frame import outside
from paddle.framework.mode import in_dynamic_mode
from paddle.hapi.callbacks import config_callbacks
from paddle.hapi.dynamic_adapter import DynamicAdapter
from paddle.hapi.feeding import Splitter, arrays, length, make_loader, rows, stacked, to_list
from paddle.hapi.fit_run import FitRun
from paddle.hapi.history import History
from paddle.hapi.logs import Logs
from paddle.hapi.losses import Losses
from paddle.hapi.model_summary import summary
from paddle.hapi.static_adapter import StaticAdapter
from paddle.metric import Metric
from paddle.nn import Layer

__all__ = ["Model"]

# What metrics computed may wait on the device for so many steps, or until it is so many numbers.
_MOST_WAITING = 64
_MOST_NUMBERS = 1 << 20


class Model(Guarded):
    """A network that can be trained, evaluated and asked for predictions.

    Args:
        network (Layer): the network.
        inputs (InputSpec|list, optional): what the network takes; says how many of a sample's
            parts are inputs, and gives :meth:`summary` its shapes. Needed in static mode.
        labels (InputSpec|list, optional): what the loss takes besides; needed in static mode if
            there is anything.

    Examples:
        .. code-block:: python

            import numpy as np
            import paddle

            class Points(paddle.io.Dataset):
                def __getitem__(self, i):
                    return np.full([2], i % 2, "float32"), np.array([i % 2])

                def __len__(self):
                    return 32

            model = paddle.Model(paddle.nn.Linear(2, 2))
            model.prepare(paddle.optimizer.Adam(0.1, parameters=model.parameters()),
                          paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
            model.fit(Points(), epochs=1, batch_size=8, verbose=0)
            print(sorted(model.evaluate(Points(), batch_size=8, verbose=0)))  # ['acc', 'loss']
    """

    def __init__(self, network: Layer, inputs: Any = None, labels: Any = None) -> None:
        if not isinstance(network, Layer):
            raise TypeError(
                f"Model(network): expected a paddle.nn.Layer, got {type(network).__name__}."
            )
        self.network = network
        self.mode = "train"
        self.stop_training = False
        self._inputs = self._specs("inputs", inputs)
        self._labels = self._specs("labels", labels)
        self._optimizer: Any = None
        self._loss: Any = None
        self._metrics: list[Metric] = []
        self._run: FitRun | None = None  # inside of fit
        self.history: History | None = None  # of the last fit
        self._seen_shapes: list[list[int]] | None = None
        self._seen: list[tuple[list[int], Any]] | None = None  # shapes with dtypes
        names = [spec.name for spec in (*self._inputs, *self._labels)]
        self._splitter = Splitter(network, len(self._inputs), len(self._labels), names)
        dynamic = in_dynamic_mode()
        self._adapter: Any = DynamicAdapter(self) if dynamic else StaticAdapter(self)

    @staticmethod
    def _specs(name: str, specs: Any) -> list:
        listed = list(specs.values()) if isinstance(specs, dict) else to_list(specs)
        for spec in listed:
            if not isinstance(spec, (Tensor, static.InputSpec)):
                raise TypeError(
                    f"Model({name}): expected InputSpec or Tensor, got {type(spec).__name__}."
                )
        return listed

    # -- set-up -----------------------------------------------------------------------------------

    def prepare(self, optimizer: Any = None, loss: Any = None, metrics: Any = None) -> None:
        """Says how to train and what to measure.

        Args:
            optimizer (Optimizer, optional): needed for training.
            loss (Layer|callable, optional): takes the outputs and the labels.
            metrics (Metric|list[Metric], optional): what is measured.

        Examples:
            .. code-block:: python

                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 2))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.CrossEntropyLoss())
        """
        usable = hasattr(optimizer, "step") and hasattr(optimizer, "clear_grad")
        if optimizer is not None and not usable:
            raise TypeError(
                "Model.prepare(optimizer): expected an optimizer of paddle.optimizer, "
                f"got {type(optimizer).__name__}."
            )
        if loss is not None and not callable(loss):
            raise TypeError(
                "Model.prepare(loss): expected a loss Layer or a function, "
                f"got {type(loss).__name__}."
            )
        listed = to_list(metrics)
        for metric in listed:
            if not isinstance(metric, Metric):
                raise TypeError(
                    "Model.prepare(metrics): expected paddle.metric.Metric, "
                    f"got {type(metric).__name__}."
                )
        self._adapter.check_optimizer(optimizer)
        self._optimizer, self._loss, self._metrics = optimizer, loss, listed
        self._adapter.prepare()

    def parameters(self, *args: Any, **kwargs: Any) -> list:
        """Returns the parameters of the network.

        Args:
            *args, **kwargs: as for :meth:`paddle.nn.Layer.parameters`.

        Examples:
            .. code-block:: python

                import paddle
                print(len(paddle.Model(paddle.nn.Linear(2, 2)).parameters()))  # 2
        """
        return self.network.parameters(*args, **kwargs)

    def summary(self, input_size: Any = None, dtype: Any = None) -> dict[str, int]:
        """Prints the layers with their shapes and counts of parameters.

        Args:
            input_size (tuple|InputSpec|list, optional): shape of the input; None takes what
                ``Model`` was given, or what the network last saw.
            dtype (str, optional): type of the input. Default: float32.

        Returns:
            dict: ``total_params`` and ``trainable_params``.

        Examples:
            .. code-block:: python

                import paddle
                model = paddle.Model(paddle.vision.models.LeNet())
                print(model.summary((1, 1, 28, 28))["total_params"])  # 61610
        """
        size = input_size
        if size is None:
            size = self._inputs or self._seen_shapes
        if not size:
            raise InvalidArgumentError(
                "Model.summary(input_size): expected a shape, because the Model was made without "
                "inputs and has not seen a batch yet."
            )
        if size is self._seen_shapes:
            size = [tuple(s) for s in self._seen_shapes]
            size = size[0] if len(size) == 1 else size
        return summary(self.network, size, dtype)

    # -- single batches ---------------------------------------------------------------------------

    def train_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Trains on one batch.

        Args:
            inputs (list|Tensor|ndarray): what the network takes.
            labels (list|Tensor|ndarray, optional): what the loss takes besides.

        Returns:
            The losses as a list of arrays; with metrics, the pair (losses, metric values).

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.MSELoss())
                loss = model.train_batch([np.ones([4, 2], "float32")], [np.ones([4, 1], "float32")])
                print(len(loss))  # 1
        """
        losses, states = self._train_step(inputs, labels)
        return self._values(losses, states)

    def eval_batch(self, inputs: Any, labels: Any = None) -> Any:
        """Evaluates one batch; see :meth:`train_batch`.

        Args:
            inputs (list|Tensor|ndarray): what the network takes.
            labels (list|Tensor|ndarray, optional): what the loss takes besides.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(loss=paddle.nn.MSELoss())
                model.eval_batch([np.ones([4, 2], "float32")], [np.ones([4, 1], "float32")])
        """
        losses, states = self._eval_step(inputs, labels)
        return self._values(losses, states)

    def predict_batch(self, inputs: Any) -> list[np.ndarray]:
        """Returns the outputs of the network for one batch, as a list of arrays.

        Args:
            inputs (list|Tensor|ndarray): what the network takes.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 3))
                print(model.predict_batch([np.ones([4, 2], "float32")])[0].shape)  # (4, 3)
        """
        return [arrays(o) for o in self._predict_step(inputs)]

    def _enter(self, mode: str) -> None:
        """Puts the network into training or evaluation if it is not there."""
        training = mode == "train"
        if self.network.training is not training or self.mode != mode:
            self.network.train() if training else self.network.eval()
            self.mode = mode

    def _train_step(self, inputs: Any, labels: Any) -> tuple[list[Tensor], list]:
        """One step of training; everything returned may still be on its way on the device."""
        if self._optimizer is None or self._loss is None:
            missing = "an optimizer" if self._optimizer is None else "a loss"
            raise PreconditionNotMetError(
                f"Model: training needs {missing}, but prepare() was given none."
            )
        self._enter("train")
        return self._adapter.train_step(to_list(inputs), to_list(labels))

    def _eval_step(self, inputs: Any, labels: Any) -> tuple[list[Tensor], list]:
        if self._loss is None and not self._metrics:
            raise PreconditionNotMetError(
                "Model: an evaluation needs a loss or metrics, but prepare() was given neither."
            )
        self._enter("eval")
        return self._adapter.eval_step(to_list(inputs), to_list(labels))

    def _predict_step(self, inputs: Any) -> list[Tensor]:
        self._enter("test")
        return self._adapter.predict_step(to_list(inputs))

    def _update_metrics(self, states: list[list]) -> list:
        """Hands computed states to the metrics, as arrays; returns what ``update`` returned."""
        return [
            metric.update(*[arrays(value) for value in state])
            for metric, state in zip(self._metrics, states, strict=True)
        ]

    def _values(self, losses: list[Tensor], states: list) -> Any:
        numbers = [loss.numpy() for loss in losses]
        if not self._metrics:
            return numbers
        measured = self._update_metrics(states)
        return (numbers, measured) if losses else measured

    # -- loops ------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: int = 1,
        epochs: int = 1,
        eval_freq: int = 1,
        log_freq: int = 10,
        save_dir: str | None = None,
        save_freq: int = 1,
        verbose: int = 2,
        drop_last: bool = False,
        shuffle: bool = True,
        num_workers: int = 0,
        callbacks: Any = None,
    ) -> History:
        """Trains.

        Args:
            train_data (Dataset|DataLoader|iterable): where the batches come from.
            eval_data (Dataset|DataLoader|iterable, optional): evaluated between epochs.
            batch_size (int): samples per step, for a Dataset. Default: 1.
            epochs (int): how often the data is gone through. Default: 1.
            eval_freq (int): epochs between evaluations; the first epoch has one. Default: 1.
            log_freq (int): steps between lines of the log. Default: 10.
            save_dir (str, optional): where checkpoints go.
            save_freq (int): epochs between checkpoints. Default: 1.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log, 3: the same with times.
                Default: 2.
            drop_last (bool): leave out an incomplete last batch. Default: False.
            shuffle (bool): draw a new order in every epoch. Default: True.
            num_workers (int): processes that load data. Default: 0.
            callbacks (Callback|list, optional): called at every step and epoch.

        Returns:
            History: the curves: ``history.history["loss"]``, ``history.plot("curves.png")``; they
            are ``model.history`` too, also where the training was interrupted.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                data = paddle.io.TensorDataset([paddle.rand([16, 2]), paddle.rand([16, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.MSELoss())
                history = model.fit(data, batch_size=8, epochs=2, verbose=0)
                print(history.epoch)  # [0, 1]
        """
        if train_data is None:
            raise InvalidArgumentError("Model.fit(train_data): expected data, but received None.")
        for name, count in (("epochs", epochs), ("eval_freq", eval_freq)):
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise InvalidArgumentError(
                    f"Model.fit({name}): expected an int of at least 1, but received {count!r}."
                )
        loader = make_loader(train_data, batch_size, shuffle, drop_last, num_workers)
        eval_loader = None
        if eval_data is not None:
            eval_loader = make_loader(eval_data, batch_size, False, False, num_workers)
        steps = length(loader)
        told = config_callbacks(
            callbacks, self, batch_size, epochs, steps, log_freq, verbose, save_freq, save_dir,
            self._metric_names(), "train",
        )  # fmt: skip
        self.stop_training = False
        self.history = History()
        told._prepend(self.history)
        self._run = run = FitRun(loader, told, log_freq)
        try:
            told.on_begin("train")
            for epoch in run.epochs(epochs):
                told.on_epoch_begin(epoch)
                if not run.ended:
                    run.logs = self._epoch(loader, told, "train", again=epoch > 0, run=run)
                    run.ended = True
                    told.on_epoch_end(epoch, run.logs)
                if eval_loader is not None and epoch % eval_freq == 0:
                    self._evaluate(eval_loader, told, again=epoch > 0)
                run.stopped = self.stop_training
            told.on_end("train", run.logs)
        finally:
            self._run = None
            self.history.settle(run.losses)
        return self.history

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
    ) -> dict[str, Any]:
        """Measures loss and metrics.

        Args:
            eval_data (Dataset|DataLoader|iterable): where the batches come from.
            batch_size (int): samples per step, for a Dataset. Default: 1.
            log_freq (int): steps between lines of the log. Default: 10.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log. Default: 2.
            num_workers (int): processes that load data. Default: 0.
            callbacks (Callback|list, optional): called at every step.

        Returns:
            dict: ``loss``, a list with the loss of the last batch, and every metric by name.

        Examples:
            .. code-block:: python

                import paddle
                data = paddle.io.TensorDataset([paddle.rand([16, 2]), paddle.rand([16, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(loss=paddle.nn.MSELoss())
                print(list(model.evaluate(data, batch_size=8, verbose=0)))  # ['loss']
        """
        loader = make_loader(eval_data, batch_size, False, False, num_workers)
        told = config_callbacks(
            callbacks, self, batch_size, 1, length(loader), log_freq, verbose,
            metrics=self._metric_names(), mode="eval",
        )  # fmt: skip
        logs = self._evaluate(loader, told)
        return {key: logs[key] for key in ["loss", *self._metric_list()] if key in logs}

    def _evaluate(self, loader: Any, told: Any, again: bool = False) -> dict[str, Any]:
        told.on_begin("eval", {"steps": length(loader), "metrics": self._metric_names()})
        logs = self._epoch(loader, told, "eval", again)
        told.on_end("eval", logs)
        return logs

    def predict(
        self,
        test_data: Any,
        batch_size: int = 1,
        num_workers: int = 0,
        stack_outputs: bool = False,
        callbacks: Any = None,
        *,
        verbose: int = 1,
    ) -> list:
        """Returns the outputs of the network for a data set.

        Args:
            test_data (Dataset|DataLoader|iterable): where the batches come from; labels in it are
                left out where the Model knows how many inputs the network takes.
            batch_size (int): samples per step, for a Dataset. Default: 1.
            num_workers (int): processes that load data. Default: 0.
            stack_outputs (bool): join the batches of each output. Default: False.
            callbacks (Callback|list, optional): called at every step.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log. Default: 1.

        Returns:
            list: for every output of the network a tuple of arrays, one per batch; or one array
            with ``stack_outputs``.

        Examples:
            .. code-block:: python

                import paddle
                data = paddle.io.TensorDataset([paddle.rand([16, 2])])
                model = paddle.Model(paddle.nn.Linear(2, 3))
                out = model.predict(data, batch_size=8, stack_outputs=True, verbose=0)
                print(out[0].shape)  # (16, 3)
        """
        loader = make_loader(test_data, batch_size, False, False, num_workers)
        told = config_callbacks(
            callbacks, self, batch_size, 1, length(loader), verbose=verbose, mode="predict"
        )
        told.on_begin("predict", {"steps": length(loader)})
        batches: list[list[np.ndarray]] = []
        count = 0
        for step, data in enumerate(loader):
            inputs = self._splitter(data, "predict")[0]
            told.on_batch_begin("predict", step, {})
            batches.append([arrays(o) for o in self._predict_step(inputs)])
            count += rows(inputs)
            told.on_batch_end("predict", step, {"step": step, "batch_size": rows(inputs)})
        if not batches:
            raise _no_batch("predict")
        told.on_end("predict", {"samples": count})
        columns = list(zip(*batches, strict=True))
        return [stacked(column) for column in columns] if stack_outputs else columns

    def _epoch(
        self, loader: Any, told: Any, mode: str, again: bool = False, run: FitRun | None = None
    ) -> dict[str, Any]:
        """Goes through the data once, training or evaluating.

        Losses and metrics stay where they were computed until a callback looks at the logs, so
        that a device is not waited for at every step.
        """
        resumed = run is not None and run.step > 0
        losses = Losses() if run is None else run.losses
        if not resumed:
            losses.clear()
            for metric in self._metrics:
                metric.reset()
        step_function = self._train_step if mode == "train" else self._eval_step
        waiting: list[list] = []
        room = _MOST_NUMBERS
        logs: dict[str, Any] = run.logs if resumed else {}  # type: ignore[union-attr]
        for step, data in enumerate(loader) if run is None else run.batches():
            inputs, labels = self._splitter(data, mode)
            told.on_batch_begin(mode, step, logs)
            found, states = step_function(inputs, labels)
            count = rows(inputs)
            if found:
                losses.add(step, count, found)
            if run is not None:
                run.advance()
            if states:
                waiting.append(states)
                room -= _numbers(states)
                if len(waiting) >= _MOST_WAITING or room < 0:
                    self._settle(waiting)
                    room = _MOST_NUMBERS
            logs = Logs(
                functools.partial(self._read, losses, waiting), losses, step=step, batch_size=count
            )
            told.on_batch_end(mode, step, logs)
        if isinstance(logs, Logs):
            logs.settle()
        elif resumed:
            return logs  # the run before did the last step too
        elif not again:
            raise _no_batch(mode)
        else:
            warnings.warn(
                f"Model: the data of {mode} gave no batch this time. A generator can be gone "
                "through only once: pass a Dataset, a DataLoader or a list.",
                stacklevel=outside(),
            )
        return logs

    def _settle(self, waiting: list[list]) -> None:
        for states in waiting:
            self._update_metrics(states)
        waiting.clear()

    def _read(self, losses: Losses, waiting: list[list]) -> dict[str, Any]:
        """Fetches the loss of a step and the metrics up to it."""
        self._settle(waiting)
        last = losses.fetch()
        values: dict[str, Any] = {"loss": last} if last else {}
        for metric in self._metrics:
            names, numbers = to_list(metric.name()), metric.accumulate()
            if len(names) > 1:
                values.update(zip(names, to_list(numbers), strict=True))
            elif names:
                one = isinstance(numbers, (list, tuple)) and len(numbers) == 1
                values[names[0]] = numbers[0] if one else numbers
        return values

    def _metric_list(self) -> list[str]:
        return [name for metric in self._metrics for name in to_list(metric.name())]

    def _metric_names(self) -> list[str]:
        return (["loss"] if self._loss is not None else []) + self._metric_list()

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """Saves ``path.pdparams`` and, with an optimizer, ``path.pdopt``.

        Args:
            path (str): folder and beginning of the file names.
            training (bool): True saves for training. False saves a model for inference, in
                evaluation mode: ``path.pdmodel`` and ``path.pdiparams``, to be loaded by
                :func:`paddle.jit.load`. The shapes of its inputs are those of ``inputs``, or
                of a batch that the Model has seen, with any number of samples.

        Raises:
            ValueError: for inference, and neither ``inputs`` nor a batch was given yet.

        Examples:
            .. code-block:: python

                import tempfile
                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 2))
                with tempfile.TemporaryDirectory() as folder:
                    model.save(folder + "/net")
                    model.load(folder + "/net")
        """
        self._adapter.save(path, training)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Loads what :meth:`save` wrote.

        Args:
            path (str): folder and beginning of the file names, or the ``.pdparams`` file.
            skip_mismatch (bool): leave out parameters that are missing or of another shape, with
                a warning, instead of raising an error. Default: False.
            reset_optimizer (bool): do not load the optimizer's state. Default: False.

        Raises:
            ValueError: a parameter is missing from the file or has another shape.
        """
        self._adapter.load(path, skip_mismatch, reset_optimizer)


def _numbers(states: list[list]) -> int:
    return sum(value.size for state in states for value in state if isinstance(value, Tensor))


def _no_batch(mode: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Model: expected at least one batch to {mode} with, but the data gave none.",
        hint="the data set may be empty, smaller than a batch with drop_last, or a used generator",
    )
