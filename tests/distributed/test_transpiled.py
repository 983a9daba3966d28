"""GradAllReduce against what 1.8.5 writes; the transpiler's modes without servers; refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.transpiler.collective import (
    GradAllReduce,
    LocalSGD,
    MultiThread,
    SingleProcessMultiThread,
)

DATA = Path(__file__).parents[1] / "data" / "distributed"
WHERE = ["127.0.0.1:6170", "127.0.0.1:6171"]


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


def built() -> tuple[Any, Any]:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x = fluid.data("x", [None, 4], "float32")
        loss = fluid.layers.mean(fluid.layers.fc(x, 2))
        fluid.optimizer.SGD(0.1).minimize(loss)
    return main, startup


def _operators(program: Any) -> list[tuple]:
    """Names, slots and what matters of the attributes."""
    told = ("ring_id", "root", "scale", "use_calc_stream", "op_role")
    return [
        (op.type, {s: n for s, n in op.inputs.items() if n}, dict(op.outputs),
         {n: op.attrs[n] for n in told if n in op.attrs and op.type[:2] in ("c_", "sc")})
        for op in program.global_block().ops
    ]  # fmt: skip


@pytest.mark.parametrize("rank", [0, 1])
def test_operators_are_those_of_185(rank: int) -> None:
    """What GradAllReduce adds stands where 1.8.5 puts it, with its slots and attributes."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, y = fluid.data("x", [None, 6], "float32"), fluid.data("y", [None, 1], "float32")
        hidden = fluid.layers.fc(x, 8, act="relu")
        error = fluid.layers.elementwise_sub(fluid.layers.fc(hidden, 1), y)
        loss = fluid.layers.mean(fluid.layers.square(error))
        fluid.optimizer.Momentum(0.02, 0.9).minimize(loss)
        GradAllReduce(2).transpile(startup, main, rank, list(WHERE), WHERE[rank], False)
    for name, mine in (("main", main), ("startup", startup)):
        path = DATA / f"1.8.5_{name}_{rank}.pdmodel"
        theirs = _operators(fluid.Program.parse_from_string(path.read_bytes()))
        ours = [o for o in _operators(mine) if o[0] not in ("c_gen_nccl_id", "c_comm_init")]
        assert [o[0] for o in ours] == [o[0] for o in theirs]
        for one, other in zip(ours, theirs, strict=True):
            if one[0][:2] in ("c_", "sc"):
                assert one[:3] == other[:3]
                assert other[3].items() >= {k: pytest.approx(v) for k, v in one[3].items()}.items()


def types(program: Any) -> list[str]:
    return [op.type for op in program.global_block().ops]


def test_nccl2() -> None:
    main, startup = built()
    config = fluid.DistributeTranspilerConfig()
    config.mode = "nccl2"
    config.nccl_comm_num = 2
    before = types(main)
    fluid.DistributeTranspiler(config).transpile(
        1, program=main, startup_program=startup, trainers=",".join(WHERE),
        current_endpoint=WHERE[1],
    )  # fmt: skip
    assert types(main) == before and types(startup)[-1] == "gen_nccl_id"
    made = startup.global_block().ops[-1]
    assert made.attr("trainers") == WHERE and made.attr("trainer_id") == 1
    assert {"NCCLID", "NCCLID_1"} <= set(startup.global_block().vars)


@pytest.mark.parametrize(
    ("way", "main_type", "startup_type"),
    [("grad_allreduce", "c_allreduce_sum", "c_broadcast"),
     ("local_sgd", "c_allreduce_sum", "assign"),
     ("single_process_multi_thread", "c_allreduce_sum", "c_comm_init_all")],
)  # fmt: skip
def test_collective(way: str, main_type: str, startup_type: str) -> None:
    main, startup = built()
    config = fluid.DistributeTranspilerConfig()
    config.mode, config.collective_mode = "collective", way
    fluid.DistributeTranspiler(config).transpile(
        0, program=main, startup_program=startup, trainers=",".join(WHERE),
        current_endpoint=WHERE[0],
    )  # fmt: skip
    assert types(main).count(main_type) == 2 and startup_type in types(startup)


@pytest.mark.parametrize(
    ("told", "words"),
    [({"mode": "ring"}, "expected pserver, nccl2 or collective"),
     ({"mode": "collective"}, "collective_mode: expected one of"),
     ({"mode": "collective", "collective_mode": "grad_allreduce", "trainers": WHERE[0]},
      "expected at least 2 addresses"),
     ({"mode": "nccl2", "current_endpoint": "127.0.0.1:1"}, "expected that of process 0"),
     ({"mode": "nccl2", "trainers": 2}, "expected the addresses of all processes")],
)  # fmt: skip
def test_what_is_refused(told: dict, words: str) -> None:
    main, startup = built()
    config = fluid.DistributeTranspilerConfig()
    config.mode = told["mode"]
    config.collective_mode = told.get("collective_mode")
    with pytest.raises(ValueError, match=words):
        fluid.DistributeTranspiler(config).transpile(
            0, program=main, startup_program=startup,
            trainers=told.get("trainers", ",".join(WHERE)),
            current_endpoint=told.get("current_endpoint", WHERE[0]),
        )  # fmt: skip


def test_ways_and_their_arguments() -> None:
    main, startup = built()
    with pytest.raises(ValueError, match="expected 0 to 1"):
        GradAllReduce().transpile(startup, main, 2, WHERE, WHERE[0], False)
    with pytest.raises(ValueError, match="expected that of rank 1"):
        LocalSGD().transpile(startup, main, 1, WHERE, WHERE[0], False)
    with pytest.raises(ValueError, match="expected an int >= 1"):
        GradAllReduce(0)
    with pytest.raises(TypeError, match="expected a Program"):
        GradAllReduce().transpile(startup, "main", 1, WHERE, WHERE[1], False)
    with pytest.raises(ValueError, match="trans_mode"):
        MultiThread(1, "none")
    way = MultiThread()
    way.transpile(startup, main, 1, WHERE, WHERE[1], False)
    assert (way.nranks, way.rank, way.mode) == (2, 1, "multi_thread")
    assert types(main).count("scale") == 1 and types(main._origin_program).count("scale") == 0
    assert SingleProcessMultiThread().nrings == 1
