"""Model.fit over MNIST against the loop one would write in plain torch, on one data pipeline.

Both sides read the same paddle.io.DataLoader; torch takes its batches through DLPack without a
copy. Both measure accuracy and show loss and accuracy every ten steps.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.options import Options, compare_processes, skipped
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "fit"
MODULE = "benchmarks.fit"
EPOCH = "LeNet b64, 6400 images"
WAITS = "steps of an epoch in which the host reads"
IMAGES, BATCH, EVERY = 6400, 64, 10


def dataset() -> Any:
    """The first images of MNIST where it is cached, else random ones of the same kind."""
    import paddle
    from paddle.vision.transforms import Normalize

    folder = os.path.expanduser("~/.cache/paddle/dataset/mnist")
    if os.path.isdir(folder) and os.listdir(folder):
        normal = Normalize(mean=[127.5], std=[127.5], data_format="CHW")
        whole = paddle.vision.datasets.MNIST(mode="train", transform=normal)
        return paddle.io.Subset(whole, list(range(IMAGES)))
    rng = np.random.RandomState(0)
    images = rng.uniform(-1, 1, (IMAGES, 1, 28, 28)).astype("float32")
    return paddle.io.TensorDataset([images, rng.randint(0, 10, (IMAGES, 1))])


class Fit:
    """One epoch of Model.fit with the default log: a line every ten steps."""

    def __init__(self) -> None:
        import paddle

        self.data = dataset()
        self.model = paddle.Model(paddle.vision.models.LeNet())
        self.model.prepare(
            paddle.optimizer.Adam(1e-3, parameters=self.model.parameters()),
            paddle.nn.CrossEntropyLoss(),
            paddle.metric.Accuracy(),
        )

    def __call__(self) -> None:
        self.epoch(verbose=2)

    def epoch(self, verbose: int, callbacks: Any = None) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.model.fit(
                self.data, batch_size=BATCH, epochs=1, log_freq=EVERY, verbose=verbose,
                callbacks=callbacks,
            )  # fmt: skip

    def reads(self) -> dict[str, list[int]]:
        """Counts, with the log and without: reads by the host, steps during which it read."""
        return {"logged": self._reads(2), "silent": self._reads(0)}

    def _reads(self, verbose: int) -> list[int]:
        import paddle

        class Steps(paddle.callbacks.Callback):
            now = 0

            def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
                self.now = step

        steps = Steps()
        with note_reads(lambda: steps.now) as read:
            self.epoch(verbose, steps)
        return [len(read), len(set(read))]


@contextlib.contextmanager
def note_reads(now: Callable[[], int]) -> Iterator[list[int]]:
    """Collects ``now()`` at every read of a buffer by the host, wherever it is asked for."""
    import torch

    read: list[int] = []
    names = ("numpy", "item", "tolist", "cpu", "__array__", "__bool__", "__float__", "__int__")
    kept = {name: torch.Tensor.__dict__.get(name) for name in names}

    def counting(name: str) -> Callable:
        plain = getattr(torch.Tensor, name)

        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            read.append(now())
            return plain(self, *args, **kwargs)

        return run

    for name in names:
        setattr(torch.Tensor, name, counting(name))
    try:
        yield read
    finally:
        for name, before in kept.items():
            if before is None:
                delattr(torch.Tensor, name)
            else:
                setattr(torch.Tensor, name, before)


def torch_loop() -> Callable[[], None]:
    """The loop by hand."""
    os.environ["PADDLE_KEEP_MEMORY"] = "0"  # paddle only loads the data here
    import torch
    from torch.nn import functional as F

    import paddle
    from benchmarks.networks_torch import lenet

    net = lenet()
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True)
    loader = paddle.io.DataLoader(dataset(), batch_size=BATCH, shuffle=True)

    def epoch() -> None:
        right, seen = torch.zeros((), dtype=torch.int64), 0
        for step, (x, y) in enumerate(loader):
            images, labels = torch.from_dlpack(x), torch.from_dlpack(y)[:, 0]
            scores = net(images)
            loss = F.cross_entropy(scores, labels)
            loss.backward()
            adam.step()
            adam.zero_grad()
            right += (scores.detach().argmax(1) == labels).sum()
            seen += len(labels)
            if step % EVERY == 0:
                text = f"step {step}: loss {loss.item():.4f} acc {right.item() / seen:.4f}"
                print(text, file=io.StringIO())

    return epoch


def build(task: str, side: str) -> Callable[[], None]:
    """The workload for a worker process."""
    return Fit() if side == "ours" else torch_loop()


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        if not options.wants(GROUP, EPOCH):
            continue
        effort = options.effort(9, 0.5)
        result = compare_processes(MODULE, EPOCH, ("ours", "torch"), threads, effort)
        if result is None:
            continue
        ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
        value = result.ratio("ours", "torch")
        note = result.remark()
        yield Row(
            GROUP, EPOCH, threads, result.clock, "ms", ours, peer, value, target=1.0, note=note
        )  # fmt: skip
    if options.wants(GROUP, WAITS):
        yield from _read_rows()


def _read_rows() -> Iterator[Row]:
    try:
        with Worker(MODULE, EPOCH, "ours", 1) as worker:
            counted = worker.ask("call", "reads")
    except WorkerFailed as error:
        skipped(WAITS, error)
        return
    (reads, waits), (silent_reads, silent_waits) = counted["logged"], counted["silent"]
    steps = IMAGES // BATCH
    note = f"in {waits} of {steps} steps, a line every {EVERY}; "
    note += f"verbose=0: {silent_reads} in {silent_waits} steps"
    target = -(-steps // EVERY) + 1  # lines printed, the last step's included
    yield Row(GROUP, WAITS, 1, "count", "", reads, None, waits, "value", target, note)
