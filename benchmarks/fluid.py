"""``paddle.fluid`` of 1.x: steps beside 2.0's, recording, import, and networks over sequences.

- Programs by ``fluid.layers`` and the same by 2.0's names, in one process: nothing but how they
  were recorded is different.
- jieba's paddle mode, where `make clients` fetched it, with ``--oracle185`` beside 1.8.5.
- Networks over sequences (``fluid_networks.py``) beside torch on padded batches, every side in a
  process of its own, from the same weights; with ``--oracle185`` beside PaddlePaddle 1.8.5 too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks import fluid_jieba as jieba
from benchmarks import fluid_networks as networks
from benchmarks.measure import Result, interleave, local
from benchmarks.options import SIDES, Options, compare_processes
from benchmarks.startup import once
from benchmarks.table import Row
from benchmarks.worker import KEPT, Worker, WorkerFailed

GROUP = "fluid"
RECORDING = "recording ResNet50, over 2.0's names"
IMPORT = "import paddle.fluid, over import paddle"
FIRST = "first use: {}"
STEP, RECORD, IMPORTED = 1.02, 1.2, 80.0
BATCH, CLICKS, FIELDS, TABLE, CLASSES = 64, 512, 26, 10_000, 10
OLD = "paddle.fluid"  # what the interpreter of 1.8.5 imports
TOLERANCE = 1e-4

# task -> the most that the step may take of torch's
SEQUENCES = {
    networks.POOL: 0.6,
    networks.SOFTMAX: 0.6,
    networks.CONV: 0.9,
    networks.LSTM: 0.9,
    networks.PEEPHOLES: 1.2,
    networks.GRU: 0.9,
    networks.LOSS: 0.5,
    networks.DECODING: 0.5,
}
OTHERWISE = (networks.PEEPHOLES, networks.GRU)
"""torch has no peepholes, and applies a GRU's reset gate elsewhere: its numbers are others."""
STEPS_TARGET = 1.2
CUTTING_TARGET = 1.0  # of 1.8.5

# what is used first -> by fluid, and the same by 2.0's names
_SCRIPTS = {
    "fluid.Program()": ("fluid.Program()", "paddle.static.Program()"),
    "fluid.layers.fc": ("fluid.layers.fc", "paddle.static.nn.fc"),
    "a network of fc, minimize, run": (
        """
x = fluid.data("x", [None, 8])
loss = fluid.layers.mean(fluid.layers.fc(x, 4))
fluid.optimizer.SGD(0.1).minimize(loss)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
exe.run(feed={"x": np.zeros([2, 8], "float32")}, fetch_list=[loss])
""",
        """
paddle.enable_static()
x = paddle.static.data("x", [None, 8])
loss = paddle.mean(paddle.static.nn.fc(x, 4))
paddle.optimizer.SGD(0.1).minimize(loss)
exe = paddle.static.Executor(paddle.CPUPlace())
exe.run(paddle.static.default_startup_program())
exe.run(feed={"x": np.zeros([2, 8], "float32")}, fetch_list=[loss])
""",
    ),
}
_BEFORE = (
    "import warnings; warnings.simplefilter('ignore'); "
    "import numpy as np, paddle, paddle.fluid as fluid"
)


# -- Programs by fluid.layers and by 2.0's names ---------------------------------------------------


def _mlp_1x(fluid: Any) -> Any:
    layers = fluid.layers
    image = fluid.data("image", [None, 784], "float32")
    label = fluid.data("label", [None, 1], "int64")
    hidden = layers.fc(image, 512, act="relu")
    cost = layers.softmax_with_cross_entropy(layers.fc(hidden, CLASSES), label)
    return layers.mean(cost)


def _mlp_2x(paddle: Any) -> Any:
    static, F = paddle.static, paddle.nn.functional
    image = static.data("image", [None, 784], "float32")
    label = static.data("label", [None, 1], "int64")
    hidden = static.nn.fc(image, 512, activation="relu")
    return paddle.mean(F.softmax_with_cross_entropy(static.nn.fc(hidden, CLASSES), label))


def _lenet_1x(fluid: Any) -> Any:
    layers = fluid.layers
    image = fluid.data("image", [None, 1, 28, 28], "float32")
    label = fluid.data("label", [None, 1], "int64")
    first = layers.pool2d(layers.conv2d(image, 6, 3, padding=1, act="relu"), 2, "max", 2)
    second = layers.pool2d(layers.conv2d(first, 16, 5, act="relu"), 2, "max", 2)
    logits = layers.fc(layers.fc(layers.fc(second, 120), 84), CLASSES)
    return layers.mean(layers.softmax_with_cross_entropy(logits, label))


def _lenet_2x(paddle: Any) -> Any:
    static, F = paddle.static, paddle.nn.functional
    image = static.data("image", [None, 1, 28, 28], "float32")
    label = static.data("label", [None, 1], "int64")
    first = F.max_pool2d(static.nn.conv2d(image, 6, 3, padding=1, act="relu"), 2, 2)
    second = F.max_pool2d(static.nn.conv2d(first, 16, 5, act="relu"), 2, 2)
    logits = static.nn.fc(static.nn.fc(static.nn.fc(second, 120), 84), CLASSES)
    return paddle.mean(F.softmax_with_cross_entropy(logits, label))


def _ctr_1x(fluid: Any) -> Any:
    layers = fluid.layers
    slots = [fluid.data(f"C{i}", [None, 1], "int64") for i in range(FIELDS)]
    dense = fluid.data("dense", [None, 13], "float32")
    label = fluid.data("label", [None, 1], "float32")
    rows = [layers.embedding(slot, [TABLE, 16], is_sparse=True) for slot in slots]
    hidden = layers.fc(layers.concat([*rows, dense], axis=1), 256, act="relu")
    logits = layers.fc(layers.fc(hidden, 128, act="relu"), 1)
    return layers.mean(layers.sigmoid_cross_entropy_with_logits(logits, label))


def _ctr_2x(paddle: Any) -> Any:
    static = paddle.static
    slots = [static.data(f"C{i}", [None], "int64") for i in range(FIELDS)]
    dense = static.data("dense", [None, 13], "float32")
    label = static.data("label", [None, 1], "float32")
    rows = [static.nn.embedding(slot, [TABLE, 16], is_sparse=True) for slot in slots]
    hidden = static.nn.fc(paddle.concat([*rows, dense], axis=1), 256, activation="relu")
    logits = static.nn.fc(static.nn.fc(hidden, 128, activation="relu"), 1)
    return paddle.nn.functional.binary_cross_entropy_with_logits(logits, label)


PROGRAMS = {
    "MLP 784-512-10, Adam": (_mlp_1x, _mlp_2x),
    "LeNet, Adam": (_lenet_1x, _lenet_2x),
    "CTR 26 tables of 10,000 b512, SGD": (_ctr_1x, _ctr_2x),
}


def _feed(name: str, side: str) -> dict[str, np.ndarray]:
    rng = np.random.RandomState(0)
    if name.startswith("CTR"):
        shape = (CLICKS, 1) if side == "fluid" else (CLICKS,)
        feed = {f"C{i}": rng.randint(0, TABLE, shape) for i in range(FIELDS)}
        feed["dense"] = rng.rand(CLICKS, 13).astype("float32")
        return {**feed, "label": rng.randint(0, 2, (CLICKS, 1)).astype("float32")}
    shape = (BATCH, 784) if name.startswith("MLP") else (BATCH, 1, 28, 28)
    image = rng.rand(*shape).astype("float32")
    return {"image": image, "label": rng.randint(0, CLASSES, (BATCH, 1))}


def _step(name: str, side: str) -> Callable[[], Any]:
    """A function that runs a training step of one side."""
    import paddle
    import paddle.fluid as fluid

    main, startup = paddle.static.Program(), paddle.static.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        first, second = PROGRAMS[name]
        loss = first(fluid) if side == "fluid" else second(paddle)
        if name.startswith("CTR"):
            optimizer: Any = fluid.optimizer.SGD if side == "fluid" else paddle.optimizer.SGD
        else:
            optimizer = fluid.optimizer.Adam if side == "fluid" else paddle.optimizer.Adam
        optimizer(1e-4).minimize(loss)
    scope, exe = paddle.static.Scope(), paddle.static.Executor(paddle.CPUPlace())
    exe.run(startup, scope=scope)
    for parameter in main.all_parameters():
        value = networks.weight("", list(parameter.shape))
        scope.find_var(parameter.name).get_tensor().set(value, paddle.CPUPlace())
    feed = _feed(name, side)
    return lambda: exe.run(main, feed, [loss], scope=scope)[0]


def _program_rows(options: Options) -> Iterator[Row]:
    for name in PROGRAMS:
        if not options.wants(GROUP, f"{name}, over 2.0's names"):
            continue
        sides = ("fluid", "2.0")
        results = []
        for turn in range(3):  # where buffers lie is worth a few per cent
            order = sides if turn % 2 else sides[::-1]
            steps = {side: _step(name, side) for side in order}
            losses = [float(np.ravel(steps[side]())[0]) for side in sides]
            if abs(losses[0] - losses[1]) > TOLERANCE:
                raise RuntimeError(f"{name}: the losses are {losses}")
            timers = {side: local(step) for side, step in steps.items()}
            results.append(interleave(timers, options.effort(21, 0.1), "cpu"))
        ratios = [result.ratio(*sides) for result in results]
        ours, peer = (np.median([r.median(side) for r in results]) * 1e3 for side in sides)
        note = f"three times built: {', '.join(f'{ratio:.3f}' for ratio in ratios)}"
        yield Row(
            GROUP, f"{name}, over 2.0's names", 1, "cpu", "ms", float(ours), float(peer),
            float(np.median(ratios)), target=STEP, note=note,
        )  # fmt: skip


# -- recording ------------------------------------------------------------------------------------


class _Fluid:
    """What a ResNet is made of, by ``fluid.layers``."""

    def __init__(self) -> None:
        import paddle.fluid as fluid

        self.layers = fluid.layers
        self.data = fluid.data

    def unit(self, x: Any, width: int, size: int, stride: int, act: str | None) -> Any:
        half = (size - 1) // 2
        made = self.layers.conv2d(x, width, size, stride, half, bias_attr=False)
        return self.layers.batch_norm(made, act=act)

    def join(self, x: Any, y: Any) -> Any:
        return self.layers.elementwise_add(x, y, act="relu")

    def most(self, x: Any) -> Any:
        return self.layers.pool2d(x, 3, "max", 2, 1)

    def mean(self, x: Any) -> Any:
        return self.layers.pool2d(x, 7, "avg")

    def last(self, x: Any) -> Any:
        return self.layers.fc(x, 1000)


class _Static:
    """The same by ``paddle.static.nn`` and ``paddle.nn.functional``."""

    def __init__(self) -> None:
        import paddle

        self.nn, self.F = paddle.static.nn, paddle.nn.functional
        self.add, self.data = paddle.add, paddle.static.data

    def unit(self, x: Any, width: int, size: int, stride: int, act: str | None) -> Any:
        half = (size - 1) // 2
        made = self.nn.conv2d(x, width, size, stride, half, bias_attr=False)
        return self.nn.batch_norm(made, act=act)

    def join(self, x: Any, y: Any) -> Any:
        return self.F.relu(self.add(x, y))

    def most(self, x: Any) -> Any:
        return self.F.max_pool2d(x, 3, 2, 1)

    def mean(self, x: Any) -> Any:
        return self.F.avg_pool2d(x, 7)

    def last(self, x: Any) -> Any:
        return self.nn.fc(x, 1000)


def _resnet50(made_of: Any) -> None:
    x = made_of.data("image", [None, 3, 224, 224], "float32")
    x = made_of.most(made_of.unit(x, 64, 7, 2, "relu"))
    for stage, count in enumerate((3, 4, 6, 3)):
        width = 64 * 2**stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            short = x if block else made_of.unit(x, width * 4, 1, stride, None)
            x = made_of.unit(x, width, 1, 1, "relu")
            x = made_of.unit(x, width, 3, stride, "relu")
            x = made_of.join(short, made_of.unit(x, width * 4, 1, 1, None))
    made_of.last(made_of.mean(x))


def _recorded(made_of: Any) -> Callable[[], Any]:
    """A function that records the network into a new Program."""
    import paddle.fluid as fluid

    def record() -> Any:
        main = fluid.Program()
        with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
            _resnet50(made_of)
        return main

    return record


def _recording_row(options: Options) -> Iterator[Row]:
    if not options.wants(GROUP, RECORDING):
        return
    sides = {"fluid": _recorded(_Fluid()), "2.0": _recorded(_Static())}
    types = {
        side: [op.type for op in record().global_block().ops] for side, record in sides.items()
    }
    result = interleave(
        {side: local(record) for side, record in sides.items()}, options.effort(41, 0.1), "cpu"
    )
    ours, peer = (result.median(side) * 1e3 for side in sides)
    note = " and ".join(str(len(found)) for found in types.values()) + " operators"
    yield Row(
        GROUP, RECORDING, 1, "cpu", "ms", ours, peer, result.ratio(*sides), target=RECORD, note=note
    )


# -- import ---------------------------------------------------------------------------------------


def _import_rows(options: Options) -> Iterator[Row]:
    if options.wants(GROUP, IMPORT):
        scripts = {"fluid": "import paddle.fluid", "paddle": "import paddle"}
        result = _fresh({side: ("", script) for side, script in scripts.items()}, options)
        ours, peer = (result.median(side) * 1e3 for side in scripts)
        value = result.difference("fluid", "paddle") * 1e3
        yield Row(GROUP, IMPORT, 1, "cpu", "ms", ours, peer, value, "more", IMPORTED)
    for name, scripts in _SCRIPTS.items():
        if options.wants(GROUP, FIRST.format(name)):
            sides = dict(zip(("fluid", "2.0"), scripts, strict=True))
            result = _fresh({side: (_BEFORE, text) for side, text in sides.items()}, options)
            ours, peer = (result.median(side) * 1e3 for side in sides)
            value = result.difference(*sides) * 1e3
            note = "the other side is the same by 2.0's names"
            yield Row(
                GROUP, FIRST.format(name), 1, "cpu", "ms", ours, peer, value, "more", note=note
            )


def _fresh(scripts: dict[str, tuple[str, str]], options: Options) -> Result:
    """Times scripts in processes of their own, in turns."""
    for script in scripts.values():  # the first run reads the files from disk
        once(*script, 1)
    result = Result("cpu", {side: [] for side in scripts})
    for _ in range(options.effort(15, 0).rounds):
        for side, script in scripts.items():
            result.samples[side].append(once(*script, 1))
    return result


# -- sequences ------------------------------------------------------------------------------------


def _same(task: str, workers: dict[str, Worker]) -> None:
    """Makes sure that the sides compute the same thing, where they are meant to."""
    if task in OTHERWISE:
        return
    found = {side: workers[side].ask("results", 2) for side in ("ours", "torch")}
    if not np.allclose(found["ours"], found["torch"], rtol=TOLERANCE):
        raise WorkerFailed(f"{task}: the sides compute {found}")


def _old(options: Options) -> tuple[str, str, str] | None:
    """The process of 1.8.5."""
    return (OLD, "benchmarks.fluid_networks", options.oracle185) if options.oracle185 else None


def _beside_old(result: Result) -> str:
    if OLD not in result.samples:
        return ""
    return f"{result.ratio('ours', OLD):.2f} of 1.8.5"


def _sequence_rows(options: Options) -> Iterator[Row]:
    effort, module = options.effort(21, 0.2), "benchmarks.fluid_networks"
    for task, target in SEQUENCES.items():
        if not options.wants(GROUP, task):
            continue
        check = partial(_same, task)
        result = compare_processes(module, task, SIDES, 1, effort, check, _old(options))
        if result is None:
            continue
        ours, peer = result.median("ours") * 1e3, result.median("torch") * 1e3
        same = f"{result.ratio('ours', KEPT):.2f} of torch with our allocator policy"
        note = "; ".join(filter(None, [_beside_old(result), same]))
        yield Row(
            GROUP, task, 1, "cpu", "ms", ours, peer, result.ratio("ours", "torch"),
            target=target, note=note,
        )  # fmt: skip
    if options.wants(GROUP, networks.STEPS):
        sides = ("ours", networks.GRU)
        result = compare_processes(
            module, networks.STEPS, sides, 1, effort, lambda workers: None, _old(options)
        )
        if result is not None:
            ours, peer = (result.median(side) * 1e3 for side in sides)
            note = "; ".join(
                filter(None, [_beside_old(result), "the other side is our dynamic_gru"])
            )
            yield Row(
                GROUP, networks.STEPS, 1, "cpu", "ms", ours, peer, result.ratio(*sides),
                target=STEPS_TARGET, note=note,
            )  # fmt: skip


def _cutting_row(options: Options) -> Iterator[Row]:
    """jieba cuts a sentence; there is nothing of torch beside it."""
    if not options.wants(GROUP, jieba.CUTTING) or not (jieba.CLIENTS / "jieba").is_dir():
        return
    module, effort = "benchmarks.fluid_jieba", options.effort(21, 0.2)
    peer = (OLD, module, options.oracle185) if options.oracle185 else None
    result = compare_processes(module, jieba.CUTTING, ("ours",), 1, effort, peer=peer)
    if result is None:
        return
    ours = result.median("ours") * 1e3 / jieba.SENTENCES
    value = result.ratio("ours", OLD) if peer else ours
    yield Row(
        GROUP, jieba.CUTTING, 1, "cpu", "ms", ours, None, value, "ratio" if peer else "value",
        target=CUTTING_TARGET if peer else None, note="of 1.8.5" if peer else "",
    )  # fmt: skip


def rows(options: Options) -> Iterator[Row]:
    """Rows of one thread."""
    if 1 not in options.threads:
        return
    yield from _sequence_rows(options)
    yield from _cutting_row(options)
    yield from _import_rows(options)
    if any(
        options.wants(GROUP, name) for name in [RECORDING, *(f"{n}, over 2.0's" for n in PROGRAMS)]
    ):
        import paddle

        paddle.enable_static()
        yield from _program_rows(options)
        yield from _recording_row(options)
        paddle.disable_static()
