"""ProgBarLogger: the callback that writes the log on standard output."""

from __future__ import annotations

import os
import time
from typing import Any

from paddle.core.errors import InvalidArgumentError
from paddle.hapi.callback_base import Callback
from paddle.hapi.progressbar import ProgressBar

_TRAIN_HEAD = (
    "The loss value printed in the log is the current step, "
    "and the metric is the average value of previous step."
)
_EVAL_HEAD = (
    "The loss value printed in the log is the current batch, "
    "and the metric is the average value of previous step."
)


def first_rank() -> bool:
    """Whether this process is the one of several that writes logs and files."""
    # What ParallelEnv().local_rank reads; a single process needs nothing of paddle.distributed.
    return int(os.environ.get("PADDLE_TRAINER_ID", "0")) == 0


class _Clock:
    """Average times of reading and of computing a step, for ``verbose=3``."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._restart()

    def _restart(self) -> None:
        self.reading = self.working = 0.0
        self.steps = self.samples = 0

    def read(self) -> None:
        now = time.perf_counter()
        self.reading += now - self._last
        self._last = now

    def worked(self, samples: int) -> None:
        now = time.perf_counter()
        self.working += now - self._last
        self._last = now
        self.steps += 1
        self.samples += samples

    def values(self) -> list[list[str]]:
        steps, total = max(self.steps, 1), self.reading + self.working
        rate = self.samples / total if total else 0.0
        shown = [
            ["avg_reader_cost", f"{self.reading / steps:.5f} sec"],
            ["avg_batch_cost", f"{self.working / steps:.5f} sec"],
            ["ips", f"{rate:.5f} samples/sec"],
        ]
        self._restart()
        return shown


class ProgBarLogger(Callback):
    """Writes the log of ``fit``, ``evaluate`` and ``predict`` to standard output.

    Only the steps that are written are looked at, so the device is not waited for at the others.

    Args:
        log_freq (int): steps between updates. Default: 1.
        verbose (int): 0: silent, 1: a bar that is rewritten, 2: a line per update, 3: the same
            with average times. Default: 2.

    Examples:
        .. code-block:: python

            import paddle
            data = paddle.io.TensorDataset([paddle.rand([8, 2]), paddle.rand([8, 1])])
            model = paddle.Model(paddle.nn.Linear(2, 1))
            model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                          paddle.nn.MSELoss())
            model.fit(data, batch_size=4, callbacks=paddle.callbacks.ProgBarLogger(log_freq=2))
    """

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        if isinstance(log_freq, bool) or not isinstance(log_freq, int):
            raise TypeError(
                f"ProgBarLogger(log_freq): expected an int, got {type(log_freq).__name__}."
            )
        if log_freq < 1:
            raise InvalidArgumentError(
                f"ProgBarLogger(log_freq): expected at least 1, but received {log_freq}."
            )
        self.log_freq = log_freq
        self.verbose = verbose
        self.epochs: int | None = None
        self._training = False
        self._bar = ProgressBar(verbose=0)
        self._metrics: list[str] = []
        self._done = self._shown = self._samples = 0
        self._clock: _Clock | None = None
        self._run = "train"
        self._lengths: dict[str, int] = {}  # of runs whose length is known by now
        self._length: int | None = None  # what the data says

    # -- one run through data ---------------------------------------------------------------------

    def _open(self, run: str, steps: int | None, metrics: list[str]) -> None:
        self._metrics = list(metrics)
        self._done = self._shown = self._samples = 0
        self._run, self._length = run, steps
        if steps is None:
            steps = self._lengths.get(run)
        self._bar = ProgressBar(steps, verbose=min(self.verbose, 2) if self._prints() else 0)
        self._clock = _Clock() if self.verbose == 3 else None

    def _prints(self) -> bool:
        return bool(self.verbose) and first_rank()

    def _begin_step(self, step: int) -> None:
        if step and not self._done:
            self._bar.skip(step)
        if self._clock is not None:
            self._clock.read()

    def _end_step(self, step: int, logs: Any) -> None:
        self._done = step + 1
        rows = 1 if logs is None else logs.get("batch_size", 1)  # a known entry: no waiting
        self._samples += rows
        if self._clock is not None:
            self._clock.worked(rows)
        if self._done % self.log_freq == 0:
            self._show(logs)

    def _show(self, logs: Any) -> None:
        """Looks at the logs, which may wait for the device; only the steps written come here."""
        if not self._prints() or self._shown == self._done:
            return
        self._shown = self._done
        logs = logs or {}
        values: list[Any] = [[name, logs[name]] for name in self._metrics if name in logs]
        if self._clock is not None:
            values += self._clock.values()
        self._bar.update(self._done, values)

    def _close(self, logs: Any) -> None:
        """Writes the last step, and ends a line that was still to be rewritten."""
        self._show(logs)
        self._bar.close_line()
        if self._length is None and self._done:
            self._lengths[self._run] = self._done

    # -- fit --------------------------------------------------------------------------------------

    def on_train_begin(self, logs: Any = None) -> None:
        """Writes what the numbers of the log are."""
        self.epochs = self.params.get("epochs")
        self._training = True
        self._lengths.clear()
        if self._prints():
            print(_TRAIN_HEAD)

    def on_train_end(self, logs: Any = None) -> None:
        """Remembers that evaluations no longer belong to a training."""
        self._training = False

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Writes the number of the epoch and starts a bar."""
        if self._prints() and epoch is not None:
            of = f"/{self.epochs}" if self.epochs else ""
            print(f"Epoch {epoch + 1}{of}")
        self._open("train", self.params.get("steps"), self.params.get("metrics") or [])

    def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
        """Ends the time of reading."""
        self._begin_step(step)

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Updates the bar, every ``log_freq`` steps."""
        self._end_step(step, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Completes the bar."""
        self._close(logs)

    # -- evaluate ---------------------------------------------------------------------------------

    def on_eval_begin(self, logs: Any = None) -> None:
        """Starts the bar of an evaluation."""
        logs = logs or {}
        if self._prints():
            print("Eval begin...")
            if not self._training:
                print(_EVAL_HEAD)
        if not self._training:
            self._lengths.clear()
        self._open("eval", logs.get("steps"), logs.get("metrics") or [])

    def on_eval_batch_begin(self, step: int, logs: Any = None) -> None:
        """Ends the time of reading."""
        self._begin_step(step)

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Updates the bar, every ``log_freq`` steps."""
        self._end_step(step, logs)

    def on_eval_end(self, logs: Any = None) -> None:
        """Completes the bar and writes the number of samples."""
        self._close(logs)
        if self._prints():
            print(f"Eval samples: {self._samples}")

    # -- predict ----------------------------------------------------------------------------------

    def on_predict_begin(self, logs: Any = None) -> None:
        """Starts the bar of a prediction."""
        if self._prints():
            print("Predict begin...")
        self._lengths.clear()
        self._open("predict", (logs or {}).get("steps"), [])
        if self.verbose != 1:  # lines without a loss or a metric would tell nothing
            self._bar = ProgressBar(verbose=0)

    def on_predict_batch_begin(self, step: int, logs: Any = None) -> None:
        """Ends the time of reading."""
        self._begin_step(step)

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Updates the bar, every ``log_freq`` steps."""
        self._end_step(step, logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Completes the bar and writes the number of samples."""
        self._close(logs)
        if self._prints():
            print(f"Predict samples: {self._samples}")
