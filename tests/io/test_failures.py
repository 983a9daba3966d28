"""What errors tell: which sample, which field, which worker, what to do."""

from __future__ import annotations

import os
import re
import sys
import time
from typing import Any

import numpy as np
import pytest

from paddle.io import BatchSampler, DataLoader, Dataset, IterableDataset, Sampler

WORKERS = [0, 2] if hasattr(os, "fork") else [0]


class Made(Dataset):
    def __init__(self, make, size: int = 12) -> None:
        self.make, self.size = make, size

    def __getitem__(self, idx: int):
        return self.make(idx)

    def __len__(self) -> int:
        return self.size


def shown(error: BaseException) -> str:
    """What a user sees: Python prints notes from 3.11 on."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def failing(i: int) -> int:
    if i == 7:
        raise ValueError("no such file")
    return i


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("options", [{"batch_size": 4}, {"batch_size": None}, {"shuffle": True}])
def test_an_error_of_the_dataset_names_the_sample(workers: int, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no such file") as caught:
        list(DataLoader(Made(failing), num_workers=workers, **options))
    text = shown(caught.value)
    assert "[DataLoader: reading sample 7 of Made, which has 12 samples]" in text
    if workers:
        assert re.search(r"raised in DataLoader worker [01] \(process id \d+\)", text)
        assert "in failing\n" in text


@pytest.mark.parametrize("workers", WORKERS)
def test_numbers_out_of_range_name_the_size(workers: int) -> None:
    class Beyond(Sampler):
        def __iter__(self):
            return iter(np.array([0, 1, 30]))

        def __len__(self) -> int:
            return 3

    sampler = BatchSampler(sampler=Beyond(), batch_size=2)
    with pytest.raises(IndexError) as caught:
        list(DataLoader([5, 6], batch_sampler=sampler, num_workers=workers))
    assert "reading sample 30 of list, which has 2 samples" in shown(caught.value)


@pytest.mark.parametrize("workers", WORKERS)
def test_an_error_of_a_stream_names_the_position(workers: int) -> None:
    class Stream(IterableDataset):
        def __iter__(self):
            yield from range(5)
            raise OSError("gone")

    with pytest.raises(OSError, match="gone") as caught:
        list(DataLoader(Stream(), batch_size=2, num_workers=workers))
    assert "reading sample 5 of the stream Stream" in shown(caught.value)


@pytest.mark.parametrize("workers", WORKERS)
def test_unequal_samples_name_number_field_and_shapes(workers: int) -> None:
    def make(i: int) -> dict:
        return {"id": i, "boxes": (np.zeros((2, 3 if i == 5 else 4)), i)}

    text = (
        r"sample 1 has shape \[2, 3\] at sample\['boxes'\]\[0\] where sample 0 has \[2, 4\]"
        r"[\s\S]*sample 1 of the batch is number 5 of the dataset, sample 0 is number 4"
    )
    with pytest.raises(ValueError, match=text):
        list(DataLoader(Made(make), batch_size=2, num_workers=workers))

    class Stream(IterableDataset):
        def __iter__(self):
            return (np.zeros(i // 3) for i in range(9))

    text = (
        r"shape \[1\] where sample 0 has \[0\][\s\S]*is number 3 of the stream, sample 0 is num.* 2"
    )
    with pytest.raises(ValueError, match=text):
        list(DataLoader(Stream(), batch_size=2, num_workers=min(workers, 1)))


@pytest.mark.parametrize("workers", WORKERS)
def test_collate_fn_that_fails_or_returns_nothing(workers: int) -> None:
    def forgets(samples: list) -> None:
        np.stack(samples)

    with pytest.raises(TypeError, match=r"expected .*forgets to return a batch.*samples \[0, 1, 2"):
        list(DataLoader(Made(lambda i: i), batch_size=8, collate_fn=forgets, num_workers=workers))
    with pytest.raises(TypeError, match="returned None for sample 0"):
        nothing = lambda sample: None
        list(DataLoader([1], batch_size=None, collate_fn=nothing, num_workers=workers))

    def fails(samples: list) -> None:
        raise KeyError("mask")

    with pytest.raises(KeyError) as caught:
        list(DataLoader(Made(lambda i: i), batch_size=3, collate_fn=fails, num_workers=workers))
    assert re.search(r"in collate_fn .*fails, called with samples \[0, 1, 2\]", shown(caught.value))
    with pytest.raises(TypeError, match="dtype object cannot become a Tensor"):
        nonsense = lambda samples: np.array([object()])
        list(DataLoader([1], collate_fn=nonsense))


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(
    ("yielded", "text"), [(3, "yielded int: 3"), ("ab", "yielded str: 'ab'"), (None, "NoneType")]
)
def test_batch_sampler_that_yields_no_lists(workers: int, yielded, text: str) -> None:
    with pytest.raises(TypeError, match=rf"expected it to yield lists .*{text}"):
        list(DataLoader([1, 2], batch_sampler=[yielded], num_workers=workers))


def test_batch_sampler_may_yield_anything_iterable() -> None:
    sampler = [(0, 1), np.array([2]), iter([1, 2]), range(2)]
    batches = [b.numpy().tolist() for b in DataLoader([5, 6, 7], batch_sampler=sampler)]
    assert batches == [[5, 6], [7], [6, 7], [5, 6]]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_death_and_a_timeout_name_the_samples() -> None:
    def dies(i: int) -> int:
        if i == 9:
            os._exit(4)
        return i

    text = (
        r"worker 1 \(process id \d+\) exited with code 4 before it sent its batch of samples \[8, 9"
    )
    with pytest.raises(RuntimeError, match=text):
        list(DataLoader(Made(dies), batch_sampler=[[0], [8, 9, 10]], num_workers=2))

    def sleeps(i: int) -> int:
        time.sleep(60 if i in (0, 8) else 0)
        return i

    with pytest.raises(RuntimeError, match=r"of samples \[2, 3, 4, 5, 6, 7, ... 3 more\] within"):
        list(DataLoader(Made(sleeps), batch_sampler=[range(2, 11)], num_workers=1, timeout=0.2))
    with pytest.raises(RuntimeError, match=r"sent no batch of sample 0 within timeout=0.2"):
        list(DataLoader(Made(sleeps), batch_size=None, num_workers=1, timeout=0.2))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python shows no notes before 3.11")
def test_notes_are_shown_without_workers() -> None:
    import traceback

    with pytest.raises(ValueError) as caught:
        list(DataLoader(Made(failing)))
    assert "reading sample 7 of Made" in "".join(traceback.format_exception(caught.value))
