"""Positions in loaders: a pass that is left and gone on with gives what it would have given."""

from __future__ import annotations

import random

import numpy as np
import pytest

import paddle
from paddle.core.random_state import host_state, set_host_state
from paddle.io import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedBatchSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    WeightedRandomSampler,
)
from paddle.io.dataloader.batch_sampler import set_sampler_state
from paddle.io.dataloader.progress import follow

SIZE = 11


class Noisy(Dataset):
    """Counts what is read; samples have noise from every source."""

    def __init__(self, noise=True):
        self.noise, self.read = noise, 0

    def __getitem__(self, i):
        self.read += 1
        drawn = np.random.rand() + random.random() + float(paddle.rand([1])) if self.noise else 0
        return np.array([i, drawn])

    def __len__(self):
        return SIZE


class Stream(IterableDataset):
    def __iter__(self):
        for i in range(SIZE):
            yield np.array([i, np.random.rand()])


class Lazy(Sampler):
    """Draws while it is iterated over, from a state of its own."""

    def __init__(self):
        self.source = np.random.RandomState(5)

    def __iter__(self):
        return (int(self.source.randint(SIZE)) for _ in range(SIZE))

    def __len__(self):
        return SIZE

    def state_dict(self):
        return {"source": self.source.get_state(legacy=False)}

    def set_state_dict(self, state):
        self.source.set_state(state["source"])


def samples():
    return (np.array([i, np.random.rand()]) for i in range(SIZE))


def from_generator(**options):
    loader = DataLoader.from_generator(return_list=True, **options)
    return loader.set_sample_generator(samples, batch_size=3, drop_last=False)


def by_sampler(**options):
    sampler = RandomSampler(range(SIZE), **options)
    return DataLoader(Noisy(), batch_sampler=BatchSampler(sampler=sampler, batch_size=3))


LOADERS = {
    "in order": lambda: DataLoader(Noisy(), batch_size=2),
    "shuffled": lambda: DataLoader(Noisy(), batch_size=2, shuffle=True),
    "drop_last": lambda: DataLoader(Noisy(), batch_size=3, shuffle=True, drop_last=True),
    "one by one": lambda: DataLoader(Noisy(), batch_size=None, shuffle=True),
    "workers": lambda: DataLoader(Noisy(), batch_size=2, shuffle=True, num_workers=2),
    "quiet workers": lambda: DataLoader(Noisy(noise=False), batch_size=2, num_workers=2),
    "lazy": lambda: DataLoader(
        Noisy(), batch_sampler=BatchSampler(sampler=Lazy(), batch_size=2), num_workers=2
    ),
    "RandomState": lambda: by_sampler(generator=np.random.RandomState(3)),
    "NumPy": lambda: by_sampler(generator=np.random.default_rng(3)),
    "Philox": lambda: by_sampler(generator=np.random.Generator(np.random.Philox(3))),
    "Generator": lambda: by_sampler(generator=paddle.core.random.Generator().manual_seed(3)),
    "replacement": lambda: by_sampler(replacement=True, num_samples=8),
    "weighted": lambda: DataLoader(
        Noisy(),
        batch_sampler=BatchSampler(sampler=WeightedRandomSampler([1.0] * SIZE, 9), batch_size=2),
    ),
    "distributed": lambda: DataLoader(
        Noisy(), batch_sampler=DistributedBatchSampler(range(SIZE), 2, 2, 0, shuffle=True)
    ),
    "batches": lambda: DataLoader(Noisy(), batch_sampler=[[0, 1], [5], [3, 4]]),
    "stream": lambda: DataLoader(Stream(), batch_size=3),
    "stream by worker": lambda: DataLoader(Stream(), batch_size=3, num_workers=1),
    "generator": from_generator,
}


def seed():
    paddle.seed(3)
    np.random.seed(4)
    random.seed(5)


def fields(batch):
    return (batch[0] if isinstance(batch, list) else batch).numpy().tolist()


def passes(loader, count):
    """Batches of some passes; between steps the trainer draws numbers too."""
    found = []
    for _ in range(count):
        for batch in loader:
            found.append((fields(batch), float(paddle.rand([1])), np.random.rand()))
        found.append("over")
    return found


def left(make, stop):
    """Goes through ``stop`` batches, then takes the state to another loader and goes on."""
    seed()
    loader = make()
    progress, found, count = follow(loader), [], 0
    for _ in range(2):
        for batch in loader:
            found.append((fields(batch), float(paddle.rand([1])), np.random.rand()))
            count += 1
            if count == stop:
                saved = progress.state(), host_state()
                break
        if count == stop:
            break
        found.append("over")
    del batch
    paddle.seed(30)  # another process, which was anywhere
    np.random.seed(40)
    random.seed(50)
    set_host_state(saved[1], "test")
    again = make()
    follow(again).check(saved[0])
    follow(again).set_state(saved[0])
    return found + passes(again, 2 - found.count("over"))


@pytest.mark.parametrize("name", LOADERS)
def test_goes_on(name):
    make = LOADERS[name]
    seed()
    whole = passes(make(), 2)  # no position is noted here: noting changes nothing
    last = whole.index("over")
    for stop in (3,) if make().num_workers else (1, 3, last, last + 2):
        assert left(make, stop) == whole, stop


def test_delivered_batches_are_not_read_again():
    loader = DataLoader(Noisy(), batch_size=2)
    progress = follow(loader)
    batches = iter(loader)
    for _ in range(4):
        next(batches)
    saved = progress.state()
    again = DataLoader(Noisy(), batch_size=2)
    follow(again).set_state(saved)
    assert len(list(again)) == 2
    assert again.dataset.read == SIZE - 8


def test_position_is_what_the_trainer_got():
    loader = DataLoader(Noisy(), batch_size=2, num_workers=2)
    progress = follow(loader)
    assert not progress.under_way
    batches = iter(loader)
    assert progress.state()["reading"] is None  # nothing was asked for yet
    next(batches)
    reading = progress.state()["reading"]
    assert reading["delivered"] == 1 < reading["handed"]
    del batches
    assert not progress.under_way and progress.state()["reading"] is None


def test_a_pass_that_was_left_is_over():
    loader = DataLoader(Noisy(), batch_size=2)
    progress = follow(loader)
    for _ in loader:
        break
    assert not progress.under_way
    assert len(list(loader)) == 6


def test_bad_states():
    loader = DataLoader(Noisy(), batch_size=2)
    progress = follow(loader)
    batches = iter(loader)
    next(batches)
    good = progress.state()
    bad = {
        "a dict, but received int": 3,
        "a state with": {},
        "saved with 7 batches, but this loader has 6": {**good, "batches": 7},
        "saved with 2 workers, but this loader has 0": {**good, "workers": 2},
        "expected a dict with .*, but received list": {**good, "sampler": []},
        "position as a dict": {**good, "reading": 1},
        "no position of this loader": {**good, "reading": {**good["reading"], "delivered": 99}},
        "one state per worker": {**good, "reading": {**good["reading"], "states": [None]}},
        "what get_rng_state returned": {
            **good,
            "reading": {**good["reading"], "start": {"random": {}, "sampler": {}}},
        },
    }
    for text, state in bad.items():
        with pytest.raises(ValueError, match=text):
            progress.check(state)
    progress.check(good)


def test_a_generator_of_numbers_has_no_state():
    loader = by_sampler(generator=iter(range(100)))
    follow(loader)
    with pytest.raises(NotImplementedError, match=r"position of a Python iterator cannot be saved"):
        list(loader)


def test_a_stream_that_became_shorter():
    loader = DataLoader(Stream(), batch_size=2)
    progress = follow(loader)
    batches = iter(loader)
    for _ in range(5):
        next(batches)
    saved = progress.state()
    again = DataLoader(Stream(), batch_size=9)
    follow(again).set_state(saved)
    with pytest.raises(ValueError, match="had delivered 5 batches, but the stream ends after 2"):
        list(again)


def test_sampler_states():
    sampler = BatchSampler(sampler=RandomSampler(range(5), generator=np.random.RandomState(1)))
    other = BatchSampler(sampler=RandomSampler(range(5), generator=np.random.RandomState(2)))
    other.set_state_dict(sampler.state_dict())
    assert list(other) == list(sampler)
    assert Sampler().state_dict() == {}
    with pytest.raises(ValueError, match=r"expected a dict with \['sampler'\], but received \[\]"):
        set_sampler_state(sampler, {})
    with pytest.raises(ValueError, match="RandomSampler: expected"):
        sampler.set_state_dict({"sampler": {"generator": 3}})
