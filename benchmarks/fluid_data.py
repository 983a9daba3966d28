"""Files of records: text of 28 or 39 slots, training from it; readers of 1.x and a DataLoader.

The text has the layout of click data: a label, 13 numbers and 26 slots of ids. What is compared:
megabytes parsed in a second by one process, and by two; lines of 39 slots with an id of 64 bits
each that one process parses in a second; ``train_from_dataset`` with the same steps on batches that
are there already, plus the parsing, by processor time, and with these steps alone, by the clock; a
loop over ``DataLoader.from_generator`` and one with ``py_reader`` with the loop over a
``paddle.io.DataLoader`` of the same batches.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measure import interleave, local
from benchmarks.options import Options
from benchmarks.table import Row

GROUP = "fluid_data"
RECORDS, SLOTS, TABLE = 40000, 26, 20001
BATCH, BATCHES = 512, 24
LEAST, GAIN = 40.0, 1.7
"""Megabytes a second of one process, and what a second one adds."""
LINES, WIDE, FEWEST = 20000, 39, 40000.0
"""Lines of the wide text, its slots, and how many of them a process is to parse in a second."""
NAMES = {
    "parse": "CTR text of 28 slots, 16 MB, one process",
    "two": "the same by two processes, of one",
    "lines": "text of 39 slots with ids of 64 bits, one process",
    "train": "train_from_dataset, of its steps and the parsing",
    "fed": "train_from_dataset by the clock, of its steps fed from memory",
    "generator": "DataLoader.from_generator, of a DataLoader",
    "py_reader": "py_reader, of a DataLoader",
}


def write_text(path: str, records: int = RECORDS) -> float:
    """Writes records, and returns how many megabytes they take."""
    drawn = np.random.RandomState(0)
    with open(path, "w") as file:
        for _ in range(records):
            words = [f"1 {drawn.randint(2)} 13 " + " ".join(f"{x:.4f}" for x in drawn.rand(13))]
            for count in drawn.randint(1, 3, SLOTS):
                ids = drawn.randint(0, 10 ** int(drawn.randint(3, 9)), count)
                words.append(f"{count} " + " ".join(map(str, ids)))
            file.write(" ".join(words) + "\n")
    return os.path.getsize(path) / 1e6


def write_wide(path: str) -> None:
    """Writes lines of 39 slots, each with one id of up to 64 bits."""
    ids = np.random.RandomState(0).randint(0, 2**63 - 1, (LINES, WIDE), dtype=np.int64)
    with open(path, "w") as file:
        for row in ids.tolist():
            file.write(" ".join(f"1 {n * 2}" for n in row) + "\n")


def _dataset(fluid: Any, inputs: list, paths: list[str]) -> Any:
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var(inputs)
    dataset.set_batch_size(BATCH)
    dataset.set_filelist(paths)
    return dataset


def _inputs(fluid: Any) -> list:
    label = fluid.data("label", [None, 1], "int64")
    dense = fluid.data("dense", [None, 13], "float32")
    slots = [fluid.data(f"C{i}", [None, 1], "int64", lod_level=1) for i in range(SLOTS)]
    return [label, dense, *slots]


def _ctr(fluid: Any) -> tuple[Any, Any, list]:
    """A Program that trains, its startup Program, and its inputs."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        label, dense, *slots = inputs = _inputs(fluid)
        # Ids of the text are larger than any table.
        rows = [
            fluid.layers.sequence_pool(
                fluid.layers.embedding(
                    fluid.layers.elementwise_mod(
                        slot, fluid.layers.fill_constant([1], "int64", TABLE)
                    ),
                    [TABLE, 8], is_sparse=True, param_attr=fluid.ParamAttr("table"),
                ),
                "sum",
            )
            for slot in slots
        ]  # fmt: skip
        hidden = fluid.layers.fc(fluid.layers.concat([*rows, dense], 1), 64, act="relu")
        guess = fluid.layers.fc(hidden, 2, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
        fluid.optimizer.SGD(0.01).minimize(loss)
    return main, startup, inputs


def _parsing(folder: str, path: str, size: float, options: Options) -> Iterator[Row]:
    from paddle.distributed.dataset.files import Source, parts_of
    from paddle.distributed.dataset.reading import blocks
    from paddle.distributed.dataset.records import Slot

    slots = [Slot("label", "uint64", True, True, (-1, 1)),
             Slot("dense", "float", True, True, (-1, 13))]  # fmt: skip
    slots += [Slot(f"C{i}", "uint64", False, True) for i in range(SLOTS)]

    def read(copies: int, processes: int) -> Callable[[], object]:
        source = Source(slots, (), False, parts_of([path] * copies, "cat"))
        return lambda: sum(block.size for block in blocks(source, processes))

    if options.wants(GROUP, NAMES["parse"]):
        result = interleave({"ours": local(read(1, 0))}, options.effort(7, 0.5), "cpu")
        took = result.median("ours")
        note = f"{size / took:.0f} MB/s, at least {LEAST:.0f}"
        yield Row(
            GROUP, NAMES["parse"], 1, "cpu", "s", took, None, took, "value", size / LEAST, note
        )
    if options.wants(GROUP, NAMES["two"]):
        sides = {"two": local(read(6, 2)), "one": local(read(6, 1))}
        result = interleave(sides, options.effort(7, 0.5), "wall")
        two, one = result.median("two"), result.median("one")
        note = f"{one / two:.2f} times as fast, at least {GAIN}"
        yield Row(
            GROUP, NAMES["two"], 1, "wall", "s", two, None, two / one, "ratio", 1 / GAIN, note
        )


def _lines(folder: str, options: Options) -> Iterator[Row]:
    if not options.wants(GROUP, NAMES["lines"]):
        return
    from paddle.distributed.dataset.files import Source, parts_of
    from paddle.distributed.dataset.reading import blocks
    from paddle.distributed.dataset.records import Slot

    path = os.path.join(folder, "wide")
    write_wide(path)
    slots = [Slot(f"C{i}", "uint64", False, True) for i in range(WIDE)]
    source = Source(slots, (), False, parts_of([path], "cat"))
    sides = {"ours": local(lambda: sum(block.size for block in blocks(source, 0)))}
    took = interleave(sides, options.effort(7, 0.5), "cpu").median("ours")
    rate = LINES / took
    note = f"{rate:.0f} lines/s, at least {FEWEST:.0f}"
    yield Row(GROUP, NAMES["lines"], 1, "cpu", "s", took, None, FEWEST / rate, "ratio", 1.0, note)


def _training(path: str, options: Options) -> Iterator[Row]:
    if not any(options.wants(GROUP, NAMES[row]) for row in ("train", "fed")):
        return
    import paddle.fluid as fluid
    from paddle.io.dataloader.dataset_loader import tensors

    main, startup, inputs = _ctr(fluid)
    scope, exe = fluid.Scope(), fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=scope)
    dataset = _dataset(fluid, inputs, [path])
    ready = [tensors(feed) for feed in dataset.feeds(1)[0]]

    def steps() -> None:
        for feed in ready:
            exe.run(main, feed, scope=scope)

    def parse() -> None:
        for _ in dataset.feeds(1)[0]:
            pass

    def train() -> None:
        exe.train_from_dataset(main, dataset, scope=scope)

    sides = {"train": local(train), "steps": local(steps), "parse": local(parse)}
    result = interleave(sides, options.effort(5, 0.5), "cpu")
    took = result.median("train")
    apart = result.median("steps") + result.median("parse")
    note = f"steps {result.median('steps'):.2f} s, parsing {result.median('parse'):.2f} s"
    yield Row(GROUP, NAMES["train"], 1, "cpu", "s", took, None, took / apart, "ratio", 1.15, note)
    if options.wants(GROUP, NAMES["fed"]):
        several = _dataset(fluid, inputs, [path] * 4)
        sides = {
            "train": local(lambda: exe.train_from_dataset(main, several, scope=scope)),
            "steps": local(lambda: [steps() for _ in range(4)]),
        }
        result = interleave(sides, options.effort(9, 0.5), "wall")
        ratio = result.ratio("train", "steps")
        note = result.remark(f"{1 / ratio:.2f} times as fast, at least 0.95")
        took = result.median("train")
        yield Row(GROUP, NAMES["fed"], 1, "wall", "s", took, None, ratio, "ratio", 1 / 0.95, note)


def _readers(options: Options) -> Iterator[Row]:
    wanted = [side for side in ("generator", "py_reader") if options.wants(GROUP, NAMES[side])]
    if not wanted:
        return
    import paddle
    import paddle.fluid as fluid

    drawn = np.random.RandomState(0)
    made = [
        (drawn.rand(64, 784).astype("float32"), drawn.randint(0, 10, (64, 1))) for _ in range(50)
    ]

    class Batches(paddle.io.IterableDataset):
        def __iter__(self) -> Iterator[Any]:
            return iter(made)

    def network(x: Any, label: Any) -> Any:
        hidden = fluid.layers.fc(x, 128, act="relu")
        guess = fluid.layers.fc(hidden, 10, act="softmax")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
        fluid.optimizer.SGD(0.01).minimize(loss)
        return loss

    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 784], "float32")
        label = fluid.data("label", [None, 1], "int64")
        loss = network(x, label)
        generator = fluid.io.DataLoader.from_generator([x, label], 4)
        generator.set_batch_generator(lambda: iter(made), places=fluid.CPUPlace())
        loader = paddle.io.DataLoader(
            Batches(), feed_list=[x, label], return_list=False, batch_size=None
        )
    reading, begun = fluid.Program(), fluid.Program()
    with (
        fluid.scope_guard(scope),
        fluid.program_guard(reading, begun),
        fluid.unique_name.guard(),
    ):
        reader = fluid.layers.py_reader(4, [[-1, 784], [-1, 1]], ["float32", "int64"])
        fetched = network(*fluid.layers.read_file(reader))
        reader.decorate_tensor_provider(lambda: iter(made))
    for program in (startup, begun):
        exe.run(program, scope=scope)

    def over(batches: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            for data in batches():
                exe.run(main, data[0], [loss], scope=scope)

        return run

    def by_reader() -> None:
        reader.start()
        try:
            while True:
                exe.run(reading, None, [fetched], scope=scope)
        except fluid.core.EOFException:
            reader.reset()

    sides = {"loader": local(over(loader)), "generator": local(over(generator)),
             "py_reader": local(by_reader)}  # fmt: skip
    result = interleave(sides, options.effort(15, 0.3), "cpu")
    base = result.median("loader")
    for side in wanted:
        took = result.median(side)
        yield Row(GROUP, NAMES[side], 1, "cpu", "s", took, None, took / base, "ratio", 1.05)


def rows(options: Options) -> Iterator[Row]:
    """Rows of one thread; only processes that read are two."""
    if 1 not in options.threads or not any(options.wants(GROUP, name) for name in NAMES.values()):
        return
    import paddle

    paddle.enable_static()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part-0")
        size = write_text(path)
        yield from _parsing(folder, path, size, options)
        yield from _lines(folder, options)
        yield from _training(path, options)
    yield from _readers(options)
    paddle.disable_static()
