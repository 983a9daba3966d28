"""Fleet of 1.x: parameter servers of pslib: importable; they say on use what they need."""

from paddle.fluid.refused import pslib

__all__ = ["DownpourOptimizer", "PSLib", "fleet"]

DownpourOptimizer = pslib("paddle.fluid.incubate.fleet.parameter_server.pslib.DownpourOptimizer")
PSLib = pslib("paddle.fluid.incubate.fleet.parameter_server.pslib.PSLib")
fleet = pslib("paddle.fluid.incubate.fleet.parameter_server.pslib.fleet")
