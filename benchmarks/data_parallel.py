"""One training step of DataParallel in two processes, beside torch's DistributedDataParallel.

Both processes of a side train at once; sides take turns. With all of them running on the cores, and
other programs too, only the quietest eighth of the rounds of each side says something. Beside every
side runs the same without exchange: two processes that know nothing of each other.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import cycle
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import Sample, calls_for
from benchmarks.options import Options, skipped
from benchmarks.table import Row
from benchmarks.worker import Worker, WorkerFailed

GROUP = "data_parallel"
MODULE = "benchmarks.data_parallel"
BATCHES = 4
CHECKED = 4
RATE = 1e-4
WORDS, STEPS, WIDTH = 1000, 64, 256  # of the encoder
FIELDS, NUMBERS, ROWS = 26, 13, 1_000_000  # of the click model
TOGETHER, ALONE = "together", "alone"


class Task(NamedTuple):
    """A workload.

    Attributes:
        network: which one.
        target: the most that the ratio to torch may be.
        compared: whether losses of both have to agree: where they begin with the same weights.
        seconds: of one sample.
        static: a Program and fleet, instead of dynamic mode.
    """

    network: str
    target: float
    compared: bool = True
    seconds: float = 1.0
    static: bool = False


TASKS = {
    "MLP 784-512-512-10 b64, Adam": Task("mlp", 1.0, seconds=0.5),
    "ResNet18 b16 64x64, Adam": Task("resnet18", 1.0, seconds=2.0),
    "static MLP 784-512-512-10 b64, Adam": Task("mlp", 1.0, seconds=0.5, static=True),
    "static ResNet18 b16 64x64, Adam": Task("resnet18", 1.0, seconds=2.0, static=True),
    "Encoder 2x256 b16 s64, Adam": Task("encoder", 1.0, compared=False),
    "26 tables of 1,000,000 x 16 b512, SGD, rows beside dense": Task("tables", 0.5, seconds=3.0),
}


def batches(network: str, rank: int) -> list[tuple[np.ndarray, ...]]:
    """What a process trains on: inputs and then the labels."""
    rng = np.random.RandomState(rank)
    made: list[tuple[np.ndarray, ...]] = []
    for _ in range(BATCHES):
        if network == "mlp":
            inputs = rng.rand(64, 784).astype("float32")
        elif network == "resnet18":
            inputs = rng.rand(16, 3, 64, 64).astype("float32")
        elif network == "encoder":
            inputs = rng.randint(0, WORDS, (16, STEPS))
        else:
            ids, numbers = rng.randint(0, ROWS, (512, FIELDS)), rng.rand(512, NUMBERS)
            labels = rng.randint(0, 2, (512, 1)).astype("float32")
            made.append((ids, numbers.astype("float32"), labels))
            continue
        made.append((inputs, rng.randint(0, 10, (len(inputs), 1))))
    return made


def start(before: Counter[tuple], shape: list[int]) -> np.ndarray | None:
    """The value that a parameter begins with; None: the network's own.

    It depends on the shape and on how many had that shape before (``before`` counts them): the two
    frameworks list convolutions beside a block in another order.
    """
    if len(shape) != 2 and len(shape) != 4:
        return None
    before[tuple(shape)] += 1
    rng = np.random.RandomState([before[tuple(shape)], *shape])
    bound = (shape[0] if len(shape) == 2 else int(np.prod(shape[1:]))) ** -0.5
    return rng.uniform(-bound, bound, shape).astype("float32")


def paddle_mlp() -> Any:
    """784-512-512-10."""
    from paddle import nn

    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


def static_step(network: str, rank: int, form: str) -> Callable[[], Any]:
    """A function that runs a Program on the next batch and returns the loss."""
    import paddle
    from paddle.distributed import fleet

    paddle.enable_static()
    shape = [784] if network == "mlp" else [3, 64, 64]
    x = paddle.static.data("x", [None, *shape])
    labels = paddle.static.data("labels", [None, 1], "int64")
    net = paddle_mlp() if network == "mlp" else paddle.vision.models.resnet18()
    loss = paddle.nn.functional.cross_entropy(net(x), labels)
    optimizer: Any = paddle.optimizer.Adam(RATE)
    if form == TOGETHER:
        fleet.init(is_collective=True)
        optimizer = fleet.distributed_optimizer(optimizer)
    optimizer.minimize(loss)
    exe = paddle.static.Executor()
    exe.run(paddle.static.default_startup_program())
    before: Counter[tuple] = Counter()
    for parameter in paddle.static.default_main_program().all_parameters():
        value = start(before, list(parameter.shape))
        if value is not None:
            paddle.static.global_scope().var(parameter.name).get_tensor().set(value, None)
    data = cycle([{"x": inputs, "labels": given} for inputs, given in batches(network, rank)])

    def step() -> Any:
        return exe.run(feed=next(data), fetch_list=[loss])[0][0]

    return step


def paddle_step(network: str, rank: int, form: str) -> Callable[[], Any]:
    """A function that trains on the next batch and returns the loss."""
    import paddle
    from paddle import nn
    from paddle.nn import functional as F

    class Encoder(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, WIDTH)
            layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.0, activation="gelu")
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.head = nn.Linear(WIDTH, 10)

        def forward(self, x: Any) -> Any:
            return self.head(self.encoder(self.words(x)).mean(1))

    class Clicks(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.LayerList([nn.Embedding(ROWS, 16, sparse=True) for _ in range(FIELDS)])
            inputs = FIELDS * 16 + NUMBERS
            self.deep = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 1))

        def forward(self, ids: Any, numbers: Any) -> Any:
            found = [table(ids[:, i]) for i, table in enumerate(self.tables)]
            return self.deep(paddle.concat([*found, numbers], axis=1))

    made: dict[str, Callable[[], Any]] = {
        "mlp": paddle_mlp,
        "resnet18": lambda: paddle.vision.models.resnet18(),
        "encoder": Encoder,
        "tables": Clicks,
    }
    if form == TOGETHER:
        paddle.distributed.init_parallel_env()
    net = made[network]()
    before: Counter[tuple] = Counter()
    for parameter in net.parameters():
        value = start(before, parameter.shape)
        if value is not None:
            parameter.set_value(value)
    if form == TOGETHER:
        net = paddle.DataParallel(net)
    optimizer: Any = (
        paddle.optimizer.SGD(RATE, parameters=net.parameters())
        if network == "tables"
        else paddle.optimizer.Adam(RATE, parameters=net.parameters())
    )
    data = cycle([[paddle.to_tensor(a) for a in batch] for batch in batches(network, rank)])

    def step() -> Any:
        *inputs, labels = next(data)
        out = net(*inputs)
        if network == "tables":
            loss = F.binary_cross_entropy_with_logits(out, labels)
        else:
            loss = F.cross_entropy(out, labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def torch_step(network: str, rank: int, form: str, meeting: str) -> Callable[[], Any]:
    """The same in plain torch: gradients are views of the buckets, and set to None."""
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn import functional as F

    from benchmarks import networks_torch

    class Encoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, WIDTH)
            layer = nn.TransformerEncoderLayer(
                WIDTH, 4, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True
            )
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.head = nn.Linear(WIDTH, 10)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.encoder(self.words(x)).mean(1))

    class Clicks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(ROWS, 16) for _ in range(FIELDS))
            inputs = FIELDS * 16 + NUMBERS
            self.deep = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 1))

        def forward(self, ids: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
            found = [table(ids[:, i]) for i, table in enumerate(self.tables)]
            return self.deep(torch.cat([*found, numbers], 1))

    made: dict[str, Callable[[], nn.Module]] = {
        "mlp": lambda: nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
        ),
        "resnet18": networks_torch.resnet18,
        "encoder": Encoder,
        "tables": Clicks,
    }
    net: Any = made[network]()
    with torch.no_grad():
        before: Counter[tuple] = Counter()
        for name, parameter in net.named_parameters():
            turned = parameter.dim() == 2 and "tables" not in name and "words" not in name
            shape = list(parameter.shape)
            value = start(before, shape[::-1] if turned else shape)
            if value is not None:
                parameter.copy_(torch.from_numpy(value.T if turned else value))
            elif name.endswith("bias"):
                parameter.zero_()
    if form == TOGETHER:
        store = dist.FileStore(meeting, 2)
        dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
        net = nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view=True)
    optimizer: Any = (
        torch.optim.SGD(net.parameters(), lr=RATE)
        if network == "tables"
        else torch.optim.Adam(net.parameters(), lr=RATE, fused=True)
    )
    data = cycle([[torch.from_numpy(a) for a in batch] for batch in batches(network, rank)])

    def step() -> Any:
        *inputs, labels = next(data)
        out = net(*inputs)
        if network == "tables":
            loss = F.binary_cross_entropy_with_logits(out, labels)
        else:
            loss = F.cross_entropy(out, labels[:, 0])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return step


def build(task: str, side: str) -> Callable[[], Any]:
    """The workload of one process; ``side`` has framework, form, rank, file and addresses."""
    framework, form, number, meeting, addresses = side.split("|")
    rank = int(number)
    network = TASKS[task].network
    if framework == "torch":
        return torch_step(network, rank, form, meeting)
    if form == TOGETHER:
        os.environ.update(
            PADDLE_TRAINER_ID=number, PADDLE_TRAINERS_NUM="2", PADDLE_TRAINER_ENDPOINTS=addresses,
            PADDLE_CURRENT_ENDPOINT=addresses.split(",")[rank],
        )  # fmt: skip
    made = static_step if TASKS[task].static else paddle_step
    return made(network, rank, form)


class Pair:
    """Two processes of one side, which are asked at once."""

    def __init__(self, task: str, framework: str, form: str, folder: str) -> None:
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        addresses = ",".join(f"127.0.0.1:{s.getsockname()[1]}" for s in sockets)
        for s in sockets:
            s.close()
        sides = [f"{framework}|{form}|{rank}|{folder}/{framework}|{addresses}" for rank in range(2)]
        self._threads = ThreadPoolExecutor(2)
        self._workers = list(self._threads.map(lambda s: Worker(MODULE, task, s, 1), sides))

    def __enter__(self) -> Pair:
        return self

    def __exit__(self, *exc: object) -> None:
        list(self._threads.map(lambda worker: worker.__exit__(), self._workers))
        self._threads.shutdown()

    def ask(self, *request: Any) -> list[Any]:
        """Sends both processes a request."""
        return list(self._threads.map(lambda worker: worker.ask(*request), self._workers))

    def time(self, number: int) -> Sample:
        """The slower one's time of the wall clock."""
        samples = self.ask("time", number)
        return Sample(max(wall for wall, _ in samples), sum(cpu for _, cpu in samples))


def quietest(samples: list[float]) -> float:
    """The mean of the quietest eighth."""
    return mean(sorted(samples)[: max(1, len(samples) // 8)])


def _measure(name: str, task: Task, options: Options) -> dict[str, list[float]]:
    effort = options.effort(48, task.seconds)
    # Tables without exchange would fill the memory, and show nothing.
    forms = (TOGETHER,) if task.network == "tables" else (TOGETHER, ALONE)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        pairs = {
            (framework, form): stack.enter_context(Pair(name, framework, form, folder))
            for form in forms
            for framework in ("ours", "torch")
        }
        if task.compared:
            _check({f: pairs[f, TOGETHER].ask("results", CHECKED) for f in ("ours", "torch")})
        number = calls_for(pairs["ours", TOGETHER].time, effort.seconds)
        taken: dict[str, list[float]] = {}
        rounds = effort.rounds if task.network != "tables" else max(3, effort.rounds // 6)
        for _ in range(rounds):
            for (framework, form), pair in pairs.items():
                taken.setdefault(f"{framework} {form}", []).append(pair.time(number).wall)
    return taken


def _check(losses: dict[str, Any]) -> None:
    """Makes sure that both compute the same, in each process."""
    apart = float(np.abs(np.subtract(losses["ours"], losses["torch"])).max())
    if not apart <= 1e-3:
        raise WorkerFailed(f"losses of ours and torch are {apart:.2g} apart")


def rows(options: Options) -> Iterator[Row]:
    for name, task in TASKS.items():
        if not options.wants(GROUP, name):
            continue
        try:
            taken = _measure(name, task, options)
        except WorkerFailed as error:
            skipped(name, error)
            continue
        found = {side: quietest(samples) * 1e3 for side, samples in taken.items()}
        ours, peer = found[f"ours {TOGETHER}"], found[f"torch {TOGETHER}"]
        note = "two processes, quietest eighth"
        if f"ours {ALONE}" in found:
            more = [found[f"{f} {TOGETHER}"] / found[f"{f} {ALONE}"] for f in ("ours", "torch")]
            note += f"; over no exchange {more[0]:.2f}, torch {more[1]:.2f}"
        yield Row(
            GROUP, name, 1, "wall", "ms", ours, peer, ours / peer, target=task.target, note=note
        )
