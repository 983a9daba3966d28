"""How many Programs a converted function keeps, and that those that go are really gone."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import paddle
from paddle.jit import to_static
from paddle.jit.calls.program_cache import MOST_LOOKS
from paddle.static import InputSpec


@pytest.fixture(autouse=True)
def _bound():
    before = paddle.get_flags("FLAGS_to_static_cache_size")
    yield
    paddle.set_flags(before)


def bound(size):
    paddle.set_flags({"FLAGS_to_static_cache_size": size})


def double(x):
    return x * 2.0


def ones(size):
    return paddle.ones([size])


def sizes(function):
    """For which sizes of the input there are Programs."""
    return sorted(key[1][0][1][0] for key, _ in function.program_cache.items())


def test_a_thousand_shapes_keep_as_many_programs_as_the_flag_says():
    bound(20)
    static = to_static(double)
    for size in range(1, 301):
        static(ones(size))
    cache = static.program_cache
    assert len(cache) == len(cache.entries) == 20
    assert sizes(static) == list(range(281, 301))
    assert static(ones(7)).numpy().tolist() == [2.0] * 7  # one that went is recorded again


def test_the_default_is_a_bound():
    assert 0 < paddle.get_flags("FLAGS_to_static_cache_size")["FLAGS_to_static_cache_size"] < 1000


def test_what_was_used_last_stays():
    bound(3)
    static = to_static(double)
    for size in (1, 2, 3):
        static(ones(size))
    static(ones(1))  # by its entry, as most calls are
    static(ones(4))
    assert sizes(static) == [1, 3, 4]
    static(ones(3))
    static(ones(5))
    assert sizes(static) == [3, 4, 5]


def test_zero_keeps_all_and_a_smaller_bound_takes_effect_at_the_next_recording():
    bound(0)
    static = to_static(double)
    for size in range(1, 12):
        static(ones(size))
    assert len(static.program_cache) == 11
    bound(4)
    static(ones(5))
    assert len(static.program_cache) == 11
    static(ones(20))
    assert sizes(static) == [5, 10, 11, 20]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)
        self.norm = paddle.nn.BatchNorm1D(3)
        self.table = paddle.to_tensor(np.ones([3], "float32"))

    @to_static
    def forward(self, x):
        y = self.norm(self.linear(x)) + self.table
        if y.mean() > 0:
            y = y * 2
        return paddle.nn.functional.dropout(y, 0.5)


def test_memory_of_what_goes_is_freed():
    bound(2)
    net = Net()
    gone = []
    for size in (2, 3, 4, 5):
        net(paddle.ones([size, 4])).sum().backward()  # its plan has a backward half too
        program = net.forward.program_cache.last()
        call = program._call
        plans = [joined.plan for joined in call._joined.values()]
        assert plans
        gone.append([weakref.ref(o) for o in (program, program.main_program, call.scope, *plans)])
    net.eval()
    net(paddle.ones([2, 4]))
    del program, call, plans
    gc.collect()
    assert [all(r() is None for r in refs) for refs in gone] == [True, True, True, False]
    assert len(net.forward.program_cache) == 2


def test_a_graph_outlives_its_program():
    bound(1)
    static = to_static(double)
    x = paddle.ones([3])
    x.stop_gradient = False
    y = static(x)
    static(ones(4))
    gc.collect()
    y.sum().backward()
    assert x.grad.numpy().tolist() == [2.0] * 3


def test_replaced_values_do_not_lose_entries():
    scale = paddle.to_tensor([1.0])
    bound(2)

    def scaled(x):
        return x * scale

    static = to_static(scaled)
    for value in range(5):
        scale = paddle.to_tensor([float(value)])
        assert static(ones(1)).item() == value
        assert static(ones(2)).numpy().tolist() == [value] * 2
    cache = static.program_cache
    assert len(cache) == len(cache.entries) == 2
    cache.clear()
    assert not cache.entries and not len(cache)


def test_looks_of_calls_are_bounded(monkeypatch):
    monkeypatch.setattr("paddle.jit.calls.program_cache.MOST_LOOKS", 10)
    static = to_static(double, input_spec=[InputSpec([None])])
    for size in range(1, 26):
        assert static(ones(size)).shape == [size]
    cache = static.program_cache
    assert len(cache) == 1 and len(cache.entries) <= 10 < MOST_LOOKS
    assert sum(map(len, cache._looks.values())) == len(cache.entries)


def test_plans_of_an_executor_go_with_their_program():
    paddle.enable_static()
    try:
        exe = paddle.static.Executor()
        scope = paddle.static.Scope()
        gone = []
        with paddle.static.scope_guard(scope):
            for _ in range(4):
                main = paddle.static.Program()
                with paddle.static.program_guard(main, paddle.static.Program()):
                    x = paddle.static.data("x", [2])
                    y, z = x + 1, x * 2
                for fetched in (y, z):
                    exe.run(main, feed={"x": np.ones(2, "float32")}, fetch_list=[fetched])
                gone += [weakref.ref(plan) for plan in exe._plans.values()]
            assert exe._plans
        del main, x, y, z, fetched
        gc.collect()
        assert not exe._plans
        assert all(r() is None for r in gone)
        kept = weakref.ref(scope)
        del scope
        gc.collect()
        assert kept() is None
    finally:
        paddle.disable_static()
