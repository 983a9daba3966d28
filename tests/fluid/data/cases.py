"""What is fed, under PaddlePaddle 1.8.5 and here: functions in Python 3.7 syntax.

Each gets the ``fluid`` to use, runs in an empty folder, and returns what JSON can hold; what it
prints is compared too. ``scripts/oracle/fluid_data_185.py`` freezes them.
"""

import numpy as np

FILES = {
    "a.txt": "2 3 4 1 0 2 0.5 0.25\n1 7 1 1 2 1.5 2.25\n3 1 2 9 1 1 2 -0.5 1e-2\n",
    "b.txt": "1 5 1 0 2 0.125 0.0\n2 18446744073709551615 9007199254740993 1 1 2 3 4\n",
    "desc.txt": """name: "MultiSlotDataFeed"
batch_size: 2
multi_slot_desc {
  slots {
    name: "words"   # of a sentence
    type: "uint64"
    is_dense: false
    is_used: true
  }
  slots { name: "label" type: "uint64" is_dense: false is_used: false }
  slots < name: 'x' type: "float"; is_dense: true shape: 3 shape: 2 >
}
""",
    "bare.txt": 'name: "MultiSlotDataFeed" multi_slot_desc { slots { name: "w" type: "float" } }',
    "unknown.txt": 'name: "x" bogus: 3',
    "kind.txt": 'name: "x" batch_size: "a"',
}


def tensor(value):
    array = np.array(value)
    return [str(array.dtype), list(array.shape), array.ravel().tolist(), value.lod()]


def fed(feed):
    return {name: tensor(value) for name, value in sorted(feed.items())}


def tried(function):
    """The result, or the kind of error."""
    try:
        return function()
    except Exception as error:
        return "raises " + type(error).__name__


def feeder(fluid):
    x = fluid.data("x", [-1, 3], "float32")
    w = fluid.data("w", [-1, 1], "int64", lod_level=1)
    y = fluid.data("y", [-1, 2], "int64", lod_level=2)
    label = fluid.layers.data("label", [1], dtype="int64")
    img = fluid.layers.data("img", [1, 2, 2], dtype="float32")
    found = []

    def made(feeds, samples):
        feeder = fluid.DataFeeder(feeds, fluid.CPUPlace())
        found.append(tried(lambda: fed(feeder.feed(samples))))

    made(
        [x, w, y, label, img],
        [
            ([1, 2, 3], [4, 5], [[[1, 2], [3, 4]], [[5, 6]]], 7, [1, 2, 3, 4]),
            (np.ones(3), [6], [[[7, 8]]], 8, np.zeros(4)),
        ],
    )
    made(["label", "w"], [(1, [1, 2, 3]), (2, [])])
    made([w], [([[1], [2]],), ([[3]],)])
    made([w], [(np.array([1, 2]),), (np.array([3]),)])
    made([label], [(1.7,), (2,)])
    made([label], [(np.array([1]),), (np.array([3]),)])
    made([x], [])
    made([x], [([1, 2, 3],), ([1, 2, 3, 4],)])
    made([x], [([1, 2, 3], 4)])
    made([x], [()])
    made([w], [(3,)])
    made([label], [("a",)])
    found.append(tried(lambda: fluid.DataFeeder(["nope"], fluid.CPUPlace())))
    found.append(tried(lambda: fluid.DataFeeder([3], fluid.CPUPlace())))
    return found


def feeder_parallel(fluid):
    x = fluid.data("x", [-1, 2], "float32")
    label = fluid.data("label", [-1, 1], "int64")
    feeder = fluid.DataFeeder([x, label], fluid.CPUPlace())
    two = [[([1, 2], 1)], [([4, 5], 2), ([4, 6], 2)]]

    def batches():
        for i in range(3):
            yield [([i, 1], i)]

    def decorated(many, drop_last=True):
        reader = feeder.decorate_reader(batches, many, num_places=2, drop_last=drop_last)
        return [[fed(b) for b in batch] if many else fed(batch) for batch in reader()]

    return [
        [fed(b) for b in feeder.feed_parallel(two, 2)],
        tried(lambda: list(feeder.feed_parallel(two[:1], 2))),
        decorated(False),
        decorated(True),
        tried(lambda: decorated(True, False)),
        feeder.feed_names,
        [list(shape) for shape in feeder.feed_shapes],
        feeder.feed_lod_level,
    ]


def descriptions(fluid):
    found = [fluid.DataFeedDesc("desc.txt").desc(), fluid.DataFeedDesc("bare.txt").desc()]
    desc = fluid.DataFeedDesc("desc.txt")
    desc.set_batch_size(128)
    desc.set_dense_slots(["words"])
    desc.set_use_slots(["label", "x"])
    found.append(desc.desc())
    found.append(tried(lambda: desc.set_use_slots(["nope"])))
    found.append(tried(lambda: desc.set_dense_slots(["nope"])))
    for name in ("unknown.txt", "kind.txt", "nowhere.txt"):
        found.append(tried(lambda name=name: fluid.DataFeedDesc(name)))
    for kind in ("QueueDataset", "InMemoryDataset", "FileInstantDataset"):
        found.append(fluid.DatasetFactory().create_dataset(kind).desc())
    dataset = fluid.DatasetFactory().create_dataset()
    dataset.set_thread(4)
    dataset.set_pv_batch_size(3)
    dataset.set_rank_offset("ro")
    dataset.set_pipe_command('python "x".py')
    found.append(dataset.desc())
    found.append(tried(lambda: fluid.DatasetFactory().create_dataset("Nope")))
    double = fluid.data("double", [1], "float64")
    found.append(tried(lambda: dataset.set_use_var([double])))
    found.append(tried(dataset.local_shuffle))
    found.append(tried(dataset.global_shuffle))
    return found


def _variables(fluid):
    return [
        fluid.data("words", [-1, 1], "int64", lod_level=1),
        fluid.data("label", [-1, 1], "int64"),
        fluid.data("dense", [-1, 2], "float32"),
    ]


def _dataset(fluid, kind, variables, command="cat"):
    dataset = fluid.DatasetFactory().create_dataset(kind)
    dataset.set_batch_size(2)
    dataset.set_thread(1)
    dataset.set_filelist(["a.txt", "b.txt"])
    dataset.set_pipe_command(command)
    dataset.set_use_var(variables)
    return dataset


def queue(fluid):
    variables = _variables(fluid)
    total = fluid.layers.reduce_sum(variables[2])
    words = fluid.layers.scale(variables[0], 1.0)
    exe = fluid.Executor(fluid.CPUPlace())
    dataset = _dataset(fluid, "QueueDataset", variables)
    got = exe.train_from_dataset(
        fluid.default_main_program(), dataset, thread=1, fetch_list=[total, words, variables[0]],
        fetch_info=["a sum", "w", ""], print_period=1,
    )  # fmt: skip
    exe.infer_from_dataset(
        fluid.default_main_program(), dataset, thread=1, fetch_list=[total, variables[0]],
        fetch_info=["s", "w"], print_period=2,
    )  # fmt: skip
    return [got, dataset.desc(), tried(lambda: exe.train_from_dataset())]


def piped(fluid):
    variables = _variables(fluid)
    total = fluid.layers.reduce_sum(variables[2])
    exe = fluid.Executor(fluid.CPUPlace())
    exe.train_from_dataset(
        fluid.default_main_program(),
        _dataset(fluid, "QueueDataset", variables, "sed 's/0.25/0.75/' | grep -v '^3'"),
        thread=1, fetch_list=[total], fetch_info=["sum"], print_period=1,
    )  # fmt: skip


def in_memory(fluid):
    variables = _variables(fluid)
    total = fluid.layers.reduce_sum(variables[2])
    exe = fluid.Executor(fluid.CPUPlace())
    dataset = _dataset(fluid, "InMemoryDataset", variables)
    dataset.load_into_memory()
    size = int(dataset.get_memory_data_size())
    exe.train_from_dataset(
        fluid.default_main_program(), dataset, thread=1, fetch_list=[total, variables[0]],
        fetch_info=["s", "w"], print_period=1,
    )  # fmt: skip
    dataset.release_memory()
    return [size, dataset.desc()]


def from_dataset(fluid):
    variables = _variables(fluid)
    found = []
    for drop_last in (False, True):
        loader = fluid.io.DataLoader.from_dataset(
            _dataset(fluid, "QueueDataset", variables), fluid.cpu_places(1), drop_last
        )
        for batches in loader:
            found.append([fed(batch) for batch in batches])
    for batches in found:
        for batch in batches:
            for name in ("label", "dense"):  # 1.8.5 gives dense slots levels, which fit no rows
                batch[name].pop()
    return found


def ctr(fluid):
    """Losses and parameters of a small model, trained from files."""
    words, label, dense = _variables(fluid)
    embedded = fluid.layers.embedding(
        words, [10, 4],
        param_attr=fluid.ParamAttr("table", initializer=fluid.initializer.Constant(0.25)),
    )  # fmt: skip
    pooled = fluid.layers.sequence_pool(embedded, "sum")
    ready = fluid.initializer.Constant
    hidden = fluid.layers.fc(
        [pooled, dense], 3, act="tanh",
        param_attr=[
            fluid.ParamAttr("w0", initializer=ready(0.1)),
            fluid.ParamAttr("w1", initializer=ready(-0.2)),
        ],
    )  # fmt: skip
    guess = fluid.layers.fc(
        hidden, 2, act="softmax",
        param_attr=fluid.ParamAttr(
            "w2", initializer=fluid.initializer.NumpyArrayInitializer(
                np.linspace(-1, 1, 6).reshape(3, 2).astype("float32"))),
    )  # fmt: skip
    loss = fluid.layers.mean(fluid.layers.cross_entropy(guess, label))
    fluid.optimizer.SGD(0.5).minimize(loss)
    with open("c.txt", "w") as file:
        for i in range(40):
            ids = [(i * 7 + k) % 10 for k in range(1 + i % 3)]
            row = [len(ids)] + ids + [1, i % 2, 2, i * 0.05, 1 - i * 0.02]
            file.write(" ".join(map(str, row)) + "\n")
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    dataset = _dataset(fluid, "QueueDataset", [words, label, dense])
    dataset.set_filelist(["c.txt"])
    dataset.set_batch_size(4)
    for _ in range(3):
        exe.train_from_dataset(
            fluid.default_main_program(), dataset, thread=1, fetch_list=[loss],
            fetch_info=["loss"], print_period=1,
        )  # fmt: skip
    scope = fluid.global_scope()
    return [
        [float(v) for v in np.array(scope.find_var(name).get_tensor()).ravel()]
        for name in ("table", "w0", "w1", "w2")
    ]


def generators(fluid):
    import io
    import sys

    from paddle.fluid.incubate.data_generator import (
        MultiSlotDataGenerator,
        MultiSlotStringDataGenerator,
    )

    def written(base, records, size=2, lines=None, group=None):
        class Made(base):
            def generate_sample(self, line):
                def read():
                    if line is not None:
                        yield [("n", [int(v) for v in line.split()])]
                    else:
                        yield from records

                return read

        if group is not None:
            Made.generate_batch = group
        made = Made()
        made.set_batch(size)
        old = sys.stdout, sys.stdin
        sys.stdout, sys.stdin = io.StringIO(), io.StringIO(lines)
        try:
            error = None
            if lines is None:
                made.run_from_memory()
            else:
                made.run_from_stdin()
        except Exception as raised:
            error = type(raised).__name__
        finally:
            text = sys.stdout.getvalue()
            sys.stdout, sys.stdin = old
        return [text, error]

    def turned(self, samples):
        def read():
            yield from reversed(samples)

        return read

    good = [("words", [1926, 8]), ("label", [1])], (("words", [7]), ("label", [0.5])), None
    multi, text = MultiSlotDataGenerator, MultiSlotStringDataGenerator
    return [
        written(multi, good),
        written(multi, [good[0], good[1], good[0]], group=turned),
        written(multi, [], lines="1 2\n3\n4 5 6\n"),
        written(multi, [[("a", [1])], [("a", [1]), ("b", [2])]]),
        written(multi, [[("a", [1])], [("b", [1])]]),
        written(multi, [[("a", [])]]),
        written(multi, [[("a", (1, 2))]]),
        written(multi, [[(3, [1])]]),
        written(multi, ["abc"]),
        written(text, [[("a", ["1", "x"]), ("b", [])]]),
        written(text, ["abc"]),
        tried(lambda: multi().run_from_memory()),
    ]


CASES = [
    feeder, feeder_parallel, descriptions, queue, piped, in_memory, from_dataset, ctr, generators,
]  # fmt: skip
