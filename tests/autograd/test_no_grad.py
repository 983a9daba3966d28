"""no_grad: as a context, a decorator, around generators and in threads."""

from __future__ import annotations

import asyncio
import threading

import pytest

import paddle
from paddle.core.mode import grad_enabled


def leaf(data=(1.0, 2.0)):
    return paddle.to_tensor(list(data), stop_gradient=False)


def test_context():
    x = leaf()
    with paddle.no_grad():
        y = x * 2
        assert not grad_enabled()
    assert grad_enabled() and y.stop_gradient and y.is_leaf
    assert not (x * 2).stop_gradient


def test_nesting_and_reuse_of_one_object():
    off = paddle.no_grad()
    with off:
        with off:
            assert not grad_enabled()
        assert not grad_enabled()
    assert grad_enabled()


def test_an_exception_restores():
    with pytest.raises(KeyError), paddle.no_grad():
        raise KeyError
    assert grad_enabled()


def test_result_becomes_trainable_leaf():
    x = leaf()
    with paddle.no_grad():
        y = x * 2
    y.stop_gradient = False
    (y * y).sum().backward()
    assert y.grad.tolist() == [4, 8] and x.grad is None


@pytest.mark.parametrize("decorate", [paddle.no_grad(), paddle.no_grad])
def test_decorator(decorate):
    @decorate
    def double(x, times=1, *, extra=0):
        """Doubles."""
        assert not grad_enabled()
        return x * 2 * times + extra

    out = double(leaf(), 3, extra=1)
    assert out.stop_gradient and out.tolist() == [7, 13] and grad_enabled()


def test_decorator_keeps_the_name():
    @paddle.no_grad()
    def double(x):
        """Doubles."""

    assert double.__name__ == "double" and double.__doc__ == "Doubles."


@pytest.mark.parametrize("decorate", [paddle.no_grad(), paddle.no_grad])
def test_decorated_method(decorate):
    class Model:
        scale = 3.0

        @decorate
        def run(self, x):
            return x * self.scale

    out = Model().run(leaf())
    assert out.stop_gradient and out.tolist() == [3, 6]


def test_recursion_in_a_decorated_function():
    @paddle.no_grad()
    def fall(n):
        assert not grad_enabled()
        return 0 if n == 0 else 1 + fall(n - 1)

    assert fall(5) == 5 and grad_enabled()


def test_exception_in_a_decorated_function():
    @paddle.no_grad()
    def fail():
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        fail()
    assert grad_enabled()


# -- generators ----------------------------------------------------------------------------------


def test_generator_is_off_inside_and_on_outside():
    @paddle.no_grad()
    def rows(x):
        for i in range(2):
            assert not grad_enabled()
            yield x[i] * 2
        return "end"

    x = leaf()
    out = []
    for row in rows(x):
        assert grad_enabled()
        out.append((row.stop_gradient, (x * 1).stop_gradient))
    assert out == [(True, False)] * 2


def test_generator_protocol():
    @paddle.no_grad()
    def echo():
        got, log = None, []
        while len(log) < 3:
            try:
                got = yield got
            except KeyError as error:
                assert not grad_enabled()
                got = f"caught {error}"
            log.append(got)
        return log

    generator = echo()
    assert next(generator) is None
    assert generator.send(5) == 5
    assert generator.throw(KeyError("k")) == "caught 'k'"
    assert grad_enabled()
    with pytest.raises(StopIteration) as end:
        generator.send(7)
    assert end.value.value == [5, "caught 'k'", 7]


def test_closing_a_generator_runs_its_cleanup_without_gradients():
    closed = []

    @paddle.no_grad()
    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(grad_enabled())

    generator = endless()
    next(generator)
    generator.close()
    assert closed == [False] and grad_enabled()


def test_coroutine():
    @paddle.no_grad()
    async def work(x):
        before = grad_enabled()
        await asyncio.sleep(0)
        return before, grad_enabled(), (x * 2).stop_gradient

    async def main():
        task = asyncio.create_task(work(leaf()))
        await asyncio.sleep(0)
        here = grad_enabled()
        return here, await task

    assert asyncio.run(main()) == (True, (False, False, True))


# -- threads -------------------------------------------------------------------------------------


def test_threads_do_not_see_each_other():
    inside, leave = threading.Event(), threading.Event()
    seen = {}

    def worker():
        with paddle.no_grad():
            inside.set()
            leave.wait(10)
            seen["worker"] = grad_enabled()

    thread = threading.Thread(target=worker)
    thread.start()
    assert inside.wait(10)
    assert grad_enabled() and not (leaf() * 2).stop_gradient
    leave.set()
    thread.join(10)
    assert seen == {"worker": False}


def test_a_thread_started_inside_no_grad_records():
    seen = []
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: seen.append((leaf() * 2).stop_gradient))
        thread.start()
        thread.join(10)
    assert seen == [False]


def test_one_decorated_function_in_many_threads():
    @paddle.no_grad()
    def f(x):
        return (x * 2).stop_gradient

    wrong = []

    def worker():
        x = leaf()
        for _ in range(50):
            if not f(x) or not grad_enabled() or (x * 1).stop_gradient:
                wrong.append(1)

    threads = [threading.Thread(target=worker) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(20)
    assert not wrong


def test_backward_in_several_threads():
    results = {}

    def worker(k):
        x = paddle.to_tensor([float(k)], stop_gradient=False)
        for _ in range(20):
            x.clear_grad()
            y = x
            for _ in range(20):
                y = y * 1.0 + x
            y.backward()
        results[k] = x.grad.item()

    threads = [threading.Thread(target=worker, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert results == dict.fromkeys(range(4), 21.0)


@pytest.mark.parametrize("wrong", [3, "f", [1]])
def test_bad_input(wrong):
    with pytest.raises(TypeError, match="no_grad: expected a function to decorate, but received"):
        paddle.no_grad(wrong)
    with pytest.raises(TypeError, match="no_grad: expected a function to decorate"):
        paddle.no_grad()(wrong)
