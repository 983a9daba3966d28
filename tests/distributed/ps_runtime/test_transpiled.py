"""DistributeTranspiler's Programs run: servers by ``exe.run``, trainers against one process."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.distributed.ps import transpiled
from paddle.distributed.ps.client import Client

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: fluid.optimizer.SGD(0.01, regularization=fluid.regularizer.L2Decay(0.1)),
    "adam": lambda: fluid.optimizer.Adam(fluid.layers.exponential_decay(0.01, 2, 0.5)),
    "adagrad": lambda: fluid.optimizer.Adagrad(0.01, initial_accumulator_value=0.5),
    "momentum": lambda: fluid.optimizer.Momentum(0.01, 0.9),
}


@pytest.fixture(autouse=True)
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    transpiled.close_all()
    paddle.disable_static()


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def minimized(name: str) -> tuple[Any, Any, Any]:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 100]), fluid.data("y", [None, 1])
        start = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.01))
        hidden = fluid.layers.fc(x, 200, act="tanh", param_attr=start)
        score = fluid.layers.fc(hidden, 1, param_attr=start)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(score, y))
        OPTIMIZERS[name]().minimize(loss)
    return main, startup, loss


def cut(name: str, servers: list[str], trainer: int, trainers: int, **told: Any) -> tuple:
    main, startup, loss = minimized(name)
    config = fluid.DistributeTranspilerConfig()
    config.slice_var_up = told.pop("slices", True)
    config.split_method = told.pop("split", None)
    made = fluid.DistributeTranspiler(config)
    made.transpile(trainer, program=main, pservers=",".join(servers), trainers=trainers,
                   startup_program=startup, **told)  # fmt: skip
    return made, startup, loss


class Serving:
    """A server in a thread; what it ended with is in ``failed`` and ``scope``."""

    def __init__(self, main: Any, startup: Any, scope: Any = None) -> None:
        self.main, self.startup, self.scope = main, startup, scope or fluid.Scope()
        self.goes_on = scope is not None
        self.failed: Any = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            exe = fluid.Executor(fluid.CPUPlace())
            if not self.goes_on:
                exe.run(self.startup, scope=self.scope)
            exe.run(self.main, scope=self.scope)
        except BaseException as error:
            self.failed = error

    def end(self) -> None:
        self.thread.join(30)
        assert not self.thread.is_alive() and self.failed is None, self.failed


def data() -> list[dict[str, Any]]:
    rng = np.random.RandomState(0)
    return [
        {"x": rng.rand(16, 100).astype("float32"), "y": rng.rand(16, 1).astype("float32")}
        for _ in range(8)
    ]


def losses_of(main: Any, startup: Any, loss: Any, batches: list) -> list[float]:
    exe, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    exe.run(startup, scope=scope)
    return [exe.run(main, feed=b, fetch_list=[loss], scope=scope)[0].item() for b in batches]


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
@pytest.mark.parametrize(
    "told", [{}, {"slices": False, "split": fluid.transpiler.HashName}, {"sync_mode": False}],
    ids=["sync", "whole", "async"],
)  # fmt: skip
def test_one_trainer(name: str, told: dict) -> None:
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    running = []
    for endpoint in servers:
        made, _, _ = cut(name, servers, 0, 1, **told)
        running.append(Serving(*made.get_pserver_programs(endpoint)))
    made, startup, loss = cut(name, servers, 0, 1, **told)
    got = losses_of(made.get_trainer_program(), startup, loss, data())
    transpiled.close_all()
    for one in running:
        one.end()
    np.testing.assert_allclose(got, losses_of(*minimized(name), data()), rtol=1e-5)


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_a_server_goes_on_with_what_its_scope_holds(name: str, monkeypatch: Any) -> None:
    """Accumulators and the number of updates are those of the variables, element by element."""
    monkeypatch.setitem(OPTIMIZERS, "adam", lambda: fluid.optimizer.Adam(0.01))
    scope, got = None, []
    for part in (data()[:4], data()[4:]):
        servers = [f"127.0.0.1:{free_port()}"]
        running = Serving(*cut(name, servers, 0, 1)[0].get_pserver_programs(servers[0]), scope)
        made, startup, loss = cut(name, servers, 0, 1)
        got += losses_of(made.get_trainer_program(), startup, loss, part)
        transpiled.close_all()
        running.end()
        scope = running.scope
    np.testing.assert_allclose(got, losses_of(*minimized(name), data()), rtol=1e-5)


def test_two_trainers_in_step() -> None:
    servers = [f"127.0.0.1:{free_port()}"]
    made, _, _ = cut("sgd", servers, 0, 2)
    running = Serving(*made.get_pserver_programs(servers[0]))
    whole = data()
    parts: list[Any] = [None, None]

    def train(trainer: int) -> None:
        made, startup, loss = programs[trainer]
        halves = [{k: v[trainer::2] for k, v in b.items()} for b in whole]
        parts[trainer] = losses_of(made.get_trainer_program(), startup, loss, halves)

    programs = [cut("sgd", servers, i, 2) for i in range(2)]
    threads = [threading.Thread(target=train, args=(i,), daemon=True) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    transpiled.close_all()
    running.end()
    np.testing.assert_allclose(np.mean(parts, 0), losses_of(*minimized("sgd"), whole), rtol=1e-5)


def test_an_executor_that_closes_lets_servers_end() -> None:
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    running = [Serving(*cut("sgd", servers, 0, 1)[0].get_pserver_programs(e)) for e in servers]
    made, startup, _ = cut("sgd", servers, 0, 1)
    made.get_trainer_program()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup, scope=fluid.Scope())
    exe.close()
    for one in running:
        one.end()


@pytest.mark.parametrize("sync", [True, False])
def test_a_server_without_blocks_ends_too(sync: bool) -> None:
    told = {"slices": False, "sync_mode": sync}
    servers = [f"127.0.0.1:{free_port()}" for _ in range(5)]  # for four parameters
    running = [Serving(*cut("sgd", servers, 0, 1, **told)[0].get_pserver_programs(e))
               for e in servers]  # fmt: skip
    made, startup, loss = cut("sgd", servers, 0, 1, **told)
    losses_of(made.get_trainer_program(), startup, loss, data()[:2])
    transpiled.close_all()
    for one in running:
        one.end()


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize(("name", "counts"), [("sgd", 0), ("adam", 3)])
def test_steps_are_counted_for_schedules(
    name: str, counts: int, sync: bool, monkeypatch: Any
) -> None:
    counted = []
    monkeypatch.setattr(Client, "advance", lambda self, steps=1: counted.append(steps))
    servers = [f"127.0.0.1:{free_port()}"]
    running = Serving(*cut(name, servers, 0, 1, sync_mode=sync)[0].get_pserver_programs(*servers))
    made, startup, loss = cut(name, servers, 0, 1, sync_mode=sync)
    losses_of(made.get_trainer_program(), startup, loss, data()[:3])
    assert sum(counted) == counts
    transpiled.close_all()
    running.end()


def test_what_is_missing_is_named() -> None:
    servers = [f"127.0.0.1:{free_port()}"]
    made, _, _ = cut("sgd", servers, 0, 1)
    with pytest.raises(RuntimeError, match="startup"):
        fluid.Executor(fluid.CPUPlace()).run(
            made.get_pserver_program(servers[0]), scope=fluid.Scope()
        )


@pytest.mark.parametrize("kind", ["", "_rows"])
def test_programs_of_185(kind: str) -> None:
    """What PaddlePaddle 1.8.5 has transpiled runs, and gives the losses of its one process."""
    folder = Path(__file__).parents[2] / "data" / "programs"
    told = json.loads((folder / f"pserver_185{kind}.json").read_text())
    endpoint = f"127.0.0.1:{free_port()}"

    def read(name: str) -> Any:
        path = folder / f"pserver_185{kind}_{name}.pb"
        program = fluid.Program.parse_from_string(path.read_bytes())
        for op in program.global_block().ops:
            for attr, value in list(op.attrs.items()):
                if value == told["endpoint"]:
                    op._set_attr(attr, endpoint)
                elif value == [told["endpoint"]] * len(value if isinstance(value, list) else ()):
                    op._set_attr(attr, [endpoint] * len(value))
        return program

    running = Serving(read("server"), read("server_startup"))
    rng = np.random.RandomState(0)
    batches = []
    for _ in range(6):
        x = rng.randint(0, 50, (16, 1)) if kind else rng.rand(16, 4).astype("float32")
        batches.append({"ids" if kind else "x": x, "y": rng.rand(16, 1).astype("float32")})
    got = losses_of(read("trainer"), read("trainer_startup"), told["loss"], batches)
    transpiled.close_all()
    running.end()
    np.testing.assert_allclose(got, told["losses"], rtol=1e-5)
