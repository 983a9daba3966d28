"""Fleet of 1.x: tools: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["FleetUtil"]

FleetUtil = servers("paddle.fluid.incubate.fleet.utils.fleet_util.FleetUtil")
