"""A thread starts with what the process has set; guards are the thread's own."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import threading
from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest

import paddle
from paddle.core import mode, unique_name
from paddle.core.setting import Setting, as_here
from paddle.static import Program, Scope, program_guard, scope_guard
from tests.threads.running import in_thread, in_threads


@pytest.fixture
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    try:
        with program_guard(Program(), Program()):
            yield
    finally:
        paddle.disable_static()


# -- the mode --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("static_mode")
def test_a_thread_starts_in_the_mode_of_the_process() -> None:
    assert in_thread(lambda: paddle.in_dynamic_mode()) is False
    # whatever it asks first
    assert in_thread(lambda: type(paddle.zeros([2])).__name__) == "Variable"
    assert in_thread(lambda: type(paddle.static.data("x", [2]) + 1.0).__name__) == "Variable"


def test_a_thread_of_a_dynamic_process_computes() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)

    def train() -> list[float]:
        (x * x).sum().backward()
        return [x.stop_gradient, mode.get_mode() == mode.GRAD]

    assert in_thread(train) == [False, True]
    assert x.grad.numpy().tolist() == [2.0, 4.0]
    logits, label = paddle.ones([2, 3]), paddle.to_tensor([0, 1])
    loss = paddle.nn.functional.cross_entropy(logits, label)
    again = in_thread(lambda: paddle.nn.functional.cross_entropy(logits, label))
    assert loss.numpy().tobytes() == again.numpy().tobytes()


def test_the_mode_of_another_thread_is_its_own() -> None:
    def work() -> bool:
        paddle.enable_static()
        assert in_thread(paddle.in_dynamic_mode)  # it is the process's that counts
        return paddle.in_dynamic_mode()

    assert in_thread(work) is False
    assert paddle.in_dynamic_mode()
    assert in_thread(paddle.in_dynamic_mode)


def test_a_thread_keeps_the_mode_it_started_with() -> None:
    asked, changed = threading.Event(), threading.Event()
    seen = []

    def work() -> None:
        seen.append(paddle.in_dynamic_mode())
        asked.set()
        changed.wait(10)
        seen.append(paddle.in_dynamic_mode())

    thread = threading.Thread(target=work)
    thread.start()
    asked.wait(10)
    paddle.enable_static()
    try:
        changed.set()
        thread.join(10)
    finally:
        paddle.disable_static()
    assert seen == [True, True]


@pytest.mark.parametrize("first", [
    lambda: paddle.no_grad().__enter__(), lambda: mode.hooked(None).__enter__(),
    lambda: mode.current_hook(), lambda: mode.set_grad_enabled(True), mode.settled,
])  # fmt: skip
def test_whatever_asks_first_takes_the_mode_of_the_process(first) -> None:
    def work() -> int:
        assert mode.get_mode() & mode.FRESH
        first()
        return mode.get_mode() & mode.FRESH

    assert in_thread(work) == 0


def test_guards_of_gradients_and_precision_are_the_thread_s_own() -> None:
    x = paddle.to_tensor([[1.0]], stop_gradient=False)
    with paddle.no_grad(), paddle.amp.auto_cast():
        y = in_thread(lambda: paddle.matmul(x, x))
        assert paddle.matmul(x, x).stop_gradient
    assert not y.stop_gradient and y.dtype == paddle.float32


def test_tasks_have_guards_of_their_own() -> None:
    async def guarded(prefix: str) -> str:
        with unique_name.guard(prefix):
            await asyncio.sleep(0)
            return unique_name.generate("fc")

    async def both() -> list[str]:
        return await asyncio.gather(guarded("a"), guarded("b"))

    assert asyncio.run(both()) == ["afc_0", "bfc_0"]


def test_an_empty_context_is_like_a_new_thread() -> None:
    assert contextvars.Context().run(lambda: (paddle.ones([1]) * 2).numpy().tolist()) == [2.0]


# -- guards ----------------------------------------------------------------------------------------


def test_guards_of_one_thread_are_not_seen_by_another() -> None:
    main, startup, scope = Program(), Program(), Scope()

    def seen() -> tuple:
        return (
            paddle.static.default_main_program(), paddle.static.default_startup_program(),
            paddle.static.global_scope(), unique_name.current(),
        )  # fmt: skip

    before = seen()
    with program_guard(main, startup), scope_guard(scope), unique_name.guard("mine"):
        assert seen()[:3] == (main, startup, scope)
        assert in_thread(seen) == before
    assert seen() == before


def test_marks_of_operators_are_the_thread_s_own() -> None:
    def mark(number: int) -> list[str]:
        paddle.enable_static()
        main = Program()
        with program_guard(main, Program()):
            for _ in range(20):
                with paddle.static.name_scope(f"s{number}"), paddle.static.device_guard("cpu"):
                    paddle.ones([1])
                paddle.ones([1])
        ops = main.global_block().ops
        assert all(op.attr("op_device") == "cpu" for op in ops[::2])
        assert all(not op.attr("op_device") for op in ops[1::2])
        return [op.attr("op_namescope") for op in ops[::2]]

    for number, names in enumerate(in_threads(8, mark)):
        assert names == [f"/s{number}/", *(f"/s{number}_{k}/" for k in range(1, 20))]


def test_eight_guarded_trainers() -> None:
    """Each builds and trains in guards of its own; the numbers are those of one after the other."""
    data = np.random.RandomState(0).randn(8, 16, 4).astype("float32")

    def train(number: int) -> tuple[list[float], list[str]]:
        paddle.enable_static()
        main, startup = Program(), Program()
        main.random_seed = startup.random_seed = 7 + number
        try:
            with program_guard(main, startup), scope_guard(Scope()), unique_name.guard():
                x = paddle.static.data("x", [None, 4], "float32")
                hidden = paddle.static.nn.fc(x, 8, activation="relu")
                loss = paddle.mean(paddle.static.nn.fc(hidden, 1))
                paddle.optimizer.Adam(0.01).minimize(loss)
                exe = paddle.static.Executor(paddle.CPUPlace())
                exe.run(startup)
                losses = [exe.run(feed={"x": data[number]}, fetch_list=[loss])[0][0]
                          for _ in range(5)]  # fmt: skip
                return losses, [p.name for p in main.all_parameters()]
        finally:
            paddle.disable_static()

    alone = [train(k) for k in range(8)]
    assert in_threads(8, train) == alone
    assert alone[0][1] == ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]


# -- switching -------------------------------------------------------------------------------------


def test_the_main_thread_switches_for_the_process_and_others_for_themselves() -> None:
    setting = Setting("test", "first")
    assert setting.switch("second") == "first"
    assert in_thread(setting.get) == "second"

    def switch() -> str:
        assert setting.switch("own") == "second"
        return setting.get()

    assert in_thread(switch) == "own"
    assert setting.get() == "second"
    with setting.guard("guarded"):
        assert setting.switch("within") == "guarded" and setting.get() == "within"
        assert in_thread(setting.get) == "second"
    assert setting.get() == "second"


def test_threads_share_the_names_of_the_process() -> None:
    before = unique_name.switch()
    try:
        found = in_threads(8, lambda _: [unique_name.generate("t") for _ in range(500)])
    finally:
        unique_name.switch(*before)
    assert sorted(chain.from_iterable(found)) == sorted(f"t_{k}" for k in range(4000))
    assert copy.deepcopy(unique_name.current())("key").startswith("key_")


# -- threads of our own ----------------------------------------------------------------------------


def test_our_threads_see_what_their_user_sees() -> None:
    scope = Scope()
    seen: list[Scope] = []

    def look(sample: int) -> int:
        seen.append(paddle.static.global_scope())
        return sample

    def samples() -> Iterator[int]:
        yield look(1)

    with scope_guard(scope):
        assert list(paddle.reader.buffered(samples, 2)()) == [1]
        assert list(paddle.reader.xmap_readers(look, samples, 2, 2)()) == [1]
        assert in_thread(as_here(paddle.static.global_scope)) is scope
    assert seen == [scope] * 3


def test_places_of_a_parallel_run_see_what_the_caller_sees() -> None:
    scope, seen = Scope(), []

    def look(x: np.ndarray) -> np.ndarray:
        seen.append((paddle.static.global_scope(), threading.current_thread().name))
        return np.array(x)

    paddle.enable_static()
    try:
        main = Program()
        with program_guard(main, Program()), scope_guard(scope):
            x = paddle.static.data("x", [None, 2], "float32")
            y = main.global_block().create_var(name="y", shape=[-1, 2], dtype="float32")
            paddle.static.py_func(look, x, y)
            strategy = paddle.static.ExecutionStrategy()
            strategy.num_threads = 2
            run = paddle.static.CompiledProgram(main).with_data_parallel(
                exec_strategy=strategy, places=paddle.static.cpu_places(2)
            )
            feed = {"x": np.ones([4, 2], "float32")}
            out = paddle.static.Executor(paddle.CPUPlace()).run(run, feed=feed, fetch_list=[y])
    finally:
        paddle.disable_static()
    assert out[0].shape == (4, 2)
    assert [s for s, _ in seen] == [scope, scope]
    assert threading.main_thread().name not in {name for _, name in seen}
