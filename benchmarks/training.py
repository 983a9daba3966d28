"""One training step of small networks, against torch eager with its fused optimizer.

Every side runs in a process of its own, because `import paddle` sets the allocator policy of the
whole process: the target is against torch with the allocator it comes with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

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

TASKS = {
    "MLP 784-512-10, Adam": ("mlp", 0.0),
    "MLP with dropout 0.2, Adam": ("mlp", 0.2),
    "LeNet, Adam": ("lenet", 0.0),
}


def batches() -> list[tuple[np.ndarray, np.ndarray]]:
    """Images and labels that every side trains on."""
    rng = np.random.RandomState(1)
    return [
        (
            rng.uniform(0, 1, (BATCH, 1, 28, 28)).astype("float32"),
            rng.randint(0, 10, (BATCH, 1)).astype("int64"),
        )
        for _ in range(BATCHES)
    ]


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


def paddle_step(network: str, dropout: float) -> Callable[[], Any]:
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
    adam = paddle.optimizer.Adam(learning_rate=RATE, parameters=parameters)
    data = cycle([(paddle.to_tensor(x), paddle.to_tensor(y)) for x, y in batches()])

    def step() -> Any:
        images, labels = next(data)
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


def torch_step(network: str, dropout: float) -> Callable[[], Any]:
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
    adam = torch.optim.Adam(parameters, lr=RATE, fused=True)
    pairs = [(torch.from_numpy(x), torch.from_numpy(y[:, 0])) for x, y in batches()]
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


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task, (_, dropout) in TASKS.items():
            if not options.wants(GROUP, task):
                continue
            check = {} if dropout else {"before": check_losses}  # the masks differ
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
