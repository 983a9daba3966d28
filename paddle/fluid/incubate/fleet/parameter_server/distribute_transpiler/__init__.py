"""Fleet of 1.x: parameter servers by transpiled Programs: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["DistributedTranspiler", "TranspilerOptimizer", "fleet"]

DistributedTranspiler = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.DistributedTranspiler"
)
TranspilerOptimizer = servers(
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.TranspilerOptimizer"
)
fleet = servers("paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.fleet")
