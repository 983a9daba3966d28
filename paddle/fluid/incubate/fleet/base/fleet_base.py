"""Fleet of 1.x: its base: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["DistributedOptimizer", "Fleet", "Mode"]

DistributedOptimizer = servers("paddle.fluid.incubate.fleet.base.fleet_base.DistributedOptimizer")
Fleet = servers("paddle.fluid.incubate.fleet.base.fleet_base.Fleet")
Mode = servers("paddle.fluid.incubate.fleet.base.fleet_base.Mode")
