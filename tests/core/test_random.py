"""Random state: seeds, generators, what repeats and what does not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.core import random


@pytest.fixture(autouse=True)
def _seed():
    yield
    paddle.seed(0)


def draws():
    return [
        paddle.rand([3]).tolist(),
        paddle.randn([3]).tolist(),
        paddle.randint(0, 100, [3]).tolist(),
        paddle.randperm(5).tolist(),
        paddle.uniform([2], min=-1, max=1).tolist(),
        paddle.nn.functional.dropout(paddle.ones([20]), 0.5).tolist(),
        paddle.nn.Linear(2, 2).weight.tolist(),
        random.numpy_rng().rand(2).tolist(),
    ]


def test_a_seed_repeats_everything():
    paddle.seed(102)
    first = draws()
    further = draws()
    paddle.seed(102)
    assert draws() == first
    assert draws() == further
    assert first[0] != further[0]


def test_different_seeds_differ():
    paddle.seed(1)
    a = paddle.rand([4]).tolist()
    paddle.seed(2)
    assert a != paddle.rand([4]).tolist()


@pytest.mark.parametrize("value", [0, 1, -1, 2**31, 2**63 - 1, 2**64 - 1, np.int64(7)])
def test_any_integer_is_a_seed(value):
    generator = paddle.seed(value)
    a = paddle.rand([2]).tolist()
    paddle.seed(value)
    assert a == paddle.rand([2]).tolist()
    assert type(generator).__name__ == "Generator"


@pytest.mark.parametrize("wrong", ["1", 1.0, None, True, [1]])
def test_wrong_seeds(wrong):
    with pytest.raises(
        TypeError, match=r"seed\(seed\): expected an int, but received " + type(wrong).__name__
    ):
        paddle.seed(wrong)


def test_generator_state():
    generator = paddle.seed(5)
    assert generator.initial_seed() == 5
    state = generator.get_state()
    a = paddle.rand([3]).tolist()
    generator.set_state(state)
    assert a == paddle.rand([3]).tolist()
    generator.manual_seed(5)
    assert a == paddle.rand([3]).tolist()
    assert 0 <= generator.random() < 2**63
    fresh = generator.seed()
    assert generator.initial_seed() == fresh


def test_cuda_states_have_one_entry_per_gpu():
    state = paddle.get_cuda_rng_state()
    assert len(state) == paddle.core.place.device_count()
    paddle.set_cuda_rng_state(state)
    with pytest.raises(
        ValueError, match=rf"expected {len(state)} states, one per GPU, but received"
    ):
        paddle.set_cuda_rng_state([*state, None])


def test_torch_s_own_generator_is_left_alone():
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2).tolist()
    torch.manual_seed(3)
    paddle.seed(9)
    paddle.rand([100])
    assert torch.rand(2).tolist() == expected


@pytest.mark.slow
def test_a_seed_means_the_same_in_another_process():
    code = "import paddle; paddle.seed(12345); print(paddle.rand([3]).tolist())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    paddle.seed(12345)
    assert done.stdout == f"{paddle.rand([3]).tolist()}\n"
