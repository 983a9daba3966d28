"""Fleet of 1.x: parameter servers of pslib: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["DownpourOptimizer", "PSLib", "fleet"]

DownpourOptimizer = servers("paddle.fluid.incubate.fleet.parameter_server.pslib.DownpourOptimizer")
PSLib = servers("paddle.fluid.incubate.fleet.parameter_server.pslib.PSLib")
fleet = servers("paddle.fluid.incubate.fleet.parameter_server.pslib.fleet")
