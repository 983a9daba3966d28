"""Converted models: a training step beside the Executor's and the eager one, and first steps.

All sides train the same network on the same data; the other side of a row is not torch but the
same Program run by the Executor. Conversion is timed in a fresh process, with the first step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from benchmarks import static, training
from benchmarks.options import Options, compare_processes
from benchmarks.startup import first_row
from benchmarks.table import Row

GROUP = "jit"
MODULE = "benchmarks.jit"
SIDES = ("ours", "executor", "eager")
MOST = 1.05  # of the Executor's step
TASKS = {
    "MLP 784-512-10, Adam, converted": "mlp",
    "LeNet, Adam, converted": "lenet",
    "ResNet18 b16 64x64, Momentum, converted": "resnet18",
}

_FIRST = """
net = paddle.jit.to_static({net})
optimizer = paddle.optimizer.Momentum(0.1, 0.9, parameters=net.parameters())
x = paddle.to_tensor(np.zeros([{batch}, {shape}], "float32"))
y = paddle.to_tensor(np.zeros([{batch}, 1], "int64"))
loss = paddle.nn.functional.cross_entropy(net(x), y)
loss.backward()
optimizer.step()
float(loss)
"""
_BERT = """
encoder = paddle.nn.TransformerEncoder(
    paddle.nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu"), 12)
spec = [paddle.static.InputSpec([None, 128, 768])]
net = paddle.jit.to_static(encoder, input_spec=spec)
len(net.forward.concrete_program.main_program.global_block().ops)
"""
# name -> (script, target in seconds)
SCRIPTS = {
    "LeNet converted, first step": (
        _FIRST.format(net="paddle.vision.models.LeNet()", batch=64, shape="1, 28, 28"), 0.3,
    ),
    "ResNet50 b8 converted, first step": (
        _FIRST.format(net="paddle.vision.models.resnet50()", batch=8, shape="3, 224, 224"), 5.0,
    ),
    "BERT of 12 layers made and converted": (_BERT, 8.0),
}  # fmt: skip


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process."""
    network = TASKS[task]
    if side == "executor":
        return static.paddle_step(network)
    return _dynamic_step(network, side == "ours")


def _dynamic_step(network: str, converted: bool) -> Callable[[], Any]:
    import paddle
    from paddle.nn import functional as F

    paddle.seed(1)
    net = static._net(paddle, network)
    if network.startswith("resnet"):
        optimizer: Any = paddle.optimizer.Momentum(training.RATE, 0.9, parameters=net.parameters())
    else:
        optimizer = paddle.optimizer.Adam(training.RATE, parameters=net.parameters())

    def loss_of(images: Any, labels: Any) -> Any:
        return F.cross_entropy(net(images), labels)

    compute = paddle.jit.to_static(loss_of) if converted else loss_of
    batches = [(paddle.to_tensor(x), paddle.to_tensor(y)) for x, y in static.batches(network)]
    data = cycle(batches)

    def step() -> Any:
        loss = compute(*next(data))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for task in TASKS:
            if options.wants(GROUP, task):
                yield from _step_rows(task, threads, options)
        for name, (script, target) in SCRIPTS.items():
            if options.wants(GROUP, name):
                yield first_row(GROUP, name, script, target, threads, options)


def _step_rows(task: str, threads: int, options: Options) -> Iterator[Row]:
    effort = options.effort(11 if "ResNet" in task else 41, 0.1)
    result = compare_processes(MODULE, task, SIDES, threads, effort)
    if result is None:
        return
    ours, peer = result.median("ours") * 1e3, result.median("executor") * 1e3
    note = f"of our Executor; {result.ratio('ours', 'eager'):.2f} of our eager step"
    yield Row(
        GROUP, task, threads, result.clock, "ms", ours, peer, result.ratio("ours", "executor"),
        target=MOST, note=result.remark(note),
    )  # fmt: skip
