"""What docs/architecture.md says that threads may share, used by eight threads at once."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.parsing import parse
from paddle.static import Executor, Program, Scope
from tests.executor.building import building, started
from tests.threads.running import in_threads

COUNT = 8


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def _net() -> paddle.nn.Layer:
    return paddle.nn.Sequential(
        paddle.nn.Linear(4, 8), paddle.nn.BatchNorm1D(8), paddle.nn.ReLU(), paddle.nn.Linear(8, 2)
    )


def _data(number: int) -> np.ndarray:
    return np.random.RandomState(number).randn(3 + number, 4).astype("float32")


def _equal(found: list, wanted: list) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))


def test_a_tensor_is_read() -> None:
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4))

    def read(_: int) -> tuple:
        return (
            x.numpy().tolist(), x[1].numpy().tolist(), (x * x + 1.0).sum().item(), x.name,
            x.astype("int64").shape, x.reshape([4, 3]).numpy().tolist(),
        )  # fmt: skip

    found = in_threads(COUNT, read)
    assert found.count(found[0]) == COUNT


def test_parameters_are_differentiated() -> None:
    """Each thread has a graph of its own over the same parameters."""
    net = _net()
    net.eval()

    def gradients(number: int) -> list[np.ndarray]:
        loss = net(paddle.to_tensor(_data(number))).square().mean()
        weights = [p for p in net.parameters() if not p.stop_gradient]
        return [g.numpy() for g in paddle.grad(loss, weights)]

    alone = [gradients(k) for k in range(COUNT)]
    for found, wanted in zip(in_threads(COUNT, gradients), alone, strict=True):
        assert _equal(found, wanted)


def test_a_layer_predicts() -> None:
    net = _net()
    net.eval()

    def predict(number: int) -> np.ndarray:
        with paddle.no_grad():
            return net(paddle.to_tensor(_data(number))).numpy()

    assert _equal(in_threads(COUNT, predict), [predict(k) for k in range(COUNT)])


def test_networks_of_their_own_are_trained() -> None:
    """Layers and optimizers belong to one thread each; the process's names do for all."""

    def train(number: int) -> list[float]:
        net = _net()
        values = np.random.RandomState(number)
        for p in net.parameters():
            p.set_value(values.randn(*p.shape).astype("float32"))
        rate = paddle.optimizer.lr.StepDecay(0.1, step_size=2)
        adam = paddle.optimizer.Adam(rate, parameters=net.parameters())
        losses = []
        for _ in range(5):
            loss = net(paddle.to_tensor(_data(number))).square().mean()
            loss.backward()
            adam.step()
            adam.clear_grad()
            rate.step()
            losses.append(loss.item())
        return losses

    assert in_threads(COUNT, train) == [train(k) for k in range(COUNT)]


def test_a_program_an_executor_and_a_scope_predict() -> None:
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 4], "float32")
        out = _net()(x)
        out = paddle.static.nn.cond(paddle.mean(out) > 0, lambda: out + 1.0, lambda: out - 1.0)
    program, scope = main.clone(for_test=True), started(startup)

    def predict(number: int, exe: Executor) -> np.ndarray:
        feed = {"x": _data(number)}
        return exe.run(program, feed=feed, fetch_list=[out.name], scope=scope)[0]

    exe = Executor(paddle.CPUPlace())  # has not run the Program: eight threads compile at once
    found = in_threads(COUNT, lambda k: predict(k, exe))
    assert _equal(found, [predict(k, Executor(paddle.CPUPlace())) for k in range(COUNT)])


def test_a_program_and_an_executor_train_in_scopes_of_their_own() -> None:
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 4], "float32")
        loss = paddle.mean(paddle.square(_net()(x)))
        paddle.optimizer.Adam(0.1).minimize(loss)
    exe = Executor(paddle.CPUPlace())

    def train(number: int, scope: Scope) -> list[float]:
        feed = {"x": _data(number)}
        return [exe.run(main, feed=feed, fetch_list=[loss], scope=scope)[0][0] for _ in range(5)]

    scopes = [started(startup, seed) for seed in range(COUNT)]
    found = in_threads(COUNT, lambda k: train(k, scopes[k]))
    assert found == [train(k, started(startup, k)) for k in range(COUNT)]


def test_a_scope_gives_all_threads_the_same_variables() -> None:
    scope = Scope()
    found = in_threads(COUNT, lambda _: [scope.var(f"v{k}") for k in range(200)])
    assert all(a is b for other in found for a, b in zip(other, found[0], strict=True))


def test_a_program_is_read_while_it_runs() -> None:
    with building() as (main, startup):
        x = paddle.static.data("x", [None, 4], "float32")
        out = _net()(x)
    scope, exe = started(startup), Executor(paddle.CPUPlace())

    def work(number: int) -> object:
        if number % 2:
            return Program.parse_from_string(main.desc.serialize_to_string()).num_blocks, str(main)
        return exe.run(main, feed={"x": _data(2)}, fetch_list=[out.name], scope=scope)[0].shape

    found = in_threads(COUNT, work)
    assert found[::2] == [(5, 2)] * 4 and found[1::2] == [(1, str(main))] * 4


def test_a_converted_function_is_called() -> None:
    weight = paddle.to_tensor(np.ones([4, 2], "float32"), stop_gradient=False)

    @paddle.jit.to_static
    def score(x):
        out = paddle.matmul(x, weight)
        if out.mean() > 0:
            out = out * 2.0
        return out

    found = in_threads(COUNT, lambda k: score(paddle.to_tensor(_data(k))).numpy())
    assert _equal(found, [score(paddle.to_tensor(_data(k))).numpy() for k in range(COUNT)])


def test_a_loaded_model_predicts(tmp_path: Path) -> None:
    net = _net()
    net.eval()
    spec = [paddle.static.InputSpec([None, 4], "float32")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    loaded.eval()
    found = in_threads(COUNT, lambda k: loaded(paddle.to_tensor(_data(k))).numpy())
    assert all(
        np.allclose(a, net(paddle.to_tensor(_data(k))).numpy(), atol=1e-6)
        for k, a in enumerate(found)
    )


def test_files_are_saved_and_loaded(tmp_path: Path) -> None:
    state = _net().state_dict()

    def there_and_back(number: int) -> list[np.ndarray]:
        path = str(tmp_path / f"{number % 2}.pdparams")  # four threads write the same file
        paddle.save(state, path)
        return [value.numpy() for value in paddle.load(path).values()]

    for found in in_threads(COUNT, there_and_back):
        assert _equal(found, [value.numpy() for value in state.values()])


@pytest.mark.parametrize("workers", [0, 1])
def test_a_data_loader_gives_each_thread_an_iterator(workers: int) -> None:
    data = paddle.io.TensorDataset([paddle.arange(20).reshape([20, 1])])
    loader = paddle.io.DataLoader(data, batch_size=6, num_workers=workers)
    found = in_threads(2, lambda _: [batch[0].numpy().ravel().tolist() for batch in loader])
    assert found == [[[*range(6)], [*range(6, 12)], [*range(12, 18)], [18, 19]]] * 2


def test_random_numbers_are_drawn_from_one_sequence() -> None:
    found = in_threads(COUNT, lambda _: [paddle.randn([4]).numpy().tobytes() for _ in range(50)])
    assert len(set(chain.from_iterable(found))) == COUNT * 50


# -- parsing ---------------------------------------------------------------------------------------


def test_source_is_parsed_in_several_threads() -> None:
    """Python 3.11 raises SystemError where its collector lets another thread parse meanwhile."""
    text = "\n".join(f"x{i} = f(a[{i}], (b, c + {i}))" for i in range(100))
    threshold, collected = gc.get_threshold(), lambda *_: sum(range(50))
    gc.callbacks.append(collected)
    gc.set_threshold(20)
    try:
        in_threads(COUNT, lambda _: [parse(text) for _ in range(10)])
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collected)


def test_a_foreign_thread_s_parsing_is_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    import ast

    answers = iter([SystemError("depth mismatch"), SystemError("depth mismatch"), "tree"])

    def once_more(*_: object) -> object:
        answer = next(answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    with monkeypatch.context() as patch:  # pytest parses too
        patch.setattr(ast, "parse", once_more)
        found = parse("x")
    assert found == "tree"


def test_the_package_parses_in_one_place() -> None:
    root = Path(paddle.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(r"\bast\.parse\(|PyCF_ONLY_AST", path.read_text(encoding="utf8"))
    }
    assert found == {"core/parsing.py"}
