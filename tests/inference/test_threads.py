"""Predictors over threads, and over many shapes: right answers, and no growth."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import paddle
from paddle.core import allocator
from paddle.inference import Config, PredictorPool, create_predictor
from paddle.static import InputSpec
from tests.inference.conftest import config_of
from tests.jit.cases.model_cases import read_case


def under_load(config, size, make, rounds):
    """Lets each Predictor of a pool run on inputs of its own; returns what went wrong.

    All of them begin at once, and meet each shape for the first time.
    """
    other = create_predictor(Config(config))
    expected = [[other.run(inputs) for inputs in make(i)] for i in range(size)]
    pool = PredictorPool(config, size)
    wrong, start = [], threading.Barrier(size)

    def work(i):
        predictor, inputs = pool.retrive(i), make(i)
        start.wait()
        try:
            for n in range(rounds):
                at = n % len(inputs)
                for name, value in zip(predictor.get_input_names(), inputs[at], strict=True):
                    predictor.get_input_handle(name).copy_from_cpu(value)
                predictor.run()
                for name, want in zip(predictor.get_output_names(), expected[i][at], strict=True):
                    got = predictor.get_output_handle(name).copy_to_cpu()
                    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        except BaseException as error:  # a thread's failure is told here
            wrong.append(error)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(size)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return wrong


def test_a_network_under_load(models):
    def make(i):
        random = np.random.RandomState(i)
        return [[random.rand(1 + n + i, 1, 28, 28).astype("float32")] for n in range(3)]

    assert not under_load(config_of(models, "lenet"), 4, make, 15)


@pytest.mark.parametrize("name", ["2.6.2/recurrent", "2.6.2/loops", "1.8.5/halving",
                                  "2.6.2/attention"])  # fmt: skip
def test_models_with_state_of_a_run_under_load(name, tmp_path):
    case = read_case(name)
    config = Config(case.unpack(tmp_path))
    if "params_filename" in case.filenames:
        config.set_prog_file("__model__")
        config.set_params_file(case.filenames["params_filename"])
    runs = [list(inputs) for _, inputs, _ in case.runs()]
    assert not under_load(config, 3, lambda i: runs, 10)


def test_one_predictor_fails_while_others_run(models):
    pool = PredictorPool(config_of(models, "linear"), 2)
    good, bad = np.ones([2, 4], "float32"), np.ones([2, 5], "float32")
    [expected] = pool.retrive(0).run([good])
    seen = []

    def fail():
        for _ in range(50):
            try:
                pool.retrive(1).run([bad])
            except ValueError as error:
                seen.append(error)

    worker = threading.Thread(target=fail)
    worker.start()
    for _ in range(50):
        np.testing.assert_array_equal(pool.retrive(0).run([good])[0], expected)
    worker.join()
    assert len(seen) == 50


def test_the_threads_of_the_process_are_shared(models, monkeypatch):
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        first = create_predictor(config_of(models, "linear"))
        first.clone()
    finally:
        torch.set_num_threads(before)
    load, seen = first._shared._load, []
    inside, go_on = threading.Event(), threading.Event()

    def call(buffers):
        seen.append(torch.get_num_threads())
        if buffers:
            inside.set()
            go_on.wait(10)
        return ()

    load._call = call
    worker = threading.Thread(target=load.call, args=([1],))
    worker.start()
    assert inside.wait(10)
    load.call([])
    go_on.set()
    worker.join()
    load.call([])
    assert seen == [4, 2, 4] and torch.get_num_threads() == before


# -- many shapes ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def recogniser(tmp_path_factory):
    """A network that takes pictures of any size: convolution, norm, mean, recurrent layer."""

    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = paddle.nn.Conv2D(1, 4, 3, padding=1)
            self.norm = paddle.nn.BatchNorm2D(4)
            self.rnn = paddle.nn.GRU(4, 8)
            self.fc = paddle.nn.Linear(8, 5)

        def forward(self, x):
            y = paddle.nn.functional.relu(self.norm(self.conv(x)))
            y, _ = self.rnn(y.mean(axis=2).transpose([0, 2, 1]))
            return paddle.nn.functional.softmax(self.fc(y))

    net = Net()
    net.eval()
    folder = tmp_path_factory.mktemp("recogniser")
    paddle.jit.save(net, str(folder / "net"), [InputSpec([None, 1, None, None], name="x")])
    return folder


def soak(folder, runs):
    """Runs over random shapes; returns by how many bytes the process grew after a tenth of them."""
    predictor = create_predictor(config_of(folder, "net"))
    x = predictor.get_input_handle("x")
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    random = np.random.RandomState(0)
    pixels = random.rand(4 * 24 * 96).astype("float32")
    warm = 0
    for n in range(runs):
        b, h, w = random.randint(1, 5), random.randint(4, 25), random.randint(4, 97)
        x.copy_from_cpu(pixels[: b * h * w].reshape(b, 1, h, w))
        predictor.run()
        found = out.copy_to_cpu()
        assert found.shape == (b, w, 5) and abs(float(found[0, 0].sum()) - 1) < 1e-4
        if n == runs // 10:
            gc.collect()
            warm = allocator.resident()
    gc.collect()
    return allocator.resident() - warm


def test_a_hundred_shapes(recogniser):
    assert soak(recogniser, 120) < 64 << 20


@pytest.mark.slow
def test_ten_thousand_runs_over_random_shapes_do_not_grow(recogniser):
    assert soak(recogniser, 10_000) < 24 << 20
