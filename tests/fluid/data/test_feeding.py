"""DataFeeder, loaders and readers: what 1.8.5's cases do not show, and bad input."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid


@pytest.fixture
def program() -> Any:
    paddle.enable_static()
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield main
    paddle.disable_static()


def variables() -> Any:
    x = fluid.data("x", [None, 3], "float32")
    ids = fluid.data("ids", [None, 1], "int64", lod_level=1)
    return x, ids


FED = {
    "fields": (AssertionError, r"number of fields in data \(1\) .* len\(feed_list\) \(2\)"),
    "ragged": (ValueError, r"'x' of one shape in all samples, but received shapes \(2,\), \(3,\)"),
    "flat": (TypeError, "'ids' has lod_level 1: expected a sequence in each sample, but rec.* 3"),
    "words": (ValueError, "expected float32 numbers for 'x'"),
}
SAMPLES: dict[str, list] = {
    "fields": [([1, 2, 3],)],
    "ragged": [([1, 2, 3], [1]), ([1, 2], [1])],
    "flat": [([1, 2, 3], 3)],
    "words": [(["a", "b", "c"], [3])],
}


@pytest.mark.parametrize("name", FED)
def test_samples_that_do_not_fit(program: Any, name: str) -> None:
    feeder = fluid.DataFeeder(list(variables()), fluid.CPUPlace())
    kind, text = FED[name]
    with pytest.raises(kind, match=text):
        feeder.feed(SAMPLES[name])


def test_feeders_reshape_and_say_where_they_cannot(program: Any) -> None:
    image = fluid.data("image", [None, 1, 2, 2], "float32")
    open_sizes = fluid.data("open", [-1, -1], "float32")
    feeder = fluid.DataFeeder([image], fluid.CPUPlace())
    assert feeder.feed([([1, 2, 3, 4],)])["image"].shape() == [1, 1, 2, 2]
    with pytest.raises(ValueError, match=r"'image' of shape \[1, 2, 2\]"):
        feeder.feed([([1, 2, 3],)])
    free = fluid.DataFeeder([open_sizes], fluid.CPUPlace())
    assert free.feed([([1, 2, 3],)])["open"].shape() == [1, 3]
    with pytest.raises(ValueError, match="nope"):
        fluid.DataFeeder(["nope"], fluid.CPUPlace(), program=program)
    with pytest.raises(TypeError, match="list of variable"):
        fluid.DataFeeder([3], fluid.CPUPlace())


def lists() -> Any:
    for i in range(3):
        yield [(np.full([3], i, "float32"), [i]), (np.full([3], i, "float32"), [i, i])]


def doubled(program: Any) -> Any:
    reader = fluid.layers.py_reader(2, [[-1, 3]], ["float32"])
    x = fluid.layers.read_file(reader)
    return reader, paddle.scale(x, 2.0)


def test_passes_that_end_or_never_began(program: Any) -> None:
    reader, twice = doubled(program)
    exe = fluid.Executor()
    with pytest.raises(RuntimeError, match="startup program"):
        exe.run(program, fetch_list=[twice])
    exe.run(fluid.default_startup_program())
    with pytest.raises(RuntimeError, match="nothing to read from"):
        reader.start()
    reader.decorate_tensor_provider(lambda: iter([[np.ones([1, 3], "float32")]]))
    with pytest.raises(RuntimeError, match="not started"):
        exe.run(program, fetch_list=[twice])
    reader.start()
    with pytest.raises(RuntimeError, match="started already"):
        reader.start()
    assert exe.run(program, fetch_list=[twice])[0].tolist() == [[2, 2, 2]]
    for _ in range(2):  # outside of a loop, and again
        with pytest.raises(fluid.core.EOFException, match=r"Catch fluid\.core\.EOFException"):
            exe.run(program, fetch_list=[twice])
    reader.reset()
    reader.reset()


def test_generators_that_fail(program: Any) -> None:
    reader, twice = doubled(program)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())

    def broken() -> Any:
        yield [np.ones([1, 3], "float32")]
        raise KeyError("mine")

    cases: list = [
        (broken, KeyError, "mine"),
        (
            lambda: iter([[np.ones([1, 3])]]),
            ValueError,
            r"expected to be float32, but rec.*float64",
        ),
        (lambda: iter([[1, 2]]), ValueError, "expected 1 fields in a batch.*received 2"),
        (lambda: iter([[["a"]]]), ValueError, "expected an array of float32"),
    ]
    for source, kind, text in cases:
        reader.decorate_tensor_provider(source)
        reader.start()
        with pytest.raises(kind, match=text):
            for _ in range(3):
                exe.run(program, fetch_list=[twice])
        reader.reset()
    with pytest.raises(TypeError, match=r"function that returns an iterable"):
        reader.decorate_paddle_reader([1, 2])
    with pytest.raises(TypeError, match="py_reader"):
        fluid.layers.read_file(twice)
    with pytest.raises(ValueError, match="as many shapes"):
        fluid.layers.py_reader(2, [[-1, 3]], ["float32", "int64"])
    with pytest.raises(ValueError, match="capacity"):
        fluid.layers.py_reader(0, [[-1, 3]], ["float32"])


def test_shapes_are_checked_where_the_variable_says_so(program: Any) -> None:
    x, _ = variables()
    loader = fluid.io.DataLoader.from_generator([x], 2)
    loader.set_batch_generator(lambda: iter([[np.zeros([2, 4], "float32")]]), fluid.CPUPlace())
    with pytest.raises(ValueError, match=r"'x' is expected to have shape \[-1, 3\]"):
        next(iter(loader))


def test_another_process_may_read(program: Any) -> None:
    x, ids = variables()

    def from_where() -> Any:
        for sample in lists():
            yield [(row, [os.getpid() + len(v)] * len(v)) for row, v in sample]

    for apart in (False, True):
        loader = fluid.io.DataLoader.from_generator([x, ids], 2, use_multiprocess=apart)
        loader.set_sample_list_generator(from_where, fluid.CPUPlace())
        found = list(loader())
        assert [b[0]["ids"].lod() for b in found] == [[[0, 1, 3]]] * 3
        assert [float(np.array(b[0]["x"]).sum()) for b in found] == [0, 6, 12]
        assert (int(np.array(found[0][0]["ids"])[0, 0]) != os.getpid() + 1) == apart


def test_a_program_reads_from_another_process(program: Any) -> None:
    x, ids = variables()
    loader = fluid.io.DataLoader.from_generator([x, ids], 2, iterable=False, use_multiprocess=True)
    total = paddle.sum(x)
    loader.set_sample_list_generator(lists)
    exe = fluid.Executor()
    loader.start()
    assert exe.run(program, fetch_list=[total])[0].tolist() == [0]
    assert exe.run(program, fetch_list=[total])[0].tolist() == [6]
    loader.reset()


def test_dynamic_mode_gives_tensors() -> None:
    with fluid.dygraph.guard():
        loader = fluid.io.DataLoader.from_generator(capacity=2)
        loader.set_batch_generator(lambda: iter([[np.ones([2, 3], "float32")]] * 2))
        assert [x.numpy().sum() for (x,) in loader()] == [6, 6]
        reader = fluid.io.PyReader(capacity=2)
        reader.decorate_sample_generator(lambda: iter([(np.ones([3], "float32"),)] * 5), 2)
        assert [x.shape for (x,) in reader()] == [[2, 3], [2, 3]]

        class Numbers(fluid.dataloader.Dataset):
            def __getitem__(self, i: int) -> Any:
                return (np.array([i]),)

            def __len__(self) -> int:
                return 3

        assert [x.numpy().tolist() for (x,) in fluid.io.DataLoader(Numbers())] == [
            [[0]], [[1]], [[2]],
        ]  # fmt: skip


def test_what_loaders_refuse(program: Any) -> None:
    x, _ = variables()
    with pytest.raises(ValueError, match="capacity"):
        fluid.io.DataLoader.from_generator([x])
    with pytest.raises(Exception, match="Feed list"):
        fluid.io.DataLoader.from_generator(capacity=2)
    loader = fluid.io.DataLoader.from_generator([x], 2)
    with pytest.raises(AssertionError, match="not set"):
        iter(loader)
    with pytest.raises(AssertionError, match="iterable"):
        loader.start()
    with pytest.raises(ValueError, match="batch_size"):
        loader.set_sample_generator(lambda: iter([]), 0)
    with pytest.raises(AssertionError, match="not iterable"):
        iter(fluid.io.DataLoader.from_generator([x], 2, iterable=False))
    with pytest.raises(TypeError, match="DatasetFactory"):
        fluid.io.DataLoader.from_dataset([1], fluid.cpu_places(1))
    with pytest.raises(ValueError, match="expected a place"):
        loader.set_batch_generator(lambda: iter([]), places=[])
    with pytest.raises(ValueError, match="expected a place"):
        fluid.io.DataLoader.from_dataset(fluid.DatasetFactory().create_dataset(), [])


def test_programs_with_readers_are_written_and_read(program: Any) -> None:
    reader, twice = doubled(program)
    copied = fluid.Program.parse_from_string(program.desc.serialize_to_string())
    assert [op.type for op in copied.global_block().ops] == [
        "create_double_buffer_reader", "read", "scale",
    ]  # fmt: skip
    exe = fluid.Executor()
    exe.run(fluid.Program.parse_from_string(
        fluid.default_startup_program().desc.serialize_to_string()))  # fmt: skip
    reader.decorate_tensor_provider(lambda: iter([[np.ones([1, 3], "float32")]] * 2))
    reader.start()
    for one in (copied, program.clone(for_test=True)):
        assert exe.run(one, fetch_list=[twice.name])[0].tolist() == [[2, 2, 2]]


def test_several_places_read_a_batch_each(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CPU_NUM", "2")
    reader, twice = doubled(program)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    both = fluid.CompiledProgram(program).with_data_parallel(places=fluid.cpu_places(2))
    reader.decorate_tensor_provider(lambda: iter([[np.full([1, 3], i, "float32")] for i in (1, 2)]))
    reader.start()
    assert sorted(exe.run(both, fetch_list=[twice])[0].tolist()) == [[2] * 3, [4] * 3]
    with pytest.raises(fluid.core.EOFException):
        exe.run(both, fetch_list=[twice])
    assert threading.active_count() < 50


def test_paths_of_1x() -> None:
    assert fluid.io.batch is paddle.batch
    for name in ("shuffle", "buffered", "map_readers", "xmap_readers", "multiprocess_reader",
                 "cache", "chain", "compose", "firstn", "ComposeNotAligned"):  # fmt: skip
        assert getattr(fluid.io, name) is getattr(paddle.reader, name)
    assert fluid.reader.DataLoader is fluid.io.DataLoader
    assert issubclass(fluid.io.DataLoader, paddle.io.DataLoader)
    assert fluid.dataloader.Dataset is paddle.io.Dataset
    sampler = fluid.dataloader.BatchSampler(indices=[4, 2, 7], batch_size=2)
    assert list(sampler) == [[4, 2], [7]] and isinstance(sampler, paddle.io.BatchSampler)
    assert len(fluid.dataloader.batch_sampler.BatchSampler([1, 2, 3], None, True, 2, True)) == 1
    assert fluid.layers.io.py_reader is fluid.layers.py_reader
    assert fluid.data_feeder.DataFeeder is fluid.DataFeeder
    trainer = fluid.trainer_factory.TrainerFactory()._create_trainer(
        {"trainer": "MultiTrainer", "device_worker": "Hogwild"}
    )
    trainer._set_debug(True)
    trainer._gen_trainer_desc()
    assert trainer._desc()["device_worker_name"] == "HogwildWorker" and "debug: True" in str(
        trainer
    )
    with pytest.raises(NotImplementedError, match="parameter server"):
        fluid.device_worker.DownpourSGD()._gen_worker_desc({})
