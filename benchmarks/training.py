"""One training step of small networks, against torch eager with its fused optimizer.

Every side runs in a process of its own, because `import paddle` sets the allocator policy of the
whole process: the target is against torch with the allocator it comes with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from benchmarks.options import SIDES, Options, compare_processes
from benchmarks.table import Row
from benchmarks.worker import KEPT, Worker, WorkerFailed

GROUP = "training"
MODULE = "benchmarks.training"
BATCH = 64
BATCHES = 32  # enough, at this rate, that no gradient shrinks to denormal numbers
RATE = 1e-4
CHECKED = 10  # steps whose losses must agree
TOLERANCE = 1e-4
MNIST = os.path.expanduser("~/.cache/paddle/dataset/mnist")

EPOCH = 938  # steps before time is taken of a task that is settled


class Task(NamedTuple):
    """A workload.

    Attributes:
        network: ``mlp`` or ``lenet``.
        dropout: after the hidden layer of the MLP.
        settled: MNIST at the usual rate, after an epoch: units are dead then, and moments denormal.
    """

    network: str
    dropout: float = 0.0
    settled: bool = False


TASKS = {
    "MLP 784-512-10, Adam": Task("mlp"),
    "MLP with dropout 0.2, Adam": Task("mlp", 0.2),
    "MLP on MNIST after an epoch, Adam": Task("mlp", settled=True),
    "LeNet, Adam": Task("lenet"),
}


def batches(settled: bool = False) -> list[tuple[np.ndarray, np.ndarray]]:
    """Images and labels that every side trains on."""
    if settled and os.path.isdir(MNIST):
        return _mnist()
    rng = np.random.RandomState(1)
    return [
        (
            rng.uniform(0, 1, (BATCH, 1, 28, 28)).astype("float32"),
            rng.randint(0, 10, (BATCH, 1)).astype("int64"),
        )
        for _ in range(BATCHES)
    ]


def _mnist() -> list[tuple[np.ndarray, np.ndarray]]:
    """An epoch, read without any framework."""
    pixels, labels = (
        np.fromfile(os.path.join(MNIST, f"train-{name}"), np.uint8)[header:]
        for name, header in (("images-idx3-ubyte", 16), ("labels-idx1-ubyte", 8))
    )
    images = (pixels.reshape(-1, 1, 28, 28) / np.float32(127.5) - 1).astype("float32")
    classes = labels.reshape(-1, 1).astype("int64")
    starts = range(0, len(images) - BATCH + 1, BATCH)
    return [(images[i : i + BATCH], classes[i : i + BATCH]) for i in starts]


def weights(shapes: list[list[int]]) -> list[np.ndarray]:
    """Starting values for parameters of these shapes, the same wherever it is called.

    Two dimensions are (inputs, outputs), as pypaddle has them.
    """
    rng = np.random.RandomState(2)
    made = []
    for shape in shapes:
        fan_in = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
        bound = fan_in**-0.5
        made.append(rng.uniform(-bound, bound, shape).astype("float32"))
    return made


def paddle_step(network: str, dropout: float, settled: bool = False) -> Callable[[], Any]:
    """A function that trains on the next batch and returns the loss."""
    import paddle
    from paddle.nn import functional as F

    if network == "lenet":
        net: Any = paddle.vision.models.LeNet()
    else:
        hidden = [paddle.nn.Linear(784, 512), paddle.nn.ReLU()]
        if dropout:
            hidden.append(paddle.nn.Dropout(dropout))
        net = paddle.nn.Sequential(paddle.nn.Flatten(), *hidden, paddle.nn.Linear(512, 10))
    parameters = net.parameters()
    for parameter, value in zip(parameters, weights([p.shape for p in parameters]), strict=True):
        parameter.set_value(value)
    adam = paddle.optimizer.Adam(_rate(settled), parameters=parameters)
    data = cycle([(paddle.to_tensor(x), paddle.to_tensor(y)) for x, y in batches(settled)])

    def step() -> Any:
        images, labels = next(data)
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


def _rate(settled: bool) -> float:
    return 1e-3 if settled else RATE


def torch_step(network: str, dropout: float, settled: bool = False) -> Callable[[], Any]:
    """The same in plain torch: eager, fused Adam, gradients set to None."""
    import torch
    from torch.nn import functional as F

    from benchmarks import networks_torch

    net = networks_torch.lenet() if network == "lenet" else networks_torch.mlp(dropout)
    parameters = list(net.parameters())
    turned = [list(p.shape)[::-1] if p.dim() == 2 else list(p.shape) for p in parameters]
    with torch.no_grad():
        for parameter, value in zip(parameters, weights(turned), strict=True):
            parameter.copy_(torch.from_numpy(value.T if value.ndim == 2 else value))
    adam = torch.optim.Adam(parameters, lr=_rate(settled), fused=True)
    pairs = [(torch.from_numpy(x), torch.from_numpy(y[:, 0])) for x, y in batches(settled)]
    data = cycle(pairs)

    def step() -> Any:
        images, labels = next(data)
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        return loss

    return step


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    return (paddle_step if side == "ours" else torch_step)(*TASKS[task])


def check_losses(workers: dict[str, Worker]) -> None:
    """Makes sure that the sides compute the same thing."""
    losses = {side: worker.ask("results", CHECKED) for side, worker in workers.items()}
    for side, values in losses.items():
        apart = float(np.abs(np.subtract(values, losses["torch"])).max())
        if not apart <= TOLERANCE:
            raise WorkerFailed(
                f"losses of {side} and torch are {apart:.2g} apart after {CHECKED} steps"
            )


def settle(workers: dict[str, Worker]) -> None:
    """Trains every side for an epoch."""
    check_losses(workers)
    for worker in workers.values():
        worker.time(EPOCH)


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task, (_, dropout, settled) in TASKS.items():
            if not options.wants(GROUP, task):
                continue
            # with dropout the masks differ, and with them the losses
            check = {} if dropout else {"before": settle if settled else check_losses}
            result = compare_processes(
                MODULE, task, SIDES, threads, options.effort(41, 0.1), **check
            )
            if result is None:
                continue
            ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
            same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
            value = result.ratio("ours", "torch")
            yield Row(
                GROUP, task, threads, result.clock, "ms", ours, peer, value,
                target=0.8, note=result.remark(same),
            )  # fmt: skip
