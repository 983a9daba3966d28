"""fluid.incubate.fleet: role makers, collective, tools and HDFS of 1.x, over 2.0's fleet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import paddle
import paddle.distributed.fleet as fleet_2_0
import paddle.fluid as fluid
from paddle.distributed.fleet.utils import fs
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.base.fleet_base import DistributedOptimizer, Fleet, Mode
from paddle.fluid.incubate.fleet.collective import (
    CollectiveOptimizer,
    DistributedStrategy,
    TrainStatus,
    _of_2_0,
    fleet,
)
from paddle.fluid.incubate.fleet.utils import utils
from paddle.fluid.incubate.fleet.utils.fleet_util import FleetUtil
from paddle.fluid.incubate.fleet.utils.hdfs import HDFSClient
from tests.distributed.fleet.test_fs import root  # noqa: F401  (a fixture)

REAL = json.loads((Path(__file__).parents[2] / "data/fleet/global_metrics_262.json").read_text())


@pytest.fixture
def static() -> Iterator[Any]:
    paddle.enable_static()
    main, startup = fluid.Program(), fluid.Program()
    with (
        fluid.program_guard(main, startup),
        fluid.scope_guard(fluid.Scope()),
        fluid.unique_name.guard(),
    ):
        yield main
    paddle.disable_static()
    fleet.__init__()  # type: ignore[misc]


def _one() -> Any:
    return role_maker.UserDefinedCollectiveRoleMaker(0, ["127.0.0.1:36011"])


def _loss() -> tuple[Any, Any]:
    x = fluid.data("x", [None, 4])
    out = fluid.layers.fc(x, 2, name="out")
    return fluid.layers.mean(fluid.layers.square(out)), out


# -- role makers -----------------------------------------------------------------------------------


def test_a_user_defined_role() -> None:
    role = role_maker.UserDefinedRoleMaker(1, role_maker.Role.WORKER, 2, ["127.0.0.1:36011"])
    role.generate_role()
    assert (role.worker_index(), role.worker_num(), role.server_num()) == (1, 2, 1)
    assert role.is_worker() and not role.is_server() and not role.is_first_worker()
    assert role.get_pserver_endpoints() == ["127.0.0.1:36011"] and role.role_id() == 1
    with pytest.raises(RuntimeError, match="nobody said where"):
        role.barrier_all()
    role = role_maker.UserDefinedRoleMaker(0, role_maker.Role.SERVER, 1, ["127.0.0.1:36011"])
    assert role.is_server() and role.server_index() == 0
    role.barrier_worker()  # a server does not wait
    for given, error in (((0, 3, 2, ["a:1"]), ValueError), ((0, 1, 0, ["a:1"]), ValueError),
                         ((0, 1, 2, "a"), ValueError), (("0", 1, 2, ["a:1"]), TypeError),
                         ((5, 2, 2, ["a:1"]), ValueError)):  # fmt: skip
        with pytest.raises(error):
            role_maker.UserDefinedRoleMaker(*given)  # type: ignore[arg-type]


def test_exchanges_of_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    role = _one()
    out = np.zeros(2)
    role.all_reduce_worker([1.5, 2], out)
    listed = [0, 0]
    role.all_reduce_worker(np.array([3, 4]), listed, "max")
    assert out.tolist() == [1.5, 2.0] and listed == [3, 4]
    with pytest.raises(TypeError, match="as long as the input"):
        role.all_reduce_worker([1], [0, 0])
    assert role.all_gather(3) == [3]
    cloud = role_maker.PaddleCloudRoleMaker(is_collective=True)
    assert cloud.worker_num() == 1 and cloud.get_trainer_endpoints() == ["127.0.0.1:6170"]
    assert role_maker.GeneralRoleMaker(path="x").is_worker()
    with pytest.raises(NotImplementedError, match="hdfs_name"):
        role_maker.GeneralRoleMaker(hdfs_name="a")
    with pytest.raises(NotImplementedError, match="hdfs_ugi"):
        role_maker.GeneralRoleMaker(hdfs_ugi="me,secret")
    with pytest.raises(TypeError, match="no argument 'paht'"):
        role_maker.GeneralRoleMaker(paht="a")
    with pytest.raises(NotImplementedError, match="mpi4py"):
        role_maker.MPISymetricRoleMaker()
    with pytest.raises(NotImplementedError, match="RoleMakerBase"):
        role_maker.RoleMakerBase().worker_num()


# -- collective ------------------------------------------------------------------------------------


def test_training(static: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="init"):
        type(fleet)().worker_num()
    with pytest.raises(TypeError, match="RoleMakerBase"):
        fleet.init("role")
    fleet.init(_one())
    assert fleet.is_first_worker() and fleet.worker_endpoints() == ["127.0.0.1:36011"]
    assert fleet.split_files(["a", "b"]) == ["a", "b"] and not fleet.is_xpu()
    assert fleet_2_0.util.role_maker is fleet._role_maker
    loss, out = _loss()
    opt = fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), DistributedStrategy())
    assert isinstance(opt, CollectiveOptimizer) and isinstance(opt, DistributedOptimizer)
    ops, pairs = opt.minimize(loss)
    assert len(pairs) == 2 and {op.type for op in ops} == {"sgd"}
    assert fleet.main_program is static
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    feed = {"x": np.ones((3, 4), "float32")}
    losses = [exe.run(fleet.main_program, feed, [loss])[0].item() for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]
    fleet.save_persistables(exe, str(tmp_path / "all"), filename="one")
    assert (tmp_path / "all" / "one").is_file()
    fleet.save_inference_model(exe, str(tmp_path / "model"), ["x"], [out])
    assert (tmp_path / "model" / "__model__").is_file()
    with pytest.warns(UserWarning, match="does nothing"):
        fleet.init_worker()


def test_checkpoints(static: Any, tmp_path: Path) -> None:
    fleet.init(_one())
    loss, _ = _loss()
    fleet.distributed_optimizer(fluid.optimizer.Momentum(0.1, 0.9)).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    folder, feed = str(tmp_path / "saved"), {"x": np.ones((3, 4), "float32")}
    assert fleet.load_check_point(exe, folder, 0) is None
    with pytest.raises(ValueError, match="no checkpoint"):
        fleet.load_check_point(exe, folder, 0, ignore_empty=False)
    for epoch in range(3):
        fleet.save_check_point(exe, folder, TrainStatus(epoch))
    expected = [exe.run(static, feed, [loss])[0].item() for _ in range(3)]
    status = fleet.load_check_point(exe, folder, 0)
    assert status == TrainStatus(2) and status.next() == 3 and status != TrainStatus(1)
    assert [exe.run(static, feed, [loss])[0].item() for _ in range(3)] == expected
    fleet.save_check_point(exe, folder, TrainStatus(3), remain_all_checkpoint=False)
    assert [p.name for p in (tmp_path / "saved").iterdir()] == ["__paddle_fleet_checkpoint__.3"]


def test_checkpoints_in_hdfs_leave_no_copies(
    static: Any,
    root: Path,  # noqa: F811
    tmp_path: Path,
) -> None:
    fleet.init(_one())
    loss, _ = _loss()
    fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    client = fs.HDFSClient(str(root.parent / "home"), {})
    given: dict[str, Any] = {"fs": client, "local_cache_path": str(tmp_path / "cache")}
    fleet.save_check_point(exe, "/saved", TrainStatus(2), **given)
    assert (root / "saved" / "__paddle_fleet_checkpoint__.0").is_dir()
    assert fleet.load_check_point(exe, "/saved", 0, **given) == TrainStatus(2)
    assert list((tmp_path / "cache").iterdir()) == []


def test_strategies_become_those_of_2_0() -> None:
    given = DistributedStrategy()
    given.use_local_sgd = given.use_amp = given.forward_recompute = True
    given.amp_loss_scaling = 8.0
    given.recompute_checkpoints = ["a", SimpleNamespace(name="b")]
    given.nccl_comm_num = 2
    given.fuse_all_reduce_ops = False
    given.exec_strategy.num_threads = 3
    given.enable_inplace = False
    made = _of_2_0(given)
    assert made.localsgd and made.amp and made.recompute
    assert made.recompute_configs["checkpoints"] == ["a", "b"]
    assert made.amp_configs["init_loss_scaling"] == 8.0
    assert made.nccl_comm_num == 2 and not made.fuse_all_reduce_ops
    assert made.execution_strategy.num_threads == 3 and not made.build_strategy.enable_inplace
    plain = _of_2_0(DistributedStrategy())
    assert not (plain.localsgd or plain.amp or plain.recompute) and plain.fuse_all_reduce_ops
    local = DistributedStrategy()
    local.mode, local.collective_mode = "collective", "local_sgd"
    assert _of_2_0(local).localsgd


@pytest.mark.parametrize(
    ("name", "value", "error", "words"),
    [
        ("use_dist_fc", True, NotImplementedError, "use_dist_fc"),
        ("mode", "pserver", ValueError, "'nccl2', 'collective'"),
        ("collective_mode", "ring", ValueError, "'local_sgd'"),
        ("forward_recompute", True, ValueError, "recompute_checkpoints"),
    ],
)
def test_strategies_that_are_refused(name: str, value: Any, error: type, words: str) -> None:
    given = DistributedStrategy()
    setattr(given, name, value)
    with pytest.raises(error, match=words):
        _of_2_0(given)


def test_wrong_arguments() -> None:
    with pytest.raises(AttributeError, match="use_local_sdg"):
        DistributedStrategy().use_local_sdg = True  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"incubate\.fleet\.collective"):
        CollectiveOptimizer(SimpleNamespace(minimize=None), fleet_2_0.DistributedStrategy())
    with pytest.raises(TypeError, match="instance of Optimizer"):
        DistributedOptimizer(3)
    base = Fleet(Mode.TRANSPILER)
    for name in ("distributed_optimizer",):
        with pytest.raises(NotImplementedError):
            getattr(base, name)(None)
    with pytest.raises(TypeError, match="expected a list"):
        base.split_files("a")  # type: ignore[arg-type]


# -- tools -----------------------------------------------------------------------------------------


def test_global_metrics_equal_2_6_2(static: Any, capsys: pytest.CaptureFixture) -> None:
    util = FleetUtil("transpiler")
    with pytest.raises(RuntimeError, match="init"):
        util.rank0_print("x")
    fleet.init(role_maker.UserDefinedRoleMaker(0, role_maker.Role.SERVER, 1, ["127.0.0.1:36011"]))
    util.rank0_print("not by server 0")
    assert capsys.readouterr().out == ""
    fleet.init(_one())
    scope = fluid.Scope()
    assert util.get_global_metrics(scope, "pos_b", "neg_b") == [None] * 9
    util.print_global_metrics(scope)
    for name, value in REAL["given"].items():
        array = np.array(value, "int64" if name.endswith("_b") else "float32")
        scope.var(name).get_tensor().set(array, fluid.CPUPlace())
    got = util.get_global_metrics(scope, "pos_b", "neg_b")
    np.testing.assert_allclose(got, REAL["found"], rtol=1e-6)
    util.print_global_metrics(scope, "pos_b", "neg_b", print_prefix="now")
    util.print_global_auc(scope, "pos_b", "neg_b")
    printed = capsys.readouterr().out.splitlines()
    assert printed[-2] == (
        "now global AUC=0.883415 BUCKET_ERROR=0.183195 MAE=0.050694 RMSE=0.117142 "
        "Actural_CTR=0.322222 Predicted_CTR=0.333333 COPC=0.966667 MEAN Q_VALUE=0.004444 "
        "Ins number=9000"
    )
    assert printed[-1].startswith(" global auc = 0.8834146")
    util.set_zero("pos_b", scope)
    assert not np.array(scope.find_var("pos_b").get_tensor()).any()
    assert util.get_global_auc(scope, "pos_b", "neg_b") == 0.5


def test_passes_of_a_day() -> None:
    util = FleetUtil()
    got = util.get_online_pass_interval("20190720", "{8..9}", "30", 2, False)
    assert got == [["0800", "0830"], ["0900", "0930"]]
    got = util.get_online_pass_interval("20190720", "0 1 2", 60, "1", True)
    assert got == [["00"], ["01"], ["02"]]
    with pytest.raises(ValueError, match="hours"):
        util.get_online_pass_interval("1", "all", 60, 1, True)
    with pytest.raises(ValueError, match="'pslib' or 'transpiler'"):
        FleetUtil("mpi")


def test_what_needs_pslib_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"pslib[\s\S]*save_persistables"):
        FleetUtil().save_model("a", "b", "c")
    from paddle.fluid.distributed.downpour import DownpourSGD

    with pytest.raises(NotImplementedError, match="mpi4py"):
        DownpourSGD(0.1)


def test_programs_in_files(static: Any, tmp_path: Path) -> None:
    _loss()
    utils.save_program(static, str(tmp_path / "a"))
    name = FleetUtil().program_type_trans(str(tmp_path), "a", False)
    assert name == "a.pbtxt"
    assert FleetUtil().program_type_trans(str(tmp_path), name, True) == "a.pbtxt.bin"
    assert (tmp_path / "a.pbtxt.bin").read_bytes() == (tmp_path / "a").read_bytes()
    read = utils.load_program(str(tmp_path / name), is_text=True)
    assert utils.check_pruned_program_vars(static, read)
    read.global_block().var("out.w_0").desc.set_shape([9, 9])
    assert not utils.check_pruned_program_vars(static, read)
    (tmp_path / "b").write_text("no program {")
    with pytest.raises(ValueError, match="line and column"):
        utils.load_program(str(tmp_path / "b"), is_text=True)
    FleetUtil().parse_program_proto(str(tmp_path / "a"), False, str(tmp_path))
    assert "'out.w_0', 'shape': '(4, 2)'" in (tmp_path / "vars_persistable.log").read_text()
    assert (tmp_path / "vars_all.log").read_text().count("\n") == 1 + len(list(static.list_vars()))
    assert "'type': 'mul'" in (tmp_path / "ops.log").read_text()
    FleetUtil().draw_from_program_file(str(tmp_path / "a"), False, str(tmp_path), "drawn")
    assert "digraph" in (tmp_path / "drawn.dot").read_text()
    config = SimpleNamespace(
        train_prog_path=str(tmp_path / "a"), is_text_train_program=False,
        pruned_prog_path=str(tmp_path / name), is_text_pruned_program=True, draw=False,
    )  # fmt: skip
    assert FleetUtil().check_two_programs(config)


def test_trying_a_saved_model(static: Any, tmp_path: Path) -> None:
    _, out = _loss()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe)
    (tmp_path / "numbers").write_text("1 2 3 4\n5 6 7 8\n")
    config = SimpleNamespace(
        dump_model_dir=str(tmp_path), dump_program_filename="__model__",
        is_text_dump_program=False, batch_size=2, save_params_filename=None,
        feed_config=SimpleNamespace(
            feeded_vars_names=["x"], feeded_vars_dims=[4], feeded_vars_types=["float32"],
            feeded_vars_filelist=[str(tmp_path / "numbers")],
        ),
        fetch_config=SimpleNamespace(fetch_vars_names=None),
    )  # fmt: skip
    values = FleetUtil().check_vars_and_dump(config)
    feed = {"x": np.arange(1, 9, dtype="float32").reshape(2, 4)}
    np.testing.assert_allclose(values[0], exe.run(static, feed, [out])[0], rtol=1e-6)
    config.feed_config.feeded_vars_filelist = None
    assert FleetUtil().check_vars_and_dump(config)[0].shape == (2, 2)
    config.feed_config.feeded_vars_dims = [5]
    with pytest.raises(ValueError, match=r"\(5,\) is to be fed"):
        FleetUtil().check_vars_and_dump(config)


# -- HDFS ------------------------------------------------------------------------------------------


def test_hdfs_of_1x(root: Path, tmp_path: Path) -> None:  # noqa: F811
    client = HDFSClient(str(root.parent / "home"), {"fs.default.name": "hdfs://host:1"})
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    for name in ("a", "b", "deep/c"):
        (source / name).write_text(name)
    client.upload("/up", str(source), multi_processes=2)
    assert sorted(client.ls("/up")) == ["/up/a", "/up/b", "/up/deep"] and client.ls("/no") == []
    assert client.lsr("/up", excludes=["/up/b"]) == ["/up/a", "/up/deep/c"]
    assert client.cat("/up/a") == "a" and client.is_dir("/up") and client.is_file("/up/a")
    got = client.download("/up", str(tmp_path / "down"), multi_processes=2)
    assert sorted(Path(p).name for p in got) == ["a", "b", "c"]
    assert client.rename("/up/a", "/up/z") and not client.rename("/up/none", "/up/y")
    assert not client.rename("/up/b", "/up/z") and client.rename("/up/b", "/up/z", True)
    assert client.upload_dir("/dirs", str(source)) and client.is_exist("/dirs/source/a")
    assert client.makedirs("/new") and client.delete("/new") and not client.is_exist("/new")
    assert client.split_files(["a", "b", "c"], 1, 2) == ["c"]
