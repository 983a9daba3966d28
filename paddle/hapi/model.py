"""Model: a network with its loss, optimizer and metrics; trains, evaluates and predicts."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from paddle import static
from paddle.core.errors import InvalidArgumentError, PreconditionNotMetError
from paddle.core.guards import Guarded
from paddle.core.tensor import Tensor
from paddle.framework.mode import in_dynamic_mode
from paddle.hapi import resume
from paddle.hapi.callback_board import VisualDL
from paddle.hapi.callback_log import first_rank
from paddle.hapi.callbacks import config_callbacks
from paddle.hapi.dynamic_adapter import DynamicAdapter
from paddle.hapi.feeding import Splitter, arrays, length, make_loader, sizes, to_list
from paddle.hapi.fit_run import FitRun, check_counts
from paddle.hapi.history import History
from paddle.hapi.loops import Loops, update_metrics
from paddle.hapi.model_summary import summary
from paddle.hapi.precision import Precision, parse
from paddle.hapi.static_adapter import StaticAdapter
from paddle.metric import Metric
from paddle.nn import Layer
from paddle.serialization.files.suffixes import PARAMS

__all__ = ["Model"]


class Model(Loops, Guarded):
    """A network that can be trained, evaluated and asked for predictions.

    Under ``paddle.distributed.launch`` processes train together, in both modes: each gets its share
    of a Dataset, and losses, metrics and predictions are those of all. The first prints and saves.

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
        self._precision = Precision()
        self._resume: resume.Resume | None = None  # where fit is to go on
        self._run: FitRun | None = None  # inside of fit
        self.history: History | None = None  # of the last fit
        self._seen_shapes: list[list[int]] | None = None
        self._seen: list[tuple[list[int], Any]] | None = None  # shapes with dtypes
        self._splitter = Splitter(
            network, _names(inputs, self._inputs), _names(labels, self._labels)
        )
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

    def prepare(
        self,
        optimizer: Any = None,
        loss: Any = None,
        metrics: Any = None,
        amp_configs: Any = None,
    ) -> None:
        """Says how to train and what to measure.

        Args:
            optimizer (Optimizer, optional): needed for training.
            loss (Layer|callable, optional): takes the outputs and the labels.
            metrics (Metric|list[Metric], optional): what is measured; each gets all outputs and
                all labels.
            amp_configs (str|dict, optional): mixed precision: a level, ``"O1"`` or ``"O2"`` (see
                :func:`paddle.amp.auto_cast`), or a dict with ``level``, ``custom_white_list``,
                ``custom_black_list``, and arguments of :class:`paddle.amp.GradScaler` such as
                ``init_loss_scaling``; in static mode ``custom_black_varnames`` too. None and
                ``"O0"`` train in 32 bits. Evaluations are in 32 bits.

        Raises:
            TypeError: an argument is of another kind.
            ValueError: ``amp_configs`` has a key, a level or a value that there is not.

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
        self._precision = parse(amp_configs, isinstance(self._adapter, DynamicAdapter))
        self._optimizer, self._loss, self._metrics = optimizer, loss, listed
        self._adapter.prepare(optimizer, loss, listed, self._precision)

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

    def train_batch(self, inputs: Any, labels: Any = None, update: bool = True) -> Any:
        """Trains on one batch.

        Args:
            inputs (list|Tensor|ndarray): what the network takes.
            labels (list|Tensor|ndarray, optional): what the loss takes besides.
            update (bool): False keeps the gradients for the update of a later batch, which is
                then that of one large batch. Default: True.

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
        losses, states = self._train_step(inputs, labels, update)
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

    def _train_step(
        self, inputs: Any, labels: Any, update: bool = True
    ) -> tuple[list[Tensor], list]:
        """One step of training; everything returned may still be on its way on the device."""
        if self._optimizer is None or self._loss is None:
            missing = "an optimizer" if self._optimizer is None else "a loss"
            raise PreconditionNotMetError(
                f"Model: training needs {missing}, but prepare() was given none."
            )
        self._enter("train")
        return self._adapter.train_step(to_list(inputs), to_list(labels), update)

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

    def _values(self, losses: list[Tensor], states: list) -> Any:
        numbers = [loss.numpy() for loss in losses]
        if not self._metrics:
            return numbers
        measured = update_metrics(self._metrics, states)
        return (numbers, measured) if losses else measured

    # -- loops ------------------------------------------------------------------------------------

    def fit(
        self,
        train_data: Any = None,
        eval_data: Any = None,
        batch_size: Any = 1,
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
        accumulate_grad_batches: int = 1,
        num_iters: int | None = None,
        resume: bool = False,
    ) -> History:
        """Trains.

        Ctrl-C ends it after the step under way: with ``save_dir`` a checkpoint is saved as
        ``save_dir/interrupted``, from which ``load`` and ``fit`` go on, and KeyboardInterrupt is
        raised. A second Ctrl-C interrupts at once.

        Args:
            train_data (Dataset|DataLoader|iterable): where the batches come from.
            eval_data (Dataset|DataLoader|iterable, optional): evaluated between epochs.
            batch_size (int|list): samples per step, for a Dataset; a list of two has another
                number for ``eval_data``. Default: 1.
            epochs (int): how often the data is gone through. Default: 1.
            eval_freq (int): epochs between evaluations; the first epoch has one. Default: 1.
            log_freq (int): steps between lines of the log. Default: 10.
            save_dir (str, optional): where checkpoints go; see
                :class:`paddle.callbacks.ModelCheckpoint`.
            save_freq (int): epochs between checkpoints. Default: 1.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log, 3: the same with times.
                Default: 2.
            drop_last (bool): leave out an incomplete last batch. Default: False.
            shuffle (bool): draw a new order in every epoch. Default: True.
            num_workers (int): processes that load data. Default: 0.
            callbacks (Callback|list, optional): called at every step and epoch.
            accumulate_grad_batches (int): batches per update, by the sum of their gradients. To
                update as one large batch would where the loss is a mean, divide the learning rate
                of SGD by as much. At the end of an epoch an incomplete group has an update, too.
                Default: 1.
            num_iters (int, optional): ends the training after so many steps; ``epochs`` then
                follows from it where the length of the data is known.
            resume (bool): go on from the newest checkpoint in ``save_dir``, or in that of a
                :class:`paddle.callbacks.ModelCheckpoint`, that is whole; where there is none,
                begin. Default: False. Not in 2.0.

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
        check_counts(
            "fit", epochs=epochs, eval_freq=eval_freq, log_freq=log_freq, save_freq=save_freq,
            accumulate_grad_batches=accumulate_grad_batches, num_iters=num_iters,
        )  # fmt: skip
        both = sizes(batch_size)
        loader = make_loader(
            "fit(train_data)", train_data, both[0], shuffle, drop_last, num_workers
        )
        evaluation = None
        if eval_data is not None:
            evaluation = make_loader(
                "fit(eval_data)", eval_data, both[1], False, False, num_workers
            )
        steps = length(loader)
        if num_iters is not None and steps:
            epochs, steps = -(-num_iters // steps), min(num_iters, steps)
        told = config_callbacks(
            callbacks, self, both[0], epochs, steps, log_freq, verbose, save_freq, save_dir,
            self._metric_names(), "train",
        )  # fmt: skip
        self.stop_training = False
        self.history = History()
        told.callbacks.insert(0, self.history)
        told.set_model(self)
        told.set_params(told.params)
        if resume:
            self._load_newest(told)
        self._run = FitRun(loader, told, log_freq, accumulate_grad_batches, num_iters)
        self.history.follow(self._run.losses)
        for callback in told:
            if isinstance(callback, VisualDL):
                callback.follow(self._run, evaluation is not None)
        try:
            self._train(self._run, epochs, evaluation, eval_freq)
        except BaseException:
            for callback in told:
                if isinstance(callback, VisualDL):
                    callback.leave()
            raise
        finally:
            self._run = None
        return self.history

    def evaluate(
        self,
        eval_data: Any,
        batch_size: int = 1,
        log_freq: int = 10,
        verbose: int = 2,
        num_workers: int = 0,
        callbacks: Any = None,
        num_iters: int | None = None,
    ) -> dict[str, Any]:
        """Measures loss and metrics.

        Args:
            eval_data (Dataset|DataLoader|iterable): where the batches come from.
            batch_size (int): samples per step, for a Dataset. Default: 1.
            log_freq (int): steps between lines of the log. Default: 10.
            verbose (int): 0: silent, 1: progress bar, 2: a line per log. Default: 2.
            num_workers (int): processes that load data. Default: 0.
            callbacks (Callback|list, optional): called at every step.
            num_iters (int, optional): the most batches that are looked at.

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
        check_counts("evaluate", log_freq=log_freq, num_iters=num_iters)
        loader = make_loader(
            "evaluate(eval_data)", eval_data, batch_size, False, False, num_workers
        )
        told = config_callbacks(
            callbacks, self, batch_size, 1, length(loader), log_freq, verbose,
            metrics=self._metric_names(), mode="eval",
        )  # fmt: skip
        logs = self._evaluate(loader, told, num_iters)
        return {key: logs[key] for key in ["loss", *self._metric_list()] if key in logs}

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
        loader = make_loader("predict(test_data)", test_data, batch_size, False, False, num_workers)
        told = config_callbacks(
            callbacks, self, batch_size, 1, length(loader), verbose=verbose, mode="predict"
        )
        return self._predict(loader, told, stack_outputs)

    def _metric_list(self) -> list[str]:
        return [name for metric in self._metrics for name in to_list(metric.name())]

    def _metric_names(self) -> list[str]:
        return (["loss"] if self._loss is not None else []) + self._metric_list()

    # -- files ------------------------------------------------------------------------------------

    def save(self, path: str, training: bool = True) -> None:
        """Saves ``path.pdparams`` and, with an optimizer, ``path.pdopt``; the first process does.

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
        if not first_rank():
            return
        run, state = self._run, None
        if training and run is not None and run.saving:
            state = resume.collect(self, run.job)
        self._adapter.save(path, training, state)

    def load(self, path: str, skip_mismatch: bool = False, reset_optimizer: bool = False) -> None:
        """Loads what :meth:`save` or a checkpoint of ``fit`` wrote; call it after ``prepare``.

        A checkpoint of ``fit(save_dir=...)`` tells where the training stood. The next ``fit``,
        called as the one that was killed or interrupted, goes on from there: it computes the very
        numbers that an undisturbed one would have, random numbers and the order of data included.
        Checkpoints of a training that was complete (``final``) and of ``save`` do not tell that;
        nor does any with ``reset_optimizer``. A fit of other data, or of no more epochs than were
        done, begins a new training, with a warning; where the folder was loaded, the former is an
        error, and after the latter nothing is left to do.

        Args:
            path (str): folder and beginning of the file names, or the ``.pdparams`` file; or a
                folder of checkpoints, of which the newest is taken.
            skip_mismatch (bool): leave out parameters that are missing or of another shape, with
                a warning, instead of raising an error. Default: False.
            reset_optimizer (bool): load the parameters alone, for a new training. Default: False.

        Raises:
            ValueError: a parameter is missing from the file or has another shape; or a file is
                damaged, or of another save than the others.

        Examples:
            .. code-block:: python

                import tempfile
                import paddle
                data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
                model = paddle.Model(paddle.nn.Linear(2, 1))
                model.prepare(paddle.optimizer.Adam(parameters=model.parameters()),
                              paddle.nn.MSELoss())
                with tempfile.TemporaryDirectory() as folder:
                    model.fit(data, batch_size=4, epochs=2, save_dir=folder, verbose=0)
                    model.load(folder)  # in another process, after this one was killed
                    history = model.fit(data, batch_size=4, epochs=3, verbose=0)
                print(history.epoch)  # [0, 1, 2]
        """
        if not isinstance(path, str):
            raise TypeError(f"Model.load(path): expected a str, got {type(path).__name__}.")
        folder = os.path.isdir(path) and not os.path.isfile(path + PARAMS)
        if folder:
            path = resume.newest(path)
        found = None if reset_optimizer else resume.read(path, strict=folder)
        whole = self._adapter.load(path, skip_mismatch, reset_optimizer)
        self._resume = found if whole else None


def _names(given: Any, specs: list) -> list:
    """Names of inputs or labels: their own, or the keys of a dict that they came in."""
    keys = list(given) if isinstance(given, dict) else [None] * len(specs)
    return [spec.name or key for spec, key in zip(specs, keys, strict=True)]
