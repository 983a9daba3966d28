"""paddle.io datasets: what samples they give, how they split, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import paddle
from paddle.io import (
    ChainDataset,
    ComposeDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Numbers(Dataset):
    def __init__(self, size: int, offset: int = 0) -> None:
        self.size, self.offset = size, offset

    def __getitem__(self, idx: int) -> tuple[int, float]:
        return idx + self.offset, idx / 2

    def __len__(self) -> int:
        return self.size


class Stream(IterableDataset):
    def __init__(self, size: int) -> None:
        self.size = size

    def __iter__(self):
        return iter(range(self.size))


def test_dataset_says_which_method_is_missing() -> None:
    class Empty(Dataset):
        pass

    with pytest.raises(NotImplementedError, match=r"Empty must define __getitem__"):
        Empty()[0]
    with pytest.raises(NotImplementedError, match=r"Empty must define __len__"):
        len(Empty())


def test_dataset_with_a_list_inside_is_iterable() -> None:
    class Words(Dataset):
        data = (["a", 1], ["b", 2])

        def __getitem__(self, idx: int) -> tuple:
            return self.data[idx][0], self.data[idx][1]

    assert [sample for sample in Words()] == [("a", 1), ("b", 2)]  # noqa: C416


def test_iterable_dataset_has_neither_numbers_nor_length() -> None:
    assert list(Stream(3)) == [0, 1, 2]
    with pytest.raises(RuntimeError, match="Stream is an IterableDataset: its samples"):
        Stream(3)[0]
    with pytest.raises(RuntimeError, match="length is unknown"):
        len(Stream(3))
    with pytest.raises(NotImplementedError, match="IterableDataset must define __iter__"):
        iter(IterableDataset())


def test_tensor_dataset_gives_rows() -> None:
    x = paddle.to_tensor(np.arange(6, dtype="float32").reshape(3, 2))
    y = np.array([[7], [8], [9]])
    data = TensorDataset([x, y])
    assert len(data) == 3
    row, label = data[1]
    np.testing.assert_array_equal(row.numpy(), [2.0, 3.0])
    np.testing.assert_array_equal(label, [8])


def test_tensor_dataset_refuses() -> None:
    with pytest.raises(ValueError, match=r"equal sizes in the first .* \[4, 2\], \[3, 2\]"):
        TensorDataset([np.ones([4, 2]), np.ones([3, 2])])
    with pytest.raises(ValueError, match="at least one Tensor"):
        TensorDataset([])
    with pytest.raises(TypeError, match=r"tensors\[1\] is str"):
        TensorDataset([np.ones([2]), "ab"])
    with pytest.raises(TypeError, match="a list or tuple of Tensors, but received ndarray"):
        TensorDataset(np.ones([2]))


def test_compose_joins_fields() -> None:
    class Single(Numbers):
        def __getitem__(self, idx: int) -> str:  # type: ignore[override]
            return f"s{idx}"

    both = ComposeDataset([Numbers(4), Single(4)])
    assert len(both) == 4
    assert both[3] == (3, 1.5, "s3")


def test_compose_refuses() -> None:
    with pytest.raises(ValueError, match=r"equal length, but received lengths \[2, 3\]"):
        ComposeDataset([Numbers(2), Numbers(3)])
    with pytest.raises(ValueError, match="at least one dataset"):
        ComposeDataset([])
    with pytest.raises(TypeError, match=r"datasets\[1\] is the IterableDataset Stream"):
        ComposeDataset([Numbers(2), Stream(2)])
    with pytest.raises(TypeError, match="expected a list of datasets, but received Numbers"):
        ComposeDataset(Numbers(2))


def test_chain_runs_through_all() -> None:
    assert list(ChainDataset([Stream(2), Stream(0), Stream(3)])) == [0, 1, 0, 1, 2]
    with pytest.raises(TypeError, match=r"expected IterableDatasets, but datasets\[0\] is Numbers"):
        ChainDataset([Numbers(2)])
    with pytest.raises(ValueError, match="at least one dataset"):
        ChainDataset([])


def test_subset_maps_indices() -> None:
    part = Subset(Numbers(10), [9, 3])
    assert len(part) == 2
    assert [part[0][0], part[1][0]] == [9, 3]
    with pytest.raises(IndexError):
        part[2]


def test_random_split_covers_everything_once() -> None:
    parts = random_split(Numbers(10), [3, 0, 7])
    assert [len(part) for part in parts] == [3, 0, 7]
    assert sorted(i for part in parts for i in part.indices) == list(range(10))


@pytest.mark.parametrize("lengths", [[3, 3], [5, 6], [11, -1], [0.5, 0.5]])
def test_random_split_refuses_wrong_lengths(lengths: list) -> None:
    with pytest.raises(ValueError, match=r"random_split\(lengths\).*"):
        random_split(Numbers(10), lengths)


def test_random_split_follows_the_seeds() -> None:
    def split(generator=None) -> list:
        return random_split(Numbers(50), [25, 25], generator)[0].indices

    paddle.seed(7)
    first, second = split(), split()
    assert first != second
    paddle.seed(7)
    assert split() == first
    assert split(np.random.RandomState(3)) == split(np.random.RandomState(3))
    assert split(np.random.default_rng(3)) == split(np.random.default_rng(3))
    generator = paddle.seed(5)
    one, two = split(generator), split(generator)
    assert one != two
    assert split(paddle.seed(5)) == one
    with pytest.raises(TypeError, match=r"random_split\(generator\).*received int"):
        split(3)


def test_concat_is_one_after_the_other() -> None:
    whole = ConcatDataset([[10, 11], TensorDataset([np.arange(3)]), [12]])
    assert len(whole) == 6 and whole.cumulative_sizes == [2, 5, 6]
    assert [whole[i] for i in (0, 1, 5, -1, -6)] == [10, 11, 12, 12, 10]
    assert whole[4] == (2,)
    assert len(list(DataLoader(ConcatDataset([[1, 2], [3]]), batch_size=2))) == 2
    for index in (6, -7):
        with pytest.raises(IndexError, match=rf"from -6 to 5, but received {index}"):
            whole[index]


def test_concat_refuses() -> None:
    class Stream(IterableDataset):
        pass

    with pytest.raises(ValueError, match="at least one dataset"):
        ConcatDataset([])
    with pytest.raises(
        TypeError, match=r"datasets\[1\] is the IterableDataset Stream.*ChainDataset"
    ):
        ConcatDataset([[1], Stream()])
    with pytest.raises(TypeError, match=r"datasets\[0\] is int"):
        ConcatDataset([3])
    with pytest.raises(TypeError, match="expected a list of datasets"):
        ConcatDataset(TensorDataset([np.arange(3)]))


def test_later_names_are_not_those_of_the_release() -> None:
    import paddle

    assert "ConcatDataset" not in paddle.io.__all__
    assert "SubsetRandomSampler" not in paddle.io.__all__
