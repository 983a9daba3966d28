"""Fleet of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import servers

__all__ = ["Fleet"]

Fleet = servers("paddle.fluid.distributed.fleet.Fleet")
