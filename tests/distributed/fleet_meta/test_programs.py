"""Each strategy by the operators that it makes; nothing is run, so one process is enough."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import paddle
import paddle.static as static
from paddle.distributed.fleet import DistributedStrategy, UserDefinedRoleMaker
from paddle.distributed.fleet.meta_optimizers.base import Context
from paddle.distributed.fleet.runtime import CollectiveRuntime
from paddle.ir.operator import Role
from tests.distributed.fleet_meta import jobs

FORWARD = ["mul", "elementwise_add", "tanh", "mul", "elementwise_add", "elementwise_sub", "square",
           "reduce_mean"]  # fmt: skip
LOSS = ["fill_constant", "scale"]
SECOND = ["reduce_mean_grad", "square_grad", "elementwise_sub_grad"]


@pytest.fixture(autouse=True)
def _static() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


def strategies(made: Context) -> list[str]:
    """The strategies that were carried out, the innermost first."""
    return [kind.name for kind in made.applied]


def build(
    switches: dict, optimizer: Any, rank: int = 0, count: int = 2, width: int = 4, **model: Any
) -> Context:
    """The Programs of one rank of a job; ``context.told`` has the warnings."""
    main, startup = static.Program(), static.Program()
    ends = [f"127.0.0.1:{6170 + i}" for i in range(count)]
    role = UserDefinedRoleMaker(is_collective=True, current_id=rank, worker_endpoints=ends)
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        loss, hidden = jobs.network(width, **model)
        if switches.get("recompute") and "recompute_configs" not in switches:
            switches = {**switches, "recompute_configs": {"checkpoints": [hidden.name]}}
        strategy = DistributedStrategy()
        for name, value in switches.items():
            setattr(strategy, name, value)
        context = Context(loss, startup, role, strategy, optimizer, optimizer)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            CollectiveRuntime(role).minimize(context)
    context.told = [str(w.message) for w in told]  # type: ignore[attr-defined]
    return context


def types(context: Context, block: int = 0) -> list[str]:
    """The operators of a block, without those that wait for a stream."""
    ops = context.main_program.blocks[block].ops
    return [op.type for op in ops if not op.type.endswith("_stream")]


def started(context: Context) -> list[str]:
    return [op.type for op in context.startup_program.global_block().ops]


def rings(context: Context) -> list[tuple]:
    """Number, size and own place of the groups that the startup Program makes."""
    ops = [op for op in context.startup_program.global_block().ops if op.type == "c_comm_init"]
    return [tuple(op.attr(name) for name in ("ring_id", "nranks", "rank")) for op in ops]


def sgd() -> Any:
    return paddle.optimizer.SGD(0.1)


def momentum(**given: Any) -> Any:
    return paddle.optimizer.Momentum(0.1, **given)


def test_plain_data_parallel() -> None:
    made = build({}, sgd())
    assert strategies(made) == ["graph_execution"]
    assert types(made) == [
        *FORWARD, *LOSS, *SECOND, "elementwise_add_grad", "c_allreduce_sum", "mul_grad",
        "c_allreduce_sum", "tanh_grad", "elementwise_add_grad", "c_allreduce_sum", "mul_grad",
        "c_allreduce_sum", "sgd", "sgd", "sgd", "sgd",
    ]  # fmt: skip
    assert started(made).count("c_comm_init") == 1 and started(made).count("c_broadcast") == 4
    scale = next(op for op in made.main_program.global_block().ops if op.type == "scale")
    assert scale.attr("scale") == 0.5


def test_one_process_exchanges_nothing() -> None:
    made = build({}, sgd(), count=1)
    assert not any(t.startswith("c_") for t in types(made) + started(made))


def test_amp() -> None:
    made = build({"amp": True, "amp_configs": {"custom_black_list": ["mul"]}}, sgd())
    assert strategies(made) == ["graph_execution", "amp"]
    at = types(made).index("check_finite_and_unscale")
    assert types(made)[at:] == [
        "check_finite_and_unscale", "cast", "c_allreduce_max", "cast", "update_loss_scaling",
        "sgd", "sgd", "sgd", "sgd",
    ]  # fmt: skip
    assert max(i for i, t in enumerate(types(made)) if t == "c_allreduce_sum") < at
    block = made.main_program.global_block()
    mul = next(op for op in block.ops if op.type == "mul")
    assert block.var(mul.output("Out")[0]).dtype == paddle.float32  # by the user's list


def test_recompute() -> None:
    made = build({"recompute": True}, sgd())
    back = types(made)[types(made).index("fill_constant") :]
    assert back.count("mul") == 1 and back.count("elementwise_add") == 1


def test_gradient_merge() -> None:
    given = {"gradient_merge": True, "gradient_merge_configs": {"k_steps": 3}}
    made = build(given, paddle.optimizer.Adam(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)))
    assert strategies(made) == ["graph_execution", "gradient_merge"]
    assert types(made)[-8:] == ["increment", "elementwise_mod", "equal", *["elementwise_add"] * 4,
                                "conditional_block"]  # fmt: skip
    assert "c_allreduce_sum" not in types(made)
    assert types(made, 1) == [
        *["scale"] * 4, *["c_allreduce_sum"] * 4, *["squared_l2_norm"] * 4, "sum", "sqrt",
        "fill_constant", "elementwise_max", "elementwise_div", *["elementwise_mul"] * 4,
        *["adam"] * 4, *["fill_constant"] * 4,
    ]  # fmt: skip
    names = {v.name for v in made.main_program.list_vars() if v.persistable}
    assert {"w1@GRAD@GradientMerge", "gradient_merge_k", "gradient_merge_step"} <= names
    assert "scale" not in types(build({**given, "gradient_merge_configs": {
        "k_steps": 3, "avg": False}}, sgd()), 1)  # fmt: skip


@pytest.mark.parametrize("name", ["gradient_merge", "sharding"])
def test_sparse_gradients_are_refused(name: str) -> None:
    main, startup = static.Program(), static.Program()
    ends = ["127.0.0.1:6170", "127.0.0.1:6171"]
    role = UserDefinedRoleMaker(is_collective=True, current_id=0, worker_endpoints=ends)
    strategy = DistributedStrategy()
    setattr(strategy, name, True)
    strategy.gradient_merge_configs = {"k_steps": 2}
    with static.program_guard(main, startup):
        ids = static.data("ids", [None, 1], "int64")
        found = static.nn.embedding(ids, [10, 4], is_sparse=True)
        loss = paddle.mean(static.nn.fc(found, 1))
        opt = sgd()
        with pytest.raises(NotImplementedError, match=f"{name}.*(.|\\n)*is_sparse=False"):
            CollectiveRuntime(role).minimize(Context(loss, startup, role, strategy, opt, opt))


def test_localsgd() -> None:
    made = build({"localsgd": True, "localsgd_configs": {"k_steps": 4}}, momentum())
    assert strategies(made) == ["localsgd"]
    assert types(made)[-5:] == ["increment", "greater_than", "conditional_block", "logical_not",
                                "conditional_block"]  # fmt: skip
    assert "c_allreduce_sum" not in types(made)
    average = [
        *["elementwise_sub", "c_allreduce_sum"] * 4, *["scale", "elementwise_sub", "assign"] * 4,
        "assign",
    ]  # fmt: skip
    assert [types(made, b.idx) for b in made.main_program.blocks].count(average) == 2
    names = {v.name for v in made.startup_program.list_vars()}
    assert {"w1@SNAPSHOT", "b2@SNAPSHOT", "k_steps", "begin_step", "last_step"} <= names


def test_adaptive_localsgd() -> None:
    made = build({"adaptive_localsgd": True}, sgd())
    blocks = [types(made, b.idx) for b in made.main_program.blocks]
    assert ["scale", "c_allreduce_sum", "assign", "assign"] in blocks  # the first loss and rate
    (adapting,) = [b for b in blocks if "ceil" in b]
    assert adapting[-5:] == ["sqrt", "ceil", "clip", "cast", "assign"]


def test_lars() -> None:
    given = {"lars": True, "lars_configs": {"lars_weight_decay": 0.25,
                                            "exclude_from_weight_decay": ["b"]}}  # fmt: skip
    made = build(given, momentum(weight_decay=0.5))
    assert strategies(made) == ["graph_execution", "lars"]
    assert types(made)[-12:] == ["scale", "sum", "lars_momentum"] * 4
    found = {op.input("Param")[0]: op for op in made.main_program.global_block().ops
             if op.type == "lars_momentum"}  # fmt: skip
    assert {n: op.attr("lars_weight_decay") for n, op in found.items()} == {
        "b1": 0.0, "b2": 0.0, "w1": 0.25, "w2": 0.25,
    }  # fmt: skip
    assert found["w1"].attr("mu") == 0.9


def test_lars_says_that_it_has_no_nesterov() -> None:
    made = build({"lars": True}, momentum(use_nesterov=True))
    assert any("Nesterov" in text for text in made.told)  # type: ignore[attr-defined]


def test_lamb() -> None:
    given = {"lamb": True, "lamb_configs": {"exclude_from_weight_decay": ["b1"]}}
    made = build(given, paddle.optimizer.Adam(0.1, beta1=0.8))
    assert types(made)[-4:] == ["lamb"] * 4
    found = {op.input("Param")[0]: op for op in made.main_program.global_block().ops
             if op.type == "lamb"}  # fmt: skip
    assert found["b1"].attr("weight_decay") == 0.0 and found["b2"].attr("weight_decay") > 0
    assert found["w1"].attr("beta1") == 0.8


def test_dgc() -> None:
    made = build({"dgc": True}, momentum(weight_decay=0.5), width=4096)
    assert strategies(made) == ["graph_execution", "dgc"]
    ops = made.main_program.global_block().ops
    assert types(made)[0] == "increment"
    (compress,) = [op for op in ops if op.type == "dgc"]
    assert ops[compress.idx + 1].type == "dgc_allreduce"
    assert compress.attr("sparsity") == pytest.approx([0.999])
    assert (compress.attr("regular_type"), compress.attr("regular_coeff")) == (2, 0.5)
    assert [types(made).count(t) for t in ("c_allreduce_sum", "momentum", "dgc_momentum")] == [
        3, 3, 1,
    ]  # fmt: skip
    assert "dgc" not in types(build({"dgc": True}, momentum()))  # all parameters are small


def test_fp16_allreduce() -> None:
    made = build({"fp16_allreduce": True}, sgd())
    assert strategies(made) == ["graph_execution", "fp16_allreduce"]
    block = made.main_program.global_block()
    sums = [op for op in block.ops if op.type == "c_allreduce_sum"]
    assert len(sums) == 4
    for op in sums:
        assert block.var(op.input("X")[0]).dtype == paddle.float16
        assert block.ops[op.idx - 1].type == "cast"
    assert types(made)[-8:] == ["cast", "sgd"] * 4  # cast back as late as possible


def test_fp16_allreduce_leaves_other_sums_alone() -> None:
    local = {"localsgd": True, "localsgd_configs": {"k_steps": 4}}
    plain, both = build(local, sgd()), build({**local, "fp16_allreduce": True}, sgd())
    assert strategies(both) == ["localsgd", "fp16_allreduce"]  # parameters stay exact
    for block in plain.main_program.blocks:
        assert types(both, block.idx) == types(plain, block.idx)
    merged = {"gradient_merge": True, "gradient_merge_configs": {"k_steps": 2}}
    made = build({**merged, "fp16_allreduce": True}, sgd())
    inner = made.main_program.blocks[1]
    sums = [op.input("X")[0] for op in inner.ops if op.type == "c_allreduce_sum"]
    assert len(sums) == 4 and all("@FP16" in name for name in sums)


def test_sharding_deals_parameters_out() -> None:
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    ranks = [build({"sharding": True}, paddle.optimizer.Adam(0.1, grad_clip=clip), r)
             for r in range(2)]  # fmt: skip
    held = [{p.name for p in m.main_program.all_parameters()} for m in ranks]
    assert held == [{"w1"}, {"b1", "w2", "b2"}]
    exchanges = [
        [
            (op.type, op.attrs.get("root", op.attrs.get("root_id")))
            for op in m.main_program.global_block().ops
            if op.type.startswith("c_") and "sync" not in op.type
        ]
        for m in ranks
    ]
    assert exchanges[0] == exchanges[1]  # in one order everywhere
    assert exchanges[0] == [
        *[("c_broadcast", r) for r in (0, 1, 1, 1)], ("c_reduce_sum", 1), ("c_reduce_sum", 1),
        ("c_reduce_sum", 1), ("c_reduce_sum", 0), ("c_allreduce_sum", None),
    ]  # fmt: skip
    assert [types(m).count("adam") for m in ranks] == [1, 3]
    assert started(ranks[0]).count("fill_constant") == 5  # its own accumulators and the rate
    names = {v.name for v in ranks[0].startup_program.list_vars()}
    assert not any(n.startswith(("w2", "b2", "b1")) for n in names)


def test_sharding_in_segments() -> None:
    made = build({"sharding": True, "sharding_configs": {"fuse_broadcast_MB": 1e-6}}, sgd())
    assert types(made).count("c_broadcast") > 4  # forward, and again for backward
    first = types(made).index("c_broadcast")
    assert types(made)[first + 1] == "mul"


def test_sharding_of_several_copies() -> None:
    given = {"sharding": True, "sharding_configs": {"hybrid_dp": True, "sharding_group_size": 2}}
    made = build(given, sgd(), rank=3, count=4)
    ops = made.main_program.global_block().ops
    assert {op.attr("ring_id") for op in ops if op.type == "c_reduce_sum"} == {1}
    assert {op.attr("ring_id") for op in ops if op.type == "c_allreduce_sum"} == {2}
    assert rings(made) == [(0, 4, 3), (1, 2, 1), (2, 2, 1)]
    odd = build({**given, "sharding_configs": {
        "hybrid_dp": True, "sharding_group_size": 3}}, sgd(), count=4)  # fmt: skip
    assert "sharding" not in strategies(odd) and "does not divide 4" in odd.told[0]  # type: ignore[attr-defined]


def test_sharding_needs_parameters_for_everybody() -> None:
    with pytest.raises(ValueError, match="at least as many parameters as processes, 5"):
        build({"sharding": True}, sgd(), count=5)


def test_pipeline() -> None:
    given = {"pipeline": True, "pipeline_configs": {"micro_batch": 2}}
    first, second = (build(given, sgd(), r, devices=True) for r in range(2))
    assert strategies(first) == ["pipeline"]
    there = ["mul", "elementwise_add", "tanh", "send_v2"]
    back = ["recv_v2", "tanh_grad", "elementwise_add_grad"]
    end = ["c_broadcast", "sgd", "sgd"]
    assert types(first) == [
        "split", *there, *there, *back, "mul_grad", *back, "sum", "mul_grad", "sum",
        "fill_constant", *end,
    ]  # fmt: skip
    there = ["recv_v2", *FORWARD[3:]]
    back = [*LOSS, *SECOND, "elementwise_add_grad"]
    assert types(second) == [
        "split", *there, *there, *back, "mul_grad", "send_v2", *back, "sum", "mul_grad", "sum",
        "send_v2", "sum", "scale", *end,
    ]  # fmt: skip
    scale = next(op for op in second.main_program.global_block().ops if op.type == "scale")
    assert scale.attr("scale") == 0.5  # one over the parts


def test_pipelines_side_by_side() -> None:
    made = build({"pipeline": True}, sgd(), rank=2, count=4, devices=True)
    ops = made.main_program.global_block().ops
    assert {op.attr("ring_id") for op in ops if op.type in ("send_v2", "recv_v2")} == {1}
    assert [op.attr("ring_id") for op in ops if op.type == "c_allreduce_sum"] == [2, 2]
    assert rings(made) == [(0, 4, 2), (1, 2, 0), (2, 2, 1)]


def test_sync_batch_norm() -> None:
    made = build({"sync_batch_norm": True}, sgd(), norm=True)
    assert strategies(made) == ["graph_execution", "sync_batch_norm"]
    assert "sync_batch_norm" in types(made) and "sync_batch_norm_grad" in types(made)
    assert "batch_norm" not in types(made)


def test_sizes_of_buckets() -> None:
    def marks(switches: dict) -> set:
        ops = build(switches, sgd()).main_program.global_block().ops
        return {op.attrs["_bucket_mb"] for op in ops if op.type == "c_allreduce_sum"}

    assert marks({}) == {32.0}
    assert marks({"fuse_grad_size_in_MB": 5}) == {5.0}
    assert marks({"fuse_all_reduce_ops": False}) == {0.0}


def test_build_and_execution_strategy() -> None:
    build_strategy, execution = static.BuildStrategy(), static.ExecutionStrategy()
    build_strategy.fuse_all_optimizer_ops = False
    execution.num_iteration_per_run = 3
    made = build({"build_strategy": build_strategy, "execution_strategy": execution}, sgd(),
                 count=1)  # fmt: skip
    exe = static.Executor()
    exe.run(made.startup_program)
    x, y = jobs.data(0)
    exe.run(made.main_program, {"x": x, "y": y})
    after = made.main_program.global_block().var("w1").get_value().numpy()
    plain = build({}, sgd(), count=1)
    exe.run(made.startup_program)
    for _ in range(3):
        exe.run(plain.main_program, {"x": x, "y": y})
    again = plain.main_program.global_block().var("w1").get_value().numpy()
    assert after == pytest.approx(again, abs=1e-6)
    (plan,) = [p for k, p in exe._plans.items() if k[0] == made.main_program._serial]
    assert plan.source.count("sgd(") >= 4  # not merged


@pytest.mark.parametrize("switches", [{"localsgd": True}, {"sharding": True}, {"pipeline": True}])
def test_how_a_program_runs_without_graph_execution(switches: dict) -> None:
    build_strategy, execution = static.BuildStrategy(), static.ExecutionStrategy()
    build_strategy.fuse_all_optimizer_ops = False
    execution.num_iteration_per_run = 3
    given = {"build_strategy": build_strategy, "execution_strategy": execution}
    made = build({**switches, **given}, sgd(), devices="pipeline" in switches)
    assert "graph_execution" not in strategies(made)
    kept = made.main_program.__dict__
    assert kept["_fleet_skipped"] == ["merge_optimizers"] and kept["_fleet_iterations"] == 3


def test_roles() -> None:
    made = build({"amp": True, "gradient_merge": True,
                  "gradient_merge_configs": {"k_steps": 2}}, sgd())  # fmt: skip
    block = made.main_program.global_block()
    assert block.ops[-1].type == "conditional_block" and block.ops[-1].role & Role.OPTIMIZE
    test = made.main_program.clone(for_test=True)
    assert [op.type for op in test.global_block().ops if "grad" in op.type] == []
