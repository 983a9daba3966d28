"""Workers that stay for the next pass, batches made ahead, and the memory that goes round."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import random
import time

import numpy as np
import pytest

import paddle
from paddle.io import DataLoader, Dataset, IterableDataset, get_worker_info
from paddle.io.dataloader.progress import follow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]
LARGE = 40_000  # float32 values: more than what travels inside of a message


class Made(Dataset):
    def __init__(self, make, size: int = 12) -> None:
        self.make, self.size = make, size

    def __getitem__(self, idx: int):
        return self.make(idx)

    def __len__(self) -> int:
        return self.size


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    gc.collect()  # a loader whose progress is followed is a cycle
    assert not children()


def children() -> set[int]:
    return {process.pid for process in multiprocessing.active_children() if process.pid}


def values(loader) -> list:
    return [batch.numpy().ravel().tolist() for batch in loader]


def pids(i: int) -> int:
    return os.getpid()


def test_the_same_workers_serve_every_pass() -> None:
    loader = DataLoader(Made(pids), num_workers=2, persistent_workers=True)
    first = values(loader)
    alive = children()
    assert {pid for (pid,) in first} == alive and len(alive) == 2
    assert values(loader) == first
    del loader
    gc.collect()
    assert not children() & alive


def test_without_it_every_pass_has_its_own() -> None:
    loader = DataLoader(Made(pids, 4), num_workers=1)
    assert values(loader)[0] != values(loader)[0]
    assert not children()


def test_init_is_called_once_and_caches_stay() -> None:
    calls: list[int] = []

    def make(i: int) -> tuple:
        calls.append(i)
        return np.array([len(calls)])

    loader = DataLoader(
        Made(make, 3), num_workers=1, persistent_workers=True,
        worker_init_fn=lambda i: calls.append(-1),
    )  # fmt: skip
    assert values(loader) == [[2], [3], [4]]
    assert values(loader) == [[5], [6], [7]]


def noise(i: int) -> np.ndarray:
    return np.array([np.random.rand(), random.random(), float(paddle.rand([1]))])


def test_random_numbers_are_those_of_workers_that_do_not_stay() -> None:
    def read(stay: bool) -> list:
        paddle.seed(7)
        options = {"shuffle": True, "num_workers": 2, "persistent_workers": stay}
        loader = DataLoader(Made(noise), batch_size=3, **options)
        next(iter(loader))  # a pass that is left early does not change the next ones
        return [values(loader), values(loader)]

    stayed, fresh = read(True), read(False)
    assert stayed == fresh == read(True)
    assert len({n for batches in stayed for batch in batches for n in batch}) == 2 * 12 * 3


def test_a_pass_that_was_left_does_not_leak_into_the_next() -> None:
    loader = DataLoader(
        Made(lambda i: np.full(LARGE, i, "float32"), 20),
        num_workers=2, prefetch_factor=4, persistent_workers=True,
    )  # fmt: skip
    for left_after in (1, 3, 2):
        batches = iter(loader)
        seen = [float(next(batches).numpy().max()) for _ in range(left_after)]
        assert seen == list(range(left_after))
        del batches
    assert [float(b.numpy().min()) for b in loader] == list(range(20))
    assert len(children()) == 2


def test_what_was_asked_for_and_is_not_needed_any_more_is_not_made(tmp_path) -> None:
    def make(i: int) -> int:
        (tmp_path / str(i)).touch()
        time.sleep(0.05)
        return i

    loader = DataLoader(Made(make), num_workers=1, prefetch_factor=10, persistent_workers=True)
    next(iter(loader))
    batches = iter(loader)
    assert int(next(batches).numpy()[0]) == 0
    assert len(list(tmp_path.iterdir())) < 10


def test_streams_begin_anew() -> None:
    class Stream(IterableDataset):
        def __iter__(self):
            info = get_worker_info()
            return iter(range(info.id, 7, info.num_workers))

    loader = DataLoader(Stream(), batch_size=2, num_workers=2, persistent_workers=True)
    expected = [[0, 2], [1, 3], [4, 6], [5]]
    assert values(loader) == values(loader) == expected
    next(iter(loader))
    assert values(loader) == expected


def test_passes_beside_each_other_and_copies_have_their_own() -> None:
    loader = DataLoader(Made(pids, 3), num_workers=1, persistent_workers=True)
    pairs = [(a.item(), b.item()) for a in loader for b in loader]
    assert len(pairs) == 9 and not {a for a, _ in pairs} & {b for _, b in pairs}
    waiting = children()
    assert len(waiting) == 1
    other = copy.deepcopy(loader)
    assert {n for batch in values(other) for n in batch}.isdisjoint(waiting)
    assert len(children()) == 2


@pytest.mark.slow
def test_an_error_ends_them_and_the_next_pass_has_new_ones() -> None:
    broken = [True]

    def make(i: int) -> int:
        if i == 5 and broken:
            raise ValueError("bad")
        return i

    loader = DataLoader(Made(make), num_workers=2, persistent_workers=True)
    with pytest.raises(ValueError, match="bad"):
        list(loader)
    assert not children()
    broken.clear()
    assert len(values(loader)) == 12
    for worker in multiprocessing.active_children():
        worker.kill()
        worker.join()
    assert len(values(loader)) == 12  # those that waited had died


def test_another_collate_fn_needs_other_workers() -> None:
    loader = DataLoader(Made(lambda i: i, 2), num_workers=1, persistent_workers=True)
    assert values(loader) == [[0], [1]]
    loader.collate_fn = lambda samples: np.array(samples) + 10
    assert values(loader) == [[10], [11]]


def test_progress_goes_on() -> None:
    def loader() -> DataLoader:
        return DataLoader(Made(noise), num_workers=2, persistent_workers=True)

    paddle.seed(1)
    whole = loader()
    follow(whole)
    first = values(whole)
    second = values(whole)
    paddle.seed(1)
    again = loader()
    progress = follow(again)
    assert values(again) == first
    batches = iter(again)
    begun = [next(batches).numpy().ravel().tolist() for _ in range(5)]
    state = progress.state()
    del batches
    third = loader()
    after = follow(third)
    after.check(state)
    after.set_state(state)
    assert begun + values(third) == second


@pytest.mark.parametrize("factor", [1, 5])
def test_prefetch_factor_bounds_what_is_made_ahead(factor: int) -> None:
    taken: list[int] = []

    class Counting:
        def __iter__(self):
            for i in range(20):
                taken.append(i)
                yield [i]

    loader = DataLoader(
        Made(lambda i: i, 20), batch_sampler=Counting(), num_workers=2, prefetch_factor=factor
    )
    batches = iter(loader)
    next(batches)
    assert len(taken) == 2 * factor + 1
    assert values(batches) == [[i] for i in range(1, 20)]


# -- memory --------------------------------------------------------------------------------------


def addresses(loader) -> list[int]:
    return [batch._buf.data_ptr() for batch in loader]


def test_memory_goes_round() -> None:
    data = Made(lambda i: np.full(LARGE, i, "float32"), 40)
    assert len(set(addresses(DataLoader(data, num_workers=1)))) < 10


@pytest.mark.parametrize("tensors", [False, True])
@pytest.mark.parametrize(
    "collate", [None, lambda samples: np.stack([np.array(s) for s in samples])]
)
def test_a_batch_that_is_kept_stays_what_it_is(tensors: bool, collate) -> None:
    def make(i: int):
        made = np.full(LARGE, i, "float32")
        return paddle.to_tensor(made) if tensors else made

    kept, parts, seen = [], [], []
    for i, batch in enumerate(DataLoader(Made(make, 40), num_workers=2, collate_fn=collate)):
        seen.append(float(batch.numpy().min()) == i == float(batch.numpy().max()))
        if i % 3 == 0:
            kept.append((i, batch))
        if i % 5 == 0:
            parts.append((i, batch.detach()))
    assert all(seen) and len(seen) == 40
    for i, batch in kept + parts:
        assert float(batch.numpy().min()) == i == float(batch.numpy().max())


def test_a_batch_that_a_fork_sees_stays_what_it_is() -> None:
    data = Made(lambda i: np.full(LARGE, i, "float32"), 30)
    loader = DataLoader(data, num_workers=1, persistent_workers=True)
    batches = iter(loader)
    first = next(batches)
    read, write = os.pipe()
    go, start = os.pipe()
    pid = os.fork()
    if not pid:
        os.read(go, 1)
        seen = first._buf.numpy()  # NumPy has no threads, which a fork would lack
        os.write(write, b"=" if seen.min() == 0 == seen.max() else b"!")
        os._exit(0)
    del first
    for _ in batches:
        pass
    os.write(start, b"x")
    assert os.read(read, 1) == b"="
    os.waitpid(pid, 0)
    for end in (read, write, go, start):
        os.close(end)


def test_batches_that_grow_and_shrink() -> None:
    sizes = [10, LARGE, 3 * LARGE, 5, 9 * LARGE, LARGE, 20 * LARGE, 7] * 3
    data = Made(lambda i: np.full(sizes[i], i, "float32"), len(sizes))
    loader = DataLoader(data, batch_size=1, num_workers=2)
    for i, batch in enumerate(loader):
        assert batch.shape == [1, sizes[i]]
        assert float(batch.numpy().min()) == i == float(batch.numpy().max())


def test_what_a_worker_keeps_of_a_batch_does_not_change() -> None:
    kept: dict[int, np.ndarray] = {}

    def collate(samples: list) -> np.ndarray:
        made = paddle.io.dataloader.collate.default_collate_fn(samples)
        return kept.setdefault(0, made)

    loader = DataLoader(
        Made(lambda i: np.full(LARGE, 1, "float32"), 20), num_workers=1, collate_fn=collate
    )
    for batch in loader:
        assert float(batch.numpy().max()) == 1.0
        batch.set_value(np.zeros([1, LARGE], "float32"))


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"prefetch_factor": 0}, ValueError, "prefetch_factor.*positive int, but received 0"),
        ({"prefetch_factor": 1.5}, ValueError, "prefetch_factor.*positive int"),
        ({"prefetch_factor": True}, ValueError, "prefetch_factor.*positive int"),
        ({"persistent_workers": "yes"}, TypeError, "persistent_workers.*bool, but received str"),
    ],
)
def test_refuses(options, error, text) -> None:
    with pytest.raises(error, match=text):
        DataLoader(Made(lambda i: i), **options)
