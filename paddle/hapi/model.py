"""Model: a network with its loss, optimizer and metrics; trains, evaluates and predicts."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

import paddle
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError, UnimplementedError
from paddle.core.mode import no_grad
from paddle.core.tensor import Tensor
from paddle.hapi.callbacks import config_callbacks
from paddle.hapi.logs import Logs
from paddle.io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset
from paddle.metric import Metric
from paddle.nn import Layer

__all__ = ["Model"]

# Metric values of this many steps may wait on the device before they are fetched.
_MOST_WAITING = 64


def to_list(value: Any) -> list:
    """Makes a list of one thing, of several, or of nothing."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Model:
    """A network that can be trained, evaluated and asked for predictions.

    Args:
        network (Layer): the network.
        inputs (InputSpec|list, optional): what the network takes; says how many of a sample's
            parts are inputs, and gives :meth:`summary` its shapes.
        labels (InputSpec|list, optional): what the loss takes besides.

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
        self._seen_shapes: list[list[int]] | None = None

    @staticmethod
    def _specs(name: str, specs: Any) -> list:
        listed = list(specs.values()) if isinstance(specs, dict) else to_list(specs)
        for spec in listed:
            if not isinstance(spec, (Tensor, paddle.static.InputSpec)):
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
        if optimizer is not None and not isinstance(optimizer, paddle.optimizer.Optimizer):
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
        self._optimizer, self._loss, self._metrics = optimizer, loss, listed

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
        return paddle.summary(self.network, size, dtype)

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
        return [o.numpy() for o in self._predict_step(inputs)]

    def _tensors(self, values: Any) -> list[Tensor]:
        return [v if isinstance(v, Tensor) else paddle.to_tensor(v) for v in to_list(values)]

    def _forward(self, inputs: list[Tensor]) -> list[Tensor]:
        self._seen_shapes = [t.shape for t in inputs]
        return to_list(self.network(*inputs))

    def _losses(self, outputs: list[Tensor], labels: list[Tensor]) -> list[Tensor]:
        return to_list(self._loss(*outputs, *labels))

    def _train_step(self, inputs: Any, labels: Any) -> tuple[list[Tensor], list]:
        """One step of training; everything returned may still be on its way on the device."""
        if self._optimizer is None or self._loss is None:
            missing = "an optimizer" if self._optimizer is None else "a loss"
            raise PreconditionNotMetError(
                f"Model: training needs {missing}, but prepare() was given none."
            )
        if not self.network.training or self.mode != "train":
            self.network.train()
            self.mode = "train"
        inputs, labels = self._tensors(inputs), self._tensors(labels)
        outputs = self._forward(inputs)
        losses = self._losses(outputs, labels)
        total = losses[0]
        for loss in losses[1:]:
            total = total + loss
        total.backward()
        self._optimizer.step()
        self._optimizer.clear_grad()
        return [loss.detach() for loss in losses], self._measure(outputs, labels)

    @no_grad()
    def _eval_step(self, inputs: Any, labels: Any) -> tuple[list[Tensor], list]:
        if self.network.training or self.mode != "eval":
            self.network.eval()
            self.mode = "eval"
        inputs, labels = self._tensors(inputs), self._tensors(labels)
        outputs = self._forward(inputs)
        losses = self._losses(outputs, labels) if self._loss is not None and labels else []
        return losses, self._measure(outputs, labels)

    @no_grad()
    def _predict_step(self, inputs: Any) -> list[Tensor]:
        if self.network.training or self.mode != "test":
            self.network.eval()
            self.mode = "test"
        return self._forward(self._tensors(inputs))

    @no_grad()
    def _measure(self, outputs: list[Tensor], labels: list[Tensor]) -> list[list]:
        """Runs ``compute`` of every metric: what it gives is handed to ``update`` later."""
        return [
            to_list(metric.compute(*[o.detach() for o in outputs], *labels))
            for metric in self._metrics
        ]

    def _update_metrics(self, states: list[list]) -> list:
        """Hands computed states to the metrics; returns what ``update`` returned."""
        return [m.update(*s) for m, s in zip(self._metrics, states, strict=True)]

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
    ) -> None:
        """Trains.

        Args:
            train_data (Dataset|DataLoader|iterable): where the batches come from.
            eval_data (Dataset|DataLoader|iterable, optional): evaluated between epochs.
            batch_size (int): samples per step, for a Dataset. Default: 1.
            epochs (int): how often the data is gone through. Default: 1.
            eval_freq (int): epochs between evaluations. Default: 1.
            log_freq (int): steps between lines of the log. Default: 10.
            save_dir (str, optional): where checkpoints go.
            save_freq (int): epochs between checkpoints. Default: 1.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log. Default: 2.
            drop_last (bool): leave out an incomplete last batch. Default: False.
            shuffle (bool): draw a new order in every epoch. Default: True.
            num_workers (int): processes that load data. Default: 0.
            callbacks (Callback|list, optional): called at every step and epoch.

        Examples:
            .. code-block:: python

                import numpy as np
                import paddle
                data = paddle.io.TensorDataset([paddle.rand([16, 2]), paddle.rand([16, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                              paddle.nn.MSELoss())
                model.fit(data, batch_size=8, epochs=2, verbose=0)
        """
        if train_data is None:
            raise InvalidArgumentError("Model.fit(train_data): expected data, but received None.")
        loader = self._loader(train_data, batch_size, shuffle, drop_last, num_workers)
        eval_loader = None
        if eval_data is not None:
            eval_loader = self._loader(eval_data, batch_size, False, False, num_workers)
        steps = _length(loader)
        told = config_callbacks(
            callbacks, self, batch_size, epochs, steps, log_freq, verbose, save_freq, save_dir,
            self._metric_names(), "train",
        )  # fmt: skip
        self.stop_training = False
        told.on_begin("train")
        for epoch in range(epochs):
            told.on_epoch_begin(epoch)
            logs = self._epoch(loader, told, "train")
            told.on_epoch_end(epoch, logs)
            if eval_loader is not None and (epoch % eval_freq == 0 or epoch == epochs - 1):
                self._evaluate(eval_loader, told)
            if self.stop_training:
                break
        told.on_end("train", logs)

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
        loader = self._loader(eval_data, batch_size, False, False, num_workers)
        told = config_callbacks(
            callbacks, self, batch_size, 1, _length(loader), log_freq, verbose,
            metrics=self._metric_names(), mode="eval",
        )  # fmt: skip
        logs = self._evaluate(loader, told)
        return {key: logs[key] for key in ["loss", *self._metric_list()] if key in logs}

    def _evaluate(self, loader: Any, told: Any) -> dict[str, Any]:
        told.on_begin("eval", {"steps": _length(loader), "metrics": self._metric_names()})
        logs = self._epoch(loader, told, "eval")
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
        loader = self._loader(test_data, batch_size, False, False, num_workers)
        told = config_callbacks(
            callbacks, self, batch_size, 1, _length(loader), 1, verbose, metrics=[], mode="predict"
        )
        told.on_begin("predict", {"steps": _length(loader)})
        batches: list[list[np.ndarray]] = []
        count = 0
        for step, data in enumerate(loader):
            inputs = self._split(data, "predict")[0]
            told.on_batch_begin("predict", step, {})
            batches.append([o.numpy() for o in self._predict_step(inputs)])
            count += _rows(inputs)
            told.on_batch_end("predict", step, {"step": step, "batch_size": _rows(inputs)})
        told.on_end("predict", {"samples": count})
        columns = list(zip(*batches, strict=True))
        return [np.concatenate(c) for c in columns] if stack_outputs else columns

    def _epoch(self, loader: Any, told: Any, mode: str) -> dict[str, Any]:
        """Goes through the data once, training or evaluating.

        Losses and metrics stay where they were computed until a callback looks at the logs, so
        that a device is not waited for at every step.
        """
        for metric in self._metrics:
            metric.reset()
        step_function = self._train_step if mode == "train" else self._eval_step
        waiting: list[list] = []
        samples = 0
        logs: dict[str, Any] = {}
        for step, data in enumerate(loader):
            inputs, labels = self._split(data, mode)
            told.on_batch_begin(mode, step, logs)
            losses, states = step_function(inputs, labels)
            waiting.append(states)
            samples += _rows(inputs)
            if len(waiting) >= _MOST_WAITING:
                self._settle(waiting)
            logs = Logs(
                lambda losses=losses: self._read(losses, waiting),
                step=step,
                batch_size=_rows(inputs),
                samples=samples,
            )
            told.on_batch_end(mode, step, logs)
        if isinstance(logs, Logs):
            logs.settle()
        return logs

    def _settle(self, waiting: list[list]) -> None:
        for states in waiting:
            self._update_metrics(states)
        waiting.clear()

    def _read(self, losses: list[Tensor], waiting: list[list]) -> dict[str, Any]:
        """Fetches the loss of a step and the metrics up to it."""
        self._settle(waiting)
        values: dict[str, Any] = {}
        if losses:
            values["loss"] = [float(loss.numpy().reshape(-1)[0]) for loss in losses]
        for metric in self._metrics:
            names, numbers = to_list(metric.name()), to_list(metric.accumulate())
            values.update(zip(names, numbers, strict=True))
        return values

    def _metric_list(self) -> list[str]:
        return [name for metric in self._metrics for name in to_list(metric.name())]

    def _metric_names(self) -> list[str]:
        return (["loss"] if self._loss is not None else []) + self._metric_list()

    # -- data -------------------------------------------------------------------------------------

    def _loader(
        self, data: Any, batch_size: int, shuffle: bool, drop_last: bool, num_workers: int
    ) -> Any:
        if isinstance(data, IterableDataset):
            return DataLoader(
                data, batch_size=batch_size, drop_last=drop_last, num_workers=num_workers
            )
        if isinstance(data, Dataset):
            sampler = DistributedBatchSampler(
                data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last
            )
            return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)
        if isinstance(data, (DataLoader, Iterable)) or hasattr(data, "__getitem__"):
            return data
        raise TypeError(
            "Model: expected a Dataset, a DataLoader or an iterable of batches as data, "
            f"got {type(data).__name__}."
        )

    def _split(self, data: Any, mode: str) -> tuple[list, list]:
        """Splits a batch into what the network takes and what the loss takes."""
        parts = list(data.values()) if isinstance(data, dict) else to_list(data)
        flat = [p for part in parts for p in (part if isinstance(part, (list, tuple)) else [part])]
        if self._inputs:
            count = len(self._inputs)
        elif mode == "predict":
            count = self._takes(len(flat))
        else:
            count = len(flat) - len(self._labels) if self._labels else max(len(flat) - 1, 1)
        return flat[:count], flat[count:]

    def _takes(self, offered: int) -> int:
        """How many of the offered parts the network's forward takes, when nobody said."""
        if self._labels:
            return offered - len(self._labels)
        parameters = inspect.signature(self.network.forward).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return max(offered - 1, 1) if offered > 1 else offered
        positional = [
            p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        required = [p for p in positional if p.default is p.empty]
        return min(offered, max(len(required), 1))

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """Saves ``path.pdparams`` and, with an optimizer, ``path.pdopt``.

        Args:
            path (str): folder and beginning of the file names.
            training (bool): True saves for training; False, a model for inference, is not
                implemented yet.

        Examples:
            .. code-block:: python

                import tempfile
                import paddle
                model = paddle.Model(paddle.nn.Linear(2, 2))
                with tempfile.TemporaryDirectory() as folder:
                    model.save(folder + "/net")
                    model.load(folder + "/net")
        """
        base = os.path.basename(path)
        if not base:
            raise InvalidArgumentError(
                f"Model.save(path): expected folder/name, but {path!r} ends without a name."
            )
        if not training:
            raise UnimplementedError(
                "Model.save(training=False), a model for inference, is not implemented yet.",
                hint="save the parameters with training=True and build the network again",
            )
        paddle.save(self.network.state_dict(), path + ".pdparams")
        if self._optimizer is not None:
            paddle.save(self._optimizer.state_dict(), path + ".pdopt")

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
        prefix = path[: -len(".pdparams")] if path.endswith(".pdparams") else path
        state = paddle.load(prefix + ".pdparams")
        own = self.network.state_dict()
        usable, problems = {}, []
        for name, tensor in own.items():
            if name not in state:
                problems.append(f"{name} is not in the file")
            elif list(state[name].shape) != tensor.shape:
                problems.append(
                    f"{name} has shape {list(state[name].shape)} in the file, "
                    f"but the network expects {tensor.shape}"
                )
            else:
                usable[name] = state[name]
        if problems and not skip_mismatch:
            raise InvalidArgumentError(
                f"Model.load({path!r}): " + "; ".join(problems) + ".",
                hint="pass skip_mismatch=True to load the rest",
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the summary below says it once
            self.network.set_state_dict(usable)
        if problems:
            warnings.warn(f"Model.load({path!r}) skipped: {'; '.join(problems)}.", stacklevel=2)
        if self._optimizer is None or reset_optimizer:
            return
        if os.path.exists(prefix + ".pdopt"):
            self._optimizer.set_state_dict(paddle.load(prefix + ".pdopt"))


def _length(loader: Any) -> int | None:
    try:
        return len(loader)
    except (TypeError, RuntimeError):
        return None


def _rows(inputs: list) -> int:
    return len(inputs[0]) if inputs and hasattr(inputs[0], "__len__") else 1
