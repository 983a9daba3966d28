"""Training runs that test_training_state.py kills and starts again; each prints its losses.

``python -m tests.incubate.training_runs FOLDER KIND[:STEP] ...`` runs kinds one after the other. A
run with a step is killed in the middle of that step. Losses are added to ``FOLDER/KIND.losses``,
one ``step hexadecimal`` a line.
"""

from __future__ import annotations

import os
import random
import signal
import sys

import numpy as np

import paddle
from paddle import nn

EPOCHS, SIZE, BATCH = 3, 22, 4
STEPS = EPOCHS * -(-SIZE // BATCH)


class Noisy(paddle.io.Dataset):
    """Samples with noise of every source that data sets draw from."""

    def __getitem__(self, i):
        x = np.arange(i, i + 6, dtype="float32") / 10
        x += np.random.rand(6).astype("float32") + random.random()
        return x, np.array([i % 2], "int64")

    def __len__(self):
        return SIZE


class Report:
    """Writes losses, and dies when it is told to."""

    def __init__(self, folder, kind, last):
        self.path = os.path.join(folder, kind + ".losses")
        self.last = last

    def __call__(self, step, loss):
        with open(self.path, "a") as file:
            file.write(f"{step} {float(np.ravel(loss)[0]).hex()}\n")
        if step == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def seed():
    paddle.seed(7)
    np.random.seed(8)
    random.seed(9)


def network():
    return nn.Sequential(
        nn.Linear(6, 16), nn.BatchNorm1D(16), nn.ReLU(), nn.Dropout(0.4), nn.Linear(16, 2)
    )


def eager(path, report):
    """Dropout, shuffling by workers, a scheduler, scaled losses and accumulated gradients."""
    net = network()
    rate = paddle.optimizer.lr.StepDecay(0.05, step_size=4, gamma=0.7)
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=3)
    loader = paddle.io.DataLoader(Noisy(), batch_size=BATCH, shuffle=True, num_workers=2)
    state = paddle.incubate.TrainingState(
        layers=net, optimizers=optimizer, scalers=scaler, loaders=loader, extra={"step": 0}
    )
    if os.path.exists(path):
        state.load(path)
    for _ in state.epochs(EPOCHS):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            scaled = scaler.scale(loss)
            scaled.backward()
            report(state.extra["step"], loss.numpy())
            if state.extra["step"] % 2:  # every other step gradients wait in the saved state
                scaler.minimize(optimizer, scaled)
                optimizer.clear_grad()
                rate.step()
            state.extra["step"] += 1
            if state.extra["step"] % 3 == 0:
                state.save(path)


def static(path, report):
    """A Program with a seed of its own, whose parameters and moments live in the scope."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 5
    with (
        paddle.utils.unique_name.guard(),
        paddle.static.scope_guard(paddle.static.Scope()),
        paddle.static.program_guard(main, startup),
    ):
        x = paddle.static.data("x", [None, 6])
        y = paddle.static.data("y", [None, 1], "int64")
        hidden = paddle.static.nn.fc(x, 16, activation="relu")
        hidden = paddle.nn.functional.dropout(hidden, 0.4)
        loss = nn.functional.cross_entropy(paddle.static.nn.fc(hidden, 2), y)
        rate = paddle.optimizer.lr.PolynomialDecay(0.05, decay_steps=20)
        paddle.optimizer.Momentum(rate).minimize(loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        loader = paddle.io.DataLoader(
            Noisy(), feed_list=[x, y], batch_size=BATCH, shuffle=True, return_list=False
        )
        state = paddle.incubate.TrainingState(programs=main, loaders=loader, extra={"step": 0})
        if os.path.exists(path):
            state.load(path)
        for _ in state.epochs(EPOCHS):
            for feed in loader:
                (value,) = exe.run(main, feed=feed, fetch_list=[loss])
                rate.step()
                report(state.extra["step"], value)
                state.extra["step"] += 1
                if state.extra["step"] % 4 == 0:
                    state.save(path)
    paddle.disable_static()


class Losses(paddle.callbacks.Callback):
    def __init__(self, report):
        super().__init__()
        self.report, self.seen = report, 0

    def on_train_batch_end(self, step, logs=None):
        loss = np.float64(logs["loss"][0]) + logs["acc"] * 1000  # the metric counts too
        self.report(self.epoch * self.params["steps"] + step, loss)

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch


def fit(path, report):
    """Model.fit with a metric, evaluations and a learning rate by step."""
    net = network()
    rate = paddle.optimizer.lr.CosineAnnealingDecay(0.05, T_max=10)
    model = paddle.Model(net)
    model.prepare(
        paddle.optimizer.AdamW(rate, parameters=net.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    state = paddle.incubate.TrainingState(model=model)
    model.fit(
        Noisy(),
        Noisy(),
        batch_size=BATCH,
        epochs=EPOCHS,
        verbose=0,
        callbacks=[state.callback(path, save_steps=4), Losses(report)],
    )


def fit_static(path, report):
    """The same by a Program."""
    paddle.enable_static()
    with (
        paddle.utils.unique_name.guard(),
        paddle.static.scope_guard(paddle.static.Scope()),
        paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()),
    ):
        spec = paddle.static.InputSpec
        net = network()
        model = paddle.Model(net, spec([None, 6], "float32", "x"), spec([None, 1], "int64", "y"))
        model.prepare(
            paddle.optimizer.Adam(0.05, parameters=model.parameters()),
            nn.CrossEntropyLoss(),
            paddle.metric.Accuracy(),
        )
        state = paddle.incubate.TrainingState(model=model)
        model.fit(
            Noisy(),
            batch_size=BATCH,
            epochs=EPOCHS,
            verbose=0,
            callbacks=[Losses(report), state.callback(path, save_steps=5)],
        )
    paddle.disable_static()


KINDS = {f.__name__: f for f in (eager, static, fit, fit_static)}


def main(folder, *runs):
    for run in runs:
        kind, _, last = run.partition(":")
        seed()
        report = Report(folder, kind, int(last) if last else None)
        KINDS[kind](os.path.join(folder, kind + ".pdstate"), report)


if __name__ == "__main__":
    main(*sys.argv[1:])
