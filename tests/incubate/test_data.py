"""paddle.incubate.data: padding, batches of similar length, shares of a stream."""

from __future__ import annotations

import itertools
from collections import namedtuple

import numpy as np
import pytest

import paddle
from paddle.incubate.data import BucketBatchSampler, PadCollate, pad_batch, worker_share
from paddle.io import DataLoader, IterableDataset

Pair = namedtuple("Pair", ["words", "label"])


def test_pad_batch_fills_the_end_of_an_axis() -> None:
    rows = [np.ones((2, 3), "float32"), np.ones((2, 1), "float32")]
    padded, lengths = pad_batch(rows, pad_value=-1, axis=-1, return_length=True)
    assert padded.dtype == np.float32 and padded.shape == (2, 2, 3)
    assert padded[1].tolist() == [[1, -1, -1]] * 2
    assert lengths.dtype == np.int64 and lengths.tolist() == [3, 1]
    assert pad_batch([[1], [2, 3, 4]], pad_to_multiple_of=4).tolist() == [
        [1, 0, 0, 0],
        [2, 3, 4, 0],
    ]
    assert pad_batch([paddle.to_tensor([1, 2]), paddle.to_tensor([3])]).tolist() == [[1, 2], [3, 0]]
    assert pad_batch([[], [7]]).tolist() == [[0], [7]]
    assert pad_batch([[], [7]]).dtype == np.int64


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (([],), ValueError, "at least one array"),
        (([["a"], ["b"]],), TypeError, "expected numbers, but sample 0 is list"),
        (([[1], [[2], [3, 4]]],), TypeError, "sample 1 is list"),
        (
            ([np.ones(2), np.ones((2, 2))],),
            ValueError,
            r"sample 1 has shape \[2, 2\] where sample 0",
        ),
        (([np.ones((2, 3)), np.ones((4, 5))],), ValueError, r"differ in axis 0 only.*\[4, 5\]"),
        (([[1], [2]], "x"), TypeError, r"pad_value.*expected a number, but received str"),
        (([[1], [2]], 0.5), ValueError, "expected an integer for data of type int64"),
        (([[1], [2]], 0, 1), ValueError, r"axis of samples of shape \[1\], but received 1"),
        (([[1], [2]], 0, 0.5), TypeError, "axis.*expected an int"),
        (([[1], [2]], 0, 0, 0), ValueError, "pad_to_multiple_of.*positive int or None"),
    ],
)
def test_pad_batch_refuses(args, error, text) -> None:
    with pytest.raises(error, match=text):
        pad_batch(*args)


SAMPLES = [([1, 2, 3], 0), ([4], 1), ([5, 6], 0)]


@pytest.mark.parametrize("workers", [0, 1])
def test_collate_pads_what_differs(workers: int) -> None:
    pad = PadCollate(pad_value=9, return_length=True)
    batches = list(DataLoader(SAMPLES, batch_size=2, collate_fn=pad, num_workers=workers))
    words, labels, lengths = batches[0]
    assert words.numpy().tolist() == [[1, 2, 3], [4, 9, 9]]
    assert labels.numpy().tolist() == [0, 1] and lengths.numpy().tolist() == [3, 1]
    assert batches[1][0].numpy().tolist() == [[5, 6]]


def test_collate_of_dicts_tuples_with_names_and_single_arrays() -> None:
    dicts = [{"a": [1.0, 2.0], "b": np.ones(2), "s": "x"}, {"a": [3.0], "b": np.zeros(2), "s": "y"}]
    made = PadCollate(["a"], pad_value={"a": 0.5}, return_length=True)(dicts)
    assert made["a"].tolist() == [[1.0, 2.0], [3.0, 0.5]] and made["a_length"].tolist() == [2, 1]
    assert made["b"].shape == (2, 2) and made["s"] == ["x", "y"]
    pair = PadCollate()([Pair([1, 2], 3), Pair([4], 5)])
    assert isinstance(pair, Pair) and pair.words.tolist() == [[1, 2], [4, 0]]
    assert pair.label.tolist() == [3, 5]
    rows = PadCollate(return_length=True)([np.ones(2), np.ones(3)])
    assert rows[0].shape == (2, 3) and rows[1].tolist() == [2, 3]


def test_collate_names_sample_field_and_shapes() -> None:
    data = [(np.ones((2, 3)), 0), (np.ones((2, 4)), 1)]
    pattern = (
        r"sample 1 has shape \[2, 4\] at sample\[0\] where sample 0 has \[2, 3\][\s\S]*number 1"
    )
    for workers in (0, 1):
        with pytest.raises(ValueError, match=pattern):
            list(DataLoader(data, batch_size=2, collate_fn=PadCollate(), num_workers=workers))


@pytest.mark.parametrize(
    ("make", "samples", "error", "text"),
    [
        (lambda: PadCollate([5]), SAMPLES, ValueError, r"fields \[0, 1\] of the samples.*\[5\]"),
        (lambda: PadCollate(["a"]), [{"b": [1]}], ValueError, r"fields \['b'\].*\['a'\]"),
        (
            lambda: PadCollate(pad_value={3: 1}),
            SAMPLES,
            ValueError,
            r"\[3\] in fields or pad_value",
        ),
        (lambda: PadCollate([0]), [np.ones(2)], ValueError, "single values of type ndarray"),
        (PadCollate, [([1], 2), ([1],)], ValueError, "expected 2 fields.*sample 1 has 1"),
        (PadCollate, [{"a": [1]}, {"b": [1]}], ValueError, "expected the keys.*sample 1 differs"),
        (lambda: PadCollate("ab"), [], TypeError, "fields.*list of positions or keys"),
        (lambda: PadCollate(pad_value="x"), [], TypeError, "pad_value.*number"),
        (lambda: PadCollate(pad_value={0: None}), [], TypeError, "pad_value.*number"),
        (lambda: PadCollate(return_length=3), [], TypeError, "return_length.*bool"),
    ],
)
def test_collate_refuses(make, samples, error, text) -> None:
    with pytest.raises(error, match=text):
        make()(samples)


def test_buckets_hold_every_sample_once_and_little_padding() -> None:
    lengths = np.random.RandomState(0).randint(1, 100, 203)
    paddle.seed(3)
    sampler = BucketBatchSampler(lengths, batch_size=8, group=5)
    first, second = list(sampler), list(sampler)
    assert sorted(itertools.chain(*first)) == list(range(203)) and first != second
    assert len(first) == len(sampler) == 26
    spread = np.mean([np.ptp(lengths[batch]) for batch in first])
    assert spread < 30 < np.mean([np.ptp(lengths[i : i + 8]) for i in range(0, 200, 8)])
    paddle.seed(3)
    assert list(BucketBatchSampler(lengths, batch_size=8, group=5)) == first
    short = BucketBatchSampler(lengths, batch_size=8, drop_last=True)
    assert [len(batch) for batch in short] == [8] * 25 and len(short) == 25
    data = [np.ones(n, "float32") for n in lengths]
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=PadCollate())
    assert sum(len(batch) for batch in loader) == 203 and len(loader) == 26


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"lengths": [1.5]}, ValueError, "one integer of at least 0"),
        ({"lengths": [-1]}, ValueError, "one integer of at least 0"),
        ({"lengths": 3}, ValueError, "but received 3"),
        ({"batch_size": 0}, ValueError, "batch_size"),
        ({"group": 0}, ValueError, "group.*positive int"),
        ({"shuffle": 1}, TypeError, "shuffle.*bool"),
    ],
)
def test_buckets_refuse(options, error, text) -> None:
    with pytest.raises(error, match=text):
        BucketBatchSampler(**{"lengths": [1, 2], "batch_size": 1, **options})


def test_shares_of_a_stream() -> None:
    class Stream(IterableDataset):
        def __iter__(self):
            return worker_share(range(7))

    assert list(worker_share("abc")) == ["a", "b", "c"]
    for workers in (0, 1, 3):
        loader = DataLoader(Stream(), batch_size=2, num_workers=workers)
        assert sorted(n for batch in loader for n in batch.numpy().tolist()) == list(range(7))
    with pytest.raises(TypeError, match="expected an iterable, but received int"):
        worker_share(5)
