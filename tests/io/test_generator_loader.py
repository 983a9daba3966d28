"""DataLoader.from_generator: samples, lists of samples and batches, by list or by name."""

from __future__ import annotations

import os

import numpy as np
import pytest

import paddle
from paddle.core.errors import EOFException
from paddle.io import DataLoader


def samples():
    for i in range(5):
        yield np.full(3, i, "float32"), i


def values(loader) -> list:
    return [[field.numpy().ravel().tolist() for field in batch] for batch in loader()]


def test_sample_generator() -> None:
    loader = DataLoader.from_generator(capacity=4, return_list=True)
    assert loader.set_sample_generator(samples, batch_size=2) is loader
    batches = list(loader)
    assert [[f.shape for f in batch] for batch in batches] == [[[2, 3], [2]]] * 2
    assert values(loader)[1][1] == [2, 3]
    loader.set_sample_generator(samples, batch_size=2, drop_last=False, places=paddle.CPUPlace())
    assert [batch[1] for batch in values(loader)] == [[0, 1], [2, 3], [4]]


def test_sample_list_generator() -> None:
    loader = DataLoader.from_generator(return_list=True)
    loader.set_sample_list_generator(lambda: iter([list(samples()), [([1, 2, 3], 9)]]))
    assert [batch[1] for batch in values(loader)] == [[0, 1, 2, 3, 4], [9]]


@pytest.mark.parametrize("processes", [False, True])
def test_batch_generator(processes: bool) -> None:
    def batches():
        yield np.ones([2, 2], "float32"), paddle.ones([2, 1])
        yield (np.array([[os.getpid()]]),)

    loader = DataLoader.from_generator(capacity=1, return_list=True, use_multiprocess=processes)
    loader.set_batch_generator(batches)
    first, second = list(loader)
    assert [f.shape for f in first] == [[2, 2], [2, 1]]
    assert (int(second[0].numpy()[0, 0]) == os.getpid()) is not processes


class Declared:
    def __init__(self, name: str, shape: list, dtype: str) -> None:
        self.name, self.shape, self.dtype = name, shape, dtype


def test_fields_by_name_take_what_their_variable_declares() -> None:
    feeds = [Declared("image", [-1, 1, 2, 2], "float32"), Declared("label", [-1, 1], "int64")]
    loader = DataLoader.from_generator(feed_list=feeds)
    loader.set_sample_generator(lambda: iter([([1, 2, 3, 4], 7)] * 2), batch_size=2)
    (feed,) = next(loader())
    assert [feed["image"].shape, feed["label"].shape] == [[2, 1, 2, 2], [2, 1]]
    assert feed["image"].numpy().dtype == np.float32
    loader.set_sample_generator(lambda: iter([([1, 2, 3], 7)]), batch_size=1)
    with pytest.raises(ValueError, match=r"shape \[1, 2, 2\] for 'image', but .* shape \[3\]"):
        next(loader())
    loader.set_sample_generator(lambda: iter([(1, 2, 3)]), batch_size=1)
    with pytest.raises(ValueError, match=r"expected 2 fields in a sample.* received 3"):
        next(loader())


def test_refuses() -> None:
    with pytest.warns(UserWarning, match="in dynamic mode a loader is iterated"):
        loader = DataLoader.from_generator(iterable=False)
    assert not hasattr(loader, "start")
    with pytest.raises(ValueError, match=r"capacity.* positive int, but received 0"):
        DataLoader.from_generator(capacity=0)
    loader = DataLoader.from_generator(return_list=True)
    with pytest.raises(RuntimeError, match="call set_sample_generator"):
        loader()
    with pytest.raises(TypeError, match=r"set_batch_generator.* a function.* received list"):
        loader.set_batch_generator([1])
    with pytest.raises(ValueError, match=r"batch_size.* received 0"):
        loader.set_sample_generator(samples, 0)


def test_a_program_reads_by_itself() -> None:
    """As ``fluid.io.DataLoader`` of the same signature: sequences with levels too."""
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program, paddle.static.Program()):
            x = paddle.static.data("x", [None, 2], "float32")
            words = paddle.static.data("words", [None, 1], "float32", lod_level=1)
            with pytest.raises(ValueError, match="capacity"):
                DataLoader.from_generator([x, words], iterable=False)
            loader = DataLoader.from_generator([x, words], 2, iterable=False)
            found = [paddle.sum(x), paddle.static.nn.sequence_last_step(words)]
        rows = [([i, i], [[i], [i + 1]]) for i in range(3)]
        loader.set_sample_generator(lambda: iter(rows), batch_size=2, drop_last=False)
        exe = paddle.static.Executor(paddle.CPUPlace())
        for _ in range(2):
            loader.start()
            got = []
            with pytest.raises(EOFException):
                while True:
                    got.append(exe.run(program, fetch_list=found))
            loader.reset()
            assert [total.item() for total, _ in got] == [2.0, 4.0]
            assert [last.ravel().tolist() for _, last in got] == [[1, 2], [3]]
        with pytest.raises(AssertionError, match="not iterable"):
            iter(loader)
        loader = DataLoader.from_generator([x, words], 1)  # one that is iterated over feeds levels
        loader.set_sample_list_generator(lambda: [rows], places=paddle.CPUPlace())
        (fed,) = next(iter(loader))
        assert fed["words"].recursive_sequence_lengths() == [[2, 2, 2]]
    finally:
        paddle.disable_static()
