"""VisualDL: the callback that writes a training into a log which the board of visualdl shows."""

from __future__ import annotations

import contextlib
import glob
import importlib
import os
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from paddle.core.errors import InvalidArgumentError, UnimplementedError
from paddle.hapi.callback_base import Callback
from paddle.hapi.callback_log import first_rank
from paddle.hapi.fit_run import FitRun
from paddle.hapi.training_state.programs import Randomness
from paddle.static import InputSpec, global_scope


class VisualDL(Callback):
    """Writes losses and metrics, and more on demand, into a log that ``visualdl`` shows.

    One log file holds a training and its evaluations; with several processes the first one writes.
    A ``fit`` that goes on from a checkpoint, and an ``evaluate`` after it, continue that file.
    ``train/loss`` and the metrics have a point for every step, counted over all epochs, though the
    device is waited for only every ``log_freq`` steps; ``eval/...`` have one for every epoch.

    Args:
        log_dir (str): folder of the log.
        histograms (bool): write the parameters as histograms, at the end of every epoch. Default:
            False.
        gradients (bool): write the gradients as histograms, as the optimizer gets them in the last
            update of every epoch (where the length of the data is unknown: in its first). Dynamic
            mode only. Default: False.
        images (int): write the pictures of so many samples of the training data. Default: 0.
        graph (bool): write the network, for the page Graph. Default: False.
        hparams (dict, optional): name -> number or str, for the page Hyper-parameters; the losses
            and metrics are the results.

    Examples:
        .. code-block:: python

            import tempfile
            import paddle
            from visualdl import LogReader
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            with tempfile.TemporaryDirectory() as folder:
                board = paddle.callbacks.VisualDL(folder, hparams={"rate": 0.1})
                model.fit(data, batch_size=4, verbose=0, callbacks=board)
                # visualdl --logdir FOLDER
    """

    def __init__(
        self,
        log_dir: str,
        *,
        histograms: bool = False,
        gradients: bool = False,
        images: int = 0,
        graph: bool = False,
        hparams: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if isinstance(images, bool) or not isinstance(images, int) or images < 0:
            raise InvalidArgumentError(
                f"VisualDL(images): expected an int of at least 0, but received {images!r}."
            )
        if hparams is not None and not isinstance(hparams, dict):
            raise InvalidArgumentError(
                f"VisualDL(hparams): expected a dict of name -> value, but received {hparams!r}."
            )
        self.log_dir = log_dir
        self.histograms, self.gradients, self.images = histograms, gradients, images
        self.graph, self.hparams = graph, hparams
        self.epoch = 0
        self.train_step = 0
        self._eval_run = 0
        self._training = False
        self._writer: Any = None
        self._file: str | None = None  # what an evaluation afterwards continues
        self._run: FitRun | None = None
        self._evaluates = False
        self._points: dict[int, dict[str, Any]] = {}  # of steps, to be written in their order
        self._times: dict[int, float] = {}

    def follow(self, run: FitRun, evaluates: bool) -> None:
        """Says which training it writes, before that begins.

        Args:
            run (FitRun): the run of ``Model.fit``.
            evaluates (bool): whether there are evaluations between the epochs.
        """
        for name in ("gradients", "graph"):
            if getattr(self, name) and not hasattr(self.model._adapter, "watch"):
                raise UnimplementedError(
                    f"VisualDL({name}=True) works in dynamic mode, but this Model was made in "
                    "static mode.",
                    hint="fetch gradients by name for LogWriter.add_histogram; "
                    "`visualdl --model FILE` shows a saved Program",
                )
        self._run, self._evaluates = run, evaluates
        if first_rank():
            run.losses.tell = self._tell

    def leave(self) -> None:
        """Writes the steps that an exception left unwritten: they often tell what went wrong."""
        if self._writer is None:
            return
        with contextlib.suppress(RuntimeError, OSError):  # the device or the disk may have failed
            getattr(self._run and self._run.logs, "settle", lambda: None)()
        with contextlib.suppress(OSError):
            self._close()

    # -- the log ----------------------------------------------------------------------------------

    def _open(self) -> None:
        if self._writer is not None or not first_rank():
            return
        try:
            module = importlib.import_module("visualdl")
        except ImportError as error:
            raise ImportError(
                "paddle.callbacks.VisualDL: the package visualdl is not installed; it comes with "
                "this paddle: install its wheel or folder once more, or leave the callback out."
            ) from error
        if self._training:
            goes_on = self._run is not None and self._run.total > 0
            self._file = (self._file or _newest(self.log_dir)) if goes_on else None
        continued = {} if self._file is None else {"file_name": self._file}
        self._writer = module.LogWriter(self.log_dir, **continued)
        self._file = getattr(self._writer, "file_name", None)

    def _close(self) -> None:
        self._flush()
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _flush(self) -> None:
        """Writes the steps that have been fetched."""
        for step in sorted(self._points):
            self._write("train", self._points[step], step, self._times.pop(step, None))
        self._points.clear()

    def _write(self, mode: str, values: Any, step: int, walltime: float | None = None) -> None:
        if self._writer is None:
            return
        for name in self.params.get("metrics") or []:
            if name not in values:
                continue
            value = values[name]
            if isinstance(value, (list, tuple)):
                value = value[0]
            self._writer.add_scalar(f"{mode}/{name}", float(value), step, walltime)

    # -- a training -------------------------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        """Remembers that this is a training; the log is opened when its first epoch begins."""
        self._close()  # one that was left by an exception
        self._training = True
        self.train_step = 0

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Opens the log; remembers the epoch, the axis of evaluations."""
        self.epoch = epoch or 0
        if self._writer is None:
            self._open()
            self._begin()

    def _begin(self) -> None:
        """Writes what is known before the first step."""
        writer, run = self._writer, self._run
        if run is not None:
            self.train_step = run.total
        if writer is None or (run is not None and run.total):
            return
        if self.hparams is not None:
            modes = ["train", "eval"] if self._evaluates else ["train"]
            names = self.params.get("metrics") or []
            writer.add_hparams(self.hparams, [f"{mode}/{name}" for mode in modes for name in names])
        if self.images:
            self._write_images()
        if self.graph:
            writer.add_graph(self.model.network, self._specs())

    def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
        """Asks for the gradients of the step, if these are to be written."""
        if not self.gradients or self._writer is None:
            return
        steps = self.params.get("steps")
        if step == (0 if steps is None else steps - 1):
            self.model._adapter.watch = self._write_gradients

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Fetches losses and metrics every ``log_freq`` steps; this waits for the device."""
        self.train_step += 1
        if self._run is None:  # a loop that is not Model.fit
            self._write("train", logs or {}, self.train_step)
        elif self._writer is not None:
            self._times[self.train_step] = time.time()
            if self.train_step % self._run.log_freq == 0:
                self._run.logs.settle()  # type: ignore[attr-defined]
                self._flush()

    def _tell(self, step: int, values: dict[str, Any]) -> None:
        assert self._run is not None
        number = self._run.total - self._run.step + step + 1
        self._points.setdefault(number, {}).update(values)

    def on_epoch_end(self, epoch: int | None = None, logs: Any = None) -> None:
        """Writes the rest of the steps, and the parameters, if these were asked for."""
        self._flush()
        if self.histograms and self._writer is not None:
            self._log_model(self.train_step, gradients=False)

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the log."""
        self._close()
        self._training, self._run = False, None

    def _write_gradients(self, scale: float) -> None:
        """Writes the gradients that the optimizer is about to use.

        Args:
            scale (float): what they are multiplied by, in mixed precision.
        """
        self.model._adapter.watch = None
        self._log_model(self.train_step + 1, weights=False, scale=scale)

    def _log_model(self, step: int, **what: Any) -> None:
        network = self.model.network
        held = network if hasattr(self.model._adapter, "watch") else _InScope(network)
        importlib.import_module("visualdl").log_model(self._writer, held, step, **what)

    # -- an evaluation ----------------------------------------------------------------------------

    def on_eval_begin(self, logs: Any = None) -> None:
        """Opens the log, for an evaluation on its own."""
        self._open()

    def on_eval_end(self, logs: Any = None) -> None:
        """Writes the loss and the metrics of the evaluation."""
        if not self._training:
            self._eval_run += 1
        self._write("eval", logs or {}, self.epoch if self._training else self._eval_run)
        if not self._training:
            self._close()

    # -- samples ----------------------------------------------------------------------------------

    def _samples(self, count: int) -> list[tuple]:
        """The first samples of the training data; takes no random numbers from the run."""
        dataset: Any = getattr(self._run and self._run.loader, "dataset", None)
        random = Randomness()
        before = random.collect()
        try:
            found = [dataset[i] for i in range(min(count, len(dataset)))]
        except (TypeError, NotImplementedError, RuntimeError) as error:
            raise InvalidArgumentError(
                "VisualDL(images, graph): expected training data whose samples can be taken by "
                f"number, but received {type(dataset).__name__}; pass a Dataset to fit, or for "
                "graph give paddle.Model its inputs."
            ) from error
        finally:
            random.apply(before)
        return [tuple(s) if isinstance(s, (list, tuple)) else (s,) for s in found]

    def _write_images(self) -> None:
        for number, sample in enumerate(self._samples(self.images)):
            for part in sample:
                picture = _picture(part)
                if picture is not None:
                    self._writer.add_image(f"train/sample_{number}", picture, 0)
                    break
            else:
                shapes = [list(getattr(part, "shape", [])) for part in sample]
                raise InvalidArgumentError(
                    "VisualDL(images): expected samples with a picture of shape [H, W], [C, H, W] "
                    f"or [H, W, C], of 1, 3 or 4 channels, but received shapes {shapes}."
                )

    def _specs(self) -> list[InputSpec]:
        """What the network takes: as the Model was told, else as the first sample has it."""
        model = self.model
        if model._inputs:
            return list(model._inputs)
        sample = self._samples(1)[0]
        count = len(sample) - len(model._labels or [None]) if len(sample) > 1 else 1
        return [InputSpec([None, *part.shape], str(part.dtype)) for part in sample[: max(count, 1)]]


class _InScope:
    """The parameters of a network in static mode, whose values are in the scope.

    Args:
        network (Layer): the network.
    """

    def __init__(self, network: Any) -> None:
        self._network = network

    def named_parameters(self) -> Iterator[tuple[str, np.ndarray]]:
        """Their names in the network, and their values."""
        scope = global_scope()
        for name, variable in self._network.named_parameters():
            yield name, np.asarray(scope.var(variable.name).get_tensor())


def _newest(folder: str) -> str | None:
    """The name of the newest log in a folder."""
    found = glob.glob(os.path.join(glob.escape(folder), "vdlrecords.*.log*"))
    return os.path.basename(max(found)) if found else None


def _picture(part: Any) -> Any:
    """A part of a sample with the channels last, values 0 to 1 or of uint8; None: no picture."""
    shape = list(getattr(part, "shape", []))
    array = part.numpy() if hasattr(part, "numpy") else part
    if len(shape) == 3 and shape[-1] not in (1, 3, 4) and shape[0] in (1, 3, 4):
        array = array.transpose(1, 2, 0)
    elif len(shape) != 2 and not (len(shape) == 3 and shape[-1] in (1, 3, 4)):
        return None
    if array.dtype.kind != "f":
        return array
    low, high = array.min(), array.max()  # normalised pictures are stretched to what can be seen
    inside = low >= 0 and high <= 1
    return array if inside else (array - low) / max(high - low, 1e-12)
