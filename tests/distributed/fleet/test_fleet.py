"""Fleet in one process: before init, roles, dynamic and static training, saving, and refusals."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed.fleet as fleet
from paddle.core.rings import rings

STARTED = [
    ("worker_index", ()), ("worker_num", ()), ("is_first_worker", ()), ("is_worker", ()),
    ("worker_endpoints", ()), ("server_num", ()), ("server_index", ()), ("server_endpoints", ()),
    ("is_server", ()), ("barrier_worker", ()), ("init_worker", ()), ("init_server", ()),
    ("run_server", ()), ("stop_worker", ()), ("save_persistables", (None, "x")),
    ("save_inference_model", (None, "x", [], [])), ("shrink", (1,)),
    ("distributed_optimizer", (None,)), ("distributed_model", (None,)), ("minimize", (None,)),
    ("step", ()), ("clear_grad", ()), ("get_lr", ()), ("set_lr", (0.1,)), ("state_dict", ()),
    ("set_state_dict", ({},)),
]  # fmt: skip


def _server(role: int, index: int = 0) -> Any:
    return fleet.UserDefinedRoleMaker(
        current_id=index, role=role, worker_num=2,
        server_endpoints=["127.0.0.1:36011", "127.0.0.1:36012"],
    )  # fmt: skip


@pytest.mark.parametrize(("name", "args"), STARTED)
def test_before_init(name: str, args: tuple) -> None:
    with pytest.raises(RuntimeError, match=rf"fleet\.{name}: [\s\S]*call fleet\.init\(\) first"):
        getattr(fleet, name)(*args)


def test_the_table_of_functions_is_complete() -> None:
    names = {name for name, _ in STARTED}
    functions = {n for n in fleet.__all__ if callable(getattr(fleet, n)) and n[0].islower()}
    assert functions - {"init", "fleet", "util"} == names


@pytest.mark.parametrize("name", ["step", "clear_grad", "get_lr", "state_dict", "minimize"])
def test_before_an_optimizer(name: str) -> None:
    fleet.init(is_collective=True)
    with pytest.raises(RuntimeError, match="no optimizer yet"):
        getattr(fleet, name)(*[None] * (name == "minimize"))


def test_init_refuses() -> None:
    for given in ({"role_maker": 1}, {"is_collective": "yes"}, {"strategy": "amp"}):
        with pytest.raises(ValueError, match=r"fleet\.init"):
            fleet.init(**given)
    fleet.init(is_collective=True)
    with pytest.raises(TypeError, match="DistributedStrategy"):
        fleet.distributed_optimizer(_net()[1], {"amp": True})
    with pytest.raises(TypeError, match="expected an optimizer"):
        fleet.distributed_optimizer(3)


def test_who_is_who() -> None:
    fleet.init()
    assert fleet.is_worker() and fleet.is_first_worker() and not fleet.is_server()
    assert fleet.worker_num() == 1 and fleet.server_num() == 0 and fleet.server_endpoints() == []
    fleet.init(_server(fleet.Role.SERVER, 1))
    assert fleet.is_server() and fleet.server_index() == 1 and fleet.server_num() == 2
    assert fleet.server_endpoints(to_string=True) == "127.0.0.1:36011,127.0.0.1:36012"
    fleet.init(is_collective=True)
    assert fleet.worker_endpoints(True) == "127.0.0.1:6170"
    assert fleet.fleet.util is fleet.util and isinstance(fleet.util, fleet.UtilBase)
    assert fleet.util.role_maker is fleet.fleet._role_maker


def test_calls_of_the_other_role() -> None:
    fleet.init(_server(fleet.Role.WORKER))
    for name in ("run_server", "init_server"):
        with pytest.raises(RuntimeError, match=rf"fleet\.{name}: it is for servers, .* worker 0"):
            getattr(fleet, name)()
    fleet.init(_server(fleet.Role.SERVER))
    for name in ("init_worker", "stop_worker"):
        with pytest.raises(RuntimeError, match=rf"fleet\.{name}: it is for workers, .* server 0"):
            getattr(fleet, name)()


def _net() -> tuple[Any, Any]:
    paddle.seed(3)
    net = paddle.nn.Linear(4, 2)
    return net, paddle.optimizer.Adam(0.1, parameters=net.parameters())


def _trained(step: Any) -> np.ndarray:
    net, opt = _net()
    x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(3, 4) / 12)
    for _ in range(3):
        step(net, opt, x)
    return net.weight.numpy()


def test_dynamic_mode_equals_plain_training() -> None:
    def plain(net: Any, opt: Any, x: Any) -> None:
        net(x).mean().backward()
        opt.step()
        opt.clear_grad()

    def by_result(net: Any, opt: Any, x: Any) -> None:
        fleet.init(is_collective=True)
        opt, model = fleet.distributed_optimizer(opt), fleet.distributed_model(net)
        loss = model(x).mean()
        loss.backward()
        opt.minimize(loss)
        opt.clear_grad()

    def by_functions(net: Any, opt: Any, x: Any) -> None:
        fleet.init(is_collective=True)
        fleet.distributed_optimizer(opt)
        fleet.distributed_model(net)(x).mean().backward()
        fleet.step()
        fleet.clear_grad()
        assert net.weight.grad is None or not net.weight.grad.numpy().any()

    expected = _trained(plain)
    for way in (by_result, by_functions):
        np.testing.assert_array_equal(_trained(way), expected)


def test_two_optimizers_are_two() -> None:
    fleet.init(is_collective=True)
    (_, first), (_, second) = _net(), _net()
    a, b = fleet.distributed_optimizer(first), fleet.distributed_optimizer(second)
    a.set_lr(0.5)
    assert (a.get_lr(), b.get_lr(), fleet.get_lr()) == (0.5, 0.1, 0.1)
    assert a._parameter_list is first._parameter_list
    with pytest.raises(AttributeError):
        a.no_such_method()


def test_states() -> None:
    fleet.init(is_collective=True)
    net, opt = _net()
    fleet.distributed_optimizer(opt)
    net(paddle.ones([1, 4])).mean().backward()
    fleet.step()
    state = fleet.state_dict()
    assert state.keys() == opt.state_dict().keys()
    fleet.set_state_dict(state)
    fleet.set_lr(0.25)
    assert opt.get_lr() == fleet.get_lr() == 0.25


def test_strategies_of_static_mode_are_told() -> None:
    strategy = fleet.DistributedStrategy()
    strategy.localsgd = strategy.amp = True
    fleet.init(is_collective=True, strategy=strategy)
    net, opt = _net()
    opt = fleet.distributed_optimizer(opt)
    net(paddle.ones([1, 4])).mean().backward()
    with pytest.warns(UserWarning, match=r"strategy\.amp, strategy\.localsgd has no effect"):
        opt.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opt.step()


def test_more_of_static_mode_is_told() -> None:
    strategy = fleet.DistributedStrategy()
    strategy.sync_batch_norm, strategy.fuse_all_reduce_ops = True, False
    fleet.init(is_collective=True, strategy=strategy)
    net, opt = _net()
    opt = fleet.distributed_optimizer(opt)
    net(paddle.ones([1, 4])).mean().backward()
    with pytest.warns(
        UserWarning, match=r"strategy\.sync_batch_norm, strategy\.fuse_all_reduce_ops = False has"
    ):
        opt.step()


def test_the_users_strategy_is_copied() -> None:
    strategy = fleet.DistributedStrategy()
    fleet.init(is_collective=True, strategy=strategy)
    strategy.amp = True
    assert not fleet.distributed_optimizer(_net()[1]).user_defined_strategy.amp
    other = fleet.distributed_optimizer(_net()[1], strategy)
    strategy.amp = False
    assert other.user_defined_strategy.amp


@pytest.fixture
def static() -> Any:
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    scope = paddle.fluid.Scope()
    with (
        paddle.static.program_guard(main, startup),
        paddle.static.scope_guard(scope),
        paddle.utils.unique_name.guard(),
    ):
        yield main
    paddle.disable_static()


def _mlp() -> Any:
    x = paddle.static.data("x", [None, 8], "float32")
    y = paddle.static.data("y", [None, 1], "int64")
    hidden = paddle.static.nn.fc(x, 16, activation="tanh")
    predicted = paddle.static.nn.fc(hidden, 2, activation="softmax", name="out")
    return paddle.mean(paddle.nn.functional.cross_entropy(predicted, y)), predicted


def _feed(step: int) -> dict[str, np.ndarray]:
    rng = np.random.RandomState(step)
    x = rng.randn(16, 8).astype("float32")
    return {"x": x, "y": (x.sum(1, keepdims=True) > 0).astype("int64")}


def test_one_process_makes_the_program_of_another(
    static: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In static mode nobody is waited for before something is exchanged."""
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", "127.0.0.1:36001,127.0.0.1:36002")
    loss, _ = _mlp()
    try:
        fleet.init(is_collective=True)
        assert (fleet.worker_index(), fleet.worker_num()) == (1, 2)
        assert not rings.connected(0)
        strategy = fleet.DistributedStrategy()
        strategy.recompute = strategy.amp = True
        strategy.recompute_configs = {"checkpoints": [loss.block.ops[2].output_arg_names[0]]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bfloat16 on a CPU: told once in a process
            fleet.distributed_optimizer(paddle.optimizer.SGD(0.5), strategy).minimize(loss)
        kinds = [op.type for op in loss.block.ops]
        assert kinds.count("c_allreduce_sum") == 4 and "check_finite_and_unscale" in kinds
        assert fleet._get_applied_meta_list() == ["AMPOptimizer", "RecomputeOptimizer"]
        assert fleet._get_applied_graph_list() == ["GraphExecutionOptimizer"]
        assert fleet._final_strategy().amp and not rings.connected(0)
    finally:
        rings.forget()


def test_one_process_makes_programs_of_several_jobs(
    static: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = [f"127.0.0.1:{36001 + i}" for i in range(4)]
    for rank, count in ((1, 2), (3, 4), (0, 1), (0, 2)):
        monkeypatch.setenv("PADDLE_TRAINER_ID", str(rank))
        monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", ",".join(addresses[:count]))
        fleet.init(is_collective=True)
        assert (fleet.worker_index(), fleet.worker_num()) == (rank, count)
        assert rings.world_size == count == paddle.distributed.get_world_size()
        assert rings.known(0) == (count > 1)
    rings.forget()


def test_more_trainers_than_addresses(static: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """2.0 counts the addresses; roles can be asked for, but nobody trains alone unawares."""
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ENDPOINTS", "127.0.0.1:36001")
    with pytest.warns(UserWarning, match="PADDLE_TRAINERS_NUM is 2, but .* has one address"):
        fleet.init(is_collective=True)
    assert fleet.worker_num() == 1 and fleet.worker_endpoints() == ["127.0.0.1:36001"]
    loss, _ = _mlp()
    opt = fleet.distributed_optimizer(paddle.optimizer.SGD(0.5))
    with pytest.raises(RuntimeError, match=r"fleet.minimize: PADDLE_TRAINERS_NUM is 2, but"):
        opt.minimize(loss)
    paddle.disable_static()
    with pytest.raises(RuntimeError, match="one of 2 processes"):
        fleet.distributed_model(paddle.nn.Linear(2, 1))


@pytest.mark.parametrize("collective", [True, False])
def test_static_mode_in_one_process(static: Any, tmp_path: Path, collective: bool) -> None:
    loss, predicted = _mlp()
    fleet.init(fleet.PaddleCloudRoleMaker(is_collective=collective))
    assert fleet.fleet._final_strategy() is None
    opt = fleet.distributed_optimizer(paddle.optimizer.SGD(0.5))
    ops, pairs = opt.minimize(loss)
    assert len(pairs) == 4 and {op.type for op in ops} == {"sgd"}
    assert fleet.fleet._final_strategy() is not None
    exe = paddle.static.Executor(paddle.CPUPlace())
    if not collective:  # what a script for parameter servers does, here with none
        with pytest.warns(UserWarning, match="does nothing"):
            fleet.init_worker()
    exe.run(paddle.static.default_startup_program())
    losses = [float(exe.run(feed=_feed(i), fetch_list=[loss])[0].item()) for i in range(40)]
    assert losses[-1] < 0.7 * losses[0]
    fleet.save_persistables(exe, str(tmp_path / "all"))
    assert (tmp_path / "all" / "out.w_0").is_file()
    fleet.save_inference_model(exe, str(tmp_path / "model"), ["x"], [predicted])
    program, feeds, fetches = paddle.fluid.io.load_inference_model(str(tmp_path / "model"), exe)
    assert feeds == ["x"]
    assert exe.run(program, {"x": _feed(0)["x"]}, fetches)[0].shape == (16, 2)


def test_static_mode_refuses(static: Any) -> None:
    fleet.init(is_collective=True)
    with pytest.raises(RuntimeError, match="static mode is on"):
        fleet.distributed_model(None)
    opt = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1))
    with pytest.raises(RuntimeError, match="amp_init"):
        opt.amp_init(paddle.CPUPlace())


def test_auto_is_told(static: Any) -> None:
    strategy = fleet.DistributedStrategy()
    strategy.auto = True
    fleet.init(is_collective=True, strategy=strategy)
    with pytest.warns(UserWarning, match=r"strategy\.auto has no effect"):
        fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(_mlp()[0])


def test_switches_without_effect_are_told(static: Any) -> None:
    strategy = fleet.DistributedStrategy()
    strategy.nccl_comm_num = 3
    strategy.recompute_configs = {"checkpoint_shape": [2]}
    fleet.init(is_collective=True, strategy=strategy)
    loss = _mlp()[0]
    with pytest.warns(UserWarning, match=r"strategy\.nccl_comm_num has no effect: ") as told:
        fleet.distributed_optimizer(paddle.optimizer.SGD(0.1)).minimize(loss)
    assert "strategy.recompute_configs.checkpoint_shape has no effect" in str(told[0].message)
    assert "cudnn" not in str(told[0].message)  # nobody changed it


def test_saving_before_minimize_with_servers() -> None:
    fleet.init(_server(fleet.Role.WORKER))
    with pytest.raises((RuntimeError, NotImplementedError)):
        fleet.save_persistables(None, "x")


def test_print_on_rank(capsys: pytest.CaptureFixture) -> None:
    fleet.init(is_collective=True)
    fleet.util.print_on_rank("here", 0)
    fleet.util.print_on_rank("not here", 1)
    assert capsys.readouterr().out == "here\n"


def test_file_shards() -> None:
    for index, expected in ((0, ["a", "b"]), (1, ["c"])):
        fleet.init(_server(fleet.Role.WORKER, index))
        assert fleet.util.get_file_shard(["a", "b", "c"]) == expected
    assert fleet.util.get_file_shard(["a"]) == []
    with pytest.raises(TypeError, match="expected a list"):
        fleet.util.get_file_shard("abc")
    fleet.init(_server(fleet.Role.SERVER))
    with pytest.raises(RuntimeError, match="server"):
        fleet.util.get_file_shard(["a"])


def test_util_of_one() -> None:
    fleet.init(is_collective=True)
    for value in ([1, 2], (1.5, 2), np.ones((2, 2), "float32"), 3, paddle.ones([2]), True):
        got = fleet.util.all_reduce(value, "max")
        np.testing.assert_array_equal(got, np.asarray(value))
    assert fleet.util.all_gather(4) == [4] and fleet.util.all_gather(2.5) == [2.5]
    fleet.util.barrier()
    with pytest.raises(ValueError, match="'sum', 'max', 'min'"):
        fleet.util.all_reduce([1], "mean")
    with pytest.raises(ValueError, match="comm_world"):
        fleet.util.barrier("world")
    with pytest.raises(TypeError, match="expected numbers"):
        fleet.util.all_reduce(["a"])


def test_what_takes_optimizers_takes_the_distributed_one(tmp_path: Path) -> None:
    fleet.init(is_collective=True)
    net = paddle.nn.Linear(4, 3)
    rate = paddle.optimizer.lr.StepDecay(0.1, 1)
    opt = fleet.distributed_optimizer(paddle.optimizer.Adam(rate, parameters=net.parameters()))
    model = paddle.Model(net)
    model.prepare(opt, paddle.nn.CrossEntropyLoss())
    data = paddle.io.TensorDataset([paddle.rand([8, 4]), paddle.randint(0, 3, [8, 1])])
    before = net.weight.numpy()
    model.fit(data, epochs=1, batch_size=4, verbose=0)
    assert (net.weight.numpy() != before).any() and opt.get_lr() == pytest.approx(0.1 * 0.1**2)
    model.save(str(tmp_path / "m"))
    model.load(str(tmp_path / "m"))
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    scaled = scaler.scale(fleet.distributed_model(net)(paddle.rand([2, 4])).mean())
    before = net.weight.numpy()
    scaled.backward()
    scaler.minimize(opt, scaled)
    assert (net.weight.numpy() != before).any()
    paddle.save(opt.state_dict(), str(tmp_path / "o"))
    opt.set_state_dict(paddle.load(str(tmp_path / "o")))


def test_workers_meet_at_the_servers_where_there_are_some() -> None:
    class Meeting:
        calls = 0

        def barrier_worker(self) -> bool:
            Meeting.calls += 1
            return True

    fleet.init(_server(fleet.Role.WORKER))
    with pytest.raises(RuntimeError, match="nobody said where"):
        fleet.barrier_worker()
    fleet.fleet._runtime_handle = Meeting()
    fleet.barrier_worker()
    assert Meeting.calls == 1
    fleet.init(_server(fleet.Role.SERVER))
    with pytest.raises(RuntimeError, match="not one of the workers"):
        fleet.barrier_worker()
