"""Readers of Programs, under PaddlePaddle 1.8.5 and here; as cases.py."""

import numpy as np


def shown(value):
    if isinstance(value, dict):
        return {name: shown(v) for name, v in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    array = np.array(value)
    levels = value.lod() if hasattr(value, "lod") else None
    return [str(array.dtype), array.tolist(), levels]


def tried(function):
    """The result, or that something was raised."""
    try:
        return function()
    except Exception:
        return "raises"


def operators(program):
    found = []
    for op in program.global_block().ops:
        attrs = {}
        for name in op.attr_names:
            if op.type not in ("read", "create_py_reader", "create_double_buffer_reader"):
                continue
            if not name.startswith("op_"):
                attrs[name] = op.attr(name)
        ins = {s: op.input(s) for s in op.input_names if op.input(s)}
        outs = {s: op.output(s) for s in op.output_names if op.output(s)}
        found.append([op.type, ins, outs, attrs])
    return found


def variables(program):
    return [
        [v.name, bool(v.persistable), int(v.type)] for v in program.global_block().vars.values()
    ]


def passes(fluid, exe, program, fetch, reader, count=2):
    found = []
    for _ in range(count):
        reader.start()
        try:
            while True:
                found.append(shown(exe.run(program, fetch_list=fetch, return_numpy=False)))
        except fluid.core.EOFException:
            reader.reset()
            found.append("end")
    return found


def _lists():
    for i in range(3):
        yield [(np.full([3], i, "float32"), [i]), (np.full([3], i + 1, "float32"), [i, i])]


def _samples():
    for i in range(5):
        yield np.full([3], i, "float32"), [i] * (i % 2 + 1)


def _arrays(fluid):
    def read():
        for i in range(3):
            ids = fluid.create_lod_tensor(np.full([3, 1], i, "int64"), [[1, 2]], fluid.CPUPlace())
            yield np.full([2, 3], i, "float32"), ids

    return read


def py_reader(fluid):
    main, startup = fluid.default_main_program(), fluid.default_startup_program()
    reader = fluid.layers.py_reader(
        capacity=4, shapes=[(-1, 3), (-1, 1)], dtypes=["float32", "int64"], lod_levels=[0, 1],
        name="rd",
    )  # fmt: skip
    x, ids = fluid.layers.read_file(reader)
    total = fluid.layers.reduce_sum(x)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    found = [
        [x.name, list(x.shape), x.lod_level, ids.lod_level, bool(x.stop_gradient), reader.name],
        operators(main), operators(startup), variables(main), variables(startup),
    ]  # fmt: skip
    for fill, source in (
        (reader.decorate_paddle_reader, _lists),
        (reader.decorate_tensor_provider, _arrays(fluid)),
        (reader.decorate_sample_list_generator, _lists),
        (reader.decorate_batch_generator, _arrays(fluid)),
    ):
        fill(source)
        found.append(passes(fluid, exe, main, [total, x, ids], reader))
    return found


def names(fluid):
    reader = fluid.layers.py_reader(4, [(-1, 3)], ["float32"], use_double_buffer=False)
    second = fluid.layers.py_reader(capacity=4, shapes=[(-1, 3)], dtypes=["float32"])
    x = fluid.layers.read_file(fluid.layers.double_buffer(reader))
    y = fluid.layers.read_file(second)
    return [
        reader.name, second.name, x.name, y.name, operators(fluid.default_main_program()),
        operators(fluid.default_startup_program()),
    ]  # fmt: skip


def by_data(fluid):
    x = fluid.data("x", [-1, 3], "float32")
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    reader = fluid.layers.create_py_reader_by_data(capacity=4, feed_list=[x, ids], name="by")
    a, b = fluid.layers.read_file(reader)
    total = fluid.layers.reduce_sum(a)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    reader.decorate_paddle_reader(_lists)
    return [
        a.name, b.name, b.lod_level, operators(fluid.default_main_program()),
        passes(fluid, exe, fluid.default_main_program(), [total, b], reader),
    ]  # fmt: skip


def iterable(fluid):
    x = fluid.data("x", [-1, 3], "float32")
    ids = fluid.data("ids", [-1, 1], "int64", lod_level=1)
    found = []
    for as_list in (False, True):
        for drop_last in (False, True):
            loader = fluid.io.DataLoader.from_generator(
                feed_list=[x, ids], capacity=4, return_list=as_list, drop_last=drop_last
            )
            for places in (fluid.cpu_places(1), fluid.cpu_places(2)):
                loader.set_sample_list_generator(_lists, places=places)
                found.append([shown(batch) for batch in loader()])
                loader.set_batch_generator(_arrays(fluid), places=places)
                found.append([shown(batch) for batch in loader])
                loader.set_sample_generator(_samples, 2, drop_last=drop_last, places=places)
                found.append([shown(batch) for batch in loader()])
    total = fluid.layers.reduce_sum(x)
    exe = fluid.Executor(fluid.CPUPlace())
    loader.set_sample_list_generator(_lists, places=fluid.CPUPlace())
    for as_list in (False, True):
        reader = fluid.io.PyReader([x, ids], 4, iterable=True, return_list=as_list)
        reader.decorate_sample_list_generator(_lists, fluid.CPUPlace())
        found.append([shown(batch) for batch in reader()])
        reader.decorate_sample_generator(_samples, 2, True, fluid.cpu_places(1))
        found.append([shown(batch) for batch in reader()])
        reader.decorate_batch_generator(_arrays(fluid), fluid.CPUPlace())
        for batch in reader():
            if not as_list:
                found.append(shown(exe.run(feed=batch, fetch_list=[total])))
    found.append(tried(lambda: fluid.io.DataLoader.from_generator([x])))
    found.append(tried(lambda: iter(fluid.io.DataLoader.from_generator([x], 2))))
    found.append(tried(loader.start))
    found.append(tried(loader.reset))
    return found


def not_iterable(fluid):
    x = fluid.data("x", [-1, 3], "float32")
    ids = fluid.data("ids", [-1, 1], "int64", lod_level=1)
    loader = fluid.io.DataLoader.from_generator([x, ids], 4, iterable=False)
    total = fluid.layers.reduce_sum(x)
    main = fluid.default_main_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    found = [operators(main), variables(main), operators(fluid.default_startup_program())]
    loader.set_sample_list_generator(_lists)
    found.append(passes(fluid, exe, main, [total, ids], loader))
    loader.set_batch_generator(_arrays(fluid))
    found.append(passes(fluid, exe, main, [total], loader, 1))
    loader.set_sample_generator(_samples, 2)
    found.append(passes(fluid, exe, main, [total], loader, 1))
    found.append([op[0] for op in operators(main.clone(for_test=True))])
    found.append(tried(lambda: iter(loader)))
    return found


def leaving_early(fluid):
    x = fluid.data("x", [-1, 3], "float32")
    reader = fluid.io.PyReader([x], 4, iterable=False)
    total = fluid.layers.reduce_sum(x)
    exe = fluid.Executor(fluid.CPUPlace())
    reader.decorate_sample_generator(lambda: ((s[0],) for s in _samples()), 1)
    found = []
    for _ in range(2):
        reader.start()
        found.append(shown(exe.run(fetch_list=[total])))
        found.append(shown(exe.run(fetch_list=[total])))
        reader.reset()
    return found


def two_programs(fluid):
    """Training and testing with a reader each, and shared parameters, as in 1.x's examples."""
    startup = fluid.default_startup_program()
    made = []
    for number, is_test in enumerate((False, True)):
        program = fluid.Program()
        with fluid.program_guard(program, startup):
            reader = fluid.layers.py_reader(
                4, [(-1, 3)], ["float32"], name="test" if is_test else "train"
            )
            x = fluid.layers.read_file(reader)
            w = fluid.layers.create_parameter(
                [3, 1], "float32", name="w",
                default_initializer=fluid.initializer.Constant(0.5),
            )  # fmt: skip
            loss = fluid.layers.mean(fluid.layers.matmul(x, w))
            if not is_test:
                fluid.optimizer.SGD(0.1).minimize(loss)
        reader.decorate_paddle_reader(
            lambda number=number: ([(np.full([3], i + number, "float32"),)] for i in range(3))
        )
        made.append((program, reader, loss))
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    return [
        passes(fluid, exe, program, [loss], reader, 1)
        for _ in range(2)
        for program, reader, loss in made
    ]


CASES = [
    py_reader, names, by_data, iterable, not_iterable, leaving_early, two_programs,
]  # fmt: skip
