"""Reading a folder of JPEGs: resized, cropped, flipped, normalised; beside torch's DataLoader.

Both sides read the same files with Pillow. torch's transforms are written by hand with Pillow and
NumPy, as one does without torchvision, and without copies that are not needed. A call is one pass:
workers are started and ended in it. Times of workers count as times of the process.
"""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.options import Options, compare_processes, skipped
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "data"
MODULE = "benchmarks.data"
FILES, REPEATED, BATCH, EVERY = 128, 8, 32, 10
IMAGES = FILES * REPEATED
ONE = f"{IMAGES} JPEGs, one process"
TWO = f"{IMAGES} JPEGs, two workers"
SPEED_UP = f"{IMAGES} JPEGs, two workers over one process"
FIRST = "first batch with two workers"
FIT = "Model.fit on JPEGs over the bare loop"
FOLDER = "BENCHMARK_IMAGES"
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def write_images(folder: Path) -> None:
    """Makes a folder of photograph-like files: 500x375, some 40 KB each."""
    from PIL import Image

    rng = np.random.RandomState(0)
    for i in range(FILES):
        coarse = Image.fromarray(rng.randint(0, 256, (24, 32, 3)).astype("uint8"))
        smooth = np.asarray(coarse.resize((500, 375), Image.Resampling.BICUBIC)).astype("int16")
        grained = smooth + rng.normal(0, 8, smooth.shape).astype("int16")
        path = folder / f"class{i % 4}" / f"{i:03}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(grained.clip(0, 255).astype("uint8")).save(path, quality=85)


def our_dataset() -> Any:
    """The folder as one reads it with paddle.vision."""
    from paddle.vision import transforms as T
    from paddle.vision.datasets import DatasetFolder

    steps = [
        T.Resize(256), T.RandomCrop(224), T.RandomHorizontalFlip(), T.ToTensor(),
        T.Normalize(MEAN, STD),
    ]  # fmt: skip
    made = DatasetFolder(os.environ[FOLDER], transform=T.Compose(steps))
    made.samples *= REPEATED
    return made


def our_loader(workers: int) -> Any:
    from paddle.io import DataLoader

    return DataLoader(our_dataset(), batch_size=BATCH, shuffle=True, num_workers=workers)


class ByHand:
    """The folder as one reads it with torch, Pillow and NumPy."""

    def __init__(self) -> None:
        files = sorted(Path(os.environ[FOLDER]).glob("*/*.jpg"))
        self.samples = [(str(path), int(path.parent.name[-1])) for path in files] * REPEATED
        self.mean = np.array(MEAN, np.float32).reshape(3, 1, 1)
        self.std = np.array(STD, np.float32).reshape(3, 1, 1)

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[Any, int]:
        import torch
        from PIL import Image

        path, label = self.samples[index]
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        width, height = image.size
        short = (256, 256 * height // width) if width < height else (256 * width // height, 256)
        image = image.resize(short, Image.Resampling.BILINEAR)
        left, top = random.randint(0, short[0] - 224), random.randint(0, short[1] - 224)
        image = image.crop((left, top, left + 224, top + 224))
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        pixels = np.asarray(image).transpose(2, 0, 1).astype(np.float32, order="C")
        pixels /= 255
        pixels -= self.mean
        pixels /= self.std
        return torch.from_numpy(pixels), label


def torch_loader(workers: int) -> Any:
    from torch.utils.data import DataLoader

    return DataLoader(ByHand(), batch_size=BATCH, shuffle=True, num_workers=workers)


class Pass:
    """Reads all of a loader."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __call__(self) -> None:
        count = sum(len(labels) for _, labels in self.loader)
        assert count == IMAGES, count

    def first(self) -> list[float]:
        """Seconds from ``iter()`` to the first batch, several times."""
        taken = []
        for _ in range(8):
            start = perf_counter()
            batches = iter(self.loader)
            next(batches)
            taken.append(perf_counter() - start)
            del batches
        return taken


class Training:
    """An epoch of a small network, by Model.fit or by hand."""

    def __init__(self, by_fit: bool, workers: int) -> None:
        import paddle
        from paddle import nn

        paddle.seed(0)
        self.loader = our_loader(workers)
        self.by_fit = by_fit
        self.net = nn.Sequential(
            nn.Conv2D(3, 16, 7, stride=4), nn.ReLU(), nn.MaxPool2D(3, 2), nn.Conv2D(16, 32, 3),
            nn.ReLU(), nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(32, 4),
        )  # fmt: skip
        self.adam = paddle.optimizer.Adam(1e-3, parameters=self.net.parameters())
        self.loss = nn.CrossEntropyLoss()
        self.model = paddle.Model(self.net)
        self.model.prepare(self.adam, self.loss)

    def __call__(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            if self.by_fit:
                self.model.fit(self.loader, epochs=1, log_freq=EVERY, verbose=2)
            else:
                self._by_hand()

    def _by_hand(self) -> None:
        self.net.train()
        for step, (images, labels) in enumerate(self.loader):
            loss = self.loss(self.net(images), labels)
            loss.backward()
            self.adam.step()
            self.adam.clear_grad()
            if step % EVERY == 0:
                print(f"step {step}: loss {float(loss):.4f}")


def build(task: str, side: str) -> Callable[[], None]:
    """The workload for a worker process."""
    if task in (FIT, FIT + WITH_WORKERS):
        return Training(side == "ours", 2 if task.endswith(WITH_WORKERS) else 0)
    workers = 0 if task == ONE or side == "one process" else 2
    return Pass(torch_loader(workers) if side == "torch" else our_loader(workers))


WITH_WORKERS = ", two workers"
# The workload, threads (which say what clock counts), the other side, the most that is allowed.
COMPARED = (
    (ONE, 1, "torch", 1.0),
    (TWO, 2, "torch", 1.0),
    (SPEED_UP, 2, "one process", 1 / 1.7),
    (FIT, 1, "by hand", 1.0),
    (FIT + WITH_WORKERS, 2, "by hand", 1.0),
)


def rows(options: Options) -> Iterator[Row]:
    wanted = [entry for entry in COMPARED if options.wants(GROUP, entry[0])]
    if not wanted and not options.wants(GROUP, FIRST):
        return
    with tempfile.TemporaryDirectory() as folder:
        write_images(Path(folder))
        os.environ[FOLDER] = folder
        try:
            for name, threads, peer, target in wanted:
                if threads in options.threads:
                    yield from _compared(options, name, threads, peer, target)
            if 2 in options.threads and options.wants(GROUP, FIRST):
                yield from _first()
        finally:
            del os.environ[FOLDER]


def _compared(options: Options, name: str, threads: int, peer: str, target: float) -> Iterator[Row]:
    result = compare_processes(MODULE, name, ("ours", peer), threads, options.effort(9, 0.3))
    if result is None:
        return
    ours, other = result.median("ours"), result.median(peer)
    value = result.ratio("ours", peer)
    notes = [] if peer == "torch" else [f"the other side is our own: {peer}"]
    if name == SPEED_UP:
        notes.append(f"{1 / value:.2f} times as fast")
    if threads == 2:
        cpu = median(
            a.cpu / b.cpu for a, b in zip(result.samples["ours"], result.samples[peer], strict=True)
        )
        notes.append(f"{cpu:.2f} of its processor time")
    note = result.remark(*notes)
    yield Row(
        GROUP, name, threads, result.clock, "s", ours, other, value, target=target, note=note
    )  # fmt: skip


def _first() -> Iterator[Row]:
    try:
        with Worker(MODULE, TWO, "ours", 2) as ours, Worker(MODULE, TWO, "torch", 2) as torch:
            taken, other = ours.ask("call", "first"), torch.ask("call", "first")
    except WorkerFailed as error:
        skipped(FIRST, error)
        return
    note = f"{BATCH} images; {min(taken):.2f} to {max(taken):.2f}"
    seconds = median(taken)
    yield Row(
        GROUP, FIRST, 2, "wall", "s", seconds, median(other), seconds, "value", 0.3, note
    )  # fmt: skip
