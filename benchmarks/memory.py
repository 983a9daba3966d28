"""What memory costs: large buffers in time, a large network in resident size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.options import SIDES, Options, compare_processes, skipped
from benchmarks.table import Row
from benchmarks.worker import KEPT, Worker, WorkerFailed

GROUP = "memory"
MODULE = "benchmarks.memory"
RELUS = "two relus over 51 MB"
RESNET = "ResNet50 b8 224x224, f. and b."
RESNET_STEPS = 3  # the second and third show what freed memory is kept and used again


def _relus(side: str) -> Callable[[], Any]:
    shape = (16, 64, 112, 112)  # 51.4 MB
    if side == "ours":
        import paddle
        from paddle.nn import functional as F

        x = paddle.ones(shape)
        relu = F.relu
    else:
        import torch

        x = torch.ones(shape)
        relu = torch.relu
    return lambda: relu(relu(x))


def _resnet(side: str) -> Callable[[], Any]:
    image = np.random.RandomState(0).uniform(0, 1, (8, 3, 224, 224)).astype("float32")
    label = np.arange(8, dtype="int64")
    if side == "ours":
        import paddle
        from paddle.nn import functional as F

        net: Any = paddle.vision.models.resnet50()
        x, y = paddle.to_tensor(image), paddle.to_tensor(label)

        def step() -> Any:
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            net.clear_gradients()
            return loss

        return step
    import torch

    from benchmarks.networks_torch import resnet50

    other = resnet50()
    a, b = torch.from_numpy(image), torch.from_numpy(label)

    def plain() -> Any:
        loss = torch.nn.functional.cross_entropy(other(a), b)
        loss.backward()
        other.zero_grad(set_to_none=True)
        return loss

    return plain


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    return {RELUS: _relus, RESNET: _resnet}[task](side)


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        if options.wants(GROUP, RELUS):
            yield from _relu_rows(options, threads)
        if options.wants(GROUP, RESNET):
            yield from _resnet_rows(options, threads)


def _relu_rows(options: Options, threads: int) -> Iterator[Row]:
    result = compare_processes(MODULE, RELUS, SIDES, threads, options.effort(21, 0.1))
    if result is None:
        return
    ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
    same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
    value = result.ratio("ours", "torch")
    note = result.remark(same)
    yield Row(
        GROUP, RELUS, threads, result.clock, "ms", ours, peer, value, target=0.3, note=note
    )  # fmt: skip


def _resnet_rows(options: Options, threads: int) -> Iterator[Row]:
    """Time and highest resident size of fresh processes."""
    times: dict[str, list[float]] = {side: [] for side in ("ours", "torch")}
    peaks: dict[str, list[float]] = {side: [] for side in times}
    try:
        for _ in range(1 if options.quick else 3):
            for side in times:
                with Worker(MODULE, RESNET, side, threads) as worker:
                    worker.time(1)
                    sample = worker.time(RESNET_STEPS - 1)
                    times[side].append(sample.cpu if threads == 1 else sample.wall)
                    peaks[side].append(worker.ask("memory")[1])
    except WorkerFailed as error:
        skipped(RESNET, error)
        return
    ours, peer = (median(peaks[side]) for side in times)
    name = f"{RESNET}, resident"
    yield Row(GROUP, name, threads, "peak", "MB", ours, peer, ours / peer, target=1.1)
    ours, peer = (median(times[side]) * 1e3 for side in times)
    clock = "cpu" if threads == 1 else "wall"
    yield Row(GROUP, f"{RESNET}, time", threads, clock, "ms", ours, peer, ours / peer)
