"""Training in mixed precision (bfloat16 on a CPU), against torch eager with its autocast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from benchmarks import models, static, training
from benchmarks.options import SIDES, Options, compare_processes
from benchmarks.table import Row
from benchmarks.worker import KEPT

GROUP = "amp"
MODULE = "benchmarks.amp"
TASKS = {
    "LeNet b64, Adam, bfloat16": "lenet",
    "ResNet18 b16 64x64, Momentum, bfloat16": "resnet18",
    "Transformer encoder 4x768 b8 s128, Adam, bfloat16": "encoder",
}


def paddle_step(network: str) -> Callable[[], Any]:
    """A function that trains on the next batch and returns the loss."""
    import paddle
    from paddle.nn import functional as F

    if network == "encoder":
        net, data = models.paddle_network(network, 0), models.batches(network)
        optimizer: Any = paddle.optimizer.Adam(models.RATE, parameters=net.parameters())
    else:
        net, data = static._net(paddle, network), static.batches(network)
        if network == "lenet":
            optimizer = paddle.optimizer.Adam(training.RATE, parameters=net.parameters())
        else:
            optimizer = paddle.optimizer.Momentum(training.RATE, 0.9, parameters=net.parameters())
    batches = cycle([(paddle.to_tensor(x), paddle.to_tensor(y)) for x, y in data])

    def step() -> Any:
        inputs, labels = next(batches)
        with paddle.amp.auto_cast():
            loss = F.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def torch_step(network: str) -> Callable[[], Any]:
    """The same in plain torch: autocast, fused optimizer, gradients set to None."""
    import torch

    from benchmarks import networks_torch

    if network == "encoder":
        net: Any = networks_torch.Encoder(models.CLASSES)
        data = models.batches(network)
    else:
        net = networks_torch.lenet() if network == "lenet" else networks_torch.resnet18()
        data = static.batches(network)
    if network == "resnet18":
        optimizer: Any = torch.optim.SGD(net.parameters(), training.RATE, 0.9, fused=True)
    else:
        optimizer = torch.optim.Adam(net.parameters(), training.RATE, fused=True)
    batches = cycle([(torch.from_numpy(x), torch.from_numpy(y[:, 0])) for x, y in data])

    def step() -> Any:
        inputs, labels = next(batches)
        with torch.autocast("cpu", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return step


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    return (paddle_step if side == "ours" else torch_step)(TASKS[task])


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task, network in TASKS.items():
            if not options.wants(GROUP, task):
                continue
            effort = options.effort(41 if network == "lenet" else 11, 0.1)
            result = compare_processes(MODULE, task, SIDES, threads, effort)
            if result is None:
                continue
            ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
            same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
            yield Row(
                GROUP, task, threads, result.clock, "ms", ours, peer,
                result.ratio("ours", "torch"), target=1.0, note=result.remark(same),
            )  # fmt: skip
