"""Fleet of 1.x: kinds of training: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["Mode"]

Mode = servers("paddle.fluid.incubate.fleet.base.mode.Mode")
