"""One training step of larger models: LSTM, Transformer encoder, click-through rate (CTR).

Eagerly and as a static Program, against torch eager with its fused Adam, every side in a process
of its own. All sides start from the same weights.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import Result
from benchmarks.options import SIDES, Options, compare_processes, skipped
from benchmarks.static import Loss
from benchmarks.table import Row
from benchmarks.worker import KEPT, Worker, WorkerFailed

GROUP = "models"
MODULE = "benchmarks.models"
RATE = 1e-4
CHECKED = 4  # steps whose losses must agree
BATCHES = 4
CLASSES = 10
FIELDS, WIDTH, NUMBERS = 26, 16, 13  # of the CTR model: tables, their width, further numbers
FLAT = "CTR step at 1,000 / 10,000 / 100,000 rows a table"
SIZES = ("1,000", "10,000", "100,000")


class Task(NamedTuple):
    """A workload.

    Attributes:
        network: ``lstm``, ``encoder`` or ``ctr``.
        form: ours is ``eager``, a ``static`` Program or ``converted``; torch is always eager.
        target: the most that the ratio may be; None: for information.
        tolerance: how far losses may be apart. Lazy Adam leaves rows alone that a step does not
            use, where torch goes on moving them, so that the CTR model drifts a little.
    """

    network: str
    form: str
    target: float | None
    tolerance: float = 1e-4


TASKS = {
    "LSTM 2x256 b32 s64, eager": Task("lstm", "eager", 0.85),
    "LSTM 2x256 b32 s64, static": Task("lstm", "static", 0.75),
    "Transformer encoder 4x768 b8 s128, eager": Task("encoder", "eager", 0.97),
    "Transformer encoder 4x768 b8 s128, static": Task("encoder", "static", 0.93),
    "CTR 26 tables of 10,000 b512, eager": Task("ctr", "eager", 0.7, 2e-3),
    "CTR 26 tables of 10,000 b512, static": Task("ctr", "static", None, 2e-3),
    "CTR 26 tables of 10,000 b512, converted": Task("ctr", "converted", 0.7, 2e-3),
}


def batches(network: str, rows: int = 10_000) -> list[tuple[np.ndarray, ...]]:
    """What every side trains on: inputs and then the labels."""
    rng = np.random.RandomState(4)
    made: list[tuple[np.ndarray, ...]] = []
    for _ in range(BATCHES):
        if network == "ctr":
            ids = rng.randint(0, rows, (512, FIELDS))
            numbers = rng.rand(512, NUMBERS).astype("float32")
            made.append((ids, numbers, rng.randint(0, 2, (512, 1)).astype("float32")))
            continue
        shape = (32, 64, 256) if network == "lstm" else (8, 128, 768)
        inputs = rng.uniform(-1, 1, shape).astype("float32")
        made.append((inputs, rng.randint(0, CLASSES, (shape[0], 1))))
    return made


def weight(name: str, shape: list[int]) -> np.ndarray:
    """The starting value of a parameter by pypaddle's name and shape, wherever it is called."""
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    if "norm" in name and name.endswith("weight"):
        return rng.uniform(0.9, 1.1, shape).astype("float32")
    bound = 256**-0.5
    return rng.uniform(-bound, bound, shape).astype("float32")


def paddle_network(network: str, rows: int) -> Any:
    """The layers; called with the inputs of a batch they give logits."""
    import paddle
    from paddle import nn

    class Last(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(256, 256, num_layers=2)
            self.head = nn.Linear(256, CLASSES)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x)[0][:, -1])

    class Encoder(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0)
            self.encoder = nn.TransformerEncoder(layer, 4)
            self.head = nn.Linear(768, CLASSES)

        def forward(self, x: Any) -> Any:
            return self.head(paddle.mean(self.encoder(x), axis=1))

    class Clicks(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            tables = [nn.Embedding(rows, WIDTH, sparse=True) for _ in range(FIELDS)]
            self.tables = nn.LayerList(tables)
            sizes = (FIELDS * WIDTH + NUMBERS, 256, 128)
            self.deep = nn.Sequential(
                nn.Linear(sizes[0], sizes[1]), nn.ReLU(), nn.Linear(sizes[1], sizes[2]), nn.ReLU()
            )
            self.head = nn.Linear(sizes[2], 1)

        def forward(self, ids: Any, numbers: Any) -> Any:
            found = [table(ids[:, i]) for i, table in enumerate(self.tables)]
            return self.head(self.deep(paddle.concat([*found, numbers], axis=1)))

    return {"lstm": Last, "encoder": Encoder, "ctr": Clicks}[network]()


def _paddle_loss(network: str, logits: Any, labels: Any) -> Any:
    from paddle.nn import functional as F

    if network == "ctr":
        return F.binary_cross_entropy_with_logits(logits, labels)
    return F.cross_entropy(logits, labels)


def _paddle_adam(network: str, parameters: Any) -> Any:
    import paddle

    return paddle.optimizer.Adam(RATE, parameters=parameters, lazy_mode=network == "ctr")


def eager_step(network: str, rows: int, convert: bool = False) -> Callable[[], Any]:
    """A function that trains on the next batch and returns the loss."""
    import paddle

    net = paddle_network(network, rows)
    for name, parameter in net.named_parameters():
        parameter.set_value(weight(name, parameter.shape))
    adam = _paddle_adam(network, net.parameters())
    data = cycle([[paddle.to_tensor(a) for a in batch] for batch in batches(network, rows)])

    def loss_of(*batch: Any) -> Any:
        return _paddle_loss(network, net(*batch[:-1]), batch[-1])

    compute = paddle.jit.to_static(loss_of) if convert else loss_of

    def step() -> Any:
        loss = compute(*next(data))
        loss.backward()
        adam.step()
        adam.clear_grad()
        return loss

    return step


def static_step(network: str, rows: int) -> Callable[[], Any]:
    """The same as a Program that an Executor runs."""
    import paddle
    import paddle.static as static

    paddle.enable_static()
    data = batches(network, rows)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        *inputs, labels = (
            static.data(f"x{i}", [None, *a.shape[1:]], str(a.dtype)) for i, a in enumerate(data[0])
        )
        net = paddle_network(network, rows)
        loss = _paddle_loss(network, net(*inputs), labels)
        _paddle_adam(network, None).minimize(loss)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(startup)
    for name, parameter in net.named_parameters():
        parameter.set_value(weight(name, list(parameter.shape)))
    feeds = cycle([{f"x{i}": a for i, a in enumerate(batch)} for batch in data])
    return lambda: Loss(exe.run(main, feed=next(feeds), fetch_list=[loss])[0])


def torch_step(network: str, rows: int) -> Callable[[], Any]:
    """The same in plain torch: eager, fused Adam, dense gradients set to None."""
    import torch
    from torch.nn import functional as F

    from benchmarks import networks_torch

    sizes = (FIELDS, rows, WIDTH, NUMBERS)
    net = {
        "lstm": lambda: networks_torch.Last(CLASSES),
        "encoder": lambda: networks_torch.Encoder(CLASSES),
        "ctr": lambda: networks_torch.Clicks(*sizes),
    }[network]()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(torch.from_numpy(_torch_weight(name, list(parameter.shape))))
    adam = torch.optim.Adam(net.parameters(), lr=RATE, fused=True)
    data = cycle([[torch.from_numpy(a) for a in batch] for batch in batches(network, rows)])

    def step() -> Any:
        *inputs, labels = next(data)
        if network == "ctr":
            loss = F.binary_cross_entropy_with_logits(net(*inputs), labels)
        else:
            loss = F.cross_entropy(net(*inputs), labels[:, 0])
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        return loss

    return step


def _torch_weight(name: str, shape: list[int]) -> np.ndarray:
    """The same value in torch's form: matrices turned, those of Q, K and V in one."""
    if "in_proj" in name:
        start, end = name.split("in_proj_")
        parts = [f"{start}{part}_proj.{end}" for part in "qkv"]
        own = [shape[0] // 3, *shape[1:]]
        return np.concatenate([weight(part, own).T for part in parts])
    if len(shape) == 2 and "lstm" not in name and "tables" not in name:
        return weight(name, shape[::-1]).T
    return weight(name, shape)


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload for a worker process; the sides of FLAT are sizes of tables."""
    if task == FLAT:
        make = torch_step if side.startswith("torch") else eager_step
        return make("ctr", int(side.rpartition(" ")[2].replace(",", "")))
    network, form, *_ = TASKS[task]
    if side != "ours":
        return torch_step(network, 10_000)
    if form == "static":
        return static_step(network, 10_000)
    return eager_step(network, 10_000, form == "converted")


def _check(tolerance: float) -> Callable[[dict[str, Worker]], None]:
    """Makes sure that the sides compute the same, at their first launch: steps take seconds."""
    checked = False

    def check(workers: dict[str, Worker]) -> None:
        nonlocal checked
        if checked:
            return
        losses = {side: worker.ask("results", CHECKED) for side, worker in workers.items()}
        for side, values in losses.items():
            apart = float(np.abs(np.subtract(values, losses["torch"])).max())
            if not apart <= tolerance:
                raise WorkerFailed(f"losses of {side} and torch are {apart:.2g} apart")
        checked = True

    return check


def rows(options: Options) -> Iterator[Row]:
    for threads in options.threads:
        for name, task in TASKS.items():
            if not options.wants(GROUP, name):
                continue
            effort = options.effort(11 if task.network == "encoder" else 21, 0.2)
            check = _check(task.tolerance)
            result = compare_processes(MODULE, name, SIDES, threads, effort, check)
            if result is None:
                continue
            ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
            same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
            value = result.ratio("ours", "torch")
            yield Row(
                GROUP, name, threads, result.clock, "ms", ours, peer, value,
                target=task.target, note=result.remark(same),
            )  # fmt: skip
        if options.wants(GROUP, FLAT):
            yield from _flat_row(options, threads)


def _flat_row(options: Options, threads: int) -> Iterator[Row]:
    """The step with the largest tables over the one with the smallest."""
    result = compare_processes(MODULE, FLAT, SIZES, threads, options.effort(21, 0.2))
    if result is None:
        return
    ours = [result.median(side) * 1e3 for side in SIZES]
    try:
        dense = _dense(threads, result.clock)
    except WorkerFailed as error:
        skipped(FLAT, error)
        return
    note = f"{' / '.join(f'{t:.1f}' for t in ours)} ms, the result is the last over the first; "
    yield Row(
        GROUP, FLAT, threads, result.clock, "ms", ours[-1], dense,
        result.ratio(SIZES[-1], SIZES[0]), target=1.5, note=result.remark(note + "torch is dense"),
    )  # fmt: skip


def _dense(threads: int, clock: str) -> float:
    """Milliseconds of torch's step with the largest tables."""
    with Worker(MODULE, FLAT, f"torch {SIZES[-1]}", threads) as worker:
        worker.time(2)
        samples = [worker.time(1) for _ in range(5)]
    return Result(clock, {"torch": samples}).median("torch") * 1e3
