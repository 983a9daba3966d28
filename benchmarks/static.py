"""Static Programs: one training step, first run in a fresh process, memory, cost of a plan.

The Executor runs against torch eager with its fused optimizer, every side in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from statistics import median
from typing import Any

import numpy as np

from benchmarks import training
from benchmarks.measure import Timer, clock_for, interleave, time_calls
from benchmarks.options import SIDES, Options, compare_processes, skipped
from benchmarks.startup import first_row
from benchmarks.table import Row
from benchmarks.worker import KEPT, Worker, WorkerFailed

GROUP = "static"
MODULE = "benchmarks.static"
RESNET50 = "ResNet50 b8 224x224, Momentum"
FIRST_MLP = "MLP program built and first run"
FIRST_RESNET = "ResNet50 program built and first run"
PER_OPERATOR = "an operator of a plan over bare ATen"
CHAIN = 300

# task -> (network, target)
TASKS = {
    "MLP 784-512-10, Adam": ("mlp", 0.65),
    "LeNet, Adam": ("lenet", 0.6),
    "ResNet18 b16 64x64, Momentum": ("resnet18", 0.9),
}


def batches(network: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Images and labels that every side trains on."""
    if not network.startswith("resnet"):
        return training.batches()
    rng = np.random.RandomState(3)
    count, side = (16, 64) if network == "resnet18" else (8, 224)
    return [
        (
            rng.uniform(0, 1, (count, 3, side, side)).astype("float32"),
            rng.randint(0, 1000, (count, 1)).astype("int64"),
        )
        for _ in range(4)
    ]


def paddle_step(network: str) -> Callable[[], Any]:
    """A function that runs the training Program on the next batch and returns the loss."""
    import paddle
    import paddle.static as static
    from paddle.nn import functional as F

    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    data = batches(network)
    with static.program_guard(main, startup):
        images = static.data("images", [None, *data[0][0].shape[1:]], "float32")
        labels = static.data("labels", [None, 1], "int64")
        loss = F.cross_entropy(_net(paddle, network)(images), labels)
        parameters = main.all_parameters()
        if network.startswith("resnet"):
            optimizer: Any = paddle.optimizer.Momentum(training.RATE, 0.9)
        else:
            optimizer = paddle.optimizer.Adam(training.RATE)
        optimizer.minimize(loss)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    if not network.startswith("resnet"):
        values = training.weights([list(p.shape) for p in parameters])
        for parameter, value in zip(parameters, values, strict=True):
            parameter.set_value(value)
    feeds = cycle([{"images": x, "labels": y} for x, y in data])
    return lambda: Loss(exe.run(main, feed=next(feeds), fetch_list=[loss])[0])


class Loss(float):
    """A fetched loss, with the one method that a worker asks for."""

    def __new__(cls, value: Any) -> Loss:
        return super().__new__(cls, np.ravel(value)[0])

    def detach(self) -> float:
        return self


def _net(paddle: Any, network: str) -> Any:
    if network == "mlp":
        layers = [paddle.nn.Linear(784, 512), paddle.nn.ReLU(), paddle.nn.Linear(512, 10)]
        return paddle.nn.Sequential(paddle.nn.Flatten(), *layers)
    models = paddle.vision.models
    return {"lenet": models.LeNet, "resnet18": models.resnet18, "resnet50": models.resnet50}[
        network
    ]()


def torch_step(network: str) -> Callable[[], Any]:
    """The same in plain torch: eager, fused optimizer, gradients set to None."""
    if not network.startswith("resnet"):
        return training.torch_step(network, 0.0)
    import torch

    from benchmarks import networks_torch

    net = networks_torch.resnet18() if network == "resnet18" else networks_torch.resnet50()
    sgd = torch.optim.SGD(net.parameters(), lr=training.RATE, momentum=0.9, fused=True)
    pairs = [(torch.from_numpy(x), torch.from_numpy(y[:, 0])) for x, y in batches(network)]
    data = cycle(pairs)

    def step() -> Any:
        images, labels = next(data)
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        sgd.step()
        sgd.zero_grad(set_to_none=True)
        return loss

    return step


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    network = "resnet50" if task == RESNET50 else TASKS[task][0]
    return (paddle_step if side == "ours" else torch_step)(network)


_BUILD = """
paddle.enable_static()
static = paddle.static
images = static.data("images", [None, {shape}], "float32")
labels = static.data("labels", [None, 1], "int64")
loss = paddle.nn.functional.cross_entropy({net}(images), labels)
paddle.optimizer.Momentum(0.1, 0.9).minimize(loss)
exe = static.Executor(paddle.CPUPlace())
exe.run(static.default_startup_program())
feed = {{"images": np.zeros([{batch}, {shape}], "float32")}}
feed["labels"] = np.zeros([{batch}, 1], "int64")
exe.run(feed=feed, fetch_list=[loss])
"""
_SEQUENTIAL = (
    "paddle.nn.Sequential(paddle.nn.Linear(784, 512), paddle.nn.ReLU(), paddle.nn.Linear(512, 10))"
)

# name -> (script, target in seconds)
SCRIPTS = {
    FIRST_MLP: (_BUILD.format(shape="784", net=_SEQUENTIAL, batch=64), 0.3),
    FIRST_RESNET: (
        _BUILD.format(shape="3, 224, 224", net="paddle.vision.models.resnet50()", batch=8),
        4.0,
    ),
}


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task, (network, target) in TASKS.items():
            if options.wants(GROUP, task):
                yield from _step_rows(task, network, target, threads, options)
        if options.wants(GROUP, RESNET50):
            yield from _memory_rows(options, threads)
        for name, (script, target) in SCRIPTS.items():
            if options.wants(GROUP, name):
                yield first_row(GROUP, name, script, target, threads, options)
        if threads == 1 and options.wants(GROUP, PER_OPERATOR):
            yield _operator_row(options)


def _step_rows(
    task: str, network: str, target: float, threads: int, options: Options
) -> Iterator[Row]:
    check = {} if network.startswith("resnet") else {"before": training.check_losses}
    effort = options.effort(11 if check == {} else 41, 0.1)
    jax = ("jax", "benchmarks.jax_mlp", options.jax) if options.jax and network == "mlp" else None
    result = compare_processes(MODULE, task, SIDES, threads, effort, **check, peer=jax)
    if result is None:
        return
    ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
    same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
    if jax:
        same += f", {result.ratio('ours', 'jax'):.2f} of jitted JAX"
    value = result.ratio("ours", "torch")
    yield Row(
        GROUP, task, threads, result.clock, "ms", ours, peer, value,
        target=target, note=result.remark(same),
    )  # fmt: skip


def _memory_rows(options: Options, threads: int) -> Iterator[Row]:
    """Highest resident size and time of fresh processes that train ResNet50."""
    times: dict[str, list[float]] = {side: [] for side in ("ours", "torch")}
    peaks: dict[str, list[float]] = {side: [] for side in times}
    try:
        for _ in range(1 if options.quick else 3):
            for side in times:
                with Worker(MODULE, RESNET50, side, threads) as worker:
                    worker.time(1)
                    sample = worker.time(2)
                    times[side].append(sample.cpu if threads == 1 else sample.wall)
                    peaks[side].append(worker.ask("memory")[1])
    except WorkerFailed as error:
        skipped(RESNET50, error)
        return
    ours, peer = (median(peaks[side]) for side in times)
    name = f"{RESNET50}, resident"
    yield Row(GROUP, name, threads, "peak", "MB", ours, peer, ours / peer, target=1.0)
    ours, peer = (median(times[side]) * 1e3 for side in times)
    clock = "cpu" if threads == 1 else "wall"
    yield Row(GROUP, f"{RESNET50}, time", threads, clock, "ms", ours, peer, ours / peer)


def _operator_row(options: Options) -> Row:
    """A chain of small operators: the Executor's plan beside the same ATen calls."""
    import torch

    import paddle

    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = y = paddle.static.data("x", [4, 4], "float32")
        for _ in range(CHAIN // 3):
            y = paddle.tanh(paddle.add(paddle.matmul(y, x), x))
    paddle.disable_static()
    exe = paddle.static.Executor(paddle.CPUPlace())
    feed = {"x": np.full([4, 4], 0.1, "float32")}
    plan = exe.plan(main, ("x",), [y.name])
    scope = paddle.static.global_scope()
    buffer = torch.from_numpy(feed["x"])

    def bare() -> torch.Tensor:
        z = buffer
        with torch.no_grad():
            for _ in range(CHAIN // 3):
                z = torch.tanh(torch.add(torch.matmul(z, buffer), buffer))
        return z

    def planned() -> Any:
        with torch.no_grad():
            return plan.run(scope, [buffer])

    sides: dict[str, Timer] = {
        "ours": lambda n: time_calls(planned, n),
        "torch": lambda n: time_calls(bare, n),
    }
    result = interleave(sides, options.effort(41, 0.05), clock_for(1))
    ours, peer = (result.median(side) / CHAIN * 1e6 for side in sides)
    value = result.difference("ours", "torch") / CHAIN * 1e6
    return Row(GROUP, PER_OPERATOR, 1, result.clock, "us", ours, peer, value, "more", 0.3)
