"""Tables of DistributeTranspiler: servers keep the rows, trainers look up and send some."""

from __future__ import annotations

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
from paddle.fluid.contrib.utils.lookup_table_utils import (
    convert_dist_to_sparse_program,
    load_persistables_for_increment,
    load_persistables_for_inference,
)
from tests.distributed.ps_runtime.test_transpiled import Serving, free_port, losses_of

ROWS, WIDTH = 600, 20  # more than one block
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: fluid.optimizer.SGD(0.01),
    "adam": lambda: fluid.optimizer.Adam(0.01),
    "lazy": lambda: fluid.optimizer.Adam(0.01, lazy_mode=True),
    "rmsprop": lambda: fluid.optimizer.RMSProp(0.01, centered=True, momentum=0.9),
    "adamax": lambda: fluid.optimizer.Adamax(0.01),
    "decay": lambda: fluid.optimizer.Adam(0.01, regularization=fluid.regularizer.L2Decay(0.1)),
    "norm": lambda: fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.05)),
    "value": lambda: fluid.optimizer.SGD(0.1, grad_clip=fluid.clip.GradientClipByValue(0.01)),
}
WHILE_SENT = {"sync_mode": False, "runtime_split_send_recv": True}


@pytest.fixture(autouse=True)
def static_mode() -> Iterator[None]:
    paddle.enable_static()
    yield
    transpiled.close_all()
    paddle.disable_static()


def built(name: str) -> tuple[Any, Any, Any]:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        pooled = []
        start = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.02))
        for slot in ("a", "b"):
            ids = fluid.data(slot, [None, 1], "int64", lod_level=1)
            table = fluid.ParamAttr("table", initializer=fluid.initializer.Constant(0.05))
            rows = fluid.layers.embedding(
                ids, [ROWS, WIDTH], is_sparse=True, padding_idx=0, param_attr=table
            )
            pooled.append(fluid.layers.sequence_pool(rows, "average"))
        y = fluid.data("y", [None, 1])
        hidden = fluid.layers.fc(fluid.layers.concat(pooled, 1), 420, act="tanh", param_attr=start)
        score = fluid.layers.fc(hidden, 1, param_attr=start)
        loss = fluid.layers.mean(fluid.layers.square_error_cost(score, y))
        OPTIMIZERS[name]().minimize(loss)
    return main, startup, loss


def cut(
    name: str, servers: list[str], trainer: int = 0, trainers: int = 1, **told: Any
) -> tuple[Any, Any, Any]:
    main, startup, loss = built(name)
    config = fluid.DistributeTranspilerConfig()
    for key, value in told.items():
        setattr(config, key, value)
    made = fluid.DistributeTranspiler(config)
    made.transpile(trainer, program=main, pservers=",".join(servers), trainers=trainers,
                   startup_program=startup, sync_mode=config.sync_mode)  # fmt: skip
    return made, startup, loss


def data() -> list[dict[str, Any]]:
    rng = np.random.RandomState(0)
    found = []
    for _ in range(5):
        batch: dict[str, Any] = {"y": rng.rand(8, 1).astype("float32")}
        for slot in ("a", "b"):
            lengths = rng.randint(1, 4, 8).tolist()
            ids = rng.randint(0, ROWS, (sum(lengths), 1))
            batch[slot] = fluid.create_lod_tensor(ids, [lengths], fluid.CPUPlace())
        found.append(batch)
    return found


def trained(name: str, batches: list, **told: Any) -> list[float]:
    """The losses of one trainer and two servers."""
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    running = [Serving(*cut(name, servers, **told)[0].get_pserver_programs(e)) for e in servers]
    made, startup, loss = cut(name, servers, **told)
    got = losses_of(made.get_trainer_program(), startup, loss, batches)
    transpiled.close_all()
    for one in running:
        one.end()
    return got


@pytest.mark.parametrize(
    ("name", "told"),
    [*((name, {}) for name in sorted(OPTIMIZERS)), ("adam", {"slice_var_up": False}),
     ("norm", {"slice_var_up": False}), ("adam", WHILE_SENT)],
)  # fmt: skip
def test_as_one_process(name: str, told: dict) -> None:
    np.testing.assert_allclose(
        trained(name, data(), **told), losses_of(*built(name), data()), rtol=1e-5
    )


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_two_trainers_in_step_equal_the_joined_batch(name: str) -> None:
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    made = [cut(name, servers, i, 2) for i in range(2)]
    running = [Serving(*made[0][0].get_pserver_programs(e)) for e in servers]
    rng, whole, halves = np.random.RandomState(0), [], ([], [])  # type: ignore[var-annotated]
    for _ in range(4):  # one id a sequence, so that a batch is easy to divide
        batch = {n: rng.randint(0, ROWS, (8, 1)) for n in ("a", "b")}
        batch["y"] = rng.rand(8, 1).astype("float32")
        whole.append(_leveled(batch))
        for i in range(2):
            halves[i].append(_leveled({n: v[i::2] for n, v in batch.items()}))
    parts: list[Any] = [None, None]

    def train(trainer: int) -> None:
        cutting, startup, loss = made[trainer]
        parts[trainer] = losses_of(cutting.get_trainer_program(), startup, loss, halves[trainer])

    threads = [threading.Thread(target=train, args=(i,), daemon=True) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    transpiled.close_all()
    for one in running:
        one.end()
    np.testing.assert_allclose(np.mean(parts, 0), losses_of(*built(name), whole), rtol=1e-5)


def _leveled(batch: dict[str, Any]) -> dict[str, Any]:
    """Each id a sequence of its own."""
    place, size = fluid.CPUPlace(), len(batch["y"])
    slots = {n: fluid.create_lod_tensor(batch[n], [[1] * size], place) for n in ("a", "b")}
    return {**batch, **slots}


def test_only_rows_that_are_used_travel(monkeypatch: Any) -> None:
    sent: list[int] = []
    push = Client.push_many

    def counted(self: Any, requests: Any, *more: Any, **told: Any) -> None:
        sent.extend(len(values) for _, ids, values in requests if ids is not None)
        push(self, requests, *more, **told)

    monkeypatch.setattr(Client, "push_many", counted)
    batches = data()
    trained("adam", batches)
    used = sum(np.size(np.array(batch[slot])) for batch in batches for slot in ("a", "b"))
    assert 0 < sum(sent) <= used


@pytest.mark.parametrize(("name", "remote"), [("sgd", True), ("norm", False), ("value", False)])
def test_the_trainer_has_no_table(name: str, remote: bool) -> None:
    """Unless it clips the gradient of the table, for which it needs all of it."""
    made, startup, _ = cut(name, ["127.0.0.1:1", "127.0.0.1:2"])
    types = {op.type for op in made.get_trainer_program().global_block().ops}
    assert ("distributed_lookup_table" in types) is remote
    filled = [op.type for op in startup.global_block().ops if "table" in op.output_arg_names]
    assert (filled == ["fake_init"]) is remote


@pytest.mark.parametrize("wrong", [-1, ROWS])
def test_an_id_that_no_server_has(wrong: int) -> None:
    batch = data()[0]
    ids = np.array(batch["b"])
    ids[0] = wrong
    lengths = batch["b"].recursive_sequence_lengths()
    batch["b"] = fluid.create_lod_tensor(ids, lengths, fluid.CPUPlace())
    servers = [f"127.0.0.1:{free_port()}"]
    running = Serving(*cut("sgd", servers)[0].get_pserver_programs(servers[0]))
    made, startup, loss = cut("sgd", servers)
    with pytest.raises(IndexError, match=rf"from 0 to {ROWS - 1}, the rows of 'table'.*{wrong}"):
        losses_of(made.get_trainer_program(), startup, loss, [batch])
    transpiled.close_all()
    running.end()


def test_saved_and_loaded_alone(tmp_path: Path) -> None:
    """A trainer saves whole tables; a model, and a Program without servers, run on them."""
    servers = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    running = [Serving(*cut("adam", servers)[0].get_pserver_programs(e)) for e in servers]
    made, startup, loss = cut("adam", servers)
    main, exe, scope = made.get_trainer_program(), fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    score = main.global_block().var("fc_1.tmp_1")
    with fluid.scope_guard(scope):
        exe.run(startup)
        for batch in data():
            exe.run(main, feed=batch, fetch_list=[loss])
        fluid.io.save_persistables(exe, str(tmp_path / "all"), main)
        fluid.io.save_inference_model(str(tmp_path / "model"), ["a", "b"], [score], exe, main)
        want = exe.run(main, feed=data()[0], fetch_list=[score, loss])  # before it updates
        assert scope.find_var("table") is None or not scope.find_var("table").is_initialized()
    exe.close()
    for one in running:
        one.end()
    names = ["fc_0.b_0", "fc_0.w_0", "fc_1.b_0", "fc_1.w_0", "table"]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == names
    feed, exe = data()[0], fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()):
        alone = load_persistables_for_inference(str(tmp_path / "all"), exe, main, "table")
        got = exe.run(alone, feed=feed, fetch_list=[score.name, loss.name])
        np.testing.assert_allclose(got[0], want[0], rtol=1e-5)
        np.testing.assert_allclose(got[1], want[1], rtol=1e-5)
    with fluid.scope_guard(fluid.Scope()):
        model, feeds, fetches = fluid.io.load_inference_model(str(tmp_path / "model"), exe)
        got = exe.run(model, feed={n: feed[n] for n in feeds}, fetch_list=fetches)
        np.testing.assert_allclose(got[0], want[0], rtol=1e-5)


def test_a_server_loads_a_table_of_its_own(tmp_path: Path) -> None:
    made, _, _ = cut("sgd", ["127.0.0.1:1"])
    server, startup = made.get_pserver_programs("127.0.0.1:1")
    exe = fluid.Executor(fluid.CPUPlace())
    values = np.arange(ROWS * WIDTH, dtype="float32").reshape(ROWS, WIDTH)
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.global_scope().find_var("table").get_tensor().set(values, fluid.CPUPlace())
        table = server.global_block().var("table")
        fluid.io.save_vars(exe, str(tmp_path), startup, vars=[table], filename="rows")
        exe.run(startup)
        path = str(tmp_path / "rows")
        load_persistables_for_increment(str(tmp_path), exe, server, "table", path)
        held = np.array(fluid.global_scope().find_var("table").get_tensor())
        np.testing.assert_array_equal(held, values)
        with pytest.raises(FileNotFoundError, match="rowsx"):
            load_persistables_for_increment(str(tmp_path), exe, server, table, path + "x")


def test_a_program_without_tables_is_left_alone() -> None:
    with pytest.warns(UserWarning, match="no table of servers"):
        main = fluid.Program()
        assert convert_dist_to_sparse_program(main) is main
    with pytest.raises(TypeError, match="expected a Program"):
        convert_dist_to_sparse_program("main")
