"""DataLoader in one process: batching modes, lengths, feeding by name, arguments it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.io import BatchSampler, DataLoader, Dataset, IterableDataset


class Numbers(Dataset):
    def __init__(self, size: int = 10) -> None:
        self.size = size

    def __getitem__(self, idx: int) -> tuple:
        return np.full(2, idx, "float32"), idx

    def __len__(self) -> int:
        return self.size


class Stream(IterableDataset):
    def __iter__(self):
        return (np.array([i]) for i in range(5))


def labels(loader) -> list[list[int]]:
    return [batch[1].numpy().ravel().tolist() for batch in loader]


def test_batches_in_order() -> None:
    loader = DataLoader(Numbers(), batch_size=4)
    assert len(loader) == 3
    assert labels(loader) == labels(loader()) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    dropping = DataLoader(Numbers(), batch_size=4, drop_last=True)
    assert [len(dropping), labels(dropping)] == [2, [[0, 1, 2, 3], [4, 5, 6, 7]]]


def test_shuffle_follows_paddle_seed() -> None:
    loader = DataLoader(Numbers(), batch_size=5, shuffle=True)
    paddle.seed(1)
    first, second = labels(loader), labels(loader)
    assert sorted(i for batch in first for i in batch) == list(range(10))
    assert first != second
    paddle.seed(1)
    assert [labels(loader), labels(loader)] == [first, second]


def test_batch_sampler_decides() -> None:
    sampler = BatchSampler(Numbers(), batch_size=3, drop_last=True)
    loader = DataLoader(Numbers(), batch_sampler=sampler)
    assert loader.batch_sampler is sampler
    assert [len(loader), labels(loader)] == [3, [[0, 1, 2], [3, 4, 5], [6, 7, 8]]]
    assert labels(DataLoader(Numbers(), batch_sampler=[[7], [1, 1]])) == [[7], [1, 1]]


def test_without_batching() -> None:
    loader = DataLoader(Numbers(3), batch_size=None)
    assert len(loader) == 3
    assert [(x.shape, y) for x, y in loader] == [([2], 0), ([2], 1), ([2], 2)]
    paddle.seed(2)
    order = [y for _, y in DataLoader(Numbers(), batch_size=None, shuffle=True)]
    assert sorted(order) == list(range(10))
    assert order != list(range(10))


def test_streams() -> None:
    def values(**options) -> list[list[int]]:
        return [b.numpy().ravel().tolist() for b in DataLoader(Stream(), **options)]

    assert values(batch_size=2) == [[0, 1], [2, 3], [4]]
    assert values(batch_size=2, drop_last=True) == [[0, 1], [2, 3]]
    assert values(batch_size=None) == [[0], [1], [2], [3], [4]]
    assert len(list(DataLoader(Stream(), batch_size=2))) == 3
    with pytest.raises(ValueError, match="batches of an IterableDataset is unknown"):
        len(DataLoader(Stream()))


def test_collate_fn() -> None:
    loader = DataLoader(
        Numbers(4), batch_size=2, collate_fn=lambda samples: {"n": np.array([len(samples)])}
    )
    assert [batch["n"].numpy().tolist() for batch in loader] == [[2], [2]]


def test_feeding_by_name() -> None:
    class Variable:
        name = "image"

    loader = DataLoader(
        Numbers(2), feed_list=[Variable(), "label"], return_list=False, batch_size=2
    )
    (feed,) = next(loader())
    assert sorted(feed) == ["image", "label"]
    assert feed["image"].shape == [2, 2]
    wrong = DataLoader(Numbers(2), feed_list=["image"], return_list=False)
    with pytest.raises(ValueError, match=r"expected 1 fields.*\['image'\], but received 2"):
        next(wrong())
    assert isinstance(next(DataLoader(Numbers(2), return_list=False)())[0], paddle.Tensor)


def test_places() -> None:
    for place in (paddle.CPUPlace(), [paddle.CPUPlace()], "cpu"):
        assert next(iter(DataLoader(Numbers(), places=place)))[0].place == paddle.CPUPlace()
    with pytest.raises(NotImplementedError, match=r"one place, but received 2.*launch"):
        DataLoader(Numbers(), places=[paddle.CPUPlace()] * 2)
    with pytest.raises(TypeError, match=r"expected a place.* received int"):
        DataLoader(Numbers(), places=3)


def test_errors_of_the_dataset_pass_through() -> None:
    class Bad(Numbers):
        def __getitem__(self, idx: int) -> tuple:
            if idx == 3:
                raise LookupError("no number 3")
            if idx == 5:
                raise StopIteration
            return super().__getitem__(idx)

    batches = iter(DataLoader(Bad(), batch_size=2))
    next(batches)
    with pytest.raises(LookupError, match="no number 3"):
        next(batches)
    with pytest.raises(RuntimeError, match=r"Bad.__getitem__ raised StopIteration"):
        list(DataLoader(Bad(), batch_sampler=[[5]]))


def test_dataset_without_length() -> None:
    class Endless(Dataset):
        def __getitem__(self, idx: int) -> int:
            return idx

    with pytest.raises(NotImplementedError, match="Endless must define __len__"):
        list(DataLoader(Endless()))


def test_plain_sequences_will_do() -> None:
    assert [b.numpy().tolist() for b in DataLoader([1, 2, 3], batch_size=2)] == [[1, 2], [3]]


SAMPLER = BatchSampler(Numbers(), batch_size=2)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (
            {"dataset": iter([1])},
            TypeError,
            "expected a paddle.io.Dataset.* received list_iterator",
        ),
        ({"batch_size": 0}, ValueError, "batch_size.* positive int or None, but received 0"),
        ({"batch_size": -1}, ValueError, "received -1"),
        ({"batch_size": 1.5}, ValueError, "received 1.5"),
        ({"batch_sampler": SAMPLER, "batch_size": 2}, ValueError, "received batch_size=2"),
        ({"batch_sampler": SAMPLER, "shuffle": True}, ValueError, "shuffle=True"),
        ({"batch_sampler": SAMPLER, "drop_last": True}, ValueError, "drop_last=True"),
        ({"batch_sampler": 3}, TypeError, "expected an iterable of lists.* received int"),
        ({"dataset": Stream(), "shuffle": True}, ValueError, "received shuffle=True"),
        ({"dataset": Stream(), "batch_sampler": SAMPLER}, ValueError, "received a batch_sampler"),
        ({"num_workers": -1}, ValueError, "num_workers.* received -1"),
        ({"num_workers": 1.5}, ValueError, "num_workers.* received 1.5"),
        ({"timeout": -1}, ValueError, "timeout.* received -1"),
        ({"timeout": float("nan")}, ValueError, "timeout.* received nan"),
        ({"timeout": "1"}, TypeError, "timeout.* received str"),
        ({"collate_fn": 3}, TypeError, "collate_fn.* received int"),
        ({"worker_init_fn": 3}, TypeError, "worker_init_fn.* received int"),
        ({"feed_list": "x", "return_list": False}, TypeError, "feed_list.* received str"),
        ({"shuffle": "yes"}, TypeError, "shuffle.* received str"),
    ],
)
def test_refuses(options: dict, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        DataLoader(**{"dataset": Numbers(), **options})


def test_an_empty_batch_of_a_sampler_is_named() -> None:
    with pytest.raises(ValueError, match="at least one index in each batch"):
        list(DataLoader(Numbers(), batch_sampler=[[]]))


def test_from_dataset_refuses_other_datasets() -> None:
    with pytest.raises(TypeError, match="expected a dataset of files"):
        DataLoader.from_dataset(Numbers(), [paddle.CPUPlace()])
