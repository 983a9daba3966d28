"""Fleet of 1.x: training by collective operators: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["Collective", "CollectiveOptimizer", "DistributedStrategy", "fleet"]

Collective = servers("paddle.fluid.incubate.fleet.collective.Collective")
CollectiveOptimizer = servers("paddle.fluid.incubate.fleet.collective.CollectiveOptimizer")
DistributedStrategy = servers("paddle.fluid.incubate.fleet.collective.DistributedStrategy")
fleet = servers("paddle.fluid.incubate.fleet.collective.fleet")
