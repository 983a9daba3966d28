"""Fleet of 1.x's parameter servers: importable, and refused on use."""

from paddle.fluid.refused import pslib

__all__ = ["Fleet"]

Fleet = pslib("paddle.fluid.distributed.fleet.Fleet")
