"""paddle.io samplers: orders, probabilities, shares of several processes, seeds."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import paddle
from paddle.core import random as core_random
from paddle.io import (
    BatchSampler,
    DistributedBatchSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequenceSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

TEN = range(10)


@pytest.fixture
def only_numpy_seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a script that never calls paddle.seed."""
    monkeypatch.setattr(core_random, "_seed", None)
    monkeypatch.setattr(core_random, "_numpy", None)


def test_sampler_must_be_subclassed() -> None:
    assert Sampler([1]).data_source == [1]
    with pytest.raises(NotImplementedError, match="Sampler must define __iter__"):
        iter(Sampler())


def test_sequence_sampler() -> None:
    assert list(SequenceSampler(TEN)) == list(TEN)
    assert len(SequenceSampler(TEN)) == 10


def test_random_sampler_is_a_permutation_and_follows_paddle_seed() -> None:
    paddle.seed(3)
    sampler = RandomSampler(TEN)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(TEN)
    assert first != second
    paddle.seed(3)
    assert [list(sampler), list(sampler)] == [first, second]
    assert len(sampler) == sampler.num_samples == 10


@pytest.mark.usefixtures("only_numpy_seeded")
def test_random_sampler_follows_numpy_seed_as_paddle_does() -> None:
    np.random.seed(3)
    assert list(RandomSampler(TEN)) == [5, 4, 1, 2, 9, 6, 7, 0, 3, 8]
    np.random.seed(3)
    drawn = list(RandomSampler(TEN, replacement=True, num_samples=15))
    assert drawn == [8, 9, 3, 8, 8, 0, 5, 3, 9, 9, 5, 7, 6, 0, 4]


def test_random_sampler_takes_generators() -> None:
    assert list(RandomSampler(TEN, generator=iter([3, 1, 2]))) == [3, 1, 2]
    numbers = iter(range(100))
    assert list(RandomSampler(TEN, True, 4, generator=numbers)) == [0, 1, 2, 3]
    assert next(numbers) == 4
    a = list(RandomSampler(TEN, generator=np.random.default_rng(1)))
    assert a == list(RandomSampler(TEN, generator=np.random.default_rng(1)))
    assert sorted(a) == list(TEN)


def test_random_sampler_refuses() -> None:
    with pytest.raises(ValueError, match=r"num_samples.* None where replacement is False.* 3"):
        RandomSampler(TEN, num_samples=3)
    with pytest.raises(TypeError, match=r"replacement.* expected a bool, but received int"):
        RandomSampler(TEN, replacement=1)
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=r"num_samples.* positive int"):
            RandomSampler(TEN, True, wrong)
    with pytest.raises(TypeError, match=r"generator.* received str"):
        RandomSampler(TEN, generator="mt19937")
    with pytest.raises(ValueError, match="the dataset is empty"):
        list(RandomSampler([], replacement=True, num_samples=2))
    assert list(RandomSampler([])) == []


def test_weighted_sampler_probabilities() -> None:
    paddle.seed(11)
    counts = collections.Counter(WeightedRandomSampler([1.0, 0.0, 3.0], 4000))
    assert counts[1] == 0
    # Binomial(4000, 0.75): six standard deviations are 165.
    assert abs(counts[2] - 3000) < 165


def test_weighted_sampler_without_replacement() -> None:
    sampler = WeightedRandomSampler([0.1, 0.0, 0.3, 0.6], 3, replacement=False)
    assert sorted(sampler) == [0, 2, 3]
    assert len(sampler) == 3
    tensor = WeightedRandomSampler(paddle.to_tensor([0.0, 2.0]), 2)
    assert list(tensor) == [1, 1]


@pytest.mark.parametrize(
    ("weights", "count", "replacement", "error", "text"),
    [
        ([0.1, -0.1], 1, True, ValueError, r"finite weights of at least 0.*-0.1"),
        ([0.0, 0.0], 1, True, ValueError, "one of them above 0"),
        ([float("nan"), 1], 1, True, ValueError, "finite weights"),
        ([[0.1]], 1, True, ValueError, r"one dimension.* \[1, 1\]"),
        ([0.5, 0.0], 2, False, ValueError, r"at most 1, .* but received 2"),
        ([0.5], 0, True, ValueError, "positive int, but received 0"),
        ([0.5], 1, 3, TypeError, "expected a bool, but received int"),
        ("ab", 1, True, TypeError, "received str"),
    ],
)
def test_weighted_sampler_refuses(weights, count, replacement, error, text) -> None:
    with pytest.raises(error, match=text):
        WeightedRandomSampler(weights, count, replacement)


def test_batch_sampler() -> None:
    assert list(BatchSampler(TEN, batch_size=4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    dropping = BatchSampler(TEN, batch_size=4, drop_last=True)
    assert list(dropping) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [len(dropping), len(BatchSampler(TEN, batch_size=4))] == [2, 3]
    given = BatchSampler(sampler=SequenceSampler(range(3)), batch_size=2)
    assert list(given) == [[0, 1], [2]]
    shuffled = [i for batch in BatchSampler(TEN, shuffle=True, batch_size=3) for i in batch]
    assert sorted(shuffled) == list(TEN)


class _Stream(IterableDataset):
    pass


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, ValueError, "either dataset or sampler, but received neither"),
        ({"dataset": TEN, "sampler": SequenceSampler(TEN)}, ValueError, "received both"),
        ({"sampler": [1, 2]}, TypeError, "expected a paddle.io.Sampler, but received list"),
        ({"sampler": SequenceSampler(TEN), "shuffle": True}, ValueError, "shuffle"),
        ({"dataset": _Stream()}, TypeError, "a dataset with a length, but received _Stream"),
        ({"dataset": TEN, "batch_size": 0}, ValueError, "positive int, but received 0"),
        ({"dataset": TEN, "batch_size": 1.5}, ValueError, "positive int, but received 1.5"),
        ({"dataset": TEN, "shuffle": 1}, TypeError, "shuffle.* expected a bool"),
        ({"dataset": TEN, "drop_last": "no"}, TypeError, "drop_last.* expected a bool"),
    ],
)
def test_batch_sampler_refuses(options, error, text) -> None:
    with pytest.raises(error, match=text):
        BatchSampler(**options)


# What PaddlePaddle 2.6.2 gives for ten samples, three processes, batches of two, epoch 1.
PADDLE_SHARES = {
    False: [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [0, 1]]],
    True: [[[2, 3], [0, 7]], [[4, 0], [1, 9]], [[1, 6], [8, 5]]],
}


@pytest.mark.parametrize("shuffle", [False, True])
def test_distributed_shares_are_paddles(shuffle: bool) -> None:
    for rank in range(3):
        sampler = DistributedBatchSampler(TEN, 2, 3, rank, shuffle)
        sampler.set_epoch(1)
        assert list(sampler) == PADDLE_SHARES[shuffle][rank]
        assert len(sampler) == 2


@pytest.mark.parametrize("size", [1, 2, 7, 12, 23])
@pytest.mark.parametrize("ranks", [1, 2, 5])
@pytest.mark.parametrize("drop_last", [False, True])
def test_distributed_ranks_get_equally_much(size: int, ranks: int, drop_last: bool) -> None:
    samplers = [
        DistributedBatchSampler(range(size), 3, ranks, rank, True, drop_last)
        for rank in range(ranks)
    ]
    shares = [list(sampler) for sampler in samplers]
    assert {tuple(map(len, share)) for share in shares} == {tuple(map(len, shares[0]))}
    assert all(len(share) == len(s) for share, s in zip(shares, samplers, strict=True))
    if not drop_last:
        assert {i for share in shares for batch in share for i in batch} == set(range(size))


def test_distributed_epochs_differ_and_come_back() -> None:
    sampler = DistributedBatchSampler(TEN, 2, shuffle=True)
    first, second = list(sampler), list(sampler)
    assert first == [[2, 8], [4, 9], [1, 6], [7, 3], [0, 5]]
    assert second == [[2, 9], [6, 4], [0, 3], [1, 7], [8, 5]]
    sampler.set_epoch(0)
    assert list(sampler) == first


def test_distributed_asks_the_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    sampler = DistributedBatchSampler(range(4), 1)
    assert [sampler.nranks, sampler.local_rank, list(sampler)] == [2, 1, [[1], [3]]]
    monkeypatch.setenv("PADDLE_TRAINER_ID", "one")
    with pytest.raises(ValueError, match="PADDLE_TRAINER_ID, but it is 'one'"):
        DistributedBatchSampler(range(4), 1)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((0,), "batch_size.* positive int, but received 0"),
        ((2, 0), "num_replicas.* positive int, but received 0"),
        ((2, 2, 2), "rank.* from 0 to 1.* received 2"),
        ((2, 2, -1), "rank.* received -1"),
    ],
)
def test_distributed_refuses(args: tuple, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        DistributedBatchSampler(TEN, *args)
    with pytest.raises(ValueError, match=r"set_epoch.* at least 0, but received -1"):
        DistributedBatchSampler(TEN, 2).set_epoch(-1)


def test_subset_sampler_follows_paddle_seed() -> None:
    paddle.seed(4)
    sampler = SubsetRandomSampler(np.arange(10, 30))
    first, second = list(sampler), list(sampler)
    assert sorted(first) == list(range(10, 30)) and len(sampler) == 20
    assert first != second != sorted(second)
    paddle.seed(4)
    assert list(sampler) == first
    assert len(list(BatchSampler(sampler=sampler, batch_size=8))) == 3


@pytest.mark.parametrize(
    ("indices", "error", "text"),
    [
        ([], ValueError, "at least one number"),
        (5, TypeError, "expected a list of sample numbers, but received int"),
        ("123", TypeError, "but received str"),
    ],
)
def test_subset_sampler_refuses(indices, error, text) -> None:
    with pytest.raises(error, match=text):
        SubsetRandomSampler(indices)
