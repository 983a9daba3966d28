"""DistributeTranspiler of 1.x without servers: processes that connect, or collective operators."""

from __future__ import annotations

from typing import Any

from paddle.core.dtype import VarType
from paddle.core.errors import InvalidArgumentError
from paddle.distributed.transpiler.collective import (
    Collective,
    GradAllReduce,
    LocalSGD,
    SingleProcessMultiThread,
)
from paddle.distributed.transpiler.config import DistributeTranspilerConfig
from paddle.ir.operator import Operator
from paddle.ir.program import Program

_WAYS = ("grad_allreduce", "local_sgd", "single_process_multi_thread")


def transpile(
    config: DistributeTranspilerConfig, trainer_id: int, main: Program, startup: Program,
    trainers: Any, current_endpoint: str,
) -> None:  # fmt: skip
    """Rewrites Programs as the modes ``nccl2`` and ``collective`` do.

    Args:
        config (DistributeTranspilerConfig): says which mode.
        trainer_id (int): number of this process.
        main (Program): the main Program.
        startup (Program): the startup Program.
        trainers (str|list[str]): addresses of all processes.
        current_endpoint (str): that of this one.

    Raises:
        ValueError: an unknown mode, or addresses that do not fit.
    """
    if config.mode == "nccl2":
        _connect(config, trainer_id, main, startup, _listed(trainers), current_endpoint)
    elif config.mode == "collective":
        way = _way(config)
        way.transpile(
            startup, main, trainer_id, _listed(trainers), current_endpoint, config.wait_port
        )
    else:
        raise InvalidArgumentError(
            "DistributeTranspilerConfig.mode: expected pserver, nccl2 or collective, but received "
            f"{config.mode!r}."
        )


def _listed(trainers: Any) -> list[str]:
    if isinstance(trainers, str):
        return [e for e in trainers.split(",") if e]
    if isinstance(trainers, (list, tuple)):
        return list(trainers)
    raise InvalidArgumentError(
        "DistributeTranspiler.transpile(trainers): expected the addresses of all processes, with "
        f"commas between, in a mode without servers, but received {trainers!r}."
    )


def _way(config: DistributeTranspilerConfig) -> Collective:
    way = config.collective_mode
    if way not in _WAYS:
        raise InvalidArgumentError(
            f"DistributeTranspilerConfig.collective_mode: expected one of {list(_WAYS)}, but "
            f"received {way!r}."
        )
    if way == "single_process_multi_thread":
        return SingleProcessMultiThread()
    return (GradAllReduce if way == "grad_allreduce" else LocalSGD)(config.nccl_comm_num)


def _connect(
    config: DistributeTranspilerConfig, trainer_id: int, main: Program, startup: Program,
    trainers: list[str], current_endpoint: str,
) -> None:  # fmt: skip
    """The startup Program connects the processes; a CompiledProgram sums the gradients."""
    if not 0 <= trainer_id < len(trainers) or trainers[trainer_id] != current_endpoint:
        raise InvalidArgumentError(
            "DistributeTranspiler.transpile(current_endpoint): expected that of process "
            f"{trainer_id} of {trainers}, but received {current_endpoint!r}."
        )
    main.__dict__["_trainers_endpoints"] = list(trainers)
    block = startup.global_block()
    for i in range(config.nccl_comm_num):
        name = f"NCCLID_{i}" if i else "NCCLID"
        block.create_var(name=name, persistable=True, type=VarType.RAW)
    if config.use_hierarchical_allreduce:
        for i in range(config.nccl_comm_num):
            for kind in ("inter", "exter"):
                name = f"Hierarchical_{kind}_NCCLID_{i}"
                block.create_var(name=name, persistable=True, type=VarType.RAW)
    attrs = {
        "trainers": list(trainers), "trainer_id": trainer_id,
        "nccl_comm_num": config.nccl_comm_num,
        "use_hierarchical_allreduce": config.use_hierarchical_allreduce,
        "hierarchical_allreduce_inter_nranks": config.hierarchical_allreduce_inter_nranks,
    }  # fmt: skip
    block.ops.append(Operator(block, "gen_nccl_id", {}, {"NCCLID": ["NCCLID"]}, attrs))
    startup.note_change()
