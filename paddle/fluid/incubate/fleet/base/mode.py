"""Fleet of 1.x: kinds of training: importable, and refused on use."""

from paddle.fluid.incubate.fleet.base.fleet_base import Mode

__all__ = ["Mode"]
