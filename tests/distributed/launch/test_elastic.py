"""Trainings in which a process dies end with the loss of an undisturbed one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.launch.jobs import ROOT, Launched


@pytest.mark.slow
def test_the_example_ends_with_the_same_loss() -> None:
    done = subprocess.run(
        [sys.executable, "examples/distributed/elastic/run.py"],
        cwd=ROOT, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"step 60, loss \d+\.\d{9}", done.stdout)) == 2
    assert "rank 0 goes on from step 32" in done.stdout and "the same loss" in done.stdout
    assert "rank 1 failed: killed by signal 9 (SIGKILL); all processes are started" in done.stderr


FIT = """
    import os, signal, sys
    import numpy as np
    import paddle
    from paddle import nn

    rank, again = os.environ["PADDLE_TRAINER_ID"], os.environ["PADDLE_RESTART_ROUND"] != "0"
    paddle.seed(3)
    np.random.seed(int(rank) + 10 * again)

    class Samples(paddle.io.Dataset):
        def __getitem__(self, i):
            noise = np.random.rand(4).astype("float32")
            return np.linspace(0, i, 4).astype("float32") + noise, np.array([i % 3])

        def __len__(self):
            return 22

    class Kill(paddle.callbacks.Callback):
        steps = 0

        def on_train_batch_end(self, step, logs=None):
            self.steps += 1
            if sys.argv[1] == "killed" and not again and rank == "1" and self.steps == 8:
                os.kill(os.getpid(), signal.SIGKILL)

    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.Dropout(0.3), nn.Linear(8, 3))
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.Adam(0.05, parameters=net.parameters()), nn.CrossEntropyLoss(),
                  paddle.metric.Accuracy())
    keep = paddle.callbacks.ModelCheckpoint(save_dir="checkpoints", save_steps=3)
    history = model.fit(Samples(), Samples(), batch_size=3, epochs=3, verbose=0, resume=True,
                        callbacks=[keep, Kill()])
    print("result", again, [float(v).hex() for v in history.history["loss"]],
          float(net[0].weight.sum()).hex(), net[1]._mean.numpy().tolist(), flush=True)
"""


@pytest.mark.slow
def test_a_fit_goes_on_after_a_restart(tmp_path: Path) -> None:
    results = []
    for word in ("undisturbed", "killed"):
        job = Launched(tmp_path / word, FIT, "--nproc_per_node", "2", "--max_restarts", "1",
                       arguments=(word,))  # fmt: skip
        status, _, err = job.finish()
        assert status == 0, err
        results.append([job.log(f"workerlog.{rank}").split("result ")[-1] for rank in range(2)])
    for undisturbed, killed in zip(*results):
        assert undisturbed.startswith("False ") and killed.startswith("True ")
        assert undisturbed.split(" ", 1)[1] == killed.split(" ", 1)[1]
