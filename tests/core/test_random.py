"""Random state: seeds, generators, what repeats and what does not."""

from __future__ import annotations

import random as python_random
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


def drawn():
    """A number of every source on the host."""
    order = paddle.io.RandomSampler(range(50))
    return paddle.rand([2]).numpy().tolist(), list(order), np.random.rand(), python_random.random()


@pytest.mark.parametrize("seeded", [True, False])
def test_the_state_of_the_host_goes_back(seeded, tmp_path):
    before = paddle.get_rng_state("cpu")
    try:
        if seeded:
            paddle.seed(3)
        else:
            random._seed = random._numpy = None  # as in a process that never called paddle.seed
        state = paddle.get_rng_state()
        wanted = drawn()
        paddle.seed(4)
        assert drawn() != wanted
        paddle.set_rng_state(state)
        assert drawn() == wanted
        assert (random.get_seed() is None) is not seeded
        path = str(tmp_path / "state")
        paddle.save(state, path)
        paddle.seed(5)
        paddle.set_rng_state(paddle.load(path), "cpu")
        assert drawn() == wanted
    finally:
        paddle.set_rng_state(before, paddle.CPUPlace())


def test_bad_states_of_random_numbers_change_nothing():
    paddle.seed(3)
    (good,) = state = paddle.get_rng_state("cpu")
    wanted = drawn()
    paddle.set_rng_state(state)
    words = np.zeros(624, np.int64)
    twister = {"bit_generator": "MT19937", "state": {"key": words, "pos": 700}}
    bad = {
        r"expected 1 state for the CPU, but received 2": [good, good],
        r"received int": [3],
        r"a dict with \[": [{}],
        r"the 3 bytes are no state of a generator of cpu": [
            {**good, "generator": np.zeros(3, "u1")}
        ],
        r"expected the bytes of a generator's state": [{**good, "generator": np.zeros(5056)}],
        r"expected an array, but received str": [{**good, "generator": "x"}],
        r"expected an int or None as seed, but received str": [{**good, "seed": "x"}],
        r"expected a position from 0 to 624": [
            {**good, "numpy": {**twister, "has_gauss": 0, "gauss": 0.0}}
        ],
        r"expected a dict with \['bit_generator'": [{**good, "framework": {"a": 1}}],
        r"expected 624 words, but received \[3\]": [
            {**good, "numpy": {**good["numpy"], "state": {"key": words[:3], "pos": 1}}}
        ],
        r"expected the state of a MT19937": [
            {**good, "numpy": {**good["numpy"], "bit_generator": "PCG64"}}
        ],
        r"expected a state of Python's random": [{**good, "python": {}}],
        r"no state of Python's random": [
            {**good, "python": {**good["python"], "words": words[:3]}}
        ],
    }
    for text, given in bad.items():
        with pytest.raises(ValueError, match=text):
            paddle.set_rng_state(given)
    with pytest.raises(TypeError, match=r"set_rng_state\(state_list\): expected a list"):
        paddle.set_rng_state(good)
    for function in (paddle.get_rng_state, lambda d: paddle.set_rng_state(state, d)):
        with pytest.raises(TypeError, match=r"rng_state\(device\): expected a place"):
            function(3.5)
    assert drawn() == wanted


def test_a_thread_with_its_own_sequence_gets_the_state_of_all():
    paddle.seed(3)
    state = paddle.get_rng_state("cpu")
    with random.sequence_of(10**6, 5):
        paddle.rand([2])
        inside = paddle.get_rng_state("cpu")
    assert np.array_equal(inside[0]["generator"], state[0]["generator"])
