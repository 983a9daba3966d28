"""Trainings by Model.fit that test_fit_killed.py kills and starts again; each notes its losses.

``python -m tests.hapi.fit_runs FOLDER KIND WORKERS [SIGNAL STEP]``: a run with a signal sends it to
itself after that step. Losses are added to ``FOLDER/losses``, one ``step hexadecimal`` a line; a
run that finds checkpoints in ``FOLDER/ck`` goes on from them.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from typing import Any

import numpy as np

import paddle
from paddle import nn
from paddle.static import InputSpec

EPOCHS, SIZE, BATCH = 3, 22, 4
STEPS = -(-SIZE // BATCH)


class Noisy(paddle.io.Dataset):
    """Samples with noise of every source that data sets draw from."""

    def __getitem__(self, i: int) -> Any:
        x = np.arange(i, i + 6, dtype="float32") / 10
        x += np.random.rand(6).astype("float32") + np.float32(random.random())
        return x, np.array([i % 2], "int64")

    def __len__(self) -> int:
        return SIZE


class Losses(paddle.callbacks.Callback):
    """Writes what the log would show, with the learning rate, and sends the signal."""

    def __init__(self, folder: str, number: int, last: int) -> None:
        super().__init__()
        self.path, self.number, self.last = os.path.join(folder, "losses"), number, last
        self.epoch = 0

    def _note(self, what: str, value: float) -> None:
        with open(self.path, "a") as file:
            file.write(f"{what} {float(value).hex()}\n")

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        number = self.epoch * STEPS + step
        rate = self.model._optimizer.get_lr()
        self._note(f"step{number}", logs["loss"][0] + 1000 * logs["acc"] + 1e6 * rate)
        if number == self.last:
            os.kill(os.getpid(), self.number)

    def on_eval_end(self, logs: Any = None) -> None:
        self._note(f"eval{self.epoch}", logs["loss"][0])


def main(folder: str, kind: str, workers: str, number: str = "0", last: str = "-1") -> None:
    if kind == "static":
        paddle.enable_static()
    paddle.seed(7)
    np.random.seed(8)
    random.seed(9)
    net = nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1D(16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, 2)
    )
    inputs, labels = InputSpec([None, 6], "float32", "x"), InputSpec([None, 1], "int64", "y")
    model = paddle.Model(net, inputs, labels)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(0.05, T_max=10)
    model.prepare(
        paddle.optimizer.AdamW(rate, parameters=net.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
        amp_configs="O1" if kind == "mixed" else None,
    )
    checkpoints = os.path.join(folder, "ck")
    if os.path.isdir(checkpoints):
        model.load(checkpoints)
    history = model.fit(
        Noisy(),
        Noisy(),
        batch_size=BATCH,
        epochs=EPOCHS,
        verbose=2,
        log_freq=2,
        num_workers=int(workers),
        accumulate_grad_batches=2 if kind == "gathered" else 1,
        callbacks=[
            Losses(folder, int(number), int(last)),
            paddle.callbacks.EarlyStopping(patience=9, save_best_model=False),
            paddle.callbacks.ModelCheckpoint(save_dir=checkpoints, save_steps=2),
        ],
    )
    with open(os.path.join(folder, "history"), "w") as file:
        file.write(repr((history.history, history.steps, history.epoch)))


if __name__ == "__main__":
    # A suite that runs in the background of a shell has it ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(*sys.argv[1:])
