"""Fleet of 1.x: strategies of parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = [
    "AsyncStrategy",
    "DistributedStrategy",
    "GeoStrategy",
    "HalfAsyncStrategy",
    "StrategyFactory",
    "SyncStrategy",
    "TrainerRuntimeConfig",
]

AsyncStrategy = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.AsyncStrategy"
)
DistributedStrategy = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.DistributedStrategy"
)
GeoStrategy = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.GeoStrategy"
)
HalfAsyncStrategy = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.HalfAsyncStrategy"
)
StrategyFactory = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.StrategyFactory"
)
SyncStrategy = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.SyncStrategy"
)
TrainerRuntimeConfig = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy.TrainerRuntimeConfig"
)
